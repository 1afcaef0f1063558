"""What was measured of the methods: ranks in the committed studies, and constants of their costs.

The files are written by docs/update_evidence.py.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from mlreduce import registry
from mlreduce.complexity import Complexity, Sizes

__all__ = ["Estimate", "Ranking", "complexities", "estimated", "rankings_of"]

RANKS, COSTS = (Path(__file__).with_name(name) for name in ("ranks.csv", "costs.csv"))
#: Columns of the costs: seconds and bytes are ``rate amount + least``.
CONSTANTS = ("seconds_rate", "seconds_least", "bytes_rate", "bytes_least")
#: Seconds of an operation by iteration, and numbers held for each row and column of what is asked for.
_SECONDS, _ARRAYS = 1e-9, 3


class Ranking(NamedTuple):
    """The average rank of a method in one comparison of a committed study.

    Attributes
    ----------
    study, protocol, predictor : str
        Where it was compared.
    labelled : float
        Share of the training instances whose labels were known.
    rank : float
        Average over the data sets; 1 is best.
    best : float
        The least average rank of all methods.
    methods, data_sets : int
        How many methods were compared, on how many data sets.
    critical_difference : float
        Smaller differences of average ranks may be chance (Nemenyi's test, 5 %).
    """

    study: str
    protocol: str
    predictor: str
    labelled: float
    rank: float
    best: float
    methods: int
    data_sets: int
    critical_difference: float

    @property
    def share(self) -> float:
        """Share of the other methods that it beats on average: 1 for the best, 0 for the worst of all."""
        return (self.methods - self.rank) / (self.methods - 1)

    @property
    def least_share(self) -> float:
        """The share at a rank that is half a critical difference larger, 0 at least."""
        return max(self.share - 0.5 * self.critical_difference / (self.methods - 1), 0.0)

    def __str__(self) -> str:
        """Return the ranking as text."""
        near = self.rank - self.best < self.critical_difference
        tie = "the best" if self.rank == self.best else "may equal the best" if near else "worse than the best"
        return (
            f"rank {self.rank:.1f} of {self.methods} on {self.data_sets} data sets, {tie} "
            f"({self.study}, {self.protocol}, {self.predictor})"
        )


@functools.cache
def _rankings() -> dict[str, list[Ranking]]:
    found: dict[str, list[Ranking]] = {}
    with RANKS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            ranking = Ranking(
                study=row["study"],
                protocol=row["protocol"],
                predictor=row["predictor"],
                labelled=float(row["labelled"]),
                rank=float(row["rank"]),
                best=float(row["best"]),
                methods=int(row["methods"]),
                data_sets=int(row["data_sets"]),
                critical_difference=float(row["critical_difference"]),
            )
            found.setdefault(row["method"], []).append(ranking)
    return found


def rankings_of(name: str) -> list[Ranking]:
    """Return the rankings of a method in the committed studies, those of most data sets and methods first."""
    return sorted(_rankings().get(name, []), key=lambda own: (-own.data_sets, -own.methods))


class Estimate(NamedTuple):
    """What a fit is expected to take.

    Attributes
    ----------
    seconds : float
        Processor time of one thread of the machine on which fits were measured (docs/scale.md).
    gigabytes : float
        Memory beside the features as they are given.
    measured : bool
        Whether the method's own fits are behind the numbers, not the median of its family.
    """

    seconds: float
    gigabytes: float
    measured: bool


@functools.cache
def _costs() -> dict[str, dict[str, float]]:
    with COSTS.open(encoding="utf-8", newline="") as file:
        return {row["method"]: {name: float(row[name]) for name in CONSTANTS} for row in csv.DictReader(file)}


def complexities(name: str) -> list[Complexity]:
    """Return the complexities of what a fit is: of a label coder, with linear regression of the codes."""
    own: Any = registry.method_class(name)
    if not hasattr(own, "complexity"):
        return []
    regression: Any = registry.method_class("linear")
    return [own.complexity, *([regression.complexity] if registry.kind_of(name) == "labelspace" else [])]


def estimated(name: str, sizes: Sizes, sparse: bool) -> Estimate | None:
    """Return what a fit is expected to take; None where the method declares no complexity.

    Parameters
    ----------
    name : str
        Registry name.
    sizes : Sizes
        Of the training set.
    sparse : bool
        Whether the features are sparse.
    """
    parts, costs = complexities(name), _costs()
    if not parts:
        return None
    family = registry.kind_of(name)
    known = [costs[name]] if name in costs else [own for other, own in costs.items() if _of(other, family)]
    rate = {key: median(own[key] for own in known or costs.values()) for key in CONSTANTS}
    seconds, n_bytes = rate["seconds_least"], rate["bytes_least"]
    for own in parts:
        if own.iterates(sizes, sparse):
            seconds += _SECONDS * own.iterations(sizes)
            n_bytes += 8.0 * _ARRAYS * (sizes.n + sizes.d) * (sizes.k + sizes.q)
        else:
            seconds += rate["seconds_rate"] * own.operations(sizes)
            n_bytes += rate["bytes_rate"] * own.numbers(sizes)
    return Estimate(seconds, n_bytes / 1e9, name in costs)


def _of(name: str, family: str) -> bool:
    return name in registry.method_names() and registry.kind_of(name) == family
