"""Quadratic forms over the instances: the matrices A and B of every spectral method.

A projection maximises ``tr(P'X'AXP)`` subject to ``P'X'BXP = I``, where both may have a ridge. A form stores the terms
of its matrix M, which is rarely computed. Centring is not part of M but a property of `Features`: a rank-one
correction of products, so that sparse features stay sparse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.features import Features
from mlreduce.validation import FloatArray, as_dense, is_sparse

__all__ = ["Form"]

# Bytes of the products of features and a block of labels.
_CROSS_BYTES = 2**28

# Entries of a factor with more columns than rows up to which it is narrowed.
_WIDE_ENTRIES = 2**24

# Eigenvalues of ``middle`` below minus this, relative to the largest, are negative.
_INDEFINITE = 1e-10


@dataclass(frozen=True, eq=False)
class Form:
    """Symmetric form ``X'MX + ridge I`` with ``M = diag(weights) + factor middle factor' + graph + squared XX'``.

    Forms over the same instances are added, ``form + other``, and multiplied by numbers, ``form * 0.5``.

    Attributes
    ----------
    weights : float or ndarray of shape (n_samples,), default=0
        One for all instances, or one per instance.
    factor : sparse matrix or ndarray of shape (n_samples, r), or None
        Usually the labels.
    middle : float or ndarray of shape (r, r), default=1
        Symmetric; a number is a multiple of the identity.
    graph : sparse matrix, ndarray or LinearOperator of shape (n_samples, n_samples), or None
        Symmetric; may have a diagonal. An operator has products only.
    squared : float, default=0
        Multiple of ``XX'``, which adds ``(X'X)^2`` to the form.
    ridge : float, default=0
        Multiple of the identity of order n_features.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.linalg.features import Features
    >>> from mlreduce.spectral import Form
    >>> features = Features(np.array([[1.0, 0.0], [0.0, 2.0]]), centred=False)
    >>> (Form(weights=1.0) + Form(ridge=0.5)).matrix(features)  # X'X and a ridge
    array([[1.5, 0. ],
           [0. , 4.5]])
    """

    weights: float | FloatArray = 0.0
    factor: Any = None
    middle: float | FloatArray = 1.0
    graph: Any = None
    squared: float = 0.0
    ridge: float = 0.0

    @property
    def weight(self) -> float | None:
        """The weight common to all instances; None where weights differ."""
        return None if isinstance(self.weights, np.ndarray) else self.weights

    @property
    def is_thin(self) -> bool:
        """Whether the form is ``SS'`` for an S with as many columns as ``factor``."""
        bare = self.weight == 0 and self.graph is None and self.squared == 0 and self.ridge == 0
        return bare and self._is_rooted

    @property
    def is_semidefinite(self) -> bool:
        """Whether no eigenvalue is negative for a reason that the terms show; a graph may have some."""
        positive = bool(np.min(self.weights) >= 0) and self.squared >= 0 and self.ridge >= 0
        return positive and self.graph is None and (self.factor is None or self._is_rooted)

    @property
    def has_sample_root(self) -> bool:
        """Whether `sample_root` applies: one positive weight for all, a positive semidefinite middle, nothing else."""
        rest = self.graph is not None or self.squared or self.ridge
        return self.weight is not None and self.weight > 0 and not rest and self._is_rooted

    @cached_property
    def _is_rooted(self) -> bool:
        if not isinstance(self.middle, np.ndarray):
            return self.middle >= 0
        values = np.linalg.eigvalsh(self.middle)
        return bool(values.min(initial=0.0) >= -_INDEFINITE * values.max(initial=0.0))

    @property
    def scalars(self) -> tuple[float, float] | None:
        """``(weight, ridge)`` where these two numbers define the form; None otherwise."""
        other = self.factor is not None or self.graph is not None or self.squared
        return None if self.weight is None or other else (self.weight, self.ridge)

    def middle_root(self) -> float | FloatArray:
        """Return R with ``RR' = middle``, a number or of shape (r, q), for a positive semidefinite middle.

        Returns
        -------
        float or ndarray of shape (r, q)
            R; a number where ``middle`` is one.
        """
        if not isinstance(self.middle, np.ndarray):
            return float(np.sqrt(self.middle))
        values, vectors = np.linalg.eigh(self.middle)
        nonzero = values > len(values) * np.finfo(float).eps * np.abs(values).max(initial=0.0)
        return vectors[:, nonzero] * np.sqrt(values[nonzero])

    def sample_factor(self) -> Any:
        """Return ``factor R``, shape (n_samples, q), sparse where ``factor`` is and R is a number.

        Returns
        -------
        sparse matrix or ndarray of shape (n_samples, q)
            The product.
        """
        return _product(self.factor, self.middle_root())

    def feature_factor(self, features: Features) -> FloatArray:
        """Return S, shape (n_features, q), with ``SS' = X' factor middle factor' X``.

        Parameters
        ----------
        features : Features
            X, with the instances of the form.

        Returns
        -------
        ndarray of shape (n_features, q)
            S.
        """
        return _product(features.cross(self.factor), self.middle_root())

    def dot(self, features: Features, right: FloatArray) -> FloatArray:
        """Return ``M right``.

        Parameters
        ----------
        features : Features
            X, with the instances of the form.
        right : ndarray of shape (n_samples, k)
            One vector per column.

        Returns
        -------
        ndarray of shape (n_samples, k)
            The product.
        """
        total: FloatArray = (self.weights * right.T).T
        if self.factor is not None:
            total = total + self.factor @ _product((self.factor.T @ right).T, self.middle).T
        if self.graph is not None:
            total = total + self.graph @ right
        if self.squared:
            total = total + self.squared * features.dot(features.transposed_dot(right))
        return total

    def matrix(self, features: Features) -> FloatArray:
        """Return ``X'MX + ridge I`` as an array of shape (n_features, n_features).

        Parameters
        ----------
        features : Features
            X, with the instances of the form.

        Returns
        -------
        ndarray of shape (n_features, n_features)
            Symmetric.
        """
        weights: Any = self.weights
        graph = self.graph
        if isinstance(weights, np.ndarray) and is_sparse(graph) and not is_sparse(features.stored):
            weights, graph = 0.0, sp.csr_array(graph + sp.diags_array(weights))  # one product for both
        if isinstance(weights, np.ndarray) and len(weights) and (weights == weights[0]).all():
            weights = float(weights[0])  # the scatter that other forms of the features share
        if isinstance(weights, np.ndarray):
            total = features.weighted_scatter(weights.clip(0))
            if (weights < 0).any():
                total -= features.weighted_scatter((-weights).clip(0))
        elif weights:
            total = features.new_scatter()
            total *= weights
        elif graph is not None:
            total, graph = features.new_form(graph), None
        else:
            total = np.zeros((features.shape[1], features.shape[1]))
        if self.squared:
            scatter = features.new_scatter()
            for rows in row_blocks(*total.shape):
                total[rows] += self.squared * (scatter[rows] @ scatter)
            del scatter
        if self.factor is not None:
            for factor in self._parts(features.shape[1]):
                cross = features.cross(factor)
                left = _product(cross, self.middle)
                for rows in row_blocks(*total.shape):
                    total[rows] += left[rows] @ cross.T
        if graph is not None:
            total += features.form(graph)
        total.flat[:: len(total) + 1] += self.ridge
        return total

    def diagonal(self, n_samples: int) -> FloatArray:
        """Return the diagonal of M, shape (n_samples,); not for forms with ``squared``.

        Parameters
        ----------
        n_samples : int
            Number of instances of the form.

        Returns
        -------
        ndarray of shape (n_samples,)
            The diagonal.
        """
        diagonal = np.zeros(n_samples) + self.weights
        if self.factor is not None:
            product = _product(self.factor, self.middle)
            entries = self.factor.multiply(product) if is_sparse(self.factor) else self.factor * product
            diagonal += np.asarray(entries.sum(axis=1)).reshape(-1)
        if self.graph is not None:
            diagonal += self.graph.diagonal()
        return diagonal

    def mean_diagonal(self, features: Features) -> float:
        """Return the mean diagonal of ``X'MX``; not for forms with ``squared``.

        Parameters
        ----------
        features : Features
            X, with the instances of the form.

        Returns
        -------
        float
            In squared units of the features.
        """
        trace = float(np.sum(self.weights * features.squared_norms)) if np.any(self.weights) else 0.0
        if self.factor is not None:
            for factor in self.narrowed._parts(features.shape[1]):
                cross = features.cross(factor)
                trace += float(np.sum(_product(cross, self.narrowed.middle) * cross))
        if self.graph is not None:
            trace += features.form_trace(self.graph)
        return trace / features.shape[1]

    def _parts(self, n_features: int) -> Iterator[Any]:
        """Yield the columns of the factor, in blocks of which each has no large product with the features."""
        size = self.factor.shape[1]
        blocks = row_blocks(size, n_features, _CROSS_BYTES)
        if len(blocks) == 1 or isinstance(self.middle, np.ndarray):
            yield self.factor
            return
        by_column = sp.csc_array(self.factor) if is_sparse(self.factor) else self.factor
        for block in blocks:
            yield sp.csr_array(by_column[:, block]) if is_sparse(by_column) else by_column[:, block]

    def __mul__(self, number: float) -> Form:
        return Form(
            self.weights * number,
            self.factor,
            self.middle * number,
            None if self.graph is None else self.graph * number,
            self.squared * number,
            self.ridge * number,
        )

    def __add__(self, other: Form) -> Form:
        factor, middle = self.factor, self.middle
        if factor is None:
            factor, middle = other.factor, other.middle
        elif other.factor is not None:
            factor = _hstack(factor, other.factor)
            middle = scipy.linalg.block_diag(self.middle_matrix(), other.middle_matrix())
        graph = self.graph if other.graph is None else other.graph
        if self.graph is not None and other.graph is not None:
            graph = _sum(self.graph, other.graph)
        return Form(
            self.weights + other.weights, factor, middle, graph, self.squared + other.squared, self.ridge + other.ridge
        )

    @cached_property
    def narrowed(self) -> Form:
        """The same form with a factor that has no more columns than rows, unless that is too large to be made.

        With ``factor' = QR`` it is ``R' (Q' middle Q) R``: of more labels than instances, all that follows has the
        order of the instances. This form itself where its factor has no more columns than rows.
        """
        n_samples, size = (0, 0) if self.factor is None else self.factor.shape
        if size <= n_samples or n_samples * size > _WIDE_ENTRIES:
            return self
        basis, triangle = np.linalg.qr(as_dense(self.factor).T)
        if not isinstance(self.middle, np.ndarray):
            return replace(self, factor=triangle.T)
        middle = basis.T @ self.middle @ basis
        return replace(self, factor=triangle.T, middle=(middle + middle.T) / 2)

    def pulled_back(self, incidence: Any) -> Form:
        """Return the form with the matrix ``C'MC``, over other instances.

        Parameters
        ----------
        incidence : sparse matrix of shape (n_instances, n_samples)
            C: at most one entry per row. The instances of M are duplicates of those of the result, or some of them.

        Returns
        -------
        Form
            Over n_samples instances.

        Raises
        ------
        ValueError
            If the form has ``squared``, which depends on its features.
        """
        if self.squared:
            raise ValueError("a form with squared scatter cannot be moved to other instances")
        counted = np.zeros(incidence.shape[0]) + self.weights
        factor, graph = self.factor, self.graph
        if factor is not None:
            factor = as_csr(incidence.T @ factor)
        if graph is not None:
            left, right = (
                (aslinearoperator(each) if isinstance(graph, LinearOperator) else each)
                for each in (incidence.T, incidence)
            )
            graph = as_csr(left @ graph @ right)
        weights = incidence.power(2).T @ counted if counted.any() else 0.0
        return replace(self, weights=weights, factor=factor, graph=graph)

    def scaled(self, scale: FloatArray) -> Form:
        """Return the form with ``SMS``, ``S = diag(scale)``, scale of shape (n_samples,).

        Parameters
        ----------
        scale : ndarray of shape (n_samples,)
            The diagonal of S.

        Returns
        -------
        Form
            Over the same instances.
        """
        return self.pulled_back(sp.csr_array(sp.diags_array(scale)))

    def recentred(self, n_samples: int) -> Form:
        """Return the form with ``HMH``: of the instances minus their mean, whatever else is centred.

        Parameters
        ----------
        n_samples : int
            Number of instances of the form.

        Returns
        -------
        Form
            Over the same instances.
        """
        ones = np.ones((n_samples, 1))
        rest = np.zeros(n_samples) + self.weights
        if self.graph is not None:
            rest = rest + self.graph @ ones[:, 0]
        centred = self if self.factor is None else self._centred_factor(ones)
        if not rest.any():
            return centred
        middle = np.array([[0.0, -1.0 / n_samples], [-1.0 / n_samples, rest.sum() / n_samples**2]])
        return centred + Form(factor=np.column_stack([rest, ones]), middle=middle)

    def _centred_factor(self, ones: FloatArray) -> Form:
        """Return the form with a factor of column means zero; a sparse factor gets a column of ones instead."""
        means = np.asarray(self.factor.mean(axis=0)).reshape(1, -1)
        if not is_sparse(self.factor):
            return replace(self, factor=self.factor - means)
        centring = np.vstack([np.eye(self.factor.shape[1]), -means])
        return replace(self, factor=_hstack(self.factor, ones), middle=centring @ self.middle_matrix() @ centring.T)

    def middle_matrix(self) -> FloatArray:
        """Return the middle as an array, shape (r, r).

        Returns
        -------
        ndarray of shape (r, r)
            Symmetric.
        """
        if isinstance(self.middle, np.ndarray):
            return self.middle
        return self.middle * np.eye(self.factor.shape[1])

    def sample_root(self, n_samples: int) -> tuple[float, FloatArray, FloatArray]:
        """Return ``(w, E, g)`` such that ``wI + E diag(g) E'`` is the square root of M; see `has_sample_root`.

        E has orthonormal columns: a product with the root costs two thin products.

        Parameters
        ----------
        n_samples : int
            Number of instances of the form.

        Returns
        -------
        w : float
            Multiple of the identity.
        E : ndarray of shape (n_samples, r)
            Orthonormal columns.
        g : ndarray of shape (r,)
            Their weights.
        """
        weight = float(self.weights)
        root = float(np.sqrt(weight))
        if self.factor is None:
            return root, np.zeros((n_samples, 0)), np.zeros(0)
        vectors, values, _ = np.linalg.svd(as_dense(self.sample_factor()), full_matrices=False)
        return root, vectors, np.sqrt(weight + values**2) - root


def as_csr(matrix: Any) -> Any:
    """Return a sparse matrix as a csr_array, and an ndarray as it is."""
    return sp.csr_array(matrix) if is_sparse(matrix) else matrix


def _hstack(left: Any, right: Any) -> Any:
    """Stack columns; sparse if one of the matrices is."""
    if is_sparse(left) or is_sparse(right):
        return sp.csr_array(sp.hstack([sp.csr_array(left), sp.csr_array(right)]))
    return np.hstack([left, right])


def _sum(left: Any, right: Any) -> Any:
    """Add two graphs; a sparse and a dense one make a dense one, an operator and another an operator."""
    if isinstance(left, LinearOperator) or isinstance(right, LinearOperator):
        return aslinearoperator(left) + aslinearoperator(right)
    if is_sparse(left) == is_sparse(right):
        return left + right
    return as_dense(left) + as_dense(right)


def _product(left: Any, right: float | FloatArray) -> Any:
    """Multiply by an array, or by a number."""
    return left @ right if isinstance(right, np.ndarray) else left * right
