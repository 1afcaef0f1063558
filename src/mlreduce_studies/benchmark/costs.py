"""What the benchmark is expected to take: processor seconds by data set and family, before anything is run.

Fits go by the constants of `mlreduce.methods.evidence` and the complexities of the methods; what predictors and
measures take was measured on generated data (`PREDICTION`); what is different in both, on the run (`CORRECTION`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from mlreduce import registry
from mlreduce.complexity import Sizes
from mlreduce.datasets.catalogue import Dataset
from mlreduce.methods.evidence import estimated
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.study import Group, Study

#: Seconds of a prediction at one size for each label of a row, with all measures; of a penalty for each row, column and
#: smaller number of these; and of neighbours for each pair of rows, at one size.
PREDICTION = {"cells": 2.7e-7, "penalty": 3.3e-10, "pairs": 1.2e-8}
#: Seconds of whatever is done once: a prediction's, a job's.
OVERHEAD = {"prediction": 0.008, "jobs": 15.0}
#: Of a candidate with a predictor, on the ten smallest data sets (selectors on one): iterations of small matrices, and
#: for label coders the folds in which the number of neighbours is chosen.
CANDIDATE = {"selection": 0.039, "projection": 0.016, "labelspace": 0.28}
#: Processor seconds of version 2 with defaults, as Snakemake sampled them on 14 data sets, by those of this model.
CORRECTION = {"selection": 0.65, "projection": 0.40, "labelspace": 0.39}

#: The longest that methods are tuned on a data set, so that all takes two nights of two cores at most.
LONGEST_SEARCH = 5400.0

# Of the parameters chosen with each predictor by each measure, how many differ.
_DISTINCT = 0.5
# Rows times columns on which the constants were measured. The seconds that a fit takes at least are those there; on
# fewer cells they are fewer, by the root.
_MEASURED_CELLS, _NOTHING = 3162 * 949, Sizes(n=2, d=2, q=1, s=4, k=1, p=1)
# Seconds where a class of another package has no constants.
_FOREIGN = 0.002

# A method is often in several groups, once for each predictor and measure.
_estimated = cache(partial(estimated, sparse=False))


@dataclass(frozen=True)
class Shape:
    """A data set as it is run."""

    rows: int
    columns: int
    labels: int
    #: Rows of a split.
    train: int
    test: int
    splits: int
    #: Labels that are present, in all training rows.
    present: int

    def sizes(self, rows: int) -> Sizes:
        """Return the sizes of a fit on a number of rows, for a tenth of the features."""
        present = max(1, round(self.present * rows / self.train))
        k = max(1, min(self.columns // 10, rows))
        return Sizes(n=rows, d=self.columns, q=self.labels, s=rows * self.columns, k=k, p=present)


@dataclass(frozen=True)
class Cost:
    """Processor seconds of a study on a data set, by step."""

    choose: float
    fit: float
    predict: float
    time: float
    jobs: float = OVERHEAD["jobs"]

    @property
    def seconds(self) -> float:
        """All together."""
        return self.choose + self.fit + self.predict + self.time + self.jobs


def shape_of(study: Study, entry: Dataset) -> Shape:
    """Return the shape of a data set in a study, by what the catalogue expects of it."""
    expect: Mapping[str, Any] = entry.options["expect"]
    rows, columns, labels = (int(expect[name]) for name in ("instances", "attributes", "labels"))
    (protocol,) = study.protocols
    rule = study.rule_of(protocol, entry.name)
    if "train_rows" in rule:
        train, test = int(rule["train_rows"]), int(rule["test"] * rows)
    else:
        train, test = rows - rows // rule["folds"], rows // rule["folds"]
    splits = study.splits_of(next(iter(study.groups)), entry.name)
    return Shape(rows, columns, labels, train, test, splits, round(train * float(expect["cardinality"])))


def cost_of(study: Study, shape: Shape) -> Cost:
    """Return what a study is expected to take on a data set."""
    choose = fit = predict = 0.0
    limit = float(study.limits.get("seconds", math.inf))
    searched: dict[str, tuple[Group, int]] = {}
    for group in study.groups.values():
        tuned = group.search is not None
        for label, entry in group.methods.items():
            once = _fit(study, label, entry, shape, shape.train)
            fails = once > limit
            fit += shape.splits * (min(once, limit) * (_DISTINCT if tuned else 1.0) if not (tuned and fails) else 0.0)
            if tuned:
                searched[label] = group, searched.get(label, (group, 0))[1] + 1
            for _ in () if fails else group.predictors:
                share = len(group.measures or study.measures) / len(study.measures)
                predict += shape.splits * _prediction(study, shape, share)
    for label, (group, targets) in searched.items():
        choose += shape.splits * _search(study, label, group, targets, shape)
    time = sum(min(2 * _fit(study, *method, shape, shape.train), limit) for method in study.methods.items())
    factor = CORRECTION[study.family]
    return Cost(*(factor * item for item in (choose, fit, predict, time)))


def _fit(study: Study, label: str, entry: Mapping[str, Any], shape: Shape, rows: int) -> float:
    name = registry.entry_name(label, entry)
    estimate = None if registry.is_import_path(name) else _estimated(name, shape.sizes(rows))
    if estimate is None:
        return _FOREIGN
    nothing = _estimated(name, _NOTHING)
    least = 0.0 if nothing is None else nothing.seconds
    share = min(1.0, rows * shape.columns / _MEASURED_CELLS) ** 0.5
    return float(estimate.seconds - (1.0 - share) * least)


def _prediction(study: Study, shape: Shape, share: float) -> float:
    """Return the seconds of a predictor on a split, at all sizes."""
    (protocol,) = study.protocols
    available = shape.labels if study.family == "labelspace" else shape.columns
    sizes = len(study.sizes) + sum(number <= available for number in study.dimensions_of(protocol, ""))
    rows = shape.train + shape.test
    seconds = OVERHEAD["prediction"] + PREDICTION["cells"] * rows * shape.labels * sizes * share
    seconds += PREDICTION["penalty"] * shape.train * shape.columns * min(shape.train, shape.columns)
    return float(seconds + 0.5 * PREDICTION["pairs"] * shape.train * rows * sizes)


def _search(study: Study, label: str, group: Group, targets: int, shape: Shape) -> float:
    """Return the seconds of the search of a method's parameters on a split, with all predictors by all measures."""
    search = dict(group.search or {})
    folds, share = int(search["folds"]), float(search["share"])
    rows = shape.train * (folds - 1) // folds
    entry = group.methods[label]

    def trial(part: float) -> float:
        fitted = max(2, int(rows * part))
        measured = PREDICTION["cells"] * (fitted + shape.train // folds) * shape.labels
        measured += PREDICTION["penalty"] * fitted * min(fitted, shape.columns) ** 2
        predictors = len(search.get("together", [0]))
        return _fit(study, label, entry, shape, fitted) + predictors * (CANDIDATE[study.family] + measured)

    limit = float(study.limits.get("seconds", math.inf))
    if _fit(study, label, entry, shape, max(2, int(rows * share))) > limit:
        return limit  # fails at the first
    candidates = int(search["candidates"])
    final = min(candidates, search["keep"] * max(1.0, _DISTINCT * targets))
    return float(folds * (candidates * trial(share) + final * trial(1.0)))


@cache
def plan(protocol: Protocol) -> Mapping[tuple[int, str, str], Cost]:
    """Return what is expected of each piece that is run: by number of candidates, data set and study."""
    costs = {}
    for candidates, names in protocol.budgets.items():
        studies = protocol.studies(None if candidates == protocol.candidates else candidates)
        for name in names:
            for study in studies.values():
                shape = shape_of(study, protocol.catalogue[name])
                cost = cost_of(study, shape)
                if candidates == 1 or cost.seconds <= LONGEST_SEARCH:
                    costs[candidates, name, study.name] = cost
    return costs
