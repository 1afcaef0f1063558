"""Sample duplication: every instance once per label, which makes multi-label data single-label data.

A duplicate is a pair of an instance and one of its labels; its features and distances are those of the instance and
are never copied. C of shape (n_duplicates, n_samples) has the weight of each duplicate in the column of its instance:
1, or one divided by the instance's number of labels (Mu et al. 2012, equations (32) and (33)). A form M over the
duplicates is ``C'MC`` over the instances. Instances with one label each equal their duplicates.

Duplicates are ordered by instance, and then by label as they are, or rarer labels first, which does not depend on the
order of the labels; of equally near ones the first is the nearer. Duplicates of the
same instance have distance zero and different classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.spectral.form import Form
from mlreduce.spectral.graphs.proximity import attraction
from mlreduce.spectral.graphs.search import nearest_between, nearest_within
from mlreduce.spectral.training_set import TrainingSet
from mlreduce.validation import FloatArray, as_dense, is_sparse

__all__ = ["ClassMembers", "Duplicates", "duplicates_of", "instances_with_labels"]

_Indices = NDArray[np.intp]

#: Blocks of instances and their distances to all, as of `mlreduce.spectral.graphs.neighbours.distance_blocks`.
Blocks = Iterable[tuple[slice, FloatArray]]


class ClassMembers(NamedTuple):
    """The duplicates of one class.

    Attributes
    ----------
    rows : ndarray of shape (size,)
        Their instances, ascending.
    copies : ndarray of shape (size,)
        Their indices among all duplicates, ascending.
    """

    rows: _Indices
    copies: _Indices


class Duplicates:
    """Duplicated instances of multi-label data, and graphs over them.

    Parameters
    ----------
    labels : ndarray or csr_array of shape (n_samples, n_labels)
        In {0, 1}.
    weighted : bool
        Whether a duplicate's weight is one divided by the number of its instance's labels, not 1.
    ties : {"first", "rarest"}, default="first"
        Order of the duplicates of an instance: as the labels are, or rarer labels first.

    Attributes
    ----------
    row, label : ndarray of shape (n_duplicates,)
        Instance and class of each duplicate.
    share : ndarray of shape (n_duplicates,)
        Weight of each duplicate.
    incidence : csr_array of shape (n_duplicates, n_samples)
        C.
    members : csr_array of shape (n_samples, n_labels)
        Weight of each instance's duplicate in each class, zero where there is none.
    weights : ndarray of shape (n_samples,)
        Diagonal of ``C'C``.
    sizes : ndarray of shape (n_labels,)
        Number of duplicates in each class.

    Raises
    ------
    DataError
        If fewer than two classes have instances.
    """

    def __init__(self, labels: Any, weighted: bool, ties: str = "first") -> None:
        ones = sp.csr_array(labels, copy=True)
        ones.eliminate_zeros()
        ones.sort_indices()
        self._labels = ones
        self._counts: _Indices = np.diff(ones.indptr).astype(np.intp)
        self._starts = ones.indptr[:-1].astype(np.intp)
        self.label: _Indices = ones.indices.astype(np.intp)
        self.row: _Indices = np.repeat(np.arange(ones.shape[0]), self._counts)
        if ties == "rarest":
            self.label = self.label[np.lexsort((_rarity(ones)[self.label], self.row))]
        self.sizes = np.bincount(self.label, minlength=ones.shape[1]).astype(np.float64)
        used = np.count_nonzero(self.sizes)
        if used < 2:
            occur = "two classes at least: only one label occurs" if used else "classes: no instance has a label"
            raise DataError(f"separating classes needs {occur}")
        n_duplicates = len(self.row)
        self.share: FloatArray = 1.0 / self._counts[self.row] if weighted else np.ones(n_duplicates)
        self.incidence = sp.csr_array(
            (self.share, self.row, np.arange(n_duplicates + 1)), shape=(n_duplicates, ones.shape[0])
        )
        self.members = sp.csr_array((self.share, ones.indices, ones.indptr), shape=ones.shape)
        self.weights: FloatArray = np.asarray(self.incidence.power(2).sum(axis=0), dtype=np.float64).reshape(-1)

    def classes(self) -> Iterator[ClassMembers]:
        """Yield the classes that are not empty."""
        order = np.argsort(self.label, kind="stable")
        ends = np.cumsum(self.sizes).astype(np.intp)
        for label in np.flatnonzero(self.sizes):
            copies = order[ends[label] - int(self.sizes[label]) : ends[label]]
            yield ClassMembers(self.row[copies], copies)

    def laplacian(self, graph: Any) -> Form:
        """Return ``C'(D(W) - W)C`` for a sparse graph W over the duplicates."""
        return (attraction(graph) * -1.0).pulled_back(self.incidence)

    def laplacian_by_label(self, proximities: Any, factors: FloatArray) -> Form:
        """Return ``C'(D(W) - W)C``, W the proximity of two duplicates' instances times a factor of their labels.

        Parameters
        ----------
        proximities : csr_array or ndarray of shape (n_samples, n_samples)
            Symmetric.
        factors : ndarray of shape (n_labels, n_labels)
            Symmetric; of each pair of labels.
        """
        members = as_dense(self.members)
        degrees = as_dense(proximities @ self._labels) @ factors
        joined = _elementwise(proximities, members @ factors, members)
        return Form(weights=np.einsum("ij,ij->i", members**2, degrees), graph=-joined)

    def neighbours(self, blocks: Blocks, within: int = 0, between: int = 0) -> tuple[Any, Any]:
        """Return the directed graphs from each duplicate to its nearest in the same class, and in other classes.

        Parameters
        ----------
        blocks : iterable of (slice, ndarray of shape (n_rows, n_samples))
            Instances and their distances to all.
        within, between : int, default=0
            Numbers of neighbours.

        Returns
        -------
        two csr_array of ones, shape (n_duplicates, n_duplicates)
        """
        inside, elsewhere = self.nearest(blocks, within, between)
        sources, places = np.nonzero(inside >= 0)
        same = self._graph(sources, inside[sources, places])
        starts, ends = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
        for members in self.classes() if between else ():
            nearest = elsewhere[members.copies]
            taken = _first(np.where(nearest >= 0, self._elsewhere(members)[nearest], 0), between)
            starts.append(np.repeat(members.copies, taken.sum(axis=1)))
            ends.append(self._others(members, nearest.ravel(), taken.ravel()))
        return same, self._graph(np.concatenate(starts), np.concatenate(ends))

    def nearest(self, blocks: Blocks, within: int, between: int = 0) -> tuple[_Indices, _Indices]:
        """Return each duplicate's nearest in its class, and the nearest instances with duplicates in other classes.

        Parameters
        ----------
        blocks, within, between
            As of `neighbours`.

        Returns
        -------
        copies : ndarray of shape (n_duplicates, within)
            Duplicates, nearest first; -1 where the class has fewer.
        rows : ndarray of shape (n_duplicates, between)
            Instances, nearest first; -1 where there are fewer.
        """
        within, between = min(within, int(self.sizes.max())), min(between, len(self._counts))
        order = np.argsort(self.label, kind="stable")
        ends = np.r_[0, np.cumsum(self.sizes)].astype(np.intp)
        starts, members = np.r_[self._starts, len(self.row)], self.row[order]
        copies, instances = (
            np.empty((len(order), within), dtype=np.intp),
            np.empty((len(order), between), dtype=np.intp),
        )
        for rows, block in blocks:
            duplicates = slice(starts[rows.start], starts[rows.stop])
            if within:
                places = nearest_within(block, rows.start, starts, self.label, ends, members, within)
                copies[duplicates] = np.where(places >= 0, order[places], -1)
            if between:
                instances[duplicates] = nearest_between(block, rows.start, starts, self.label, between)
        return copies, instances

    def marginal(self, blocks: Blocks, within: int, number: int | None) -> tuple[Any, Any]:
        """Return two graphs from one pass: `neighbours` within classes, and the nearest pairs of each class and others.

        Parameters
        ----------
        blocks, within
            As of `neighbours`; blocks in ascending order.
        number : int or None
            Pairs per class; None for as many as its instances have duplicates.

        Returns
        -------
        two csr_array of ones, shape (n_duplicates, n_duplicates)
            The first directed, the second symmetric.
        """
        pairs = [
            _NearestPairs(members, self._elsewhere(members), number or int(self._counts[members.rows].sum()))
            for members in self.classes()
        ]

        def collected() -> Blocks:
            for rows, block in blocks:
                for each in pairs:
                    each.add(rows, block)
                yield rows, block

        same, _ = self.neighbours(collected(), within)
        sources, targets = [], []
        for each in pairs:
            taken = _first(each.elsewhere[each.columns], each.number)
            sources.append(np.repeat(each.members.copies[each.places], taken))
            targets.append(self._others(each.members, each.columns, taken))
        return same, symmetrised(self._graph(np.concatenate(sources), np.concatenate(targets)))

    def _elsewhere(self, members: ClassMembers) -> _Indices:
        """Return the number of each instance's duplicates in other classes."""
        counts = self._counts.copy()
        counts[members.rows] -= 1
        return counts

    def _others(self, members: ClassMembers, rows: _Indices, taken: _Indices) -> _Indices:
        """Return the first ``taken`` duplicates in other classes of each of some instances."""
        place = np.full(len(self._counts), len(self.row))  # of the duplicate to be left out among its instance's
        place[members.rows] = members.copies - self._starts[members.rows]
        rows, ends = np.repeat(rows, taken), np.cumsum(taken)
        position = np.arange(len(rows)) - np.repeat(ends - taken, taken)
        position += position >= place[rows]
        return self._starts[rows] + position

    def _graph(self, sources: _Indices, targets: _Indices) -> Any:
        size = len(self.row)
        return sp.csr_array((np.ones(len(sources)), (sources, targets)), shape=(size, size))


