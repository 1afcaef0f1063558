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
from mlreduce.evaluation.foreign import ForeignClassifier, Guess, as_predictor, is_foreign
from mlreduce.evaluation.seeds import seeded
from mlreduce.evaluation.splitting import Split
from mlreduce.linalg.utilities import above_half
from mlreduce.metrics.measures import find_measure, in_parts
from mlreduce.metrics.outcome import Outcome
from mlreduce.metrics.top import propensities
from mlreduce.predictors._base import ScoringClassifier, fit_half
from mlreduce.predictors.decision import Decision, _folds, check_decision, fit_left_out, fold_predictions
from mlreduce.validation import FloatArray, as_dense, check_memory, is_sparse, split_known

# Decimals of a regressor's guesses that rank labels.
_DIGITS = 9

# The methods that a predictor's shortcuts replace.
_PUBLIC = ("fit", "predict", "predict_scores")


class Measuring:
    """A predictor that is trained on nested sets of features and measured, and the rows that come of it.

    ``predictor`` is a label and an entry of a study file. ``measures`` are of `mlreduce.metrics.MEASURES`, some perhaps
    with a decision: ``micro-f1@one-threshold``. ``share`` uses a predictor's ``predict_nested``, which serves all sizes
    at the cost of one; False trains one model a size, with the penalty that belongs to it. The seed is that of the
    study, from which a randomised predictor derives one for each split.

    ``decision`` is how labels are predicted from scores: see `mlreduce.predictors.decision.Decision`. Classifiers whose
    entry has a ``decision`` use that, and those without scores their labels. ``ties``, "standard" or "expected", is how
    measures of scores count labels that tie: see `mlreduce.metrics.evaluate`. The attribute ``rows`` is for
    `mlreduce.evaluation.scores.as_scores`.
    """

    def __init__(
        self,
        data: MultiLabelData,
        predictor: tuple[str, Mapping[str, Any]],
        measures: Iterable[str],
        share: bool,
        failures: Failures = RAISE,
        seed: int = 0,
        decision: str = "half",
        ties: str = "standard",
    ) -> None:
        self._ties = ties
        self._data, (self._name, self._parameters), self._failures = data, predictor, failures
        self._model, self._seed = registry.make_entry(self._name, self._parameters), seed
        if is_foreign(self._name, self._parameters, self._model) and not hasattr(self._model, "ranks"):
            self._model = as_predictor(self._model, self._name)
        self._measures = {name: find_measure(name) for name in measures}
        self._labels = data.Y.astype(np.float64)
        self._decision = str(self._parameters.get("decision", decision)), "micro-f1"
        if isinstance(self._model, ScoringClassifier):
            self._decision = self._decision[0], self._model.measure
            if self._model.decides_itself:
                self._model = ForeignClassifier(self._model.set_params(decision=self._decision[0]), decides=True)
            else:
                self._model.set_params(decision="half")  # decided here, from scores
        check_decision(*self._decision)
        self._rules = {name: in_parts(name)[1] or self._decision[0] for name in self._measures}
        self._chooses = {*self._rules.values(), self._decision[0]} != {"half"}
        self._nested = share and registry.has_shortcut(self._model, "predict_nested", *_PUBLIC)
        # Classifiers update dense sums; a fit of each size is as good. Regressors choose one penalty for all sizes.
        self._nested &= is_regressor(self._model) or not is_sparse(self._labels)
        self._scored = any(measure.needs == "propensities" for measure in self._measures.values())
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

        ``parts`` are the training rows whose labels are known and the test rows, of shapes (n_rows, n_columns), the
        columns most important first. ``sizes`` has the sizes, (percent, energy), by the number of columns.
        """
        truth, written = self._data.Y[split.test], json.dumps(entry, sort_keys=True)
        known = split.train if split.labelled is None else split.labelled
        # All methods and sizes of a split have what a predictor draws in common.
        seeded(self._model, self._parameters, self._seed, self._data.name, self._name, number)
        labels = self._labels[known]
        guesses = self._guesses(parts, labels, list(sizes))
        rows: list[tuple[Any, ...]] = []
        for size, (held_out, guess) in self._failures.attempt_each(number, label, guesses):
            outcomes = self._failures.attempt(number, label, self._outcomes, truth, labels, held_out, guess)
            if outcomes is None:
                break
            for measure, compute in self._measures.items():
                value = compute(outcomes[self._rules[measure]])
                rows += [
                    (self._data.name, label, written, self._name, percent, energy, size, number, measure, value)
                    for percent, energy in sizes[size]
                ]
        if (number, label) not in self._failures:
            self.rows += rows

    def _outcomes(self, truth: Any, labels: Any, held_out: FloatArray | None, guess: Any) -> dict[str, Outcome]:
        """Return what is measured by each decision, from the true labels, those of the training rows, and the guess."""
        common = propensities(labels) if self._scored else None
        guessed = self._guess(guess)
        parts = {rule: self._decided(rule, labels, held_out, guessed) for rule in dict.fromkeys(self._rules.values())}
        return {
            rule: Outcome.over_known(truth, part.labels, part.scores, common, self._ties)
            for rule, part in parts.items()
        }

    def scores_at(
        self,
        number: int,
        split: Split,
        label: str,
        entry: Mapping[str, Any],
        parts: tuple[FloatArray, FloatArray],
        size: int,
    ) -> dict[str, float]:
        """Return the measures of a method at one number of columns; NaN where the predictor failed."""
        before = len(self.rows)
        self.add(number, split, label, entry, parts, {size: [(0, 0.0)]})
        return dict.fromkeys(self._measures, math.nan) | {row[-2]: float(row[-1]) for row in self.rows[before:]}

    def _guesses(
        self, parts: tuple[FloatArray, FloatArray], labels: FloatArray, sizes: Sequence[int]
    ) -> Iterator[tuple[int, tuple[FloatArray | None, Any]]]:
        """Yield the size, the scores of the training rows by models of the others (or None), and what is predicted."""
        train, test = parts
        if self._nested and is_sparse(labels):
            check_memory(8.0 * math.prod(labels.shape), "a dense matrix of the targets", "take a classifier")
            labels = as_dense(labels)
        if not self._chooses:
            predict = self._model.predict_nested if self._nested else partial(_each_size, self._model)
            for size, guess in zip(sizes, predict(train, labels, test, sizes), strict=True):
                yield size, (None, guess)
            return
        held_out: Any = None
        if self._nested and registry.has_shortcut(self._model, "_nested_left_out", "predict_nested", *_PUBLIC):
            held_out = self._model._nested_left_out
        if held_out is None:
            scores = self._nested and isinstance(self._model, ScoringClassifier)
            held_out = partial(_nested_held_out if scores else _each_held_out, self._model)
        yield from zip(sizes, held_out(train, labels, test, sizes), strict=True)

    def _guess(self, guess: Any) -> Guess:
        """Return labels, scores above one half, and what ranks them."""
        if isinstance(guess, Guess):
            return guess
        return Guess(guess.astype(np.int8) if is_sparse(guess) else above_half(guess), self._scores(guess))

    def _decided(self, rule: str, labels: FloatArray, held_out: FloatArray | None, guess: Guess) -> Guess:
        """Return the labels that a decision predicts, with what ranks them."""
        if held_out is None or rule == "half":
            return guess
        decision = Decision.from_scores(rule, self._decision[1], held_out, *split_known(labels))
        return guess._replace(labels=decision.apply(guess.scores))

    def _scores(self, guess: Any) -> Any:
        """Return what ranks the labels; what a regressor guesses without the digits that rounding decides.

        Means over the orders of ties need no rounding: labels that differ by rounding errors tie.
        """
        if is_regressor(self._model):
            return guess if self._ties == "expected" else guess.round(_DIGITS)
        return guess if getattr(self._model, "ranks", False) else None


def _each_size(
    model: Any, train: FloatArray, targets: FloatArray, test: FloatArray, sizes: Sequence[int]
) -> Iterator[FloatArray]:
    for size in sizes:
        fitted = clone(model).fit(train[:, :size], targets)
        predict = fitted.predict_scores if getattr(model, "ranks", False) else fitted.predict
        yield predict(test[:, :size])


def _nested_held_out(
    model: Any, train: FloatArray, targets: FloatArray, test: FloatArray, sizes: Sequence[int]
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield what `_each_held_out` does, of a model that predicts at all sizes at the cost of one."""
    folds = [
        (held, model.predict_nested(train[rest], targets[rest], train[held], sizes))
        for rest, held in _folds(len(train))
    ]
    for guess in model.predict_nested(train, targets, test, sizes):
        held_out = np.empty(targets.shape)
        for held, predictions in folds:
            held_out[held] = next(predictions)
        yield held_out, guess


def _each_held_out(
    model: Any, train: FloatArray, targets: FloatArray, test: FloatArray, sizes: Sequence[int]
) -> Iterator[tuple[FloatArray | None, Any]]:
    """Yield held-out scores, None of what gives labels only, and what is predicted from the first columns."""
    for size in sizes:
        fitted, Z, rows = clone(model), train[:, :size], test[:, :size]
        if is_regressor(fitted):
            yield fit_left_out(fitted, Z, targets), fitted.predict(rows)
        elif isinstance(fitted, ScoringClassifier):
            yield fit_half(fitted, Z, targets), fitted.predict_scores(rows)
        else:
            guess = fitted.fit(Z, targets).predict(rows)
            scored = isinstance(guess, Guess) and guess.scores is not None and not model.decides
            scores = fold_predictions(model, Z, targets, lambda fitted, X: fitted.predict(X).scores) if scored else None
            yield scores, guess
