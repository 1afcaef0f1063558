"""Semi-supervised projections: a supervised one of the labelled instances and an unsupervised one of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from sklearn.base import clone

from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import check_options, check_range, fill_unlabelled, remember_label_names

__all__ = ["SSDNE", "SSDONPP", "SSLFDA", "SSMFA", "SSMOPE", "PartlyLabelled", "SELFProjection", "SemiSupervised"]

_CONSTRAINTS = ("identity", "combined", "supervised")


class PartlyLabelled(Projection):
    """Base of the projections that need labels of some instances only.

    Rows of unlabelled instances are NaN in ``Y``. A method says what it is made of (`_parts`) and what it makes of
    their forms.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``Y`` was a class vector, and the supervised part takes those.
    """

    classes_: Any

    def _parts(self) -> tuple[Projection, Projection]:
        """Return the supervised projection of the labelled instances and the unsupervised one of all, not fitted."""
        raise NotImplementedError  # abstract: a method is this choice

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for part in self._parts():
            part._check_parameters()

    def _training_set(self, features: Any, Y: Any) -> TrainingSet:
        filled, labelled = fill_unlabelled(Y, features.shape[0])
        part = self._parts()[0]
        labels = part._labels(filled, features.shape[0])
        remember_label_names(self, Y)
        if hasattr(part, "classes_"):
            self.classes_ = part.classes_
        elif hasattr(self, "classes_"):
            del self.classes_
        if labelled is None:
            return TrainingSet(features, labels)
        return TrainingSet.partly_labelled(features, labels[labelled], labelled)

    def _objective_of(self, part: Projection, data: TrainingSet) -> Form:
        """Return a part's A over all instances."""
        own = _instances_of(part, data)
        return self._carried(part._objective(own), part, own, data)

    def _constraint_of(self, part: Projection, data: TrainingSet) -> Form | None:
        """Return a part's B over all instances."""
        own = _instances_of(part, data)
        form = part._constraint(own)
        return None if form is None else self._carried(form, part, own, data)

    def _carried(self, form: Form, part: Projection, own: TrainingSet, data: TrainingSet) -> Form:
        """Return a form of the instances that a part is of over all of them, and over the features of the whole.

        Where a part's features are less the mean of its instances, and those of the whole are not, the form has to
        take that off.
        """
        if own is data and part.centred == self.centred:
            return form
        if form.squared:  # XX' is a form of these instances only: X as a factor is one that can be carried
            form = replace(form, squared=0.0) + Form(factor=own.X, middle=form.squared)
        if part.centred:
            form = form.recentred(own.X.shape[0])
        return form if own is data else form.pulled_back(own.selection_from(data))


def _instances_of(part: Projection, data: TrainingSet) -> TrainingSet:
    return part._usable(data.labelled_part if part.supervised else data)


