"""Feature matrices with implicit centring."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

from mlreduce.linalg.distances import row_blocks
from mlreduce.validation import FloatArray, as_dense, canonical, is_sparse

# Bytes of rows centred at once: bounds the temporary copy of a dense matrix.
_BLOCK_BYTES = 2**25

#: Bytes up to which matrices of the order of the features or instances are cached where they may be computed again.
CACHED_BYTES = 2**27

# Number of products of entries from which a compiled loop is faster than SciPy.
_MANY_PRODUCTS = 2_000_000

# Rounding error of an inner product of n numbers, relative to the vectors' norms and sqrt(n).
_ROUNDING = 4 * np.finfo(float).eps

# Scatter of a feature, relative to its sum of squares, below which it is rounding error.
_NO_SCATTER = 1e-13


class Features:
    """A feature matrix of shape (n_samples, n_features), raw or centred, dense or CSR.

    X is never modified. A dense matrix is never copied completely; of a sparse one with columns that store a value in
    every row the centred features keep a copy, in which these columns are shifted to mean zero: it loses no sparsity,
    and what would be small differences of large numbers are small numbers. Where the features are ``centred``, products
    are those of ``X - mean``; otherwise ``mean``, shape (n_features,), is zeros.
    """

    def __init__(self, X: Any, centred: bool) -> None:
        self.X = X
        self.centred = centred
        self.shape: tuple[int, int] = X.shape
        #: Cache of the solver for further problems with the same features.
        self.shared: dict[Any, Any] = {}
        # The matrix used in products, and the part of the mean that still has to be subtracted.
        self._stored, self._shift = X, np.zeros(X.shape[1])
        if centred and is_sparse(X):
            X = canonical(X)
            full = _full(X)
            self.constant = constant_columns(X, full)
            self.mean = self._shift = _mean(X, self.constant)
            if full.any():
                self._stored, self._shift = _shift_columns(X, full, self.mean)
            else:
                self._stored = X
        elif centred:
            self._shift = self.mean

    @property
    def stored(self) -> Any:
        """The matrix used in products: X, with sparse columns that have no zeros shifted to mean zero."""
        return self._stored

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """Mask of constant columns, which must not get a variance from rounding."""
        return constant_columns(self.X)

    @cached_property
    def _any_constant(self) -> bool:
        return bool(self.constant.any())

    @cached_property
    def n_used(self) -> int:
        """Number of columns that are not zero: of centred features those that vary."""
        if self.centred:
            return int(np.count_nonzero(~self.constant))
        return int(np.count_nonzero(_any_value(self.X)))

    @cached_property
    def mean(self) -> FloatArray:
        """Column means, exact for constant columns; zeros if the features are not centred."""
        return _mean(self.X, self.constant) if self.centred else np.zeros(self.shape[1])

    def dot(self, right: FloatArray) -> FloatArray:
        """Return ``XR`` for an array R of shape (n_features, k) or (n_features,)."""
        product: FloatArray = self._stored @ right
        return product - self._shift @ right if self.centred else product

    def transposed_dot(self, right: Any) -> FloatArray:
        """Return ``X'R``, dense, for an array or sparse matrix R of shape (n_samples, k) or (n_samples,)."""
        left = self._stored
        # SciPy multiplies a sparse matrix from the left only.
        product = (right.T @ left).T if is_sparse(right) and not is_sparse(left) else self._transposed @ right
        dense: FloatArray = product.toarray() if is_sparse(product) else product
        if self.centred:
            totals = np.asarray(right.sum(axis=0)).reshape(-1)
            if dense.ndim == 1:
                dense -= self._shift * totals[0]
            else:
                for rows in row_blocks(*dense.shape):
                    dense[rows] -= np.multiply.outer(self._shift[rows], totals)
            if self._any_constant:
                dense[self.constant] = 0.0
        return dense

    def scatter_dot(self, vector: FloatArray) -> FloatArray:
        """Return ``X'Xv`` for an array v of shape (n_features,); sparse features are centred after the products."""
        if not is_sparse(self._stored):
            return self.transposed_dot(self.dot(vector))
        product: FloatArray = self._transposed @ (self._stored @ vector)
        if self.centred:
            product -= self.shape[0] * (self._shift @ vector) * self._shift
            if self._any_constant:
                product[self.constant] = 0.0
        return product

    @cached_property
    def _transposed(self) -> Any:
        """The transpose of what is stored: a view, which takes SciPy longer to make than a product with few entries."""
        return self._stored.T

    def keep_transpose(self) -> None:
        """Keep the transpose of sparse features in CSR: worth its memory for tens of products with single vectors."""
        if is_sparse(self._stored):
            self._transposed = sp.csr_array(self._stored.T)

    def dense(self) -> FloatArray:
        """Return the features as an array, centred if they are."""
        return as_dense(self.X) - self.mean

    def centre_rows(self, table: FloatArray) -> FloatArray:
        """Return a table of shape (n_samples, k) less its column means: what the intercept leaves of it."""
        return table - table.mean(axis=0)

    @property
    def intercept_leverage(self) -> float | FloatArray:
        """What the intercept adds to the diagonal of the hat matrix: a number, or of shape (n_samples,)."""
        return 1.0 / self.shape[0]

    def cross(self, labels: Any) -> FloatArray:
        """Return ``X'Y`` with entries within rounding error set to exactly zero.

        The result is cached for further calls with the same object; do not modify it.
        """
        known = self.shared.get("cross")
        if known is None or known[0] is not labels:
            known = self.shared["cross"] = labels, self._cross(labels)
        return known[1]

    def _cross(self, labels: Any) -> FloatArray:
        dense = self.transposed_dot(labels)
        if self.centred:
            dense[:, constant_columns(labels)] = 0.0
        norms = np.sqrt(_column_squares(labels) * self.shape[0])
        dense[np.abs(dense) <= _ROUNDING * np.multiply.outer(np.sqrt(self._stored_squares), norms)] = 0.0
        return dense

    @cached_property
    def scatter(self) -> FloatArray:
        """``X'X``, shape (n_features, n_features)."""
        return self.weighted_scatter(None)

    def new_scatter(self) -> FloatArray:
        """Return ``X'X`` as an array that the caller may overwrite, and that is not cached where it is large."""
        if "scatter" in self.__dict__ or 8 * self.shape[1] ** 2 <= CACHED_BYTES:
            return self.scatter.copy()
        return self.weighted_scatter(None)

    def weighted_scatter(self, weights: FloatArray | None) -> FloatArray:
        """Return ``X'diag(weights)X`` for weights >= 0; None means ones."""
        if is_sparse(self._stored):
            return self._sparse_scatter(weights)
        scatter = np.zeros((self.shape[1], self.shape[1]))
        roots = None if weights is None else np.sqrt(weights)[:, np.newaxis]
        large = scatter.nbytes > CACHED_BYTES
        for rows in self._blocks() if not large else row_blocks(*self.shape):
            block = self._stored[rows] - self._shift if self.centred else self._stored[rows]
            if roots is not None:
                block = roots[rows] * block
            if large:  # added by BLAS to one triangle: the product would be an array as large as the scatter
                scipy.linalg.blas.dsyrk(1.0, block.T, beta=1.0, c=scatter.T, lower=1, overwrite_c=1)
            else:
                scatter += block.T @ block
        if large:
            for rows in row_blocks(*scatter.shape):
                upper = np.triu(scatter[rows, rows])
                scatter[rows, rows] = upper + np.triu(upper, 1).T
                scatter[rows.stop :, rows] = scatter[rows, rows.stop :].T
        return scatter

    def _sparse_scatter(self, weights: FloatArray | None) -> FloatArray:
        scatter = _products(self._stored, weights)
        if self.centred:
            sums = self._stored.T @ (np.ones(self.shape[0]) if weights is None else weights)
            _subtract_outer(scatter, self._shift, sums)
            if weights is not None:
                _subtract_outer(scatter, sums - weights.sum() * self._shift, self._shift)
        return scatter

    def form(self, graph: Any) -> FloatArray:
        """Return ``X'GX`` for a symmetric matrix G over the instances, sparse or dense.

        The result is cached for further calls with the same object, unless it is large; do not modify it.
        """
        known = self.shared.get("form")
        if known is None or known[0] is not graph:
            known = graph, self._form(graph)
            if known[1].nbytes <= CACHED_BYTES:
                self.shared["form"] = known
        return known[1]

    def new_form(self, graph: Any) -> FloatArray:
        """Return ``X'GX`` as an array that the caller may overwrite."""
        form = self.form(graph)
        return form.copy() if form is self.shared.get("form", (None, None))[1] else form

    def form_trace(self, graph: Any) -> float:
        """Return the trace of ``X'GX``, by products of the joined pairs alone."""
        if not is_sparse(graph):
            return float(np.einsum("ij,ij->", graph, self.gram))
        if not is_sparse(self._stored):
            shifted = self._stored - self._shift if self.centred else self._stored
            return float(np.einsum("ij,ij->", graph @ shifted, shifted))
        trace = float((graph @ self._stored).multiply(self._stored).sum())
        if self.centred:
            sums = graph @ np.ones(self.shape[0])
            trace += float((sums.sum() * self._shift - 2.0 * (self._stored.T @ sums)) @ self._shift)
        return trace

    def _form(self, graph: Any) -> FloatArray:
        if not is_sparse(self._stored):
            shifted = self._stored - self._shift if self.centred else self._stored
            product = np.empty((self.shape[1], self.shape[1]))
            for columns in row_blocks(*product.shape):
                product[:, columns] = shifted.T @ (graph @ shifted[:, columns])
            for rows in row_blocks(*product.shape):  # made symmetric in place
                mean = (product[rows, rows.start :] + product[rows.start :, rows].T) / 2
                product[rows, rows.start :], product[rows.start :, rows] = mean, mean.T
            return product
        form = _graph_products(self._stored, graph)
        if self.centred:
            sums = graph @ np.ones(self.shape[0])
            pulled = self._stored.T @ sums
            _subtract_outer(form, self._shift, pulled)
            _subtract_outer(form, pulled - sums.sum() * self._shift, self._shift)
            form[self.constant] = 0.0
            form[:, self.constant] = 0.0
        return (form + form.T) / 2

    @cached_property
    def gram(self) -> FloatArray:
        """``XX'``, shape (n_samples, n_samples)."""
        return self._gram()

    def new_gram(self) -> FloatArray:
        """Return ``XX'`` as an array that the caller may overwrite, and that is not cached."""
        return self.gram.copy() if "gram" in self.__dict__ else self._gram()

    def _gram(self) -> FloatArray:
        if not is_sparse(self._stored):
            shifted = self._stored - self._shift if self.centred else self._stored
            return np.asarray(shifted @ shifted.T)
        gram = row_products(self._stored)
        if self.centred:
            products = self._stored @ self._shift
            gram -= products[:, np.newaxis]
            gram -= products - self._shift @ self._shift
        return gram

    @cached_property
    def squared_norms(self) -> FloatArray:
        """``||x||^2`` of each instance."""
        if is_sparse(self._stored):
            stored = canonical(self._stored)
            squares = sp.csr_array((np.square(stored.data), stored.indices, stored.indptr), shape=self.shape)
            norms: FloatArray = squares @ np.ones(self.shape[1])
            return norms + (self._shift @ self._shift - 2 * (self._stored @ self._shift) if self.centred else 0.0)
        shifted = [self._stored[rows] - self._shift if self.centred else self._stored[rows] for rows in self._blocks()]
        return np.concatenate([np.einsum("ij,ij->i", block, block) for block in shifted])

    @property
    def sum_of_squares(self) -> float:
        """``tr X'X``, from what was computed before where it can be."""
        for known in ("scatter", "gram"):
            if known in self.__dict__:
                return float(np.trace(self.__dict__[known]))
        return float(self.squared_norms.sum())

    @cached_property
    def _stored_squares(self) -> FloatArray:
        """``sum x^2`` of each stored feature, the scale of rounding errors of products."""
        return _column_squares(self._stored)

    @cached_property
    def scatter_noise(self) -> FloatArray:
        """Largest rounding error of each feature's scatter, shape (n_features,)."""
        squares, n_samples = self._stored_squares, self.shape[0]
        if is_sparse(self._stored) or not self.centred:
            return np.asarray(_NO_SCATTER * squares)
        # A dense matrix is shifted before it is multiplied: the error of its offset enters squared.
        centred = (squares - n_samples * np.square(self._shift)).clip(0)
        return np.asarray(_NO_SCATTER * centred + n_samples * _ROUNDING**2 * squares)

    def _blocks(self) -> Iterator[slice]:
        n_samples, n_features = self.shape
        step = max(1, _BLOCK_BYTES // (8 * max(n_features, 1)), n_features)
        for start in range(0, n_samples, step):
            yield slice(start, start + step)


def _products(X: Any, weights: FloatArray | None) -> FloatArray:
    """Return ``X'diag(weights)X`` of a CSR matrix as an array."""
    if np.square(np.diff(X.indptr).astype(np.int64)).sum() < _MANY_PRODUCTS:
        weighted = X if weights is None else sp.diags_array(weights) @ X
        return np.ascontiguousarray(as_dense(X.T @ weighted))
    from mlreduce.linalg.compiled import scatter_of_rows

    X = canonical(X)
    ones = np.ones(X.shape[0]) if weights is None else weights
    return scatter_of_rows(X.indptr, X.indices, X.data, ones, X.shape[1])


def row_products(X: Any) -> FloatArray:
    """Return ``XX'`` of a CSR matrix as an array; SciPy's product is a sparse matrix, of which few entries are zero."""
    if np.square(np.bincount(X.indices, minlength=X.shape[1])).sum() < _MANY_PRODUCTS:
        return as_dense(X @ X.T)
    from mlreduce.linalg.compiled import gram_of_rows

    X = canonical(X)
    columns = sp.csr_array(X.T)
    starts, rows = (index.astype(X.indices.dtype, copy=False) for index in (columns.indptr, columns.indices))
    return gram_of_rows(X.indptr.astype(X.indices.dtype, copy=False), X.indices, X.data, starts, rows, columns.data)


def _graph_products(X: Any, graph: Any) -> FloatArray:
    """Return ``X'GX`` of a CSR matrix as an array."""
    if not is_sparse(graph) or X.nnz * X.shape[1] < _MANY_PRODUCTS:
        return np.ascontiguousarray(as_dense(X.T @ (graph @ X)))
    from mlreduce.linalg.compiled import form_of_graph

    graph = sp.csr_array(graph)
    starts, others = (index.astype(np.intp, copy=False) for index in (graph.indptr, graph.indices))  # compiled once
    return form_of_graph(X.indptr, X.indices, X.data, starts, others, graph.data, X.shape[1])


def _subtract_outer(matrix: FloatArray, left: FloatArray, right: FloatArray) -> None:
    """Subtract ``left right'`` in place, without forming the outer product."""
    scipy.linalg.blas.dger(-1.0, right, left, a=matrix.T, overwrite_a=True)


def _full(X: Any) -> NDArray[np.bool_]:
    """Mask of the columns of a canonical CSR matrix that store a value in every row."""
    return np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]


