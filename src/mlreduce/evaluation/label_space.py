"""The strategy for label coders: data set, split, coder, predictor -> tidy scores.

Coders with the same training set share its statistics; `mlreduce.evaluation.training` shares the training of predictors
on their codes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.caching import ScoreCache, digest_rows, entry_text
from mlreduce.evaluation.entries import Entry, Methods, Predictor
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.fitted_arrays import Arrays, fitted_arrays, fitted_estimator, restore
from mlreduce.evaluation.scores import as_scores, joined_scores, resolve_sizes
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.strategy import Chosen, Key, Measured, Strategy
from mlreduce.evaluation.training import Training, make_coder
from mlreduce.evaluation.view import imputed, normalise
from mlreduce.exceptions import DataError
from mlreduce.labelspace.base import LabelCoder, LabelStatistics, filled_in
from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.least_squares import Design, HeldOutLeastSquares
from mlreduce.metrics.measures import find_measure, in_parts
from mlreduce.metrics.outcome import Outcome
from mlreduce.predictors.decision import Decision
from mlreduce.preprocessing.scaling import scale_parts
from mlreduce.registry import has_shortcut
from mlreduce.validation import FloatArray, as_dense, check_features, check_finite, is_sparse, split_known

if TYPE_CHECKING:
    from mlreduce.evaluation.search import Evaluator, Search
    from mlreduce.metrics.measures import Measure


class LabelSpaceStrategy(Strategy):
    """Label coders; what is chosen are parameters of the predictor, per method, or of the coders, by a search."""

    @cached_property
    def _design(self) -> Design:
        given = self._given_design
        if given is None:
            return Design.factorise(self._data.X, rcond=0.0)
        return given if isinstance(given, Design) else Design.load(given)

    def _places(
        self, splits: Mapping[int, Split]
    ) -> Iterator[tuple[MultiLabelData, Callable[[], Design], Mapping[int, Split]]]:
        """Yield data, what returns the design, which not all methods need, and splits.

        Where values or labels are filled in, or features scaled, by the training rows, those of one split at a time.
        """
        changed = self._data.impute is not None or self._space["scaling"] != "none"
        if not changed and not self._unknown:
            yield self._data, lambda: self._design, splits
            return
        for number, split in splits.items():
            data = self._scaled(split) if changed else self._data
            design = cache(partial(Design.factorise, data.X, rcond=0.0)) if changed else lambda: self._design
            yield (self._completed(data, split) if self._unknown else data), design, {number: split}

    def _scaled(self, split: Split) -> MultiLabelData:
        """Fill and scale the features of all rows by the training rows of a split."""
        data = imputed(self._data, split.train)
        scaled = scale_parts(data.X[split.train], data.X, self.space_of(split)["scaling"])
        names = [data.feature_names[column] for column in scaled.columns]
        return replace(data, X=scaled.test, feature_names=names)

    @cached_property
    def _unknown(self) -> bool:
        """Whether some labels are not known."""
        return self._data.has_unknown_labels

    @staticmethod
    def _completed(data: MultiLabelData, split: Split) -> MultiLabelData:
        """Fill in the unknown labels of the training rows as coders do; those of others are 0, and not measured."""
        labels, known = np.nan_to_num(data.Y), ~np.isnan(data.Y[split.train])
        labels[split.train] = filled_in(data.X[split.train], labels[split.train], known)
        return replace(data, Y=labels)

    def _of_rows(self, split: Split) -> tuple[LabelSpaceStrategy, Split]:
        """Return a strategy for the rows of a split alone, and the split among these."""
        rows = np.concatenate([split.train, split.test])
        data = imputed(self._data, split.train)
        strategy = LabelSpaceStrategy(
            *(replace(data, X=data.X[rows], Y=data.Y[rows]), self.space_of(split), self._seed),
            threads=self._threads,
            share=self._share,
            ties=self._ties,
        )
        strategy.rows = digest_rows(split)
        return strategy, Split(*np.split(np.arange(len(rows)), [len(split.train)]))

    def _sampled(self, splits: Mapping[int, Split]) -> bool:
        """Whether features are scaled, and splits have few of the rows: no others are scaled."""
        if self._space["scaling"] == "none":
            return False
        return any(2 * sum(map(len, split[:2])) < self._data.X.shape[0] for split in splits.values())

    def choose(self, task: Mapping[str, Any], splits: Mapping[int, Split], failures: Failures) -> pd.DataFrame:
        """Choose width and penalty of kernels by cross validation, or search parameters of coders."""
        if "search" in task:
            return super().choose(task, splits, failures)
        from mlreduce.evaluation.kernel_choice import choose_on_splits

        parts = [(self._data, splits)]
        if self._space["scaling"] != "none":
            parts = [(self._scaled(split), {number: split}) for number, split in splits.items()]
        tables = [choose_on_splits(*part, task["methods"], task["candidates"], self._seed, failures) for part in parts]
        return pd.concat(tables, ignore_index=True)

    def chosen(self, choices: pd.DataFrame | None, splits: Mapping[int, Split], once: bool) -> Chosen:
        """Return width and penalty of kernels; nothing where there are none, or a search has chosen."""
        if choices is None or "gamma" not in choices or choices["gamma"].isna().all():
            return {}
        from mlreduce.evaluation.kernel_choice import chosen_parameters

        return chosen_parameters(choices, splits, once)

    def evaluator(self, search: Search, failures: Failures = RAISE) -> Evaluator:
        """Return how a candidate is measured, at the search's share of the labels."""
        measured = Measured(search.measures, [search.size_percent])

        tried = self.tried_scores or ScoreCache()

        def on(part: Split, share: float) -> Callable[[int, str, Entry], float]:
            strategy, split = self._of_rows(part)
            key = digest_rows(part)

            def score(number: int, label: str, entry: Entry) -> float:
                splits, methods = {number: split}, {label: entry}

                def fit() -> dict[Key, Arrays]:
                    try:
                        return dict(strategy.fit(splits, methods))
                    except DataError:  # these rows do not allow the parameters
                        return {}

                def scores(predictor: Predictor, fitted: Any) -> dict[str, float]:
                    try:
                        table = strategy.score(splits, fitted, methods, predictor, measured)
                    except DataError:
                        return {}
                    return dict(zip(table["measure"], map(float, table["value"]), strict=True))

                def measure(predictor: Predictor, fitted: Any, failures: Failures) -> dict[str, float]:
                    measured_scores = failures.attempt(number, label, scores, predictor, fitted)
                    return {search.measure: math.nan} if measured_scores is None else measured_scores

                place = (number, key, label, entry_text(entry))
                return tried.score((number, label), place, search, failures, fit, measure)

            return score

        return on

    def fit(
        self, splits: Mapping[int, Split], methods: Methods, failures: Failures = RAISE, chosen: Chosen | None = None
    ) -> Iterator[tuple[Key, Arrays]]:
        """Fit label coders on the training part of every split: see `Strategy.fit`."""
        data = self._data
        check_finite(data.X, data.feature_names, data.name, missing=data.impute is not None)
        if self._sampled(splits):
            for number, split in splits.items():
                strategy, rows = self._of_rows(split)
                strategy.results, strategy.record_warnings = self.results, self.record_warnings
                yield from strategy.fit({number: rows}, methods, failures, chosen)
            return
        for data, design, part in self._places(splits):
            labels = data.Y.astype(np.float64)
            regressions: dict[float, HeldOutLeastSquares] = {}  # by cut-off: methods with the same one share it
            for number, split in part.items():
                shared = _Shared(design, labels, split, regressions)
                for label, entry in methods.items():
                    if (number, label) in failures:
                        continue
                    coder = make_coder(label, entry, self._seed, data.name, number)
                    parameters, best = coder.get_params(), (chosen or {}).get((str(number), label), {})
                    coder.set_params(**{key: value for key, value in best.items() if key in parameters})
                    given = self._data.Y if self._unknown else None
                    fit = partial(self.fit_once, number, split, label, [entry, best], _fit_coder)
                    arrays = failures.attempt(number, label, fit, coder, data, split, shared, given)
                    if arrays is not None:
                        yield (str(number), label), arrays

    def score(
        self,
        splits: Mapping[int, Split],
        fitted: Mapping[Key, Arrays],
        methods: Methods,
        predictor: Predictor,
        measured: Measured,
        failures: Failures = RAISE,
        chosen: Chosen | None = None,
    ) -> pd.DataFrame:
        """Train the predictor on the codes of every split and measure what they decode to: see `Strategy.score`."""
        if self._sampled(splits):
            parts = ((number, *self._of_rows(split)) for number, split in splits.items())
            return joined_scores(
                strategy.score({number: rows}, fitted, methods, predictor, measured, failures, chosen)
                for number, strategy, rows in parts
            )
        by_rule: dict[str, dict[str, Measure]] = {}
        for name in measured.measures:
            by_rule.setdefault(in_parts(name)[1] or measured.decision, {})[name] = find_measure(name)
        chooses = by_rule.keys() | {measured.decision} != {"half"}
        sizes = resolve_sizes(measured.sizes, len(self._data.label_names), measured.every_size, measured.dimensions)
        model = registry.make_entry(*predictor)
        if self._threads > 1 and model.get_params().get("n_jobs", 0) is None:
            model.set_params(n_jobs=self._threads)
        written = {label: json.dumps(entry, sort_keys=True) for label, entry in methods.items()}
        rows: list[tuple[Any, ...]] = []
        for data, design, part in self._places(splits):
            labels, training = data.Y.astype(np.float64), Training(model, data, design, self._share)
            for number, split in part.items():
                coders = {
                    label: restore(registry.make_entry(label, entry), fitted[str(number), label])
                    for label, entry in methods.items()
                    if (number, label) not in failures
                }
                parameters = {label: (chosen or {}).get((str(number), label), {}) for label in coders}
                train = partial(_predicted_codes, training, split, coders, parameters, chooses)
                for label, (held_out, predicted_codes) in failures.attempt_all(number, list(coders), train).items():
                    cells: list[tuple[Any, ...]] = []
                    truth = self._data.Y[split.test]
                    given = self._data.Y[split.train].astype(np.float64)
                    coded = None if self._unknown else labels[split.test]
                    for rule, functions in by_rule.items():
                        decide = partial(_make_decisions, rule, coders[label], given, held_out)
                        outcomes = _make_outcomes(
                            *(coders[label], truth, coded, predicted_codes, list(sizes), decide, self._ties)
                        )
                        for size, outcome in failures.attempt_each(number, label, outcomes):
                            for measure, compute in functions.items():
                                value = compute(outcome)
                                cells += [
                                    (
                                        *(data.name, label, written[label], predictor[0]),
                                        *(percent, 0.0, size, number, measure, value),
                                    )
                                    for percent in sizes[size] or [0]
                                ]
                        if (number, label) in failures:
                            break
                    if (number, label) not in failures:
                        rows += cells
        return as_scores(rows)

    def ready(
        self, number: int, split: Split, scalings: Mapping[str, str]
    ) -> Callable[[str, Entry], Callable[[], Any]]:
        """Return what makes a fit on scaled features, and labels as they are: see `Strategy.ready`."""
        features, labels = (
            normalise(self._data, split, self.space_of(split)["scaling"]).train,
            self._data.Y[split.train],
        )
        return lambda label, entry: partial(
            make_coder(label, entry, self._seed, self._data.name, number).fit, features, labels
        )


