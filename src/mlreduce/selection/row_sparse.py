"""Regressions with row-sparse coefficients: a feature is penalised by the norm of its row."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from mlreduce.exceptions import DataError, warn
from mlreduce.linalg.distances import squared_norms
from mlreduce.linalg.features import Features, column_scatter, shifted
from mlreduce.linalg.utilities import scaled
from mlreduce.selection.base import Selector
from mlreduce.selection.descent import Smooth, follow_path, minimise, penalised
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.proximity import check_proximity
from mlreduce.validation import (
    FloatArray,
    Size,
    as_dense,
    check_count,
    check_option,
    check_percentage,
    check_range,
    is_sparse,
)

__all__ = [
    "SMALL",
    "Copies",
    "Loss",
    "OffSubspace",
    "Regression",
    "RowSparseSelector",
    "completed_by_means",
    "few_products",
    "graph_laplacian",
    "mean_scatter",
    "penalised",
    "scatter_products",
    "solve_positive",
]

SOLVERS = ("coordinate-descent", "reweighted")

# Relative residual at which a linear system counts as solved.
_SOLVED = 1e-12

# Gap and most iterations on the way to the given weight.
_ROUGH, _ROUGH_ITERATIONS = 1e-2, 30

# Relative decrease, and most iterations, of the other variables with all rows zero.
_SETTLED, _SETTLING = 1e-12, 500

# Relative difference of columns that count as equal.
_EQUAL = 1e-9

#: Number of features up to which all their products are kept; beyond, where they are fewer than the features' entries.
SMALL = 2000


class Loss(Smooth, Protocol):
    """What `RowSparseSelector` minimises, but the penalty: a function of the coefficients W and other variables."""

    @property
    def n_targets(self) -> int:
        """Number of columns of W."""

    def coefficients(self, widths: FloatArray, sparsity: float) -> FloatArray:
        """Return the W that minimises the loss plus ``sparsity sum_j ||w_j||^2 / widths_j``, the rest as it is.

        A row of width 0 is 0.
        """

    def update(self, coefficients: FloatArray) -> float:
        """Minimise over the other variables, one after the other, and return the loss."""


class RowSparseSelector(Selector):
    """Base of the selectors that minimise a loss of coefficients W plus ``sparsity sum_j ||w_j||``, the L2,1 norm.

    A method defines the loss. W is minimised over by block coordinate descent, which leaves rows exactly zero, and the
    other variables of the loss in between. Labels may be unknown, NaN in ``y``: the errors of labels are those of the
    known ones. The others are variables of the loss, too, and become what the rest of them gives.
    """

    takes_unknown_cells = True
    by_feature: tuple[str, ...] = ("coef_",)

    #: Whether features are centred, as with an intercept.
    _centred = True
    #: Whether equal columns are minimised over as one.
    _merges_copies = True
    #: Whether W has no negative entries.
    _positive = False
    #: Order of the norms that are scores; 1 for sums of absolute values.
    _order = 2

    def __init__(
        self,
        k: Size = 0.5,
        sparsity: float | str | None = None,
        max_iter: int = 1000,
        tol: float = 1e-8,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        self.k = k
        self.sparsity = sparsity
        self.max_iter: int | None = max_iter  # None is a default that depends on the solver
        self.tol = tol
        self.solver = solver

    def _stopping(self) -> tuple[int, float]:
        """Return the largest number of iterations, and the tolerance at which to stop."""
        return check_count(self.max_iter, "max_iter"), check_range(self.tol, "tol", 0)

    def _loss(self, X: Any, labels: FloatArray) -> Loss:
        """Return the loss, with its other variables at their starting values."""
        raise NotImplementedError  # abstract: a method is this choice

    def _learned(self, loss: Any, spread: Callable[[FloatArray], FloatArray]) -> None:
        """Keep other variables of a loss as attributes; what has a row per column of its X is spread to all."""

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        if check_option(self.solver, "solver", SOLVERS) == "reweighted":
            return self._reweighted(X, labels)
        max_iter, tol = self._stopping()
        number = share = 0.0
        if isinstance(self.sparsity, str):
            share = float(check_percentage(self.sparsity, "sparsity")) / 100.0
        elif self.sparsity is not None:
            number = check_range(self.sparsity, "sparsity", 0, open_ends=True)
        path = _Path(self, X, labels)
        self.sparsity_max_ = path.sparsity_max

        def minimise_at(sparsity: float, rough: bool) -> int:
            path.minimise(sparsity, *((_ROUGH, _ROUGH_ITERATIONS) if rough else (tol, max_iter)))
            return path.n_nonzero

        given, wanted = number or share * self.sparsity_max_, self._n_wanted
        self.sparsity_, self.edge_ = follow_path(self.sparsity_max_, given, wanted, minimise_at)
        minimum = path.minimum
        if minimum.gap > tol > 0:
            ended = len(minimum.objective) <= max_iter
            remedy = "features of similar size may help" if ended else "a larger max_iter lets it converge"
            warn(
                f"{type(self).__name__}: after {len(minimum.objective) - 1} iterations the objective may be above the "
                f"minimum by {minimum.gap:.1g} of itself, more than tol={tol:g}; {remedy}",
                ConvergenceWarning,
            )
        self.coef_, self.gap_ = path.coefficients, minimum.gap
        self.objective_ = np.array(minimum.objective[1:] or minimum.objective)
        self.n_iter_ = len(self.objective_)
        self._steepness = path.steepness
        self._learned(path.loss, path.columns.share)
        return self._count_scores()

    def _count_scores(self) -> FloatArray:
        """Return the scores, and count those that are not 0."""
        scores: FloatArray = np.linalg.norm(self.coef_, self._order, axis=1)
        self.n_nonzero_ = np.count_nonzero(scores)
        return scores

    def _best_first(self, scores: FloatArray) -> NDArray[np.intp]:
        return np.lexsort((-self._steepness, -scores))

    def _reweighted(self, X: Any, labels: FloatArray) -> FloatArray:
        if self.sparsity is None or isinstance(self.sparsity, str):
            raise DataError(f"solver='reweighted' takes a number for sparsity, not {self.sparsity!r}")
        sparsity = self.sparsity_ = check_range(self.sparsity, "sparsity", 0, open_ends=True)
        max_iter, tol = self._stopping()
        loss = self._loss(X, labels)
        widths, objective = np.ones(X.shape[1]), [np.inf]
        while len(objective) <= max_iter:
            coefficients = loss.coefficients(widths, sparsity)
            norms: FloatArray = np.linalg.norm(coefficients, axis=1)
            objective.append(loss.update(coefficients) + sparsity * norms.sum())
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
        self._steepness = np.zeros(X.shape[1])
        self._learned(loss, lambda table: table)
        return self._count_scores()


class _Path:
    """Minima of a method's problem for one weight after the other, each from the one before."""

    def __init__(self, method: RowSparseSelector, X: Any, labels: FloatArray) -> None:
        self.columns = Copies(X, method._centred, labels, method._merges_copies)
        X = self.columns.merge(X)
        self.loss, self._positive = method._loss(X, labels), method._positive
        self._current = np.zeros((X.shape[1], self.loss.n_targets))
        before = np.inf
        for _ in range(_SETTLING):  # the other variables, with all rows zero
            value, slopes = self.loss.descent(self._current)
            if before - value <= _SETTLED * before < np.inf:
                break
            before = value
        slopes = np.maximum(slopes, 0.0) if self._positive else slopes
        #: See `RowSparseSelector`.
        self.sparsity_max = float((2.0 * np.linalg.norm(slopes, axis=1) / self.columns.roots).max())

    def minimise(self, sparsity: float, tol: float, max_iter: int) -> None:
        """Go on to a weight."""
        penalties = sparsity * self.columns.roots
        self.minimum = minimise(self.loss, self._current, penalties, tol, max_iter, self._positive)
        self._current = self.minimum.coefficients

    @property
    def n_nonzero(self) -> int:
        """Number of features whose rows of W are not zero."""
        return int(self.columns.counts[self._current.any(axis=1)].sum())

    @property
    def coefficients(self) -> FloatArray:
        """W, of all features."""
        return self.columns.share(self._current)

    @property
    def steepness(self) -> FloatArray:
        """How steep the loss is by each row, relative to the penalty, on a grid wider than rounding errors."""
        return np.round(self.minimum.steepness[self.columns.of], 9)


