"""Regressions with row-sparse coefficients: a feature is penalised by the norm of its row."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from mlreduce.exceptions import DataError, warn
from mlreduce.linalg.features import Features
from mlreduce.linalg.utilities import quotient, scaled
from mlreduce.selection.base import Selector
from mlreduce.selection.descent import Minimum, Smooth, minimise, penalised
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
    "Regression",
    "RowSparseSelector",
    "completed_by_means",
    "graph_laplacian",
    "penalised",
    "solve_positive",
]

SOLVERS = ("coordinate-descent", "reweighted")

# Relative residual at which a linear system counts as solved.
_SOLVED = 1e-12

# Weights of the norms on the path, relative to the smallest with which all rows are zero.
_SHARES = np.geomspace(1.0, 0.001, 20)[1:]

# Gap and most iterations on the way to the given weight.
_ROUGH, _ROUGH_ITERATIONS = 1e-2, 30

# Weights in a row without smaller errors, after which none is tried.
_PATIENCE = 4

# Relative decrease, and most iterations, of the other variables with all rows zero.
_SETTLED, _SETTLING = 1e-12, 500

# Parts into which rows are divided to choose a weight, and the penalty of the ridge regressions that compare them, of
# features of unit variance relative to the number of rows.
_FOLDS, _RIDGE = 3, 0.1

# Relative difference of columns that count as equal.
_EQUAL = 1e-9

#: Number of features up to which all their products are kept.
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

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    sparsity : float, str or None, default=None
        Weight of the norms of the rows of W: a number > 0; a percentage of ``sparsity_max_``, such as "5%"; or None, to
        choose among 19 from 70 % of it down to 0.1 % by squared errors on held-out rows.
    max_iter : int, default=1000
        Largest number of iterations, >= 1.
    tol : float, default=1e-8
        When to stop, >= 0; 0 for all ``max_iter`` iterations. Of "coordinate-descent" the largest ``gap_``, of
        "reweighted" the relative decrease of the objective in an iteration.
    solver : {"coordinate-descent", "reweighted"}, default="coordinate-descent"
        "reweighted" is what the papers print, and takes a number for sparsity: in each iteration a ridge regression
        with ``||w_j||^2 / (2 s_j)`` in place of ``||w_j||``, s_j that norm in the iteration before and one half in the
        first, and then the other variables. Rows of W approach zero but do not reach it.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Norms of the rows of W. Features whose columns are equal, or one the negative of the other, have equal ones.
        Features with rows of zeros are ranked by how steep the loss is by these rows.
    coef_ : ndarray of shape (n_features, n_targets)
        W.
    objective_ : ndarray of shape (n_iter,)
        Objective after each iteration; it does not increase.
    n_iter_ : int
        Number of iterations.
    sparsity_ : float
        Weight of the norms.
    sparsity_max_ : float
        The smallest weight with which rows of zeros stay so: all rows are zero with it where the problem is convex.
        As the following not of "reweighted".
    gap_ : float
        Bound of how far the objective is above the minimum, relative to it, where the problem is convex; elsewhere how
        far the conditions of a minimum are missed.
    sparsities_, errors_ : ndarray of shape (n_weights,)
        Weights that were compared, and their squared errors, relative to those of the labels' means. Only where
        sparsity is chosen.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Features that are constant in ``X`` come
        last, and do not change the order of the others.
    n_informative_ : int
        Number of features that are not constant in ``X``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    Notes
    -----
    To choose sparsity, each third of the rows, at random with seed 0, is held out once. W is learned from the others,
    and ridge regressions predict the labels held out from the best features: half, a quarter, an eighth and a sixteenth
    of them, or of the number of rows where that is smaller. Of equal errors the largest sparsity is taken; after four
    without a smaller error no other is tried, nor after one with which more features are kept than half of the rows.
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
        if self.sparsity is None:
            errors = self._held_out_errors(X, labels)
            share = _SHARES[errors.argmin()]
            self.sparsities_, self.errors_ = _SHARES[: len(errors)] * self.sparsity_max_, errors
        # Where there is nothing to explain, all weights give zeros.
        self.sparsity_ = number or share * self.sparsity_max_ or 1.0
        for sparsity in self.sparsity_max_ * _SHARES:
            if sparsity > self.sparsity_:
                path.minimise(sparsity, _ROUGH, _ROUGH_ITERATIONS)
        minimum = path.minimise(self.sparsity_, tol, max_iter)
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
        self._learned(path.loss, path.spread)
        return np.linalg.norm(self.coef_, self._order, axis=1)

    def _best_first(self, scores: FloatArray) -> NDArray[np.intp]:
        return np.lexsort((-self._steepness, -scores))

    def _held_out_errors(self, X: Any, labels: FloatArray) -> FloatArray:
        """Return the errors of ridge regressions on the features that weights on the path rank first."""
        sizes = sorted({max(1, min(X.shape) // part) for part in (2, 4, 8, 16)})
        folds = np.random.default_rng(0).permutation(len(labels)) % _FOLDS
        parts = []
        for fold in range(_FOLDS):
            kept, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            if len(held) and (~np.isnan(labels[kept])).any():
                ridge = _NestedRidge(X[kept], labels[kept], X[held], labels[held])
                parts.append((_Path(self, X[kept], labels[kept]), ridge))
        errors: list[float] = []
        for share in _SHARES:
            total = 0.0
            for path, ridge in parts:
                path.minimise(share * path.sparsity_max or 1.0, _ROUGH, _ROUGH_ITERATIONS)
                best = np.lexsort((-path.steepness, -np.linalg.norm(path.coefficients, axis=1)))
                total += ridge.errors(best, sizes)
            errors.append(total)
            if len(errors) - np.argmin(errors) > _PATIENCE or all(path.is_full for path, _ in parts):
                break
        return np.array(errors)

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
        return np.linalg.norm(coefficients, self._order, axis=1)


class _Path:
    """Minima of a method's problem for one weight after the other, each from the one before."""

    def __init__(self, method: RowSparseSelector, X: Any, labels: FloatArray) -> None:
        self._copies = Copies(X, method._centred) if method._merges_copies else None
        if self._copies is not None:
            X = self._copies.merged(X)
        self.loss, self._positive = method._loss(X, labels), method._positive
        self._n_samples = X.shape[0]
        self._penalties = np.ones(X.shape[1]) if self._copies is None else self._copies.roots
        self._current = np.zeros((X.shape[1], self.loss.n_targets))
        before = np.inf
        for _ in range(_SETTLING):  # the other variables, with all rows zero
            value, slopes = self.loss.descent(self._current)
            if before - value <= _SETTLED * before < np.inf:
                break
            before = value
        slopes = np.maximum(slopes, 0.0) if self._positive else slopes
        #: See `RowSparseSelector`.
        self.sparsity_max = float((2.0 * np.linalg.norm(slopes, axis=1) / self._penalties).max())

    def minimise(self, sparsity: float, tol: float, max_iter: int) -> Minimum:
        """Go on to a weight."""
        minimum = minimise(self.loss, self._current, sparsity * self._penalties, tol, max_iter, self._positive)
        self._current, self._steep = minimum.coefficients, minimum.steepness
        return minimum

    @property
    def is_full(self) -> bool:
        """Whether more rows of W are not zero than half of the instances: regressions on so many fit anything."""
        return bool(2 * np.count_nonzero(self._current.any(axis=1)) > self._n_samples)

    @property
    def coefficients(self) -> FloatArray:
        """W, of all features."""
        return self.spread(self._current)

    def spread(self, table: FloatArray) -> FloatArray:
        """Turn a row for each column that the loss knows into one for each feature."""
        return table if self._copies is None else self._copies.shared(table)

    @property
    def steepness(self) -> FloatArray:
        """How steep the loss is by each row, relative to the penalty, on a grid wider than rounding errors."""
        steepness = self._steep if self._copies is None else self._steep[self._copies.of]
        return np.round(steepness, 9)


