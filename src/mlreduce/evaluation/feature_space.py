"""The strategy for projections and label propagation: data set, split, projection, predictor -> tidy scores.

Methods fitted on one training set share what they have in common; a projection is fitted once per split, and every size
is a part of it. A method that propagates labels embeds the test rows with the training rows, among those whose labels
are not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from mlreduce import registry
from mlreduce.evaluation.caching import ScoreCache, digest_rows, entry_text
from mlreduce.evaluation.entries import Entry, Methods, Predictor
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.fitted_arrays import Arrays, fitted_arrays, restore
from mlreduce.evaluation.foreign import ForeignReduction, is_foreign
from mlreduce.evaluation.measuring import Measuring
from mlreduce.evaluation.scores import as_scores, percent_size
from mlreduce.evaluation.seeds import seeded
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.strategy import Chosen, Key, Measured, Strategy
from mlreduce.evaluation.view import View
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.projection.base import Projection, energy_size
from mlreduce.projection.semi_supervised import PartlyLabelled
from mlreduce.propagation.base import LabelPropagation
from mlreduce.validation import FloatArray, as_dense, check_finite

if TYPE_CHECKING:
    from mlreduce.evaluation.search import Evaluator, Search


def make_reduction(label: str, entry: Mapping[str, Any], seed: int = 0, dataset: str = "", split: int = 0) -> Any:
    """Make a projection, or what propagates labels, from an entry of a study; a randomised one gets a seed.

    A class of another package, by its import path, or of a script is any transformer. Raises ConfigurationError if it
    is unknown or neither of them.
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
    shared = registry.has_shortcut(method, "fit_training_set", "fit", "fit_transform", "transform")
    if isinstance(method, LabelPropagation):
        if shared:
            return {"embedding_": method.fit_training_set(view.all_rows).embedding_}
        return {"embedding_": method.fit_transform(view.all_rows.X, view.all_labels())}
    partly = isinstance(method, PartlyLabelled) or not method.supervised
    if not shared:
        return _embedded_by_class(method, view, partly)
    if view.unknown:  # what is done with single unknown labels is up to the method
        if view.related:
            raise DataError("some labels are NaN, not known; a study on relation features takes labels that are known")
        method.fit(view.train, view.partly_labelled()) if partly else method.fit(view.known(view.train), view.labels)
        return fitted_arrays(method)
    return fitted_arrays(method.fit_training_set(view.training if partly else view.training.labelled_part))


def _embedded_by_class(method: Projection, view: View, partly: bool) -> Arrays:
    """Return the embeddings by the public methods of a class that overrides some, as of `ForeignReduction.embed`."""
    if partly:
        labels = view.labels if view.labelled.all() else view.partly_labelled()
        train = view.known(method.fit_transform(view.train, labels))
    else:
        train = method.fit_transform(view.known(view.train), view.labels)
    embedding = np.vstack([as_dense(part) for part in (train, method.transform(view.test))])
    more = {"eigenvalues_": method.eigenvalues_} if hasattr(method, "eigenvalues_") else {}
    return {"embedding_": embedding, **more}


def embed(method: Any, arrays: Arrays, view: View) -> tuple[FloatArray, FloatArray]:
    """Return the embeddings of the training rows whose labels are known, and of the test rows."""
    if isinstance(method, LabelPropagation):
        embedding = arrays["embedding_"]
        return view.known(embedding[: len(view.labelled)]), embedding[len(view.labelled) :]
    if "embedding_" in arrays:
        embedding, n_known = arrays["embedding_"], view.labels.shape[0]
        return embedding[:n_known], embedding[n_known:]
    projection = restore(method, arrays)
    return projection.transform(view.known(view.train)), projection.transform(view.test)


def _try_embedding(method: Any, view: View) -> tuple[FloatArray, FloatArray] | tuple[()]:
    """Return the embeddings of both parts; empty where this part of the data does not allow the parameters."""
    try:
        return embed(method, fit_method(method, view), view)
    except DataError:
        return ()


