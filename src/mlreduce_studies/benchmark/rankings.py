"""Rankings of the methods and predictors of the benchmark, by the ranking of all studies."""

from __future__ import annotations

from functools import cache
from itertools import product

from mlreduce.methods.evidence import typical_seconds
from mlreduce.metrics import higher_is_better
from mlreduce.stats.ranking import rank, variants
from mlreduce_studies.benchmark.scores import CHOSEN, MAJORITY, Scores, groups_of, names_in
from mlreduce_studies.gathering.rankings import MAIN, StudyRanking

__all__ = ["FEWEST_SETS", "rankings", "rankings_of_predictors", "rankings_with"]

#: Fewest data sets of a comparison.
FEWEST_SETS = 10


@cache
def rankings_with(scores: Scores, family: str, measure: str, tuned: bool = False) -> list[StudyRanking]:
    """Return the rankings of the methods of a family by a measure, one per predictor, ridge regression first.

    There are none for fewer than `FEWEST_SETS` data sets.
    """
    study = scores.studies[family]
    if len(scores.datasets(family, tuned=tuned)) < FEWEST_SETS:
        return []
    (protocol,), (names, _) = study.protocols, names_in(study)
    seconds = {name: typical for name in sorted({*names.values()}) if (typical := typical_seconds(name))}
    cells, groups = scores.cells(family, measure, tuned=tuned), groups_of(scores.protocol.project)
    larger, labels, found = higher_is_better(measure), variants(names, names), []
    for predictor in sorted({*cells["predictor"]} - {CHOSEN}, key=lambda one: one != MAIN):
        values = cells[cells["predictor"] == predictor].drop(columns="predictor")
        made = rank(values, larger, seconds=seconds, groups=groups, full=0)
        found.append(StudyRanking(protocol, measure, predictor, made, labels, tuned))
    return found


def rankings(scores: Scores, family: str) -> list[StudyRanking]:
    """Return the rankings of the methods of a family by each measure, with defaults and tuned."""
    return [one for place in product(scores.measures, (False, True)) for one in rankings_with(scores, family, *place)]


def rankings_of_predictors(scores: Scores) -> list[StudyRanking]:
    """Return the rankings of the predictors on all features, with what needs no features, by each measure."""
    study, found = scores.studies["selection"], []
    if len(scores.datasets("selection")) < FEWEST_SETS:
        return []
    (protocol,), groups = study.protocols, groups_of(scores.protocol.project)
    for measure in scores.measures:
        cells = scores.cells("selection", measure)
        cells = cells[(cells["size"] == 0) & (cells["predictor"] != CHOSEN)]
        values = cells.assign(method=cells["predictor"].where(cells["method"] != MAJORITY, MAJORITY))
        values = values[["dataset", "method", "size", "value"]].drop_duplicates(["dataset", "method"])
        made = rank(values, higher_is_better(measure), groups=groups, full=0)
        found.append(StudyRanking(protocol, measure, "", made, {name: name for name in made.table.index}))
    return found
