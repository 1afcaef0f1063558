"""Statistics of labels, and the eigenvectors that label coders take of them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.features import WeightedFeatures
from mlreduce.linalg.utilities import scaled, signed
from mlreduce.validation import DENSE_CELLS, FloatArray, as_dense, check_memory, is_sparse

# Eigenvalues closer than this, relative to the total variance, are equal, and those closer to zero are zero.
_EQUAL = 1e-10

# Products of a dense Gram matrix of labels beyond which a sparse one is faster.
_MANY_PRODUCTS = 2e8

# Labels beyond which a few directions, at most one in so many labels, are computed by products with the labels.
_MANY_LABELS, _FEW = 2000, 8

# Arrays of the order of the labels that a decomposition holds.
_ARRAYS = 6

# Labels are multiplied as a sparse matrix below this density.
_RARE = 0.1

_Product = Callable[[FloatArray], FloatArray]


class LabelStatistics:
    """Statistics of a training set that linear label coders need.

    Parameters
    ----------
    n_samples : int or float
        Number of rows, or the sum of their weights.
    mean : ndarray of shape (n_labels,)
        Mean of each label.
    gram : ndarray of shape (n_labels, n_labels) or None, default=None
        ``Z'Z`` for the centred labels Z; None to compute it from the labels at first use.
    explained : ndarray of shape (n_labels, n_labels) or None, default=None
        Part of ``gram`` that the method's regression explains: ``Z'HZ`` for the hat matrix H of least squares on the
        features with an intercept, ``Z'Z - E'E`` for a regression with the residual E. None where the features were
        not used.
    labels : ndarray or csr_array of shape (n_samples, n_labels) or None, default=None
        The labels themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.labelspace import LabelStatistics
    >>> statistics = LabelStatistics.from_labels(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]))
    >>> statistics.mean, statistics.gram
    (array([0.5, 0.5]), array([[1., 0.],
           [0., 1.]]))
    """

    def __init__(
        self,
        n_samples: Any,
        mean: FloatArray,
        gram: FloatArray | None = None,
        explained: FloatArray | None = None,
        labels: Any = None,
    ) -> None:
        self.n_samples, self.mean, self.explained, self.labels = n_samples, mean, explained, labels
        if gram is not None:
            self.gram = gram

    @classmethod
    def from_labels(cls, Y: Any) -> Self:
        """Compute from labels, without features.

        Parameters
        ----------
        Y : ndarray or csr_array of shape (n_samples, n_labels)
            In {0, 1}, or in between where a label was not known.

        Returns
        -------
        LabelStatistics
            With ``explained`` None.
        """
        return cls(Y.shape[0], means(Y), labels=Y)

    @classmethod
    def weighted(cls, labels: Any, weights: FloatArray, features: Any = None, rcond: float = 0.0) -> Self:
        """Compute from labels of instances that have weights, and from what weighted least squares explains of them.

        Parameters
        ----------
        labels : ndarray or csr_array of shape (n_samples, n_labels)
            In {0, 1}.
        weights : ndarray of shape (n_samples,)
            >= 0, with a positive sum.
        features : ndarray or csr_array of shape (n_samples, n_features) or None, default=None
            None where the features are not used.
        rcond : float, default=0.0
            Relative size below which a singular value of the features counts as zero.

        Returns
        -------
        LabelStatistics
            With the sum of the weights as ``n_samples``.
        """
        check_pairs_of_labels(labels.shape[1])
        total, sums = float(weights.sum()), labels.T @ weights
        gram = as_dense(scaled(labels, weights).T @ labels) - np.outer(sums, sums) / total
        statistics = cls(total, sums / total, gram)
        statistics.largest_set = cls.from_labels(labels[weights > 0]).largest_set
        if features is None:
            return statistics
        rows = weights > 0
        roots, table = np.sqrt(weights[rows]), as_dense(labels[rows]) - sums / total
        left, values, _ = np.linalg.svd(WeightedFeatures(features[rows], weights[rows]).dense(), full_matrices=False)
        fitted = left[:, values > rcond * values.max(initial=0.0)].T @ (roots[:, np.newaxis] * table)
        return statistics.with_centred(fitted.T @ fitted)

    def uncentred(self) -> Self:
        """Return those of the labels as they are: a mean of zero, and ``Y'Y``.

        Returns
        -------
        LabelStatistics
            Without ``explained``.
        """
        zero = np.zeros_like(self.mean)
        if self.labels is not None:
            return type(self)(self.n_samples, zero, labels=self.labels)
        return type(self)(self.n_samples, zero, self.gram + self.n_samples * np.outer(self.mean, self.mean))

    @cached_property
    def gram(self) -> FloatArray:
        """``Z'Z`` for the centred labels Z, shape (n_labels, n_labels)."""
        Y = self.labels
        check_pairs_of_labels(Y.shape[1])
        if is_sparse(Y) or Y.size * Y.shape[1] > _MANY_PRODUCTS:  # rare; counting co-occurrences is exact either way
            rare = sp.csr_array(Y)
            gram = as_dense(rare.T @ rare)
        else:
            gram = as_dense(Y.T @ Y)
        gram -= self.n_samples * np.outer(self.mean, self.mean)
        return gram

    @cached_property
    def largest_set(self) -> float:
        """Largest number of labels of an instance."""
        return float(np.asarray(self.labels.sum(axis=1)).max())

    @property
    def explained_gram(self) -> FloatArray:
        """``explained``, which must not be None.

        Raises
        ------
        DataError
            If the features were not used.
        """
        if self.explained is None:
            raise DataError("this method needs the features, but the statistics hold labels only")
        return self.explained

    @property
    def variances(self) -> FloatArray:
        """The diagonal of ``gram``, shape (n_labels,)."""
        if "gram" in self.__dict__:
            return np.diag(self.gram).copy()
        squares = np.asarray((self.labels * self.labels).sum(axis=0)).reshape(-1)
        return squares - self.n_samples * np.square(self.mean)

    def rows(self, chosen: NDArray[np.intp]) -> FloatArray:
        """Return some rows of ``gram``.

        Parameters
        ----------
        chosen : ndarray of int
            Numbers of labels.

        Returns
        -------
        ndarray of shape (n_chosen, n_labels)
            These rows.
        """
        if "gram" in self.__dict__:
            return self.gram[chosen]
        rows = as_dense(self.labels[:, chosen].T @ self.labels)
        rows -= self.n_samples * np.outer(self.mean[chosen], self.mean)
        return rows

    def product(self, explained: _Product | None = None) -> _Product:
        """Return the product of ``Z'Z``, or of ``Z'PZ``, with directions, for which no pairs of labels are counted.

        Parameters
        ----------
        explained : callable or None, default=None
            Product of P with targets of shape (n_samples, k).

        Returns
        -------
        callable
            Takes and returns an array of shape (n_labels, k).
        """
        stored, mean = _by_density(self.labels), self.mean

        def product(directions: FloatArray) -> FloatArray:
            targets = stored @ directions - mean @ directions
            fitted = targets if explained is None else explained(targets)
            return stored.T @ fitted - np.outer(mean, fitted.sum(axis=0))

        return product

    def leading(self, size: int, explained: _Product | None = None) -> tuple[FloatArray, FloatArray] | None:
        """Return the leading eigenvectors of ``Z'Z``, or of ``Z'PZ``, by products, where there are many labels.

        Parameters
        ----------
        size : int
            Number of eigenvectors.
        explained : callable or None, default=None
            As of `product`.

        Returns
        -------
        (ndarray of shape (size,), ndarray of shape (size, n_labels)) or None
            Eigenvalues, descending, and eigenvectors as rows. None where `finds_leading` is false, and where the
            iteration does not converge.
        """
        if not self.finds_leading(size):
            return None
        from mlreduce.spectral.solver import leading_pairs  # slow to import, and not needed by few labels

        n_labels = len(self.mean)
        check_memory(
            8.0 * _ARRAYS * size * n_labels, f"{size} directions of {n_labels} labels", "take fewer components"
        )
        pairs = leading_pairs(self.product(explained), n_labels, size)
        if pairs is None:
            return None
        values, vectors = pairs
        if len(values) < size:  # all others are zero, and any directions orthogonal to these will do
            others = np.random.default_rng(0).standard_normal((n_labels, size - len(values)))
            vectors = np.linalg.qr(np.hstack([vectors, others]))[0]
            values = np.append(values, np.zeros(size - len(values)))
        return without_rounding(values, float(self.variances.sum())), signed(vectors.T)

    def finds_leading(self, size: int) -> bool:
        """Whether `leading` takes so many directions: at most one in eight labels, of more than 2000.

        Parameters
        ----------
        size : int
            Number of directions.

        Returns
        -------
        bool
            False for statistics that hold no labels, too.
        """
        return len(self.mean) > _MANY_LABELS and size <= len(self.mean) // _FEW and self.labels is not None

    def with_explained(self, explained_gram: FloatArray) -> Self:
        """Add what least squares on the features explains, from ``Y'HY``.

        The intercept makes ``H1 = 1``, so that centring costs one outer product.

        Parameters
        ----------
        explained_gram : ndarray of shape (n_labels, n_labels)
            ``Y'HY``, of labels that are not centred.

        Returns
        -------
        LabelStatistics
            A copy with ``explained``.
        """
        return self.with_centred(explained_gram - self.n_samples * np.outer(self.mean, self.mean))

    def with_centred(self, explained: FloatArray) -> Self:
        """Add what a regression on the features explains.

        Parameters
        ----------
        explained : ndarray of shape (n_labels, n_labels)
            As of the class.

        Returns
        -------
        LabelStatistics
            A copy with ``explained``.
        """
        explaining = copy(self)
        explaining.explained = explained
        return explaining


