"""The loop of a feature-selection study: data set, split, selector, predictor -> tidy scores.

It has two halves, each a rule of the workflow: `rank_features` fits the selectors of a batch of splits, `score_ranked`
trains the predictor on the best features and measures. What a selector leaves behind is a ranking, of which every size
is a part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.fitted_arrays import Arrays
from mlreduce.evaluation.foreign import ForeignSelector, is_foreign
from mlreduce.evaluation.measuring import Measuring
from mlreduce.evaluation.scores import as_scores, joined_scores, percent_size
from mlreduce.evaluation.search import Evaluator, Search
from mlreduce.evaluation.seeds import seeded
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.strategy import Key, Strategy, Work
from mlreduce.evaluation.view import normalise
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.selection.base import Selector
from mlreduce.validation import as_dense, check_finite

__all__ = ["STRATEGY", "SelectionStrategy", "make_selector", "rank_features", "score_ranked"]

_Methods = Mapping[str, Mapping[str, Any]]


def make_selector(label: str, entry: Mapping[str, Any], seed: int, dataset: str, split: int) -> Selector:
    """Make a selector from an entry of a study file; one that draws gets a seed of its own.

    A class of another package, by its import path, or of a script is any estimator that rates features when fitted.

    Raises
    ------
    ConfigurationError
        If it is unknown or no selector.
    """
    method = registry.make_entry(label, entry)
    if is_foreign(label, entry, method, Selector):
        method = ForeignSelector(method)
    if not isinstance(method, Selector):
        known = ", ".join(registry.method_names("selection"))
        raise ConfigurationError(f"{registry.entry_name(label, entry)!r} is no selector; known: {known}")
    return seeded(method, entry, seed, dataset, label, split)


def rank_features(
    data: MultiLabelData,
    splits: Mapping[int, Split],
    methods: _Methods,
    scaling: str,
    seed: int,
    failures: Failures = RAISE,
) -> Iterator[tuple[tuple[str, ...], Arrays]]:
    """Fit selectors on the training part of every split.

    Parameters
    ----------
    data : MultiLabelData
    splits : dict of split number to Split
    methods : dict of label to entry of a study file
        Parameters, and under ``method`` the registry name if it is not the label.
    scaling : str
        See `mlreduce.preprocessing.scaling.scale_parts`.
    seed : int
        Of the study; every method and split derives its own.
    failures : Failures, default=RAISE
        Takes what a selector raises.

    Yields
    ------
    (split number as text, label), arrays
        ``feature`` (columns of the data set, the best first), ``rank`` (from 1) and ``score``. Features that are
        constant in the training part are left out, and so are selectors that failed.

    Raises
    ------
    DataError
        If a feature is missing or infinite.
    """
    check_finite(data.X, data.feature_names, data.name, missing=data.impute is not None)
    for number, split in splits.items():
        scaled = normalise(data, split, scaling)
        for label, entry in methods.items():
            if (number, label) in failures:
                continue
            method = make_selector(label, entry, seed, data.name, number)
            selector = failures.attempt(number, label, method.fit, scaled.train, data.Y[split.train])
            if selector is not None:
                best = np.argsort(selector.ranking_, kind="stable")
                yield (
                    (str(number), label),
                    {
                        "feature": scaled.kept[best],
                        "rank": selector.ranking_[best],
                        "score": np.asarray(selector.scores_)[best],
                    },
                )


def score_ranked(
    data: MultiLabelData,
    splits: Mapping[int, Split],
    fitted: Mapping[tuple[str, ...], Arrays],
    methods: _Methods,
    predictor: tuple[str, Mapping[str, Any]],
    percents: Sequence[int],
    measures: Iterable[str],
    scaling: str,
    share: bool = True,
    failures: Failures = RAISE,
    seed: int = 0,
) -> pd.DataFrame:
    """Train the predictor on the best features of every split, at every size, and measure it on the test part.

    Parameters
    ----------
    data, splits, methods, scaling
        As for `rank_features`.
    fitted : mapping
        What `rank_features` yielded.
    predictor : (label, entry of a study file)
    percents : sequence of int
        Sizes in percent of the features that vary in the training part. A control that keeps all features is
        measured at 100 only.
    measures : iterable of str
    share : bool, default=True
        Use a predictor's ``predict_nested``, which serves all sizes at the cost of one.
    failures : Failures, default=RAISE
        Takes what the predictor raises; a method that failed before on a split is passed over.
    seed : int, default=0
        Of the study; a predictor that draws derives its own for each split.

    Returns
    -------
    DataFrame
        With `mlreduce.evaluation.scores.SCORE_COLUMNS`.
    """
    measuring = Measuring(data, predictor, measures, share, failures, seed)
    for number, split in splits.items():
        scaled = normalise(data, split, scaling)
        place = np.full(data.X.shape[1], -1)
        place[scaled.kept] = np.arange(len(scaled.kept))
        for label, entry in methods.items():
            if (number, label) in failures:
                continue
            order = place[fitted[str(number), label]["feature"]]
            method: Any = registry.method_class(registry.entry_name(label, entry))
            sizes: dict[int, list[tuple[int, float]]] = {}
            for percent in percents if getattr(method, "selects", True) else [100]:
                sizes.setdefault(percent_size(percent, len(order)), []).append((percent, 0.0))
            chosen = as_dense(scaled.train[:, order]), as_dense(scaled.test[:, order])
            measuring.add(number, split, label, entry, chosen, sizes)
    return as_scores(measuring.rows)


def _order(selector: Selector, features: Any, labels: Any) -> NDArray[np.int64]:
    """Return the features from the best on; none where these rows do not allow the parameters."""
    try:
        return np.argsort(selector.fit(features, labels).ranking_, kind="stable")
    except DataError:
        return np.empty(0, dtype=np.int64)


class SelectionStrategy(Strategy):
    """Feature selectors: a fit is a ranking of the features that vary in the training part."""

    step = "rank"
    detail_columns = ("study", "protocol", "dataset", "method", "split", "feature", "rank", "score")

    def evaluator(self, search: Search, failures: Failures) -> Evaluator:
        """Return how a candidate is measured, at the search's share of the features."""
        data, seed, scaling = self._data, self._seed, self._space["scaling"]

        def on(part: Split, share: float) -> Callable[[int, str, Mapping[str, Any]], float]:
            scaled, labels = normalise(data, part, scaling), data.Y[part.train]

            def score(number: int, label: str, entry: Mapping[str, Any]) -> float:
                method = make_selector(label, entry, seed, data.name, number)
                order = failures.attempt(number, label, _order, method, scaled.train, labels)
                if order is None or not len(order):
                    return math.nan
                best = order[: percent_size(search.size_percent, len(order))]
                chosen = as_dense(scaled.train[:, best]), as_dense(scaled.test[:, best])
                measuring = Measuring(data, search.predictor, [search.measure], True, failures, seed)
                return measuring.score_at(number, part, label, entry, chosen, len(best))

            return score

        return on

    def fit(self, work: Work) -> Iterable[tuple[Key, Arrays]]:
        """Rank the features by the selectors of a task."""
        for entries, splits in self.entries(work):
            yield from rank_features(self._data, splits, entries, self._space["scaling"], self._seed, work.failures)

    def details(self, split: int, label: str, arrays: Arrays) -> pd.DataFrame | None:
        """Return the ranking of the features."""
        return pd.DataFrame({"method": label, "split": split, **arrays})

    def score(self, work: Work, fitted: Mapping[Key, Arrays], predictor: tuple[str, Any]) -> pd.DataFrame:
        """Train the predictor on the best features and measure."""
        measured = self._measured
        return joined_scores(
            score_ranked(
                *(self._data, splits, fitted, entries, predictor),
                *(measured["sizes"], measured["measures"], self._space["scaling"]),
                failures=work.failures,
                seed=self._seed,
            )
            for entries, splits in self.entries(work)
        )


#: See `mlreduce.evaluation.loop`.
STRATEGY = SelectionStrategy
