"""Multi-label Gaussian random fields, and multi-label local and global consistency."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.propagation.base import LabelPropagation, add_diagonal, reached_from
from mlreduce.propagation.sylvester import solve_cells, solve_sylvester
from mlreduce.registry import register
from mlreduce.validation import FloatArray, as_dense, is_sparse

# Order up to which matrices are decomposed densely.
_SMALL = 300

# Lanczos vectors, and restarts with them before a factorisation, whose factors may be dense.
_VECTORS, _RESTARTS = 60, 20


class LabelField(LabelPropagation):
    """Base of the propagations that smooth over labels by a concave term, which bounds its weight."""

    def _fit_weights(self, laplacian: Any, known: NDArray[np.bool_]) -> tuple[FloatArray, float]:
        """Return weights in the error term, and the least eigenvalue of these plus the Laplacian.

        Weights are those of the instances, or one per label, shape (n, n_labels).
        """
        raise NotImplementedError  # abstract

    def _solve(self, laplacian: Any, labels: FloatArray, known: NDArray[np.bool_]) -> FloatArray:
        laplacian = self.smoothness * laplacian
        weights, least = self._fit_weights(laplacian, known)
        largest = float(np.linalg.eigvalsh(self.label_similarity_)[-1])
        limit = least / largest if largest > 0 else np.inf
        if self.label_smoothness is None:
            self.label_smoothness_ = limit / 2 if limit < np.inf else 0.0
        elif self.label_smoothness < limit:
            self.label_smoothness_ = float(self.label_smoothness)
        else:
            raise DataError(
                f"label_smoothness must be below {limit:.4g} here, or {type(self).__name__} has no minimum: the least "
                f"eigenvalue of the instances' term over the largest of Sigma; got {self.label_smoothness}"
            )
        right = -self.label_smoothness_ * self.label_similarity_
        if weights.ndim == 2:
            return solve_cells(laplacian, right, weights, reached_from(laplacian, known), labels)
        return solve_sylvester(add_diagonal(laplacian, weights), right, labels)


@register("ml-grf")
class MLGRF(LabelField):
    """Multi-label Gaussian random field (ML-GRF): smooth scores along the graphs of instances and of labels.

    ``min ||Z_l - Y_l||^2 + smoothness tr(Z'L_W Z) - label_smoothness tr(Z Sigma Z')`` with the Laplacian ``D - W`` of
    the instances' proximity and the labels' similarity Sigma. The scores solve
    ``(J + smoothness L_W) Z - label_smoothness Z Sigma = JY`` with J one for labelled instances and zero for others.
    There is a minimum only where ``label_smoothness < lambda_min(J + smoothness L_W) / lambda_max(Sigma)``, which is at
    most the share of labelled instances. Where single labels are unknown, J is one per label, and the bound that of the
    smallest.

    Parameters
    ----------
    smoothness : float, default=1.0
        Weight of the instances' proximity, > 0.
    label_smoothness : float or None, default=None
        Weight of the labels' similarity, >= 0 and below the bound; None is half of the bound.
    label_similarity : {"cosine", "rbf"}, default="cosine"
        Sigma: cosines of the columns of the labelled instances' labels, or ``exp(-gamma ||y_s - y_t||^2)`` of them.
    gamma : float or None, default=None
        Of ``"rbf"``, > 0; None is the reciprocal of the mean squared distance of different columns.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    decision : {"prior", "half"}, default="prior"
        Labels of an unlabelled instance: ``"prior"`` gives each label to the instances of largest positive score, in
        the label's share of the labelled instances, both those of the label; ``"half"`` to those with a score above
        one half.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_labels)
        Score of each label: near 1 where it is likely, near 0 where not. Zeros for instances that no path of the graph
        connects to a labelled one. Where single labels are unknown, a score that nothing determines is zero too: of a
        label that is known of no instance connected by a path.
    transduction_ : ndarray of shape (n_samples, n_labels) or (n_samples,), int
        Labels in {0, 1}: those given, and where not known those of ``decision``.
    labelled_ : ndarray of shape (n_samples,), bool
        Mask of the labelled instances: those of which at least one label is known.
    known_ : ndarray of shape (n_samples, n_labels), bool
        Mask of the labels that are known.
    label_smoothness_ : float
        The weight of the labels' similarity.
    label_similarity_ : ndarray of shape (n_labels, n_labels)
        Sigma.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Zha, Mei, Wang, Wang and Hua (2009), "Graph-based semi-supervised learning with multiple labels"; Mu et al. (2012),
    equation (25).

    Examples
    --------
    >>> import mlreduce
    >>> import numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[200:] = np.nan  # 100 instances without labels
    >>> method = mlreduce.MLGRF(smoothness=0.1).fit(data.X, Y)
    >>> float((method.transduction_[200:, :8] == data.Y[200:, :8]).mean().round(1))
    0.6
    """

    complexity = Complexity("n s + n^3 + n q^2", "n^2 + q n + q^2")

    def _fit_weights(self, laplacian: Any, known: NDArray[np.bool_]) -> tuple[FloatArray, float]:
        weights = known.astype(np.float64)
        if known.ndim == 1:
            return weights, _least_eigenvalue(add_diagonal(laplacian, weights))
        least = np.inf
        for labelled in np.unique(known, axis=1).T:
            reached = reached_from(laplacian, labelled)
            if reached.any():
                matrix = add_diagonal(laplacian[reached][:, reached], labelled[reached].astype(np.float64))
                least = min(least, _least_eigenvalue(matrix))
        return weights, least


@register("ml-lgc")
class MLLGC(LabelField):
    """Multi-label local and global consistency (ML-LGC): unlabelled scores are shrunk, with a normalised Laplacian.

    ``min ||Z_l - Y_l||^2 + ||Z_u||^2 + smoothness tr(Z'L_W Z) - label_smoothness tr(Z Sigma Z')`` with the normalised
    symmetric Laplacian ``I - D^-1/2 W D^-1/2`` (zero for instances without neighbours). The scores solve
    ``(I + smoothness L_W) Z - label_smoothness Z Sigma = [Y_l; 0]``. There is a minimum only where
    ``label_smoothness < 1 / lambda_max(Sigma)``.

    Parameters
    ----------
    smoothness : float, default=1.0
        Weight of the instances' proximity, > 0.
    label_smoothness : float or None, default=None
        Weight of the labels' similarity, >= 0 and below the bound; None is half of the bound.
    label_similarity : {"cosine", "rbf"}, default="cosine"
        Sigma: cosines of the columns of the labelled instances' labels, or ``exp(-gamma ||y_s - y_t||^2)`` of them.
    gamma : float or None, default=None
        Of ``"rbf"``, > 0; None is the reciprocal of the mean squared distance of different columns.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    decision : {"prior", "half"}, default="prior"
        Labels of an unlabelled instance: ``"prior"`` gives each label to the instances of largest positive score, in
        the label's share of the labelled instances, both those of the label; ``"half"`` to those with a score above
        one half.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_labels)
        Score of each label: near 1 where it is likely, near 0 where not. Zeros for instances that no path of the graph
        connects to a labelled one. Where single labels are unknown, a score that nothing determines is zero too: of a
        label that is known of no instance connected by a path.
    transduction_ : ndarray of shape (n_samples, n_labels) or (n_samples,), int
        Labels in {0, 1}: those given, and where not known those of ``decision``.
    labelled_ : ndarray of shape (n_samples,), bool
        Mask of the labelled instances: those of which at least one label is known.
    known_ : ndarray of shape (n_samples, n_labels), bool
        Mask of the labels that are known.
    label_smoothness_ : float
        The weight of the labels' similarity.
    label_similarity_ : ndarray of shape (n_labels, n_labels)
        Sigma.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Zha, Mei, Wang, Wang and Hua (2009), "Graph-based semi-supervised learning with multiple labels"; Mu et al. (2012),
    after equation (25).

    Examples
    --------
    >>> import mlreduce
    >>> import numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[200:] = np.nan  # 100 instances without labels
    >>> method = mlreduce.MLLGC().fit(data.X, Y)
    >>> method.embedding_.shape, int(method.labelled_.sum())
    ((300, 12), 200)
    """

    normalised = True

    def _fit_weights(self, laplacian: Any, known: NDArray[np.bool_]) -> tuple[FloatArray, float]:
        return np.ones(len(known)), 1.0  # every Laplacian has the eigenvalue zero


def _least_eigenvalue(matrix: Any) -> float:
    """Return the least eigenvalue of a positive definite matrix."""
    if matrix.shape[0] <= _SMALL or not is_sparse(matrix):
        return float(scipy.linalg.eigh(as_dense(matrix), eigvals_only=True, subset_by_index=(0, 0))[0])
    options = {"v0": np.random.default_rng(0).standard_normal(matrix.shape[0]), "return_eigenvectors": False}
    try:
        return float(scipy.sparse.linalg.eigsh(matrix, k=1, which="SA", ncv=_VECTORS, maxiter=_RESTARTS, **options)[0])
    except scipy.sparse.linalg.ArpackNoConvergence:
        return float(scipy.sparse.linalg.eigsh(sp.csc_array(matrix), k=1, sigma=0.0, **options)[0])
