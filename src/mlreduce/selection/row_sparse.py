"""Regressions with row-sparse coefficients: a feature is penalised by the norm of its row."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from mlreduce.exceptions import DataError, warn
from mlreduce.linalg.features import Features
from mlreduce.selection.base import Selector
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.proximity import check_proximity
from mlreduce.validation import FloatArray, Size, as_dense, check_count, check_range, is_sparse

__all__ = ["Loss", "Regression", "RowSparseSelector", "graph_laplacian", "penalised", "solve_positive"]

# Relative residual at which a linear system counts as solved.
_SOLVED = 1e-12


class Loss(Protocol):
    """What `RowSparseSelector` minimises, but the penalty: a function of the coefficients W and other variables."""

    def coefficients(self, widths: FloatArray, gamma: float) -> FloatArray:
        """Return the W that minimises the loss plus ``gamma sum_j ||w_j||^2 / widths_j``, the rest as it is.

        A row of width 0 is 0.
        """

    def update(self, coefficients: FloatArray) -> float:
        """Minimise over the other variables, one after the other, and return the loss."""


class RowSparseSelector(Selector):
    """Base of the selectors that minimise a loss of coefficients W plus ``gamma sum_j ||w_j||``, the L2,1 norm.

    Each iteration minimises over W, with ``||w_j||^2 / (2 s_j)`` in place of ``||w_j||``, s_j that norm in the
    iteration before and one half in the first, and then over the other variables of the loss. ``||w_j||`` lies below
    that plus ``s_j / 2`` and touches it at s_j, so that the objective does not increase. A row that is 0 stays so. A
    method defines the loss.

    Parameters
    ----------
    k
        As of `Selector`.
    gamma : float, default=1.0
        Weight of the norms of the rows of W, > 0; with larger values more rows vanish.
    max_iter : int, default=500
        Largest number of iterations, >= 1.
    tol : float, default=1e-6
        Relative decrease of the objective in an iteration at which to stop, >= 0; 0 for all ``max_iter`` iterations.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Norms of the rows of W.
    coef_ : ndarray of shape (n_features, n_targets)
        W.
    objective_ : ndarray of shape (n_iter,)
        Objective after each iteration; it does not increase.
    n_iter_ : int
        Number of iterations.
    """

    by_feature: tuple[str, ...] = ("coef_",)

    def __init__(self, k: Size = 0.5, gamma: float = 1.0, max_iter: int = 500, tol: float = 1e-6) -> None:
        self.k = k
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol

    def _stopping(self) -> tuple[int, float]:
        """Return the largest number of iterations, and the relative decrease of the objective at which to stop."""
        return check_count(self.max_iter, "max_iter"), check_range(self.tol, "tol", 0)

    def _loss(self, X: Any, labels: FloatArray) -> Loss:
        """Return the loss, with its other variables at their starting values."""
        raise NotImplementedError  # abstract: a method is this choice

    def _learned(self, loss: Any) -> None:
        """Keep other variables of a loss as attributes."""

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        gamma = check_range(self.gamma, "gamma", 0, open_ends=True)
        max_iter, tol = self._stopping()
        loss = self._loss(X, labels)
        widths, objective = np.ones(X.shape[1]), [np.inf]
        while len(objective) <= max_iter:
            coefficients = loss.coefficients(widths, gamma)
            norms: FloatArray = np.linalg.norm(coefficients, axis=1)
            objective.append(loss.update(coefficients) + gamma * norms.sum())
            widths = 2.0 * norms
            if tol and objective[-2] - objective[-1] <= tol * objective[-2] < np.inf:
                break
        else:
            if tol:
                warn(
                    f"{type(self).__name__}: the objective still fell by more than tol={tol:g} of itself in iteration "
                    f"max_iter={max_iter}; a larger max_iter lets it converge",
                    ConvergenceWarning,
                )
        self.coef_, self.objective_, self.n_iter_ = coefficients, np.array(objective[1:]), len(objective) - 1
        self._learned(loss)
        return norms


class Regression:
    """Squared errors ``||X W + 1 b' - F||^2`` of some targets F.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    targets : ndarray of shape (n_samples, n_targets)
    intercept : bool, default=True
        Whether there is a b, which is minimised over together with W.
    curvature : ndarray of shape (n_features, n_features) or None, default=None
        L of an additional term ``tr(W'LW)``, positive semidefinite.
    """

    def __init__(
        self, X: Any, targets: FloatArray, intercept: bool = True, curvature: FloatArray | None = None
    ) -> None:
        self.features, self.targets, self.intercept = Features(X, centred=intercept), targets, intercept
        self._by_feature = curvature is not None or X.shape[1] <= X.shape[0]
        if self._by_feature:
            self._scatter = self.features.scatter if curvature is None else self.features.scatter + curvature
        else:
            self._columns = Features(X.T.tocsr() if is_sparse(X) else self.features.dense().T, centred=False)

    def coefficients(self, widths: FloatArray, gamma: float) -> FloatArray:
        """Return W, from the smaller of the systems over features and over instances: see `Loss`."""
        targets = self.targets - self.targets.mean(axis=0) if self.intercept else self.targets
        if self._by_feature:
            scale = np.sqrt(widths)[:, np.newaxis]
            moments = scale * self.features.transposed_dot(targets)
            return scale * penalised(scale * self._scatter * scale.T, moments, gamma)
        products = self._columns.weighted_scatter(widths)
        if self.intercept and is_sparse(self.features.X):
            products = products - products.mean(axis=0)
            products -= products.mean(axis=1)[:, np.newaxis]
        solution = penalised(products, targets, gamma)
        return widths[:, np.newaxis] * self.features.transposed_dot(solution)

    def fitted(self, coefficients: FloatArray) -> FloatArray:
        """Return ``X W + 1 b'``."""
        fitted = self.features.dot(coefficients)
        return fitted + self.targets.mean(axis=0) if self.intercept else fitted

    def update(self, coefficients: FloatArray) -> float:
        """Return the squared errors: there are no other variables."""
        return float(np.square(self.fitted(coefficients) - self.targets).sum())


def penalised(products: Any, targets: FloatArray, penalty: float) -> FloatArray:
    """Solve ``(K + penalty I) Z = T`` for a positive semidefinite K."""
    matrix = as_dense(products)
    matrix.flat[:: len(matrix) + 1] += penalty
    solution: FloatArray
    try:
        solution = scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix, check_finite=False), targets)
    except np.linalg.LinAlgError:  # the penalty is lost in the rounding of large products
        values, vectors = scipy.linalg.eigh(matrix, check_finite=False)
        solution = vectors @ ((vectors.T @ targets) / np.maximum(values, penalty)[:, np.newaxis])
    return solution


