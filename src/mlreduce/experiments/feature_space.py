"""The loop of a feature-space study: data set, split, projection, predictor -> tidy scores.

`reduce_features` fits the projections of a batch of splits, `score_features` trains the predictor on projected
features and measures. Methods fitted on one training set share what they have in common; a projection is fitted once
per split, and every size is a part of it. A method that propagates
labels embeds the test rows with the training rows, among those whose labels are not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone, is_regressor

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.exceptions import ConfigurationError
from mlreduce.experiments.failures import RAISE, Failures
from mlreduce.experiments.fitted_arrays import Arrays, fitted_arrays, restore
from mlreduce.experiments.scores import as_scores, percent_size
from mlreduce.experiments.seeds import seeded
from mlreduce.experiments.splitting import Split
from mlreduce.experiments.view import View
from mlreduce.linalg.utilities import above_half
from mlreduce.metrics import Outcome, find_measure
from mlreduce.projection.base import Projection, energy_size
from mlreduce.projection.semi_supervised import PartlyLabelled
from mlreduce.propagation.base import LabelPropagation
from mlreduce.validation import FloatArray, check_finite

__all__ = ["embed", "fit_method", "make_reduction", "reduce_features", "score_features"]

_Methods = Mapping[str, Mapping[str, Any]]

# Decimals of a regressor's guesses that rank labels.
_DIGITS = 9

# The features as they are, unless a study says otherwise.
_AS_THEY_ARE: Mapping[str, Any] = {"scaling": "none", "relation": None}


def make_reduction(label: str, entry: Mapping[str, Any], seed: int = 0, dataset: str = "", split: int = 0) -> Any:
    """Make a projection, or what propagates labels, from an entry of a study; one that draws gets a seed of its own.

    Raises
    ------
    ConfigurationError
        If it is unknown or neither of them.
    """
    method = registry.make_entry(label, entry)
    if not isinstance(method, Projection | LabelPropagation):
        known = ", ".join(registry.list_methods("projection"))
        raise ConfigurationError(f"{registry.entry_name(label, entry)!r} is no projection; known: {known}")
    return seeded(method, entry, seed, dataset, label, split)


def fit_method(method: Any, view: View) -> Arrays:
    """Fit a method on the training rows of a split, and return its fitted arrays.

    Supervised methods see the rows whose labels are known, semi-supervised ones and those without labels all.
    """
    if isinstance(method, LabelPropagation):
        return {"embedding_": method.fit_training_set(view.all_rows).embedding_}
    partly = isinstance(method, PartlyLabelled) or not method.supervised
    return fitted_arrays(method.fit_training_set(view.training if partly else view.training.labelled_part))


def embed(method: Any, arrays: Arrays, view: View) -> tuple[FloatArray, FloatArray]:
    """Return the embeddings of the training rows whose labels are known, and of the test rows."""
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
        What methods see of the features; see `mlreduce.experiments.view.View`.
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
    check_finite(data.X, data.feature_names, data.name)
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
    dimension: int | None = None,
    share: bool = True,
    failures: Failures = RAISE,
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
    dimension : int or None, default=None
        A number of directions beside the percentages and energies.
    share : bool, default=True
        Use a predictor's ``predict_nested``, which serves all sizes at the cost of one. False trains one model a
        size, with the penalty that belongs to it.
    failures : Failures, default=RAISE
        Takes what a method that transforms, or the predictor, raises; a method that failed before on a split is passed
        over.

    Returns
    -------
    DataFrame
        With `mlreduce.experiments.scores.SCORE_COLUMNS`.
    """
    measuring = Measuring(data, predictor, measures, share, failures)
    for number, split in splits.items():
        view = View(data, split, space)
        for label, entry in methods.items():
            if (number, label) in failures:
                continue
            arrays = fitted[str(number), label]
            parts = failures.attempt(number, label, embed, make_reduction(label, entry), arrays, view)
            if parts is None:
                continue
            sizes = _sizes(
                parts[0].shape[1], view.train.shape[1], arrays.get("eigenvalues_"), percents, energies, dimension
            )
            measuring.add(number, split, label, entry, parts, sizes)
    return as_scores(measuring.rows)


