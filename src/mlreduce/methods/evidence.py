"""What was measured of the methods: rankings in the committed studies, and constants of their costs.

The files are written by docs/update_evidence.py.
"""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

from mlreduce import registry
from mlreduce.complexity import Complexity, Sizes

RANKS, SETS, COSTS = (Path(__file__).with_name(f"{name}.csv") for name in ("ranks", "sets", "costs"))
#: In the place of a data set that a comparison lacks.
NOT_RUN = "-"
#: Columns of the costs: seconds and bytes are ``rate amount + least``. The last one, ``factors``, has for each term of
#: the operations a multiple of the rate.
CONSTANTS = ("seconds_rate", "seconds_least", "bytes_rate", "bytes_least")
#: Seconds of an operation by iteration, and stored numbers for each row and column of the requested result.
SECONDS, ARRAYS = 1e-9, 3
#: Operations of a dense matrix that take as long as one with a stored entry of a sparse one (docs/scale.md).
ENTRY = 3
#: What names of studies of the benchmark begin with.
BENCHMARK = "benchmark-2-"
#: The least share of non-zero values that is distinguished from smaller ones, and the least weight of a data set.
FEW, FLOOR = 1e-3, 0.02
#: The shape of the seconds that are shown with ranks: near the medians of the data sets of the comparisons.
TYPICAL = Sizes(n=1000, d=300, q=15, s=300_000, k=30)


class OnSet(NamedTuple):
    """How near the best a method is on a data set, and its rank there."""

    name: str
    near: float
    rank: float


class Ranking(NamedTuple):
    """How a method ranks in one comparison of a committed study; see `mlreduce.stats.ranking`."""

    #: What was compared, and where.
    method: str
    study: str
    protocol: str
    #: With which all are measured; "" where predictors themselves are compared.
    predictor: str
    measure: str
    #: Whether the methods that have parameters were tuned, for this predictor and measure.
    tuned: bool
    #: Whether those of this method were: then the numbers are not those of its defaults.
    searched: bool
    #: Share of the training instances whose labels were known.
    labelled: float
    #: Of the method.
    family: str
    #: The probability that it is within 0.01 of the best, and its 95 % interval.
    near: float
    low: float
    high: float
    #: Average rank, share of the settings in which it is the best, mean value.
    rank: float
    won: float
    mean: float
    #: How many methods were compared, on how many data sets.
    methods: int
    data_sets: int
    #: Whether advice by the most similar data sets was better, on data sets left out, than one for all.
    weighted: bool
    by_set: tuple[OnSet, ...]

    def nearby(self, data_sets: Iterable[str]) -> float:
        """Return ``near`` over some of the data sets."""
        near = {one.name: one.near for one in self.by_set}
        return fmean(near[name] for name in data_sets)

    @property
    def place(self) -> tuple[str, str, str, str, bool]:
        """The key of the comparison: study, protocol, predictor, measure, whether tuned."""
        return self.study, self.protocol, self.predictor, self.measure, self.tuned

    @property
    def text(self) -> str:
        """The rank in words."""
        how = ", its parameters tuned" if self.searched else ""
        return f"rank {self.rank:.1f} of {self.methods} on {self.data_sets} data sets{how}"

    @property
    def comparison(self) -> str:
        """The comparison in words: study, measure, predictor, and whether methods were tuned."""
        how = [f"{self.study}, {self.measure}", *([f"with {self.predictor}"] if self.predictor else [])]
        return " ".join(how) + (", tuned" if self.tuned else "")

    def __str__(self) -> str:
        """Return the ranking as text."""
        return f"{self.text} ({self.comparison})"


@functools.cache
def _rankings() -> tuple[Ranking, ...]:
    with RANKS.open(encoding="utf-8", newline="") as file:
        return tuple(
            Ranking(
                method=row["method"],
                study=row["study"],
                protocol=row["protocol"],
                predictor=row["predictor"],
                measure=row["measure"],
                tuned=row["tuned"] == "True",
                searched=row["searched"] == "True",
                labelled=float(row["labelled"]),
                family=row["family"],
                methods=int(row["methods"]),
                data_sets=int(row["data_sets"]),
                weighted=row["weighted"] == "True",
                by_set=tuple(
                    OnSet(name, *map(float, part.split(":")))
                    for name, part in zip(_sets()[row["study"]], row["by_set"].split(), strict=True)
                    if part != NOT_RUN
                ),
                **{name: float(row[name]) for name in ("near", "low", "high", "rank", "won", "mean")},
            )
            for row in csv.DictReader(file)
        )


