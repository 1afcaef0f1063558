"""ML-KNN: Bayes' rule on the number of neighbours with each label."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import GrowingDistances, Pairs
from mlreduce.predictors.neighbours import _by_label, _check_others, _NeighbourVotes
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_count, check_range, is_sparse

# Numbers of neighbours among which "loo" chooses, and the relative difference of log-likelihoods by which a larger one
# has to be better: more than rounding.
_CANDIDATES, _BETTER = (5, 10, 20, 40), 1e-9
# Probabilities are not nearer to 0 or 1 in a log-likelihood.
_CERTAIN = 1e-12


class _Rates(NamedTuple):
    """Label frequencies, and the distributions of neighbour counts with and without each label."""

    #: Of shape (n_labels,). Probability of each label.
    prior: FloatArray
    #: Of shape (n_labels, n_neighbors + 1). Probability of each number of neighbours with the label, for instances with
    #: and without it.
    present: FloatArray
    absent: FloatArray

    def posterior(self, votes: Any) -> FloatArray:
        """Return the probability of each label, shape (n_samples, n_labels)."""
        yes = self.prior[:, np.newaxis] * self.present
        no = (1.0 - self.prior)[:, np.newaxis] * self.absent
        return _posterior_of_votes(yes / (yes + no), votes)


class _Counts(NamedTuple):
    """How many instances with and without each label have each number of neighbours with it."""

    #: Of shape (n_labels, n_neighbors + 1). Integers.
    present: FloatArray
    absent: FloatArray
    #: Added to each.
    pseudocount: float

    @classmethod
    def of(cls, votes: Any, labels: Any, n_neighbors: int, pseudocount: float) -> Self:
        shape = labels.shape[1], n_neighbors + 1

        def count(label: Any, number: Any) -> FloatArray:
            counts = np.bincount(label * shape[1] + number, minlength=shape[0] * shape[1])
            return counts.reshape(shape).astype(np.float64)

        if is_sparse(votes):
            both = count(votes.indices, votes.data)
            among = sp.csr_array(votes.multiply(labels))
            present = count(among.indices, among.data.astype(np.int64))
            n_present = np.asarray(labels.sum(axis=0))
            present[:, 0] += n_present - present.sum(axis=1)  # no vote is not stored
            both[:, 0] += labels.shape[0] - both.sum(axis=1)
            return cls(present, both - present, pseudocount)
        places = 2 * (np.arange(shape[0]) * shape[1] + votes) + (labels > 0)
        known = labels >= 0
        places = places.ravel() if known.all() else places[known]
        counts = np.bincount(places, minlength=2 * shape[0] * shape[1]).reshape(*shape, 2).astype(np.float64)
        return cls(counts[..., 1], counts[..., 0], pseudocount)

    @property
    def rates(self) -> _Rates:
        def share(counts: FloatArray) -> FloatArray:
            totals = self.pseudocount * counts.shape[1] + counts.sum(axis=1, keepdims=True)
            return (self.pseudocount + counts) / totals

        n_present = self.present.sum(axis=1)
        n_known = n_present + self.absent.sum(axis=1)
        prior = np.where(n_known > 0, (self.pseudocount + n_present) / (2 * self.pseudocount + n_known), 0.0)
        return _Rates(prior, share(self.present), share(self.absent))

    def left_out(self, votes: Any, labels: Any) -> FloatArray:
        """Return the posterior of training rows, each without its labels in the frequencies and counts."""
        if is_sparse(votes):
            posterior = _posterior_of_votes(self._without(0, 1), votes)
            row, label = labels.tocoo().coords
            posterior[row, label] = self._without(1, 0)[label, votes.tocsr()[row, label]]
            return posterior
        without = np.stack([self._without(0, 0), self._without(0, 1), self._without(1, 0)])
        removed = np.where(labels >= 0, 1 + (labels > 0), 0)  # nothing of a label that is not known
        return np.asarray(without[removed, np.arange(labels.shape[1]), votes])

    def log_likelihood(self) -> float:
        """Return the log-likelihood of the known labels of the training rows, each left out.

        It is the same for all rows with, or without, a label that have as many votes.
        """
        right = (self._without(1, 0), self.present), (1.0 - self._without(0, 1), self.absent)
        return float(
            sum((counts * np.log(np.clip(shares, _CERTAIN, 1.0)))[counts > 0].sum() for shares, counts in right)
        )

    def _without(self, present: int, absent: int) -> FloatArray:
        """Return the posterior by label and number of votes without an instance that has the label, or has it not."""
        n_present, n_absent = (counts.sum(axis=1, keepdims=True) for counts in (self.present, self.absent))
        n_known, pseudocount = n_present + n_absent, self.pseudocount

        def share(counts: FloatArray, size: FloatArray, removed: int) -> FloatArray:
            return (pseudocount + counts - removed) / (pseudocount * counts.shape[1] + size - removed)

        with np.errstate(divide="ignore", invalid="ignore"):  # where no instance is to be left out
            prior = (pseudocount + n_present - present) / (2 * pseudocount + np.maximum(n_known - 1, 0))
            yes = prior * share(self.present, n_present, present)
            no = (1.0 - prior) * share(self.absent, n_absent, absent)
            posterior: FloatArray = yes / (yes + no)
        return posterior


def _posterior_of_votes(table: FloatArray, votes: Any) -> FloatArray:
    """Look up a number for each cell in a table of shape (n_labels, n_neighbors + 1)."""
    if not is_sparse(votes):
        return table[np.arange(len(table)), votes]
    values = np.tile(table[:, 0], (votes.shape[0], 1))
    row, label = votes.tocoo().coords
    values[row, label] = table[label, votes.data]
    return values


@register("ml-knn")
class MLKNN(_NeighbourVotes):
    """Multi-label k-nearest neighbours (ML-KNN): Bayes' rule on the neighbours' labels.

    How likely a label is where so many neighbours have it is counted on the training rows, each among the others. Of
    rows that are equally far away the first are taken. Where a label is not known of all training rows (NaN), those of
    which it is are its neighbours, and they are counted.

    Parameters
    ----------
    n_neighbors : int or "loo", default=10
        >= 1; there must be more training rows. ``"loo"`` chooses among 5, 10, 20 and 40, as far as there are so many,
        the number with the largest likelihood of the training labels, each row left out in turn; of numbers that are
        equal within 1e-9 the smallest.
    pseudocount : float, default=1.0
        Added to every count, > 0: additive smoothing.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="one-threshold"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`. ``"half"`` is the paper's.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.
    n_jobs : int or None, default=None
        Number of threads that count the votes, as of joblib; they are the same for all.

    Attributes
    ----------
    n_neighbors_ : int
        Number of neighbours, as given or chosen.
    prior_ : ndarray of shape (n_labels,)
        Probability of each label.
    given_present_, given_absent_ : ndarray of shape (n_labels, n_neighbors + 1)
        Probability of each number of neighbours with the label, for instances with the label and without it.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

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
        n_neighbors: int | str = 10,
        pseudocount: float = 1.0,
        decision: str = "one-threshold",
        measure: str = "micro-f1",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.pseudocount = pseudocount
        self.decision = decision
        self.measure = measure
        self.n_jobs = n_jobs

    @property
    def least_instances(self) -> int:
        """Fewest training rows: the neighbours of a row are others."""
        return self._least_neighbours + 1

    @property
    def _least_neighbours(self) -> int:
        return 1 if self.n_neighbors == "loo" else check_count(self.n_neighbors, "n_neighbors")

    def _numbers(self, labels: Any) -> list[int]:
        """Return the numbers of neighbours to choose from, each smaller than the number of rows that have a label."""
        if self.n_neighbors != "loo":
            return [self._least_neighbours]
        known = [labels.shape[0]] if is_sparse(labels) else (labels >= 0).sum(axis=0)
        most = int(min((number for number in known if number), default=2)) - 1
        return [number for number in _CANDIDATES if number <= most] or [most]

    def _choose(
        self, map_blocks: Callable[[Callable[[Pairs], Any]], list[Any]], present: Any, labels: Any
    ) -> tuple[int, Any, _Counts]:
        """Return the number of neighbours, and the votes for the training rows and their counts with it.

        ``map_blocks`` calls a function with each block of the training rows among themselves.
        """
        best, most = None, -np.inf
        votes_of = self._votes_of_numbers(map_blocks, present, numbers := self._numbers(labels))
        for number, votes in votes_of.items():
            counts = _Counts.of(votes, labels, number, float(self.pseudocount))
            value = counts.log_likelihood() if len(numbers) > 1 else 0.0
            if best is None or value > most + _BETTER * abs(most):
                best, most = (number, votes, counts), value
        assert best is not None
        return best

    def _fit(self, features: Any, labels: Any) -> None:
        self._count_votes(features, labels)

    def _fit_votes(self, features: Any, labels: Any) -> Any:
        return self._count_votes(features, labels)

    def _count_votes(self, features: Any, labels: Any) -> Any:
        """Fit, and return the votes for each training row among the others."""
        super()._fit(features, labels)
        self.n_neighbors_, votes, self._counts = self._choose(partial(self._map_blocks, None), self._present, labels)
        self._rates = self._counts.rates
        self.prior_, self.given_present_, self.given_absent_ = self._rates
        return votes

    def _left_out_scores(self, votes: Any, labels: Any) -> FloatArray:
        return self._counts.left_out(votes, labels)

    def _shares(self, X: Any) -> FloatArray:
        """Return the probability of each label."""
        votes = self._votes_for(X)
        return self._rates.posterior(votes)

    def _nested(self, train: Any, labels: FloatArray, test: Any, sizes: Sequence[int]) -> Iterator[NDArray[Any]]:
        for _, others, counts in self._nested_votes(train, labels, test, sizes):
            yield counts.rates.posterior(others)

    def _nested_left_out(
        self, train: Any, labels: FloatArray, test: Any, sizes: Sequence[int]
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the scores of the training rows among the others, and those of the test rows."""
        self._check_known(labels)
        for votes, others, counts in self._nested_votes(train, labels, test, sizes):
            yield counts.left_out(votes, labels), counts.rates.posterior(others)

    def _nested_votes(
        self, train: Any, labels: FloatArray, test: Any, sizes: Sequence[int]
    ) -> Iterator[tuple[Any, Any, _Counts]]:
        """Yield at each size the votes for the training rows among the others and for the test rows, and the counts."""
        self._check(len(labels), labels.shape[1])
        among, beyond = GrowingDistances(train, train), GrowingDistances(train, test)
        present = _by_label(labels, self._least_neighbours)
        for size in sizes:
            among.add(size)
            beyond.add(size)
            number, votes, counts = self._choose(partial(_count_once, among.pairs()), present, labels)
            yield votes, self._votes(beyond.pairs(), present, n_neighbors=number), counts

    def _check(self, n_samples: int, n_labels: int) -> None:
        if self.n_neighbors == "loo":
            if n_samples < 2:
                raise DataError(f"a neighbour of a training row needs another row; got n_samples={n_samples}")
        else:
            super()._check(n_samples, n_labels)
            _check_others(self.n_neighbors, n_samples)
        check_range(self.pseudocount, "pseudocount", 0, open_ends=True)


def _count_once(pairs: Pairs, count: Callable[[Pairs], Any]) -> list[Any]:
    """Return what is counted in the one block that there is."""
    return [count(pairs)]
