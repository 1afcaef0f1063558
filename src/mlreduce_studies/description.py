"""Description of a study for the pages, in addition to its results, in plain lists and dicts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mlreduce_studies.options import FIGURES, source_of
from mlreduce_studies.study import Study
from mlreduce_studies.verdicts.reading import Claim, read_claims
from mlreduce_studies.verdicts.settings import claim_settings
from mlreduce_studies.verdicts.statements import KINDS, QUANTITIES, Line


def describe_study(study: Study) -> dict[str, Any]:
    """Return the description of a study for the pages.

    ``shown_in`` are the ids of claims to the tables and figures that show what they are about, ``compared`` ids to the
    settings that the page of comparisons can show. ``says`` is what the paper says, in the words of the page in its
    folder, and ``headline`` the id of the claim that this page names as the paper's first.
    """
    claims = [] if study.claims is None else read_claims(study.claims)
    says, headline = ("", "") if study.claims is None else says_and_headline(Path(study.claims).with_name("README.md"))
    return {
        "title": study.title,
        "identifier": study.identifier,
        "family": study.family,
        "datasets": list(study.datasets),
        "left_out": list(study.left_out),
        "protocols": list(study.protocols),
        "measures": list(study.measures),
        "curves": study.curves[0],
        "methods": _registered(study.methods),
        "predictors": _registered(study.predictors),
        "averages": {name: list(draws) for name, draws in study.averages.items()},
        "rules": claim_settings(study)["rules"],
        "shown_in": {claim.id: list(claim.shown_in) for claim in claims if claim.shown_in},
        "compared": {claim.id: lines for claim in claims if (lines := _compared(claim, study.claimed_on))},
        "says": says,
        "headline": headline,
        "tables": {name: dict(spec) for name, spec in study.tables.items()},
        "figures": {
            name: {
                **{"spec": study.figure_spec(name), "files": study.figure_files(name)},
                "source": source_of(FIGURES, spec),
            }
            for name, spec in study.figures.items()
        },
    }


def _registered(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return labels to the names of their classes in the registry, and to parameters."""
    return {
        label: {
            "registered": entry.get("method", label),
            "parameters": {key: value for key, value in entry.items() if key != "method"},
        }
        for label, entry in entries.items()
    }


def _compared(claim: Claim, datasets: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the settings of a claim that compare two methods by measures, at one choice for both.

    ``cells`` says whether the "mean" over measures, predictors and sizes is compared or "each" of them; ``margin`` is a
    number, or a share such as "2 %", not rounded.
    """
    compared: dict[str, dict[str, str]] = {}
    for line in () if claim.proof or claim.unchecked else filter(_is_one_choice, claim.lines(datasets)):
        mean, margin = line.statement.cells == "mean" or line.holds == "tendency", line.statement.margin or 0.0
        shown = f"{100 * margin:.12g} %" if line.statement.relative else f"{margin:.12g}"
        compared[line.name] = {"cells": "mean" if mean else "each", "margin": shown}
    return compared


def _is_one_choice(line: Line) -> bool:
    statement = line.statement
    of_measures = not set(statement.quantities) & set(QUANTITIES) and "table" not in statement.options
    one_choice = statement.than_select is None and "relative_to" not in statement.options
    return of_measures and one_choice and bool(KINDS[statement.kind].asks)


def says_and_headline(page: Path) -> tuple[str, str]:
    """Return the text of the section "What the paper says" of a paper's page, and the claim that it names."""
    if not page.is_file():
        return "", ""
    match = re.search(r"^## What the paper says\n(.*?)(?=^## |\Z)", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    text = match[1] if match else ""
    named = re.search(r"<!-- headline: (\S+) -->", text)
    return " ".join(re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL).split()), named[1] if named else ""