def constant_columns(X: Any, full: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
    """Return the mask of constant columns; of a sparse matrix ``full`` is `_full`, where it is known."""
    constant: NDArray[np.bool_]
    if not is_sparse(X):
        constant = (X[0] == X[-1]) & (X[0] == X[len(X) // 2])
        return (X[:1] == X).all(axis=0) if constant.any() else constant
    X = canonical(X)
    constant = _column_squares(X) == 0
    columns = np.flatnonzero(_full(X) if full is None else full)
    if len(columns):
        constant[columns] = constant_columns(as_dense(X[:, columns]))
    return constant


def shifted(X: Any) -> Any:
    """Return features less their means: of a sparse matrix, which stays so, the columns that have no zeros."""
    return Features(X, centred=True).stored if is_sparse(X) else X - X.mean(axis=0)


def column_scatter(X: Any) -> FloatArray:
    """Return ``sum (x - mean)^2`` of each column of features that are `shifted`."""
    squares: FloatArray = _column_squares(X) - np.square(np.asarray(X.sum(axis=0)).reshape(-1)) / X.shape[0]
    return np.maximum(squares, 0.0)


def _any_value(X: Any) -> NDArray[np.bool_]:
    """Mask of the columns with a value other than zero."""
    return np.asarray((X != 0).sum(axis=0)).reshape(-1) > 0


def _mean(X: Any, constant: NDArray[np.bool_]) -> FloatArray:
    """Return the column means, exact for constant columns."""
    sums = np.bincount(X.indices, X.data, X.shape[1]) if is_sparse(X) else X.sum(axis=0)
    mean: FloatArray = sums / X.shape[0]
    if constant.any():
        mean[constant] = as_dense(X[[0]])[0, constant]
    return mean


def _shift_columns(X: Any, full: NDArray[np.bool_], mean: FloatArray) -> tuple[Any, FloatArray]:
    """Centre the columns of a sparse matrix that store a value in every row; also return the means of the result."""
    values = X.data - np.where(full, mean, 0.0)[X.indices]
    shifted = sp.csr_array((values, X.indices, X.indptr), shape=X.shape)
    return shifted, _mean(shifted, constant_columns(shifted))


def _column_squares(X: Any) -> FloatArray:
    if is_sparse(X):
        return np.bincount(X.indices, np.square(X.data), X.shape[1]).astype(np.float64)
    return np.einsum("ij,ij->j", X, X)


class Coordinates(Features):
    """Features ``X = I``, for which ``X'GX`` is the graph matrix G itself."""

    def __init__(self, n_samples: int) -> None:
        super().__init__(sp.eye_array(n_samples, format="csr"), centred=False)

    def dot(self, right: FloatArray) -> FloatArray:
        """Return the array itself."""
        return right

    def transposed_dot(self, right: Any) -> FloatArray:
        """Return the array itself, dense."""
        return as_dense(right)

    def form(self, graph: Any) -> FloatArray:
        """Return a copy of the graph as an array."""
        return np.array(graph @ np.eye(graph.shape[0]) if isinstance(graph, LinearOperator) else as_dense(graph))


class WeightedFeatures(Features):
    """Features ``D(X - 1m')`` with ``D^2 = diag(weights)``, centred by their weighted mean m.

    Their scatter is the weighted one. A dense matrix is copied; a sparse one is scaled, and centred implicitly but for
    columns that store a value in every row, as of `Features`. Weights are >= 0, with a positive sum.
    """

    def __init__(self, X: Any, weights: FloatArray) -> None:
        self.roots = np.sqrt(weights)
        self._centre = np.asarray(weights @ X).reshape(-1) / weights.sum()
        if is_sparse(X):
            X = canonical(X)
            full = _full(X)
            constant = constant_columns(X, full)
            self._centre[constant] = as_dense(X[[0]])[0, constant]
            if full.any():
                values = X.data - np.where(full, self._centre, 0.0)[X.indices]
                X = sp.csr_array((values, X.indices, X.indptr), shape=X.shape)
            self._rest = np.where(full, 0.0, self._centre)
            table = sp.csr_array(sp.diags_array(self.roots) @ X)
        else:
            used = X[weights > 0]
            constant = constant_columns(used)
            self._centre[constant] = used[0, constant]
            self._rest = np.zeros(X.shape[1])
            table = self.roots[:, np.newaxis] * (X - self._centre)
        super().__init__(table, centred=False)
        self.mean = self._centre

    @property
    def _implicit(self) -> bool:
        return is_sparse(self.X)

    def dot(self, right: FloatArray) -> FloatArray:
        """Return ``D(X - 1m')R``."""
        product = super().dot(right)
        if self._implicit:
            product -= np.multiply.outer(self.roots, self._rest @ right)
        return product

    def transposed_dot(self, right: Any) -> FloatArray:
        """Return ``(X - 1m')'DR``."""
        product = super().transposed_dot(right)
        if self._implicit:
            product -= np.multiply.outer(self._rest, np.asarray(self.roots @ right).reshape(product.shape[1:]))
        return product

    def scatter_dot(self, vector: FloatArray) -> FloatArray:
        """Return ``(X - 1m')'D^2(X - 1m')v``."""
        return self.transposed_dot(self.dot(vector))

    def weighted_scatter(self, weights: FloatArray | None) -> FloatArray:
        """Return ``(X - 1m')'D diag(weights) D(X - 1m')`` for further weights >= 0; None means ones."""
        scatter = super().weighted_scatter(weights)
        if self._implicit and weights is None:
            _subtract_outer(scatter, self._rest * np.square(self.roots).sum(), self._rest)
        elif self._implicit:
            shares = weights * self.roots
            sums = self.X.T @ shares
            _subtract_outer(scatter, sums, self._rest)
            _subtract_outer(scatter, self._rest, sums - (shares @ self.roots) * self._rest)
        return scatter

    def form_trace(self, graph: Any) -> float:
        """Return the trace of ``X'GX``."""
        return float(np.trace(self.form(graph)))

    def _form(self, graph: Any) -> FloatArray:
        if not self._implicit:
            return super()._form(graph)
        table = self.dense()
        return np.asarray(table.T @ (graph @ table))

    def _gram(self) -> FloatArray:
        """Return ``D(X - 1m')(X - 1m')'D``, shape (n_samples, n_samples)."""
        if not self._implicit:
            return np.asarray(self.X @ self.X.T)
        gram = row_products(self.X)
        products = np.outer(self.X @ self._rest, self.roots)
        gram -= products + products.T
        gram += (self._rest @ self._rest) * np.outer(self.roots, self.roots)
        return gram

    @cached_property
    def squared_norms(self) -> FloatArray:
        """Weighted ``||x - m||^2`` of each instance."""
        if not self._implicit:
            return np.asarray(np.einsum("ij,ij->i", self.X, self.X))
        norms: FloatArray = np.asarray(self.X.multiply(self.X).sum(axis=1)).reshape(-1)
        along = self.X @ self._rest
        norms += np.square(self.roots) * (self._rest @ self._rest) - 2.0 * self.roots * along
        return norms

    def dense(self) -> FloatArray:
        """Return the weighted, centred features as an array."""
        return as_dense(self.X) - np.multiply.outer(self.roots, self._rest)

    def centre_rows(self, table: FloatArray) -> FloatArray:
        """Return what the weighted intercept leaves of a table of shape (n_samples, k)."""
        share = self.roots / np.square(self.roots).sum()
        return table - np.multiply.outer(share, self.roots @ table)

    @property
    def intercept_leverage(self) -> FloatArray:
        """What the intercept adds to the diagonal of the hat matrix."""
        return np.square(self.roots) / np.square(self.roots).sum()
