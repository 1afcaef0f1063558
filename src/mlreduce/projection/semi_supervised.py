"""Semi-supervised projections: sums of a supervised one of the labelled instances and an unsupervised one of all."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import clone

from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.projection.base import NEIGHBOURS, Projection
from mlreduce.projection.covariance import completed_labels
from mlreduce.projection.locality import OLPP, ONPP
from mlreduce.projection.mesd import MESDDNE, MESDDONPP, MESDLFDA, MESDMFA
from mlreduce.projection.mope import MOPE
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import (
    Size,
    check_known_labels,
    check_option,
    check_options,
    check_range,
    fill_unlabelled,
    remember_label_names,
)

_CONSTRAINTS = ("identity", "combined", "supervised")


class PartlyLabelled(Projection):
    """Base of the projections that need the labels of some instances only.

    Rows of unlabelled instances are NaN in ``y``. A method defines its parts (`_parts`) and combines their forms.
    """

    takes_unknown_rows = True
    classes_: Any

    def _parts(self) -> tuple[Projection, Projection]:
        """Return the supervised and the unsupervised projection, not fitted."""
        raise NotImplementedError  # abstract

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for part in self._parts():
            part._check_parameters()

    def _training_set(self, features: Any, Y: Any) -> TrainingSet:
        part = self._parts()[0]
        if part.takes_unknown_cells:
            cells, known = check_known_labels(Y, features.shape[0], sparse=True)
            if known is not None and not known[rows := np.asarray(known.any(axis=1))].all():
                remember_label_names(self, Y)
                completed = completed_labels(cells[rows], known[rows], np.ones(int(rows.sum())))
                return TrainingSet.partly_labelled(features, completed, rows)
        filled, labelled = fill_unlabelled(Y, features.shape[0])
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
        part_data = _instances_of(part, data)
        return self._extended(part._objective(part_data), part, part_data, data)

    def _constraint_of(self, part: Projection, data: TrainingSet) -> Form | None:
        """Return a part's B over all instances."""
        part_data = _instances_of(part, data)
        form = part._constraint(part_data)
        self._take_ridge(part)
        return None if form is None else self._extended(form, part, part_data, data)

    def _extended(self, form: Form, part: Projection, part_data: TrainingSet, data: TrainingSet) -> Form:
        """Return a form over a part's instances as one over all instances and all features.

        If the part is centred and the combination is not, the form includes the centring.
        """
        if part_data is data and part.centred == self.centred:
            return form
        if form.squared:  # as a factor, X can be moved to other instances
            form = replace(form, squared=0.0) + Form(factor=part_data.X, middle=form.squared)
        if part.centred:
            form = form.recentred(part_data.X.shape[0])
        return form if part_data is data else form.pulled_back(part_data.selection_from(data))


def _instances_of(part: Projection, data: TrainingSet) -> TrainingSet:
    return part._usable(data.labelled_part if part.supervised else data)


