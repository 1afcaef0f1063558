"""The ridge of a constraint: a number, a share of the scatter, or the best one to predict the labels by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from mlreduce.exceptions import DataError
from mlreduce.linalg.contents import groups_of_rows
from mlreduce.linalg.features import WeightedFeatures
from mlreduce.linalg.penalties import errors_of_penalties, find_edge, largest_of_least
from mlreduce.projection.base import Projection
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.instances import RowSpace
from mlreduce.validation import FloatArray, as_dense, check_range

#: A ridge of a thousandth of the mean diagonal over all columns, constant ones too.
ALL_COLUMNS = "all-columns"

#: Number, percentage of the scatter's mean diagonal, `ALL_COLUMNS`, or None, which chooses it.
Ridge: TypeAlias = float | str | None

# Different rows by which a ridge is chosen, at most.
_MOST_ROWS = 2000

# Ridges that are compared where the instances are not known, relative to the largest eigenvalue of the scatter.
_TRIED = np.logspace(-8, 2, 41)


class ChosenRidge(NamedTuple):
    """A ridge of the scatter of all instances, and which end of those compared it is, if any."""

    ridge: float
    edge: str | None


def ridge_share(ridge: Ridge) -> float | None:
    """Return the share of the mean diagonal that a ridge is; None where it is a number, or is chosen.

    Raises DataError unless it is None, a percentage, `ALL_COLUMNS` or a number >= 0.
    """
    if not isinstance(ridge, str):
        if ridge is not None:
            check_range(ridge, "ridge", 0)
        return None
    if ridge == ALL_COLUMNS:
        return 1e-3
    try:
        share = float(ridge.removesuffix("%")) / 100 if ridge.endswith("%") else -1.0
    except ValueError:
        share = -1.0
    if not 0 <= share < np.inf:
        raise DataError(
            f"ridge must be a number >= 0, None, a percentage of the mean diagonal such as '0.1%', or {ALL_COLUMNS!r}; "
            f"got {ridge!r}"
        )
    return share


def chosen_ridge(data: TrainingSet) -> ChosenRidge:
    """Return the ridge by which regression of the labels on the centred features has the least leave-one-out error.

    Instances with equal features are left out together, so that rows that repeat do not make it small. Of more than
    2000 different rows that many are used, at equal steps in the order of their norms: the best ridge does not depend
    on their number. Where rows are not known (``partial_fit``) the criterion is that of generalised cross-validation.
    """
    return data.cached("ridge by leave-one-out", lambda: _chosen_ridge(data))


def _chosen_ridge(data: TrainingSet) -> ChosenRidge:
    ridges, errors = _summary_errors(data) if data.n_summarised else _left_out_errors(data)
    best = largest_of_least(errors)
    return ChosenRidge(float(ridges[best]), find_edge(best, len(errors)))


def _left_out_errors(data: TrainingSet) -> tuple[FloatArray, FloatArray]:
    """Return ridges and their errors, from one row for each different row of the features."""
    members = groups_of_rows(data.X)
    first = members.indices[members.indptr[:-1]]
    counts = members @ (np.ones(members.shape[1]) if data.weights is None else data.weights)
    if len(first) > _MOST_ROWS:
        norms = data.centred.squared_norms[first] / (1.0 if data.weights is None else data.weights[first])
        some = np.argsort(norms, kind="stable")[np.linspace(0, len(first) - 1, _MOST_ROWS).round().astype(np.intp)]
        first, members, counts = first[some], members[some], counts[some]
    labels = data.labels if data.weights is None else sp.diags_array(data.weights) @ data.labels
    roots = np.sqrt(counts)
    targets = as_dense(members @ labels) / roots[:, np.newaxis]
    features = WeightedFeatures(data.X[first], counts)
    return errors_of_penalties(features, features.centre_rows(targets), exact=True, together=True)


def _summary_errors(data: TrainingSet) -> tuple[FloatArray, FloatArray]:
    """Return ridges and their generalised errors from covariances."""
    coordinates = RowSpace.of_eigenvectors(data.centred).coordinates
    squares = np.einsum("ij,ij->j", coordinates.X, coordinates.X)
    along = np.square(coordinates.X.T @ data.labels).sum(axis=1) / squares
    ridges = _TRIED * squares[0]
    shrinkage = ridges[:, np.newaxis] / (squares + ridges[:, np.newaxis])
    residuals = np.square(shrinkage) @ along + max(float(np.square(data.labels).sum() - along.sum()), 0.0)
    left = shrinkage.sum(axis=1) + (data.n_summarised - 1.0 - len(squares))
    return ridges, residuals / np.square(left)


class Regularised(Projection):
    """Base of the projections whose constraint has a ridge.

    A number >= 0 is the ridge itself, in squared units of the features. A percentage such as ``"0.1%"`` is one of the
    mean diagonal of the scatter over the features that vary; "all-columns" is a thousandth of that over all features.
    None chooses the ridge by which the centred features predict the labels with the least leave-one-out error
    (`chosen_ridge`), times the mean diagonal of the scatter over that of the scatter of all instances.

    ``ridge_`` is the ridge, in squared units of the features, and ``edge_`` which end of those compared a chosen ridge
    is, if any. Highest: the features hardly predict the labels. Lowest: the features determine them.
    """

    ridge: Any
    ridge_: float
    edge_: str | None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        ridge_share(self.ridge)
        if self.ridge is None and not self.supervised:
            raise DataError("ridge must be a number >= 0 or a percentage, since there are no labels; got None")

    def _chooses_from(self, data: TrainingSet) -> TrainingSet:
        """Return the instances by which a ridge is chosen."""
        return data

    def _with_ridge(self, scatter: Form, data: TrainingSet) -> Form:
        """Return a form with the ridge of the method, which is set as ``ridge_``."""
        features = data.centred if self.centred else data.raw
        share, self.edge_ = ridge_share(self.ridge), None
        scatter = data.weighted(scatter)
        if share is not None:
            columns = features.shape[1] if self.ridge == ALL_COLUMNS else max(features.n_used, 1)
            self.ridge_ = share * scatter.mean_diagonal(features) * (features.shape[1] / columns)
        elif self.ridge is None:
            chosen_from = self._chooses_from(data)
            self.ridge_, self.edge_ = chosen_ridge(chosen_from)
            if scatter.scalars != (1.0, 0.0):  # another scatter than that of all instances
                total = float(chosen_from.centred.squared_norms.sum()) or 1.0
                self.ridge_ *= scatter.mean_diagonal(features) * features.shape[1] / total
        else:
            self.ridge_ = float(self.ridge)
        return replace(scatter, ridge=self.ridge_)
