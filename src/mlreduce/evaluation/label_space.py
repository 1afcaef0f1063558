"""The loop of a label-space study: data set, split, coder, predictor -> tidy scores.

`reduce_labels` fits the label coders of a batch of splits, `score` trains the predictor on their codes and measures.
Coders with the same training set share its statistics; `mlreduce.evaluation.training` shares the training.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.fitted_arrays import Arrays, fitted_arrays, restore
from mlreduce.evaluation.scores import as_scores, joined_scores, percent_size, resolve_sizes
from mlreduce.evaluation.search import Evaluator, Search
from mlreduce.evaluation.seeds import seeded
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.strategy import Key, Strategy, Work
from mlreduce.evaluation.training import Training
from mlreduce.evaluation.view import imputed
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.labelspace.base import LabelCoder, LabelStatistics
from mlreduce.linalg.least_squares import Design, HeldOutLeastSquares
from mlreduce.metrics import Outcome, find_measure
from mlreduce.validation import FloatArray, check_finite

__all__ = ["STRATEGY", "Chosen", "LabelSpaceStrategy", "make_coder", "reduce_labels", "score"]

_Fitted = Mapping[tuple[str, ...], Arrays]

#: (split number as text, method) to parameters that were chosen on the training part of that split.
Chosen: TypeAlias = Mapping[tuple[str, str], Mapping[str, float]]


def make_coder(name: str, parameters: Mapping[str, Any], seed: int, dataset: str, split: int) -> LabelCoder:
    """Make a label coder from an entry of a study; one that draws gets a seed of its own.

    Raises
    ------
    ConfigurationError
        If the method or one of its parameters is unknown, or it is no label coder.
    """
    coder = registry.make_entry(name, parameters)
    if not isinstance(coder, LabelCoder):
        raise ConfigurationError(f"{name!r} is no label coder; known: {', '.join(registry.method_names('labelspace'))}")
    return seeded(coder, parameters, seed, dataset, name, split)


def reduce_labels(
    data: MultiLabelData,
    design: Design,
    splits: Mapping[int, Split],
    methods: Mapping[str, Mapping[str, Any]],
    seed: int,
    chosen: Chosen | None = None,
    failures: Failures = RAISE,
) -> dict[tuple[str, ...], Arrays]:
    """Fit label coders on the training part of every split, at full size.

    Parameters
    ----------
    data : MultiLabelData
    design : Design
        Of all rows of ``data.X``.
    splits : dict of split number to Split
    methods : dict of registry name to parameters
    seed : int
        Of the study; every method and split derives its own.
    chosen : dict of (split number, method) to parameters, default=None
        Parameters that were chosen on the training part of a split, such as the ``gamma`` and ``alpha`` of
        `mlreduce.evaluation.kernel_choice`. The split number as text. A coder without a parameter of this name
        leaves it to the predictor.
    failures : Failures, default=RAISE
        Takes what a coder raises; one that failed before on a split is passed over.

    Returns
    -------
    dict of (split number, method) to fitted arrays
        The split number as text; see `mlreduce.evaluation.fitted_arrays`. Without those that failed.

    Raises
    ------
    DataError
        If a feature is missing or infinite.
    """
    check_finite(data.X, data.feature_names, data.name)
    labels = data.Y.astype(np.float64)
    regressions: dict[float, HeldOutLeastSquares] = {}  # by cut-off: methods with the same one share it
    fitted: dict[tuple[str, ...], Arrays] = {}
    for number, split in splits.items():
        shared = _Shared(design, labels, split, regressions)
        for name, parameters in methods.items():
            if (number, name) in failures:
                continue
            coder = make_coder(name, parameters, seed, data.name, number)
            own = coder.get_params()
            found = (chosen or {}).get((str(number), name), {})
            coder.set_params(**{key: value for key, value in found.items() if key in own})
            arrays = failures.attempt(number, name, _fitted, coder, data, split, shared)
            if arrays is not None:
                fitted[str(number), name] = arrays
    return fitted


class _Shared:
    """The statistics of a training part that coders share, and how much of the labels the features explain."""

    def __init__(
        self, design: Design, labels: FloatArray, split: Split, regressions: dict[float, HeldOutLeastSquares]
    ) -> None:
        self.plain = LabelStatistics.of(labels[split.train])
        self._design, self._labels, self._split, self._regressions = design, labels, split, regressions
        self._explained: dict[float, LabelStatistics] = {}

    def explained(self, rcond: float) -> LabelStatistics:
        """Return the statistics with what regression with a cut-off explains."""
        if rcond not in self._regressions:
            self._regressions[rcond] = HeldOutLeastSquares(self._design, self._labels, rcond)
        if rcond not in self._explained:
            solution = self._regressions[rcond].solve(self._split.train, self._split.test)
            self._explained[rcond] = self.plain.with_explained(solution.explained_gram)
        return self._explained[rcond]


def _fitted(coder: LabelCoder, data: MultiLabelData, split: Split, shared: _Shared) -> Arrays:
    if not coder.shares_statistics:
        return fitted_arrays(coder.fit(data.X[split.train], data.Y[split.train]))
    statistics = shared.explained(coder.rcond) if coder.feature_aware else shared.plain
    return fitted_arrays(coder.fit_statistics(statistics))


def score(
    data: MultiLabelData,
    design: Design,
    splits: Mapping[int, Split],
    fitted: _Fitted,
    methods: Mapping[str, Mapping[str, Any]],
    predictor: tuple[str, Mapping[str, Any]],
    sizes: Mapping[int, Sequence[int]],
    measures: Iterable[str],
    share: bool = True,
    chosen: Chosen | None = None,
    threads: int = 1,
    failures: Failures = RAISE,
) -> pd.DataFrame:
    """Train the predictor on the codes of every split and measure its predictions on the test part.

    Parameters
    ----------
    data, design, splits, methods
        As for `reduce_labels`.
    fitted : dict
        What `reduce_labels` returned.
    predictor : (label, entry of a study file)
        Its parameters, and under ``method`` the registry name if it is not the label.
    sizes : dict of int to list of int
        From `resolve_sizes`.
    measures : iterable of str
        Names of `mlreduce.metrics.MEASURES`.
    share : bool, default=True
        See `mlreduce.evaluation.training.Training`.
    chosen : dict of (split number, method) to parameters, default=None
        Parameters of the predictor that were chosen for a method; see `reduce_labels`.
    threads : int, default=1
        For a predictor that has ``n_jobs`` and does not set it.
    failures : Failures, default=RAISE
        Takes what the predictor, or a coder that decodes, raises; a method that failed before on a split is passed
        over.

    Returns
    -------
    DataFrame
        With `SCORE_COLUMNS`; sorted, so that it does not depend on the order of methods or splits. A size that
        stands for no percentage has ``size_percent`` 0.

    Raises
    ------
    ConfigurationError
        If a measure or a method is unknown.
    """
    functions = {name: find_measure(name) for name in measures}
    predictor_name, parameters = predictor
    labels = data.Y.astype(np.float64)
    model = registry.make_entry(predictor_name, parameters)
    if threads > 1 and model.get_params().get("n_jobs", 0) is None:
        model.set_params(n_jobs=threads)
    training = Training(model, data, design, share)
    written = {name: json.dumps(parameters, sort_keys=True) for name, parameters in methods.items()}
    rows: list[tuple[Any, ...]] = []
    for number, split in splits.items():
        coders = {
            name: restore(registry.make_entry(name, methods[name]), fitted[str(number), name])
            for name in methods
            if (number, name) not in failures
        }
        parameters_of = {name: (chosen or {}).get((str(number), name), {}) for name in coders}
        train = partial(_predicted_codes, training, split, coders, parameters_of)
        for name, predicted_codes in failures.attempt_all(number, list(coders), train).items():
            cells: list[tuple[Any, ...]] = []
            outcomes = _outcomes(coders[name], data.Y[split.test], labels[split.test], predicted_codes, list(sizes))
            for size, outcome in failures.attempt_each(number, name, outcomes):
                for measure, compute in functions.items():
                    value = compute(outcome)
                    for percent in sizes[size] or [0]:
                        cells.append(
                            (data.name, name, written[name], predictor_name, percent, 0.0, size, number, measure, value)
                        )
            if (number, name) not in failures:
                rows += cells
    return as_scores(rows)


def _predicted_codes(
    training: Training,
    split: Split,
    coders: Mapping[str, LabelCoder],
    parameters: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
) -> dict[str, FloatArray]:
    return training.predicted_codes(split, {name: coders[name] for name in names}, parameters)


def _outcomes(
    coder: LabelCoder, truth: Any, labels: FloatArray, predicted_codes: FloatArray, sizes: Sequence[int]
) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcome of decoding predicted codes, at every size that the coder has.

    One with a parameter ``n_components`` has none beyond.
    """
    codes = coder.project(labels)
    centred = labels - coder.mean_
    if min(sizes) > coder.n_components_:
        raise DataError(
            f"{registry.name_of(type(coder))}: the code is {coder.n_components_} long, and sizes of "
            f"{', '.join(map(str, sizes))} are asked for"
        )
    possible = [size for size in sizes if size <= coder.n_components_ and (size == coder.n_labels_ or coder.reduces)]
    guesses, decoded = (coder.reconstruct_sizes(each, possible) for each in (predicted_codes, codes))
    for size, guess, own in zip(possible, guesses, decoded, strict=True):
        yield (
            size,
            Outcome(
                labels=truth,
                predicted=coder.round(guess, size),
                centred=centred,
                decoded_codes=own,
                codes=codes[:, :size],
                predicted_codes=predicted_codes[:, :size],
            ),
        )


