"""What methods see of a split: features scaled by its training rows, or their relations to these, and known labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.splitting import Split
from mlreduce.preprocessing import scale_parts
from mlreduce.projection.problem import TrainingSet
from mlreduce.validation import FloatArray, check_labels

__all__ = ["View"]


class View:
    """A split of a data set as the methods of a study see it.

    Parameters
    ----------
    data : MultiLabelData
    split : Split
    space : dict
        ``scaling`` as of `mlreduce.preprocessing.scale_parts`, and ``relation``, a metric of
        `mlreduce.relation.RelationFeatures` or None.
    rows : (train, test), arrays of row numbers, or None, default=None
        Instead of the split's: how parameters are searched inside its training part.

    Attributes
    ----------
    train, test : ndarray or csr_array of shape (n_rows, n_columns)
    labelled : ndarray of bool, shape (n_train,)
        Which of the training rows have labels that are known.
    labels : ndarray of shape (n_labelled, n_labels), float64
        Theirs, in {0, 1}.
    truth : ndarray of shape (n_test, n_labels)
    """

    def __init__(
        self,
        data: MultiLabelData,
        split: Split,
        space: Mapping[str, Any],
        rows: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
    ) -> None:
        train, test = rows or (split.train, split.test)
        scaled = scale_parts(data.X[train], data.X[test], space.get("scaling") or "none")
        self.train, self.test = scaled.train, scaled.test
        if space.get("relation"):
            from mlreduce.relation import RelationFeatures

            relation = RelationFeatures(metric=space["relation"])
            self.train = relation.fit_transform(self.train)
            self.test = relation.transform(self.test)
        self.labelled = np.ones(len(train), dtype=bool) if split.labelled is None else np.isin(train, split.labelled)
        self.labels = data.Y[train[self.labelled]].astype(np.float64)
        self.truth = data.Y[test]

    @cached_property
    def training(self) -> TrainingSet:
        """The training rows, for methods to share; labels where they are known."""
        labels = check_labels(self.labels, sparse=True)
        if self.labelled.all():
            return TrainingSet(self.train, labels)
        return TrainingSet.partly_labelled(self.train, labels, self.labelled)

    def known(self, rows: FloatArray) -> FloatArray:
        """Return those of the training rows of an array that have labels."""
        return rows if self.labelled.all() else rows[self.labelled]
