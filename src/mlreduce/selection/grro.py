"""GRRO: relevance and redundancy of all features at once, by mutual information."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import distinct_rows
from mlreduce.registry import register
from mlreduce.selection.base import DiscretisingSelector, check_pairs
from mlreduce.selection.information import Counted, Labels, shared_bits
from mlreduce.selection.label_graph import label_cosines
from mlreduce.validation import FloatArray, Size, check_count, check_option, check_range

#: What two labels have in the third term of `GRRO`.
RELATIONS = ("distance", "cosine")


@register("grro")
class GRRO(DiscretisingSelector):
    """Global relevance and redundancy optimisation (GRRO): weights near the relevance, small for redundant features.

    The weights W, one row per feature, one column per label, minimise

        ||W - R||^2 + redundancy tr(W'G W) + label_smoothness tr(W L W')

    R holds the information of features and labels, G that of features with each other with 1 on the diagonal, in bits,
    and L how far labels are from each other. A feature's score is the sum of its weights.

    Labels may be unknown, NaN in ``y``: information on a label is that of the instances where it is known, and two
    labels are compared by those where both are.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    redundancy : float, default=100.0
        Weight of the redundancy, >= 0.
    label_smoothness : float, default=0.1
        Weight of the relation of labels, >= 0.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-frequency"
        Discretisation of the features, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are
        bins: integers.
    n_bins : int, default=2
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    label_relation : {"distance", "cosine"}, default="distance"
        L: one minus the cosines of the labels, as in the authors' program, or the cosines.
    n_per_label : int or None, default=None
        Number of the largest weights of a label that count in the scores, >= 1, or all: the label-specific form
        (GRRO-LS), 5 in the authors' program.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Sums of weights; they may be negative.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
        Of equal scores that with the larger sum of all weights comes first.
    coef_ : ndarray of shape (n_features, n_labels)
        W.
    n_negative_eigenvalues_ : int
        Of G: they count as 0.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Raises
    ------
    DataError
        If a parameter is out of range, or label_smoothness so large that the function has no minimum: L has negative
        eigenvalues.

    Notes
    -----
    W solves the Sylvester equation ``(I + redundancy G) W + label_smoothness W L = R``, by the eigenvectors of G and L.
    Where G is not positive semidefinite the nearest such matrix takes its place, as of `QPFS`; in the program W is then
    a saddle point of the function.

    References
    ----------
    Zhang, Lin, Jiang, Li, Tang and Tan, "Multi-label feature selection via global relevance and redundancy
    optimization", IJCAI 2020; equations from the program of the authors.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.GRRO(k=10).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("n d^2 + d^3 + n d q", "n d + d^2 + d q + q^2")
    takes_unknown_cells = True
    takes_sparse_labels = True
    by_feature = ("coef_",)

    def __init__(
        self,
        k: Size = 0.5,
        redundancy: float = 100.0,
        label_smoothness: float = 0.1,
        discretise: str | None = "equal-frequency",
        n_bins: int = 2,
        label_relation: Literal["distance", "cosine"] = "distance",
        n_per_label: int | None = None,
    ) -> None:
        super().__init__(k, discretise, n_bins)
        self.redundancy = redundancy
        self.label_smoothness = label_smoothness
        self.label_relation = label_relation
        self.n_per_label = n_per_label

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        check_pairs(X.shape[1], "GRRO")
        alpha = check_range(self.redundancy, "redundancy", 0)
        beta = check_range(self.label_smoothness, "label_smoothness", 0)
        check_option(self.label_relation, "label_relation", RELATIONS)
        if self.n_per_label is not None:
            check_count(self.n_per_label, "n_per_label")
        bins = self._bins(X, labels)
        redundancy, relevance = shared_bits(Counted.from_bins(bins), Labels(labels))
        relation = label_cosines(labels)
        if self.label_relation == "distance":
            present = relation.diagonal() > 0
            relation = np.where(np.outer(present, present), 1.0 - relation, 0.0)
        weights, self.n_negative_eigenvalues_ = _weights(redundancy, relation, relevance, alpha, beta)
        copies = distinct_rows(bins.T)[1]  # which have the same weights but for rounding
        sums = np.zeros_like(weights)
        np.add.at(sums, copies, weights)
        self.coef_ = coefficients = sums[copies] / np.bincount(copies)[copies, np.newaxis]
        if self.n_per_label is not None and self.n_per_label < len(coefficients):
            coefficients = np.where(coefficients >= np.sort(coefficients, axis=0)[-self.n_per_label], coefficients, 0.0)
        return np.asarray(coefficients.sum(axis=1))

    def _best_first(self, scores: FloatArray) -> NDArray[np.intp]:
        return np.lexsort((-self.coef_.sum(axis=1), -scores))


def _weights(
    redundancy: FloatArray, relation: FloatArray, relevance: FloatArray, alpha: float, beta: float
) -> tuple[FloatArray, int]:
    """Return the minimum W of `GRRO`, and how many eigenvalues of G are negative, which count as 0."""
    of_features, left = scipy.linalg.eigh(redundancy, overwrite_a=True, check_finite=False)
    of_labels, right = scipy.linalg.eigh(relation, overwrite_a=True, check_finite=False)
    n_negative = int(np.count_nonzero(of_features < -len(left) * np.finfo(float).eps * of_features[-1]))
    curvature = 1.0 + alpha * np.maximum(of_features, 0.0)[:, np.newaxis] + beta * of_labels
    if curvature.min() <= 0:
        raise DataError(
            f"GRRO has no minimum with label_smoothness={beta:g}: the least eigenvalue of the labels' relation is "
            f"{of_labels[0]:.3g}; take one below {-1 / of_labels[0]:.3g}"
        )
    weights: FloatArray = left @ ((left.T @ relevance @ right) / curvature) @ right.T
    return weights, n_negative