class Copies:
    """Columns that are equal, or one the negative of the other, as one column each.

    Of m copies of x any split of the coefficients is as good, where all have the same sign; it is split evenly. Then
    ``x sqrt(m)`` has the coefficients ``w sqrt(m)`` and their norm the weight ``sqrt(m)``, and the squares of the
    coefficients and the distances between instances are as before.

    The columns are in the order of their products with the labels, where there are any, so that iterations over them,
    which end before the minimum, do not depend on the order of the features. ``merges`` of False leaves copies as they
    are. ``of`` is the column that stands for each feature, ``counts`` are the numbers of copies, and ``roots`` their
    square roots.
    """

    def __init__(self, X: Any, centred: bool, labels: FloatArray | None = None, merges: bool = True) -> None:
        features = Features(X, centred)
        first, self._signs = np.arange(X.shape[1]), np.ones(X.shape[1])
        if merges:
            self._find(X, features, first)
        self._first, self.of, self.counts = np.unique(first, return_inverse=True, return_counts=True)
        if labels is not None:
            products = features.transposed_dot(completed_by_means(labels)[0])[self._first]
            sizes = np.linalg.norm(products, axis=1)
            order = np.argsort(-np.round(sizes / (sizes.max() or 1.0), 9), kind="stable")
            self._first, self.counts = self._first[order], self.counts[order]
            self.of = np.argsort(order)[self.of]
        self.roots = np.sqrt(self.counts)

    def _find(self, X: Any, features: Features, first: NDArray[np.intp]) -> None:
        """Write the first of the copies of each column, and their signs."""
        probes = features.transposed_dot(np.random.default_rng(0).standard_normal(X.shape[0]))
        order = np.argsort(np.abs(probes), kind="stable")
        probed = np.abs(probes[order])
        starts = np.flatnonzero(np.append(True, np.diff(probed) > _EQUAL * probed[1:]))
        for group in np.split(order, starts[1:]):
            if len(group) > 1 and probes[group[0]] != 0.0:
                group = np.sort(group)
                columns = as_dense(X[:, group]) - features.mean[group]
                columns *= np.sign(probes[group])
                apart = np.abs(columns - columns[:, :1]).max(axis=0)
                equal = group[apart <= _EQUAL * np.abs(columns[:, 0]).max()]
                first[equal], self._signs[equal] = equal[0], np.sign(probes[equal] * probes[equal[0]])

    def merge(self, X: Any) -> Any:
        """Return one column for all copies, times the square root of their number."""
        if len(self._first) < X.shape[1]:
            return scaled(X[:, self._first], columns=self.roots)
        return X if (np.diff(self._first) > 0).all() else X[:, self._first]

    def share(self, table: FloatArray) -> FloatArray:
        """Turn a row for each column into one for each feature."""
        return table[self.of] * (self._signs / self.roots[self.of])[:, np.newaxis]


