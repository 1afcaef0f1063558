"""Candidates of the search: pipelines of a scaling, a reduction and a predictor, and those that a user gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

from sklearn.base import clone
from sklearn.preprocessing import Normalizer, StandardScaler

from mlreduce import registry
from mlreduce.evaluation.seeds import set_seed
from mlreduce.exceptions import DataError
from mlreduce.labelspace.base import LabelCoder
from mlreduce.labelspace.classifier import CodedClassifier
from mlreduce.methods.evidence import Wanted, foremost
from mlreduce.methods.recommendation import reason_against
from mlreduce.methods.shapes import Shape
from mlreduce.metrics.measures import find_measure
from mlreduce.pipeline import Pipeline
from mlreduce.predictors.ml_knn import MLKNN
from mlreduce.predictors.ridge import RidgeRegressor
from mlreduce.predictors.threshold import ThresholdClassifier
from mlreduce.stats.ranking import CONTROLS

#: In the place of a reduction: all features; a candidate of the user that has steps of its kind.
NONE, GIVEN = "none", "given"
#: In a list of candidates: those that are built here.
AUTO = "auto"
#: Predictors for which methods are ranked by the benchmark; each with all features is always tried.
RIDGE, NEIGHBOURS = "ridge", "ml-knn"
SVM, FOREST, EXTRA = "svm", "forest", "extra-trees"
# How many methods of each family are tried with a predictor.
_FIRST = {
    RIDGE: {"labelspace": 1, "projection": 2, "selection": 2},
    NEIGHBOURS: {"projection": 2, "selection": 2},
    SVM: {"projection": 1, "selection": 1},
    EXTRA: {"projection": 1, "selection": 1},
}
# By which predictor of the benchmark the methods for one are ranked, and its scaling is chosen.
_LIKE = {RIDGE: RIDGE, NEIGHBOURS: NEIGHBOURS, SVM: RIDGE, EXTRA: NEIGHBOURS}
# Shares of the features (of the labels, for coders) that methods reduce to, and the most directions that are computed.
_SHARES = {"selection": (0.5, 0.2, 0.05), "projection": (0.5, 0.1), "labelspace": (0.5,)}
_MOST_DIRECTIONS = 500


@dataclass(frozen=True)
class Candidate:
    """An estimator that is tried.

    Attributes
    ----------
    name : str
        Of its row in the leaderboard.
    estimator : estimator
        Not fitted.
    reduction, scaling, predictor : str
        Names; "none" where nothing is reduced or scaled, "given" for steps of the user.
    size : int or None
        The requested number of features, directions or codes; None where nothing is reduced.
    """

    name: str
    estimator: Any
    reduction: str
    scaling: str
    predictor: str
    size: int | None = None

    def make(self, seed: int) -> Any:
        """Return a copy that draws with a seed, unless the estimator has one."""
        made = clone(self.estimator)
        return set_seed(made, () if getattr(made, "random_state", None) is None else ("random_state",), seed)


def _make_ridge() -> Any:
    return RidgeRegressor()


def _make_neighbours() -> Any:
    return MLKNN(n_neighbors="loo")


def _make_svm() -> Any:
    from sklearn.multiclass import OneVsRestClassifier  # slow to import
    from sklearn.svm import LinearSVC

    return OneVsRestClassifier(LinearSVC(dual="auto"))


def _make_trees(name: str) -> Any:
    from sklearn import ensemble  # slow to import

    return getattr(ensemble, name)(n_estimators=100, min_samples_leaf=2)


_PREDICTORS: dict[str, Callable[[], Any]] = {
    RIDGE: _make_ridge,
    NEIGHBOURS: _make_neighbours,
    SVM: _make_svm,
    FOREST: partial(_make_trees, "RandomForestClassifier"),
    EXTRA: partial(_make_trees, "ExtraTreesClassifier"),
}
_SCALERS: dict[str, Callable[[], Any]] = {"standard": StandardScaler, "rows": Normalizer}


def _assemble(scaling: str, predictor: str, reduction: str = NONE, size: int | None = None) -> Candidate:
    """Return the candidate of a scaling, a method of the registry and a predictor."""
    steps: list[tuple[str, Any]] = [(scaling, _SCALERS[scaling]())] if scaling != NONE else []
    last: Any = _PREDICTORS[predictor]()
    if reduction != NONE:
        family = registry.kind_of(reduction)
        method = registry.make(reduction, **{"k" if family == "selection" else "n_components": size})
        if family == "labelspace":
            last = CodedClassifier(method)
        else:
            steps.append((reduction, method))
    parts = [*([scaling] if scaling != NONE else []), *([f"{reduction} {size}"] if reduction != NONE else [])]
    name = ", ".join([*parts, predictor])
    steps.append((predictor, ThresholdClassifier(last, decision="half")))
    return Candidate(name, Pipeline(steps), reduction, scaling, predictor, size)


def build_first() -> list[Candidate]:
    """Return the candidates that are tried before all others: all features, as they are, with ridge and ML-kNN."""
    return [_assemble(NONE, RIDGE), _assemble(NONE, NEIGHBOURS)]


def build_scaled(shape: Shape) -> list[Candidate]:
    """Return the candidates that scale all features; sparse ones are not centred, which would make them dense."""
    scalings = ["rows"] if shape.sparse else ["standard", "rows"]
    return [_assemble(scaling, predictor) for scaling in scalings for predictor in (RIDGE, NEIGHBOURS)]


def build_reduced(
    shape: Shape, measure: str, scalings: Mapping[str, str], most: int | None = None
) -> Iterator[Candidate]:
    """Yield the other candidates: one of each method in turn, those that reduce less first.

    Parameters
    ----------
    shape : Shape
        Of the training data.
    measure : str
        What is searched for.
    scalings : dict of str to str
        By predictor: the best for all features.
    most : int or None, default=None
        Features or directions, at most.
    """
    complete = shape.unknown == "no"  # scikit-learn's take no unknown labels
    if complete:
        yield _assemble(NONE, EXTRA)
        yield _assemble(scalings[RIDGE], SVM)
        yield _assemble(NONE, FOREST)
    by = "micro-f1" if find_measure(measure).needs == "labels" else "average-precision"
    methods: list[list[Candidate]] = []
    for predictor, families in _FIRST.items():
        like = _LIKE[predictor]
        wanted = Wanted(like, by, False, shape.unknown in ("rows", "cells"))
        for family, number in families.items() if complete or predictor == like else ():
            for name in _first_that_fit(family, wanted, shape, number):
                sizes = _sizes(family, shape, most)
                methods.append([_assemble(scalings[like], predictor, name, size) for size in sizes])
    for turn in zip_longest(*methods):  # so that each method is tried where the time suffices for few
        yield from (one for one in turn if one is not None)


def _first_that_fit(family: str, wanted: Wanted, shape: Shape, number: int) -> list[str]:
    """Return the methods of a family that rank first for a predictor, without those that are one method."""
    names: dict[tuple[float, float], str] = {}
    for one in foremost(family, wanted, shape.traits):
        if len(names) == number:
            break
        if one.family == family and one.method not in CONTROLS and reason_against(one.method, shape) is None:
            names.setdefault((one.near, one.rank), one.method)
    return list(names.values())


def _sizes(family: str, shape: Shape, most: int | None) -> list[int]:
    total = shape.sizes.q if family == "labelspace" else shape.sizes.d
    sizes = {max(1, round(share * total)) for share in _SHARES[family]}
    if family == "projection":
        sizes = {min(size, _MOST_DIRECTIONS) for size in sizes}
    if most is not None and family != "labelspace":
        sizes = {size for size in sizes if size <= most} | {min(most, total)}
    return sorted((size for size in sizes if size < total or total == 1), reverse=True)


def given_candidates(given: Sequence[Any]) -> tuple[list[Candidate], bool]:
    """Return the candidates of a user, and whether those that are built here are tried too.

    Parameters
    ----------
    given : sequence
        Estimators, pairs of a name and an estimator, and perhaps the string "auto".

    Raises
    ------
    DataError
        If one of them is no predictor and no transformer, or two have one name.
    """
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence) or not len(given):
        raise DataError(
            f"candidates must be a list of estimators, of pairs (name, estimator) and perhaps 'auto'; got {given!r}"
        )
    made: dict[str, Candidate] = {}
    taken = {candidate.name for candidate in build_first()}
    for one in given:
        if isinstance(one, str) and one == AUTO:
            continue
        named = isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str)
        name, estimator = one if named else (type(one).__name__, one)
        if not named:
            same = sum(other.partition(" #")[0] == name for other in made)
            name = f"{name} #{same + 1}" if same else name
        if name in made or name in taken:
            raise DataError(f"candidates: two have the name {name!r}; give pairs (name, estimator)")
        made[name] = _as_candidate(name, estimator)
    return list(made.values()), any(isinstance(one, str) for one in given)


def _as_candidate(name: str, estimator: Any) -> Candidate:
    """Return a candidate of an estimator: a predictor as it is, a transformer or a label coder with ridge."""
    if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise DataError(f"candidates: {name!r} is no estimator, such as MLKNN() or (name, MLKNN()); got {estimator!r}")
    if isinstance(estimator, LabelCoder):
        return Candidate(name, ThresholdClassifier(CodedClassifier(estimator), decision="half"), GIVEN, NONE, RIDGE)
    if hasattr(estimator, "predict"):
        return Candidate(name, estimator, GIVEN if hasattr(estimator, "steps") else NONE, NONE, GIVEN)
    if hasattr(estimator, "transform"):
        last = ThresholdClassifier(_make_ridge(), decision="half")
        return Candidate(name, Pipeline([("reduction", estimator), (RIDGE, last)]), GIVEN, NONE, RIDGE)
    raise DataError(
        f"candidates: {name!r} has neither predict nor transform, so that it says nothing of rows that it was not "
        "fitted to"
    )