class _Shared:
    """The statistics of a training part that coders share, and how much of the labels the features explain."""

    def __init__(
        self,
        design: Callable[[], Design],
        labels: Any,
        split: Split,
        regressions: dict[float, HeldOutLeastSquares],
    ) -> None:
        self._design, self._labels, self._split, self._regressions = design, labels, split, regressions
        self._explained: dict[float, LabelStatistics] = {}

    @cached_property
    def plain(self) -> LabelStatistics:
        """The statistics of the labels alone."""
        return LabelStatistics.from_labels(self._labels[self._split.train])

    def explained(self, rcond: float) -> LabelStatistics:
        """Return the statistics with what regression with a cut-off explains."""
        if rcond not in self._regressions:
            self._regressions[rcond] = HeldOutLeastSquares(self._design(), self._labels, rcond)
        if rcond not in self._explained:
            solution = self._regressions[rcond].solve(self._split.train, self._split.test)
            self._explained[rcond] = self.plain.with_explained(solution.explained_gram)
        return self._explained[rcond]


def _fit_coder(coder: LabelCoder, data: MultiLabelData, split: Split, shared: _Shared, given: Any) -> Arrays:
    """Fit a coder; ``given`` are the labels of all rows, NaN where not known, where some are filled in."""
    if not has_shortcut(coder, "fit_statistics", "fit"):
        labels = data.Y if given is None else given
        return fitted_estimator(coder.fit(data.X[split.train], labels[split.train]))
    if given is not None:
        features, known = check_features(coder, data.X[split.train], reset=True), ~np.isnan(given[split.train])
        return fitted_arrays(coder._fit_completed(features, data.Y[split.train], known.any(axis=0)))
    if is_sparse(data.Y) or not coder.shares_statistics:
        return fitted_arrays(coder.fit(data.X[split.train], data.Y[split.train]))
    statistics = shared.explained(coder.rcond) if coder.feature_aware else shared.plain
    return fitted_arrays(coder.fit_statistics(statistics))


