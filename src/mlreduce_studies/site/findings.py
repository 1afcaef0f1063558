"""Answers of the front page: the headline claim of each paper, and the recommended methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlreduce.methods.evidence import Ranking, choices
from mlreduce.metrics import measure_label
from mlreduce.stats.ranking import MARGIN, WHOLE
from mlreduce_studies.runs import StudyResults
from mlreduce_studies.site.papers import headline_claim

#: Families that the front page answers for: the question, and what one of its methods is called.
ANSWERED = {
    "projection": ("Too many features, and mixtures of them will do", "projection"),
    "selection": ("Too many features, and some are to be selected", "selector"),
    "labelspace": ("Too many labels", "code"),
}

# Controls that reduce nothing, in words.
_UNREDUCED = dict(zip(WHOLE, ("keeping all features", "predicting every label separately"), strict=True))


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
    """Return the recommendations of `mlreduce.recommend` for each of the three questions, and whether it pays."""
    found = []
    for family, (question, _) in ANSWERED.items():
        choice = choices(family)
        by = f"{measure_label(choice.first.measure)} with {choice.first.predictor}"
        found.append({"family": family, "question": question, **choice._asdict(), "pays": pays(family), "by": by})
    return found


def pays(family: str) -> str:
    """Return a sentence on whether the best method of a family is better than no reduction, and on how many sets.

    The sentence mentions it where both intervals overlap.
    """
    first, then, controls = choices(family)
    noun = ANSWERED[family][1]
    best = first if first not in controls else then[0]
    unreduced = next((one for one in controls if one.method in WHOLE), None)
    if unreduced is None:
        random = "".join(f"; the control {one.method} is {_near(one)}" for one in controls)
        return f"This comparison shows which {noun} to use, not whether to reduce: it has no unreduced method{random}."
    both = f"{_UNREDUCED[unreduced.method]} is {_near(unreduced)}, {best.method}, the first {noun}, on {_mostly(best)}"
    overlap = max(unreduced.low, best.low) <= min(unreduced.high, best.high)
    open_ = ", and their 95 % intervals overlap" if overlap else ""
    if unreduced.near >= best.near:
        worth = "It is worth it for speed, memory or meaning alone."
        return f"Reduction costs more than it brings by this measure: {both}{open_}. {worth}"
    return f"Reduction pays by this measure: {both}{open_}."


def _near(one: Ranking) -> str:
    return f"within {MARGIN:g} of the best in most settings on {_mostly(one)} of {one.data_sets} data sets"


def _mostly(one: Ranking) -> int:
    return sum(item.near > 0.5 for item in one.by_set)
