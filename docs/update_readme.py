"""Write the tables of README.md anew from results/reference. Called by `make reference`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mlreduce.reporting.audit import audit_sentences, beside_printed
from mlreduce.reporting.tables.layout import to_markdown

PROJECT = Path(__file__).parents[1]
REFERENCE = PROJECT / "results" / "reference"
TITLES = {
    "table3": "Table 3: linear regression",
    "table4": "Table 4: M5P model trees",
    "table5": "Table 5: kernel ridge regression",
}


def reproduction() -> str:
    """Return the printed numbers of cplst-2012 beside ours."""
    cells = pd.read_csv(REFERENCE / "cplst-2012" / "audit.csv")
    parts = ["\n".join(f"- {sentence}" for sentence in audit_sentences(cells))]
    for table in sorted(cells["table"].unique()):
        shown = beside_printed(cells, table, "as-printed")
        parts.append(f"<details><summary>{TITLES[table]}</summary>\n\n{shown}\n</details>\n")
    return "\n\n".join(parts)


def claims() -> str:
    """Return what all papers claim, with verdicts; the evidence is in each study's audit."""
    rows = [
        [path.parent.name, claim["claim"], f"**{claim['verdict']}**"]
        for path in sorted(REFERENCE.glob("*/claims.csv"))
        for claim in pd.read_csv(path).to_dict("records")
    ]
    return to_markdown(["study", "claim", "verdict"], rows)


BLOCKS = {"reproduction": reproduction, "claims": claims}


def updated(text: str) -> str:
    """Return the README with the text between each pair of marks replaced."""
    for name, block in BLOCKS.items():
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
        before, rest = text.split(begin)
        text = before + begin + "\n" + block() + "\n" + end + rest.split(end)[1]
    return text


if __name__ == "__main__":
    readme = PROJECT / "README.md"
    readme.write_text(updated(readme.read_text(encoding="utf-8")), encoding="utf-8")