def check_pairs_of_labels(n_labels: int) -> None:
    """Refuse to decompose a matrix of all pairs of labels where there is no memory for it.

    Raises DataError with what the method needs, and which methods need less.
    """
    check_memory(
        8.0 * _ARRAYS * n_labels**2,
        f"a matrix of all pairs of {n_labels} labels",
        f"take plst, cplst, kernel-cplst or cssp with n_components of {n_labels // _FEW} at most, or pbr, br or cs",
    )


def label_array(labels: Any, who: str, tables: int = 3) -> FloatArray:
    """Return labels as a dense array, if there is memory for the given number of tables of its size.

    Raises DataError with what the method needs, and which methods need less.
    """
    if is_sparse(labels):
        n_samples, n_labels = labels.shape
        check_memory(
            8.0 * tables * n_samples * n_labels,
            f"{who} with a table of {n_samples} rows and {n_labels} labels",
            "take plst, pbr, cs or cssp, which multiply sparse labels, or fewer rows or labels",
        )
    return as_dense(labels)


def means(labels: Any) -> FloatArray:
    """Return the mean of each label of an array or sparse matrix."""
    return np.asarray(labels.sum(axis=0)).reshape(-1) / labels.shape[0]


def unit_rows(chosen: NDArray[np.intp], labels: Any, n_labels: int) -> Any:
    """Return the directions that are one label each, a CSR array where they are many and the labels are sparse."""
    rows = np.arange(len(chosen))
    if is_sparse(labels) and len(rows) * n_labels > DENSE_CELLS:
        return sp.csr_array((np.ones(len(rows)), (rows, chosen)), shape=(len(rows), n_labels))
    directions = np.zeros((len(rows), n_labels))
    directions[rows, chosen] = 1.0
    return directions