def _rarity(labels: Any) -> _Indices:
    """Return the ranks of labels by size, then by the label counts of their instances, then by these instances."""
    columns = labels.tocsc()
    columns.sort_indices()
    counts = np.asarray(labels.sum(axis=1)).reshape(-1)
    powers = np.column_stack([labels.T @ counts**power for power in range(4)])
    instances = np.split(columns.indices, columns.indptr[1:-1])
    order = sorted(range(len(powers)), key=lambda label: (*powers[label], *instances[label]))
    return np.argsort(order)


def duplicates_of(data: TrainingSet, weighted: bool, ties: str = "first") -> Duplicates:
    """Return the duplicates of a training set, cached with it."""
    return data.cached(f"duplicates, weighted={weighted}, {ties}", lambda: Duplicates(data.labels, weighted, ties))


def instances_with_labels(data: TrainingSet) -> TrainingSet:
    """Return the subset of the instances that have a label, cached with the full set; the full set if all have.

    Raises
    ------
    DataError
        If no instance has a label.
    """
    rows = np.flatnonzero(data.label_counts)
    if len(rows) == len(data.label_counts):
        return data
    if not len(rows):
        raise DataError("separating classes needs classes: no instance has a label")
    return data.cached("instances with labels", lambda: data.subset(rows))