def graph_laplacian(proximity: Any, points: Any) -> Any:
    """Return ``L = D - S`` of the proximity graph of some rows, a csr_array or ndarray.

    ``tr(F'LF)`` is half the sum over i and j of ``S_ij ||f_i - f_j||^2``.
    """
    data = TrainingSet(sp.csr_array(points) if is_sparse(points) else points)
    laplacian: Any = csgraph.laplacian(check_proximity(proximity).matrix(data))
    return sp.csr_array(laplacian) if is_sparse(laplacian) else laplacian


def solve_positive(apply: Any, diagonal: FloatArray, target: FloatArray, start: FloatArray) -> FloatArray:
    """Solve ``A Z = T`` for a positive definite operator A on matrices, by conjugate gradients.

    ``apply`` returns A Z; ``diagonal`` is the diagonal of A, in the shape of Z. The quadratic function whose minimum is
    Z does not increase from its ``start``.
    """
    shape, size = target.shape, target.size
    operator = LinearOperator((size, size), matvec=lambda z: apply(z.reshape(shape)).ravel(), dtype=np.float64)
    scaled = LinearOperator((size, size), matvec=lambda z: z / diagonal.ravel(), dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        solution, failed = cg(operator, target.ravel(), x0=start.ravel(), rtol=_SOLVED, M=scaled)
    if failed < 0 or not np.isfinite(solution).all():
        raise DataError("the system of an iteration cannot be solved; features of similar size may help")
    solved: FloatArray = solution.reshape(shape)
    return solved
