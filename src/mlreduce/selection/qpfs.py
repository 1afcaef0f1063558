"""QPFS: quadratic programming feature selection by mutual information, and two approximations."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, check_known_name
from mlreduce.registry import register
from mlreduce.selection.base import DiscretisingSelector, check_pairs
from mlreduce.selection.information import Counted, Labels, shared_information
from mlreduce.selection.quadratic import minimise, nearest_positive
from mlreduce.validation import FloatArray, Size, check_range

#: Methods to fill in the unsampled part of a dependency matrix.
APPROXIMATIONS = ("average", "nystrom", "half-nystrom")

# Diagonal entries of the features that are not sampled.
_DIAGONALS = ("average", "entropies")

# Eigenvalues below this share of the largest are zero in a pseudo-inverse.
_RCOND = 1e-10


def approximate_dependency(rows: Any, sampled: Any, method: str = "average") -> FloatArray:
    """Fill in a symmetric matrix of which the rows ``sampled`` are known.

    With A and B the known columns and the others of these rows, the part that is not known is, for "average", half the
    sum of the means of B's columns p and q, on its diagonal too; for "nystrom" ``B'A^+ B``; for "half-nystrom" half of
    that: proposition 3 of Lim, Lee and Kim (2016) has the half, its proposition 2 the full product. See also its
    equations 5 and 6. Raises DataError if the method is unknown, or the rows do not belong to what was sampled.
    """
    known, places = np.asarray(rows, dtype=np.float64), np.asarray(sampled)
    check_known_name("approximation", method, APPROXIMATIONS, error=DataError)
    if known.ndim != 2 or places.shape != (len(known),) or not len(known) or len(set(places.tolist())) < len(known):
        raise DataError(f"rows {known.shape} and sampled {places.shape} must name each row once, one row at least")
    others = np.delete(np.arange(known.shape[1]), places)
    block = known[:, others]
    matrix = np.empty((known.shape[1], known.shape[1]))
    if method == "average":
        mean = block.mean(axis=0)
        matrix[np.ix_(others, others)] = (mean[:, np.newaxis] + mean) / 2
    else:
        inverse = np.linalg.pinv(known[:, places], rcond=_RCOND, hermitian=True)
        filled = block.T @ inverse @ block / (2 if method == "half-nystrom" else 1)
        matrix[np.ix_(others, others)] = (filled + filled.T) / 2
    matrix[:, places] = known.T
    matrix[places] = known
    return matrix


def approximation_error(dependency: FloatArray, approximated: FloatArray) -> float:
    """Return the squared Frobenius norm of the difference of two matrices."""
    return float(np.square(dependency - approximated).sum())


@register("qpfs")
class QPFS(DiscretisingSelector):
    """Quadratic programming feature selection (QPFS): maximal relevance, minimal dependency.

    The weights minimise ``x'Qx / 2 - c'x`` over all ``x >= 0``; Q is the mutual information of the features
    with each other, with their entropies on the diagonal, and c that with the labels, summed over these. Labels may be
    unknown, NaN in ``y``: c then is that of the instances where a label is known, and Q that of all.

    Where Q is not positive semidefinite the nearest such matrix takes its place: its negative eigenvalues become 0. The
    function has a minimum in either case, as no entry of Q is negative and no diagonal entry of a feature that varies
    is 0.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The weights; many are 0.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
        Of equal weights the more relevant feature comes first.
    weights_ : ndarray of shape (n_features,)
        The same as the scores.
    n_nonzero_ : int
        Number of features whose weight is not 0.
    relevance_ : ndarray of shape (n_features,)
        c, in nats.
    dependency_ : ndarray of shape (n_features, n_features)
        Q as it was used, in nats.
    n_negative_eigenvalues_ : int
        Number of eigenvalues replaced by 0.
    kkt_residual_ : float
        By how much the conditions of a minimum are violated, relative to the largest relevance.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Lim, Lee and Kim (2016), equations 1-4, after Lim, Lee and Kim, "Multi-label learning using mathematical
    programming", IEICE Transactions 98(1), 2015, and Rodriguez-Lujan, Huerta, Elkan and Santa Cruz, "Quadratic
    programming feature selection", JMLR 11, 2010.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.QPFS(k=5).fit(data.X, data.Y[:, :8])
    >>> method.get_feature_names_out(data.feature_names)
    array(['x2', 'x12', 'x18', 'x21', 'x22'], dtype=object)
    >>> bool(method.kkt_residual_ < 1e-6)
    True
    """

    complexity = Complexity("n d^2 + d^3", "n d + d^2")
    takes_unknown_cells = True
    takes_sparse_labels = True

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        check_pairs(X.shape[1], type(self).__name__)
        self._check()
        counted = Counted.from_bins(self._bins(X, labels))
        self.relevance_ = Labels(labels).relevance(counted) / counted.n_samples
        self.dependency_, self.n_negative_eigenvalues_ = nearest_positive(self._dependency(counted))
        self.weights_, self.kkt_residual_ = minimise(self.dependency_, self.relevance_)
        self.n_nonzero_ = np.count_nonzero(self.weights_)
        return self.weights_.copy()

    by_feature = ("weights_", "relevance_", "dependency_")

    def _widen(self, places: NDArray[np.intp], n_features: int) -> None:
        super()._widen(places, n_features)
        dependency = np.zeros((n_features, n_features))
        dependency[:, places] = self.dependency_
        self.dependency_ = dependency

    def _check(self) -> None:
        """Raise DataError if a parameter is out of range."""

    def _dependency(self, counted: Counted) -> FloatArray:
        return shared_information(counted, counted) / counted.n_samples

    def _best_first(self, scores: FloatArray) -> NDArray[np.intp]:
        return np.lexsort((-self.relevance_, -scores))


class SampledQPFS(QPFS):
    """QPFS with a sample of the rows of Q and an approximation of the others."""

    _method: Literal["average", "nystrom"]
    diagonal = "average"

    def __init__(
        self,
        k: Size = 0.5,
        sampling: float = 0.2,
        discretise: str | None = "equal-width",
        n_bins: int = 3,
        random_state: Any = None,
    ) -> None:
        super().__init__(k, discretise, n_bins)
        self.sampling = sampling
        self.random_state = random_state

    def _check(self) -> None:
        if check_range(self.sampling, "sampling", 0, 1) == 0:
            raise DataError("sampling must be greater than 0: without a sampled feature nothing is known of the others")

    def _dependency(self, counted: Counted) -> FloatArray:
        self._sample(len(counted.starts) - 1)
        rows = shared_information(counted.variables(self.sampled_), counted) / counted.n_samples
        rows[:, self.sampled_] = (rows[:, self.sampled_] + rows[:, self.sampled_].T) / 2  # in all digits
        return self._filled(rows, counted.entropies())

    def _sample(self, n_features: int) -> None:
        order = check_random_state(self.random_state).permutation(n_features)
        self.sampled_ = np.sort(order[: max(1, int(self.sampling * n_features))])

    def _filled(self, rows: FloatArray, entropies: FloatArray) -> FloatArray:
        """Return Q by its sampled rows; no diagonal entry is 0."""
        filled = approximate_dependency(rows, self.sampled_, self._method)
        replaced = np.diag(filled) <= _RCOND * entropies.max() if self.diagonal == "average" else np.arange(len(filled))
        filled[replaced, replaced] = entropies[replaced]
        return filled

    def _widen(self, places: NDArray[np.intp], n_features: int) -> None:
        super()._widen(places, n_features)
        self.sampled_ = places[self.sampled_]


@register("qpfs-approx")
class ApproximateQPFS(SampledQPFS):
    """Approximate QPFS: mutual information of a sample of features, averages for the rest.

    The proposed method of the paper. Two features that were not sampled depend on each other as much as they depend on
    the sampled ones on average; so does each of them on itself, the diagonal included, as in the paper's equation.
    The result is rarely positive semidefinite, see `QPFS`. A feature independent of the sampled ones would have a 0 on
    the diagonal and the function no minimum: its entropy is used there.

    Labels may be unknown, NaN in ``y``: as of `QPFS`.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    sampling : float, default=0.2
        Share of the features that are sampled, in (0, 1]; rounded down, at least one feature.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample, which is uniform.
    diagonal : {"average", "entropies"}, default="average"
        Diagonal of the features that were not sampled: the average, as in the equation, or their
        entropies, which are known without any pair of features.

    Attributes
    ----------
    sampled_ : ndarray of int
        The sampled features, ascending.
    scores_ : ndarray of shape (n_features,)
        The weights; many are 0.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
        Of equal weights the more relevant feature comes first.
    weights_ : ndarray of shape (n_features,)
        The same as the scores.
    n_nonzero_ : int
        Number of features whose weight is not 0.
    relevance_ : ndarray of shape (n_features,)
        c, in nats.
    dependency_ : ndarray of shape (n_features, n_features)
        Q as it was used, in nats.
    n_negative_eigenvalues_ : int
        Number of eigenvalues replaced by 0.
    kkt_residual_ : float
        By how much the conditions of a minimum are violated, relative to the largest relevance.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Lim, Lee and Kim (2016), equations 5 and 6.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.ApproximateQPFS(k=5, sampling=0.5, random_state=0).fit(data.X, data.Y)
    >>> len(method.sampled_), method.transform(data.X).shape
    (15, (300, 5))
    """

    _method = "average"

    def __init__(
        self,
        k: Size = 0.5,
        sampling: float = 0.2,
        discretise: str | None = "equal-width",
        n_bins: int = 3,
        random_state: Any = None,
        diagonal: Literal["average", "entropies"] = "average",
    ) -> None:
        super().__init__(k, sampling, discretise, n_bins, random_state)
        self.diagonal = diagonal

    def _check(self) -> None:
        super()._check()
        check_known_name("diagonal", self.diagonal, _DIAGONALS, error=DataError)


@register("qpfs-nystrom")
class NystromQPFS(SampledQPFS):
    """QPFS with Nystrom approximation: mutual information of a sample of features.

    The paper's baseline for its approximation. A feature independent of the sampled ones has its entropy on the
    diagonal, as in `ApproximateQPFS`.

    Labels may be unknown, NaN in ``y``: as of `QPFS`.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    sampling : float, default=0.2
        Share of the features that are sampled, in (0, 1]; rounded down, at least one feature.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample, which is uniform.

    Attributes
    ----------
    sampled_ : ndarray of int
        The sampled features, ascending.
    scores_ : ndarray of shape (n_features,)
        The weights; many are 0.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
        Of equal weights the more relevant feature comes first.
    weights_ : ndarray of shape (n_features,)
        The same as the scores.
    n_nonzero_ : int
        Number of features whose weight is not 0.
    relevance_ : ndarray of shape (n_features,)
        c, in nats.
    dependency_ : ndarray of shape (n_features, n_features)
        Q as it was used, in nats.
    n_negative_eigenvalues_ : int
        Number of eigenvalues replaced by 0.
    kkt_residual_ : float
        By how much the conditions of a minimum are violated, relative to the largest relevance.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Lim, Lee and Kim (2016), proposition 2 of the appendix; Rodriguez-Lujan et al. (2010), section 4.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.NystromQPFS(k=5, sampling=0.5, random_state=0).fit(data.X, data.Y)
    >>> len(method.sampled_), method.transform(data.X).shape
    (15, (300, 5))
    """

    _method = "nystrom"
