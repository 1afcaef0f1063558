"""Update the generated tables of README.md and docs from results/reference. Called by `make reference`."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import yaml

from mlreduce.reporting.audit import audit_sentences, beside_printed
from mlreduce.reporting.tables.layout import to_markdown

PROJECT = Path(__file__).parents[1]
REFERENCE = PROJECT / "results" / "reference"
BEFORE = PROJECT / "docs" / "verdicts" / "before.csv"
PAGES = (PROJECT / "README.md", *(PROJECT / "docs" / name for name in ("results.md", "deviations.md")))
TITLES = {
    "table3": "Table 3: linear regression",
    "table4": "Table 4: M5P model trees",
    "table5": "Table 5: kernel ridge regression",
}


def papers() -> str:
    """Return one row per paper: printed cells that were reproduced, claims by verdict, links."""
    rows = []
    for path in sorted((PROJECT / "config" / "studies").glob("*.yaml")):
        name, study = path.stem, yaml.safe_load(path.read_text(encoding="utf-8"))
        verdicts = pd.read_csv(REFERENCE / name / "claims.csv")["verdict"].value_counts()
        verdicts = verdicts.rename({"not run": "not judged", "unchecked": "not judged"}).groupby(level=0).sum()
        cells = pd.read_csv(REFERENCE / name / "audit.csv")
        cells = cells[cells["protocol"] == next(iter(study["protocols"]))]
        reproduced = f"{(cells['verdict'] == 'reproduced').sum()} of {len(cells)}" if len(cells) else "none available"
        counts = [str(verdicts.get(verdict, 0)) for verdict in ("confirmed", "refuted", "undecided", "not judged")]
        links = f"[{name}](docs/results.md#{name}), [audit](results/reference/{name}/audit.md)"
        title, authors = re.fullmatch(r"(.*) \((.*)\)", study["title"]).groups()
        authors = f"[{authors}]({study['identifier']})" if "identifier" in study else authors
        rows.append([f"{authors}: {title}", reproduced, *counts, links])
    header = ["paper", "cells reproduced", "claims confirmed", "refuted", "undecided", "not judged", "details"]
    return "".join(f"| {' | '.join(row)} |\n" for row in [header, ["---"] * len(header), *rows])


def claims(study: str) -> str:
    """Return the claims of a paper with their verdicts; the evidence is in the study's audit."""
    claims = pd.read_csv(REFERENCE / study / "claims.csv")
    judged, rest = (claims[(claims["verdict"] == "unchecked") == unchecked] for unchecked in (False, True))
    rows = [[claim["claim"], f"**{claim['verdict']}**"] for claim in judged.to_dict("records")]
    reasons = [[claim["claim"], claim["evidence"]] for claim in rest.to_dict("records")]
    table = to_markdown(["cannot be checked", "why"], reasons)
    hidden = f"<details><summary>{len(rest)} sentences that cannot be checked</summary>\n\n{table}\n</details>\n"
    return f"{to_markdown(['claim', 'verdict'], rows)}\n{hidden}"


def printed(study: str) -> str:
    """Return the printed numbers of a paper next to the computed ones."""
    cells = pd.read_csv(REFERENCE / study / "audit.csv")
    sizes = REFERENCE / study / "audit-sizes.csv"
    sentences = audit_sentences(cells, pd.read_csv(sizes) if sizes.is_file() else None)
    parts = ["\n".join(f"- {sentence}" for sentence in sentences)]
    for table in sorted(cells["table"].unique()):
        shown = beside_printed(cells, table, "as-printed")
        parts.append(f"<details><summary>{TITLES[table]}</summary>\n\n{shown}\n</details>\n")
    return "\n\n".join(parts)


def changes() -> str:
    """Return the verdicts of the procedure before beside those of today, with the reason where they differ."""
    claims = pd.concat(pd.read_csv(path) for path in REFERENCE.glob("*/claims.csv")).set_index("id")["verdict"]
    rows = [
        [
            row["study"],
            row["claim"],
            row["before"],
            "; ".join(f"{claims[own]}{'' if own == row['claim'] else f' ({own})'}" for own in str(row["now"]).split()),
            row["reason"],
        ]
        for row in pd.read_csv(BEFORE, keep_default_na=False).to_dict("records")
    ]
    return to_markdown(["study", "claim", "before", "now", "why"], rows)


BLOCKS = {"papers": papers, "claims": claims, "printed": printed, "changes": changes}


def updated(text: str) -> str:
    """Return a page with the text between each pair of marks, ``<!-- NAME ARGUMENTS: begin -->``, replaced."""

    def block(match: re.Match[str]) -> str:
        name, *arguments = match["call"].split()
        return f"{match['begin']}\n{BLOCKS[name](*arguments)}\n{match['end']}"

    marks = r"(?P<begin><!-- (?P<call>[^:]+): begin -->\n).*?(?P<end><!-- (?P=call): end -->\n)"
    return re.sub(marks, block, text, flags=re.DOTALL)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(updated(page.read_text(encoding="utf-8")), encoding="utf-8")
