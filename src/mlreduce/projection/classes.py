"""Base of the projections for single-label data."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlreduce.exceptions import DataError
from mlreduce.projection.base import Projection
from mlreduce.projection.scatter import weighted_mean
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.duplication import Duplicates, duplicates_of
from mlreduce.validation import FloatArray, check_labels, class_vector, remember_label_names


class ClassProjection(Projection):
    """Base of the projections for single-label data.

    A method computes its matrices over the `Duplicates` of the instances. With one label per instance these are the
    instances themselves; `MESD` applies the same code to several labels.
    """

    single_label = True
    #: Whether the weight of a duplicate is one divided by the number of its instance's labels.
    weighted: bool = False

    classes_: Any

    def _labels(self, Y: Any, n_samples: int) -> Any:
        vector = class_vector(Y)
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

    def _usable(self, data: TrainingSet) -> TrainingSet:
        wrong = np.flatnonzero(data.label_counts != 1)
        if len(wrong):
            name, row = type(self).__name__, int(wrong[0])
            raise DataError(
                f"{name} takes one label per instance: row {row} has {int(data.label_counts[row])} (rows with another "
                f"number: {len(wrong)}); MESD{name} takes any number"
            )
        return data

    def _copies(self, data: TrainingSet) -> Duplicates:
        return duplicates_of(data, self.weighted)

    def _sizes(self, data: TrainingSet) -> FloatArray:
        """Return the numbers of duplicates of the classes, or the sums of their weights."""
        return self._copies(data).sizes if data.weights is None else data.class_sizes

    def _mean(self, data: TrainingSet) -> FloatArray:
        """Return the mean of the duplicates."""
        counts = np.asarray(self._copies(data).incidence.sum(axis=0), dtype=np.float64).reshape(-1)
        return weighted_mean(data.centred, counts)