def rankings_of(name: str, partly: bool = False) -> list[Ranking]:
    """Return the main ranking of a method in each of the committed studies, those of most methods and sets first.

    ``partly`` is whether in studies of partly known labels, or in the others.
    """
    main: dict[tuple[str, str], Ranking] = {}
    for one in _by_method().get(name, ()):
        if (one.labelled < 1) == partly:
            main.setdefault((one.study, one.protocol), one)
    return sorted(main.values(), key=lambda one: -one.methods * one.data_sets)


@functools.cache
def _by_method() -> dict[str, list[Ranking]]:
    found: dict[str, list[Ranking]] = {}
    for one in _rankings():
        found.setdefault(one.method, []).append(one)
    return found


class Wanted(NamedTuple):
    """What a comparison is to be about."""

    #: None takes ridge regression where it is there.
    predictor: str | None = None
    #: None takes average precision where it is there. A name stands for the measure with any decision: "micro-f1" for
    #: "micro-f1@one-threshold".
    measure: str | None = None
    #: Whether methods with parameters are to be tuned, where there is such a comparison.
    tuned: bool = False
    #: Whether labels are partly unknown.
    partly: bool = False

    def includes(self, one: Ranking) -> bool:
        """Say whether a ranking is of such a comparison, but for the tuning."""
        predictors = SAME.get(self.predictor or "", (self.predictor,))
        return (
            (self.partly == (one.labelled < 1))
            and (self.predictor is None or one.predictor in (*predictors, ""))
            and (self.measure is None or one.measure.partition("@")[0] == self.measure)
        )


#: The main comparison.
ANY = Wanted()
#: A classifier that codes cannot have, and what they have in its place.
SAME = {"ml-knn": ("ml-knn", "k-nn")}


def compared_by() -> tuple[list[str], list[str]]:
    """Return the predictors and the measures by which the benchmark compares methods, without decisions."""
    of_benchmark = [one for one in _rankings() if one.study.startswith(BENCHMARK)]
    of_codes = {other for name, several in SAME.items() for other in several if other != name}
    predictors = dict.fromkeys(one.predictor for one in of_benchmark if one.predictor not in ("", *of_codes))
    return [*predictors], [*dict.fromkeys(one.measure.partition("@")[0] for one in of_benchmark)]


def foremost(family: str, wanted: Wanted = ANY, like: Traits | None = None) -> tuple[Ranking, ...]:
    """Return the comparison of a family that says most, in order of rank; empty where the family is in no such study.

    It is that of the benchmark, or else the one with the most methods times data sets. Most methods of a comparison of
    a family belong to it. ``like`` are traits of a data set: in comparisons that are ``weighted`` data sets count as
    far as they are like it (`weights`).
    """
    return _foremost(family, wanted) if like is None else _weighted(_foremost(family, wanted), like)


@functools.cache
def _foremost(family: str, wanted: Wanted) -> tuple[Ranking, ...]:
    comparisons: dict[tuple[str, str, str, str, bool], list[Ranking]] = {}
    for one in filter(wanted.includes, _rankings()):
        comparisons.setdefault(one.place, []).append(one)
    sizes = {
        place: (
            rankings[0].tuned == wanted.tuned,
            rankings[0].study.startswith(BENCHMARK),
            number * rankings[0].data_sets,
        )
        for place, rankings in comparisons.items()
        if 2 * (number := sum(ranking.family == family for ranking in rankings)) > len(rankings)
    }
    return tuple(comparisons[max(sizes, key=lambda place: sizes[place])]) if sizes else ()


@functools.lru_cache(maxsize=32)
def _weighted(rankings: tuple[Ranking, ...], like: Traits) -> tuple[Ranking, ...]:
    """Return rankings with data sets weighted by their similarity, where that is better advice."""
    if not (rankings and rankings[0].weighted):
        return rankings
    study, names = rankings[0].study, [one.name for one in rankings[0].by_set]
    shares = weights([sets_of(study)[name] for name in names], like, [_groups()[study][name] for name in names])
    return averaged(rankings, dict(zip(names, shares, strict=True)))


