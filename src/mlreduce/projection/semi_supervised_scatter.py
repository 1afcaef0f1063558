"""Semi-supervised discriminant analyses: the Laplacian of a graph of all instances adds to the within-class scatter."""

from __future__ import annotations

from dataclasses import replace

from mlreduce.projection.base import NEIGHBOURS, NEIGHBOURS_DENSE
from mlreduce.projection.locality import OLPP
from mlreduce.projection.mesd import MESDFDA, MESDMMC
from mlreduce.projection.ridge import Ridge
from mlreduce.projection.semi_supervised import PartlyLabelled
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import Size, check_range


@register("ssfda")
class SSFDA(PartlyLabelled):
    """Semi-supervised Fisher discriminant analysis (SSFDA): FDA of the labelled instances, with a Laplacian of all.

    ``max tr(P'S_bP)`` subject to ``P'(S_w + smoothness X'L_WX + ridge I)P = I``, with the scatters of `MESDFDA` of the
    labelled instances and the Laplacian of `OLPP` of all. At most n_labels - 1 eigenvalues are positive.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    smoothness : float, default=1.0
        Weight of the Laplacian, >= 0; with 0 it is `MESDFDA` of the labelled instances.
    ridge : float, str or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``y`` was a class vector, and the supervised part takes those.
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
    Song, Nie, Zhang and Xiang (2008), "A unified framework for semi-supervised dimensionality reduction"; Mu et al.
    (2012), equation (21).

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[100:] = np.nan  # 200 instances without labels
    >>> mlreduce.SSFDA(smoothness=0.1).fit(data.X, Y).n_components_
    8
    """

    least_labels = 2
    complexity = replace(NEIGHBOURS_DENSE, time="n s + s m + m^3 + 100 d k + n m q")

    def __init__(
        self,
        n_components: Size = None,
        smoothness: float = 1.0,
        ridge: Ridge = None,
        proximity: ProximityLike = None,
    ) -> None:
        super().__init__(n_components)
        self.smoothness = smoothness
        self.ridge = ridge
        self.proximity = proximity

    def _parts(self) -> tuple[MESDFDA, OLPP]:
        return MESDFDA(ridge=self.ridge), OLPP(proximity=self.proximity)

    def _check_parameters(self) -> None:
        check_range(self.smoothness, "smoothness", 0)
        super()._check_parameters()

    def _objective(self, data: TrainingSet) -> Form:
        return self._objective_of(self._parts()[0], data)

    def _constraint(self, data: TrainingSet) -> Form | None:
        discriminant, locality = self._parts()
        within = self._constraint_of(discriminant, data)
        if within is None or not self.smoothness:
            return within
        return within + self._objective_of(locality, data) * -self.smoothness


@register("ssmmc")
class SSMMC(PartlyLabelled):
    """Semi-supervised maximum margin criterion (SSMMC): MMC of the labelled instances, less a Laplacian of all.

    ``max tr(P'(S_b - within_weight S_w - smoothness X'L_WX)P)`` subject to ``P'P = I``, with the scatters of `MESDMMC`
    of the labelled instances and the Laplacian of `OLPP` of all.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    within_weight : float, default=1.0
        Weight of the within-class scatter, >= 0.
    smoothness : float, default=1.0
        Weight of the Laplacian, >= 0; with 0 it is `MESDMMC` of the labelled instances.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``y`` was a class vector, and the supervised part takes those.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Song, Nie, Zhang and Xiang (2008), "A unified framework for semi-supervised dimensionality reduction"; Mu et al.
    (2012), equation (22).

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[100:] = np.nan  # 200 instances without labels
    >>> mlreduce.SSMMC(n_components=3, smoothness=0.1).fit_transform(data.X, Y).shape
    (300, 3)
    """

    least_labels = 2
    complexity = NEIGHBOURS
    signed_values = True

    def __init__(
        self,
        n_components: Size = None,
        within_weight: float = 1.0,
        smoothness: float = 1.0,
        proximity: ProximityLike = None,
        variance_share: float = 0.2,
    ) -> None:
        super().__init__(n_components)
        self.within_weight = within_weight
        self.smoothness = smoothness
        self.proximity = proximity
        self.variance_share = variance_share

    def _parts(self) -> tuple[MESDMMC, OLPP]:
        return MESDMMC(within_weight=self.within_weight), OLPP(proximity=self.proximity)

    def _check_parameters(self) -> None:
        check_range(self.within_weight, "within_weight", 0)
        check_range(self.smoothness, "smoothness", 0)
        super()._check_parameters()

    def _objective(self, data: TrainingSet) -> Form:
        criterion, locality = self._parts()
        margin = self._objective_of(criterion, data)
        if not self.smoothness:
            return margin
        return margin + self._objective_of(locality, data) * self.smoothness
