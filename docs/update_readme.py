"""Write the reproduction table of README.md anew from results/reference. Called by `make reference`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mlreduce.reporting.audit import audit_sentences, beside_printed

PROJECT = Path(__file__).parents[1]
BEGIN, END = "<!-- reproduction: begin -->\n", "<!-- reproduction: end -->\n"


def reproduction() -> str:
    """Return the text between the marks."""
    cells = pd.read_csv(PROJECT / "results" / "reference" / "cplst-2012" / "audit.csv")
    sentences = "\n".join(f"- {sentence}" for sentence in audit_sentences(cells))
    return f"{sentences}\n\n{beside_printed(cells, 'as-printed')}"


def updated(text: str) -> str:
    """Return the README with the text between the marks replaced."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + reproduction() + "\n" + END + rest.split(END)[1]


if __name__ == "__main__":
    readme = PROJECT / "README.md"
    readme.write_text(updated(readme.read_text(encoding="utf-8")), encoding="utf-8")
