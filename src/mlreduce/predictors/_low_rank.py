"""Alternating minimisation of a loss of ``XWH' + b`` with squared penalties on the factors W and H."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.linalg
from scipy.special import expit

from mlreduce.linalg.features import Features
from mlreduce.validation import FloatArray

# Conjugate gradients end at this residual, relative to the gradient, or after this many products.
_RESIDUAL = 1e-3
_PRODUCTS = 50

# A step is halved at most this often, until it gains this share of what its slope promises.
_HALVINGS = 30
_SHARE = 1e-4

# Added to the curvature along an intercept, which is zero where no instance is within a hinge.
_FLAT = 1e-10

# Squared singular value of the features, relative to the largest, below which it is zero.
_ROUNDING = 1e-13


#: Labels in {0, 1} and scores to loss, first and second derivative of each cell.
Loss: TypeAlias = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray, FloatArray]]


def _squared(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    difference = scores - labels
    return np.square(difference) / 2, difference, np.ones_like(scores)


def _logistic(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    present = expit(scores)
    return np.logaddexp(0.0, (1 - 2 * labels) * scores), present - labels, present * (1 - present)


def _squared_hinge(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    signs = 2 * labels - 1
    short = np.maximum(1 - signs * scores, 0.0)
    return np.square(short) / 2, -signs * short, (short > 0).astype(np.float64)


#: Loss by name.
LOSSES: Mapping[str, Loss] = {"squared": _squared, "logistic": _logistic, "squared-hinge": _squared_hinge}


class Factors(NamedTuple):
    """A solution, and the objective after each iteration."""

    #: Of shape (n_features, rank). W.
    features: FloatArray
    #: Of shape (n_labels, rank). H; the columns of both have equal norms, descending.
    labels: FloatArray
    #: Of shape (n_labels,). b, for centred features.
    intercept: FloatArray
    #: Not increasing.
    objective: list[float]


def _balanced(left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the factors of the same product with the smallest sum of squares: those of its singular vectors."""
    left_basis, left_part = np.linalg.qr(left)
    right_basis, right_part = np.linalg.qr(right)
    vectors, values, others = np.linalg.svd(left_part @ right_part.T)
    rank = len(values)
    roots = np.sqrt(values)
    return left_basis @ (vectors[:, :rank] * roots), right_basis @ (others[:rank].T * roots)


def _converged(objective: list[float], tol: float) -> bool:
    return len(objective) > 1 and objective[-2] - objective[-1] <= tol * objective[-2]


