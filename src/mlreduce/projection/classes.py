"""What the projections share that separate classes: class vectors as labels, and forms over copies of instances."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlreduce.exceptions import DataError
from mlreduce.projection.base import Projection
from mlreduce.projection.scatter import weighted_mean
from mlreduce.spectral.duplication import Copies, copies_of, with_labels
from mlreduce.spectral.problem import TrainingSet
from mlreduce.validation import FloatArray, check_labels, is_sparse, remember_label_names

__all__ = ["ClassProjection", "Duplicating"]


class ClassProjection(Projection):
    """Base of the projections for instances of one class each.

    A method writes its matrices over *copies* of the instances, one for each label of an instance (`Copies`). With one
    label each these are the instances themselves; with several it is the method's extension by sample duplication
    (`Duplicating`), which is the same code.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``y`` was a class vector.
    """

    #: Whether a copy counts one divided by the number of its instance's labels.
    weighted: bool = False

    classes_: Any

    def _labels(self, Y: Any, n_samples: int) -> Any:
        vector = _class_vector(Y)
        if hasattr(self, "classes_"):
            del self.classes_
        if vector is None:
            return super()._labels(Y, n_samples)
        self.classes_, codes = vector
        remember_label_names(self, None)
        shape = (len(codes), len(self.classes_))
        return check_labels(
            sp.csr_array((np.ones(len(codes)), codes, np.arange(len(codes) + 1)), shape), n_samples, sparse=True
        )

    def _part(self, data: TrainingSet) -> TrainingSet:
        wrong = np.flatnonzero(data.label_counts != 1)
        if len(wrong):
            name, row = type(self).__name__, int(wrong[0])
            raise DataError(
                f"{name} takes one label an instance: row {row} has {int(data.label_counts[row])}, and "
                f"{len(wrong) - 1} more are alike; MESD{name} takes any number"
            )
        return data

    def _copies(self, data: TrainingSet) -> Copies:
        return copies_of(data, self.weighted)

    def _mean(self, data: TrainingSet) -> FloatArray:
        """Return the mean of the copies."""
        counts = np.asarray(self._copies(data).where.sum(axis=0), dtype=np.float64).reshape(-1)
        return weighted_mean(data.centred, counts)


class Duplicating(ClassProjection):
    """A projection for classes that takes instances with several labels: an instance stands once in each class.

    Of a method this is the multi-label extension by sample duplication (MESD). Instances without labels take no part.
    """

    def _labels(self, Y: Any, n_samples: int) -> Any:
        return super(ClassProjection, self)._labels(Y, n_samples)

    def _part(self, data: TrainingSet) -> TrainingSet:
        return with_labels(data)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.weighted, (bool, np.bool_)):
            raise DataError(f"weighted must be True or False; got {self.weighted!r}")


def _class_vector(Y: Any) -> tuple[Any, Any] | None:
    """Return classes, sorted, and their numbers for each instance; None if Y is none or no class vector."""
    if Y is None or is_sparse(Y):
        return None
    y = np.asarray(Y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1 or not len(y):
        return None
    if y.dtype.kind == "f":
        wrong = np.flatnonzero(y % 1 != 0)  # NaN and infinity, too
        if len(wrong):
            raise DataError(f"y holds {y[wrong[0]]:g} in row {wrong[0]}: classes must be integers or strings")
    try:
        return np.unique(y, return_inverse=True)
    except TypeError:
        raise DataError("y mixes things that have no order: classes must be integers or strings") from None
