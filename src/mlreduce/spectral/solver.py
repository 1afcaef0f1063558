"""Solver of the spectral methods: ``max tr(P'AP)`` subject to ``P'BP = I``, by the cheapest strategy.

`STRATEGIES` are tried in their order; which one applies depends on shapes and the number of stored entries alone:

blocks
    B = I, features are coordinates of the instances (embeddings) and few columns are wanted: block Krylov iteration
    with the matrix over the instances, or with the inverse of an upper bound of its eigenvalues less the matrix, where
    that is small or the other does not converge.
checked Lanczos
    B = I and few directions, of sparse features whose products cost less than a dense matrix and its eigenvectors:
    Lanczos iteration, and some steps that look for missed directions.
Lanczos
    B = I and few directions, of a problem too large for a dense matrix: products with the features only.
least squares
    A is ``SS'`` with one column per label, and ``B^-1 S`` costs less than all of B: by one Cholesky factor of the order
    of the instances, where these are fewer than the features and B is no graph; by iteration, where X is sparse and
    large and B a multiple of ``X'X`` and a ridge, as in CCA.
refusal
    Any other problem that needs dense matrices too large to hold.
thin
    B = I and A is ``SS'`` with one column per label: singular value decomposition of S.
samples
    Fewer instances than features, B = I, one weight for all: ``A = X'M^1/2 (M^1/2)'X`` has the spectrum of a matrix
    over the instances.
features
    A as a matrix over the features, or over the row space of X where that is smaller, in the metric of B.

Eigenvalues within rounding error of zero are zero, and LAPACK returns an arbitrary basis of their directions: without
``signed_values`` they give none, with it they are ordered by the variance of the features along them
(`_order_null_space`).

A constraint is *whitened*: W with ``W'BW = I`` turns the problem into one with B = I. Whitenings and row spaces are
cached with the features, so that methods with the same constraint share them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
import threadpoolctl
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.features import CACHED_BYTES, Coordinates, Features
from mlreduce.linalg.lsqr import DENSE_SIDE, is_large, lsqr
from mlreduce.linalg.utilities import signs
from mlreduce.spectral.form import Form
from mlreduce.spectral.instances import Directions, inverse_times, orthonormal, rounding, row_space
from mlreduce.spectral.krylov import leading_eigenvectors, simple_eigenpairs
from mlreduce.spectral.whitening import Whitening, whitening_of
from mlreduce.validation import FloatArray, as_dense, check_memory, is_sparse

__all__ = ["Solution", "check_arrays", "leading_pairs", "solve"]

#: Bytes of a matrix over the instances up to which it is factorised although iteration is possible.
FACTOR_BYTES = 2**29

#: Entries of S, n_features x n_labels, up to which it is computed.
THIN_ENTRIES = 2**24

# Entries from which singular vectors of a tall array are computed from its Gram matrix, at half the cost.
_LARGE_HALF = 2**17

# Relative difference below which neighbouring eigenvalues are equal.
_EQUAL = 1e-8

# Number of random vectors by which the rounding error of a matrix is measured, and the multiple of it below which an
# eigenvalue is zero.
_PROBES, _MARGIN = 4, 4.0

# Ratio of the estimate of a condition number to the eigenvalue taken for zero from which the rank is full.
_BEYOND_DOUBT = 10.0

# Offset of dense features, relative to their spread, from which products that are centred afterwards lose digits.
_FAR = 1e3

# At most one in so many eigenvectors of a dense matrix is computed without the others.
_FEW = 4

# At most one in so many eigenvectors of a matrix over the instances is computed by blocks.
_SHARE = 8

# Bytes of a triangular factor, as large as a graph in many dimensions may have, from which iteration with products is
# tried before that with the inverse.
_GRAPH_FACTOR_BYTES = 2**28

# Bytes of the blocks in which large matrices are multiplied where each is copied several times.
_SMALL_BLOCK = 2**22

# Shift above the upper bound of the eigenvalues, relative to the matrix norm.
_ABOVE = 1e-6

# Whether SciPy takes the random generator of ARPACK's restarts, since 1.17.
_TAKES_RNG = "rng" in inspect.signature(scipy.sparse.linalg.eigsh).parameters


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
        ``signed_values`` the directions of eigenvalue zero are ordered by the norms of their images; where ``limit``
        falls between some of equal norm, none of these is returned. None leaves their order to the factorisation.
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
    ordered = signed_values and variation is not None
    objective, constraint = objective.narrowed, None if constraint is None else constraint.narrowed
    problem = _Problem(features, objective, constraint, limit, signed_values, upper, trivial, ordered, who)
    pairs = None
    for strategy in STRATEGIES.values():
        if pairs is None and strategy.applies(problem):
            pairs = strategy.solve(problem)
    assert pairs is not None  # the last strategy applies to all and always succeeds
    values, vectors, noise, total = pairs
    if not signed_values:
        nonzero = _positive(values, max(features.shape), noise)
        values, vectors = values[nonzero], vectors[:, nonzero]
    if features.centred and features.constant.any():
        vectors[features.constant] = 0.0
    if labels is not None:
        vectors = _decide_ties(values, vectors, lambda block: labels.T @ features.dot(block))
    if signed_values:
        total = None
        if variation is not None:
            values, vectors = _order_null_space(values, vectors, noise, variation, limit)
    elif limit is None or len(values) < limit:  # these are all
        total = float(values.sum())
    elif constraint is None:
        total = _trace(features, problem.deflated)
    components = np.ascontiguousarray(vectors[:, :limit].T)
    components *= signs(components)[:, np.newaxis]
    return Solution(values[:limit], components, total)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Arguments of `solve`, and what decides on the strategy."""

    features: Features
    objective: Form
    constraint: Form | None
    limit: int | None
    signed_values: bool
    upper: float | None
    trivial: FloatArray | None
    #: Whether the directions of eigenvalue zero are ordered afterwards, so that a part of them is no solution.
    ordered: bool
    who: str

    @cached_property
    def thin(self) -> bool:
        """Whether A is ``SS'`` with one column per label, and negative eigenvalues are not requested.

        Not where S is large and has more columns than rows: it is never computed then.
        """
        if not self.objective.is_thin or self.signed_values:
            return False
        n_features, size = self.features.shape[1], self.objective.factor.shape[1]
        return bool(size <= n_features or n_features * size <= THIN_ENTRIES)

    @cached_property
    def side(self) -> int:
        """Order of the smallest matrix with the eigenvalues."""
        side = min(self.features.shape)
        return min(side, self.objective.factor.shape[1]) if self.thin and self.constraint is None else side

    def wants_few(self, share: int) -> bool:
        """Whether B = I, and at most one in ``share`` directions is wanted."""
        return bool(self.constraint is None and self.limit and self.limit <= self.side // share)

    @cached_property
    def deflated(self) -> Form:
        """The objective, with a term that makes the eigenvalue of the trivial solution the smallest."""
        if self.trivial is None:
            return self.objective
        unit = (self.trivial / np.linalg.norm(self.trivial))[:, np.newaxis]
        return self.objective + Form(factor=unit, middle=-2.0 * _norm(self.objective))


class _Eigenpairs(NamedTuple):
    """Eigenvalues in descending order, directions as columns, rounding error of the eigenvalues, and their sum."""

    values: FloatArray
    vectors: FloatArray
    noise: float = 0.0
    total: float | None = None


class _Strategy(NamedTuple):
    """A way to solve some problems; ``solve`` returns None where it does not succeed."""

    applies: Callable[[_Problem], bool]
    solve: Callable[[_Problem], _Eigenpairs | None]


def check_arrays(features: Features, number: int, n_directions: int | None, who: str) -> None:
    """Refuse a problem if some matrices of the smaller order, and its directions, do not fit into the memory.

    Parameters
    ----------
    features : Features
    number : int
        Number of matrices.
    n_directions : int or None
        Arrays of the length of the features; None for as many as there are directions at most.
    who : str
        Name of the method, for the message.

    Raises
    ------
    DataError
        With the bytes, what is left, and how many rows or features would fit.
    """
    (rows, columns), side = features.shape, min(features.shape)
    n_bytes = 8.0 * (number * side**2 + columns * (side if n_directions is None else n_directions))
    what = "rows" if rows < columns else "features"
    advice = f"request fewer directions with n_components, or give fewer {what}"
    check_memory(n_bytes, f"{who} of {rows} rows and {columns} features", advice, (side, what))


def _check_arrays(problem: _Problem, number: int) -> None:
    """Do as `check_arrays` for a problem."""
    features, factor = problem.features, problem.objective.factor
    most = min(*features.shape, factor.shape[1]) if problem.thin else min(features.shape)
    wanted = 3 * most if problem.thin else most if problem.limit is None else min(problem.limit, most)
    check_arrays(features, number, wanted, problem.who)


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


def _refuse(problem: _Problem) -> None:
    """Raise DataError for a problem that needs several dense matrices of a large order."""
    (rows, columns), side = problem.features.shape, problem.side
    needs = f"of {rows} x {columns} features need three arrays of order {side}, {3 * 8e-9 * side**2:.0f} GB"
    if problem.constraint is None:
        raise DataError(f"all directions {needs}: request fewer with n_components, an integer of {side // 4} at most")
    raise DataError(
        f"directions with a constraint {needs}: reduce X first, by mlreduce.PCA or sklearn.decomposition.TruncatedSVD "
        "with some hundreds of components, or drop rare features"
    )


def _least_squares_applies(problem: _Problem) -> bool:
    constraint, features = problem.constraint, problem.features
    if constraint is None or not problem.thin or isinstance(features, Coordinates):
        return False
    if _by_iteration(problem):
        return True
    plain = constraint.graph is None and not constraint.squared and np.min(constraint.weights) >= 0
    return bool(plain and features.shape[0] < features.shape[1] and not _is_far(features))


def _is_far(features: Features) -> bool:
    """Whether dense features are so far from zero that products which are centred afterwards lose digits."""
    if not features.centred or is_sparse(features.stored):
        return False
    return len(features.stored) * float(np.square(features.mean).sum()) > _FAR**2 * features.sum_of_squares


def _by_iteration(problem: _Problem) -> bool:
    """Whether ``B^-1 S`` is computed by LSQR iteration, not by a factor."""
    assert problem.constraint is not None
    scalars, (rows, columns) = problem.constraint.scalars, problem.features.shape
    if rows < columns and 8 * rows**2 <= FACTOR_BYTES:
        return False
    return is_large(problem.features.X) and scalars is not None and scalars[0] > 0 and scalars[1] >= 0


def _least_squares(problem: _Problem) -> _Eigenpairs | None:
    """Return the directions for ``A = SS'`` from ``G = B^-1 S``.

    With ``S = X'F`` and ``B = wX'X + ridge I`` it is ``G = (X'X + ridge / w I)^-1 X'F / w``: least squares with the
    targets F. Eigenvectors V of ``S'G`` give the directions ``GV``, of squared norm their eigenvalue.
    """
    features, constraint = problem.features, problem.constraint
    assert constraint is not None
    spread = as_dense(problem.objective.sample_factor())
    targets = spread - spread.mean(axis=0) if features.centred and constraint.weight is not None else spread
    if _by_iteration(problem):
        weight, ridge = constraint.scalars or (1.0, 0.0)
        inverse: FloatArray | None = lsqr(features, targets, ridge / weight, problem.who) / weight
    else:
        _check_arrays(problem, 1)
        inverse = inverse_times(features, constraint, targets)
    if inverse is None:
        return None

    def metric(directions: FloatArray, images: FloatArray) -> FloatArray:
        """Return ``P'BP``."""
        return images.T @ constraint.dot(features, images) + constraint.ridge * (directions.T @ directions)

    # Twice the product less the squared norm: the error of the solution counts squared.
    images = features.dot(inverse)
    products = spread.T @ images
    values, vectors = _descending(products + products.T - metric(inverse, images), None)
    nonzero = _positive(values, max(features.shape))
    vectors = vectors[:, nonzero] / np.sqrt(values[nonzero])
    directions, images = inverse @ vectors, images @ vectors
    # Those of small eigenvalues are as accurate as by singular values after a second step, with the first as a basis.
    try:
        triangle = np.linalg.cholesky(metric(directions, images))
    except np.linalg.LinAlgError:
        return None
    half = scipy.linalg.solve_triangular(triangle, images.T @ spread, lower=True)
    left, singular, _ = np.linalg.svd(half, full_matrices=False)
    turned = scipy.linalg.solve_triangular(triangle, left, lower=True, trans=1)
    return _Eigenpairs(singular**2, directions @ turned, total=float(np.square(singular).sum()))


def _positive(values: FloatArray, order: int, noise: float = 0.0) -> slice:
    """Slice of the sorted eigenvalues that exceed rounding error, ``noise`` at least."""
    smallest = max(noise, rounding(order, np.abs(values).max(initial=0.0)))
    return slice(0, int(np.count_nonzero(values > smallest)))


def _order_null_space(
    values: FloatArray,
    vectors: FloatArray,
    noise: float,
    variation: Callable[[FloatArray], FloatArray],
    limit: int | None,
) -> tuple[FloatArray, FloatArray]:
    """Order the directions of eigenvalue zero by the norms of their images, and set these eigenvalues to zero.

    No basis decides the order, except among directions of images of equal norm: of these all or none are returned.
    """
    null = np.abs(values) <= noise
    if not null.any():
        return values, vectors
    start, size = int(np.argmax(null)), int(np.count_nonzero(null))
    rows = slice(start, start + size)
    values = np.where(null, 0.0, values)
    squares, vectors[:, rows] = _by_norm(vectors[:, rows], variation)
    if limit is None or not start < limit < start + size:
        return values, vectors
    different = np.flatnonzero(np.r_[True, ~_ties(np.where(squares > _EQUAL * squares[0], squares, 0.0))])
    number = start + int(different[different <= limit - start].max())
    return values[:number], vectors[:, :number]


def _by_norm(block: FloatArray, images_of: Callable[[FloatArray], FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Turn orthonormal directions so that their images are orthogonal; return the squared norms, descending."""
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
    return values[:-1] - values[1:] <= _EQUAL * np.abs(values[1:])


def _decide_ties(values: FloatArray, vectors: FloatArray, dependence: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Order the directions of equal eigenvalue by the singular values of their images under ``dependence``."""
    ties = _ties(values)
    if not ties.any():
        return vectors
    starts = np.flatnonzero(np.r_[True, ~ties])
    vectors = vectors.copy()
    for start, stop in zip(starts, np.r_[starts[1:], len(values)], strict=True):
        if stop - start > 1:
            _, vectors[:, start:stop] = _by_norm(vectors[:, start:stop], dependence)
    return vectors


def _descending(matrix: FloatArray, limit: int | None) -> tuple[FloatArray, FloatArray]:
    """Return the leading eigenvalues and eigenvectors of a symmetric matrix, which is overwritten."""
    size = len(matrix)
    few = limit is not None and limit <= size // _FEW
    subset = (size - limit, size - 1) if limit is not None and few else None
    # The transpose of a symmetric matrix is itself, in the order that LAPACK overwrites without a copy.
    table = matrix.T if matrix.flags.c_contiguous else matrix
    spare = few or matrix.nbytes > CACHED_BYTES  # "evd" takes as much memory again
    driver: Literal["evr", "evd"] = "evr" if spare else "evd"
    values, vectors = scipy.linalg.eigh(
        table, subset_by_index=subset, driver=driver, overwrite_a=True, check_finite=False
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
    nonzero = _positive(values, max(half.shape))
    return values[nonzero], orthonormal(values[nonzero], half @ right[:, nonzero])


def _thin(problem: _Problem) -> _Eigenpairs:
    features, objective, limit = problem.features, problem.deflated, problem.limit
    if features.shape[1] * objective.factor.shape[1] <= THIN_ENTRIES:
        return _Eigenpairs(*_left_singular(objective.feature_factor(features), limit))
    spread = objective.sample_factor()
    size = spread.shape[1]
    wanted = size if limit is None else min(limit, size)
    check_memory(
        max(24.0 * size**2, 8.0 * wanted * (features.shape[1] + 2 * size)),
        f"the matrix of all pairs of {size} labels, with {wanted} directions of {features.shape[1]} features,",
        f"set n_components to {size // 4} at most",
    )
    products = np.empty((size, size))
    step = max(1, THIN_ENTRIES // max(features.shape))
    for start in range(0, size, step):
        columns = slice(start, start + step)
        products[:, columns] = spread.T @ features.dot(features.transposed_dot(spread[:, columns]))
    values, vectors = _descending(products, limit)
    nonzero = _positive(values, max(features.shape))
    values, vectors = values[nonzero], vectors[:, nonzero]
    if features.shape[0] >= features.shape[1]:
        return _Eigenpairs(values, orthonormal(values, features.transposed_dot(spread @ vectors)))
    del products
    directions = Directions(features, len(values))
    for columns in row_blocks(len(values), size):
        directions.coefficients[columns] = (spread @ vectors[:, columns]).T
    del vectors
    return _Eigenpairs(values, orthonormal(values, directions.expand()))


def _samples_apply(problem: _Problem) -> bool:
    n_samples, n_features = problem.features.shape
    rooted = problem.deflated.has_sample_root and not problem.signed_values
    return problem.constraint is None and n_samples < n_features and rooted


def _samples(problem: _Problem) -> _Eigenpairs:
    _check_arrays(problem, 3)
    features = problem.features
    weight, basis, gains = problem.deflated.sample_root(features.shape[0])
    # (wI + EgE') K (wI + EgE'), in one product of thin factors
    matrix, gained = features.new_gram(), basis * gains
    along = matrix @ gained
    across = weight * along + basis @ ((gains[:, np.newaxis] * (basis.T @ along)) / 2)
    left, right = np.hstack([basis, across]), np.hstack([across, basis]).T
    for rows in row_blocks(*matrix.shape):
        matrix[rows] = weight**2 * matrix[rows] + left[rows] @ right
    values, vectors = _descending(matrix, problem.limit)
    del matrix
    nonzero = _positive(values, max(features.shape))
    values, vectors = values[nonzero], vectors[:, nonzero]
    directions = Directions(features, len(values))
    directions.coefficients[:] = weight * vectors.T
    directions.coefficients += (vectors.T @ basis) @ gained.T
    del vectors
    return _Eigenpairs(values, orthonormal(values, directions.expand()))


def _matrices(problem: _Problem) -> _Eigenpairs:
    features, objective, limit, signed_values = problem.features, problem.deflated, problem.limit, problem.signed_values
    _check_arrays(problem, 4)
    space = None
    noise, total = 0.0, None
    if features.shape[0] < features.shape[1] or (signed_values and not _has_full_rank(features)):
        space = row_space(features)
        features = space.coordinates
    size, order = features.shape[1], max(features.shape)
    matrix = None if problem.thin else objective.matrix(features)
    whitening = None if problem.constraint is None else whitening_of(features, problem.constraint, problem.who)
    if matrix is None:
        half = objective.feature_factor(features)
        half = half if whitening is None else whitening.transposed(half)
        total = float(np.square(half).sum())
        values, vectors = _left_singular(half, limit)
    else:
        probes, products = _probes(features, objective, whitening)
        if space is not None and "row space" not in problem.features.shared:  # large
            space, features = space._replace(coordinates=problem.features), problem.features
        if whitening is not None:
            for _ in range(2):
                matrix = _by_blocks(whitening.transposed, matrix.T, whitening.rank)
        noise = _rounding_error(matrix, probes, products)
        total = float(np.trace(matrix)) if objective.is_semidefinite else None
        if signed_values:
            noise = max(noise, rounding(order, _frobenius(matrix)))
            few = limit is not None and limit <= len(matrix) // _FEW
            values, vectors = _descending(matrix.copy() if few else matrix, limit if few else None)
            if few and abs(values[-1]) <= noise:  # a part of the null space
                values, vectors = _descending(matrix, None)
        else:
            values, vectors = _descending(matrix, limit)
    matrix = None
    if whitening is not None:
        vectors, whitening = _by_blocks(whitening.times, vectors, size), None
    if space is None or space.factor is None:
        return _Eigenpairs(values, vectors if space is None else space.times(problem.features, vectors), noise, total)
    directions = Directions(problem.features, vectors.shape[1])
    for columns in row_blocks(*vectors.shape[::-1]):
        directions.coefficients[columns] = space.factor.orthonormal_times(vectors[:, columns]).T
    del space, vectors  # as large as the coefficients
    return _Eigenpairs(values, directions.expand(), noise, total)


def _by_blocks(multiply: Callable[[FloatArray], FloatArray], right: FloatArray, n_rows: int) -> FloatArray:
    """Return a product, computed in blocks of columns, whose intermediate arrays are small."""
    product = np.empty((n_rows, right.shape[1]), order="F")
    most = _SMALL_BLOCK if product.nbytes > CACHED_BYTES else None
    for columns in row_blocks(right.shape[1], max(right.shape[0], 1), most):
        product[:, columns] = multiply(right[:, columns])
    return product


def _probes(features: Features, objective: Form, whitening: Whitening | None) -> tuple[FloatArray, FloatArray]:
    """Return random vectors, and the products of the whitened matrix of a form with them, taken with its factors."""
    size = features.shape[1] if whitening is None else whitening.rank
    probes = np.random.default_rng(0).standard_normal((size, _PROBES))
    right = probes if whitening is None else whitening.times(probes)
    left = features.transposed_dot(objective.dot(features, features.dot(right))) + objective.ridge * right
    return probes, left if whitening is None else whitening.transposed(left)


def _rounding_error(matrix: FloatArray, probes: FloatArray, products: FloatArray) -> float:
    """Estimate the Frobenius norm of the rounding error of the matrix of a form, with a margin, from `_probes`."""
    return float(_MARGIN * _frobenius(matrix @ probes - products) / np.sqrt(_PROBES))


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
        features.shared["full rank"] = condition > _BEYOND_DOUBT * rounding(max(features.shape), 1.0)
    return features.shared["full rank"]


def _blocks_apply(problem: _Problem) -> bool:
    return isinstance(problem.features, Coordinates) and not problem.thin and problem.wants_few(_SHARE)


def _blocks(problem: _Problem) -> _Eigenpairs | None:
    """Return the largest eigenvalues of a matrix over the instances."""
    features, objective, upper = problem.features, problem.objective, problem.upper
    size, trivial = features.shape[0], problem.trivial
    known = np.zeros((size, 0)) if trivial is None else (trivial / np.linalg.norm(trivial))[:, np.newaxis]

    def product(right: FloatArray) -> FloatArray:
        return objective.dot(features, right) + objective.ridge * right

    alone = objective.factor is None and not objective.squared
    vectors = None
    if upper is None or not alone or 4.0 * size**2 > _GRAPH_FACTOR_BYTES:
        vectors = leading_eigenvectors(product, size, problem.limit or 0, known)
    if vectors is None and upper is not None and alone:
        vectors = leading_eigenvectors(_inverse_below(objective, size, upper), size, problem.limit or 0, known)
    if vectors is None:
        return None
    values, turn = np.linalg.eigh(vectors.T @ product(vectors))
    noise = rounding(size, _norm(objective))
    if problem.ordered and abs(values[0]) <= noise and problem.side <= DENSE_SIDE:
        return None  # a part of the null space
    return _Eigenpairs(values[::-1], vectors @ turn[:, ::-1], noise)


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
    diagonal = np.abs(np.zeros(1) + objective.weights).max(initial=0.0) + abs(objective.ridge)
    return float(diagonal + (0.0 if objective.graph is None else abs(objective.graph).sum(axis=0).max()))


def _prefers_products(features: Features, objective: Form, limit: int) -> bool:
    """Whether Lanczos iteration with sparse features of moderate size costs less than a dense matrix.

    In nanoseconds of a processor of 2020, which only their ratios depend on: some 40 steps and three per direction are
    needed, the check included. A step takes 1.1 per stored entry of X and of the labels, a quarter per entry of the
    vectors stored and 40,000 for calls. The matrix takes one per product of two entries of a row, its leading
    eigenvectors 0.07 n^3.
    """
    side, stored = min(features.shape), features.stored
    factor = objective.factor
    plain = objective.graph is None and not objective.squared and not isinstance(features, Coordinates)
    if not plain or not is_sparse(stored) or side > DENSE_SIDE or limit > side // 4:
        return False
    entries = stored.nnz + (0 if factor is None else factor.nnz if is_sparse(factor) else factor.size)
    steps = 40 + 3 * limit
    iteration = steps * (1.1 * entries + 0.25 * features.shape[1] * steps + 40_000)
    sizes = np.diff(stored.indptr if features.shape[1] == side else stored.tocsc().indptr).astype(np.float64)
    return bool(iteration < sizes @ sizes + 0.07 * float(side) ** 3)


def _checked_lanczos_applies(problem: _Problem) -> bool:
    plain = not problem.thin and not problem.signed_values and problem.trivial is None
    return plain and problem.wants_few(1) and _prefers_products(problem.features, problem.objective, problem.limit or 0)


def _checked_lanczos(problem: _Problem) -> _Eigenpairs | None:
    """Return leading directions by products; None if that does not converge or there are others of equal eigenvalue."""
    features, objective = problem.features, problem.objective
    features.keep_transpose()
    weight, ridge = objective.scalars or (0.0, 0.0)
    product = _product_of(problem)
    if weight and not ridge:

        def product(vector: FloatArray) -> FloatArray:
            return weight * features.scatter_dot(vector)

    pairs = simple_eigenpairs(product, features.shape[1], problem.limit or 0)
    return None if pairs is None else _Eigenpairs(*pairs)


def leading_pairs(
    product: Callable[[FloatArray], FloatArray], size: int, limit: int
) -> tuple[FloatArray, FloatArray] | None:
    """Return the largest eigenvalues of a semidefinite matrix by products with it, and their eigenvectors.

    By Lanczos iteration, or by that of blocks where eigenvalues are multiple; the same bytes on any number of cores.

    Parameters
    ----------
    product : callable
        Multiplies an array of shape (size, k) by the matrix.
    size : int
    limit : int
        Number of eigenvalues, at most ``size // 8``.

    Returns
    -------
    (ndarray of shape (k,), ndarray of shape (size, k)) or None
        Largest first; fewer where all others are zero; None without convergence.
    """
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        pairs = simple_eigenpairs(lambda vector: product(vector[:, np.newaxis])[:, 0], size, limit)
        if pairs is not None:
            return pairs
        vectors = leading_eigenvectors(product, size, limit, np.zeros((size, 0)))
        if vectors is None:
            return None
        values, turn = np.linalg.eigh(vectors.T @ product(vectors))
        nonzero = _positive(values[::-1], size)
        return values[::-1][nonzero], (vectors @ turn[:, ::-1])[:, nonzero]


def _arpack(
    product: Callable[[FloatArray], FloatArray],
    size: int,
    limit: int,
    seed: int,
    tol: float = 0.0,
    vectors: bool = True,
) -> tuple[FloatArray, FloatArray]:
    """Return the algebraically largest eigenvalues, from a random starting vector, and vectors if wanted."""
    rng = np.random.default_rng(seed)
    operator = scipy.sparse.linalg.LinearOperator((size, size), matvec=product, dtype=np.float64)
    options: dict[str, Any] = {"rng": rng} if _TAKES_RNG else {}
    options |= {"v0": rng.standard_normal(size), "tol": tol, "return_eigenvectors": vectors}
    pairs = scipy.sparse.linalg.eigsh(operator, k=limit, which="LA", **options)
    return pairs if vectors else (pairs, np.zeros((size, 0)))


def _lanczos_applies(problem: _Problem) -> bool:
    return problem.side > DENSE_SIDE and problem.wants_few(4)


def _product_of(problem: _Problem) -> Callable[[FloatArray], FloatArray]:
    """Return the product with A."""
    features, objective = problem.features, problem.deflated
    return lambda vector: features.transposed_dot(objective.dot(features, features.dot(vector)))


def _descending_arpack(
    product: Callable[[FloatArray], FloatArray], size: int, limit: int
) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues, descending, and their eigenvectors, from a fixed start; none of a zero matrix."""
    if not product(np.random.default_rng(0).standard_normal(size)).any():  # ARPACK fails on zero
        return np.zeros(0), np.zeros((size, 0))
    values, vectors = _arpack(product, size, limit, seed=0)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _lanczos(problem: _Problem) -> _Eigenpairs:
    """Return leading directions by products with the features, from a fixed starting vector."""
    features = problem.features
    if not problem.thin:
        values, vectors = _descending_arpack(_product_of(problem), features.shape[1], problem.limit or 0)
    else:
        spread = problem.deflated.sample_factor()

        def back(right: FloatArray) -> FloatArray:
            return features.transposed_dot(spread @ right)

        values, vectors = _descending_arpack(
            lambda vector: np.asarray(spread.T @ features.dot(back(vector))), spread.shape[1], problem.limit or 0
        )
        nonzero = _positive(values, max(features.shape))
        values, vectors = values[nonzero], orthonormal(values[nonzero], back(vectors[:, nonzero]))
    noise = rounding(max(features.shape), np.abs(values).max(initial=0.0))
    if problem.ordered and len(values) and abs(values[-1]) <= noise:  # a part of the null space: no order of it
        values, vectors = values[values > noise], vectors[:, values > noise]
    return _Eigenpairs(values, vectors, noise)


#: In the order in which they are tried.
STRATEGIES = {
    "blocks": _Strategy(_blocks_apply, _blocks),
    "checked Lanczos": _Strategy(_checked_lanczos_applies, _checked_lanczos),
    "Lanczos": _Strategy(_lanczos_applies, _lanczos),
    "least squares": _Strategy(_least_squares_applies, _least_squares),
    "refusal": _Strategy(lambda problem: problem.side > 4 * DENSE_SIDE, _refuse),
    "thin": _Strategy(lambda problem: problem.constraint is None and problem.thin, _thin),
    "samples": _Strategy(_samples_apply, _samples),
    "features": _Strategy(lambda problem: True, _matrices),
}
