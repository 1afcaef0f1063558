"""Penalties of ridge regressions, compared by their leave-one-out errors and generalised cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from mlreduce.linalg.banded import BlockTridiagonal
from mlreduce.linalg.contents import groups_of_rows
from mlreduce.linalg.features import CACHED_BYTES, Features, WeightedFeatures
from mlreduce.linalg.lsqr import bidiagonal_spectra, is_large
from mlreduce.linalg.utilities import dense_columns, map_columns
from mlreduce.validation import FloatArray, as_dense, is_sparse

# Penalties that cross-validation compares, relative to the largest squared singular value: four per decade. Below them
# the scatter matrix is no longer accurate; above them nothing but the mean is left.
_TRIED = np.logspace(-10, 3, 53)

# Of them those whose exact errors are compared first; then those around the best.
_STEP = 4

# Most degrees of freedom that "gcv" takes, as a share of the different rows: with more, rows that repeat count as
# predicted, which they are by their copies.
FREEDOM = 0.95

# Relative difference of errors that are equal: the larger penalty is taken.
_SAME = 1e-9

# Rows and features from which generalised errors are computed without eigenvectors.
_MANY = 2500

# Random vectors by which a trace is estimated, and steps of the bidiagonalisation, where a decomposition is expensive.
_PROBES, _STEPS = 8, 60


def choose_penalty(features: Features, targets: Any) -> tuple[float, str | None]:
    """Return the penalty of the smallest leave-one-out error, and which end of those compared it is, if any.

    Features are centred, or weighted; targets are centred, or sparse as they are.
    """
    penalties, errors = errors_of_penalties(features, targets, exact=True)
    best = largest_of_least(errors)
    return float(penalties[best]), find_edge(best, len(errors))


def find_edge(best: int, number: int) -> str | None:
    """Return which end of so many candidates one is, if any."""
    return None if number == 1 else {0: "lowest", number - 1: "highest"}.get(best)


def gram_eigenvectors(features: Features) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues, ascending, and eigenvectors of the smaller Gram matrix, cached where it is not large."""
    if "gram eigenvectors" in features.shared:
        values, vectors = features.shared["gram eigenvectors"]
        return values, vectors
    matrix = features.gram if features.shape[0] < features.shape[1] else features.scatter
    values, vectors = scipy.linalg.eigh(matrix, check_finite=False)
    if vectors.nbytes <= CACHED_BYTES:
        features.shared["gram eigenvectors"] = values, vectors
    return values, vectors


