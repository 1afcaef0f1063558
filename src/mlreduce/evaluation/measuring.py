"""Training of a predictor on nested sets of features, and measuring of what it predicts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.foreign import Guess, as_predictor, is_foreign
from mlreduce.evaluation.seeds import seeded
from mlreduce.evaluation.splitting import Split
from mlreduce.linalg.utilities import above_half
from mlreduce.metrics.measures import find_measure
from mlreduce.metrics.outcome import Outcome
from mlreduce.validation import FloatArray

__all__ = ["Measuring"]

# Decimals of a regressor's guesses that rank labels.
_DIGITS = 9


class Measuring:
    """A predictor that is trained on nested sets of features and measured, and the rows that come of it.

    Parameters
    ----------
    data : MultiLabelData
    predictor : (label, entry of a study file)
    measures : iterable of str
    share : bool
        Use a predictor's ``predict_nested``, which serves all sizes at the cost of one. False trains one model a size,
        with the penalty that belongs to it.
    failures : Failures, default=RAISE
    seed : int, default=0
        Of the study; a predictor that draws derives its own for each split.

    Attributes
    ----------
    rows : list of tuple
        For `mlreduce.evaluation.scores.as_scores`.
    """

    def __init__(
        self,
        data: MultiLabelData,
        predictor: tuple[str, Mapping[str, Any]],
        measures: Iterable[str],
        share: bool,
        failures: Failures = RAISE,
        seed: int = 0,
    ) -> None:
        self._data, (self._name, self._parameters), self._failures = data, predictor, failures
        self._model, self._seed = registry.make_entry(self._name, self._parameters), seed
        if is_foreign(self._name, self._parameters, self._model) and not hasattr(self._model, "ranks"):
            self._model = as_predictor(self._model, self._name)
        self._measures = {name: find_measure(name) for name in measures}
        self._labels = data.Y.astype(np.float64)
        self._nested = share and hasattr(self._model, "predict_nested")
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
        # All methods and sizes of a split have what a predictor draws in common.
        seeded(self._model, self._parameters, self._seed, self._data.name, self._name, number)
        guesses = self._guesses(parts, self._labels[known], list(sizes))
        rows: list[tuple[Any, ...]] = []
        for size, guess in self._failures.attempt_each(number, label, guesses):
            own = guess if isinstance(guess, Guess) else Guess(above_half(guess), self._scores(guess))
            outcome = Outcome(truth, own.labels, scores=own.scores)
            for measure, compute in self._measures.items():
                value = compute(outcome)
                rows += [
                    (self._data.name, label, written, self._name, percent, energy, size, number, measure, value)
                    for percent, energy in sizes[size]
                ]
        if (number, label) not in self._failures:
            self.rows += rows

    def score_at(
        self,
        number: int,
        split: Split,
        label: str,
        entry: Mapping[str, Any],
        parts: tuple[FloatArray, FloatArray],
        size: int,
    ) -> float:
        """Return the only measure of a method at one number of columns; NaN where the predictor failed."""
        before = len(self.rows)
        self.add(number, split, label, entry, parts, {size: [(0, 0.0)]})
        return float(self.rows[-1][-1]) if len(self.rows) > before else math.nan

    def _guesses(
        self, parts: tuple[FloatArray, FloatArray], labels: FloatArray, sizes: Sequence[int]
    ) -> Iterator[tuple[int, FloatArray]]:
        train, test = parts
        predict = self._model.predict_nested if self._nested else partial(_each_size, self._model)
        yield from zip(sizes, predict(train, labels, test, sizes), strict=True)

    def _scores(self, guess: FloatArray) -> FloatArray | None:
        """Return what ranks the labels; what a regressor guesses without the digits that rounding decides."""
        if is_regressor(self._model):
            return guess.round(_DIGITS)
        return guess if getattr(self._model, "ranks", False) else None


def _each_size(
    model: Any, train: FloatArray, targets: FloatArray, test: FloatArray, sizes: Sequence[int]
) -> Iterator[FloatArray]:
    for size in sizes:
        fitted = clone(model).fit(train[:, :size], targets)
        predict = fitted.predict_scores if getattr(model, "ranks", False) else fitted.predict
        yield predict(test[:, :size])
