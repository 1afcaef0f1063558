"""Solver of the spectral methods: ``max tr(P'AP)`` subject to ``P'BP = I``, by the cheapest of six strategies.

The strategy depends on shapes and the number of stored entries alone:

thin
    A is ``SS'`` with one column per label: singular value decomposition of S, in the metric of B.
samples
    Fewer instances than features, B = I, one weight for all: ``A = X'M^1/2 (M^1/2)'X`` has the spectrum of a matrix
    over the instances.
features
    A as a matrix over the features, or over the row space of X where that is smaller, in the metric of B.
Lanczos
    B = I and few directions, of a problem too large for a dense matrix or of sparse features whose products cost less
    than the matrix and its eigenvectors (`_prefers_products`): products with the features only.
least squares
    A is ``SS'`` with one column per label, B is a multiple of ``X'X`` and a ridge, and X is sparse and large:
    ``B^-1 S`` by iteration, as in CCA.
blocks
    B = I, features are coordinates of the instances (embeddings) and few columns are wanted: block Krylov iteration
    with the matrix over the instances, or with the inverse of an upper bound of its eigenvalues less the matrix.

Eigenvalues within rounding error of zero are zero, and LAPACK returns an arbitrary basis of their directions: without
``signed_values`` they give none, with it they are ordered by the variance of the features along them
(`_order_null_space`).

A constraint is *whitened*: W with ``W'BW = I`` turns the problem into one with B = I. Whitenings and row spaces are
cached with the features, so that methods with the same constraint share them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.features import Coordinates, Features
from mlreduce.linalg.lsqr import DENSE_SIDE, is_large, lsqr
from mlreduce.linalg.utilities import signed
from mlreduce.spectral.form import Form
from mlreduce.spectral.krylov import leading_eigenvectors
from mlreduce.spectral.whitening import Whitening, whitening_of
from mlreduce.validation import FloatArray, as_dense, is_sparse

__all__ = ["Solution", "row_space", "solve"]

#: Entries of S, n_features x n_labels, up to which it is computed.
THIN_ENTRIES = 2**24

# Entries from which singular vectors of a tall array are computed from its Gram matrix, at half the cost.
_LARGE_HALF = 2**17

# Relative difference below which neighbouring eigenvalues are equal.
_EQUAL = 1e-8

# Least number of rounding errors of the largest eigenvalue below which an eigenvalue is zero; larger matrices take
# their order.
_LEAST_LENGTH = 1000

# Number of random vectors by which the rounding error of a matrix is measured, and the multiple of it below which an
# eigenvalue is zero.
_PROBES, _MARGIN = 4, 4.0

# Relative eigenvalue below which directions are orthogonalised again after a strategy that squares condition numbers:
# the others are orthonormal to about 1e-10.
_WEAK = 1e-6

# Room between the estimate of a condition number and the eigenvalue taken for zero.
_BEYOND_DOUBT = 10.0

# Relative accuracies of the largest eigenvalue beside those found: the tight one where the loose one comes so many
# times its accuracy near them.
_LOOSE, _TIGHT, _DOUBT = 1e-2, 1e-6, 5.0

# At most one in so many eigenvectors of a dense matrix is computed without the others.
_FEW = 4

# At most one in so many eigenvectors of a matrix over the instances is computed by blocks.
_SHARE = 8

# Shift above the upper bound of the eigenvalues, relative to the matrix norm.
_ABOVE = 1e-6


_DRAWS = "rng" in inspect.signature(scipy.sparse.linalg.eigsh).parameters


class Solution(NamedTuple):
    """Directions, most important first.

    Attributes
    ----------
    eigenvalues : ndarray of shape (k,)
        Descending; positive, unless ``signed_values``.
    components : ndarray of shape (k, n_features)
        ``components B components' = I``; the entry of largest magnitude of each row is positive.
    total : float or None
        Sum of all positive eigenvalues; None where they were not all computed, and their sum is not a trace.
    """

    eigenvalues: FloatArray
    components: FloatArray
    total: float | None = None


def solve(
    features: Features,
    objective: Form,
    constraint: Form | None = None,
    limit: int | None = None,
    labels: Any = None,
    signed_values: bool = False,
    upper: float | None = None,
    trivial: FloatArray | None = None,
    variation: Callable[[FloatArray], FloatArray] | None = None,
    who: str = "the projection",
) -> Solution:
    """Find the leading directions.

    Parameters
    ----------
    features : Features
        X of the forms.
    objective : Form
        A.
    constraint : Form or None, default=None
        B; None is the identity.
    limit : int or None, default=None
        Largest number of directions; None for all.
    labels : sparse matrix of shape (n_samples, n_labels) or None, default=None
        Directions of equal eigenvalue are ordered by their dependence on the labels, ``||Y'Xp||``; without labels
        their order is that of the factorisation.
    signed_values : bool, default=False
        Keep eigenvalues that are zero or negative, as for costs whose sign is changed. Directions are then restricted
        to the row space of the features.
    upper : float or None, default=None
        Upper bound of the eigenvalues, which speeds up the strategy "blocks".
    trivial : ndarray of shape (n_features,) or None, default=None
        A known eigenvector to which directions are orthogonal. Only with B = I.
    variation : callable or None, default=None
        Function of directions, shape (n_features, k), that returns their images, such as ``XP``. With
        ``signed_values`` the directions of eigenvalue zero are ordered by the lengths of their images; where ``limit``
        falls between some of equal length, none of these is returned. None leaves their order to the factorisation.
    who : str, default="the projection"
        Name of the method, for warnings.

    Raises
    ------
    DataError
        If all directions of a very large problem are wanted, or a very large one has a constraint.

    Warns
    -----
    ProjectionWarning
        If B is singular: directions are restricted to its range.
    """
    side = min(features.shape)
    thin = objective.is_thin and not signed_values
    if thin and constraint is None:
        side = min(side, objective.factor.shape[1])
    few = limit if constraint is None else None
    blocks, total = None, None
    ordered, noise = signed_values and variation is not None, 0.0
    if few and isinstance(features, Coordinates) and not thin and few <= side // _SHARE:
        blocks = _blocks(features, objective, few, upper, trivial)
        noise = _least(max(features.shape), _norm(objective))
        if blocks is not None and ordered and abs(blocks[0][-1]) <= noise and side <= DENSE_SIDE:
            blocks = None  # a part of the null space
    products = None
    if few and not thin and not signed_values and trivial is None and _prefers_products(features, objective, few):
        products = _checked_lanczos(features, objective, few)
    if blocks is None and trivial is not None:
        objective = objective + _deflation(objective, trivial)
    if blocks is not None:
        values, vectors = blocks
    elif products is not None:
        values, vectors = products
    elif few and side > DENSE_SIDE and few <= side // 4:
        values, vectors = _lanczos(features, objective, few, thin)
        noise = _least(max(features.shape), np.abs(values).max(initial=0.0))
        if ordered and len(values) and abs(values[-1]) <= noise:  # a part of the null space: no order of it
            values, vectors = values[values > noise], vectors[:, values > noise]
    elif _solves_by_least_squares(features, objective, constraint, thin):
        values, vectors = _by_least_squares(features, objective, constraint, who)
        total = float(values.sum())
    elif side > 4 * DENSE_SIDE:
        raise DataError(_too_large(features, side, constraint))
    elif constraint is None and thin:
        values, vectors = _thin(features, objective, limit)
    elif (
        constraint is None and features.shape[0] < features.shape[1] and objective.has_sample_root and not signed_values
    ):
        values, vectors = _samples(features, objective, limit)
    else:
        values, vectors, noise, total = _matrices(features, objective, constraint, limit, signed_values, who)
    if not signed_values:
        kept = _positive(values, max(features.shape), noise)
        values, vectors = values[kept], vectors[:, kept]
    if features.centred and features.constant.any():
        vectors = np.where(features.constant[:, np.newaxis], 0.0, vectors)
    if labels is not None:
        vectors = _decide_ties(values, vectors, lambda block: labels.T @ features.dot(block))
    if signed_values and variation is not None:
        values, vectors = _order_null_space(values, vectors, noise, variation, limit)
    if signed_values:
        total = None
    elif limit is None or len(values) < limit:  # these are all
        total = float(values.sum())
    elif constraint is None:
        total = _trace(features, objective)
    return Solution(values[:limit], signed(vectors[:, :limit].T), total)


def _trace(features: Features, objective: Form) -> float | None:
    """Return the sum of the eigenvalues of a form without negative ones; None where it is costly or some may be."""
    if not objective.is_semidefinite or objective.squared or objective.ridge:
        return None
    if objective.factor is not None and features.shape[1] * objective.factor.shape[1] > THIN_ENTRIES:
        return None
    if objective.weight is None:
        return objective.mean_diagonal(features) * features.shape[1]
    rest = replace(objective, weights=0.0).mean_diagonal(features) * features.shape[1]
    return rest + (objective.weight * features.sum_of_squares if objective.weight else 0.0)


def _too_large(features: Features, side: int, constraint: Form | None) -> str:
    """Return a sentence about a problem that needs several dense matrices of a large order."""
    rows, columns = features.shape
    needs = f"of {rows} x {columns} features need three arrays of order {side}, {3 * 8e-9 * side**2:.0f} GB"
    if constraint is None:
        return f"all directions {needs}: ask for fewer with n_components, a whole number of {side // 4} at most"
    return (
        f"directions with a constraint {needs}: reduce X first, by mlreduce.PCA or sklearn.decomposition.TruncatedSVD "
        "with some hundreds of components, or drop rare features"
    )


def _solves_by_least_squares(features: Features, objective: Form, constraint: Form | None, thin: bool) -> bool:
    """Whether the strategy "least squares" applies."""
    large = is_large(features.X) and not isinstance(features, Coordinates)
    scalars = None if constraint is None else constraint.scalars
    return large and thin and scalars is not None and scalars[0] > 0 and scalars[1] >= 0


def _by_least_squares(
    features: Features, objective: Form, constraint: Form | None, who: str
) -> tuple[FloatArray, FloatArray]:
    """Return the directions for ``A = SS'`` and ``B = wX'X + ridge I``, from ``G = B^-1 S``.

    With ``S = X'F`` it is ``G = (X'X + ridge / w I)^-1 X'F / w``: least squares with the targets F. Eigenvectors V of
    ``S'G`` give the directions ``GV``, of squared length their eigenvalue.
    """
    assert constraint is not None
    weight, ridge = constraint.scalars or (1.0, 0.0)
    spread = as_dense(objective.sample_factor())
    inverse = lsqr(features, spread - spread.mean(axis=0) if features.centred else spread, ridge / weight, who)
    # Twice the product less the length: the error of the iteration counts squared.
    images = features.dot(inverse)
    products = spread.T @ images
    matrix = products + products.T - images.T @ images - (ridge / weight) * (inverse.T @ inverse)
    values, vectors = _descending(matrix / weight, None)
    kept = _positive(values, max(features.shape))
    values, vectors = values[kept], vectors[:, kept]
    return values, inverse @ (vectors / (weight * np.sqrt(values)))


def _least(length: int, scale: float) -> float:
    """Return the rounding error of eigenvalues of a matrix of a size and norm."""
    return max(length, _LEAST_LENGTH) * float(np.finfo(float).eps) * scale


def _positive(values: FloatArray, length: int, noise: float = 0.0) -> slice:
    """Slice of the sorted eigenvalues that exceed rounding error, ``noise`` at least."""
    smallest = max(noise, _least(length, np.abs(values).max(initial=0.0)))
    return slice(0, int(np.count_nonzero(values > smallest)))


def _order_null_space(
    values: FloatArray,
    vectors: FloatArray,
    noise: float,
    variation: Callable[[FloatArray], FloatArray],
    limit: int | None,
) -> tuple[FloatArray, FloatArray]:
    """Order the directions of eigenvalue zero by the lengths of their images, and set these eigenvalues to zero.

    No basis decides the order, except among directions of images of equal length: of these all or none are returned.
    """
    null = np.abs(values) <= noise
    if not null.any():
        return values, vectors
    start, size = int(np.argmax(null)), int(np.count_nonzero(null))
    rows = slice(start, start + size)
    values, vectors = np.where(null, 0.0, values), vectors.copy()
    squares, vectors[:, rows] = _by_length(vectors[:, rows], variation)
    if limit is None or not start < limit < start + size:
        return values, vectors
    different = np.flatnonzero(np.r_[True, ~_ties(np.where(squares > _EQUAL * squares[0], squares, 0.0))])
    kept = start + int(different[different <= limit - start].max())
    return values[:kept], vectors[:, :kept]


def _by_length(block: FloatArray, images_of: Callable[[FloatArray], FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Turn orthonormal directions so that their images are orthogonal; return the squared lengths, descending."""
    images = images_of(block)
    squares, rotation = np.linalg.eigh(images.T @ images)
    return squares[::-1], block @ rotation[:, ::-1]


