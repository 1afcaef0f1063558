"""The loop of a feature-space study: data set, split, projection, predictor -> tidy scores.

`reduce_features` fits the projections of a batch of splits, `score_features` trains the predictor on projected
features and measures. Methods fitted on one training set share what they have in common; a projection is fitted once
per split, and every size is a part of it. A method that propagates
labels embeds the test rows with the training rows, among those whose labels are not known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.fitted_arrays import Arrays, fitted_arrays, restore
from mlreduce.evaluation.foreign import ForeignReduction, is_foreign
from mlreduce.evaluation.measuring import Measuring
from mlreduce.evaluation.scores import as_scores, joined_scores, percent_size
from mlreduce.evaluation.search import Evaluator, Search
from mlreduce.evaluation.seeds import seeded
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.strategy import Key, Strategy, Work
from mlreduce.evaluation.view import View
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.projection.base import Projection, energy_size
from mlreduce.projection.semi_supervised import PartlyLabelled
from mlreduce.propagation.base import LabelPropagation
from mlreduce.validation import FloatArray, check_finite

__all__ = [
    "STRATEGY",
    "FeatureSpaceStrategy",
    "embed",
    "evaluator",
    "fit_method",
    "make_reduction",
    "reduce_features",
    "score_features",
]

_Methods = Mapping[str, Mapping[str, Any]]

# The features as they are, unless a study says otherwise.
_AS_THEY_ARE: Mapping[str, Any] = {"scaling": "none", "relation": None}


def make_reduction(label: str, entry: Mapping[str, Any], seed: int = 0, dataset: str = "", split: int = 0) -> Any:
    """Make a projection, or what propagates labels, from an entry of a study; one that draws gets a seed of its own.

    A class of another package, by its import path, or of a script is any transformer.

    Raises
    ------
    ConfigurationError
        If it is unknown or neither of them.
    """
    method = registry.make_entry(label, entry)
    if is_foreign(label, entry, method, Projection, LabelPropagation):
        method = ForeignReduction(method, label)
    elif not isinstance(method, Projection | LabelPropagation):
        known = ", ".join(registry.method_names("projection"))
        raise ConfigurationError(f"{registry.entry_name(label, entry)!r} is no projection; known: {known}")
    return seeded(method, entry, seed, dataset, label, split)


def fit_method(method: Any, view: View) -> Arrays:
    """Fit a method on the training rows of a split, and return its fitted arrays.

    Supervised methods see the rows whose labels are known, semi-supervised ones and those without labels all.
    """
    if isinstance(method, ForeignReduction):
        return {"embedding_": method.embed(view)}
    if isinstance(method, LabelPropagation):
        return {"embedding_": method.fit_training_set(view.all_rows).embedding_}
    partly = isinstance(method, PartlyLabelled) or not method.supervised
    return fitted_arrays(method.fit_training_set(view.training if partly else view.training.labelled_part))


def embed(method: Any, arrays: Arrays, view: View) -> tuple[FloatArray, FloatArray]:
    """Return the embeddings of the training rows whose labels are known, and of the test rows."""
    if isinstance(method, ForeignReduction):
        embedding, n_known = arrays["embedding_"], len(view.labels)
        return embedding[:n_known], embedding[n_known:]
    if isinstance(method, LabelPropagation):
        embedding = arrays["embedding_"]
        return view.known(embedding[: len(view.labelled)]), embedding[len(view.labelled) :]
    projection = restore(method, arrays)
    return projection.transform(view.known(view.train)), projection.transform(view.test)


def reduce_features(
    data: MultiLabelData,
    splits: Mapping[int, Split],
    methods: _Methods,
    space: Mapping[str, Any] = _AS_THEY_ARE,
    seed: int = 0,
    failures: Failures = RAISE,
) -> Iterator[tuple[tuple[str, ...], Arrays]]:
    """Fit projections on the training part of every split, with all directions.

    Parameters
    ----------
    data : MultiLabelData
    splits : dict of split number to Split
    methods : dict of label to entry of a study file
        Parameters, and under ``method`` the registry name if it is not the label.
    space : dict
        What methods see of the features; see `mlreduce.evaluation.view.View`.
    seed : int, default=0
        Of the study; every method and split derives its own.
    failures : Failures, default=RAISE
        Takes what a method raises, such as that it finds no direction; one that failed before on a split is passed
        over.

    Yields
    ------
    (split number as text, label), fitted arrays
        One at a time: together they may be large. Without those that failed.

    Raises
    ------
    DataError
        If a feature is missing or infinite.
    """
    check_finite(data.X, data.feature_names, data.name, missing=data.impute is not None)
    for number, split in splits.items():
        view = View(data, split, space)
        for label, entry in methods.items():
            if (number, label) in failures:
                continue
            method = make_reduction(label, entry, seed, data.name, number)
            arrays = failures.attempt(number, label, fit_method, method, view)
            if arrays is not None:
                yield (str(number), label), arrays


def score_features(
    data: MultiLabelData,
    splits: Mapping[int, Split],
    fitted: Mapping[tuple[str, ...], Arrays],
    methods: _Methods,
    predictor: tuple[str, Mapping[str, Any]],
    percents: Sequence[int],
    energies: Sequence[float],
    measures: Iterable[str],
    space: Mapping[str, Any] = _AS_THEY_ARE,
    dimensions: Sequence[int] = (),
    share: bool = True,
    failures: Failures = RAISE,
    seed: int = 0,
) -> pd.DataFrame:
    """Train the predictor on the projected features of every split, at every size, and measure it on the test part.

    Parameters
    ----------
    data, splits, methods, space
        As for `reduce_features`.
    fitted : mapping
        What `reduce_features` yielded.
    predictor : (label, entry of a study file)
        Trained on labels in {0, 1}; a label is predicted above one half. What regressors predict, and classifiers
        with ``ranks``, also ranks the labels for the measures that ask for scores.
    percents : sequence of int
        Sizes in percent of the number of features. A method with fewer directions is measured with all it has.
    energies : sequence of float
        Sizes by the share of the sum of a method's eigenvalues.
    measures : iterable of str
    dimensions : sequence of int, default=()
        Numbers of directions beside the percentages and energies.
    share : bool, default=True
        Use a predictor's ``predict_nested``, which serves all sizes at the cost of one. False trains one model a
        size, with the penalty that belongs to it.
    failures : Failures, default=RAISE
        Takes what a method that transforms, or the predictor, raises; a method that failed before on a split is passed
        over.
    seed : int, default=0
        Of the study; a predictor that draws derives its own for each split.

    Returns
    -------
    DataFrame
        With `mlreduce.evaluation.scores.SCORE_COLUMNS`.
    """
    measuring = Measuring(data, predictor, measures, share, failures, seed)
    for number, split in splits.items():
        view = View(data, split, space)
        for label, entry in methods.items():
            if (number, label) in failures:
                continue
            arrays, method = fitted[str(number), label], make_reduction(label, entry)
            parts = failures.attempt(number, label, embed, method, arrays, view)
            if parts is None:
                continue
            sizes = _sizes(
                parts[0].shape[1], view.train.shape[1], arrays.get("eigenvalues_"), percents, energies, dimensions
            )
            if isinstance(method, ForeignReduction):
                sizes = {parts[0].shape[1]: [stood for own in sizes.values() for stood in own]}
            measuring.add(number, split, label, entry, parts, sizes)
    return as_scores(measuring.rows)


def evaluator(
    data: MultiLabelData, space: Mapping[str, Any], search: Search, seed: int, failures: Failures = RAISE
) -> Evaluator:
    """Return how a candidate of a search for parameters is fitted and measured on a part of the training rows.

    Parameters
    ----------
    data : MultiLabelData
    space : dict
        See `mlreduce.evaluation.view.View`.
    search : Search
    seed : int
        Of the study.
    failures : Failures, default=RAISE

    Returns
    -------
    Evaluator
        See `mlreduce.evaluation.search`.
    """

    def on(part: Split, share: float) -> Callable[[int, str, Mapping[str, Any]], float]:
        view, dimension = View(data, part, space), max(1, int(search.dimension * share))

        def score(number: int, label: str, entry: Mapping[str, Any]) -> float:
            method = make_reduction(label, entry, seed, data.name, number)
            embedded = failures.attempt(number, label, _embedded, method, view)
            if not embedded:
                return math.nan
            measuring = Measuring(data, search.predictor, [search.measure], share=True, failures=failures, seed=seed)
            return measuring.score_at(number, part, label, entry, embedded, min(dimension, embedded[0].shape[1]))

        return score

    return on


def _embedded(method: Any, view: View) -> tuple[FloatArray, FloatArray] | tuple[()]:
    """Return the embeddings of both parts; empty where this part of the data does not allow the parameters."""
    try:
        return embed(method, fit_method(method, view), view)
    except DataError:
        return ()


def _sizes(
    found: int,
    n_features: int,
    eigenvalues: FloatArray | None,
    percents: Sequence[int],
    energies: Sequence[float],
    dimensions: Sequence[int],
) -> dict[int, list[tuple[int, float]]]:
    """Map each size that occurs to the percentages and energies that it stands for, and to (0, 0.0) for itself."""
    sizes: dict[int, list[tuple[int, float]]] = {}
    for percent in percents:
        sizes.setdefault(min(percent_size(percent, n_features), found), []).append((percent, 0.0))
    if eigenvalues is not None:
        for energy in energies:
            sizes.setdefault(energy_size(eigenvalues, energy), []).append((0, energy))
    for size in {min(dimension, found) for dimension in dimensions}:
        sizes.setdefault(size, []).append((0, 0.0))
    return dict(sorted(sizes.items()))


class FeatureSpaceStrategy(Strategy):
    """Projections and label propagation."""

    def evaluator(self, search: Search, failures: Failures) -> Evaluator:
        """Return how a candidate is measured, at the search's number of dimensions."""
        return evaluator(self._data, self._space, search, self._seed, failures)

    def fit(self, work: Work) -> Iterable[tuple[Key, Arrays]]:
        """Fit the projections of a task."""
        for entries, splits in self.entries(work):
            yield from reduce_features(self._data, splits, entries, self._space, self._seed, work.failures)

    def score(self, work: Work, fitted: Mapping[Key, Arrays], predictor: tuple[str, Any]) -> pd.DataFrame:
        """Train the predictor on projected features and measure."""
        measured = self._measured
        return joined_scores(
            score_features(
                *(self._data, splits, fitted, entries, predictor),
                *(measured["sizes"], measured["energies"], measured["measures"], self._space, work.task["dimensions"]),
                failures=work.failures,
                seed=self._seed,
            )
            for entries, splits in self.entries(work)
        )


#: See `mlreduce.evaluation.loop`.
STRATEGY = FeatureSpaceStrategy
