"""Answers of the front page: the headline claim of each paper, and the recommended methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlreduce.methods.evidence import choices
from mlreduce.metrics import measure_label
from mlreduce_studies.runs import StudyResults
from mlreduce_studies.site.papers import headline_claim

#: Families that the front page answers for, with their questions.
ANSWERED = {
    "projection": "Too many features, and mixtures of them will do",
    "selection": "Too many features, and some are to be selected",
    "labelspace": "Too many labels",
}


def findings(
    studies: Sequence[StudyResults], pages: Mapping[str, str], claims: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[dict[str, Any]]:
    """Return the headline claim of each paper with claims, with its verdict.

    It is the one that the paper's page names; by `headline_claim`, else the first claim. ``pages``
    and ``claims`` (of `mlreduce_studies.site.papers.claims_of`) are by the names of studies.
    """
    shown = []
    for study in (study for study in studies if claims.get(study.name)):
        of_study, title = claims[study.name], study.description["title"]
        claim = headline_claim(of_study, study.description["headline"]) or of_study[0]
        shown.append({"key": study.name, "page": pages[study.name], "title": title, "claim": claim})
    return shown


def answers() -> list[dict[str, Any]]:
    """Return the recommendations of `mlreduce.recommend` for each of the three questions."""
    found = []
    for family, question in ANSWERED.items():
        choice = choices(family)
        by = f"{measure_label(choice.first.measure)} with {choice.first.predictor}"
        found.append({"family": family, "question": question, **choice._asdict(), "by": by})
    return found
