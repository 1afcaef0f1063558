"""Instances once for each of their labels: what methods for classes see of multi-label data.

A copy is an instance in one of its classes. Features are never copied: a copy is a row of them and a label, and its
distances are its instance's. A form over the copies becomes one over the instances by ``C'MC``, where C holds what a
copy counts: 1, or one divided by the number of its instance's labels (Mu et al. 2012, equations (32) and (33)).
Instances with one label each are their own copies.

Copies are ordered by instance and then by label, and of copies that are equally far away the first is the nearer. The
other copies of an instance lie at distance zero, in other classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import nearest
from mlreduce.spectral.graphs.proximity import attraction
from mlreduce.spectral.problem import Form, TrainingSet
from mlreduce.validation import FloatArray, as_dense, is_sparse

__all__ = ["Copies", "OneClass", "copies_of", "with_labels"]

_Indices = NDArray[np.intp]


class OneClass(NamedTuple):
    """The copies of one class, in order.

    Attributes
    ----------
    rows : ndarray of shape (size,)
        Their instances, ascending.
    copies : ndarray of shape (size,)
        Their positions among all copies.
    """

    rows: _Indices
    copies: _Indices


class Copies:
    """The copies of multi-label instances, and graphs over them.

    Parameters
    ----------
    labels : ndarray or csr_array of shape (n_samples, n_labels)
        In {0, 1}.
    weighted : bool
        Whether a copy counts one divided by the number of its instance's labels.

    Attributes
    ----------
    row, label : ndarray of shape (n_copies,)
        Instance and class of each copy.
    where : csr_array of shape (n_copies, n_samples)
        C: what a copy counts, in the column of its instance.
    members : csr_array of shape (n_samples, n_labels)
        ``C'`` times the copies' classes: what the copy of an instance in a class counts, zero where there is none.
    share : ndarray of shape (n_copies,)
        What each copy counts.
    weights : ndarray of shape (n_samples,)
        Diagonal of ``C'C``.
    sizes : ndarray of shape (n_labels,)
        Number of copies in each class.

    Raises
    ------
    DataError
        If fewer than two classes have instances.
    """

    def __init__(self, labels: Any, weighted: bool) -> None:
        ones = sp.csr_array(labels, copy=True)
        ones.eliminate_zeros()
        ones.sort_indices()
        self._labels = ones
        self._counts: _Indices = np.diff(ones.indptr).astype(np.intp)
        self._starts = ones.indptr[:-1].astype(np.intp)
        self.label: _Indices = ones.indices.astype(np.intp)
        self.row: _Indices = np.repeat(np.arange(ones.shape[0]), self._counts)
        self.sizes = np.bincount(self.label, minlength=ones.shape[1]).astype(np.float64)
        used = np.count_nonzero(self.sizes)
        if used < 2:
            occur = "two classes at least: only one label occurs" if used else "classes: no instance has a label"
            raise DataError(f"what separates classes needs {occur}")
        n_copies = len(self.row)
        self.share: FloatArray = 1.0 / self._counts[self.row] if weighted else np.ones(n_copies)
        self.where = sp.csr_array((self.share, self.row, np.arange(n_copies + 1)), shape=(n_copies, ones.shape[0]))
        self.members = sp.csr_array((self.share, ones.indices, ones.indptr), shape=ones.shape)
        self.weights: FloatArray = np.asarray(self.where.power(2).sum(axis=0), dtype=np.float64).reshape(-1)

    def classes(self) -> Iterator[OneClass]:
        """Yield the classes that have copies."""
        order = np.argsort(self.label, kind="stable")
        ends = np.cumsum(self.sizes).astype(np.intp)
        for label in np.flatnonzero(self.sizes):
            copies = order[ends[label] - int(self.sizes[label]) : ends[label]]
            yield OneClass(self.row[copies], copies)

    def laplacian(self, graph: Any) -> Form:
        """Return ``C'(D(W) - W)C`` for a sparse graph W over the copies."""
        return attraction(graph).times_number(-1.0).carried(self.where)

    def laplacian_by_label(self, proximities: Any, factors: FloatArray) -> Form:
        """Return ``C'(D(W) - W)C`` where a proximity of two instances counts for their copies by the labels of these.

        Parameters
        ----------
        proximities : csr_array or ndarray of shape (n_samples, n_samples)
            Symmetric.
        factors : ndarray of shape (n_labels, n_labels)
            Symmetric: by what the proximity is multiplied between copies with these labels.
        """
        members = as_dense(self.members)
        degrees = as_dense(proximities @ self._labels) @ factors
        joined = _elementwise(proximities, members @ factors, members)
        return Form(weights=np.einsum("ij,ij->i", members**2, degrees), graph=-joined)

    def neighbours_inside(self, distances: FloatArray, number: int) -> Any:
        """Return the graph from each copy to its nearest in its class: a csr_array of ones, over the copies."""
        sources, targets = [], []
        for own in self.classes():
            found = nearest_inside(distances, own.rows, number)
            sources.append(np.repeat(own.copies, found.shape[1]))
            targets.append(own.copies[found.ravel()])
        return self._graph(np.concatenate(sources), np.concatenate(targets))

    def neighbours_across(self, distances: FloatArray, number: int) -> Any:
        """Return the graph from each copy to its nearest in other classes: a csr_array of ones, over the copies."""
        sources, targets = [], []
        for own in self.classes():
            elsewhere = self._elsewhere(own)
            candidates = np.flatnonzero(elsewhere)
            among = distances[np.ix_(own.rows, candidates)]
            found = candidates[nearest(among, min(number, len(candidates)))]
            taken = _first(elsewhere[found], number)
            sources.append(np.repeat(own.copies, taken.sum(axis=1)))
            targets.append(self._others(own, found.ravel(), taken.ravel()))
        return self._graph(np.concatenate(sources), np.concatenate(targets))

    def nearest_pairs_across(self, distances: FloatArray, number: int | None) -> Any:
        """Return the graph of the nearest pairs of each class and others: a symmetric csr_array of ones.

        Parameters
        ----------
        distances : ndarray of shape (n_samples, n_samples)
        number : int or None
            Pairs a class; None for as many as its instances have copies.
        """
        sources, targets = [], []
        for own in self.classes():
            elsewhere = self._elsewhere(own)
            candidates = np.flatnonzero(elsewhere)
            among = distances[np.ix_(own.rows, candidates)].ravel()
            wanted = int(self._counts[own.rows].sum()) if number is None else number
            pairs = _smallest(among, wanted)
            copies, found = own.copies[pairs // len(candidates)], candidates[pairs % len(candidates)]
            taken = _first(elsewhere[found], wanted)
            sources.append(np.repeat(copies, taken))
            targets.append(self._others(own, found, taken))
        directed = self._graph(np.concatenate(sources), np.concatenate(targets))
        return either_way(directed)

    def _elsewhere(self, own: OneClass) -> _Indices:
        """Return how many copies of each instance belong to other classes."""
        counts = self._counts.copy()
        counts[own.rows] -= 1
        return counts

    def _others(self, own: OneClass, rows: _Indices, taken: _Indices) -> _Indices:
        """Return the first copies of some instances that belong to other classes than one, so many of each."""
        place = np.full(len(self._counts), len(self.row))  # of the one to be left out among its instance's copies
        place[own.rows] = own.copies - self._starts[own.rows]
        rows, ends = np.repeat(rows, taken), np.cumsum(taken)
        position = np.arange(len(rows)) - np.repeat(ends - taken, taken)
        position += position >= place[rows]
        copies: _Indices = self._starts[rows] + position
        return copies

    def _graph(self, sources: _Indices, targets: _Indices) -> Any:
        size = len(self.row)
        return sp.csr_array((np.ones(len(sources)), (sources, targets)), shape=(size, size))


def copies_of(data: TrainingSet, weighted: bool) -> Copies:
    """Return the copies of a training set's instances, which it keeps for further methods."""
    return data.kept(f"copies, weighted={weighted}", lambda: Copies(data.labels, weighted))


def with_labels(data: TrainingSet) -> TrainingSet:
    """Return the instances that have labels as a training set, which the whole one keeps; itself where all have.

    Raises
    ------
    DataError
        If no instance has a label.
    """
    rows = np.flatnonzero(data.label_counts)
    if len(rows) == len(data.label_counts):
        return data
    if not len(rows):
        raise DataError("what separates classes needs classes: no instance has a label")
    return data.kept("instances with labels", lambda: data.part(rows))


def nearest_inside(distances: FloatArray, rows: _Indices, number: int) -> _Indices:
    """Return the nearest others of some instances among themselves, as positions in ``rows``, nearest first.

    The shape is (n_rows, number), or fewer columns where there are fewer others.
    """
    among = distances[np.ix_(rows, rows)]
    np.fill_diagonal(among, np.inf)
    return nearest(among, min(number, len(rows) - 1))


def either_way(graph: Any) -> Any:
    """Return the symmetric graph that joins a pair if the directed one does, either way round."""
    return sp.csr_array(graph.maximum(graph.T))


def _first(counts: _Indices, number: int) -> _Indices:
    """Say how many to take of each of a list of counts, along the last axis, until a number is reached."""
    before = counts.cumsum(axis=-1) - counts
    return np.clip(number - before, 0, counts)


def _smallest(values: FloatArray, number: int) -> _Indices:
    """Return the places of the smallest values, smallest first, of equal ones the first."""
    if number >= len(values):
        return np.argsort(values, kind="stable")
    bound = np.partition(values, number - 1)[number - 1]
    places = np.flatnonzero(values <= bound)
    return places[np.argsort(values[places], kind="stable")][:number]


def _elementwise(graph: Any, left: FloatArray, right: FloatArray) -> Any:
    """Return the elementwise product of a graph and ``left right'``, sparse where the graph is."""
    if not is_sparse(graph):
        return graph * (left @ right.T)
    entries = graph.tocoo()
    rows, columns = entries.coords
    values = entries.data * np.einsum("ij,ij->i", left[rows], right[columns])
    return sp.csr_array((values, (rows, columns)), shape=graph.shape)