def _leading(values: FloatArray, limit: int | None) -> slice:
    """Slice of the first ``limit`` sorted eigenvalues and those equal to the last of them, whose order is open yet."""
    if limit is None or limit >= len(values):
        return slice(None)
    return slice(0, limit + int(np.count_nonzero(_ties(values[limit - 1 :]).cumprod())))


def _ties(values: FloatArray) -> NDArray[np.bool_]:
    """Mask of consecutive equal eigenvalues."""
    equal: NDArray[np.bool_] = values[:-1] - values[1:] <= _EQUAL * np.abs(values[1:])
    return equal


def _decide_ties(values: FloatArray, vectors: FloatArray, dependence: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Order the directions of equal eigenvalue by the singular values of their images under ``dependence``."""
    ties = _ties(values)
    if not ties.any():
        return vectors
    starts = np.flatnonzero(np.r_[True, ~ties])
    vectors = vectors.copy()
    for start, stop in zip(starts, np.r_[starts[1:], len(values)], strict=True):
        if stop - start > 1:
            _, vectors[:, start:stop] = _by_length(vectors[:, start:stop], dependence)
    return vectors


def _descending(matrix: FloatArray, limit: int | None) -> tuple[FloatArray, FloatArray]:
    """Return the leading eigenvalues and eigenvectors of a symmetric matrix, which is overwritten."""
    size = len(matrix)
    few = limit is not None and limit <= size // _FEW
    subset = (size - limit, size - 1) if limit is not None and few else None
    values, vectors = scipy.linalg.eigh(
        matrix, subset_by_index=subset, driver="evr" if few else "evd", overwrite_a=True, check_finite=False
    )
    leading = _leading(values[::-1], limit)
    return values[::-1][leading], vectors[:, ::-1][:, leading]


def _left_singular(half: FloatArray, limit: int | None) -> tuple[FloatArray, FloatArray]:
    """Return the leading squared singular values and left singular vectors."""
    if half.size < _LARGE_HALF or half.shape[0] < 4 * half.shape[1]:
        vectors, singular, _ = np.linalg.svd(half, full_matrices=False)
        leading = _leading(singular**2, limit)
        return singular[leading] ** 2, vectors[:, leading]
    values, right = _descending(half.T @ half, limit)
    kept = _positive(values, max(half.shape))
    return values[kept], _orthonormal(values[kept], half @ right[:, kept])


def _thin(features: Features, objective: Form, limit: int | None) -> tuple[FloatArray, FloatArray]:
    if features.shape[1] * objective.factor.shape[1] <= THIN_ENTRIES:
        return _left_singular(objective.feature_factor(features), limit)
    spread = objective.sample_factor()
    size = spread.shape[1]
    products = np.empty((size, size))
    step = max(1, THIN_ENTRIES // max(features.shape))
    for start in range(0, size, step):
        columns = slice(start, start + step)
        products[:, columns] = spread.T @ features.dot(features.transposed_dot(spread[:, columns]))
    values, vectors = _descending(products, limit)
    kept = _positive(values, max(features.shape))
    return values[kept], _orthonormal(values[kept], features.transposed_dot(spread @ vectors[:, kept]))


def _samples(features: Features, objective: Form, limit: int | None) -> tuple[FloatArray, FloatArray]:
    weight, basis, gains = objective.sample_root(features.shape[0])
    # (wI + EgE') K (wI + EgE'), in one product of thin factors
    gram, gained = features.gram, basis * gains
    along = gram @ gained
    across = weight * along + basis @ ((gains[:, np.newaxis] * (basis.T @ along)) / 2)
    matrix = weight**2 * gram + np.hstack([basis, across]) @ np.hstack([across, basis]).T
    values, vectors = _descending(matrix, limit)
    kept = _positive(values, max(features.shape))
    values, vectors = values[kept], vectors[:, kept]
    rooted = weight * vectors + gained @ (basis.T @ vectors)
    return values, _orthonormal(values, features.transposed_dot(rooted))


def _orthonormal(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """Scale products such as ``X'u`` to unit length and orthogonalise those of small eigenvalues again.

    Their loss of orthogonality by rounding is inverse to the eigenvalue.
    """
    vectors = vectors / np.linalg.norm(vectors, axis=0)
    strong = int(np.count_nonzero(values > _WEAK * values.max(initial=0.0)))
    if strong < len(values):
        leading, weak = vectors[:, :strong], vectors[:, strong:]
        for _ in range(2):
            weak = weak - leading @ (leading.T @ weak)
        vectors[:, strong:] = np.linalg.qr(weak)[0]
    return vectors


def _matrices(
    features: Features, objective: Form, constraint: Form | None, limit: int | None, signed_values: bool, who: str
) -> tuple[FloatArray, FloatArray, float, float | None]:
    """Return eigenvalues, directions, the rounding error of the eigenvalues and, if none is negative, their sum."""
    back: FloatArray | None = None
    noise, total = 0.0, None
    if features.shape[0] < features.shape[1] or (signed_values and not _has_full_rank(features)):
        features, back = row_space(features)
    whitening = None if constraint is None else whitening_of(features, constraint, who)
    if objective.is_thin and not signed_values:
        half = objective.feature_factor(features)
        half = half if whitening is None else whitening.transposed(half)
        total = float(np.square(half).sum())
        values, vectors = _left_singular(half, limit)
    else:
        matrix = objective.matrix(features)
        if whitening is not None:
            matrix = whitening.transposed(whitening.transposed(matrix).T)
        noise = _rounding_error(features, objective, whitening, matrix)
        total = float(np.trace(matrix)) if objective.is_semidefinite else None
        if signed_values:
            noise = max(noise, _least(max(features.shape), _frobenius(matrix)))
            few = limit is not None and limit <= len(matrix) // _FEW
            values, vectors = _descending(matrix.copy() if few else matrix, limit if few else None)
            if few and abs(values[-1]) <= noise:  # a part of the null space
                values, vectors = _descending(matrix, None)
        else:
            values, vectors = _descending(matrix, limit)
    if whitening is not None:
        vectors = whitening.times(vectors)
    return values, vectors if back is None else back @ vectors, noise, total


def _rounding_error(features: Features, objective: Form, whitening: Whitening | None, matrix: FloatArray) -> float:
    """Estimate the Frobenius norm of the rounding error of the matrix of a form, with a margin.

    By its products with random vectors, which are taken once with the matrix and once with its factors.
    """
    probes = np.random.default_rng(0).standard_normal((len(matrix), _PROBES))
    right = probes if whitening is None else whitening.times(probes)
    left = features.transposed_dot(objective.dot(features, features.dot(right))) + objective.ridge * right
    errors = matrix @ probes - (left if whitening is None else whitening.transposed(left))
    return float(_MARGIN * _frobenius(errors) / np.sqrt(_PROBES))


def _frobenius(matrix: FloatArray) -> float:
    """Return the Frobenius norm, which squares of large entries do not overflow."""
    return float(scipy.linalg.blas.dnrm2(matrix.ravel(order="K"))) if matrix.size else 0.0


def _has_full_rank(features: Features) -> bool:
    """Whether the row space is beyond doubt all of the feature space, at a tenth of the cost of its basis.

    By an estimate of the condition number of the scatter, which bounds the least eigenvalue from below.
    """
    if isinstance(features, Coordinates):
        return True
    if "full rank" not in features.shared:
        scatter = features.scatter
        factor, failed = scipy.linalg.lapack.dpotrf(scatter, lower=0)
        condition = 0.0 if failed else scipy.linalg.lapack.dpocon(factor, np.abs(scatter).sum(axis=0).max())[0]
        features.shared["full rank"] = (
            condition > _BEYOND_DOUBT * max(*features.shape, _LEAST_LENGTH) * np.finfo(float).eps
        )
    found: bool = features.shared["full rank"]
    return found


def row_space(features: Features) -> tuple[Features, FloatArray]:
    """Return the features in coordinates of their row space, and its orthonormal basis, shape (n_features, rank)."""
    if "row space" not in features.shared:
        wide = features.shape[0] < features.shape[1]
        values, vectors = _descending(features.gram.copy() if wide else features.scatter.copy(), None)
        kept = _positive(values, max(features.shape))
        values, vectors = values[kept], vectors[:, kept]
        if wide:
            coordinates, basis = vectors * np.sqrt(values), _orthonormal(values, features.transposed_dot(vectors))
        else:
            coordinates, basis = features.dot(vectors), vectors
        features.shared["row space"] = Features(coordinates, features.centred), basis
    found: tuple[Features, FloatArray] = features.shared["row space"]
    return found


def _blocks(
    features: Coordinates, objective: Form, limit: int, upper: float | None, trivial: FloatArray | None
) -> tuple[FloatArray, FloatArray] | None:
    """Return the largest eigenvalues of a matrix over the instances; None if the iteration does not converge."""
    size = features.shape[0]
    known = np.zeros((size, 0)) if trivial is None else (trivial / np.linalg.norm(trivial))[:, np.newaxis]

    def product(right: FloatArray) -> FloatArray:
        return objective.dot(features, right) + objective.ridge * right

    alone = objective.factor is None and not objective.squared
    inverse = None if upper is None or not alone else _inverse_below(objective, size, upper)
    vectors = leading_eigenvectors(inverse or product, size, limit, known)
    if vectors is None:
        return None
    values, turn = np.linalg.eigh(vectors.T @ product(vectors))
    return values[::-1], vectors @ turn[:, ::-1]


def _inverse_below(objective: Form, size: int, upper: float) -> Callable[[FloatArray], FloatArray]:
    """Return a solver with ``upper I - M``, shifted slightly because the bound may be an eigenvalue of M."""
    shift = upper + _ABOVE * max(_norm(objective), abs(upper), np.finfo(float).tiny)
    diagonal = shift - (np.zeros(size) + objective.weights + objective.ridge)
    if is_sparse(objective.graph):
        left = sp.csc_array(sp.diags_array(diagonal) - objective.graph)
        # Positive definite: pivots stay on the diagonal, and the order keeps what is sparse.
        factors = scipy.sparse.linalg.splu(
            left, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
        return lambda right: np.asarray(factors.solve(np.asfortranarray(right)))
    factor = scipy.linalg.cho_factor(np.diag(diagonal) - objective.graph, overwrite_a=True, check_finite=False)
    return lambda right: np.asarray(scipy.linalg.cho_solve(factor, right, check_finite=False))


def _norm(objective: Form) -> float:
    """Return an upper bound of the absolute eigenvalues of M without its factor."""
    own = np.abs(np.zeros(1) + objective.weights).max(initial=0.0) + abs(objective.ridge)
    return float(own + (0.0 if objective.graph is None else abs(objective.graph).sum(axis=0).max()))


def _deflation(objective: Form, trivial: FloatArray) -> Form:
    """Return the term that makes the eigenvalue of the trivial solution the smallest."""
    return Form(factor=(trivial / np.linalg.norm(trivial))[:, np.newaxis], middle=-2.0 * _norm(objective))


def _prefers_products(features: Features, objective: Form, limit: int) -> bool:
    """Whether Lanczos iteration with sparse features of moderate size costs less than a dense matrix.

    In nanoseconds of a processor of 2020, which only their ratios depend on: a product takes 2 per stored entry of X
    and of the labels, one per entry of the vectors kept and 40,000 for calls; some 90 products and three per direction
    are needed, the check included. The matrix takes one per product of two entries of a row, its leading eigenvectors
    0.07 n^3.
    """
    side, stored = min(features.shape), features.stored
    factor = objective.factor
    plain = objective.graph is None and not objective.squared and not isinstance(features, Coordinates)
    if not plain or not is_sparse(stored) or side > DENSE_SIDE or limit > side // 4:
        return False
    entries = stored.nnz + (0 if factor is None else factor.nnz if is_sparse(factor) else factor.size)
    iteration = (90 + 3 * limit) * (2.0 * entries + float(features.shape[1]) * limit + 40_000)
    sizes = np.diff(stored.indptr if features.shape[1] == side else stored.tocsc().indptr).astype(np.float64)
    return bool(iteration < sizes @ sizes + 0.07 * float(side) ** 3)


def _checked_lanczos(features: Features, objective: Form, limit: int) -> tuple[FloatArray, FloatArray] | None:
    """Return leading directions by `_lanczos`; None if it does not converge or there are others of the same eigenvalue.

    Iteration from one vector may miss directions of a multiple eigenvalue. The largest eigenvalue on the vectors
    orthogonal to the directions found, from another start, tells: it must be below theirs.
    """
    try:
        values, vectors = _lanczos(features, objective, limit, False)
        if len(values) < limit or not values[-1] > 0:
            return None

        def rest(vector: FloatArray) -> FloatArray:
            vector = vector - vectors @ (vectors.T @ vector)
            image = features.transposed_dot(objective.dot(features, features.dot(vector)))
            return np.asarray(image - vectors @ (vectors.T @ image))

        def largest(tolerance: float) -> float:
            return float(_arpack(rest, len(vectors), 1, seed=1, tol=tolerance, vectors=False)[0][0])

        clear = largest(_LOOSE) < values[-1] * (1.0 - _DOUBT * _LOOSE)
        clear = clear or largest(_TIGHT) < values[-1] * (1.0 - _EQUAL)
    except scipy.sparse.linalg.ArpackError:  # no convergence, or nothing but zero is left
        return None
    return (values, vectors) if clear else None


def _arpack(
    product: Callable[[FloatArray], FloatArray],
    size: int,
    limit: int,
    seed: int,
    tol: float = 0.0,
    vectors: bool = True,
) -> tuple[FloatArray, FloatArray]:
    """Return the algebraically largest eigenvalues, from a starting vector drawn by the seed, and vectors if wanted."""
    rng = np.random.default_rng(seed)
    operator = scipy.sparse.linalg.LinearOperator((size, size), matvec=product, dtype=np.float64)
    # Where vectors that start anew are drawn from, SciPy asks since 1.17: by default from the system's entropy.
    options: dict[str, Any] = {"rng": rng} if _DRAWS else {}
    options |= {"v0": rng.standard_normal(size), "tol": tol, "return_eigenvectors": vectors}
    found = scipy.sparse.linalg.eigsh(operator, k=limit, which="LA", **options)
    return found if vectors else (found, np.zeros((size, 0)))


def _lanczos(features: Features, objective: Form, limit: int, thin: bool) -> tuple[FloatArray, FloatArray]:
    """Return leading directions by products with the features, from a fixed starting vector."""
    if thin:
        spread = objective.sample_factor()
        size = spread.shape[1]

        def back(right: FloatArray) -> FloatArray:
            return features.transposed_dot(spread @ right)

        def product(vector: FloatArray) -> FloatArray:
            return np.asarray(spread.T @ features.dot(back(vector)))
    else:
        size = features.shape[1]

        def back(right: FloatArray) -> FloatArray:
            return right

        def product(vector: FloatArray) -> FloatArray:
            return features.transposed_dot(objective.dot(features, features.dot(vector)))

    if not product(np.random.default_rng(0).standard_normal(size)).any():  # ARPACK fails on zero
        return np.zeros(0), np.zeros((features.shape[1], 0))
    values, vectors = _arpack(product, size, limit, seed=0)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    if not thin:
        return values, vectors
    kept = _positive(values, max(features.shape))
    return values[kept], _orthonormal(values[kept], back(vectors[:, kept]))
