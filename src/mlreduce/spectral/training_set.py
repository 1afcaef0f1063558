"""Training sets, which cache what the methods fitted on them have in common."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.linalg.features import Features, WeightedFeatures
from mlreduce.linalg.utilities import distinct_rows, scaled
from mlreduce.spectral.form import Form, as_csr
from mlreduce.validation import FloatArray, as_dense, check_memory

__all__ = ["TrainingSet", "selection_matrix"]

_Value = TypeVar("_Value")


class TrainingSet:
    """Features and labels of one training set, with a cache for the methods fitted on it.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), float64
        Checked features.
    labels : ndarray or csr_array of shape (n_samples, n_labels), float64, or None, default=None
        In {0, 1}; zeros in rows that are not labelled. None for unsupervised methods.
    labelled : ndarray of shape (n_samples,), bool, or None, default=None
        Mask of the instances whose labels are known; None is all. Only semi-supervised methods use it.
    points : ndarray or csr_array of shape (n_samples, n_original) or None, default=None
        Features by which distances and neighbours are computed; None is X. Relation features need it: proximities are
        those of the features behind them.
    known : ndarray of shape (n_samples, n_labels), bool, or None, default=None
        Mask of the labels that are known, instead of ``labelled``; labels are zero elsewhere.
    weights : ndarray of shape (n_samples,) or None, default=None
        Of the instances, > 0; only for methods that take them: their forms are `weighted`.

    Attributes
    ----------
    cache : dict
        See `cached`.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.spectral import TrainingSet
    >>> data = mlreduce.load_dataset("planted-300")
    >>> training = TrainingSet(data.X, data.Y.astype(float))
    >>> methods = [mlreduce.make(name, n_components=3) for name in ("mvmd", "pca", "cca")]
    >>> [method.fit_training_set(training).n_components_ for method in methods]
    [3, 3, 3]
    """

    def __init__(
        self,
        X: Any,
        labels: Any = None,
        labelled: NDArray[np.bool_] | None = None,
        points: Any = None,
        known: NDArray[np.bool_] | None = None,
        weights: FloatArray | None = None,
    ) -> None:
        self.X = X
        self.weights = weights
        self._points = points
        self.labels = labels
        if known is not None:
            labelled = np.asarray(known.any(axis=1))
        self.labelled = None if labelled is None or labelled.all() else labelled
        # None if no row is known in part: ``labelled`` then marks the known rows.
        by_rows = known is None or bool((known == known.any(axis=1, keepdims=True)).all())
        self.known = None if by_rows else known
        #: Number of instances of which the rows have the sums of squares and products, where they are no instances.
        self.n_summarised = 0.0
        self.cache: dict[str, Any] = {}
        # The sets that this one is a subset of, with the rows in them. References are weak: a set caches its subsets,
        # and a reference cycle would keep large arrays alive until the garbage collector runs.
        self._origins: list[tuple[weakref.ref[TrainingSet], NDArray[np.intp]]] = []

    def cached(self, key: str, compute: Callable[[], _Value]) -> _Value:
        """Return the value cached under a key, computed at the first call.

        Parameters
        ----------
        key : str
            What is cached, with every parameter that it depends on.
        compute : callable
            Takes nothing and returns the value.

        Returns
        -------
        object
            The value.
        """
        if key not in self.cache:
            self.cache[key] = compute()
        return self.cache[key]

    @cached_property
    def centred(self) -> Features:
        """The features less their mean; times the roots of the weights."""
        return Features(self.X, centred=True) if self.weights is None else WeightedFeatures(self.X, self.weights)

    @cached_property
    def raw(self) -> Features:
        """The features, not centred; times the roots of the weights."""
        return Features(self.X if self.weights is None else scaled(self.X, np.sqrt(self.weights)), centred=False)

    @property
    def n_counted(self) -> float:
        """Number of instances, or the sum of their weights."""
        return self.X.shape[0] if self.weights is None else float(self.weights.sum())

    def column_sums(self, table: Any) -> FloatArray:
        """Return the sums of the columns of a table over the instances, weighted where these have weights.

        Parameters
        ----------
        table : ndarray or csr_array of shape (n_samples, n_columns)
            A row per instance.

        Returns
        -------
        ndarray of shape (n_columns,)
            The sums.
        """
        sums = table.sum(axis=0) if self.weights is None else table.T @ self.weights
        return np.asarray(sums, dtype=np.float64).reshape(-1)

    def weighted(self, form: Form) -> Form:
        """Return a form over the instances for features that are scaled by the roots of the weights.

        Parameters
        ----------
        form : Form
            Of instances without weights; sums over them that it holds are weighted.

        Returns
        -------
        Form
            The form itself where there are no weights.
        """
        if self.weights is None:
            return form
        roots = np.sqrt(self.weights)
        graph = None if form.graph is None else scaled(form.graph, roots, roots)
        return replace(form, factor=None if form.factor is None else scaled(form.factor, roots), graph=graph)

    @property
    def points(self) -> Any:
        """Features by which distances and neighbours are computed, an array or CSR array."""
        return self.X if self._points is None else self._points

    @cached_property
    def centred_points(self) -> Features:
        """The points less their mean."""
        return self.centred if self._points is None else Features(self._points, centred=True)

    @classmethod
    def partly_labelled(cls, X: Any, labels: Any, labelled: NDArray[np.bool_], points: Any = None) -> TrainingSet:
        """Return a training set from the labels of its labelled instances alone, shape (n_labelled, n_labels).

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_samples, n_features), float64
            All instances.
        labels : ndarray or csr_array of shape (n_labelled, n_labels)
            In {0, 1}, of the labelled instances in the order of X.
        labelled : ndarray of shape (n_samples,), bool
            Mask of the labelled instances.
        points : ndarray or csr_array of shape (n_samples, n_original) or None, default=None
            As of `TrainingSet`.

        Returns
        -------
        TrainingSet
            With zeros as labels of the other instances.
        """
        selection = selection_matrix(np.flatnonzero(labelled), len(labelled))
        return cls(X, as_csr(selection.T @ labels), labelled, points)

    @property
    def labelled_part(self) -> TrainingSet:
        """The labelled instances; the set itself where all are labelled."""
        labelled = self.labelled
        if labelled is None:
            return self
        return self.cached("labelled instances", lambda: self.subset(np.flatnonzero(labelled)))

    def subset(self, rows: NDArray[np.intp]) -> TrainingSet:
        """Return the training set of some of the instances, all of them taken as labelled.

        Parameters
        ----------
        rows : ndarray of int
            Indices of the instances.

        Returns
        -------
        TrainingSet
            With a separate cache.
        """
        labels = None if self.labels is None else self.labels[rows]
        points, weights = (None if each is None else each[rows] for each in (self._points, self.weights))
        subset = TrainingSet(self.X[rows], labels, points=points, weights=weights)
        subset._origins = [(weakref.ref(self), rows), *((full, places[rows]) for full, places in self._origins)]
        return subset

    def selection_from(self, full: TrainingSet) -> Any:
        """Return C, shape (n_instances, n_samples), for `Form.pulled_back` from this subset to the full set.

        Parameters
        ----------
        full : TrainingSet
            The set that this one is a `subset` of.

        Returns
        -------
        csr_array of shape (n_instances, n_samples)
            C: a one per row.

        Raises
        ------
        ValueError
            If this is no subset of it.
        """
        n_samples = full.X.shape[0]
        if full is self:
            return selection_matrix(np.arange(n_samples), n_samples)
        for origin, rows in self._origins:
            if origin() is full:
                return selection_matrix(rows, n_samples)
        raise ValueError("not a subset of the other training set")

    @cached_property
    def class_sizes(self) -> FloatArray:
        """Number of instances of each label, or the sums of their weights, shape (n_labels,)."""
        return self.column_sums(self.labels)

    @cached_property
    def label_counts(self) -> FloatArray:
        """Number of labels of each instance, shape (n_samples,)."""
        return np.asarray(self.labels.sum(axis=1), dtype=np.float64).reshape(-1)

    @cached_property
    def label_sets(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """First instance of each different label set, and the number of the set of each instance."""
        return distinct_rows(self.labels)

    @cached_property
    def label_products(self) -> FloatArray:
        """``Y'Y``, shape (n_labels, n_labels)."""
        n_labels = self.labels.shape[1]
        what = f"a matrix of all pairs of {n_labels} labels"
        check_memory(3 * 8.0 * n_labels**2, what, "take a method that needs none, or fewer labels")
        weighted = self.labels if self.weights is None else scaled(self.labels, self.weights)
        return as_dense(weighted.T @ self.labels)

    @cached_property
    def label_scatter(self) -> FloatArray:
        """``Y'Y`` of the centred labels."""
        return self.label_products - np.outer(self.class_sizes, self.class_sizes) / self.n_counted


def selection_matrix(rows: NDArray[np.intp], n_samples: int) -> Any:
    """Return the matrix that selects rows, shape (n_rows, n_samples): in each row a single one, in the given column.

    Of the numbers of the classes of instances it is the matrix of their members, shape (n_samples, n_classes).
    """
    return sp.csr_array((np.ones(len(rows)), rows, np.arange(len(rows) + 1)), shape=(len(rows), n_samples))
