"""Fisher discriminant analysis, its local and marginal variants, and the maximum margin criterion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import quotient
from mlreduce.projection.base import NEIGHBOURS, PENALISED, PRODUCTS, Projection, WeightedProjection
from mlreduce.projection.classes import ClassProjection
from mlreduce.projection.ridge import Ridge
from mlreduce.projection.scatter import Discriminant, between_classes, within_classes
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.duplication import symmetrised
from mlreduce.spectral.graphs.neighbours import distance_blocks
from mlreduce.spectral.graphs.proximity import ProximityLike, check_proximity
from mlreduce.validation import Size, check_count, check_option, check_range


@register("fda")
class FDA(WeightedProjection, ClassProjection, Discriminant):
    """Fisher discriminant analysis (FDA): maximal scatter between classes relative to that within classes.

    ``max tr(P'S_bP)`` subject to ``P'(S_w + ridge I)P = I`` with ``S_b = X'(Y diag(n_c)^-1 Y' - 11'/n)X`` and
    ``S_w = X'(I - Y diag(n_c)^-1 Y')X``. At most n_classes - 1 eigenvalues are positive.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.

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
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``y`` was a class vector.

    References
    ----------
    Fisher (1936), "The use of multiple measurements in taxonomic problems"; Mu et al. (2012), equation (10).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> y = data.Y[:, 0]  # a class for each instance
    >>> Z, y = mlreduce.FDA().fit(data.X[:200], y[:200]).transform(data.X[200:]), y[200:]
    >>> Z.shape  # two classes, one direction
    (100, 1)
    >>> bool(abs(Z[y == 1].mean() - Z[y == 0].mean()) > 0.5 * Z.std())  # which keeps them apart
    True
    """

    complexity = PENALISED

    def _objective(self, data: TrainingSet) -> Form:
        copies = self._copies(data)
        return between_classes(copies.members, self._sizes(data))

    def _within(self, data: TrainingSet) -> Form:
        copies = self._copies(data)
        return within_classes(copies.members, copies.weights, self._sizes(data))


@register("lfda")
class LFDA(FDA):
    """Local Fisher discriminant analysis (LFDA): `FDA` with pairs within a class weighted by their proximity.

    ``S_w`` is the Laplacian of the weights
    ``W_ij / n_c`` in class c, ``S_b`` that of ``W_ij (1/n - 1/n_c)`` in class c and of ``1/n`` across classes. Where
    all proximities are 1 it is FDA. There may be as many positive eigenvalues as features.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.
    proximity : Proximity, dict of its parameters, or None, default=None
        W, independent of labels; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

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
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``y`` was a class vector.

    References
    ----------
    Sugiyama (2007), "Dimensionality reduction of multimodal labeled data by local Fisher discriminant analysis".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> y = data.Y[:, 0]  # a class for each instance
    >>> mlreduce.LFDA(n_components=2).fit_transform(data.X, y).shape  # FDA has one direction
    (300, 2)
    """

    complexity = NEIGHBOURS

    #: Neighbours have no weights.
    fit = Projection.fit  # type: ignore[assignment]
    fit_training_set = Projection.fit_training_set

    def __init__(
        self,
        n_components: Size = None,
        ridge: Ridge = None,
        proximity: ProximityLike = None,
        variance_share: float = 0.2,
    ) -> None:
        super().__init__(n_components, ridge)
        self.proximity = proximity
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_proximity(self.proximity)

    def _objective(self, data: TrainingSet) -> Form:
        copies = self._copies(data)
        share = (copies.sizes > 0) / copies.sizes.sum()
        # All pairs between classes: all pairs of duplicates less those within classes.
        inside = np.asarray(copies.members.power(2) @ (copies.sizes * share)).reshape(-1)
        middle = np.diag(share) - np.outer(share, share) * copies.sizes.sum()
        across = Form(weights=copies.weights - inside, factor=copies.members, middle=middle)
        return across + self._weighted_laplacian(data, share - quotient(1.0, copies.sizes))

    def _within(self, data: TrainingSet) -> Form:
        return self._weighted_laplacian(data, quotient(1.0, self._copies(data).sizes))

    def _weighted_laplacian(self, data: TrainingSet, factors: np.ndarray) -> Form:
        """Return the Laplacian of the proximities within classes, each times the factor of its class."""
        W = check_proximity(self.proximity).matrix(data)
        return self._copies(data).laplacian_by_label(W, np.diag(factors))


@register("mfa")
class MFA(ClassProjection, Discriminant):
    """Marginal Fisher analysis (MFA): distances of nearest pairs between classes relative to those within classes.

    ``max tr(P'X'L_bXP)`` subject to ``P'(X'L_wX + ridge I)P = I``. ``L_w`` is the Laplacian of the graph that joins
    instances of which one is among the nearest of its class to the other, ``L_b`` of the graph of each class's nearest
    pairs with other classes.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.
    n_neighbors : int, default=5
        K1, number of nearest instances in the same class, >= 1.
    n_pairs : int or None, default=None
        K2, number of nearest pairs of each class with others, >= 1; None for the number of instances of the class
        (for `MESD`, of their duplicates).
    ties : {"rarest", "first"}, default="rarest"
        For `MESD`: which of an instance's duplicates counts as the nearest: that of its rarest label, or of its first.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

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
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``y`` was a class vector.

    References
    ----------
    Yan et al. (2007), "Graph embedding and extensions: a general framework for dimensionality reduction".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> y = data.Y[:, 0]  # a class for each instance
    >>> mlreduce.MFA(n_components=2, n_pairs=20).fit_transform(data.X, y).shape
    (300, 2)
    """

    complexity = NEIGHBOURS

    def __init__(
        self,
        n_components: Size = None,
        ridge: Ridge = None,
        n_neighbors: int = 5,
        n_pairs: int | None = None,
        ties: str = "rarest",
        variance_share: float = 0.2,
    ) -> None:
        super().__init__(n_components, ridge)
        self.n_neighbors = n_neighbors
        self.n_pairs = n_pairs
        self.ties = ties
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count(self.n_neighbors, "n_neighbors")
        check_option(self.ties, "ties", ("rarest", "first"))
        if self.n_pairs is not None:
            check_count(self.n_pairs, "n_pairs")

    def _objective(self, data: TrainingSet) -> Form:
        copies, (_, pairs) = self._copies(data), self._graphs(data)
        sources, targets = pairs.nonzero()
        if (copies.row[sources] == copies.row[targets]).all():
            raise DataError(
                f"all of the {self.n_pairs} nearest pairs of each class are duplicates of the same instance: "
                "n_pairs must be larger, or None"
            )
        return copies.laplacian(pairs)

    def _within(self, data: TrainingSet) -> Form:
        return self._copies(data).laplacian(symmetrised(self._graphs(data)[0]))

    def _graphs(self, data: TrainingSet) -> tuple[Any, Any]:
        """Return the graphs of neighbours in the class, and of nearest pairs."""
        key = f"marginal graphs, {self.n_neighbors}, {self.n_pairs}, {self.weighted}, {self.ties}"
        return data.cached(
            key, lambda: self._copies(data).marginal(distance_blocks(data), self.n_neighbors, self.n_pairs)
        )


@register("mmc")
class MMC(WeightedProjection, ClassProjection):
    """Maximum margin criterion (MMC): scatter between classes less that within classes, on orthonormal directions.

    ``max tr(P'(S_b - within_weight S_w)P)`` subject to ``P'P = I``, with the scatters of `FDA`.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    within_weight : float, default=1.0
        Weight of the within-class scatter, lambda in the paper, >= 0.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``y`` was a class vector.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Li, Jiang and Zhang (2006), "Efficient and robust feature extraction by maximum margin criterion"; Mu et al. (2012),
    equation (11).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> y = data.Y[:, 0]  # a class for each instance
    >>> mlreduce.MMC().fit(data.X, y).eigenvalues_[:2].round(-1) > 0  # one direction separates two classes
    array([ True, False])
    """

    complexity = PRODUCTS
    signed_values = True

    def __init__(self, n_components: Size = None, within_weight: float = 1.0, variance_share: float = 0.2) -> None:
        super().__init__(n_components)
        self.within_weight = within_weight
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_range(self.within_weight, "within_weight", 0)

    def _objective(self, data: TrainingSet) -> Form:
        copies, sizes, weight = self._copies(data), self._sizes(data), float(self.within_weight)
        between = between_classes(copies.members, sizes)
        middle = between.middle + weight * np.diag(quotient(1.0, sizes))
        return replace(between, weights=-weight * copies.weights, middle=middle)