def symmetrised(graph: Any) -> Any:
    """Return the symmetric graph of the pairs that a directed graph joins in either direction."""
    return sp.csr_array(graph.maximum(graph.T))


def _first(counts: _Indices, number: int) -> _Indices:
    """Return the part of each count, along the last axis, that belongs to the first ``number`` items."""
    before = counts.cumsum(axis=-1) - counts
    return np.clip(number - before, 0, counts)


class _NearestPairs:
    """The nearest pairs of a member of a class and an instance with other classes; of equally near ones the first.

    There are ``number`` pairs at most. ``elsewhere`` has the number of each instance's duplicates in other classes;
    ``places`` and ``columns``, nearest first, are indices into the members, and instances.
    """

    def __init__(self, members: ClassMembers, elsewhere: _Indices, number: int) -> None:
        self.members, self.elsewhere, self.number = members, elsewhere, number
        self._candidates = elsewhere > 0
        self.places, self.columns = np.zeros((2, 0), dtype=np.intp)
        self._values = np.zeros(0)

    def add(self, rows: slice, distances: FloatArray) -> None:
        """Add the members among some instances, of larger row numbers than those before, by their distances to all."""
        first, stop = np.searchsorted(self.members.rows, (rows.start, rows.stop))
        part = distances[self.members.rows[first:stop] - rows.start]
        bound = self._values[-1] if len(self._values) == self.number else np.inf
        row, column = np.divmod(np.flatnonzero((part < bound) & self._candidates), distances.shape[1])
        values = np.r_[self._values, part[row, column]]
        order = _smallest(values, self.number)
        self._values = values[order]
        self.places = np.r_[self.places, row + first][order]
        self.columns = np.r_[self.columns, column][order]


def _smallest(values: FloatArray, number: int) -> _Indices:
    """Return the indices of the smallest values, smallest first; of equal ones the first."""
    if number >= len(values):
        return np.argsort(values, kind="stable")
    bound = np.partition(values, number - 1)[number - 1]
    places = np.flatnonzero(values <= bound)
    return places[np.argsort(values[places], kind="stable")][:number]


def _elementwise(graph: Any, left: FloatArray, right: FloatArray) -> Any:
    """Return the elementwise product of a graph and ``left right'``, sparse if the graph is."""
    if not is_sparse(graph):
        return graph * (left @ right.T)
    entries = graph.tocoo()
    rows, columns = entries.coords
    values = entries.data * np.einsum("ij,ij->i", left[rows], right[columns])
    return sp.csr_array((values, (rows, columns)), shape=graph.shape)