@register("semi-supervised")
class SemiSupervised(PartlyLabelled):
    """Weighted sum of any supervised projection of the labelled instances and any unsupervised one of all.

    ``max tr(P'(lambda X'A_uX + (1 - lambda) X_l'A_sX_l)P)``, with ``A_s`` of the supervised part and ``A_u`` of the
    unsupervised one, subject to ``P'P = I`` or to a B of the parts. With ``unsupervised_weight=0`` and the constraint
    of the supervised part it is that part, fitted to the labelled instances. Each part centres its instances as the
    separate method does; projected features are centred if both parts are.

    Unlabelled instances are rows of NaN in ``y``. Single cells may be NaN where the supervised part depends on the data
    by covariances alone (`MDDMp`, `MDDMf`, `MVMD`, `PLS`, `OPLS`): an instance then is labelled if a label of it is
    known, and the covariances are those of these methods. Others need complete rows: their graphs and class means are
    of instances with all labels.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    unsupervised_weight : float, default=0.5
        Lambda, the weight of the unsupervised part, in [0, 1]. The parts are not scaled.
    constraint : {"identity", "combined", "supervised"}, default="identity"
        ``P'P = I``; the weighted sum of both parts' B, equation (45); B of the supervised part.
    supervised_part : str or Projection, default="mope"
        A projection that needs labels: its registry name, or an estimator.
    unsupervised_part : str or Projection, default="olpp"
        A projection that needs no labels.
    supervised_parameters, unsupervised_parameters : dict or None, default=None
        Parameters of the parts; ``n_components`` is not used, and a ``random_state`` of None is 0.
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

    complexity = NEIGHBOURS

    def __init__(
        self,
        n_components: Size = None,
        unsupervised_weight: float = 0.5,
        constraint: str = "identity",
        supervised_part: str | Projection = "mope",
        unsupervised_part: str | Projection = "olpp",
        supervised_parameters: Mapping[str, Any] | None = None,
        unsupervised_parameters: Mapping[str, Any] | None = None,
        variance_share: float = 0.2,
    ) -> None:
        super().__init__(n_components)
        self.unsupervised_weight = unsupervised_weight
        self.constraint = constraint
        self.supervised_part = supervised_part
        self.unsupervised_part = unsupervised_part
        self.supervised_parameters = supervised_parameters
        self.unsupervised_parameters = unsupervised_parameters
        self.variance_share = variance_share

    def _parts(self) -> tuple[Projection, Projection]:
        return (
            _made(self.supervised_part, self.supervised_parameters, "supervised"),
            _made(self.unsupervised_part, self.unsupervised_parameters, "unsupervised"),
        )

    @property
    def _weighed(self) -> list[tuple[Projection, float]]:
        """The parts of positive weight, with it."""
        weight = float(self.unsupervised_weight)
        both = zip(self._parts(), (1.0 - weight, weight), strict=True)
        return [(part, share) for part, share in both if share]

    @property
    def signed_values(self) -> bool:  # type: ignore[override]  # a property of the parts
        """Whether a part may have negative eigenvalues."""
        return any(part.signed_values for part, _ in self._weighed)

    @property
    def centred(self) -> bool:  # type: ignore[override]
        """Whether all parts are of centred features."""
        constraining = self._parts()[:1] if self.constraint == "supervised" else ()
        return all(part.centred for part in (*constraining, *(part for part, _ in self._weighed)))

    def _check_parameters(self) -> None:
        check_range(self.unsupervised_weight, "unsupervised_weight", 0, 1)
        check_option(self.constraint, "constraint", _CONSTRAINTS)
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
    """Return the projection of the parameter ``{role}_part``, role "supervised" or "unsupervised"."""
    cls = registry.method_class(part) if isinstance(part, str) else type(part)
    made = None
    if issubclass(cls, Projection):
        given = check_options(parameters, cls, f"{role}_parameters")
        made = cls(**given) if isinstance(part, str) else clone(part).set_params(**given)
        if made.get_params().get("random_state", 0) is None:  # each call returns the same part
            made.set_params(random_state=0)
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
    """A pair of projections, with a constraint, that is registered under its name."""

    least_labels = 2
    #: Defaults of ``supervised_parameters``.
    _defaults: ClassVar[Mapping[str, Any]] = {}

    def __init__(
        self,
        n_components: Size = None,
        unsupervised_weight: float = 0.5,
        supervised_parameters: Mapping[str, Any] | None = None,
        unsupervised_parameters: Mapping[str, Any] | None = None,
        variance_share: float = 0.2,
    ) -> None:
        Projection.__init__(self, n_components)
        self.unsupervised_weight = unsupervised_weight
        self.supervised_parameters = supervised_parameters
        self.unsupervised_parameters = unsupervised_parameters
        self.variance_share = variance_share

    def _parts(self) -> tuple[Projection, Projection]:
        supervised, unsupervised = super()._parts()
        given = self.supervised_parameters or {}
        return supervised.set_params(**{k: v for k, v in self._defaults.items() if k not in given}), unsupervised


_Combined = TypeVar("_Combined", bound=type[_Pair])


def _pairs(name: str, supervised: type[Projection], unsupervised: type[Projection]) -> Callable[[_Combined], _Combined]:
    """Register a class as the combination of two projections, and complete its docstring.

    The sections of the parameters and attributes are the same for all of them.
    """

    def complete(cls: _Combined) -> _Combined:
        cls.supervised_part = str(registry.name_of(supervised))
        cls.unsupervised_part = str(registry.name_of(unsupervised))
        if cls.__doc__:  # python -OO removes docstrings
            first, _, references = _doc(cls).partition("References\n")
            parameters, _, others = _doc(SemiSupervised).partition("Parameters\n")[2].partition("constraint : ")
            share = _doc(unsupervised).partition("variance_share : ")[2].partition("\n\n")[0]
            attributes = others.partition("Attributes\n")[2].partition("References\n")[0]
            cls.__doc__ = (
                f"{first}Parameters\n{parameters}"
                "supervised_parameters, unsupervised_parameters : dict or None, default=None\n"
                f"    Parameters of `{supervised.__name__}` and of `{unsupervised.__name__}`.\n"
                f"variance_share : {share}\n\n"
                f"Attributes\n{attributes}References\n{references}\n"
            )
        return register(name)(cls)

    return complete


def _doc(cls: type) -> str:
    return inspect.getdoc(cls) or ""


@register("self")
class SELFProjection(_Pair):
    """Semi-supervised local Fisher discriminant analysis (SELF): LFDA of the labelled instances, PCA of all.

    ``max tr(P'((1 - lambda) S_b + lambda Xc'Xc)P)`` subject to ``P'((1 - lambda) S_w + lambda I)P = I``, with the local
    scatters of `MESDLFDA`. With ``unsupervised_weight=0`` it is LFDA, with ``unsupervised_weight=1`` PCA.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    unsupervised_weight : float, default=0.5
        Weight of PCA, in [0, 1]; beta in the paper.
    supervised_parameters : dict or None, default=None
        Of `MESDLFDA`, whose ridge is 0 by default, since ``lambda I`` is one.
    unsupervised_parameters : dict or None, default=None
        Of `PCA`; none has an effect.
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

    Notes
    -----
    The class is not called SELF: scikit-learn names steps of a pipeline after classes, and no step can be ``self``.

    References
    ----------
    Sugiyama, Ide, Nakajima and Sese (2010), "Semi-supervised local Fisher discriminant analysis for dimensionality
    reduction"; Mu et al. (2012), equations (19) and (20).

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[100:] = np.nan  # 200 instances without labels
    >>> mlreduce.SELFProjection(n_components=3).fit_transform(data.X, Y).shape
    (300, 3)
    """

    complexity = NEIGHBOURS
    constraint = "combined"
    supervised_part = "mesd-lfda"
    unsupervised_part = "pca"
    _defaults: ClassVar[Mapping[str, Any]] = {"ridge": 0.0}


@_pairs("ssmfa", MESDMFA, OLPP)
class SSMFA(_Pair):
    """Semi-supervised marginal Fisher analysis (SSMFA): MFA of the labelled instances, OLPP of all.

    ``max tr(P'((1 - lambda) X_l'L_bX_l - lambda X'L_WX)P)`` subject to ``P'(X_l'L_wX_l + ridge I)P = I``, with the
    Laplacians of `MESDMFA` and `OLPP`.

    References
    ----------
    Chatpatanasiri and Kijsirikul (2010), "A unified semi-supervised dimensionality reduction framework for manifold
    learning"; Mu et al. (2012), sections 2.3 and 3.4.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[100:] = np.nan  # 200 instances without labels
    >>> mlreduce.SSMFA(n_components=3).fit_transform(data.X, Y).shape
    (300, 3)
    """

    complexity = NEIGHBOURS
    constraint = "supervised"


@_pairs("ssdne", MESDDNE, OLPP)
class SSDNE(_Pair):
    """Semi-supervised discriminant neighbourhood embedding (SSDNE): DNE of the labelled instances, OLPP of all.

    ``max -tr(P'((1 - lambda) X_l'LX_l + lambda X'L_WX)P)`` subject to ``P'P = I``, with the Laplacians of `MESDDNE`
    and `OLPP`.

    References
    ----------
    Chatpatanasiri and Kijsirikul (2010), "A unified semi-supervised dimensionality reduction framework for manifold
    learning"; Mu et al. (2012), sections 2.3 and 3.4.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[100:] = np.nan  # 200 instances without labels
    >>> method = mlreduce.SSDNE(n_components=3, supervised_parameters={"n_neighbors": 15})
    >>> method.fit_transform(data.X, Y).shape
    (300, 3)
    """

    constraint = "supervised"


@_pairs("sslfda", MESDLFDA, OLPP)
class SSLFDA(_Pair):
    """Semi-supervised local Fisher discriminant analysis (SSLFDA): LFDA of the labelled instances, OLPP of all.

    ``max tr(P'((1 - lambda) S_b - lambda X'L_WX)P)`` subject to ``P'(S_w + ridge I)P = I``, with the local scatters of
    `MESDLFDA` and the Laplacian of `OLPP`.

    References
    ----------
    Chatpatanasiri and Kijsirikul (2010), "A unified semi-supervised dimensionality reduction framework for manifold
    learning"; Mu et al. (2012), sections 2.3 and 3.4.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[100:] = np.nan  # 200 instances without labels
    >>> mlreduce.SSLFDA(n_components=3).fit_transform(data.X, Y).shape
    (300, 3)
    """

    complexity = NEIGHBOURS
    constraint = "supervised"


@_pairs("ssdonpp", MESDDONPP, ONPP)
class SSDONPP(_Pair):
    """Semi-supervised DONPP (SSDONPP): DONPP of the labelled instances, ONPP of all.

    ``max -tr(P'((1 - lambda) C_s + lambda C_u)P)`` subject to ``P'P = I``, with the costs ``C_s`` of `MESDDONPP` and
    ``C_u`` of `ONPP`.

    References
    ----------
    Zhang et al. (2010), "Discriminative orthogonal neighborhood-preserving projections for classification"; Mu et al.
    (2012), sections 2.3 and 3.4.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[100:] = np.nan  # 200 instances without labels
    >>> mlreduce.SSDONPP(n_components=3, unsupervised_weight=0.9).fit_transform(data.X, Y).shape
    (300, 3)
    """

    complexity = NEIGHBOURS
    constraint = "identity"


@_pairs("ssmope", MOPE, OLPP)
class SSMOPE(_Pair):
    """Semi-supervised multi-output proximity-based embeddings (SSMOPE): MOPE of the labelled instances, OLPP of all.

    ``max tr(P'((1 - lambda) X_l'AX_l + lambda X'(W - D(W))X)P)`` subject to ``P'P = I``, with the graph A of `MOPE` and
    the weights W of `OLPP`. X is not centred.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), sections 3.4 and 4.2.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[100:] = np.nan  # 200 instances without labels
    >>> mlreduce.SSMOPE(n_components=3).fit_transform(data.X, Y).shape
    (300, 3)
    """

    least_labels = 1
    constraint = "identity"