def averaged(rankings: Iterable[Ranking], shares: Mapping[str, float]) -> tuple[Ranking, ...]:
    """Return rankings anew from some data sets, with the share of each, in order of rank."""
    made = []
    for one in rankings:
        near = round(sum(shares.get(on_set.name, 0.0) * on_set.near for on_set in one.by_set), 6)
        rank = round(sum(shares.get(on_set.name, 0.0) * on_set.rank for on_set in one.by_set), 6)
        made.append(one._replace(near=near, low=min(one.low, near), high=max(one.high, near), rank=rank))
    return tuple(sorted(made, key=lambda one: (-one.near, one.rank, one.method)))


class Choices(NamedTuple):
    """What is chosen first in a family."""

    #: The best of all that are compared, a control perhaps.
    first: Ranking
    #: The best others of the family that are no controls, at most three.
    then: list[Ranking]
    #: Those of the comparison, the first of all among them where it is one.
    controls: list[Ranking]


def choices(family: str, wanted: Wanted = ANY) -> Choices:
    """Return what is chosen first in a family, by the comparison that `foremost` returns."""
    from mlreduce.stats.ranking import CONTROLS  # with pandas, slow to import

    first, *rest = compared = foremost(family, wanted)
    then = [one for one in rest if one.family == family and one.method not in CONTROLS][:3]
    return Choices(first, then, [one for one in compared if one.method in CONTROLS])


def studies_with_predictor(name: str) -> list[str]:
    """Return the studies that compare methods with a predictor of this name."""
    return [*dict.fromkeys(one.study for one in _rankings() if name == one.predictor)]


class Traits(NamedTuple):
    """Traits by which the similarity of data sets is measured."""

    #: Labels may be 0: then they do not count.
    instances: int
    features: int
    labels: int
    #: The share of the values of the features that are not zero.
    filled: float = 1.0

    def logs(self, other: Traits) -> list[float]:
        """Return the logarithms of the ratios to another data set: instances, features, labels, filled."""
        logs = [math.log(max(one, FEW) / max(two, FEW)) for one, two in zip(self, other, strict=True)]
        return logs if self.labels and other.labels else [*logs[:2], 0.0, logs[3]]


class Neighbour(NamedTuple):
    """A data set of a study, and how far others are from it."""

    name: str
    instances: int
    features: int
    labels: int
    #: The largest of the three ratios to the requested sizes, >= 1.
    factor: float


@functools.cache
def _set_rows() -> tuple[dict[str, str], ...]:
    with SETS.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@functools.cache
def _sets() -> dict[str, dict[str, Traits]]:
    sets: dict[str, dict[str, Traits]] = {}
    for row in _set_rows():
        n, d, q = (int(row[name]) for name in ("instances", "features", "labels"))
        sets.setdefault(row["study"], {})[row["dataset"]] = Traits(n, d, q, 1 - float(row["zeros"]))
    return sets


@functools.cache
def _groups() -> dict[str, dict[str, str]]:
    groups: dict[str, dict[str, str]] = {}
    for row in _set_rows():
        groups.setdefault(row["study"], {})[row["dataset"]] = row["group"]
    return groups


def sets_of(study: str) -> dict[str, Traits]:
    """Return the data sets of a study with their traits."""
    return _sets().get(study, {})


def groups_of(study: str) -> dict[str, str]:
    """Return the data sets of a study with their groups: related data sets have the same."""
    return _groups().get(study, {})


def weights(sets: Sequence[Traits], like: Traits, groups: Sequence[str] | None = None) -> list[float]:
    """Return how much each of some data sets counts for another, by their likeness; together 1.

    A factor of e in instances, features, labels or the share of values that are not zero lowers the weight to 0.6 of
    itself, of two of them to 0.37. Where no data set is similar, all have the same weight. Data sets of one of the
    ``groups`` are related and share a weight.

    Examples
    --------
    >>> from mlreduce.methods.evidence import Traits, weights
    >>> [round(weight, 2) for weight in weights([Traits(500, 70, 6), Traits(5000, 700, 60)], Traits(600, 70, 6))]
    [0.98, 0.02]
    """
    shared = [1] * len(sets) if groups is None else [groups.count(group) for group in groups]
    values = [
        (FLOOR + math.exp(-sum(log**2 for log in one.logs(like)) / 2)) / number
        for one, number in zip(sets, shared, strict=True)
    ]
    return [value / sum(values) for value in values]


