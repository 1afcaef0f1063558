"""A feature matrix whose products are those of the centred one, without centring it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.validation import FloatArray, as_dense, is_sparse

__all__ = ["Features"]

# Rows that are shifted at once: bounds the copy that centring a dense matrix needs.
_BLOCK_BYTES = 2**25


# Products of entries of the same row, from which on compiling a loop pays.
_MANY_PRODUCTS = 2_000_000


def _products(X: Any, weights: FloatArray | None) -> FloatArray:
    """Return ``X'diag(weights)X`` of a CSR matrix as an array."""
    if np.square(np.diff(X.indptr).astype(np.int64)).sum() < _MANY_PRODUCTS:
        weighted = X if weights is None else sp.diags_array(weights) @ X
        return np.ascontiguousarray(as_dense(X.T @ weighted))
    from mlreduce.compiled import scatter_of_rows

    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    ones = np.ones(X.shape[0]) if weights is None else weights
    scatter: FloatArray = scatter_of_rows(X.indptr, X.indices, X.data, ones, X.shape[1])
    return scatter


def _subtract_outer(matrix: FloatArray, left: FloatArray, right: FloatArray) -> None:
    """Subtract ``left right'`` in place: an outer product of its own would cost as much as a scatter matrix."""
    scipy.linalg.blas.dger(-1.0, right, left, a=matrix.T, overwrite_a=True)


class Features:
    """A feature matrix of shape (n_samples, n_features), raw or centred, dense or CSR.

    Parameters
    ----------
    X : ndarray or csr_array
        Never modified, and never copied as a whole.
    centred : bool
        Whether products are those of ``X - mean``.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        What is subtracted; zeros where nothing is.
    """

    def __init__(self, X: Any, centred: bool) -> None:
        self.X = X
        self.centred = centred
        self.shape: tuple[int, int] = X.shape
        #: What the solver keeps for further problems with the same features.
        self.shared: dict[Any, Any] = {}

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """Columns with one value only: rounding must not give them a variance."""
        if not is_sparse(self.X):
            same: NDArray[np.bool_] = (self.X[:1] == self.X).all(axis=0)
            return same
        constant: NDArray[np.bool_] = self.column_squares == 0
        whole = np.flatnonzero(np.bincount(self.X.indices, minlength=self.shape[1]) == self.shape[0])
        if len(whole):
            values = as_dense(self.X[:, whole])
            constant[whole] = (values[:1] == values).all(axis=0)
        return constant

    @cached_property
    def mean(self) -> FloatArray:
        """Column means, exact for constant columns; zeros if the features are not centred."""
        if not self.centred:
            return np.zeros(self.shape[1])
        mean: FloatArray
        if is_sparse(self.X):
            mean = np.bincount(self.X.indices, self.X.data, self.shape[1]) / self.shape[0]
        else:
            mean = self.X.mean(axis=0)
        if self.constant.any():
            mean[self.constant] = as_dense(self.X[[0]])[0, self.constant]
        return mean

    def dot(self, right: FloatArray) -> FloatArray:
        """Return ``XR`` for an array R of shape (n_features, k) or (n_features,)."""
        product: FloatArray = self.X @ right
        return product - self.mean @ right if self.centred else product

    def transposed_dot(self, right: Any) -> FloatArray:
        """Return ``X'R``, dense, for an array or sparse matrix R of shape (n_samples, k) or (n_samples,)."""
        # SciPy multiplies a sparse matrix from the left only.
        product = (right.T @ self.X).T if is_sparse(right) and not is_sparse(self.X) else self.X.T @ right
        dense: FloatArray = product.toarray() if is_sparse(product) else product
        if not self.centred:
            return dense
        totals = np.asarray(right.sum(axis=0)).reshape(-1)
        return dense - (np.outer(self.mean, totals) if dense.ndim == 2 else self.mean * totals[0])

    @cached_property
    def scatter(self) -> FloatArray:
        """``X'X``, shape (n_features, n_features)."""
        return self.weighted_scatter(None)

    def weighted_scatter(self, weights: FloatArray | None) -> FloatArray:
        """Return ``X'diag(weights)X`` for weights >= 0; None stands for ones."""
        if is_sparse(self.X):
            return self._sparse_scatter(weights)
        scatter = np.zeros((self.shape[1], self.shape[1]))
        roots = None if weights is None else np.sqrt(weights)[:, np.newaxis]
        for rows in self._blocks():
            block = self.X[rows] - self.mean if self.centred else self.X[rows]
            if roots is not None:
                block = roots[rows] * block
            scatter += block.T @ block
        return scatter

    def _sparse_scatter(self, weights: FloatArray | None) -> FloatArray:
        scatter = _products(self.X, weights)
        if not self.centred:
            return scatter
        sums = self.X.T @ (np.ones(self.shape[0]) if weights is None else weights)
        total = self.shape[0] if weights is None else weights.sum()
        _subtract_outer(scatter, self.mean, sums)
        if weights is not None:
            _subtract_outer(scatter, sums - total * self.mean, self.mean)
        if self.constant.any():
            scatter[self.constant] = 0.0
            scatter[:, self.constant] = 0.0
        return scatter

    @cached_property
    def gram(self) -> FloatArray:
        """``XX'``, shape (n_samples, n_samples)."""
        if not is_sparse(self.X):
            shifted = self.X - self.mean if self.centred else self.X
            return np.asarray(shifted @ shifted.T)
        gram: FloatArray = np.asarray((self.X @ self.X.T).toarray())
        if self.centred:
            products = self.X @ self.mean
            gram -= products[:, np.newaxis]
            gram -= products - self.mean @ self.mean
        return gram

    @cached_property
    def squared_norms(self) -> FloatArray:
        """``||x||^2`` of each instance."""
        if is_sparse(self.X):
            norms: FloatArray = np.asarray(self.X.multiply(self.X).sum(axis=1)).reshape(-1)
            return norms + (self.mean @ self.mean - 2 * (self.X @ self.mean) if self.centred else 0.0)
        shifted = [self.X[rows] - self.mean if self.centred else self.X[rows] for rows in self._blocks()]
        return np.concatenate([np.einsum("ij,ij->i", block, block) for block in shifted])

    @cached_property
    def column_squares(self) -> FloatArray:
        """``sum x^2`` of each feature before centring: the size against which rounding errors are told."""
        squares: FloatArray
        if is_sparse(self.X):
            squares = np.bincount(self.X.indices, np.square(self.X.data), self.shape[1]).astype(np.float64)
        else:
            squares = np.einsum("ij,ij->j", self.X, self.X)
        return squares

    def _blocks(self) -> Iterator[slice]:
        n_samples, n_features = self.shape
        step = max(1, _BLOCK_BYTES // (8 * max(n_features, 1)), n_features)
        for start in range(0, n_samples, step):
            yield slice(start, start + step)
