"""Greedy selection by a criterion of information theory, and the mutual information that criteria are made of."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.preprocessing.discretisation import Bins
from mlreduce.selection.base import DiscretisingSelector
from mlreduce.selection.information import Counted, KnownTriples, Labels, Pairs, Triples
from mlreduce.validation import FloatArray, is_sparse

# Values of a criterion are rounded to multiples of this many nats, so that ties are exact.
_UNIT = 2.0**-32


class Information:
    """Mutual and interaction information of discrete features and labels, counted on demand; in nats.

    Information on labels, NaN where not known, is that of the rows where they are known. Memory, but for the relevance:
    one number per feature and label, and counts of their pairs of bins.
    """

    def __init__(self, bins: Bins, labels: Any) -> None:
        self.features, self.labels = Counted.from_bins(bins), Labels(labels)
        self.n_samples = len(bins)

    @cached_property
    def triples(self) -> Triples | KnownTriples:
        """Counts of features and labels, for `n_samples` times their mutual information."""
        return self.labels.with_features(self.features)

    @cached_property
    def relevances(self) -> FloatArray:
        """``I(f;l)`` of each feature and label, shape (n_features, n_labels)."""
        return self.triples.shared / self.n_samples

    @cached_property
    def relevance(self) -> FloatArray:
        """``sum_l I(f;l)`` of each feature, shape (n_features,)."""
        return self.labels.relevance(self.features) / self.n_samples

    @cached_property
    def n_varying(self) -> int:
        """Number of labels that some instances have and others lack."""
        return int(np.count_nonzero(self.labels.entropies()))

    @cached_property
    def _parts(self) -> list[list[NDArray[np.intp]]]:
        return self.features.parts()

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(self.features)

    def shared(self, feature: int, others: NDArray[np.intp]) -> FloatArray:
        """Return ``I(f;s)`` of one feature s and others, shape (n_others,)."""
        return self._pairs.of(feature)[others] / self.n_samples

    def interactions(self, feature: int, others: NDArray[np.intp]) -> FloatArray:
        """Return ``I(f;s;l) = I(f;l) - I(f;l|s)`` of one feature s, others and labels, shape (n_others, n_labels)."""
        return self.triples.given(self._parts[feature], others) / self.n_samples

    def interaction(self, feature: int, others: NDArray[np.intp]) -> FloatArray:
        """Return ``sum_l I(f;s;l)`` of one feature s and others, shape (n_others,)."""
        return self.triples.given(self._parts[feature], others).sum(axis=1) / self.n_samples

    def label_pairs(self, labels: Labels | None = None) -> Iterator[FloatArray]:
        """Yield for each label, n times, ``I(f;l;l')`` of features and later labels, (n_features, n_later).

        ``labels`` are some of the labels, or all.
        """
        triples = self.triples if labels is None else labels.with_features(self.features)
        for label, parts in enumerate((labels or self.labels).counted.parts()[:-1]):
            if isinstance(triples, KnownTriples):
                yield triples.given(parts, first=label + 1, label=label)
            else:
                yield triples.given(parts, first=label + 1)


class GreedySelector(DiscretisingSelector):
    """Base of the greedy selectors: features are selected one by one, each with the largest criterion J(f) of the rest.

    Labels may be unknown, NaN in ``y``: information on a label is that of the instances where it is known, on two
    labels that of the instances where both are, and of features on each other that of all instances.

    A method defines the terms of J (`_begin`), their update by the feature last selected (`_add`), and J itself
    (`_values`) where it is not their value. Constant labels have no information: their terms are 0. Costs are for a
    fixed number of bins.
    """

    #: Whether J depends on the features selected before; where it does not, k makes no difference to the fit.
    looks_back = True
    by_feature = ("gains_",)
    takes_unknown_cells = True
    takes_sparse_labels = True

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        self._check_parameters()
        information = self._information(self._bins(X, labels), labels)
        order, self.gains_ = self._order(information, self._n_selected if self.looks_back else 1)
        scores = np.empty(len(order))
        scores[order] = np.arange(len(order))[::-1]
        return scores

    def _widen(self, places: NDArray[np.intp], n_features: int) -> None:
        super()._widen(places, n_features)
        self.scores_ = (n_features - self.ranking_).astype(np.float64)

    def _check_parameters(self) -> None:
        """Raise DataError if a parameter of the method is out of range."""

    def _information(self, bins: Bins, labels: Any) -> Any:
        """Return what the criterion is computed from."""
        return Information(bins, labels)

    def _order(self, information: Any, number: int) -> tuple[NDArray[np.intp], FloatArray]:
        """Return the features in the order in which they are selected, and their gains."""
        state = self._begin(information)
        gains = _rounded(self._values(information, state, 0))
        ties = self._ties(information, gains)
        rest, left, selected = np.arange(len(gains)), np.ones(len(gains), dtype=bool), []
        while True:
            largest = rest[gains[rest] == gains[rest].max()]
            best = int(largest[ties[largest].argmax()])
            selected.append(best)
            left[best] = False
            rest = np.flatnonzero(left)
            if len(selected) == number:
                break
            self._add(information, state, best, rest)
            gains[rest] = _rounded(self._values(information, state, len(selected))[rest])
        followers = rest[np.lexsort((-ties[rest], -gains[rest]))]
        return np.concatenate([selected, followers]).astype(np.intp), gains

    def _ties(self, information: Any, gains: FloatArray) -> FloatArray:
        """Return what breaks ties of J, larger is first, from J while no feature is selected."""
        return np.zeros(len(gains))

    def _begin(self, information: Any) -> FloatArray:
        """Return the terms of J while no feature is selected, one entry or row per feature."""
        raise NotImplementedError  # abstract: a criterion is this choice

    def _add(self, information: Any, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        """Update the entries of the remaining features for one more that is selected."""

    def _values(self, information: Any, state: FloatArray, n_selected: int) -> FloatArray:
        """Return J of each feature, shape (n_features,), when some are selected."""
        return state


def rows_without_unknown(labels: Any) -> NDArray[np.bool_]:
    """Return the instances of which all labels are known, for criteria that take their set.

    Raises DataError if there are none.
    """
    if is_sparse(labels):
        return np.ones(labels.shape[0], dtype=bool)
    complete = np.asarray(~np.isnan(labels).any(axis=1))
    if not complete.any():
        raise DataError(
            f"none of the {len(labels)} instances has all its labels known, and the method takes sets of labels: take "
            "one that takes label by label, such as MIM, or fewer labels"
        )
    return complete


def _rounded(gains: FloatArray) -> FloatArray:
    return np.rint(gains / _UNIT) * _UNIT