def nearest_sets(study: str, like: Traits, among: Collection[str] | None = None) -> list[Neighbour]:
    """Return the data sets of a study, or those ``among`` them, those most like a data set first.

    Examples
    --------
    >>> from mlreduce.methods.evidence import Traits, nearest_sets
    >>> nearest_sets("projections", Traits(2400, 100, 14))[0].name
    'yeast'
    """
    neighbours = []
    for name, traits in sets_of(study).items():
        if among is not None and name not in among:
            continue
        logs = traits.logs(like)
        one = Neighbour(name, *traits[:3], math.exp(max(map(abs, logs[:3]))))
        neighbours.append((sum(log**2 for log in logs), one))
    return [one for _, one in sorted(neighbours, key=lambda pair: (pair[0], pair[1].name))]


class Estimate(NamedTuple):
    """What a fit is expected to take."""

    #: Processor time of one thread of the machine on which fits were measured (docs/scale.md).
    seconds: float
    #: Memory in addition to the given features.
    gigabytes: float
    #: Whether the numbers come from fits of the method, not from the median of its family.
    measured: bool


@functools.cache
def _costs() -> dict[str, dict[str, Any]]:
    with COSTS.open(encoding="utf-8", newline="") as file:
        return {
            row["method"]: {
                **{name: float(row[name]) for name in CONSTANTS},
                "factors": [float(factor) for factor in row["factors"].split(" ")],
            }
            for row in csv.DictReader(file)
        }


def measured_methods() -> list[str]:
    """Return the names of the methods whose costs were measured, without importing one."""
    return list(_costs())


def constants(name: str) -> dict[str, float]:
    """Return the constants of the costs of a method; where it was not measured the medians of its family."""
    costs = _costs()
    if name in costs:
        return {key: costs[name][key] for key in CONSTANTS}
    of_family = costs.keys() & registry.method_names(registry.kind_of(name))
    known = [costs[other] for other in of_family] or costs.values()
    return {key: median(cost[key] for cost in known) for key in CONSTANTS}


def complexities(name: str) -> list[Complexity]:
    """Return the complexities of the parts of a fit; a label coder includes ridge regression of the codes."""
    cls: Any = registry.method_class(name)
    if not hasattr(cls, "complexity"):
        return []
    regression: Any = registry.method_class("ridge")
    return [cls.complexity, *([regression.complexity] if registry.kind_of(name) == "labelspace" else [])]


def term_rates(name: str) -> list[list[float]]:
    """Return the seconds of an operation of each term of `complexities`."""
    parts, rates = complexities(name), []
    for part, method in zip(parts, (name, "ridge"), strict=False):
        n_terms = part.time.count(" + ") + 1
        factors = _costs().get(method, {}).get("factors") or [1.0] * n_terms
        if len(factors) != n_terms:
            raise ValueError(f"{COSTS.name} has {len(factors)} factors of {method!r}, which has {n_terms} terms")
        rates.append([constants(method)["seconds_rate"] * factor for factor in factors])
    return rates


def term_operations(complexity: Complexity, sizes: Sizes, sparse: bool) -> list[float]:
    """Return the operations of each term of a fit to a training set, without iteration."""
    return complexity.terms(replace(sizes, s=ENTRY * sizes.s) if sparse else sizes)


def estimated(name: str, sizes: Sizes, sparse: bool) -> Estimate | None:
    """Return what a fit to a training set is expected to take; None where the method declares no complexity."""
    parts, constant = complexities(name), constants(name)
    if not parts:
        return None
    seconds, n_bytes = constant["seconds_least"], constant["bytes_least"]
    for part, rates in zip(parts, term_rates(name), strict=True):
        if part.iterates(sizes, sparse):
            seconds += SECONDS * part.iterations(sizes)
            n_bytes += 8.0 * ARRAYS * (sizes.n + sizes.d) * (sizes.k + sizes.q)
        else:
            operations = term_operations(part, sizes, sparse)
            seconds += sum(rate * number for rate, number in zip(rates, operations, strict=True))
            n_bytes += constant["bytes_rate"] * part.numbers(sizes)
    return Estimate(seconds, n_bytes / 1e9, name in _costs())


def typical_seconds(name: str) -> float | None:
    """Return the estimated seconds of a fit to data of ordinary size: 1,000 instances, 300 features, 15 labels.

    None where the method declares no complexity, or is none of the package's.
    """
    if name not in registry.method_names():
        return None
    estimate = estimated(name, TYPICAL, False)
    return None if estimate is None else estimate.seconds
