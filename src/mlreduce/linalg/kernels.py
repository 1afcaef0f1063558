"""Gaussian kernels between rows of features, and ridge regression with a kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import inner_products, squared_norms
from mlreduce.linalg.features import Features, WeightedFeatures
from mlreduce.linalg.penalties import find_edge, largest_of_least
from mlreduce.validation import FloatArray, as_dense, check_memory, check_range, is_sparse

# Penalties that "loo" compares, and most rows from which it chooses: it then costs about as much as a solution.
_ALPHAS, _ROWS = np.logspace(-5, 3, 17), 1500

# Number of rows for which sums of squared norms are formed at once.
_BLOCK = 256


def check_positive(value: Any, name: str) -> float:
    """Return a width or a penalty as a float; raise DataError if it is not a finite number > 0."""
    return check_range(value, name, 0, open_ends=True)


def check_gamma(gamma: Any, X: Any, weights: FloatArray | None = None) -> float:
    """Return the width parameter of a Gaussian kernel; None means 1 over the mean squared distance of two rows of X.

    The mean kernel of two different rows is then near ``exp(-1)`` in any units of the features, and for any number. X
    has the training rows; if they are all the same, None means 1. A weight says how many equal rows a row stands for.
    Raises DataError if gamma is neither None nor a finite number > 0.
    """
    if gamma is not None:
        return check_positive(gamma, "gamma")
    features = Features(X, centred=True) if weights is None else WeightedFeatures(X, weights)
    scatter, number = float(features.squared_norms.sum()), X.shape[0] if weights is None else float(weights.sum())
    return max(number - 1, 1) / (2.0 * scatter) if scatter > 0 else 1.0


def check_kernel_size(n_samples: int) -> None:
    """Raise DataError if a kernel matrix, its copy and its factor do not fit into memory."""
    check_memory(
        3 * 8.0 * n_samples**2,
        f"a kernel matrix of {n_samples} rows with its factor",
        "fit fewer rows, or use similarities to some of them as features of a linear method, "
        "make_pipeline(mlreduce.preprocessing.relation.RelationFeatures('rbf', n_prototypes=2000), ...)",
    )


def squared_distances(X: Any, other: Any = None) -> FloatArray:
    """Return the squared Euclidean distances, all >= 0, between the rows of two feature matrices.

    Computed from inner products. Dense features are centred first, so that an offset that is large compared with the
    distances costs no accuracy; sparse ones are taken as they are. Without ``other`` they are those of X to itself,
    symmetric with zeros on the diagonal. One distance serves the kernels of any number of widths; see
    `gaussian_kernel`. Raises DataError if the matrices do not have the same number of columns.
    """
    if other is not None and X.shape[1] != other.shape[1]:
        raise DataError(f"distances need rows with the same features; got {X.shape[1]} columns and {other.shape[1]}")
    same = other is None or other is X
    other = X if same else other
    if is_sparse(X) and is_sparse(other):
        products = inner_products(X, other, sp.csr_array(other.T))
        norms, other_norms = squared_norms(X), squared_norms(other)
    else:
        mean = as_dense(other).mean(axis=0) if other.shape[0] else 0.0
        right = as_dense(other) - mean
        left = right if same else as_dense(X) - mean
        products = left @ right.T
        norms, other_norms = squared_norms(left), squared_norms(right)
    if same:
        # Computed like the other products, so that equal rows have distance zero.
        norms = other_norms = np.diag(products).copy()
    products *= -2.0
    for start in range(0, len(norms), _BLOCK):
        # Not one after the other, which rounding would make asymmetric, nor all at once: this is the largest matrix.
        products[start : start + _BLOCK] += np.add.outer(norms[start : start + _BLOCK], other_norms)
    np.maximum(products, 0.0, out=products)
    if same:
        np.fill_diagonal(products, 0.0)
    return products


def gaussian_kernel(distances: FloatArray, gamma: float, *, overwrite: bool = False) -> FloatArray:
    """Return the Gaussian kernel ``exp(-gamma ||x - x'||^2)`` from `squared_distances`, for a gamma > 0.

    With ``overwrite`` the kernel takes the place of the distances.
    """
    kernel = np.multiply(distances, -gamma, out=distances if overwrite else None)
    return np.exp(kernel, out=kernel)


def choose_alpha(
    alpha: Any, kernel: FloatArray, targets: FloatArray, order: Any, weights: FloatArray | None = None
) -> tuple[float, str | None]:
    """Return the penalty of kernel ridge regression with the smallest error of leaving out each row.

    Also return which end of those compared it is, "lowest" or "highest", if any. An alpha that is a number is returned
    as it is. The kernel is Gaussian, so that its entries and the penalty have no unit. Targets are NaN, which counts as
    the mean, where not known. ``order`` returns numbers of the rows in an order by content, the first of which are used
    where there are many. An integer weight counts as so many equal rows, one of which is left out. Raises DataError if
    ``alpha`` is neither "loo" nor a finite number > 0.
    """
    if not (isinstance(alpha, str) and alpha == "loo"):
        return check_positive(alpha, "alpha"), None
    weights = np.ones(len(kernel)) if weights is None else weights
    chosen = np.flatnonzero(weights)
    if len(chosen) > _ROWS:
        chosen = np.array([row for row in order() if weights[row] > 0])[:_ROWS]
    weights, targets = weights[chosen], as_dense(targets[chosen])
    total, roots, known = weights.sum(), np.sqrt(weights), ~np.isnan(targets)
    if total <= 1:
        return 1.0, None
    sums = np.where(known, targets, 0.0).T @ weights, known.T @ weights
    centred = np.where(known, targets - sums[0] / np.maximum(sums[1], np.finfo(float).tiny), 0.0)
    counts = np.maximum(weights, 1.0)[:, np.newaxis]  # a row of less weight is left out
    units = np.minimum(weights, 1.0)[:, np.newaxis]
    values, vectors = np.linalg.eigh(roots[:, np.newaxis] * kernel[np.ix_(chosen, chosen)] * roots)
    along = vectors.T @ (roots[:, np.newaxis] * np.column_stack([centred, np.ones(len(chosen))]))
    # The mean of the others differs from that of all, which shifts their targets by the same number.
    shifts = units * centred / np.maximum(total - units, np.finfo(float).tiny)
    errors = []
    for candidate in _ALPHAS:
        left = candidate / (np.maximum(values, 0.0) + candidate)
        rest = vectors @ (left[:, np.newaxis] * along)
        share = 1.0 - (1.0 - np.square(vectors) @ left)[:, np.newaxis] / counts
        errors.append(float(np.square((rest[:, :-1] + shifts * rest[:, -1:]) / share).sum()))
    best = largest_of_least(np.array(errors))
    return float(_ALPHAS[best]), find_edge(best, len(errors))


class RidgeSolution(NamedTuple):
    """Solution of kernel ridge regression for targets T."""

    #: Of shape (n_samples, n_targets). ``(K + alpha I)^-1 T``: predictions are kernels with the training rows, times
    #: these.
    coefficients: FloatArray
    #: Of shape (n_samples, n_targets). ``T - K (K + alpha I)^-1 T``, which is alpha times the coefficients.
    residual: FloatArray
    #: Of shape (n_samples,). ``alpha`` times the diagonal of ``(K + alpha I)^-1``: the residual of a row divided by it
    #: is that of a regression on the other rows. None where it was not requested.
    left: FloatArray | None = None


def kernel_ridge(kernel: FloatArray, alpha: float, targets: FloatArray, *, leaving_out: bool = False) -> RidgeSolution:
    """Solve ``(K + alpha I) C = T`` for a symmetric kernel matrix without negative eigenvalues.

    Where alpha, > 0, is lost in the rounding errors of the kernel, the limit of small penalties is taken: directions in
    which the kernel is zero get no coefficients, and remain in the residual. ``leaving_out`` returns ``left`` too, at
    twice the cost of the solution.
    """
    shifted = kernel.copy()
    shifted.flat[:: len(shifted) + 1] += alpha
    norm = scipy.linalg.norm(shifted, 1, check_finite=False)
    # Either triangle of a symmetric matrix will do; the transpose of a C array is what LAPACK overwrites in place.
    factor, info = scipy.linalg.lapack.dpotrf(shifted.T, lower=1, clean=0, overwrite_a=1)
    if info == 0:
        reciprocal_condition, _ = scipy.linalg.lapack.dpocon(factor, norm, uplo="L")
        if reciprocal_condition > np.finfo(float).eps:
            coefficients, _ = scipy.linalg.lapack.dpotrs(factor, targets, lower=1)
            if not leaving_out:
                return RidgeSolution(coefficients, alpha * coefficients)
            inverse, _ = scipy.linalg.lapack.dtrtri(np.tril(factor), lower=1)
            left = alpha * np.square(inverse).sum(axis=0)
            return RidgeSolution(coefficients, alpha * coefficients, left)
    # Rows that coincide make the kernel singular, and rounding then leaves small negative eigenvalues. A penalty
    # smaller than they are gives no positive definite matrix: decompose, and leave out what is zero up to rounding.
    values, vectors = np.linalg.eigh(kernel)
    large = values > len(values) * np.finfo(float).eps * values[-1]
    values, vectors = values[large, np.newaxis], vectors[:, large]
    inside = vectors.T @ targets
    outside = targets - vectors @ inside
    return RidgeSolution(
        vectors @ (inside / (values + alpha)),
        outside + vectors @ (inside * (alpha / (values + alpha))),
        1.0 - np.square(vectors) @ (values[:, 0] / (values[:, 0] + alpha)) if leaving_out else None,
    )