class LabelSpaceStrategy(Strategy):
    """Label coders; what is chosen are parameters of the predictor, per method."""

    @cached_property
    def _design(self) -> Design:
        if self._design_file is None:
            return Design.of(self._data.X, rcond=0.0)
        return Design.load(self._design_file)

    def _places(self, splits: Mapping[int, Split]) -> Iterator[tuple[MultiLabelData, Design, Mapping[int, Split]]]:
        """Yield data, design and splits; where values are filled by the training rows, those of one split at a time."""
        if self._data.impute is None:
            yield self._data, self._design, splits
            return
        for number, split in splits.items():
            data = imputed(self._data, split.train)
            yield data, Design.of(data.X, rcond=0.0), {number: split}

    def choose(self, work: Work) -> pd.DataFrame:
        """Choose width and penalty of kernels by cross validation, or search parameters of coders."""
        task = work.task
        if "search" in task:
            return super().choose(work)
        from mlreduce.evaluation.kernel_choice import choose_on_splits

        return choose_on_splits(self._data, work.splits, task["methods"], task["candidates"], self._seed, work.failures)

    def evaluator(self, search: Search, failures: Failures) -> Evaluator:
        """Return how a candidate is measured, at the search's share of the labels."""
        data, seed = self._data, self._seed

        def on(part: Split, share: float) -> Callable[[int, str, Mapping[str, Any]], float]:
            rows = np.concatenate([part.train, part.test])
            whole = imputed(data, part.train)
            own = replace(whole, X=whole.X[rows], Y=whole.Y[rows])
            split = Split(*np.split(np.arange(len(rows)), [len(part.train)]))
            design = Design.of(own.X, rcond=0.0)
            sizes: dict[int, list[int]] = {percent_size(search.size_percent, len(data.label_names)): []}

            def measured(number: int, label: str, entry: Mapping[str, Any]) -> float:
                place = (own, design, {number: split})
                try:
                    fitted = reduce_labels(*place, {label: entry}, seed)
                    table = score(*place, fitted, {label: entry}, search.predictor, sizes, [search.measure])
                except DataError:  # these rows do not allow the parameters
                    return math.nan
                return float(table["value"].item())

            def attempted(number: int, label: str, entry: Mapping[str, Any]) -> float:
                value = failures.attempt(number, label, measured, number, label, entry)
                return math.nan if value is None else value

            return attempted

        return on

    def _chosen(self, work: Work) -> Any:
        choices = work.choices
        if choices is None or "gamma" not in choices or choices["gamma"].isna().all():  # of a search, or none
            return None
        from mlreduce.evaluation.kernel_choice import chosen_parameters

        return chosen_parameters(choices, work.splits, work.task["once"])

    def fit(self, work: Work) -> Iterable[tuple[Key, Arrays]]:
        """Fit the label coders of a task."""
        chosen = self._chosen(work)
        for entries, splits in self.entries(work):
            for place in self._places(splits):
                yield from reduce_labels(*place, entries, self._seed, chosen, work.failures).items()

    def score(self, work: Work, fitted: Mapping[Key, Arrays], predictor: tuple[str, Any]) -> pd.DataFrame:
        """Train the predictor on codes and measure."""
        measured = self._measured
        sizes = resolve_sizes(measured["sizes"], len(self._data.label_names), measured["every_size"])
        return joined_scores(
            score(
                *(*place, fitted, entries, predictor),
                *(sizes, measured["measures"]),
                chosen=self._chosen(work),
                threads=self._threads,
                failures=work.failures,
            )
            for entries, splits in self.entries(work)
            for place in self._places(splits)
        )


#: See `mlreduce.evaluation.loop`.
STRATEGY = LabelSpaceStrategy