class _Decomposed:
    """Systems with ``X'X`` in the basis in which it is diagonal: an iteration costs O(d q k)."""

    def __init__(self, X: Features, labels: Any) -> None:
        by_rows = X.shape[0] < X.shape[1]
        matrix = X.gram if by_rows else X.scatter
        squares, vectors = scipy.linalg.eigh(matrix, check_finite=False)
        nonzero = squares > _ROUNDING * max(squares[-1], 0.0)
        self._squares, self._vectors = squares[nonzero][:, np.newaxis], vectors[:, nonzero]
        self._X, self.size = X if by_rows else None, len(self._squares)
        roots = np.sqrt(self._squares)
        # By rows the basis is X'V / roots, an array of the features that is not made.
        self._along = self._vectors.T @ (matrix @ labels if by_rows else X.transposed_dot(labels))
        if by_rows:
            self._along /= roots

    def solve(self, W: FloatArray, factor: FloatArray, penalty: float) -> FloatArray:
        """Return W with ``X'XWH'H + penalty W = X'YH``: for ``H'H = R diag(s) R'`` the columns of WR separate."""
        scales, rotation = np.linalg.eigh(factor.T @ factor)
        weights = self._squares * np.maximum(scales, 0.0) + penalty
        return (self._along @ (factor @ rotation)) / weights @ rotation.T

    def products(self, W: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return ``W'X'XW`` and ``W'X'Y``."""
        return W.T @ (self._squares * W), W.T @ self._along

    def features(self, W: FloatArray) -> FloatArray:
        """Return W in terms of the features."""
        if self._X is None:
            return self._vectors @ W
        return self._X.transposed_dot(self._vectors @ (W / np.sqrt(self._squares)))


class _Products:
    """The same by products with features and labels, sparse or not, and conjugate gradients."""

    def __init__(self, X: Features, labels: Any) -> None:
        self._X, self._labels, self.size = X, labels, X.shape[1]

    def solve(self, W: FloatArray, factor: FloatArray, penalty: float) -> FloatArray:
        """Improve W towards ``X'XWH'H + penalty W = X'YH``."""
        X, squared = self._X, factor.T @ factor

        def product(direction: FloatArray) -> FloatArray:
            return X.transposed_dot(X.dot(direction)) @ squared + penalty * direction

        return W + _conjugate_gradients(product, X.transposed_dot(self._labels @ factor) - product(W))

    def products(self, W: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return ``W'X'XW`` and ``W'X'Y``."""
        embedded = self._X.dot(W)
        return embedded.T @ embedded, (self._labels.T @ embedded).T

    def features(self, W: FloatArray) -> FloatArray:
        """Return W."""
        return W


def squared_system(X: Features, labels: Any, *, large: bool) -> _Decomposed | _Products:
    """Return the systems of centred features and labels that `alternate_squared` solves for any penalty.

    Where matrices over the features are too large only products with the features are used.
    """
    return _Products(X, labels) if large else _Decomposed(X, labels)


def alternate_squared(
    system: _Decomposed | _Products, labels: Any, penalty: float, start: FloatArray, max_iter: int, tol: float
) -> Factors:
    """Minimise for the squared loss of all cells: no array of the shape of the labels is made.

    Features, of `squared_system`, are centred, so that products with the labels are those with the centred ones. The
    penalty is > 0, ``start`` is H to begin with, and ``tol`` the relative decrease of the objective that ends the
    iterations.
    """
    intercept = np.asarray(labels.mean(axis=0), dtype=np.float64).ravel()
    total = float(labels.sum() - labels.shape[0] * np.square(intercept).sum())  # of squares of the centred labels
    W, factor = np.zeros((system.size, start.shape[1])), start
    objective: list[float] = []
    for _ in range(max_iter):
        W = system.solve(W, factor, penalty)
        gram, cross = system.products(W)
        gram.flat[:: len(gram) + 1] += penalty
        factor = scipy.linalg.solve(gram, cross, assume_a="pos").T
        W, factor = _balanced(W, factor)
        gram, cross = system.products(W)
        sizes = float(np.square(W).sum() + np.square(factor).sum())
        squared = float(np.sum(gram * (factor.T @ factor)))
        objective.append((total + squared + penalty * sizes) / 2 - float(np.sum(cross * factor.T)))
        if _converged(objective, tol):
            break
    return Factors(system.features(W), factor, intercept, objective)


def alternate(
    X: Features,
    labels: FloatArray,
    known: Any,
    loss: Loss,
    penalty: float,
    start: FloatArray,
    max_iter: int,
    tol: float,
) -> Factors:
    """Minimise for any loss of the cells that are known: Newton steps, of W by conjugate gradients.

    Products with the features are all that W needs; H and the intercepts solve a system of order rank + 1 per label.
    Features are centred, labels dense, and the loss one of `LOSSES`; others are as of `alternate_squared`.
    """
    problem = _Problem(X, labels, known, loss, penalty)
    W, factor = np.zeros((X.shape[1], start.shape[1])), start
    intercept = np.zeros(labels.shape[1])
    intercept = problem.intercepts(np.zeros((X.shape[0], 0)), np.zeros((len(intercept), 0)), intercept)[1]
    objective: list[float] = []
    for _ in range(max_iter):
        W = problem.step_of_features(W, factor, intercept)
        factor, intercept = problem.intercepts(X.dot(W), factor, intercept)
        W, factor = _balanced(W, factor)
        objective.append(problem.objective(W, factor, intercept))
        if _converged(objective, tol):
            break
    return Factors(W, factor, intercept, objective)


class _Problem:
    """The objective and its steps."""

    def __init__(self, X: Features, labels: FloatArray, known: Any, loss: Loss, penalty: float) -> None:
        self._X, self._labels, self._known, self._loss, self._penalty = X, labels, known, loss, penalty

    def _cells(self, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        value, slope, curvature = self._loss(self._labels, scores)
        if self._known is None:
            return value, slope, curvature
        return value * self._known, slope * self._known, curvature * self._known

    def objective(self, W: FloatArray, factor: FloatArray, intercept: FloatArray) -> float:
        value = self._cells(self._X.dot(W) @ factor.T + intercept)[0].sum()
        return float(value + self._penalty / 2 * (np.square(W).sum() + np.square(factor).sum()))

    def step_of_features(self, W: FloatArray, factor: FloatArray, intercept: FloatArray) -> FloatArray:
        """Return W after a Newton step, halved until it gains."""
        X, penalty = self._X, self._penalty
        scores = X.dot(W) @ factor.T + intercept
        _, slope, curvature = self._cells(scores)
        gradient = X.transposed_dot(slope @ factor) + penalty * W

        def product(direction: FloatArray) -> FloatArray:
            curved = curvature * (X.dot(direction) @ factor.T)
            return X.transposed_dot(curved @ factor) + penalty * direction

        step = _conjugate_gradients(product, -gradient)
        moved = X.dot(step) @ factor.T

        def value(step_size: FloatArray) -> FloatArray:
            cells = self._cells(scores + step_size * moved)[0].sum()
            return np.array([cells + penalty / 2 * np.square(W + step_size * step).sum()])

        return W + _step_sizes(value, np.array([np.sum(gradient * step)])) * step

    def intercepts(
        self, embedded: FloatArray, factor: FloatArray, intercept: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return H and b after a Newton step for each label, halved until it gains."""
        table = np.column_stack([embedded, np.ones(len(embedded))])
        stacked = np.column_stack([factor, intercept])
        weights = np.r_[np.full(factor.shape[1], self._penalty), 0.0]  # the intercept is not penalised
        scores = table @ stacked.T
        _, slope, curvature = self._cells(scores)
        gradient = slope.T @ table + weights * stacked
        step = np.empty_like(stacked)
        floor = np.diag(weights + np.r_[np.zeros(factor.shape[1]), _FLAT])
        for label, bent in enumerate(curvature.T):
            step[label] = -np.linalg.solve(table.T @ (bent[:, np.newaxis] * table) + floor, gradient[label])
        moved = table @ step.T

        def value(step_size: FloatArray) -> FloatArray:
            penalties = np.square(stacked + step_size[:, np.newaxis] * step) @ weights / 2
            return self._cells(scores + step_size * moved)[0].sum(axis=0) + penalties

        stacked = stacked + _step_sizes(value, np.sum(gradient * step, axis=1))[:, np.newaxis] * step
        return stacked[:, :-1], stacked[:, -1]


def _conjugate_gradients(product: Callable[[FloatArray], FloatArray], target: FloatArray) -> FloatArray:
    """Solve a positive definite system approximately; the solution is a direction of descent wherever it ends."""
    solution, residual = np.zeros_like(target), target.copy()
    direction, size = residual.copy(), float(np.square(residual).sum())
    enough = _RESIDUAL**2 * size
    for _ in range(_PRODUCTS):
        if size <= enough:
            break
        image = product(direction)
        step_size = size / float(np.sum(direction * image))
        solution += step_size * direction
        residual -= step_size * image
        before, size = size, float(np.square(residual).sum())
        direction = residual + size / before * direction
    return solution


def _step_sizes(value: Callable[[FloatArray], FloatArray], slope: FloatArray) -> FloatArray:
    """Return step sizes, 1 or halves of it, that lower each value; 0 where none does."""
    step_size, before = np.ones(len(slope)), value(np.zeros(len(slope)))
    for _ in range(_HALVINGS):
        short = value(step_size) > before + _SHARE * step_size * slope
        if not short.any():
            return step_size
        step_size[short] /= 2
    step_size[value(step_size) > before] = 0.0
    return step_size
