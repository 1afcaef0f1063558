"""The strategy for feature selectors: data set, split, selector, predictor -> tidy scores.

What a selector leaves behind is a ranking, of which every size is a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce import registry
from mlreduce.evaluation.caching import ScoreCache, digest_rows, entry_text
from mlreduce.evaluation.entries import Entry, Methods, Predictor
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.fitted_arrays import Arrays
from mlreduce.evaluation.foreign import ForeignSelector, is_foreign
from mlreduce.evaluation.measuring import Measuring
from mlreduce.evaluation.scores import as_scores, percent_size
from mlreduce.evaluation.seeds import seeded
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.strategy import Chosen, Key, Measured, Strategy
from mlreduce.evaluation.view import normalise
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.selection.base import Selector, selects_by_ranking
from mlreduce.validation import as_dense, check_finite

if TYPE_CHECKING:
    from mlreduce.evaluation.search import Evaluator, Search


def make_selector(label: str, entry: Mapping[str, Any], seed: int, dataset: str, split: int) -> Selector:
    """Make a selector from an entry of a study file; a randomised one gets a seed.

    A class of another package, by its import path, or of a script is any estimator that rates features when fitted.
    Raises ConfigurationError if it is unknown or no selector.
    """
    method = registry.make_entry(label, entry)
    if is_foreign(label, entry, method, Selector):
        method = ForeignSelector(method)
    if not isinstance(method, Selector):
        known = ", ".join(registry.method_names("selection"))
        raise ConfigurationError(f"{registry.entry_name(label, entry)!r} is no selector; known: {known}")
    if not selects_by_ranking(type(method)):
        raise ConfigurationError(
            f"{label}: {type(method).__name__} overrides how columns are selected, and selectors are measured by their "
            "rankings; name it among the projections, which are measured by what they transform"
        )
    return seeded(method, entry, seed, dataset, label, split)


def suited(selector: Selector, features: Any) -> Any:
    """Return features in [0, 1] for a selector that takes none below 0, where there are such; others as they are."""
    if not selector.__sklearn_tags__().input_tags.positive_only or features.min() >= 0:
        return features
    from sklearn.preprocessing import MinMaxScaler

    return MinMaxScaler().fit_transform(as_dense(features))


def _order(selector: Selector, features: Any, labels: Any) -> NDArray[np.int64]:
    """Return the features from the best on; none where these rows do not allow the parameters."""
    try:
        return np.argsort(selector.fit(suited(selector, features), labels).ranking_, kind="stable")
    except DataError:
        return np.empty(0, dtype=np.int64)


def _fit_ranking(selector: Selector, scaled: Any, labels: Any) -> Arrays:
    """Return columns of the data set from the best on, with ranks and scores."""
    selector.fit(suited(selector, scaled.train), labels)
    best = np.argsort(selector.ranking_, kind="stable")
    arrays = {"feature": scaled.columns, "rank": selector.ranking_, "score": np.asarray(selector.scores_)}
    return {name: values[best] for name, values in arrays.items()}


class SelectionStrategy(Strategy):
    """Feature selectors: a fit is a ranking of the features that vary in the training part."""

    step = "rank"
    detail_columns = ("study", "protocol", "dataset", "method", "split", "feature", "rank", "score")

    def evaluator(self, search: Search, failures: Failures = RAISE) -> Evaluator:
        """Return how a candidate is measured, at the search's share of the features."""
        data, seed = self._data, self._seed

        tried = self.tried_scores or ScoreCache()

        def on(part: Split, share: float) -> Callable[[int, str, Entry], float]:
            scaled, labels = normalise(data, part, self.space_of(part)["scaling"]), data.Y[part.train]
            rows = digest_rows(part)

            def score(number: int, label: str, entry: Entry) -> float:
                def measure(predictor: Predictor, order: Any, failures: Failures) -> dict[str, float]:
                    best = order[: percent_size(search.size_percent, len(order))]
                    chosen = as_dense(scaled.train[:, best]), as_dense(scaled.test[:, best])
                    measuring = Measuring(data, predictor, search.measures, True, failures, seed, ties=self._ties)
                    return measuring.scores_at(number, part, label, entry, chosen, len(best))

                fit = partial(_order, make_selector(label, entry, seed, data.name, number), scaled.train, labels)
                key = (number, rows, label, entry_text(entry))
                return tried.score((number, label), key, search, failures, fit, measure)

            return score

        return on

    def fit(
        self, splits: Mapping[int, Split], methods: Methods, failures: Failures = RAISE, chosen: Chosen | None = None
    ) -> Iterator[tuple[Key, Arrays]]:
        """Rank features on the training part of every split: see `Strategy.fit`.

        The arrays are ``feature`` (columns of the data set, the best first), ``rank`` (from 1) and ``score``. Features
        that are constant in the training part are left out.
        """
        data = self._data
        check_finite(data.X, data.feature_names, data.name, missing=data.impute is not None)
        for number, split in splits.items():
            scaled = normalise(data, split, self.space_of(split)["scaling"])
            for label, entry in methods.items():
                if (number, label) in failures:
                    continue
                method = make_selector(label, entry, self._seed, data.name, number)
                fit = partial(self.fit_once, number, split, label, entry, _fit_ranking)
                arrays = failures.attempt(number, label, fit, method, scaled, data.Y[split.train])
                if arrays is not None:
                    yield (str(number), label), arrays

    def details(self, split: int, label: str, arrays: Arrays) -> pd.DataFrame | None:
        """Return the ranking of the features."""
        return pd.DataFrame({"method": label, "split": split, **arrays})

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
        """Train the predictor on the best features of every split and measure it: see `Strategy.score`."""
        data = self._data
        measuring = Measuring(
            *(data, predictor, measured.measures, self._share, failures, self._seed, measured.decision),
            ties=self._ties,
        )
        for number, split in splits.items():
            scaled = normalise(data, split, self.space_of(split)["scaling"])
            place = np.full(data.X.shape[1], -1)
            place[scaled.columns] = np.arange(len(scaled.columns))
            for label, entry in methods.items():
                if (number, label) in failures:
                    continue
                order = place[fitted[str(number), label]["feature"]]
                method: Any = registry.method_class(registry.entry_name(label, entry))
                sizes: dict[int, list[tuple[int, float]]] = {}
                selects = getattr(method, "selects", True)
                for percent in measured.sizes if selects else [100]:
                    sizes.setdefault(percent_size(percent, len(order)), []).append((percent, 0.0))
                for size in measured.dimensions if selects else []:
                    if size <= len(order):
                        sizes.setdefault(size, []).append((0, 0.0))
                sizes = dict(sorted(sizes.items()))
                best = as_dense(scaled.train[:, order]), as_dense(scaled.test[:, order])
                measuring.add(number, split, label, entry, best, sizes)
        return as_scores(measuring.rows)

    def ready(
        self, number: int, split: Split, scalings: Mapping[str, str]
    ) -> Callable[[str, Entry], Callable[[], Any]]:
        """Return what makes a fit on scaled features: see `Strategy.ready`.

        Features on another scale are sparse where that takes less memory: what one scaling fills another may
        leave empty.
        """

        def scaled(scaling: str) -> Any:
            return normalise(self._data, split, scaling).train

        train, labels = scaled(self.space_of(split)["scaling"]), self._data.Y[split.train]
        others = {scaling: _sparse_where_smaller(scaled(scaling)) for scaling in {*scalings.values()}}

        def fit(label: str, entry: Entry) -> Callable[[], Any]:
            features = others[scalings[label]] if label in scalings else train
            selector = make_selector(label, entry, self._seed, self._data.name, number)
            return partial(selector.fit, suited(selector, features), labels)

        return fit


def _sparse_where_smaller(features: Any) -> Any:
    """Return features as a sparse matrix where its values and indices take less memory than all values."""
    sparse = sp.csr_array(features)
    arrays = (sparse.data, sparse.indices, sparse.indptr)
    dense = sparse.shape[0] * sparse.shape[1] * sparse.dtype.itemsize
    return sparse if sum(part.nbytes for part in arrays) < dense else as_dense(features)


#: See `mlreduce.evaluation.strategy.find_strategy`.
STRATEGY = SelectionStrategy
