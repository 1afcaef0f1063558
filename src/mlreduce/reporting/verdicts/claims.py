"""The claims of a paper with their verdicts, as tables and for reading."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mlreduce.reporting.tables.layout import to_markdown
from mlreduce.reporting.verdicts.judging import combined, judge
from mlreduce.reporting.verdicts.quantities import Results
from mlreduce.reporting.verdicts.reading import Claim
from mlreduce.reporting.verdicts.words import CLAIM_COLUMNS, LINE_COLUMNS, VERDICTS, verdicts_sentence

__all__ = ["CLAIM_COLUMNS", "LINE_COLUMNS", "VERDICTS", "claims_markdown", "judge_claims", "verdicts_sentence"]


def judge_claims(
    claims: Sequence[Claim], results: Results, datasets: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge the claims of a paper.

    Parameters
    ----------
    claims : sequence of Claim
    results : Results
    datasets : sequence of str
        Of the paper, whether they were run or not: what a claim is about that names none.

    Returns
    -------
    claims : DataFrame
        One row per claim, with `CLAIM_COLUMNS`; the evidence is that of its only setting, or the verdicts of all.
    lines : DataFrame
        One row per setting, with `LINE_COLUMNS`.
    """
    rows, settings = [], []
    for claim in claims:
        verdict, said = "unchecked", claim.unchecked
        if not said:
            judged = [(line, judge(results, line)) for line in claim.lines(datasets)]
            counted = [(line, own) for line, own in judged if not line.second]
            verdict = combined([own.verdict for _, own in counted])
            said = (
                counted[0][1].evidence
                if len(counted) == 1
                else f"{'; '.join(f'{line.name}: {own.verdict}' for line, own in counted)}."
            )
            settings += [
                (claim.id, line.name, " ".join(line.datasets), not line.second, *vars(own).values())
                for line, own in judged
            ]
        rows.append((claim.id, claim.claim, claim.where, verdict, said))
    return pd.DataFrame(rows, columns=list(CLAIM_COLUMNS)), pd.DataFrame(settings, columns=list(LINE_COLUMNS))


def claims_markdown(claims: pd.DataFrame, lines: pd.DataFrame, study: str) -> str:
    """Return the claims as Markdown: numbers of verdicts, a table of claims, and one of settings with the evidence."""
    heading = f"# What {study} claims\n"
    if claims.empty:
        return f"{heading}\nNo claim of this paper is checked.\n"
    table = to_markdown(
        list(CLAIM_COLUMNS), [[str(row[c]) for c in CLAIM_COLUMNS] for row in claims.to_dict("records")]
    )
    shown = ["id", "setting", "verdict", "p for", "p against", "evidence"]
    rows = [
        [
            line["id"],
            line["setting"] if line["counted"] else f"{line['setting']} (not counted)",
            line["verdict"],
            *("" if pd.isna(line[p]) else f"{line[p]:.2g}" for p in ("p_for", "p_against")),
            line["evidence"],
        ]
        for line in lines.to_dict("records")
    ]
    return (
        f"{heading}\n{verdicts_sentence(claims)}\n\n{table}\n"
        '## Settings\n\nSmall p-values speak: "p for" that the sentence is true, "p against" that it is false.\n\n'
        f"{to_markdown(shown, rows)}"
    )
