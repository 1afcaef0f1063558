"""Sliced inverse regression of label sets or of single labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import quotient, scaled
from mlreduce.projection.base import LEAST_SQUARES, WeightedProjection
from mlreduce.projection.ridge import Ridge
from mlreduce.projection.scatter import Discriminant
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.training_set import selection_matrix
from mlreduce.validation import Size, check_count, check_option


@register("sir")
class SIR(WeightedProjection, Discriminant):
    """Sliced inverse regression (SIR): directions in which the means of slices of the labels vary most.

    ``max tr(P'MP)`` subject to ``P'(Xc'Xc + ridge I)P = I``, M the scatter of the slices' means. ``eigenvalues_`` are
    shares of the variance along a direction that lies between slices, in [0, 1]. How several labels are sliced is no
    part of the method; two ways are named.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    slices : {"labels", "label-sets"}, default="labels"
        ``"labels"``: two slices for each label, of the instances with and without it; M is the mean of these scatters
        over the labels that vary, ``X'HY diag(1 / (n p (1 - p))) Y'HX`` divided by their number, p the shares of the
        labels: at most n_labels directions. ``"label-sets"``: a slice for each different label set,
        ``M = X'HT diag(n_s)^-1 T'HX`` for the indicator T of slices of the sizes n_s: at most one direction less than
        slices.
    min_count : int, default=2
        Of ``"label-sets"``, at least 1: instances whose label sets occur less often are one slice together.
    ridge : float, str or None, default=None
        Ridge of the scatter of the features, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
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

    Raises
    ------
    DataError
        With ``"label-sets"``, if there is one slice only, or every instance is a separate slice.

    Notes
    -----
    With ``"label-sets"`` and ``min_count=1`` the directions are those of `FDA` on the label sets as classes, with the
    same ``ridge``: an eigenvalue v of FDA, whose constraint is the scatter within classes, is ``v / (1 + v)`` here.
    With ``"labels"`` they are those of `OPLS` for labels scaled to unit variance.

    References
    ----------
    Li (1991), "Sliced inverse regression for dimension reduction". Slices of each response pooled: Saracco (2005),
    "Asymptotics for pooled marginal slicing estimator based on SIR-alpha approach".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.SIR().fit(data.X, data.Y).n_components_  # as many as labels
    8
    >>> mlreduce.SIR(slices="label-sets").fit(data.X, data.Y).n_components_  # ten digits
    9
    """

    complexity = LEAST_SQUARES

    def __init__(
        self, n_components: Size = None, slices: str = "labels", min_count: int = 2, ridge: Ridge = None
    ) -> None:
        super().__init__(n_components, ridge)
        self.slices = slices
        self.min_count = min_count

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_option(self.slices, "slices", ("labels", "label-sets"))
        check_count(self.min_count, "min_count")

    def _objective(self, data: TrainingSet) -> Form:
        if self.slices == "label-sets":
            members = self._members(data)
            sizes = data.column_sums(members)
            return Form(factor=scaled(members, columns=1.0 / np.sqrt(sizes)))
        sizes, n_samples = data.class_sizes, data.n_counted
        variances = sizes * (n_samples - sizes) / n_samples
        weights = quotient(1.0, variances * np.count_nonzero(variances))
        return Form(factor=scaled(data.labels, columns=np.sqrt(weights)))

    def _members(self, data: TrainingSet) -> Any:
        """Return the indicator of the slices, a CSR array of shape (n_samples, n_slices)."""
        which = data.label_sets[1]
        counts = np.bincount(which, data.weights)
        large = counts >= self.min_count
        numbers = np.where(large, np.cumsum(large) - 1, large.sum())
        n_samples, n_slices = len(which), int(large.sum()) + int(not large.all())
        if n_slices in (1, n_samples):
            problem = "are one slice" if n_slices == 1 else "are a slice each, so that any direction is as good"
            raise DataError(
                f"SIR needs slices of several instances: all {n_samples} {problem}, of {len(counts)} different label "
                f"sets with min_count={self.min_count}; take another min_count, or slices='labels'"
            )
        return selection_matrix(numbers[which], n_slices)

    def _within(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)