class Copies:
    """Columns that are equal, or one the negative of the other, as one column each.

    Of m copies of x any split of the coefficients is as good, where all have the same sign; it is split evenly. Then
    ``x sqrt(m)`` has the coefficients ``w sqrt(m)`` and their norm the weight ``sqrt(m)``, and the squares of the
    coefficients and the distances between instances are as before.

    Attributes
    ----------
    of : ndarray of shape (n_features,), int
        The column that stands for each.
    roots : ndarray of shape (n_columns,)
        The square roots of the numbers of copies.
    """

    def __init__(self, X: Any, centred: bool) -> None:
        features = Features(X, centred)
        n_samples, n_features = X.shape
        probes = features.transposed_dot(np.random.default_rng(0).standard_normal(n_samples))
        first, self._signs = np.arange(n_features), np.ones(n_features)
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
        self._kept, self.of, counts = np.unique(first, return_inverse=True, return_counts=True)
        self.roots = np.sqrt(counts)

    def merged(self, X: Any) -> Any:
        """Return one column for all copies, times the square root of their number."""
        if len(self._kept) == X.shape[1]:
            return X
        return scaled(X[:, self._kept], columns=self.roots)

    def shared(self, coefficients: FloatArray) -> FloatArray:
        """Return the coefficients of all columns."""
        return coefficients[self.of] * (self._signs / self.roots[self.of])[:, np.newaxis]


