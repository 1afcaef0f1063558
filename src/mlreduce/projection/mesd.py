"""Multi-label extensions by sample duplication (MESD): the methods for classes on an instance's copies.

Each is the method of its name, and nothing else: see `Duplicating`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlreduce.projection.classes import Duplicating
from mlreduce.projection.fisher import FDA, LFDA, MFA, MMC
from mlreduce.projection.reconstruction import DONPP, ONPPR, SONPP
from mlreduce.projection.repulsion import DLA, DNE, OLPPR
from mlreduce.registry import register
from mlreduce.spectral.graphs.proximity import Proximity

__all__ = [
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


@register("mesd-fda")
class MESDFDA(Duplicating, FDA):
    """Fisher discriminant analysis (`FDA`) where an instance stands in each of its classes.

    Linear discriminant analysis by copying (`LDACopy`) is the unweighted one.

    Parameters
    ----------
    n_components, select, ridge
        As of `FDA`.
    weighted : bool, default=False
        Whether a copy counts one divided by the number of its instance's labels, instead of 1.

    References
    ----------
    Mu et al. (2012), "Proximity-based frameworks for generating embeddings from multi-output data", equations (32) and
    (33).
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        ridge: float | None = None,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components, select, ridge)
        self.weighted = weighted


@register("mesd-lfda")
class MESDLFDA(Duplicating, LFDA):
    """Local Fisher discriminant analysis (`LFDA`) where an instance stands in each of its classes.

    Proximities are of instances; those of their copies are looked up.

    Parameters
    ----------
    n_components, select, ridge, proximity
        As of `LFDA`.
    weighted : bool, default=False
        Whether a copy counts one divided by the number of its instance's labels, instead of 1.

    References
    ----------
    Mu et al. (2012), "Proximity-based frameworks for generating embeddings from multi-output data", equations (32) and
    (33).
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        ridge: float | None = None,
        proximity: Proximity | Mapping[str, Any] | None = None,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components, select, ridge, proximity)
        self.weighted = weighted


@register("mesd-mfa")
class MESDMFA(Duplicating, MFA):
    """Marginal Fisher analysis (`MFA`) where an instance stands in each of its classes.

    Pairs of an instance with itself, in two of its classes, are among the nearest and add nothing: a small
    ``n_pairs`` may leave none of others, which is refused.

    Parameters
    ----------
    n_components, select, ridge, n_neighbors, n_pairs
        As of `MFA`.
    weighted : bool, default=False
        Whether a copy counts one divided by the number of its instance's labels, instead of 1.

    References
    ----------
    Mu et al. (2012), "Proximity-based frameworks for generating embeddings from multi-output data", equations (32) and
    (33).
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        ridge: float | None = None,
        n_neighbors: int = 5,
        n_pairs: int | None = None,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components, select, ridge, n_neighbors, n_pairs)
        self.weighted = weighted


@register("mesd-mmc")
class MESDMMC(Duplicating, MMC):
    """The maximum margin criterion (`MMC`) where an instance stands in each of its classes.

    Parameters
    ----------
    n_components, select, within_weight
        As of `MMC`.
    weighted : bool, default=False
        Whether a copy counts one divided by the number of its instance's labels, instead of 1.

    References
    ----------
    Mu et al. (2012), "Proximity-based frameworks for generating embeddings from multi-output data", equations (32) and
    (33).
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        within_weight: float = 1.0,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components, select, within_weight)
        self.weighted = weighted


@register("mesd-dla")
class MESDDLA(Duplicating, DLA):
    """Discriminative locality alignment (`DLA`) where an instance stands in each of its classes.

    The nearest of other classes are an instance's own copies, which add nothing: ``n_others`` should exceed the number
    of labels that instances have.

    Parameters
    ----------
    n_components, select, n_neighbors, n_others, beta
        As of `DLA`.
    weighted : bool, default=False
        Whether a copy counts one divided by the number of its instance's labels, instead of 1.

    References
    ----------
    Mu et al. (2012), "Proximity-based frameworks for generating embeddings from multi-output data", equations (32) and
    (33).
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        n_neighbors: int = 5,
        n_others: int = 5,
        beta: float = 0.1,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components, select, n_neighbors, n_others, beta)
        self.weighted = weighted


