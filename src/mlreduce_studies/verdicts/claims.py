"""The claims of a paper with their verdicts, as tables and for reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from mlreduce_studies.tables.layout import to_markdown
from mlreduce_studies.verdicts.columns import (
    CLAIM_COLUMNS,
    DIFFERENCE_COLUMNS,
    LINE_COLUMNS,
    VERDICTS,
    verdicts_sentence,
)
from mlreduce_studies.verdicts.judging import combined, judge
from mlreduce_studies.verdicts.quantities import Results
from mlreduce_studies.verdicts.reading import Claim
from mlreduce_studies.verdicts.statements import Line, Statement

__all__ = [
    "CLAIM_COLUMNS",
    "DIFFERENCE_COLUMNS",
    "LINE_COLUMNS",
    "VERDICTS",
    "Judged",
    "claims_markdown",
    "judge_claims",
    "setting_columns",
    "verdicts_sentence",
    "weakness_of",
]


class Judged(NamedTuple):
    """The claims of a paper with their verdicts."""

    #: One row per claim, with `CLAIM_COLUMNS`; the evidence is that of its only setting, or the verdicts of all.
    claims: pd.DataFrame
    #: One row per setting, with `LINE_COLUMNS`.
    lines: pd.DataFrame
    #: One row per setting, pair of methods and data set, with `DIFFERENCE_COLUMNS`.
    differences: pd.DataFrame


def judge_claims(claims: Sequence[Claim], results: Results, datasets: Sequence[str]) -> Judged:
    """Judge the claims of a paper.

    A claim that names no data sets is about those given, which are those of the paper, whether they were run or not.
    """
    rows, settings, differences = [], [], []
    for claim in claims:
        verdict, evidence = "cannot be checked", claim.unchecked
        if claim.proof:
            verdict = claim.proof["verdict"]
            evidence = f"{claim.proof['derivation']} Computed by {claim.proof['test']}."
        elif not evidence:
            judged = [(line, judge(results, line)) for line in claim.lines(datasets)]
            counted = [(line, item) for line, item in judged if line.counted]
            verdict = combined([item.verdict for _, item in counted])
            evidence = (
                counted[0][1].evidence
                if len(counted) == 1
                else f"{'; '.join(f'{line.name}: {item.verdict}' for line, item in counted)}."
            )
            for line, entry in judged:
                found = (entry.verdict, entry.p_for, entry.p_against, entry.evidence)
                settings.append(
                    (claim.id, line.name, " ".join(line.datasets), line.counted, *found, *setting_columns(line))
                )
                differences += [(claim.id, line.name, *row) for row in entry.differences]
        weakness = weakness_of(claim, datasets)
        rows.append(
            (claim.id, claim.claim, claim.where, verdict, evidence, claim.wording, claim.group, claim.own, weakness)
        )
    return Judged(
        pd.DataFrame(rows, columns=list(CLAIM_COLUMNS)),
        pd.DataFrame(settings, columns=list(LINE_COLUMNS)),
        pd.DataFrame(differences, columns=list(DIFFERENCE_COLUMNS)),
    )


def weakness_of(claim: Claim, datasets: Sequence[str]) -> str:
    """Return why it says little that a claim is confirmed, whatever its verdict; "" where nothing does.

    One data set suffices, or it is about one of several alone; seconds of today's machine are below a printed number;
    or its methods are made so that it holds.
    """
    if claim.proof or claim.unchecked:
        return ""
    counted = [line for line in claim.lines(datasets) if line.counted]
    alone = {name for line in counted for name in line.datasets}
    seconds = claim.entry.get("quantity") == "seconds"
    reasons = {
        "one data set suffices": claim.wording == "sometimes",
        f"on {next(iter(alone))} alone": len(alone) == 1 < len(datasets),
        "seconds of today's machine against a printed limit": claim.entry["kind"] == "bound" and seconds,
        f"by construction: {claim.entry.get('by_construction')}": "by_construction" in claim.entry,
    }
    return "; ".join(reason for reason, holds in reasons.items() if holds)


def setting_columns(line: Line) -> tuple[str, ...]:
    """Return what is compared in a setting, as of the last columns of `LINE_COLUMNS` from ``methods`` on.

    The sizes are "" where a claim names none, or others for the second method.
    """
    statement, select = line.statement, line.statement.select
    others = [statement.options[key] for key in ("control", "relative_to") if key in statement.options]
    methods = dict.fromkeys((*statement.methods, *statement.than, *others))
    sizes = [f"{percent} %" for percent in select.get("sizes", ())]
    sizes += [f"threshold {select['energy']:g}"] if "energy" in select else []
    sizes += [f"at most {select['directions']} dimensions"] if "directions" in select else []
    predictors = select.get("predictor", "")
    return (
        " ".join(methods), " ".join(statement.quantities), select.get("protocol", ""),
        predictors if isinstance(predictors, str) else " ".join(predictors),
        "" if statement.than_select else "; ".join(sizes),
        statement.kind, str(line.holds), _margin(statement),
    )  # fmt: skip


def _margin(statement: Statement) -> str:
    if statement.margin is None:
        return ""
    return f"{100 * statement.margin:.3g} %" if statement.relative else f"{statement.margin:.3g}"


def claims_markdown(claims: pd.DataFrame, lines: pd.DataFrame, study: str) -> str:
    """Return the claims as Markdown: numbers of verdicts, a table of claims, and one of settings with the evidence."""
    heading = f"# What {study} claims\n"
    if claims.empty:
        return f"{heading}\nNo claim of this paper is checked.\n"
    header = ["id", "claim", "where", "verdict", "weakness", "evidence"]
    table = to_markdown(header, [[str(row[column]) for column in header] for row in claims.to_dict("records")])
    shown = ["id", "setting", "on", "margin", "verdict", "p for", "p against", "evidence"]
    rows = [
        [
            line["id"],
            line["setting"] if line["counted"] else f"{line['setting']} (not counted)",
            f"{line['holds']} of {len(line['datasets'].split())}",
            line["margin"],
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