def _map_sizes(
    n_directions: int, n_features: int, eigenvalues: FloatArray | None, measured: Measured
) -> dict[int, list[tuple[int, float]]]:
    """Map each size that occurs to the percentages and energies that give it, and to (0, 0.0) for itself."""
    sizes: dict[int, list[tuple[int, float]]] = {}
    for percent in measured.sizes:
        sizes.setdefault(min(percent_size(percent, n_features), n_directions), []).append((percent, 0.0))
    if eigenvalues is not None:
        for energy in measured.energies:
            sizes.setdefault(energy_size(eigenvalues, energy), []).append((0, energy))
    for size in {min(dimension, n_directions) for dimension in measured.dimensions}:
        sizes.setdefault(size, []).append((0, 0.0))
    return dict(sorted(sizes.items()))


class FeatureSpaceStrategy(Strategy):
    """Projections and label propagation."""

    def evaluator(self, search: Search, failures: Failures = RAISE) -> Evaluator:
        """Return how a candidate is measured, at the search's number of dimensions."""
        tried = self.tried_scores or ScoreCache()

        def on(part: Split, share: float) -> Callable[[int, str, Entry], float]:
            view, dimension = View(self._data, part, self.space_of(part)), max(1, int(search.dimension * share))
            rows = digest_rows(part)

            def score(number: int, label: str, entry: Entry) -> float:
                def measure(predictor: Predictor, embedded: Any, failures: Failures) -> dict[str, float]:
                    measuring = Measuring(
                        self._data, predictor, search.measures, True, failures, self._seed, ties=self._ties
                    )
                    size = min(dimension, embedded[0].shape[1])
                    return measuring.scores_at(number, part, label, entry, embedded, size)

                method = make_reduction(label, entry, self._seed, self._data.name, number)
                key = (number, rows, label, entry_text(entry))
                return tried.score(
                    (number, label), key, search, failures, partial(_try_embedding, method, view), measure
                )

            return score

        return on

    def fit(
        self, splits: Mapping[int, Split], methods: Methods, failures: Failures = RAISE, chosen: Chosen | None = None
    ) -> Iterator[tuple[Key, Arrays]]:
        """Fit projections on the training part of every split, with all directions: see `Strategy.fit`."""
        data = self._data
        check_finite(data.X, data.feature_names, data.name, missing=data.impute is not None)
        for number, split in splits.items():
            view = View(data, split, self.space_of(split))
            for label, entry in methods.items():
                if (number, label) in failures:
                    continue
                method = make_reduction(label, entry, self._seed, data.name, number)
                fit = partial(self.fit_once, number, split, label, entry, fit_method)
                arrays = failures.attempt(number, label, fit, method, view)
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
        """Train the predictor on the projected features of every split and measure it: see `Strategy.score`."""
        measuring = Measuring(
            *(self._data, predictor, measured.measures, self._share, failures, self._seed, measured.decision),
            ties=self._ties,
        )
        for number, split in splits.items():
            view = View(self._data, split, self.space_of(split))
            for label, entry in methods.items():
                if (number, label) in failures:
                    continue
                arrays, method = fitted[str(number), label], make_reduction(label, entry)
                parts = failures.attempt(number, label, embed, method, arrays, view)
                if parts is None:
                    continue
                sizes = _map_sizes(parts[0].shape[1], view.train.shape[1], arrays.get("eigenvalues_"), measured)
                if isinstance(method, ForeignReduction):
                    sizes = {parts[0].shape[1]: list(dict.fromkeys(chain.from_iterable(sizes.values())))}
                measuring.add(number, split, label, entry, parts, sizes)
        return as_scores(measuring.rows)

    def ready(
        self, number: int, split: Split, scalings: Mapping[str, str]
    ) -> Callable[[str, Entry], Callable[[], Any]]:
        """Return what makes a fit on a separate view: see `Strategy.ready`."""
        return lambda label, entry: partial(
            fit_method,
            make_reduction(label, entry, self._seed, self._data.name, number),
            View(self._data, split, self.space_of(split)),
        )


#: See `mlreduce.evaluation.strategy.find_strategy`.
STRATEGY = FeatureSpaceStrategy