def _predicted_codes(
    training: Training,
    split: Split,
    coders: Mapping[str, LabelCoder],
    parameters: Mapping[str, Mapping[str, float]],
    chooses: bool,
    names: Sequence[str],
) -> dict[str, tuple[FloatArray | None, FloatArray]]:
    """Return predicted codes of the training rows, where a decision takes them, and of the test rows."""
    chosen = {name: coders[name] for name in names}
    if chooses:
        return {**training.held_out_codes(split, chosen, parameters)}
    return {name: (None, codes) for name, codes in training.predicted_codes(split, chosen, parameters).items()}


def _make_decisions(
    rule: str, coder: LabelCoder, labels: FloatArray, held_out: FloatArray | None, sizes: Sequence[int]
) -> Iterator[Decision | None]:
    """Yield the decision at each size; None where codes are rounded."""
    if held_out is None or rule == "half":
        yield from repeat(None, len(sizes))
        return
    for size, centred in zip(sizes, _reconstruct(coder, held_out, sizes), strict=True):
        yield Decision.from_scores(rule, "micro-f1", coder.scores(centred, size), *split_known(labels))


def _reconstruct(coder: LabelCoder, codes: FloatArray, sizes: Sequence[int]) -> Iterator[FloatArray]:
    if has_shortcut(coder, "reconstruct_sizes", "reconstruct"):
        return coder.reconstruct_sizes(codes, sizes)
    return (coder.reconstruct(codes[:, :size]) for size in sizes)


