"""Binary relevance and classifier chains with k-nearest neighbours, from one distance matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self

import joblib
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, unknown_name
from mlreduce.linalg.compiled import compiled, compiled_part, distance_on_grid
from mlreduce.linalg.distances import GrowingDistances, Pairs, TrainingRows, row_blocks
from mlreduce.predictors._base import NestedClassifier, ProbableClassifier
from mlreduce.predictors.decision import Blocks
from mlreduce.registry import register
from mlreduce.validation import FloatArray, as_dense, check_count, check_features, check_memory, check_range, is_sparse


class _NeighbourVotes(NestedClassifier, ProbableClassifier):
    """Base of the classifiers by votes of the nearest training rows."""

    complexity = Complexity("n s", "p")
    takes_unknown_cells = True
    #: Whether predicted labels are features of the next label.
    _chained = False

    n_neighbors: Any
    pseudocount: float
    n_jobs: int | None

    @property
    def _least_neighbours(self) -> int:
        """How many there have to be at least."""
        return int(self.n_neighbors)

    def _fit(self, features: Any, labels: Any) -> None:
        n_samples, n_labels = labels.shape
        self._check(n_samples, n_labels)
        if is_sparse(labels) and not self._chained:
            self._present = labels
        else:
            check_memory(
                9.0 * n_samples * n_labels if is_sparse(labels) else 0,
                f"a table of {n_labels} labels for {n_samples} rows",
                "take fewer labels; br-knn and ml-knn need no such table",
            )
            self._present = _by_label(as_dense(labels), self._least_neighbours)
        self._training, self._order = TrainingRows(features), self._order_of(n_labels)
        self._tally = _Tally.from_labels(labels)

    def _fit_left_out(self, features: Any, labels: Any) -> FloatArray | None:
        votes = self._fit_votes(features, labels)
        return self._left_out_scores(votes, labels)

    def _fit_held_out_blocks(self, features: Any, labels: Any) -> Blocks:
        votes = self._fit_votes(features, labels)
        return lambda: ((rows, self._left_out_scores(votes[rows], labels[rows])) for rows in row_blocks(*votes.shape))

    def _fit_votes(self, features: Any, labels: Any) -> Any:
        """Fit, and return the votes for each training row among the others."""
        _check_others(self.n_neighbors, labels.shape[0])
        self._fit(features, labels)
        return self._votes_in_blocks(None, self._order)

    def _left_out_scores(self, votes: Any, labels: Any) -> FloatArray:
        """Return the scores of training rows by the votes among the others."""
        return self._smoothed(votes, self._tally.frequencies(labels))

    def _shares(self, X: Any) -> FloatArray:
        """Return the share of the neighbours with each label."""
        return self._smoothed(self._votes_for(X), self._tally.frequencies())

    def _smoothed(self, votes: Any, frequencies: FloatArray) -> FloatArray:
        """Return the shares of the votes, with the frequencies of the labels as some votes more."""
        return (_dense(votes) + self.pseudocount * frequencies) / (self.n_neighbors + 2 * self.pseudocount)

    def _votes_for(self, X: Any) -> Any:
        """Return how many of the neighbours of each row have each label; CSR where labels are sparse."""
        check_is_fitted(self, "classes_")
        rows = check_features(self, X, reset=False)
        return self._votes_in_blocks(rows, self._order, getattr(self, "n_neighbors_", None))

    def _votes_in_blocks(
        self, rows: Any, order: NDArray[np.int64] | None = None, n_neighbors: int | None = None
    ) -> Any:
        """Return the votes for some rows; None for the training rows, of the others."""
        among = rows is None
        blocks = self._map_blocks(
            rows, lambda pairs: self._votes(pairs, self._present, among, order=order, n_neighbors=n_neighbors)
        )
        return sp.csr_array(sp.vstack(blocks)) if is_sparse(blocks[0]) else np.concatenate(blocks)

    def _map_blocks(self, rows: Any, count: Callable[[Pairs], Any]) -> list[Any]:
        """Return what is counted in each block of some rows; None for the training rows."""
        several = (rows is None or rows.shape[0] > 1) and joblib.effective_n_jobs(self.n_jobs) > 1
        pairs = self._training.pairs(rows, apart=several)
        if several:
            counted = joblib.delayed(count)
            return list(joblib.Parallel(self.n_jobs, require="sharedmem")(counted(pair) for pair in pairs))
        return [count(pair) for pair in pairs]

    def _nested(self, train: Any, labels: FloatArray, test: Any, sizes: Sequence[int]) -> Iterator[NDArray[Any]]:
        self._check(len(labels), labels.shape[1])
        distances = GrowingDistances(train, test)
        present, order = _by_label(labels, self._least_neighbours), self._order_of(labels.shape[1])
        for size in sizes:
            distances.add(size)
            votes = self._votes(distances.pairs(), present, order=order)
            yield self._smoothed(votes, _Tally.from_labels(labels).frequencies())

    def _nested_left_out(
        self, train: Any, labels: FloatArray, test: Any, sizes: Sequence[int]
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the scores of the training rows among the others, and those of the test rows."""
        self._check_known(labels)
        self._check(len(labels), labels.shape[1])
        _check_others(self.n_neighbors, len(labels))
        among, beyond = GrowingDistances(train, train), GrowingDistances(train, test)
        present, order = _by_label(labels, self._least_neighbours), self._order_of(labels.shape[1])
        for size in sizes:
            among.add(size)
            beyond.add(size)
            votes = self._votes(among.pairs(), present, True, order), self._votes(beyond.pairs(), present, order=order)
            yield self._from_votes(*votes, labels)

    def _from_votes(self, among: Any, beyond: Any, labels: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores by the votes for the training rows, and for others."""
        tally = _Tally.from_labels(labels)
        return self._smoothed(among, tally.frequencies(labels)), self._smoothed(beyond, tally.frequencies())

    def _votes(
        self,
        pairs: Pairs,
        present: Any,
        among_themselves: bool = False,
        order: NDArray[np.int64] | None = None,
        n_neighbors: int | None = None,
    ) -> Any:
        """Return how many of the neighbours have each label; of training rows among themselves, of the others.

        CSR where ``present`` is, which then has the labels of the training rows; else it has a row per label.
        """
        first, number = pairs.rows.start if among_themselves else -1, n_neighbors or self.n_neighbors
        if is_sparse(present):
            neighbours = _neighbours(*pairs[1:], first, number)
            ends = np.arange(len(neighbours) + 1) * number
            ones = np.ones(neighbours.size)
            chosen = sp.csr_array((ones, neighbours.ravel(), ends), shape=(len(neighbours), present.shape[0]))
            return sp.csr_array(chosen @ present, dtype=np.int64)
        partly = present.min() < 0
        if not self._chained:
            return _votes_by_number(*pairs[1:], first, present, np.array([number]), partly)[0]
        order = np.arange(len(present)) if order is None else order
        return np.asarray(_votes_in_chain(*pairs[1:], first, present, number, order, partly))

    def _votes_of_numbers(
        self, map_blocks: Callable[[Callable[[Pairs], Any]], list[Any]], present: Any, numbers: Sequence[int]
    ) -> dict[int, Any]:
        """Return the votes of training rows among the others, for each of some ascending numbers of neighbours.

        ``map_blocks`` calls a function with each block of the training rows.
        """
        if is_sparse(present):
            blocks = map_blocks(lambda pairs: [self._votes(pairs, present, True, None, number) for number in numbers])
            stacked = [sp.csr_array(sp.vstack(of_number)) for of_number in zip(*blocks, strict=True)]
            return dict(zip(numbers, stacked, strict=True))
        counted, partly = np.asarray(numbers, dtype=np.int64), present.min() < 0
        parts = map_blocks(lambda pairs: _votes_by_number(*pairs[1:], pairs.rows.start, present, counted, partly))
        return dict(zip(numbers, np.concatenate(parts, axis=1), strict=True))

    def _order_of(self, n_labels: int) -> NDArray[np.int64]:
        return np.arange(n_labels)

    def _check(self, n_samples: int, n_labels: int) -> None:
        n_neighbors = check_count(self.n_neighbors, "n_neighbors")
        check_range(self.pseudocount, "pseudocount", 0)
        if n_samples < n_neighbors:
            raise DataError(f"{n_neighbors} neighbours need as many training rows; got n_samples={n_samples}")


@register("br-knn")
class BinaryRelevanceKNN(_NeighbourVotes):
    """Binary relevance with k-nearest neighbours (BR-kNN): a label is present where most neighbours have it.

    All labels share the same neighbours, but for labels that are not known of all training rows (NaN): their neighbours
    are among the rows of which they are known. Of training rows at equal distance the first are taken.

    It predicts sets of labels, and is no ranking of them: a rare label that one neighbour has is before a frequent one
    that none has. `MLKNN` weighs votes by what they say of each label.

    Parameters
    ----------
    n_neighbors : int, default=3
        >= 1.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`. By default, ``"half"``, a label is
        predicted that more than half of the neighbours have; for the others the training rows vote among the others.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.
    n_jobs : int or None, default=None
        Number of threads that count the votes, as of joblib; they are the same for all.
    pseudocount : float, default=0.25
        >= 0: the share of a label is ``(votes + pseudocount * frequency) / (n_neighbors + 2 * pseudocount)``. Below
        0.5 it orders labels with as many votes by their frequencies and changes nothing else; 0 leaves them tied.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Boutell, Luo, Shen and Brown, "Learning multi-label scene classification", Pattern Recognition 37(9), 2004.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.BinaryRelevanceKNN(n_neighbors=7).fit(data.X[:200], data.Y[:200])
    >>> float((model.predict(data.X[200:]) == data.Y[200:])[:, :8].mean().round(1))  # of the learnable labels
    0.7
    """

    def __init__(
        self,
        n_neighbors: int = 3,
        decision: str = "half",
        measure: str = "micro-f1",
        n_jobs: int | None = None,
        pseudocount: float = 0.25,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.decision = decision
        self.measure = measure
        self.n_jobs = n_jobs
        self.pseudocount = pseudocount


@register("cc-knn")
class ClassifierChainKNN(_NeighbourVotes):
    """Classifier chain with k-nearest neighbours (CC-kNN): predicted labels are features of the next.

    A label is one more column, 0 or 1, so that its weight depends on the scale of the features. The distances of the
    features are computed once, and each label moves the training rows that have it nearer or farther by one: of the
    training rows all labels have to be known. As of `BinaryRelevanceKNN`, votes rank labels badly.

    Parameters
    ----------
    n_neighbors : int, default=3
        >= 1; a label is present where more than half of the neighbours have it.
    order : sequence of int, "shuffled" or None, default=None
        The labels in the order of the chain; None for that of the columns, "shuffled" for a random one.
    random_state : int, RandomState instance or None, default=None
        Seed of a shuffled order.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`. The labels that are features of the
        next are always those of most neighbours. By default, ``"half"``, they are also what is predicted; for the
        other decisions the training rows vote among the others.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.
    n_jobs : int or None, default=None
        Number of threads that count the votes, as of joblib; they are the same for all.
    pseudocount : float, default=0.25
        >= 0: the share of a label is ``(votes + pseudocount * frequency) / (n_neighbors + 2 * pseudocount)``. Below
        0.5 it orders labels with as many votes by their frequencies and changes nothing else; 0 leaves them tied.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Read, Pfahringer, Holmes and Frank, "Classifier chains for multi-label classification", Machine Learning 85(3),
    2011.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.ClassifierChainKNN(order="shuffled", random_state=0)
    >>> model.fit(data.X[:200], data.Y[:200]).predict(data.X[200:]).shape
    (100, 12)
    """

    complexity = Complexity("n s + 8 q n^2", "n q")
    takes_unknown_cells = False
    _chained = True

    def __init__(
        self,
        n_neighbors: int = 3,
        order: Sequence[int] | Literal["shuffled"] | None = None,
        random_state: Any = None,
        decision: str = "half",
        measure: str = "micro-f1",
        n_jobs: int | None = None,
        pseudocount: float = 0.25,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.order = order
        self.random_state = random_state
        self.decision = decision
        self.measure = measure
        self.n_jobs = n_jobs
        self.pseudocount = pseudocount

    def _order_of(self, n_labels: int) -> NDArray[np.int64]:
        if self.order is None:
            return super()._order_of(n_labels)
        order = check_random_state(self.random_state).permutation(n_labels) if self.order == "shuffled" else self.order
        return np.asarray(order, dtype=np.int64)

    def _check(self, n_samples: int, n_labels: int) -> None:
        super()._check(n_samples, n_labels)
        if isinstance(self.order, str):
            if self.order != "shuffled":
                raise DataError(unknown_name("order", self.order, ["shuffled"]))
        elif self.order is not None and sorted(self.order) != list(range(n_labels)):
            raise DataError(f"order must hold each of 0..{n_labels - 1}, the labels, once; got {self.order!r}")


class _Tally(NamedTuple):
    """How many training rows have each label, of those of which it is known; both of shape (n_labels,)."""

    present: FloatArray
    known: FloatArray

    @classmethod
    def from_labels(cls, labels: Any) -> Self:
        if is_sparse(labels):
            return cls(np.asarray(labels.sum(axis=0)), np.full(labels.shape[1], labels.shape[0]))
        known = labels >= 0
        return cls(np.where(known, labels, 0).sum(axis=0), known.sum(axis=0))

    def frequencies(self, left_out: Any = None) -> FloatArray:
        """Return the frequencies of the labels; for rows with labels to be left out those among the others."""
        present, known = self
        if left_out is not None:
            labels = _dense(left_out)
            present, known = present - np.where(labels >= 0, labels, 0), known - (labels >= 0)
        return present / np.maximum(known, 1)


def _dense(votes: Any) -> NDArray[np.int64]:
    return votes.toarray() if is_sparse(votes) else votes


def _check_others(n_neighbors: int, n_samples: int) -> None:
    if n_samples == n_neighbors:
        raise DataError(f"{n_neighbors} neighbours of a training row need one row more; got n_samples={n_samples}")


def _by_label(labels: FloatArray, n_neighbors: int) -> NDArray[np.int8]:
    """Return labels as a table with a row per label: 1, 0, and -1 where not known."""
    known = labels >= 0
    if known.all():
        return np.ascontiguousarray(labels.T, dtype=np.int8)
    counts = known.sum(axis=0)
    few = np.flatnonzero((counts > 0) & (counts <= n_neighbors))
    if len(few):
        raise DataError(
            f"y is known of {counts[few[0]]} rows in column {few[0]}; for {n_neighbors} neighbours known there, "
            f"{n_neighbors + 1} are the least: leave such a label out, or lower n_neighbors"
        )
    return np.ascontiguousarray(np.where(known, labels, -1).T, dtype=np.int8)


# Columns that are compared with the farthest neighbour at once, so that the processor takes several in one step.
_CHUNK = 64


@compiled_part
def _find(distances: Any, known: Any, partly: bool, best: Any) -> int:
    """Put the nearest columns into ``best`` in ascending order, and return their number; of equal ones the first."""
    n_columns, n_neighbors = len(distances), len(best)
    count = 0
    farthest = np.inf
    for start in range(0, n_columns, _CHUNK):
        stop = min(start + _CHUNK, n_columns)
        closer = 0
        for column in range(start, stop):
            closer += distances[column] < farthest
        if count == n_neighbors and closer == 0:
            continue
        for column in range(start, stop):
            if partly and known[column] < 0:
                continue
            distance = distances[column]
            if count < n_neighbors or distance < farthest:
                at = count if count < n_neighbors else n_neighbors - 1
                while at > 0 and distances[best[at - 1]] > distance:
                    best[at] = best[at - 1]
                    at -= 1
                best[at] = column
                count = min(count + 1, n_neighbors)
                if count == n_neighbors:
                    farthest = distances[best[count - 1]]
    return count


@compiled_part
def _measure(products: Any, squares: float, others: Any, unit: float, left_out: int, distances: Any) -> None:
    """Compute the distances of a row to all columns; infinite to the one that is left out, if it is not -1."""
    inverse = 1.0 / unit
    for column in range(len(others)):
        distances[column] = distance_on_grid(products[column], squares, others[column], inverse, unit)
    if left_out >= 0:
        distances[left_out] = np.inf


@compiled
def _neighbours(
    products: FloatArray, squares: FloatArray, others: FloatArray, unit: float, first: int, n_neighbors: int
) -> NDArray[np.int64]:
    """Return the nearest columns of each row; ``first`` as of `_votes_by_number`."""
    n_rows, n_columns = products.shape
    nearest = np.empty((n_rows, n_neighbors), dtype=np.int64)
    distances, known = np.empty(n_columns), np.empty(0, dtype=np.int8)
    for row in range(n_rows):
        _measure(products[row], squares[row], others, unit, first + row if first >= 0 else -1, distances)
        _find(distances, known, False, nearest[row])
    return nearest


@compiled
def _votes_in_chain(
    products: FloatArray,
    squares: FloatArray,
    others: FloatArray,
    unit: float,
    first: int,
    present: NDArray[np.int8],
    n_neighbors: int,
    order: NDArray[np.int64],
    partly: bool,
) -> NDArray[np.int64]:
    """Return how many of the nearest columns of each row have each label, where those before are coordinates.

    Each label is one more coordinate: a step of one for the columns that have it, towards the row if it is predicted
    and away from it if not. A term that all columns share is left out. Arguments are those of `_votes_by_number`.
    """
    n_rows, n_columns = products.shape
    votes = np.zeros((n_rows, len(present)), dtype=np.int64)
    distances = np.empty(n_columns)
    best = np.empty(n_neighbors, dtype=np.int64)
    for row in range(n_rows):
        _measure(products[row], squares[row], others, unit, first + row if first >= 0 else -1, distances)
        for label in order:
            count = _find(distances, present[label], partly, best)
            for at in range(count):
                votes[row, label] += present[label, best[at]]
            away = -1.0 if 2 * votes[row, label] > n_neighbors else 1.0
            for column in range(n_columns):
                distances[column] += away * present[label, column]
    return votes


@compiled
def _votes_by_number(
    products: FloatArray,
    squares: FloatArray,
    others: FloatArray,
    unit: float,
    first: int,
    present: NDArray[np.int8],
    numbers: NDArray[np.int64],
    partly: bool,
) -> NDArray[np.int64]:
    """Return how many of the nearest columns of each row have each label, for some ascending numbers of neighbours.

    Column ``first`` and the following, unless it is -1, are the rows themselves and left out. Where labels are known
    ``partly``, the neighbours are those of which the label is known, that is, not -1. The nearest columns are searched
    once: the first of them are those of a smaller number.
    """
    n_rows, n_columns = products.shape
    votes = np.zeros((len(numbers), n_rows, len(present)), dtype=np.int64)
    distances = np.empty(n_columns)
    best = np.empty(numbers[-1], dtype=np.int64)
    for row in range(n_rows):
        _measure(products[row], squares[row], others, unit, first + row if first >= 0 else -1, distances)
        count = 0
        for label in range(len(present)):
            if label == 0 or partly:
                count = _find(distances, present[label], partly, best)
            total, at = 0, 0
            for place in range(len(numbers)):
                while at < min(count, numbers[place]):
                    total += present[label, best[at]]
                    at += 1
                votes[place, row, label] = total
    return votes
