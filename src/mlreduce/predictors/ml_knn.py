"""ML-KNN: Bayes' rule on the number of neighbours with each label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mlreduce.linalg.distances import GrowingDistances
from mlreduce.predictors.neighbours import _by_label, _check_others, _NeighbourVotes
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_range

__all__ = ["MLKNN"]


class _Rates(NamedTuple):
    """Label frequencies, and the distributions of neighbour counts with and without each label.

    Attributes
    ----------
    prior : ndarray of shape (n_labels,)
        Probability of each label.
    present, absent : ndarray of shape (n_labels, n_neighbors + 1)
        Probability of each number of neighbours with the label, for instances with and without it.
    """

    prior: FloatArray
    present: FloatArray
    absent: FloatArray

    @classmethod
    def of(cls, votes: NDArray[np.int64], labels: FloatArray, n_neighbors: int, smoothing: float) -> Self:
        n_labels = labels.shape[1]
        known = labels >= 0
        present = np.where(known, labels, 0)
        n_known = known.sum(axis=0)
        prior = np.where(n_known > 0, (smoothing + present.sum(axis=0)) / (2 * smoothing + n_known), 0.0)
        places = (np.arange(n_labels) * (n_neighbors + 1) + votes).ravel()

        def share(weights: FloatArray) -> FloatArray:
            counts = np.bincount(places, weights.ravel(), minlength=n_labels * (n_neighbors + 1))
            counts = counts.reshape(n_labels, n_neighbors + 1)
            totals = smoothing * (n_neighbors + 1) + counts.sum(axis=1, keepdims=True)
            rates: FloatArray = (smoothing + counts) / totals
            return rates

        return cls(prior, share(present), share(known - present))

    def posterior(self, votes: NDArray[np.int64]) -> FloatArray:
        """Return the probability of each label, shape (n_samples, n_labels)."""
        label = np.arange(len(self.prior))
        yes, no = self.prior * self.present[label, votes], (1.0 - self.prior) * self.absent[label, votes]
        probability: FloatArray = yes / (yes + no)
        return probability


def _left_out(votes: NDArray[np.int64], labels: FloatArray, n_neighbors: int, smoothing: float) -> FloatArray:
    """Return the posterior of each training row, its own label taken out of the frequencies and counts."""
    known = labels >= 0
    labels, n_labels, n_known = np.where(known, labels, 0.0), labels.shape[1], known.sum(axis=0)
    totals, places = labels.sum(axis=0), np.arange(n_labels) * (n_neighbors + 1) + votes

    def share(own: FloatArray, sizes: FloatArray) -> FloatArray:
        counts = np.bincount(places.ravel(), own.ravel(), minlength=n_labels * (n_neighbors + 1))
        rates: FloatArray = (smoothing + counts[places] - own) / (smoothing * (n_neighbors + 1) + sizes - own)
        return rates

    prior = (smoothing + totals - labels) / (2 * smoothing + np.maximum(n_known - 1, 0))
    yes = prior * share(labels, totals)
    no = (1.0 - prior) * share(known - labels, n_known - totals)
    probability: FloatArray = yes / (yes + no)
    return probability


@register("ml-knn")
class MLKNN(_NeighbourVotes):
    """Multi-label k-nearest neighbours (ML-KNN): Bayes' rule on the neighbours' labels.

    How likely a label is where so many neighbours have it is counted on the training rows, each among the others. Of
    rows that are equally far away the first are taken. Where a label is not known of all training rows (NaN), those of
    which it is are its neighbours, and they are counted.

    Parameters
    ----------
    n_neighbors : int, default=10
        >= 1; there must be more training rows.
    smoothing : float, default=1.0
        Additive smoothing of every count, > 0.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="one-threshold"
        As of `ScoringClassifier`. ``"half"`` is the paper's.
    measure
        As of `ScoringClassifier`.

    Attributes
    ----------
    prior_ : ndarray of shape (n_labels,)
        Probability of each label.
    given_present_, given_absent_ : ndarray of shape (n_labels, n_neighbors + 1)
        Probability of each number of neighbours with the label, for instances with the label and without it.
    thresholds_, k_
        As of `ScoringClassifier`.
    classes_, n_features_in_, feature_names_in_, label_names_
        As of `LabelClassifier`.

    Notes
    -----
    Thresholds are chosen from the votes that `fit` counts among the training rows, at no further search: of a row its
    neighbours are others, and its labels are taken out of the label frequencies and of the counts. It still is a
    neighbour of the rows that are counted, which is all that distinguishes its score from that of a fit on the others.

    References
    ----------
    Zhang and Zhou, "ML-KNN: a lazy learning approach to multi-label learning", Pattern Recognition 40(7), 2007.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.MLKNN().fit(data.X[:200], data.Y[:200])
    >>> model.predict_proba(data.X[200:]).shape
    (100, 12)
    >>> float((model.predict(data.X[200:]) == data.Y[200:])[:, :8].mean().round(1))  # of the learnable labels
    0.7
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        smoothing: float = 1.0,
        decision: str = "one-threshold",
        measure: str = "micro-f1",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.decision = decision
        self.measure = measure

    @property
    def least_instances(self) -> int:
        """Fewest training rows: the neighbours of a row are others."""
        return self.n_neighbors + 1

    def _fit(self, features: Any, labels: FloatArray) -> None:
        self._count_votes(features, labels)

    def _fit_left_out(self, features: Any, labels: FloatArray) -> FloatArray | None:
        votes = self._count_votes(features, labels)
        return _left_out(votes, labels, int(self.n_neighbors), float(self.smoothing))

    def _count_votes(self, features: Any, labels: FloatArray) -> NDArray[np.int64]:
        """Fit, and return the votes for each training row among the others."""
        super()._fit(features, labels)
        votes = np.concatenate([self._votes(pairs, self._present, True) for pairs in self._training.pairs()])
        self._rates = self._count(votes, self._present.T)
        self.prior_, self.given_present_, self.given_absent_ = self._rates
        return votes

    def _shares(self, X: Any) -> FloatArray:
        """Return the probability of each label."""
        votes = self._votes_for(X)
        return self._rates.posterior(votes)

    def _nested(self, train: Any, labels: FloatArray, test: Any, sizes: Sequence[int]) -> Iterator[NDArray[Any]]:
        self._check(len(labels), labels.shape[1])
        among, beyond = GrowingDistances(train, train), GrowingDistances(train, test)
        present = _by_label(labels, self.n_neighbors)
        for size in sizes:
            among.add(size)
            beyond.add(size)
            rates = self._count(self._votes(among.pairs(), present, True), labels)
            yield rates.posterior(self._votes(beyond.pairs(), present))

    def _from_votes(
        self, among: NDArray[np.int64], beyond: NDArray[np.int64], labels: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        left_out = _left_out(among, labels, int(self.n_neighbors), float(self.smoothing))
        return left_out, self._count(among, labels).posterior(beyond)

    def _count(self, votes: NDArray[np.int64], labels: NDArray[Any]) -> _Rates:
        return _Rates.of(votes, labels, int(self.n_neighbors), float(self.smoothing))

    def _check(self, n_samples: int, n_labels: int) -> None:
        super()._check(n_samples, n_labels)
        check_range(self.smoothing, "smoothing", 0, open_ends=True)
        _check_others(self.n_neighbors, n_samples)
