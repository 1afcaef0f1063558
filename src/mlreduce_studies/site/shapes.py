"""What the form of the front page computes with, and what the catalogue says of data sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

from mlreduce.complexity import DENSE_SIDE, PAIRS
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.methods import evidence, recommendation, shapes
from mlreduce.methods.facts import facts_of
from mlreduce.metrics import measure_label
from mlreduce.stats.ranking import CONTROLS, WHOLE
from mlreduce_studies.site.findings import ANSWERED

#: Stored entries of a row of sparse features, as in the fits that were measured (docs/scale.md).
STORED = 50

#: Predictors and measures that the form offers, the first one at the start.
PREDICTORS, MEASURES = ("ridge", "ml-knn"), ("average-precision", "micro-f1")
#: Parameters that it offers, in words.
TUNED = "tuned"
PARAMETERS = {"default": "defaults", TUNED: "tuned"}
# Predictors in words; codes, which are numbers, have k-NN in the place of ML-kNN.
_PREDICTOR_LABELS = {"ridge": "ridge regression", "ml-knn": "ML-kNN", "k-nn": "k nearest neighbours"}


def form_fields() -> dict[str, dict[str, str]]:
    """Return what the form offers for predictor, measure and parameters: names with their words, where compared."""
    compared = _compared()
    _, predictors, measures, _ = map(set, zip(*compared, strict=True))
    tuned = {rankings[0].tuned for rankings in compared.values()}
    return {
        "predictor": {name: _PREDICTOR_LABELS[name] for name in PREDICTORS if name in predictors},
        "measure": {name: measure_label(name) for name in MEASURES if name in measures},
        "parameters": {name: text for name, text in PARAMETERS.items() if (name == TUNED) in tuned},
    }


def form_data() -> dict[str, Any]:
    """Return what the form computes with, as `mlreduce.recommend` does, for the families of the three questions.

    ``used`` has the place among the ``comparisons`` of a family of that for a predictor, a measure and parameters, such
    as ``"ridge average-precision default"``; ``sets`` have name, `mlreduce.methods.evidence.Traits` and group.
    """
    constants = {
        **{"seconds": evidence.SECONDS, "arrays": evidence.ARRAYS, "dense": DENSE_SIDE, "pairs": PAIRS},
        **{"stored": STORED, "asked": shapes.MAX_COMPONENTS, "share": shapes.SHARE},
        **{"nearest": recommendation.NEAREST, "far": recommendation.FAR},
        **{"few": evidence.FEW, "entry": evidence.ENTRY, "floor": evidence.FLOOR},
    }
    families: dict[str, dict[str, Any]] = {family: {"comparisons": [], "used": {}} for family in ANSWERED}
    places: dict[tuple[Any, ...], int] = {}
    for (family, *wanted), rankings in _compared().items():
        comparisons, key = families[family]["comparisons"], (family, *rankings[0].place)
        if key not in places:
            places[key] = len(comparisons)
            comparisons.append(_comparison(rankings, family))
        families[family]["used"][" ".join(wanted)] = places[key]
    every = [one for family in families.values() for one in family["comparisons"]]
    names = dict.fromkeys(name for one in every for name in one["methods"])
    return {
        "families": families,
        "methods": {name: _method(name) for name in names},
        "sets": {one["study"]: _sets(one["study"]) for one in every},
        "words": {one["predictor"]: _PREDICTOR_LABELS.get(one["predictor"], one["predictor"]) for one in every}
        | {one["measure"]: measure_label(one["measure"]) for one in every},
        "constants": constants,
    }


def _compared() -> dict[tuple[str, str, str, str], tuple[evidence.Ranking, ...]]:
    """Return the comparison for each family, predictor, measure and parameters, where there is one."""
    predictors, measures = evidence.compared_by()
    return {
        (family, predictor, measure, parameters): rankings
        for family in ANSWERED
        for predictor, measure, parameters in product(PREDICTORS, MEASURES, PARAMETERS)
        if predictor in predictors and measure in measures
        if (rankings := evidence.foremost(family, evidence.Wanted(predictor, measure, parameters == TUNED)))
    }


def _comparison(rankings: Sequence[evidence.Ranking], family: str) -> dict[str, Any]:
    """Return a comparison: of its methods, those of a family and those that reduce nothing, a value each.

    ``near_on`` and ``rank_on`` have a value per data set of the study, None where it was not in the comparison.
    """
    first, shown = rankings[0], [one for one in rankings if one.family == family or one.method in WHOLE]
    names = [*evidence.sets_of(first.study)]
    return {
        **{key: getattr(first, key) for key in ("study", "predictor", "measure", "tuned", "weighted", "data_sets")},
        "methods": [one.method for one in shown],
        "searched": [int(one.searched) for one in shown],
        **{key: [_brief_number(getattr(one, key)) for one in shown] for key in ("near", "low", "high")},
        "near_on": [_on_sets({on.name: on.near for on in one.by_set}, names) for one in shown],
        "rank_on": [_on_sets({on.name: on.rank for on in one.by_set}, names) for one in shown if one.weighted],
    }


def _on_sets(values: Mapping[str, float], names: Iterable[str]) -> list[float | None]:
    return [_brief_number(values[name]) if name in values else None for name in names]


def _brief_number(value: float) -> float:
    """Return an integer where the value is one: of what the form reads most are 0 or 1."""
    return int(value) if value == int(value) else value


def _sets(study: str) -> list[tuple[Any, ...]]:
    groups = evidence.groups_of(study)
    return [(name, *traits, groups[name]) for name, traits in evidence.sets_of(study).items()]


def _method(name: str) -> dict[str, Any]:
    facts = facts_of(name)
    keys = ("time", "memory", "iterated", "iterates_on", "most")
    takes = {"sparse": facts.sparse != "no", "single_label": facts.single_label}
    return {
        **{"family": facts.family, "control": name in CONTROLS, "rates": evidence.constants(name)},
        "takes": takes | {"least_instances": facts.least_instances},
        "parts": [
            {**{key: getattr(part, key) for key in keys}, "rates": rates}
            for part, rates in zip(evidence.complexities(name), evidence.term_rates(name), strict=True)
        ],
    }


def catalogued(name: str, names: Iterable[str]) -> dict[str, Any]:
    """Return the catalogue's description of a data set; ``same_instances`` are those among ``names`` that have them."""
    catalogue = read_catalogue()
    options, entries = (catalogue[name].options, catalogue[name].entries) if name in catalogue else ({}, ())
    address = next((address for entry in entries for address in entry.addresses[:1]), "")
    same = {other for family in _views() if name in family for other in family} & set(names) - {name}
    texts = {key: str(options.get(key, "")) for key in ("title", "domain", "licence", "citation")}
    return texts | {"address": address, "same_instances": sorted(same)}


@cache
def _views() -> list[set[str]]:
    """Return the data sets of the catalogue that have the same instances."""
    catalogue = read_catalogue()
    views = {name: catalogue[name].views() for name in catalogue}
    return [{name, *(view.name for view in value)} for name, value in views.items() if value]