class _NestedRidge:
    """Squared errors on other rows of ridge regressions on the first of some ordered features, of many numbers."""

    def __init__(self, X: Any, labels: FloatArray, others: Any, their_labels: FloatArray) -> None:
        self._features, known = Features(X, centred=True), ~np.isnan(labels)
        means = np.where(known, labels, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        self._moments = self._features.transposed_dot(np.where(known, labels - means, 0.0))
        self._others, self._wanted, self._known = others, their_labels - means, ~np.isnan(their_labels)

    def errors(self, best: NDArray[np.intp], sizes: list[int]) -> float:
        """Return the sum over the sizes of the errors, relative to those of the means of the labels."""
        best = best[: sizes[-1]]
        mean, others = self._features.mean[best], self._others[:, best]
        correlations = Features(self._features.X[:, best], centred=True).scatter
        scale = quotient(1.0, np.sqrt(correlations.diagonal()))
        correlations = correlations * scale * scale[:, np.newaxis]
        correlations.flat[:: len(best) + 1] += _RIDGE
        lower = scipy.linalg.cholesky(correlations, lower=True, check_finite=False)
        solved = scipy.linalg.solve_triangular(lower, scale[:, np.newaxis] * self._moments[best], lower=True)
        errors = 0.0
        for size in sizes:
            weights = scipy.linalg.solve_triangular(lower[:size, :size], solved[:size], trans=1, lower=True)
            weights *= scale[:size, np.newaxis]
            predicted = others[:, :size] @ weights - mean[:size] @ weights
            errors += float(np.square((predicted - self._wanted)[self._known]).sum())
        return errors / max(float(np.square(self._wanted[self._known]).sum()), np.finfo(float).tiny)


class Regression:
    """Squared errors ``||X W + 1 b' - F||^2`` of some targets F.

    Targets that are not known, NaN, are variables: what the regression gives is the best there, without an error.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    targets : ndarray of shape (n_samples, n_targets)
    intercept : bool, default=True
        Whether there is a b, which is minimised over together with W.
    curvature : ndarray of shape (n_features, n_features) or None, default=None
        L of an additional term ``tr(W'LW)``, positive semidefinite.
    """

    #: Whether the targets are variables.
    alternating = False

    def __init__(
        self, X: Any, targets: FloatArray, intercept: bool = True, curvature: FloatArray | None = None
    ) -> None:
        self.features, self.intercept = Features(X, centred=intercept), intercept
        self.targets, self._known = completed_by_means(targets)
        if self._known is not None:
            self.alternating = True
        self._curvature = curvature
        self._by_feature = curvature is not None or X.shape[1] <= X.shape[0]
        self._keeps_products = self._by_feature or X.shape[1] <= SMALL

    @property
    def n_targets(self) -> int:
        """Number of columns of W."""
        return int(self.targets.shape[1])

    @cached_property
    def _curved(self) -> FloatArray:
        return self.features.scatter if self._curvature is None else self.features.scatter + self._curvature

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
        fitted = self.features.dot(coefficients)
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
        return Features(self.features.X[:, rows], centred=self.intercept).scatter


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
