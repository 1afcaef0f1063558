"""Multi-label extensions by sample duplication (MESD) of projections for single-label data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.projection.base import Projection, WeightedProjection
from mlreduce.projection.classes import ClassProjection
from mlreduce.projection.fisher import FDA, LFDA, MFA, MMC
from mlreduce.projection.reconstruction import DONPP, ONPPR, SONPP
from mlreduce.projection.repulsion import DLA, DNE, OLPPR
from mlreduce.projection.ridge import Ridge
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.duplication import instances_with_labels
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, check_options


@register("mesd")
class MESD(WeightedProjection):
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
    ridge_, edge_ : float, {"lowest", "highest"} or None
        The ridge, and which end of those compared a chosen one is, if any; only where the base has one.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
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

    complexity = FDA.complexity  # of the default base

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

    def _space(self) -> float:
        return self._base().variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._base()._check_parameters()
        if not isinstance(self.weighted, (bool, np.bool_)):
            raise DataError(f"weighted must be True or False; got {self.weighted!r}")

    def _usable(self, data: TrainingSet) -> TrainingSet:
        if data.weights is not None and not has_fit_parameter(base := self._base(), "sample_weight"):
            name = type(base).__name__
            raise DataError(f"sample_weight needs a base of sums over the instances, such as 'fda'; {name} is none")
        return instances_with_labels(data)

    def _objective(self, data: TrainingSet) -> Form:
        return self._base()._objective(data)

    def _constraint(self, data: TrainingSet) -> Form | None:
        base = self._base()
        form = base._constraint(data)
        self._take_ridge(base)
        return form

    def _mean(self, data: TrainingSet) -> FloatArray:
        return self._base()._mean(data)


class _NamedMESD(MESD):
    """MESD of one method, with the parameters of the method and ``weighted``."""

    _method: ClassVar[type[ClassProjection]]
    #: Neighbours have no weights.
    fit = Projection.fit  # type: ignore[assignment]
    fit_training_set = Projection.fit_training_set

    def __init__(self, weighted: bool = False, **parameters: Any) -> None:
        self.weighted = weighted
        for name, value in parameters.items():
            setattr(self, name, value)

    def _base(self) -> ClassProjection:
        base = self._method(**{name: getattr(self, name) for name in self._method._get_param_names()})
        base.weighted = self.weighted
        return base


_Named = TypeVar("_Named", bound=type[_NamedMESD])


def _extends(name: str, method: type[ClassProjection]) -> Callable[[_Named], _Named]:
    """Register a class as the extension of a method, and complete its docstring.

    The class has the first lines and the examples. Its parameters are those of the method and ``weighted``; the other
    sections are those of `MESD`.
    """

    def complete(cls: _Named) -> _Named:
        cls._method, cls.complexity = method, method.complexity
        cls.signed_values = method.signed_values  # type: ignore[method-assign, assignment]  # a property of MESD
        if cls.__doc__:  # python -OO removes docstrings
            first, _, examples = _doc(cls).partition("Examples\n")
            parameters = _doc(method).partition("Parameters\n")[2].partition("\n\nAttributes\n")[0]
            others = _doc(MESD).partition("weighted : ")[2].partition("Examples\n")[0]
            cls.__doc__ = f"{first}Parameters\n{parameters}\nweighted : {others}Examples\n{examples}\n"
        return register(name)(cls)

    return complete


def _doc(cls: type) -> str:
    return inspect.getdoc(cls) or ""


@_extends("mesd-fda", FDA)
class MESDFDA(_NamedMESD):
    """Fisher discriminant analysis (`FDA`) extended by sample duplication; unweighted it equals `LDACopy`.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> one, other = mlreduce.MESDFDA(), mlreduce.LDACopy()
    >>> np.allclose(one.fit_transform(data.X, data.Y), other.fit_transform(data.X, data.Y))
    True
    """

    fit = WeightedProjection.fit
    fit_training_set = WeightedProjection.fit_training_set

    def __init__(self, n_components: Size = None, ridge: Ridge = None, weighted: bool = False) -> None:
        super().__init__(weighted, n_components=n_components, ridge=ridge)


@_extends("mesd-lfda", LFDA)
class MESDLFDA(_NamedMESD):
    """Local Fisher discriminant analysis (`LFDA`) extended by sample duplication.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDLFDA(proximity={"n_neighbors": 5}).fit(data.X, data.Y).n_components_
    30
    """

    def __init__(
        self,
        n_components: Size = None,
        ridge: Ridge = None,
        proximity: ProximityLike = None,
        variance_share: float = 0.2,
        weighted: bool = False,
    ) -> None:
        super().__init__(
            weighted, n_components=n_components, ridge=ridge, proximity=proximity, variance_share=variance_share
        )


@_extends("mesd-mfa", MFA)
class MESDMFA(_NamedMESD):
    """Marginal Fisher analysis (`MFA`) extended by sample duplication.

    Duplicates of the same instance are nearest pairs with zero distance: a small ``n_pairs`` may leave no other pair,
    which is refused.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDMFA(n_components=3).fit_transform(data.X, data.Y).shape
    (300, 3)
    """

    def __init__(
        self,
        n_components: Size = None,
        ridge: Ridge = None,
        n_neighbors: int = 5,
        n_pairs: int | None = None,
        ties: str = "rarest",
        variance_share: float = 0.2,
        weighted: bool = False,
    ) -> None:
        super().__init__(
            weighted,
            n_components=n_components,
            ridge=ridge,
            n_neighbors=n_neighbors,
            n_pairs=n_pairs,
            ties=ties,
            variance_share=variance_share,
        )


@_extends("mesd-mmc", MMC)
class MESDMMC(_NamedMESD):
    """Maximum margin criterion (`MMC`) extended by sample duplication.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MESDMMC(within_weight=0.0).fit(data.X, data.Y)
    >>> bool((method.eigenvalues_ >= 0).all())
    True
    """

    fit = WeightedProjection.fit
    fit_training_set = WeightedProjection.fit_training_set

    def __init__(
        self, n_components: Size = None, within_weight: float = 1.0, variance_share: float = 0.2, weighted: bool = False
    ) -> None:
        super().__init__(
            weighted, n_components=n_components, within_weight=within_weight, variance_share=variance_share
        )


@_extends("mesd-dla", DLA)
class MESDDLA(_NamedMESD):
    """Discriminative locality alignment (`DLA`) extended by sample duplication.

    The other duplicates of an instance are its nearest in other classes, with zero distance: ``n_others`` should
    exceed the number of labels per instance.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDDLA(n_components=2, n_others=15).fit_transform(data.X, data.Y).shape
    (300, 2)
    """

    def __init__(
        self,
        n_components: Size = None,
        n_neighbors: int = 5,
        n_others: int = 5,
        repulsion: float = 0.1,
        variance_share: float = 0.2,
        weighted: bool = False,
    ) -> None:
        super().__init__(
            weighted, n_components=n_components, n_neighbors=n_neighbors, n_others=n_others, repulsion=repulsion
        )
        self.variance_share = variance_share


@_extends("mesd-dne", DNE)
class MESDDNE(_NamedMESD):
    """Discriminant neighbourhood embedding (`DNE`) extended by sample duplication.

    The other duplicates of an instance are its nearest in other classes, with zero distance: ``n_neighbors`` should
    exceed the number of labels per instance.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDDNE(n_components=2, n_neighbors=15).fit_transform(data.X, data.Y).shape
    (300, 2)
    """

    def __init__(
        self,
        n_components: Size = None,
        n_neighbors: int = 5,
        ties: str = "rarest",
        variance_share: float = 0.2,
        weighted: bool = False,
    ) -> None:
        super().__init__(
            weighted, n_components=n_components, n_neighbors=n_neighbors, ties=ties, variance_share=variance_share
        )


@_extends("mesd-olpp-r", OLPPR)
class MESDOLPPR(_NamedMESD):
    """Orthogonal locality preserving projection with repulsion (`OLPPR`) extended by sample duplication.

    Two instances attract each other once per common label and repel each other once per pair of different labels.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDOLPPR(n_components="10%").fit(data.X, data.Y).n_components_
    3
    """

    def __init__(
        self,
        n_components: Size = None,
        repulsion: float = 1.0,
        proximity: ProximityLike = None,
        variance_share: float = 0.2,
        weighted: bool = False,
    ) -> None:
        super().__init__(
            weighted, n_components=n_components, repulsion=repulsion, proximity=proximity, variance_share=variance_share
        )


@_extends("mesd-sonpp", SONPP)
class MESDSONPP(_NamedMESD):
    """Supervised orthogonal neighbourhood preserving projection (`SONPP`) extended by sample duplication.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MESDSONPP(n_components=2).fit(data.X, data.Y)
    >>> bool((method.eigenvalues_ < 0).all())  # costs of reconstruction, with changed sign
    True
    """

    def __init__(
        self,
        n_components: Size = None,
        n_neighbors: int = 5,
        reg: float = 0.001,
        variance_share: float = 0.2,
        weighted: bool = False,
    ) -> None:
        super().__init__(
            weighted, n_components=n_components, n_neighbors=n_neighbors, reg=reg, variance_share=variance_share
        )


@_extends("mesd-donpp", DONPP)
class MESDDONPP(_NamedMESD):
    """Discriminative orthogonal neighbourhood preserving projection (`DONPP`) extended by sample duplication.

    The other duplicates of an instance are its nearest in other classes, with zero distance: ``n_others`` should
    exceed the number of labels per instance.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MESDDONPP(n_others=15, weighted=True).fit(data.X, data.Y)
    >>> method.n_components_
    30
    """

    def __init__(
        self,
        n_components: Size = None,
        n_others: int = 5,
        repulsion: float = 0.1,
        reg: float = 0.001,
        variance_share: float = 0.2,
        weighted: bool = False,
    ) -> None:
        super().__init__(
            weighted,
            n_components=n_components,
            n_others=n_others,
            repulsion=repulsion,
            reg=reg,
            variance_share=variance_share,
        )


@_extends("mesd-onpp-r", ONPPR)
class MESDONPPR(_NamedMESD):
    """Orthogonal neighbourhood preserving projection with repulsion (`ONPPR`) extended by sample duplication.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MESDONPPR(n_components=2).fit_transform(data.X, data.Y).shape
    (300, 2)
    """

    def __init__(
        self,
        n_components: Size = None,
        n_neighbors: int = 5,
        reg: float = 0.001,
        repulsion: float = 0.1,
        proximity: ProximityLike = None,
        variance_share: float = 0.2,
        weighted: bool = False,
    ) -> None:
        super().__init__(
            weighted,
            n_components=n_components,
            n_neighbors=n_neighbors,
            reg=reg,
            repulsion=repulsion,
            proximity=proximity,
        )
        self.variance_share = variance_share