@register("semi-supervised")
class SemiSupervised(PartlyLabelled):
    """Any supervised projection of the labelled instances and any unsupervised one of all, weighed against each other.

    ``max tr(P'(weight X'A_uX + (1 - weight) X_l'A_sX_l)P)``, with A_s of the supervised projection and A_u of the
    unsupervised one, subject to ``P'P = I`` or to the same sum of their B. With ``weight=0`` and the constraint of the
    supervised part it is that part, fitted on the labelled instances. Each part centres its instances if it does so by
    itself; if one does not, projected features are not centred.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all that the parts allow.
    select : {"size", "energy"}, default="size"
        What ``n_components`` says: a size, or the share t in (0, 1) of the sum of all eigenvalues (Xu et al. 2016,
        equation (15)), where neither part has negative ones.
    weight : float, default=0.5
        Of the unsupervised part, in [0, 1]; lambda in the paper. The parts are not scaled: their units decide what it
        means.
    constraint : {"identity", "combined", "supervised"}, default="identity"
        ``P'P = I``; the sum of both parts' matrices B with the same weights, equation (45); that of the supervised part
        alone.
    supervised_part : str or Projection, default="mope"
        A projection that needs labels: its registry name, or one that is made already.
    unsupervised_part : str or Projection, default="olpp"
        A projection that needs none.
    supervised_parameters, unsupervised_parameters : dict or None, default=None
        Parameters of the parts. What they say of sizes does not count.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), section 3.4, equations (44) and (45).

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("digits")
    >>> Y = data.Y.astype(float)
    >>> Y[500:] = np.nan
    >>> method = mlreduce.SemiSupervised(n_components=5, supervised_part="mddmp", unsupervised_part="pca")
    >>> method.fit_transform(data.X, Y).shape
    (1797, 5)
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        weight: float = 0.5,
        constraint: str = "identity",
        supervised_part: str | Projection = "mope",
        unsupervised_part: str | Projection = "olpp",
        supervised_parameters: Mapping[str, Any] | None = None,
        unsupervised_parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(n_components, select)
        self.weight = weight
        self.constraint = constraint
        self.supervised_part = supervised_part
        self.unsupervised_part = unsupervised_part
        self.supervised_parameters = supervised_parameters
        self.unsupervised_parameters = unsupervised_parameters

    def _parts(self) -> tuple[Projection, Projection]:
        return (
            _made(self.supervised_part, self.supervised_parameters, "supervised"),
            _made(self.unsupervised_part, self.unsupervised_parameters, "unsupervised"),
        )

    @property
    def _weighed(self) -> list[tuple[Projection, float]]:
        """The parts that have a weight."""
        weight = float(self.weight)
        both = zip(self._parts(), (1.0 - weight, weight), strict=True)
        return [(part, share) for part, share in both if share]

    @property
    def signed_values(self) -> bool:  # type: ignore[override]  # what is a choice of a class elsewhere is its parts'
        """Whether a part has directions that count though their eigenvalue is not positive."""
        return any(part.signed_values for part, _ in self._weighed)

    @property
    def centred(self) -> bool:  # type: ignore[override]
        """Whether all parts are of features less their mean."""
        constraining = self._parts()[:1] if self.constraint == "supervised" else ()
        return all(part.centred for part in (*constraining, *(part for part, _ in self._weighed)))

    def _check_parameters(self) -> None:
        check_range(self.weight, "weight", 0, 1)
        if self.constraint not in _CONSTRAINTS:
            raise DataError(f"constraint must be 'identity', 'combined' or 'supervised'; got {self.constraint!r}")
        super()._check_parameters()

    def _objective(self, data: TrainingSet) -> Form:
        return _sum([self._objective_of(part, data) * share for part, share in self._weighed])

    def _constraint(self, data: TrainingSet) -> Form | None:
        if self.constraint == "identity":
            return None
        if self.constraint == "supervised":
            return self._constraint_of(self._parts()[0], data)
        forms = [(self._constraint_of(part, data), share) for part, share in self._weighed]
        if all(form is None for form, _ in forms):
            return None
        return _sum([(form or Form(ridge=1.0)) * share for form, share in forms])


def _made(part: Any, parameters: Mapping[str, Any] | None, role: str) -> Projection:
    """Make the projection that the parameter ``role_part`` stands for; the role says whether it needs labels."""
    cls = registry.method_class(part) if isinstance(part, str) else type(part)
    made = None
    if issubclass(cls, Projection):
        given = check_options(parameters, cls, f"{role}_parameters")
        made = cls(**given) if isinstance(part, str) else clone(part).set_params(**given)
    if made is None or made.supervised != (role == "supervised"):
        wanted = "needs labels" if role == "supervised" else "needs no labels"
        raise DataError(f"{role}_part must be a projection that {wanted}, or its registry name; got {part!r}")
    return made


def _sum(forms: list[Form]) -> Form:
    total = forms[0]
    for form in forms[1:]:
        total = total + form
    return total


class _Pair(SemiSupervised):
    """A pair of projections, and a constraint, that have a name of their own."""

    #: Parameters of the supervised part where ``supervised_parameters`` says nothing of them.
    _defaults: ClassVar[Mapping[str, Any]] = {}

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        weight: float = 0.5,
        supervised_parameters: Mapping[str, Any] | None = None,
        unsupervised_parameters: Mapping[str, Any] | None = None,
    ) -> None:
        Projection.__init__(self, n_components, select)
        self.weight = weight
        self.supervised_parameters = supervised_parameters
        self.unsupervised_parameters = unsupervised_parameters

    def _parts(self) -> tuple[Projection, Projection]:
        supervised, unsupervised = super()._parts()
        said = self.supervised_parameters or {}
        return supervised.set_params(**{k: v for k, v in self._defaults.items() if k not in said}), unsupervised


@register("self")
class SELFProjection(_Pair):
    """Semi-supervised local Fisher discriminant analysis: LFDA of the labelled instances, PCA of all.

    ``max tr(P'((1 - weight) S_b + weight Xc'Xc)P)`` subject to ``P'((1 - weight) S_w + weight I)P = I``, with the local
    scatters of `MESDLFDA`. With ``weight=0`` it is LFDA, with ``weight=1`` PCA.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all with a positive eigenvalue. With ``select="energy"`` the share t in (0, 1).
    select : {"size", "energy"}, default="size"
        What ``n_components`` says: a size, or the share of the sum of all positive eigenvalues that the directions must
        hold (Xu et al. 2016, equation (15)).
    weight : float, default=0.5
        Of PCA, in [0, 1]; beta in the paper.
    supervised_parameters : dict or None, default=None
        Of `MESDLFDA`; its ridge is 0 unless said, since ``weight I`` is one.
    unsupervised_parameters : dict or None, default=None
        Of `PCA`, which has none that count.

    Notes
    -----
    scikit-learn names the steps of a pipeline after classes, and no step can be called ``self``: hence the name of this
    one.

    References
    ----------
    Sugiyama, Ide, Nakajima and Sese (2010), "Semi-supervised local Fisher discriminant analysis for dimensionality
    reduction"; Mu et al. (2012), equations (19) and (20).
    """

    constraint = "combined"
    supervised_part = "mesd-lfda"
    unsupervised_part = "pca"
    _defaults: ClassVar[Mapping[str, Any]] = {"ridge": 0.0}


@register("ssmfa")
class SSMFA(_Pair):
    """Semi-supervised marginal Fisher analysis: MFA of the labelled instances, OLPP of all.

    ``max tr(P'((1 - weight) X_l'L_bX_l - weight X'L_WX)P)`` subject to ``P'(X_l'L_wX_l + ridge I)P = I``, with the
    Laplacians of `MESDMFA` and `OLPP`.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all in the row space.
    select : {"size"}, default="size"
        There is no share of eigenvalues that may be negative.
    weight : float, default=0.5
        Of OLPP, in [0, 1].
    supervised_parameters, unsupervised_parameters : dict or None, default=None
        Of `MESDMFA` and of `OLPP`.

    References
    ----------
    Chatpatanasiri and Kijsirikul (2010), "A unified semi-supervised dimensionality reduction framework for manifold
    learning"; Mu et al. (2012), sections 2.3 and 3.4.
    """

    constraint = "supervised"
    supervised_part = "mesd-mfa"
    unsupervised_part = "olpp"


@register("ssdne")
class SSDNE(_Pair):
    """Semi-supervised discriminant neighbourhood embedding: DNE of the labelled instances, OLPP of all.

    ``max -tr(P'((1 - weight) X_l'LX_l + weight X'L_WX)P)`` subject to ``P'P = I``, with the Laplacians of `MESDDNE`
    and `OLPP`.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all in the row space.
    select : {"size"}, default="size"
        There is no share of eigenvalues that may be negative.
    weight : float, default=0.5
        Of OLPP, in [0, 1].
    supervised_parameters, unsupervised_parameters : dict or None, default=None
        Of `MESDDNE` and of `OLPP`.

    References
    ----------
    Chatpatanasiri and Kijsirikul (2010), "A unified semi-supervised dimensionality reduction framework for manifold
    learning"; Mu et al. (2012), sections 2.3 and 3.4.
    """

    constraint = "supervised"
    supervised_part = "mesd-dne"
    unsupervised_part = "olpp"


@register("sslfda")
class SSLFDA(_Pair):
    """Semi-supervised local Fisher discriminant analysis by a graph: LFDA of the labelled instances, OLPP of all.

    ``max tr(P'((1 - weight) S_b - weight X'L_WX)P)`` subject to ``P'(S_w + ridge I)P = I``, with the local scatters of
    `MESDLFDA` and the Laplacian of `OLPP`.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all in the row space.
    select : {"size"}, default="size"
        There is no share of eigenvalues that may be negative.
    weight : float, default=0.5
        Of OLPP, in [0, 1].
    supervised_parameters, unsupervised_parameters : dict or None, default=None
        Of `MESDLFDA` and of `OLPP`.

    References
    ----------
    Chatpatanasiri and Kijsirikul (2010), "A unified semi-supervised dimensionality reduction framework for manifold
    learning"; Mu et al. (2012), sections 2.3 and 3.4.
    """

    constraint = "supervised"
    supervised_part = "mesd-lfda"
    unsupervised_part = "olpp"


@register("ssdonpp")
class SSDONPP(_Pair):
    """Semi-supervised discriminative neighbourhood preservation: DONPP of the labelled instances, ONPP of all.

    ``max -tr(P'((1 - weight) C_s + weight C_u)P)`` subject to ``P'P = I``, with the costs C_s of `MESDDONPP` and C_u of
    `ONPP`.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all in the row space.
    select : {"size"}, default="size"
        There is no share of eigenvalues that may be negative.
    weight : float, default=0.5
        Of ONPP, in [0, 1].
    supervised_parameters, unsupervised_parameters : dict or None, default=None
        Of `MESDDONPP` and of `ONPP`.

    References
    ----------
    Zhang et al. (2010), "Discriminative orthogonal neighborhood-preserving projections for classification"; Mu et al.
    (2012), sections 2.3 and 3.4.
    """

    constraint = "identity"
    supervised_part = "mesd-donpp"
    unsupervised_part = "onpp"


@register("ssmope")
class SSMOPE(_Pair):
    """Semi-supervised multi-output proximity-based embeddings: MOPE of the labelled instances, OLPP of all.

    ``max tr(P'((1 - weight) X_l'AX_l + weight X'(W - D(W))X)P)`` subject to ``P'P = I``, with the graph A of `MOPE` and
    the weights W of `OLPP`. X is not centred.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all in the row space.
    select : {"size"}, default="size"
        There is no share of eigenvalues that may be negative.
    weight : float, default=0.5
        Of OLPP, in [0, 1].
    supervised_parameters, unsupervised_parameters : dict or None, default=None
        Of `MOPE` and of `OLPP`.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), sections 3.4 and 4.2.
    """

    constraint = "identity"
    supervised_part = "mope"
    unsupervised_part = "olpp"
