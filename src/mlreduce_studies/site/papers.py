"""What the page of a study shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mlreduce_studies.gathering.failed_cells import GAP, cell_reasons, footnotes
from mlreduce_studies.runs import StudyResults
from mlreduce_studies.site.claim_links import compare_link, differences_by_setting
from mlreduce_studies.site.claim_texts import citation, disagreement, issue_link
from mlreduce_studies.site.forest import Intervals, forest
from mlreduce_studies.tables import table_parts
from mlreduce_studies.tables.kinds import table_note
from mlreduce_studies.tables.layout import counted
from mlreduce_studies.verdicts.audit import audit_sentences, audit_sums, sums_by_protocol
from mlreduce_studies.verdicts.baselines import without_baseline
from mlreduce_studies.verdicts.columns import CLASSES, verdict_counts, verdicts_sentence
from mlreduce_studies.verdicts.reasons import (
    agreement,
    claimed_outcome,
    first_sentence,
    reason,
    scope,
    shortened,
    telling_pair,
)

#: Signs of verdicts, for readers who do not see the colours.
SIGNS = {
    **dict.fromkeys(("reproduced", "same", "confirmed", "proved"), "✓"),
    **dict.fromkeys(("differs", "refuted", "false by algebra"), "✗"),
    **dict.fromkeys(("not run", "cannot be checked"), "·"),
    **{"near": "≈", "failed": "!", "undecided": "?", "baseline not reproduced": "≠"},
}

# Classes of verdicts that are shown together; one without its baseline is of an experiment.
_CLASSES = {
    "Experiments": CLASSES["experiments"] + CLASSES["no baseline"],
    "Mathematics": CLASSES["mathematics"],
    "Not judged": CLASSES["not judged"],
}

# Numbers of tables and figures in their names.
_PLACE = re.compile(r"(table|figure)(\d)")

# Failures that are listed, at most.
_LINES = 30


def tables_of(study: StudyResults) -> list[dict[str, Any]]:
    """Return the tables of a study, laid out."""
    tables = []
    for name, spec in study.description["tables"].items():
        files = [file for file in (f"{name}.csv", f"{name}.tex") if (study.folder / file).is_file()]
        if f"{name}.csv" in files:
            tidy = pd.read_csv(study.folder / f"{name}.csv")
            parts = [dict(zip(("title", "header", "rows"), part[1:], strict=True)) for part in table_parts(tidy, spec)]
            table = {"name": name, "caption": spec["caption"], "note": table_note(spec), "parts": parts}
            tables.append(table | {"notes": footnotes(tidy), "files": files})
    return tables


def beside_printed_tables(study: StudyResults) -> list[dict[str, Any]]:
    """Return the printed tables of a paper in their layout, each cell with ours, the printed number, and how far it is.

    That is z with its verdict, and the difference as a share of the printed number.
    """
    tables = []
    for (table, protocol), part in study.audit.groupby(["table", "protocol"], sort=True):
        percents, rows = sorted(part["size_percent"].unique()), []
        for (dataset, method), row in part.groupby(["dataset", "method"], sort=True):
            cells = {cell["size_percent"]: cell for cell in row.to_dict("records")}
            rows.append({"dataset": dataset, "method": method, "cells": [_cell(cells.get(p)) for p in percents]})
        shown = {"table": table, "protocol": protocol, "percents": percents, "rows": rows}
        tables.append(shown | {"sums": str(audit_sums(part))})
    return tables


def _cell(cell: dict[Any, Any] | None) -> dict[str, Any]:
    if cell is None:
        return {"ours": "", "printed": "", "z": "", "order": 0.0, "verdict": "not run"}
    run = not np.isnan(cell["z"])
    return {
        "ours": f"{cell['ours']:.4f}" if not np.isnan(cell["ours"]) else GAP,
        "printed": f"{cell['printed']:.4f}",
        "z": f"{cell['z']:+.1f}, {100 * cell['relative']:+.1f} %" if run else "",
        "order": abs(cell["z"]) if run else 0.0,
        "verdict": cell["verdict"],
    }


def claims_of(
    study: StudyResults, parts: Sequence[Mapping[str, str]] = (), *, drawn: bool = True
) -> list[dict[str, Any]]:
    """Return the claims of a paper, rows of claims.csv, each with its settings, its evidence and texts to copy.

    ``parts`` are the tables and figures of the page (`parts_of`). ``margins`` is the size of the effect, ``forest`` the
    drawing of the pair that decides, which reads the scores unless not ``drawn``, ``asks`` the methods and the
    direction of the first setting.
    """
    settings = _settings_of(study)
    shown, figures = study.description["shown_in"], study.description["figures"]
    intervals, grounds = Intervals(study), {verdict: kind for kind in CLASSES for verdict in CLASSES[kind]}
    claims: list[dict[Any, Any]] = study.claims.to_dict("records")
    for claim in claims:
        named = shown.get(claim["id"], ())
        files = {file for name in named for file in (figures[name]["files"] if name in figures else [name])}
        claim["parts"] = {part["anchor"]: part["title"] for part in parts if part["name"] in files}
        claim["settings"] = settings.get(claim["id"], [])
        claim["methods"] = list(dict.fromkeys(name for line in claim["settings"] for name in line["methods"].split()))
        counted = [line for line in claim["settings"] if line["counted"]]
        claim["judged_by"] = grounds.get(claim["verdict"], "experiments")
        telling = sorted(counted, key=lambda line: line["verdict"] != claim["verdict"])  # those with its verdict first
        claim["why"] = _why(claim, telling)
        claim |= {"margins": 0.0, "forest": "", "asks": ("", "")}
        for line in [line for line in telling if line["pair"] is not None][:1]:
            claim |= {"margins": _in_margins(line["pair"].table), "asks": _asks(line)}
            if drawn and claim["judged_by"] == "experiments":
                claim["forest"] = forest(line, line["pair"], intervals.of(line, line["pair"]))
        claim["citation"] = citation(study, claim)
        claim["disagreement"] = disagreement(study, claim, counted)
        claim["issue"] = issue_link(study, claim, claim["disagreement"])
    return claims


def _settings_of(study: StudyResults) -> dict[str, list[dict[Any, Any]]]:
    """Return claims to their settings: rows of claims-lines.csv, with what a page shows of them."""
    lines, differences = study.frame("claims-lines"), study.frame("claims-differences")
    tables = {} if differences is None else differences_by_setting(differences)
    settings: dict[str, list[dict[Any, Any]]] = {}
    for line in [] if lines is None else lines.astype(object).where(lines.notna(), "").to_dict("records"):
        of_claim = settings.setdefault(line["id"], [])
        table = tables.get((line["id"], line["setting"]), pd.DataFrame())
        pair = telling_pair(line, table)
        shown = {
            "link": compare_link(study, line),
            "scope": scope(line),
            "why": reason(line, pair),
            "pair": pair,
        }
        shown |= {key: f"{line[key]:.2g}" for key in ("p_for", "p_against") if line[key] != ""}
        of_claim.append(line | shown)
    return settings


def _asks(line: Mapping[Any, Any]) -> tuple[str, str]:
    """Return the methods that a setting compares, the first against the others, and what it claims of the first."""
    first, *others = str(line["methods"]).split()
    return f"{first} against {', '.join(sorted(others)) or 'itself'}", claimed_outcome(line)


def _in_margins(table: pd.DataFrame) -> float:
    """Return the size of the mean difference over data sets, in margins; 0 where a margin is."""
    if not (table["margin"] > 0).all():
        return 0.0
    return abs(float((table["difference"] / table["margin"]).mean()))


def _why(claim: Mapping[str, Any], counted: Sequence[Mapping[str, Any]]) -> str:
    """Return why a claim has its verdict: the reason of a setting that has it, and whether the others agree."""
    if claim["judged_by"] == "no baseline":
        return next((shortened(text) for line in counted if (text := without_baseline(line["evidence"]))), "")
    if claim["verdict"] == "not run":
        return "The results that it needs are not there."
    if not counted or claim["judged_by"] != "experiments":
        return shortened(first_sentence(str(claim["evidence"])))
    return reason(counted[0], counted[0]["pair"], agreement([line["verdict"] for line in counted]))


def questions(claims: Sequence[Mapping[str, Any]], least: int = 3) -> list[dict[str, Any]]:
    """Return claims of one question together: those that claim the same of the same methods, on other data or measures.

    Of at least so many claims a ``summary`` has the number by verdict.
    """
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for claim in claims:
        groups.setdefault(claim["asks"] if claim["asks"][0] else claim["id"], []).append(claim)
    made = []
    for asks, group in groups.items():
        counts = Counter(claim["verdict"] for claim in group)
        numbers = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
        text = f"{asks[0]}, claimed {asks[1]} in {len(group)} claims: {numbers}." if len(group) >= least else ""
        made.append({"summary": text, "claims": group})
    return made


def headline_claim(claims: Sequence[Mapping[str, Any]], headline: str | None = None) -> Mapping[str, Any] | None:
    """Return the claim that a paper's page names as its headline.

    Without one it is that with the largest effect in margins, of the claims of the paper that results judge.
    """
    judged = (claim for claim in claims if claim["judged_by"] == "experiments" and not claim["own"])
    by_effect = sorted((claim for claim in judged if claim["margins"]), key=lambda claim: -claim["margins"])
    return next((claim for claim in claims if claim["id"] == headline), next(iter(by_effect), None))


def parts_of(
    tables: Sequence[Mapping[str, Any]], printed: Sequence[Mapping[str, Any]], figures: Sequence[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return the tables and figures of a page with their anchors and titles, for claims that are shown in them."""
    parts = [
        {"anchor": f"printed-{number}", "name": part["table"], "title": f"printed {part['table']} ({part['protocol']})"}
        for number, part in enumerate(printed, 1)
    ]
    names = [*(part["file"] for part in figures), *(part["name"] for part in tables)]
    parts += [{"anchor": name, "name": name, "title": name.replace("-", " ")} for name in names]
    return [part | {"title": _PLACE.sub(r"\1 \2", part["title"])} for part in parts]