def errors_of_penalties(
    features: Features, targets: Any, *, exact: bool, freedom: float = FREEDOM, together: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return penalties and their (generalised) leave-one-out errors, from one eigendecomposition.

    Generalised errors are those of the different rows, with the means of the targets of equal ones, and infinite where
    the degrees of freedom are more than a share of them. Of a row with an integer weight exact errors leave out one
    copy, or, ``together``, all.

    With the singular value decomposition ``Xc = U S V'`` the residual of a penalty is ``T - U (1 - F) U'T`` with
    ``F = penalty / (S^2 + penalty)``, and its hat matrix, the intercept included, ``11'/n + U (1 - F) U'``.
    """
    if is_large(features.X):
        return _estimated_errors(features, targets, freedom)
    if not exact and min(features.shape) >= _MANY:
        return _generalised_errors(features, targets, freedom)
    rows, columns = features.shape
    squares, vectors = gram_eigenvectors(features)
    used = squares > max(rows, columns) * np.finfo(float).eps * max(squares[-1], 0.0)
    first = len(squares) - np.count_nonzero(used)  # they ascend: a slice is no copy
    squares, vectors = squares[first:], vectors[:, first:]
    if not len(squares):  # the features do not vary
        return np.ones(1), np.zeros(1)
    by_rows = rows < columns
    left = vectors if by_rows else features.dot(vectors) / np.sqrt(squares) if exact else None
    if by_rows:
        along = map_columns(lambda part: vectors.T @ part, targets, centred=True)
    else:
        along = (vectors.T @ features.transposed_dot(targets)) / np.sqrt(squares)[:, np.newaxis]
    penalties = _TRIED * squares[-1]
    shrinkage = penalties[:, np.newaxis] / (squares + penalties[:, np.newaxis])  # F, one row per penalty
    if not exact:
        outside = max(_sum_of_squares(targets) - float(np.square(along).sum()), 0.0)
        residual = np.square(shrinkage) @ np.square(along).sum(axis=1) + outside
        return penalties, _generalised(
            residual, shrinkage.sum(axis=1) + (rows - 1 - len(squares)), features, targets, freedom
        )
    assert left is not None
    squared = np.square(left)
    lost = 1.0 - features.intercept_leverage - squared.sum(axis=1)
    weights = np.square(features.roots) if isinstance(features, WeightedFeatures) else np.ones(rows)
    copies = np.ones(rows) if together else np.maximum(weights, 1.0)
    errors = np.full(len(penalties), np.inf)
    rest = None if is_sparse(targets) else targets - left @ along

    def rests() -> Iterator[tuple[slice, FloatArray]]:
        if rest is not None:
            yield slice(None), rest
            return
        for columns, part in dense_columns(targets, centred=True):
            yield columns, part - left @ along[:, columns]

    def compare(numbers: Iterable[int]) -> None:
        for number in numbers:
            factors, errors[number] = shrinkage[number], 0.0
            share = (1.0 - (1.0 - squared @ factors - lost) / copies)[:, np.newaxis]
            for columns, part in rests():
                residual = left @ (factors[:, np.newaxis] * along[:, columns])
                residual += part
                residual /= share
                errors[number] += np.square(residual, out=residual).sum() / (weights.sum() * targets.shape[1])

    compare(range(0, len(penalties), _STEP))
    best = largest_of_least(errors)
    compare(number for number in range(best - _STEP + 1, best + _STEP) if 0 <= number < len(errors) and number != best)
    compared = np.isfinite(errors)
    return penalties[compared], errors[compared]


def _generalised_errors(features: Features, targets: Any, freedom: float) -> tuple[FloatArray, FloatArray]:
    """Return penalties and their generalised errors without eigenvectors, from a block tridiagonal form.

    With S the scatter, ``C = X'T`` and ``M = (S + penalty I)^-1`` the sum of squared residuals is
    ``||T||^2 - tr C'MC - penalty tr C'M^2C``; with the Gram matrix K and ``M = (K + penalty I)^-1`` it is
    ``penalty^2 tr T'M^2T``. The trace of ``I - H`` is what the intercept leaves less that of M times the matrix.
    """
    rows, columns = features.shape
    by_rows = rows < columns
    if by_rows:  # the vector of ones gets an eigenvalue other than zero, which is taken out of the trace again
        middle = features.sum_of_squares / rows
        system = BlockTridiagonal.reduce(features.gram + middle / rows, map_columns(np.asarray, targets, centred=True))
    else:
        system = BlockTridiagonal.reduce(features.scatter.copy(), features.transposed_dot(targets))
    largest = system.largest_eigenvalue()
    if not largest > 0:  # the features do not vary
        return np.ones(1), np.zeros(1)
    penalties = _TRIED * largest
    inverse, once, twice = system.traces(penalties)
    residual = np.square(penalties) * twice if by_rows else _sum_of_squares(targets) - once - penalties * twice
    if by_rows:
        inverse = inverse - 1.0 / (middle + penalties)
    trace = penalties * inverse + max(rows - columns - 1.0, 0.0)
    return penalties, _generalised(np.maximum(residual, 0.0), trace, features, targets, freedom)


def _sum_of_squares(targets: Any) -> float:
    """Return the sum of the squares of targets, of sparse ones about their means."""
    if not is_sparse(targets):
        return float(np.square(targets).sum())
    return float(np.square(targets.data).sum() - np.square(np.asarray(targets.mean(axis=0))).sum() * targets.shape[0])


def largest_of_least(errors: FloatArray) -> int:
    """Return the number of the largest penalty whose error is the least."""
    return int(np.flatnonzero(errors <= errors.min() * (1.0 + _SAME))[-1])


def _generalised(
    residual: FloatArray, trace: FloatArray, features: Features, targets: Any, freedom: float
) -> FloatArray:
    """Return the criterion from sums of squared residuals and traces of ``I - H``; see `errors_of_penalties`."""
    rows = features.shape[0]
    if not np.isfinite(freedom):
        return rows * residual / (np.square(trace) * targets.shape[1])
    copies = groups_of_rows(features.X)
    different, among = copies.shape[0], _sum_of_squares_among(copies, targets)
    used = rows - trace
    errors = different * np.maximum(residual - among, 0.0) / (np.square(different - used) * targets.shape[1])
    allowed = used <= freedom * different
    allowed[-1] = True  # of the largest penalty
    return np.where(allowed, errors, np.inf)


def _sum_of_squares_among(copies: sp.csr_array, targets: Any) -> float:
    """Return the sum of the squares of targets about their means among rows that are equal."""
    sizes = np.diff(copies.indptr)
    if (sizes == 1).all():
        return 0.0
    several = copies[sizes > 1]
    part, total = targets[several.indices], several @ targets
    squares = float(np.square(part.data if is_sparse(part) else part).sum())
    means = np.square(as_dense(total)) / sizes[sizes > 1][:, np.newaxis]
    return squares - float(means.sum())


def _estimated_errors(features: Features, targets: Any, freedom: float) -> tuple[FloatArray, FloatArray]:
    """Estimate the generalised errors by Golub-Kahan bidiagonalisation, from a fixed seed.

    Started from a vector t it gives ``t'F^k t`` for all penalties at once (Golub and von Matt 1997, "Generalized
    cross-validation for large-scale problems"): of the targets for the residual, of random signs for the trace.
    """
    rows = features.shape[0]
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (rows, _PROBES))
    signs = features.centre_rows(signs)
    if is_sparse(targets):
        starts: Iterable[FloatArray] = chain((part for _, part in dense_columns(targets, centred=True)), [signs])
    else:
        starts = [np.hstack([targets, signs])]
    steps = min(_STEPS, *features.shape)
    spectra = [(*bidiagonal_spectra(features, part, steps), np.square(part).sum(axis=0)) for part in starts]
    squares, weights, squared_norms = (np.concatenate(parts) for parts in zip(*spectra, strict=True))
    penalties = _TRIED * squares.max()
    residual, trace = np.empty(len(penalties)), np.empty(len(penalties))
    of_targets = slice(None, targets.shape[1])
    for number, penalty in enumerate(penalties):
        factors = penalty / (squares + penalty)
        residual[number] = squared_norms[of_targets] @ (weights * np.square(factors)).sum(axis=1)[of_targets]
        trace[number] = (squared_norms * (weights * factors).sum(axis=1))[targets.shape[1] :].mean()
    return penalties, _generalised(residual, trace, features, targets, freedom)