@register("mesd-dne")
class MESDDNE(Duplicating, DNE):
    """Discriminant neighbourhood embedding (`DNE`) where an instance stands in each of its classes.

    The nearest of other classes are an instance's own copies, which add nothing: ``n_neighbors`` should exceed the
    number of labels that instances have.

    Parameters
    ----------
    n_components, select, n_neighbors
        As of `DNE`.
    weighted : bool, default=False
        Whether a copy counts one divided by the number of its instance's labels, instead of 1.

    References
    ----------
    Mu et al. (2012), "Proximity-based frameworks for generating embeddings from multi-output data", equations (32) and
    (33).
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        n_neighbors: int = 5,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components, select, n_neighbors)
        self.weighted = weighted


@register("mesd-olpp-r")
class MESDOLPPR(Duplicating, OLPPR):
    """Locality preserving projection with repulsion (`OLPPR`) where an instance stands in each of its classes.

    Two instances attract each other once for each label that both have, and repel each other once for each pair of
    different labels.

    Parameters
    ----------
    n_components, select, beta, proximity
        As of `OLPPR`.
    weighted : bool, default=False
        Whether a copy counts one divided by the number of its instance's labels, instead of 1.

    References
    ----------
    Mu et al. (2012), "Proximity-based frameworks for generating embeddings from multi-output data", equations (32) and
    (33).
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        beta: float = 1.0,
        proximity: Proximity | Mapping[str, Any] | None = None,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components, select, beta, proximity)
        self.weighted = weighted


@register("mesd-sonpp")
class MESDSONPP(Duplicating, SONPP):
    """Supervised neighbourhood preserving projection (`SONPP`) where an instance stands in each of its classes.

    An instance is made up of neighbours in each of its classes in turn.

    Parameters
    ----------
    n_components, select, n_neighbors, reg
        As of `SONPP`.
    weighted : bool, default=False
        Whether a copy counts one divided by the number of its instance's labels, instead of 1.

    References
    ----------
    Mu et al. (2012), "Proximity-based frameworks for generating embeddings from multi-output data", equations (32) and
    (33).
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        n_neighbors: int = 5,
        reg: float = 1e-3,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components, select, n_neighbors, reg)
        self.weighted = weighted


@register("mesd-donpp")
class MESDDONPP(Duplicating, DONPP):
    """Discriminative neighbourhood preserving projection (`DONPP`) where an instance stands in each of its classes.

    The nearest of other classes are an instance's own copies, which add nothing: ``n_others`` should exceed the number
    of labels that instances have.

    Parameters
    ----------
    n_components, select, n_others, beta, reg
        As of `DONPP`.
    weighted : bool, default=False
        Whether a copy counts one divided by the number of its instance's labels, instead of 1.

    References
    ----------
    Mu et al. (2012), "Proximity-based frameworks for generating embeddings from multi-output data", equations (32) and
    (33).
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        n_others: int = 5,
        beta: float = 0.1,
        reg: float = 1e-3,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components, select, n_others, beta, reg)
        self.weighted = weighted


@register("mesd-onpp-r")
class MESDONPPR(Duplicating, ONPPR):
    """Neighbourhood preserving projection with repulsion (`ONPPR`) where an instance stands in each of its classes.

    Parameters
    ----------
    n_components, select, n_neighbors, reg, beta, proximity
        As of `ONPPR`.
    weighted : bool, default=False
        Whether a copy counts one divided by the number of its instance's labels, instead of 1.

    References
    ----------
    Mu et al. (2012), "Proximity-based frameworks for generating embeddings from multi-output data", equations (32) and
    (33).
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        n_neighbors: int = 5,
        reg: float = 1e-3,
        beta: float = 0.1,
        proximity: Proximity | Mapping[str, Any] | None = None,
        weighted: bool = False,
    ) -> None:
        super().__init__(n_components, select, n_neighbors, reg, beta, proximity)
        self.weighted = weighted
