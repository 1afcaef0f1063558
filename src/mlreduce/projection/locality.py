"""Unsupervised projections that preserve local neighbourhoods."""

from __future__ import annotations

from mlreduce.projection.base import NEIGHBOURS, Projection
from mlreduce.projection.ridge import Regularised, Ridge
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.proximity import ProximityLike, attraction, check_proximity, degrees, reconstruction
from mlreduce.validation import Size, check_count, check_option


class _Locality(Projection):
    """Base of the projections that minimise a cost of neighbours: eigenvalues are costs times -1."""

    supervised = False
    signed_values = True


@register("olpp")
class OLPP(_Locality):
    """Orthogonal locality preserving projections (OLPP): minimal weighted squared differences of neighbours.

    ``max tr(P'X'(W - D(W))XP)`` subject to ``P'P = I``. Directions are restricted to the row space of the centred
    features, so that none of them is constant on the instances.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Kokiopoulou and Saad (2007), "Orthogonal neighborhood preserving projections: a projection-based dimensionality
    reduction technique"; Mu, Goulermas, Tsujii and Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.OLPP(n_components=2, proximity={"n_neighbors": 5}).fit(data.X)
    >>> method.components_.shape
    (2, 30)
    """

    complexity = NEIGHBOURS

    def __init__(self, n_components: Size = None, proximity: ProximityLike = None, variance_share: float = 0.2) -> None:
        super().__init__(n_components)
        self.proximity = proximity
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_proximity(self.proximity)

    def _objective(self, data: TrainingSet) -> Form:
        return attraction(check_proximity(self.proximity).matrix(data))


@register("lpp")
class LPP(Regularised, OLPP):
    """Locality preserving projections (LPP): squared differences of neighbours relative to the scatter.

    ``max tr(P'X'(W - D(W))XP)`` subject to ``P'(X'D(W)X + ridge I)P = I``, or with ``X'X`` in place of ``X'D(W)X``.
    Features are centred only where ``variance_share`` is below 1. Eigenvalues lie in [-2, 0] with
    ``constraint="degree"``.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    constraint : {"degree", "scatter"}, default="degree"
        ``X'D(W)X``, D(W) the row sums of W, or ``X'X``.
    ridge : float or str, default="0.1%"
        Ridge of the constraint, >= 0, in its units; ``"0.1%"`` is a share of its mean diagonal over the features that
        are not zero.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    He and Niyogi (2003), "Locality preserving projections"; Mu, Goulermas, Tsujii and Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.LPP(n_components=2).fit(data.X)
    >>> bool(-2 <= method.eigenvalues_.min() <= method.eigenvalues_.max() <= 0)
    True
    """

    complexity = NEIGHBOURS

    @property
    def centred(self) -> bool:  # type: ignore[override]
        """Whether features are centred, as principal components are."""
        return self._is_restricted

    def __init__(
        self,
        n_components: Size = None,
        proximity: ProximityLike = None,
        constraint: str = "degree",
        ridge: Ridge = "0.1%",
        variance_share: float = 0.2,
    ) -> None:
        super().__init__(n_components, proximity)
        self.constraint = constraint
        self.ridge = ridge
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_option(self.constraint, "constraint", ("degree", "scatter"))

    def _constraint(self, data: TrainingSet) -> Form:
        by_degree = self.constraint == "degree"
        scatter = Form(weights=degrees(check_proximity(self.proximity).matrix(data)) if by_degree else 1.0)
        return self._with_ridge(scatter, data)


@register("onpp")
class ONPP(_Locality):
    """Orthogonal neighbourhood preserving projections (ONPP): minimal errors of reconstruction from neighbours.

    ``max -tr(P'X'(I - W)'(I - W)XP)`` subject to ``P'P = I``, with the reconstruction weights W of `LLE`. Directions
    are restricted to the row space of the centred features.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_neighbors : int, default=10
        Number of neighbours that reconstruct an instance, >= 1; at most n_samples - 1 are used.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Kokiopoulou and Saad (2007), "Orthogonal neighborhood preserving projections: a projection-based dimensionality
    reduction technique"; Mu, Goulermas, Tsujii and Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.ONPP(n_components=3).fit(data.X)
    >>> (method.components_ @ method.components_.T).round(6) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    complexity = NEIGHBOURS

    def __init__(self, n_components: Size = None, n_neighbors: int = 10, variance_share: float = 0.2) -> None:
        super().__init__(n_components)
        self.n_neighbors = n_neighbors
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count(self.n_neighbors, "n_neighbors")

    def _objective(self, data: TrainingSet) -> Form:
        return reconstruction(data, self.n_neighbors)


@register("npp")
class NPP(Regularised, ONPP):
    """Neighbourhood preserving projections (NPP): `ONPP` with orthonormal projected features.

    ``max -tr(P'X'(I - W)'(I - W)XP)`` subject to ``P'(X'X + ridge I)P = I``; features are
    centred only where ``variance_share`` is below 1.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_neighbors : int, default=10
        Number of neighbours that reconstruct an instance, >= 1; at most n_samples - 1 are used.
    ridge : float or str, default="0.1%"
        Ridge of the constraint, >= 0, in its units; ``"0.1%"`` is a share of its mean diagonal over the features that
        are not zero.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    He, Cai, Yan and Zhang (2005), "Neighborhood preserving embedding"; Mu, Goulermas, Tsujii and Ananiadou (2012),
    section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.NPP(n_components=2, n_neighbors=5).fit_transform(data.X).shape
    (300, 2)
    """

    complexity = NEIGHBOURS

    @property
    def centred(self) -> bool:  # type: ignore[override]
        """Whether features are centred, as principal components are."""
        return self._is_restricted

    def __init__(
        self, n_components: Size = None, n_neighbors: int = 10, ridge: Ridge = "0.1%", variance_share: float = 0.2
    ) -> None:
        super().__init__(n_components, n_neighbors)
        self.ridge = ridge
        self.variance_share = variance_share

    def _constraint(self, data: TrainingSet) -> Form:
        return self._with_ridge(Form(weights=1.0), data)