def _labels_of(
    coder: LabelCoder, codes: FloatArray, guess: FloatArray | None, decision: Decision | None
) -> NDArray[np.int8]:
    """Return the labels of codes of one size, of which ``guess`` is the reconstruction where it is there."""
    if coder.decodes_itself:
        return as_dense(coder.decode(codes)).astype(np.int8)
    size, guess = codes.shape[1], coder.reconstruct(codes) if guess is None else guess
    return coder.round(guess, size) if decision is None else decision.apply(coder.scores(guess, size))


def _sparse_labels_of(coder: LabelCoder, codes: FloatArray, decision: Decision | None) -> Any:
    blocks = row_blocks(len(codes), coder.n_labels_)
    return sp.csr_array(sp.vstack([sp.csr_array(_labels_of(coder, codes[rows], None, decision)) for rows in blocks]))


def _make_outcomes(
    coder: LabelCoder,
    truth: Any,
    labels: FloatArray | None,
    predicted_codes: FloatArray,
    sizes: Sequence[int],
    decide: Callable[[Sequence[int]], Iterator[Decision | None]],
    ties: str,
) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcome of decoding predicted codes, at every size that the coder has.

    One with a parameter ``n_components`` has none beyond. Without labels to code, since some are not known, what is not
    known is not measured, and there are no errors of codes; nor of sparse labels, which are decoded in blocks of rows.
    """
    if min(sizes) > coder.n_components_:
        raise DataError(
            f"{registry.name_of(type(coder))}: the code is {coder.n_components_} long, and sizes of "
            f"{', '.join(map(str, sizes))} are requested"
        )
    possible = [size for size in sizes if size <= coder.n_components_ and (size == coder.n_labels_ or coder.reduces)]
    if is_sparse(truth):
        for size, decision in zip(possible, decide(possible), strict=True):
            yield size, Outcome(truth, _sparse_labels_of(coder, predicted_codes[:, :size], decision))
        return
    guesses = _reconstruct(coder, predicted_codes, possible)
    if labels is None:
        for size, guess, decision in zip(possible, guesses, decide(possible), strict=True):
            scores, predicted = coder.scores(guess, size), _labels_of(coder, predicted_codes[:, :size], guess, decision)
            yield size, Outcome.over_known(truth, predicted, scores, ties=ties)
        return
    codes = coder.project(labels) if has_shortcut(coder, "project", "encode") else coder.encode(labels)
    centred, decoded = labels - coder.mean_, _reconstruct(coder, codes, possible)
    for size, guess, codes_of_size, decision in zip(possible, guesses, decoded, decide(possible), strict=True):
        yield (
            size,
            Outcome(
                labels=truth,
                predicted=_labels_of(coder, predicted_codes[:, :size], guess, decision),
                centred=centred,
                decoded_codes=codes_of_size,
                codes=codes[:, :size],
                predicted_codes=predicted_codes[:, :size],
                scores=coder.scores(guess, size),
                ties=ties,
            ),
        )


#: See `mlreduce.evaluation.strategy.find_strategy`.
STRATEGY = LabelSpaceStrategy
