"""Hypergraph spectral learning: labels are hyperedges of the instances."""

from __future__ import annotations

import numpy as np

from mlreduce.linalg.utilities import quotient, scaled
from mlreduce.projection.base import LEAST_SQUARES, WeightedProjection
from mlreduce.projection.ridge import Regularised, Ridge
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import Size


class _HypergraphProjection(WeightedProjection, Regularised):
    """Base: ``S = D^-1/2 Y diag(n_c)^-q Y' D^-1/2``, D the row sums of ``Y diag(n_c)^-q Y'``, 0 without labels.

    S has the rank of Y and no eigenvalue above 1.
    """

    complexity = LEAST_SQUARES
    #: The exponent q.
    power: int

    def __init__(self, n_components: Size = None, ridge: Ridge = None, centred: bool = False) -> None:
        super().__init__(n_components)
        self.ridge = ridge
        self.centred = centred

    def _objective(self, data: TrainingSet) -> Form:
        sizes = data.class_sizes
        weights = quotient(1.0, sizes**self.power)
        degrees = data.labels @ (weights * sizes)
        return Form(factor=scaled(data.labels, quotient(1.0, np.sqrt(degrees)), np.sqrt(weights)))

    def _constraint(self, data: TrainingSet) -> Form:
        return self._with_ridge(Form(weights=1.0), data)


@register("hsl1")
class HSL1(_HypergraphProjection):
    """Hypergraph spectral learning by clique expansion (HSL1): one edge between instances per common label.

    ``max tr(P'X'SXP)`` subject to ``P'(X'X + ridge I)P = I`` with ``S = D^-1/2 YY' D^-1/2``, class sizes ``n_c`` and
    degrees ``D = diag(Y n_c)``. At most n_labels eigenvalues are positive; instances without labels have ``S = 0``.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the constraint, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.
    centred : bool, default=False
        Whether X is centred. S has the eigenvalue 1 for the roots of the degrees, to which features with a mean tend.

    Attributes
    ----------
    ridge_, edge_ : float, {"lowest", "highest"} or None
        The ridge, and which end of those compared a chosen one is, if any.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Sun, Ji and Ye (2008), "Hypergraph spectral learning for multi-label classification"; Mu et al. (2012),
    section 2.2.2.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.HSL1().fit(data.X, data.Y).eigenvalues_[:3].round(1)
    array([0.2, 0.2, 0.1])
    >>> mlreduce.HSL1().fit_transform(data.X, data.Y).shape
    (300, 9)
    """

    power = 0


@register("hsl2")
class HSL2(_HypergraphProjection):
    """Hypergraph spectral learning by star expansion (HSL2): edges between instances and labels.

    As `HSL1` with ``S = D^-1/2 Y diag(n_c)^-2 Y' D^-1/2`` and the degrees ``D = diag(Y n_c^-1)``: paths of two edges in
    the normalised bipartite graph of instances and labels with edges of weight ``1 / n_c``.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the constraint, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.
    centred : bool, default=False
        Whether X is centred. S has the eigenvalue 1 for the roots of the degrees, to which features with a mean tend.

    Attributes
    ----------
    ridge_, edge_ : float, {"lowest", "highest"} or None
        The ridge, and which end of those compared a chosen one is, if any.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Sun, Ji and Ye (2008), "Hypergraph spectral learning for multi-label classification"; Mu et al. (2012),
    section 2.2.2.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.HSL2(ridge=10.0).fit_transform(data.X, data.Y).shape  # at most one direction per label
    (300, 9)
    """

    power = 2


@register("hsl3")
class HSL3(_HypergraphProjection):
    """Hypergraph spectral learning by the normalised hypergraph Laplacian (HSL3): a hyperedge for each label.

    As `HSL1` with ``S = D^-1/2 Y diag(n_c)^-1 Y' D^-1/2`` and the degrees ``D = diag(m)``, the numbers of labels: I
    less the Laplacian of Zhou, Huang and Schoelkopf.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the constraint, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.
    centred : bool, default=False
        Whether X is centred. S has the eigenvalue 1 for the roots of the degrees, to which features with a mean tend.

    Attributes
    ----------
    ridge_, edge_ : float, {"lowest", "highest"} or None
        The ridge, and which end of those compared a chosen one is, if any.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Sun, Ji and Ye (2008), "Hypergraph spectral learning for multi-label classification"; Zhou, Huang and Schoelkopf
    (2006), "Learning with hypergraphs: clustering, classification, and embedding"; Mu et al. (2012), section 2.2.2.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.HSL3().fit(data.X, data.Y)
    >>> method.n_components_ <= data.Y.shape[1]
    True
    >>> bool((method.eigenvalues_ < 1).all())
    True
    """

    power = 1
