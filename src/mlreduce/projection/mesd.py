"""Multi-label extensions by sample duplication (MESD) of projections for single-label data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.projection.base import Projection
from mlreduce.projection.classes import ClassProjection
from mlreduce.projection.fisher import FDA, LFDA, MFA, MMC
from mlreduce.projection.reconstruction import DONPP, ONPPR, SONPP
from mlreduce.projection.repulsion import DLA, DNE, OLPPR
from mlreduce.projection.scatter import Ridge
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.duplication import instances_with_labels
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, check_options

__all__ = [
    "MESD",
    "MESDDLA",
    "MESDDNE",
    "MESDDONPP",
    "MESDFDA",
    "MESDLFDA",
    "MESDMFA",
    "MESDMMC",
    "MESDOLPPR",
    "MESDONPPR",
    "MESDSONPP",
]


@register("mesd")
class MESD(Projection):
    """Multi-label extension by sample duplication (MESD) of any projection for single-label data.

    Every instance is duplicated once per label and the base is fitted to the duplicates: ``C'AC`` and ``C'BC`` over the
    instances, with the base's A and B over the duplicates. Distances and proximities are those of the instances.
    Instances without labels are left out. With one label per instance it is the base itself.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    base : str or ClassProjection, default="fda"
        Projection for single-label data: its registry name, or an estimator.
    parameters : dict or None, default=None
        Parameters of the base, except ``n_components``.
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.MESD(base="fda", n_components=3).fit_transform(data.X, data.Y).shape
    (1797, 3)
    """

    least_labels = 2

    def __init__(
        self,
        n_components: Size = None,
        base: str | ClassProjection = "fda",
        parameters: Mapping[str, Any] | None = None,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components)
        self.base = base
        self.parameters = parameters
        self.weighted = weighted

    def _base(self) -> ClassProjection:
        """Return the base, not fitted."""
        cls = registry.method_class(self.base) if isinstance(self.base, str) else type(self.base)
        if not issubclass(cls, ClassProjection):
            raise DataError(f"base must be a projection for single-label data, or its registry name; got {self.base!r}")
        given = check_options(self.parameters, cls, "parameters", taken=("n_components",))
        base: ClassProjection = cls(**given) if isinstance(self.base, str) else clone(self.base).set_params(**given)
        base.weighted = self.weighted
        return base

    @property
    def signed_values(self) -> bool:  # type: ignore[override]  # a property of the base
        """Whether eigenvalues of the base may be negative."""
        return self._base().signed_values

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._base()._check_parameters()
        if not isinstance(self.weighted, (bool, np.bool_)):
            raise DataError(f"weighted must be True or False; got {self.weighted!r}")

    def _usable(self, data: TrainingSet) -> TrainingSet:
        return instances_with_labels(data)

    def _objective(self, data: TrainingSet) -> Form:
        return self._base()._objective(data)

    def _constraint(self, data: TrainingSet) -> Form | None:
        return self._base()._constraint(data)

    def _mean(self, data: TrainingSet) -> FloatArray:
        return self._base()._mean(data)


class _NamedMESD(MESD):
    """MESD of one method under a name of its own, with the parameters of the method and ``weighted``."""

    _method: ClassVar[type[ClassProjection]]

    def __init__(self, weighted: bool = False, **parameters: Any) -> None:
        self.weighted = weighted
        for name, value in parameters.items():
            setattr(self, name, value)

    def _base(self) -> ClassProjection:
        base = self._method(**{name: getattr(self, name) for name in self._method._get_param_names()})
        base.weighted = self.weighted
        return base


@register("mesd-fda")
class MESDFDA(_NamedMESD):
    """Fisher discriminant analysis (`FDA`) extended by sample duplication; unweighted it equals `LDACopy`.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, "all-columns" or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features; None is a thousandth of the
        scatter's mean diagonal over the features that vary, "all-columns" over all of them.
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> one, other = mlreduce.MESDFDA(), mlreduce.LDACopy()
    >>> np.allclose(one.fit_transform(data.X, data.Y), other.fit_transform(data.X, data.Y))
    True
    """

    _method = FDA
    complexity = FDA.complexity
    signed_values = FDA.signed_values

    def __init__(self, n_components: Size = None, ridge: Ridge = None, weighted: bool = False) -> None:
        super().__init__(weighted, n_components=n_components, ridge=ridge)


@register("mesd-lfda")
class MESDLFDA(_NamedMESD):
    """Local Fisher discriminant analysis (`LFDA`) extended by sample duplication.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, "all-columns" or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features; None is a thousandth of the
        scatter's mean diagonal over the features that vary, "all-columns" over all of them.
    proximity : Proximity, dict of its parameters, or None, default=None
        W, independent of labels; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDLFDA(proximity={"n_neighbors": 5}).fit(data.X, data.Y).n_components_
    30
    """

    _method = LFDA
    complexity = LFDA.complexity
    signed_values = LFDA.signed_values

    def __init__(
        self,
        n_components: Size = None,
        ridge: Ridge = None,
        proximity: ProximityLike = None,
        weighted: bool = False,
    ) -> None:
        super().__init__(weighted, n_components=n_components, ridge=ridge, proximity=proximity)


@register("mesd-mfa")
class MESDMFA(_NamedMESD):
    """Marginal Fisher analysis (`MFA`) extended by sample duplication.

    Duplicates of the same instance are nearest pairs with zero distance: a small ``n_pairs`` may leave no other pair,
    which is refused.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, "all-columns" or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features; None is a thousandth of the
        scatter's mean diagonal over the features that vary, "all-columns" over all of them.
    n_neighbors : int, default=5
        K1, number of nearest instances in the same class, >= 1.
    n_pairs : int or None, default=None
        K2, number of nearest pairs of each class with others, >= 1; None for the number of instances of the class
        (for `MESD`, of their duplicates).
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDMFA(n_components=3).fit_transform(data.X, data.Y).shape
    (300, 3)
    """

    _method = MFA
    complexity = MFA.complexity
    signed_values = MFA.signed_values

    def __init__(
        self,
        n_components: Size = None,
        ridge: Ridge = None,
        n_neighbors: int = 5,
        n_pairs: int | None = None,
        weighted: bool = False,
    ) -> None:
        super().__init__(weighted, n_components=n_components, ridge=ridge, n_neighbors=n_neighbors, n_pairs=n_pairs)


@register("mesd-mmc")
class MESDMMC(_NamedMESD):
    """Maximum margin criterion (`MMC`) extended by sample duplication.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    within_weight : float, default=1.0
        Weight of the within-class scatter, lambda in the paper, >= 0.
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MESDMMC(within_weight=0.0).fit(data.X, data.Y)
    >>> bool((method.eigenvalues_ >= 0).all())
    True
    """

    _method = MMC
    complexity = MMC.complexity
    signed_values = MMC.signed_values

    def __init__(self, n_components: Size = None, within_weight: float = 1.0, weighted: bool = False) -> None:
        super().__init__(weighted, n_components=n_components, within_weight=within_weight)


@register("mesd-dla")
class MESDDLA(_NamedMESD):
    """Discriminative locality alignment (`DLA`) extended by sample duplication.

    An instance's own duplicates are its nearest in other classes, with zero distance: ``n_others`` should exceed the
    number of labels per instance.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_neighbors : int, default=5
        K1, number of nearest instances in the same class, >= 1.
    n_others : int, default=5
        K2, number of nearest instances in other classes, >= 1.
    beta : float, default=0.1
        Weight of the instances of other classes, lambda in the paper, >= 0.
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDDLA(n_components=2, n_others=15).fit_transform(data.X, data.Y).shape
    (300, 2)
    """

    _method = DLA
    complexity = DLA.complexity
    signed_values = DLA.signed_values

    def __init__(
        self,
        n_components: Size = None,
        n_neighbors: int = 5,
        n_others: int = 5,
        beta: float = 0.1,
        weighted: bool = False,
    ) -> None:
        super().__init__(weighted, n_components=n_components, n_neighbors=n_neighbors, n_others=n_others, beta=beta)


@register("mesd-dne")
class MESDDNE(_NamedMESD):
    """Discriminant neighbourhood embedding (`DNE`) extended by sample duplication.

    An instance's own duplicates are its nearest in other classes, with zero distance: ``n_neighbors`` should exceed
    the number of labels per instance.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_neighbors : int, default=5
        Number of nearest instances, in the same class and in other classes, >= 1.
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDDNE(n_components=2, n_neighbors=15).fit_transform(data.X, data.Y).shape
    (300, 2)
    """

    _method = DNE
    complexity = DNE.complexity
    signed_values = DNE.signed_values

    def __init__(self, n_components: Size = None, n_neighbors: int = 5, weighted: bool = False) -> None:
        super().__init__(weighted, n_components=n_components, n_neighbors=n_neighbors)


@register("mesd-olpp-r")
class MESDOLPPR(_NamedMESD):
    """Orthogonal locality preserving projection with repulsion (`OLPPR`) extended by sample duplication.

    Two instances attract each other once per common label and repel each other once per pair of different labels.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    beta : float, default=1.0
        Weight of the repulsion, >= 0.
    proximity : Proximity, dict of its parameters, or None, default=None
        W, independent of labels; None is ``Proximity()``: Gaussian weights, ten nearest neighbours. The original has
        equation (9) of Mu et al. (2012): ``{"weight": "ratio"}``.
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDOLPPR(n_components="10%").fit(data.X, data.Y).n_components_
    3
    """

    _method = OLPPR
    complexity = OLPPR.complexity
    signed_values = OLPPR.signed_values

    def __init__(
        self, n_components: Size = None, beta: float = 1.0, proximity: ProximityLike = None, weighted: bool = False
    ) -> None:
        super().__init__(weighted, n_components=n_components, beta=beta, proximity=proximity)


@register("mesd-sonpp")
class MESDSONPP(_NamedMESD):
    """Supervised orthogonal neighbourhood preserving projection (`SONPP`) extended by sample duplication.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_neighbors : int, default=5
        Number of nearest instances in the same class, >= 1.
    reg : float, default=1e-3
        Ridge of the reconstruction, >= 1e-9, relative to the sum of the squared distances to the neighbours.
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MESDSONPP(n_components=2).fit(data.X, data.Y)
    >>> bool((method.eigenvalues_ < 0).all())  # costs of reconstruction, with changed sign
    True
    """

    _method = SONPP
    complexity = SONPP.complexity
    signed_values = SONPP.signed_values

    def __init__(
        self, n_components: Size = None, n_neighbors: int = 5, reg: float = 0.001, weighted: bool = False
    ) -> None:
        super().__init__(weighted, n_components=n_components, n_neighbors=n_neighbors, reg=reg)


@register("mesd-donpp")
class MESDDONPP(_NamedMESD):
    """Discriminative orthogonal neighbourhood preserving projection (`DONPP`) extended by sample duplication.

    An instance's own duplicates are its nearest in other classes, with zero distance: ``n_others`` should exceed the
    number of labels per instance.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_others : int, default=5
        Number of nearest instances in other classes, >= 1.
    beta : float, default=0.1
        Weight of the instances of other classes, >= 0.
    reg : float, default=1e-3
        Ridge of the reconstruction, >= 1e-9, relative to the sum of an instance's squared distances to all others,
        averaged over the class.
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MESDDONPP(n_others=15, weighted=True).fit(data.X, data.Y)
    >>> method.n_components_
    30
    """

    _method = DONPP
    complexity = DONPP.complexity
    signed_values = DONPP.signed_values

    def __init__(
        self,
        n_components: Size = None,
        n_others: int = 5,
        beta: float = 0.1,
        reg: float = 0.001,
        weighted: bool = False,
    ) -> None:
        super().__init__(weighted, n_components=n_components, n_others=n_others, beta=beta, reg=reg)


@register("mesd-onpp-r")
class MESDONPPR(_NamedMESD):
    """Orthogonal neighbourhood preserving projection with repulsion (`ONPPR`) extended by sample duplication.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_neighbors : int, default=5
        Number of nearest instances in the same class, >= 1.
    reg : float, default=1e-3
        Ridge of the reconstruction, >= 1e-9, relative to the sum of the squared distances to the neighbours.
    beta : float, default=0.1
        Weight of the repulsion, >= 0.
    proximity : Proximity, dict of its parameters, or None, default=None
        W of the repulsion, as of `OLPPR`.
    weighted : bool, default=False
        Whether the weight of a duplicate is one divided by the number of its instance's labels, not 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, where it is known. See `Projection`.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", equations (32) and (33).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDONPPR(n_components=2).fit_transform(data.X, data.Y).shape
    (300, 2)
    """

    _method = ONPPR
    complexity = ONPPR.complexity
    signed_values = ONPPR.signed_values

    def __init__(
        self,
        n_components: Size = None,
        n_neighbors: int = 5,
        reg: float = 0.001,
        beta: float = 0.1,
        proximity: ProximityLike = None,
        weighted: bool = False,
    ) -> None:
        super().__init__(
            weighted, n_components=n_components, n_neighbors=n_neighbors, reg=reg, beta=beta, proximity=proximity
        )