def centred_product(labels: Any, mean: FloatArray, components: Any) -> FloatArray:
    """Return ``(Y - mean) V'`` for labels or real numbers, dense or sparse, and directions V, dense or sparse."""
    if is_sparse(labels):
        (n_samples, _), size = labels.shape, components.shape[0]
        what = f"a code of {size} numbers of each of {n_samples} rows"
        check_memory(2 * 8.0 * n_samples * size, what, "take fewer components, or fewer rows at once")
        # Not by BLAS, whose sums depend on the number of cores.
        offset = components @ mean if is_sparse(components) else np.einsum("ij,j->i", components, mean)
        product: FloatArray = as_dense(labels @ components.T) - offset
    else:
        product = (labels - mean) @ components.T
    return product


def _by_density(labels: Any) -> Any:
    rare = not is_sparse(labels) and np.count_nonzero(labels) < _RARE * labels.size
    return sp.csr_array(labels) if rare else labels


def ordered_eigenvectors(
    matrix: FloatArray, variance: FloatArray, scale: float | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return eigenvalues, descending, and eigenvectors as rows, made unique where the problem leaves a choice.

    Within an eigenspace the directions are ordered by ``variance``; each direction's entry of largest
    magnitude is positive. Eigenvalues that differ only by rounding are equal: by ``scale``, the total variance by
    default.
    """
    if not len(matrix):
        return np.empty(0), np.empty((0, 0))
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    total = float(variance.diagonal().sum()) if scale is None else scale
    values = without_rounding(values[::-1], total)
    apart = values[:-1] - values[1:] > _EQUAL * max(total, np.finfo(float).tiny)
    if apart.all():
        return values, signed(vectors.T[::-1])
    vectors = vectors[:, ::-1].copy()
    starts = np.flatnonzero(np.r_[True, apart])
    for start, stop in zip(starts, np.r_[starts[1:], len(values)], strict=True):
        if stop - start > 1:
            block = vectors[:, start:stop]
            _, rotation = np.linalg.eigh(block.T @ variance @ block)
            vectors[:, start:stop] = block @ rotation[:, ::-1]
    return values, signed(vectors.T)


def without_rounding(values: FloatArray, scale: float) -> FloatArray:
    """Set eigenvalues to zero that differ from zero only by rounding, so that none has the wrong sign."""
    return np.where(np.abs(values) > _EQUAL * scale, values, 0.0)