class Measuring:
    """A predictor that is trained on nested sets of features and measured, and the rows that come of it.

    Parameters
    ----------
    data, predictor, measures, share, failures
        As of `score_features`.

    Attributes
    ----------
    rows : list of tuple
        For `mlreduce.experiments.scores.as_scores`.
    """

    def __init__(
        self,
        data: MultiLabelData,
        predictor: tuple[str, Mapping[str, Any]],
        measures: Iterable[str],
        share: bool,
        failures: Failures = RAISE,
    ) -> None:
        self._data, (self._name, parameters), self._failures = data, predictor, failures
        self._model = registry.make_entry(self._name, parameters)
        self._measures = {name: find_measure(name) for name in measures}
        self._labels = data.Y.astype(np.float64)
        nested = share and hasattr(self._model, "predict_nested")
        self._predict = self._model.predict_nested if nested else partial(_each_size, self._model)
        self.rows: list[tuple[Any, ...]] = []

    def add(
        self,
        number: int,
        split: Split,
        label: str,
        entry: Mapping[str, Any],
        parts: tuple[FloatArray, FloatArray],
        sizes: Mapping[int, Sequence[tuple[int, float]]],
    ) -> None:
        """Measure a method on a split, at all sizes or, where the predictor fails, at none.

        Parameters
        ----------
        number, split : int, Split
        label, entry : str, dict
            Of the method, as in a study file.
        parts : (ndarray, ndarray) of shapes (n_rows, n_columns)
            Training rows whose labels are known and test rows, the columns most important first.
        sizes : dict of int to list of (percent, energy)
            Number of columns to what it stands for.
        """
        truth, written = self._data.Y[split.test], json.dumps(entry, sort_keys=True)
        known = split.train if split.labelled is None else split.labelled
        guesses = self._guesses(parts, self._labels[known], list(sizes))
        rows: list[tuple[Any, ...]] = []
        for size, guess in self._failures.attempt_each(number, label, guesses):
            outcome = Outcome(truth, above_half(guess), scores=self._scores(guess))
            for measure, compute in self._measures.items():
                value = compute(outcome)
                rows += [
                    (self._data.name, label, written, self._name, percent, energy, size, number, measure, value)
                    for percent, energy in sizes[size]
                ]
        if (number, label) not in self._failures:
            self.rows += rows

    def _guesses(
        self, parts: tuple[FloatArray, FloatArray], labels: FloatArray, sizes: Sequence[int]
    ) -> Iterator[tuple[int, FloatArray]]:
        train, test = parts
        yield from zip(sizes, self._predict(train, labels, test, sizes), strict=True)

    def _scores(self, guess: FloatArray) -> FloatArray | None:
        """Return what ranks the labels; what a regressor guesses without the digits that rounding decides."""
        if is_regressor(self._model):
            return guess.round(_DIGITS)
        return guess if getattr(self._model, "ranks", False) else None


def _sizes(
    found: int,
    n_features: int,
    eigenvalues: FloatArray | None,
    percents: Sequence[int],
    energies: Sequence[float],
    dimension: int | None,
) -> dict[int, list[tuple[int, float]]]:
    """Map each size that occurs to the percentages and energies that it stands for, and to (0, 0.0) for itself."""
    sizes: dict[int, list[tuple[int, float]]] = {}
    for percent in percents:
        sizes.setdefault(min(percent_size(percent, n_features), found), []).append((percent, 0.0))
    if eigenvalues is not None:
        for energy in energies:
            sizes.setdefault(energy_size(eigenvalues, energy), []).append((0, energy))
    if dimension is not None:
        sizes.setdefault(min(dimension, found), []).append((0, 0.0))
    return dict(sorted(sizes.items()))


def _each_size(
    model: Any, train: FloatArray, targets: FloatArray, test: FloatArray, sizes: Sequence[int]
) -> Iterator[FloatArray]:
    for size in sizes:
        fitted = clone(model).fit(train[:, :size], targets)
        predict = fitted.predict_scores if getattr(model, "ranks", False) else fitted.predict
        yield predict(test[:, :size])
