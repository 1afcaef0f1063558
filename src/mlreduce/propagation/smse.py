"""Semi-supervised multi-label learning by a Sylvester equation (SMSE)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from mlreduce.propagation.base import LabelPropagation, add_diagonal, reached_from
from mlreduce.propagation.sylvester import solve_cells, solve_sylvester
from mlreduce.registry import register
from mlreduce.validation import FloatArray


@register("smse1")
class SMSE1(LabelPropagation):
    """Semi-supervised multi-label learning by a Sylvester equation (SMSE1), with the given labels fixed.

    ``min smoothness tr(Z'L_W Z) + label_smoothness tr(Z L_Sigma Z')`` subject to ``Z_l = Y_l``, with the Laplacians
    ``D - W`` of the instances' proximity and of the labels' similarity. The scores of the unlabelled instances solve
    ``smoothness L_uu Z_u + label_smoothness Z_u L_Sigma = -smoothness L_ul Y_l``. With ``label_smoothness=0`` every
    score is the weighted mean of the neighbours' scores.

    Parameters
    ----------
    smoothness : float, default=1.0
        Weight of the instances' proximity, > 0.
    label_smoothness : float or None, default=None
        Weight of the labels' similarity, >= 0; None is ``smoothness``. Only their ratio matters.
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
    Chen, Song, Wang and Zhang (2008), "Semi-supervised multi-label learning by solving a Sylvester equation"; Mu et al.
    (2012), equation (23).

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("digits")
    >>> Y = data.Y.astype(float)
    >>> Y[500:] = np.nan
    >>> mlreduce.SMSE1().fit_transform(data.X, Y).shape
    (1797, 8)
    """

    def _solve(self, laplacian: Any, labels: FloatArray, known: NDArray[np.bool_]) -> FloatArray:
        self.label_smoothness_ = float(self.smoothness if self.label_smoothness is None else self.label_smoothness)
        right = self.label_smoothness_ * self._label_laplacian()
        if known.ndim == 2:
            left, reached = self.smoothness * laplacian, reached_from(laplacian, known)
            # Similar labels determine each other's scores.
            groups = csgraph.connected_components(right, directed=False)[1]
            free = ~known & ((reached @ (groups[:, np.newaxis] == groups)) > 0)
            return labels + solve_cells(left, right, np.zeros_like(labels), free, -(left @ labels + labels @ right))
        scores, (fixed,), (free,) = labels.copy(), known.nonzero(), (~known).nonzero()
        rows = self.smoothness * laplacian[free]
        scores[free] = solve_sylvester(rows[:, free], right, -(rows[:, fixed] @ labels[fixed]))
        return scores


@register("smse2")
class SMSE2(LabelPropagation):
    """Semi-supervised multi-label learning by a Sylvester equation (SMSE2), with squared errors of the given labels.

    ``min ||Z_l - Y_l||^2 + ||Z_u||^2 + smoothness tr(Z'L_W Z) + label_smoothness tr(Z L_Sigma Z')`` with normalised
    symmetric Laplacians: ``I - D(W)^-1/2 W D(W)^-1/2`` of the instances' proximity, whose diagonal is zero, and
    ``I - D(Sigma)^-1/2 Sigma D(Sigma)^-1/2`` of the labels' similarity, with its unit diagonal. Rows of instances
    without neighbours and of labels without instances are zero. The scores solve
    ``(I + smoothness L_W) Z + label_smoothness Z L_Sigma = [Y_l; 0]``.

    Parameters
    ----------
    smoothness : float, default=1.0
        Weight of the instances' proximity, > 0.
    label_smoothness : float or None, default=None
        Weight of the labels' similarity, >= 0; None is ``smoothness``.
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
    Chen, Song, Wang and Zhang (2008), "Semi-supervised multi-label learning by solving a Sylvester equation"; Mu et al.
    (2012), equation (24).

    Examples
    --------
    >>> import mlreduce
    >>> import numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[200:] = np.nan  # 100 instances without labels
    >>> method = mlreduce.SMSE2(label_smoothness=0.1).fit(data.X, Y)
    >>> float((method.transduction_[200:, :8] == data.Y[200:, :8]).mean().round(1))
    0.6
    """

    normalised = True

    def _solve(self, laplacian: Any, labels: FloatArray, known: NDArray[np.bool_]) -> FloatArray:
        self.label_smoothness_ = float(self.smoothness if self.label_smoothness is None else self.label_smoothness)
        left = add_diagonal(self.smoothness * laplacian, np.ones(len(labels)))
        return solve_sylvester(left, self.label_smoothness_ * self._label_laplacian(), labels)