class Regression:
    """Squared errors ``||X W + 1 b' - F||^2`` of some targets F.

    Targets that are not known, NaN, are variables: what the regression gives is the best there, without an error. With
    an ``intercept`` there is a b, which is minimised over together with W. ``curvature`` is the L of an additional term
    ``tr(W'LW)``, positive semidefinite.
    """

    #: Whether the targets are variables.
    alternating = False

    def __init__(self, X: Any, targets: FloatArray, intercept: bool = True, curvature: Any = None) -> None:
        self.features, self.intercept = Features(X, centred=intercept), intercept
        self.targets, self._known = completed_by_means(targets)
        if self._known is not None:
            self.alternating = True
        self._by_feature = curvature is not None or X.shape[1] <= X.shape[0]
        self._keeps_products = few_products(X)
        self._curvature = as_dense(curvature) if is_sparse(curvature) and self._keeps_products else curvature

    @property
    def n_targets(self) -> int:
        """Number of columns of W."""
        return int(self.targets.shape[1])

    @cached_property
    def _curved(self) -> FloatArray:
        return self._with_curvature(self.features.scatter, np.arange(self.features.shape[1]))

    def _with_curvature(self, scatter: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
        return scatter if self._curvature is None else scatter + self._curvature[np.ix_(rows, rows)]

    @property
    def _scatter(self) -> FloatArray:
        return self._curved

    @cached_property
    def _moments(self) -> FloatArray:
        return self.features.transposed_dot(self.targets - self._intercepts)

    @cached_property
    def _square(self) -> float:
        return float(np.square(self.targets - self._intercepts).sum())

    @property
    def _intercepts(self) -> FloatArray | float:
        return self.targets.mean(axis=0) if self.intercept else 0.0

    @cached_property
    def _columns(self) -> Features:
        X = self.features.X
        return Features(X.T.tocsr() if is_sparse(X) else self.features.dense().T, centred=False)

    def coefficients(self, widths: FloatArray, sparsity: float) -> FloatArray:
        """Return W, from the smaller of the systems over features and over instances: see `Loss`."""
        targets = self.targets - self.targets.mean(axis=0) if self.intercept else self.targets
        if self._by_feature:
            scale = np.sqrt(widths)[:, np.newaxis]
            moments = scale * self.features.transposed_dot(targets)
            return scale * penalised(scale * self._scatter * scale.T, moments, sparsity)
        products = self._columns.weighted_scatter(widths)
        if self.intercept and is_sparse(self.features.X):
            products = products - products.mean(axis=0)
            products -= products.mean(axis=1)[:, np.newaxis]
        solution = penalised(products, targets, sparsity)
        return widths[:, np.newaxis] * self.features.transposed_dot(solution)

    def fitted(self, coefficients: FloatArray) -> FloatArray:
        """Return ``X W + 1 b'``."""
        shape = self.features.shape[0], coefficients.shape[1]
        fitted = self.features.dot(coefficients) if coefficients.any() else np.zeros(shape)
        return fitted + self.targets.mean(axis=0) if self.intercept else fitted

    def update(self, coefficients: FloatArray) -> float:
        """Minimise over the targets that are not known; return the squared errors and the additional term."""
        fitted = self.fitted(coefficients)
        if self._known is not None:
            self.targets = np.where(self._known, self.targets, self._best_targets(fitted))
        return float(np.square(fitted - self.targets).sum()) + self._curved_value(coefficients)

    def _curved_value(self, coefficients: FloatArray) -> float:
        """Return the additional term."""
        return 0.0 if self._curvature is None else float(((self._curvature @ coefficients) * coefficients).sum())

    def _best_targets(self, fitted: FloatArray) -> FloatArray:
        """Return the best targets where they are not known."""
        return fitted

    def descent(self, coefficients: FloatArray) -> tuple[float, FloatArray]:
        """Minimise over the other variables; return the loss, and half its negative gradient by W."""
        return self._descent(coefficients, self.update)

    def _descent(self, coefficients: FloatArray, update: Callable[[FloatArray], float]) -> tuple[float, FloatArray]:
        if not self.alternating and self._keeps_products:
            active = np.flatnonzero(coefficients.any(axis=1))
            slopes = self._moments - self._curved[:, active] @ coefficients[active]
            return self._square - float((coefficients * (self._moments + slopes)).sum()), slopes
        value = update(coefficients)
        slopes = self.features.transposed_dot(self.targets - self.fitted(coefficients))
        return value, slopes if self._curvature is None else slopes - self._curvature @ coefficients

    def products(self, rows: NDArray[np.intp]) -> FloatArray:
        """Return half the second derivative by some rows of W."""
        if self._keeps_products:
            return self._curved[np.ix_(rows, rows)]
        return self._with_curvature(Features(self.features.X[:, rows], centred=self.intercept).scatter, rows)


class OffSubspace:
    """``weight (I - QQ')``, the curvature of what of coefficients is outside of a subspace with orthonormal basis Q."""

    def __init__(self, basis: FloatArray, weight: float) -> None:
        self._basis, self._weight = basis, weight

    def __matmul__(self, coefficients: FloatArray) -> FloatArray:
        return self._weight * (coefficients - self._basis @ (self._basis.T @ coefficients))

    def __getitem__(self, block: tuple[NDArray[np.intp], NDArray[np.intp]]) -> FloatArray:
        rows, columns = block
        products = self._basis[rows.ravel()] @ self._basis[columns.ravel()].T
        return self._weight * ((rows == columns) - products)


def mean_scatter(X: Any) -> float:
    """Return the mean over the features of their sums of squares around the mean: a unit of weights of squares of W."""
    return float(column_scatter(shifted(X)).mean())


def scatter_products(features: Features) -> tuple[Callable[[FloatArray], FloatArray], FloatArray]:
    """Return ``X'XW`` as a function of W, by the cheaper of ``X'X`` and of two products with X; and its diagonal."""
    if few_products(features.X):
        return features.scatter.__matmul__, features.scatter.diagonal()
    squares = column_scatter(shifted(features.X)) if features.centred else squared_norms(features.X.T)
    return lambda W: features.transposed_dot(features.dot(W)), squares


def few_products(X: Any) -> bool:
    """Return whether the features have fewer products with each other than entries, or few of them."""
    return bool(X.shape[1] ** 2 <= max(SMALL**2, X.nnz if is_sparse(X) else X.size))


def completed_by_means(targets: FloatArray) -> tuple[FloatArray, NDArray[np.bool_] | None]:
    """Return the targets, where not known the mean of the known ones of that column or 0; and which are known.

    None instead of the latter where all are.
    """
    known = ~np.isnan(targets)
    if known.all():
        return targets, None
    sums, counts = np.where(known, targets, 0.0).sum(axis=0), known.sum(axis=0)
    return np.where(known, targets, sums / np.maximum(counts, 1)), known


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
    return solution.reshape(shape)