def failed_of(study: StudyResults) -> dict[str, Any] | None:
    """Return the number of failed cells and their reasons; None without failures."""
    if study.failures.empty:
        return None
    number, keys = len(study.failures), ["protocol", "dataset", "method", "predictor"]
    cells = cell_reasons(study.failures, keys).to_dict("records")
    lines = [f"{' '.join(cell[key] for key in keys if cell[key])}: {cell['reason']}" for cell in cells]
    more = [f"and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
    sentence = (
        f"{counted(number, 'cells')} failed and have no value. All, with the place of the error in the code, are in "
        "failures.csv; the next run tries them again."
    )
    return {"number": number, "sentence": sentence, "lines": [*lines[:_LINES], *more]}


def audit_of(study: StudyResults) -> dict[str, Any]:
    """Return the audit in sums and sentences, printed and reproduced sizes, and claims of the paper by verdict."""
    sizes = study.frame("audit-sizes")
    counts = verdict_counts(study.claims[~study.claims["own"]])
    classes = {
        title: {verdict: counts[verdict] for verdict in verdicts if counts[verdict]}
        for title, verdicts in _CLASSES.items()
    }
    return {
        "sums": sums_by_protocol(study.audit, study.description["protocols"]),
        "sentences": audit_sentences(study.audit, sizes, study.frame("ratios"), study.frame("audit-order")),
        "sizes": [] if sizes is None else sizes.to_dict("records"),
        "verdicts": verdicts_sentence(study.claims),
        "classes": {title: numbers for title, numbers in classes.items() if numbers},
    }
