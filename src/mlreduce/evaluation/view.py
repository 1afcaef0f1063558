"""A split as methods see it: features normalised by its training rows, or relations to these, and known labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.splitting import Split
from mlreduce.validation import FloatArray, as_dense, check_known_labels, check_labels, check_memory, is_sparse

if TYPE_CHECKING:
    from mlreduce.preprocessing.scaling import ScaledParts
    from mlreduce.spectral import TrainingSet


def imputed(data: MultiLabelData, train: Any = slice(None)) -> MultiLabelData:
    """Fill the missing values of a data set as its entry requests (``impute``), by statistics of its training rows.

    All rows train where nothing is tested. A feature that all training rows lack is 0 where it is missing.
    """
    if data.impute is None:
        return data
    from sklearn.impute import SimpleImputer

    imputer = SimpleImputer(strategy=data.impute.replace("-", "_"), keep_empty_features=True)
    X = imputer.fit(data.X[train]).transform(data.X)
    return replace(data, X=sp.csr_array(X) if is_sparse(X) else X, impute=None)


def normalise(data: MultiLabelData, split: Split, scaling: str) -> ScaledParts:
    """Fill and normalise the features of both parts of a split by its training rows alone.

    Every fit, prediction and search on a split begins with this step; a search does so again for the parts that it cuts
    the training rows into. See `mlreduce.preprocessing.scaling.scale_parts` for the scaling.
    """
    from mlreduce.preprocessing.scaling import scale_parts  # what takes the features as they are needs no scikit-learn

    X = imputed(data, split.train).X
    return scale_parts(X[split.train], X[split.test], scaling)


class View:
    """A split of a data set as the methods of a study see it.

    ``space`` has ``scaling`` as of `mlreduce.preprocessing.scaling.scale_parts`, and ``relation``, a metric of
    `mlreduce.preprocessing.relation.RelationFeatures`, or None for the features themselves. ``train`` and ``test`` are
    features of shape (n_rows, n_columns); ``labelled`` is which of the training rows have labels that are known, and
    ``labels`` theirs, in {0, 1}, with NaN where a single one is not known, which ``unknown`` says. ``related`` is
    whether the features are relations to the training rows.
    """

    def __init__(self, data: MultiLabelData, split: Split, space: Mapping[str, Any]) -> None:
        scaled = normalise(data, split, space["scaling"])
        self._scaled = scaled.train, scaled.test
        self.train, self.test = self._scaled
        self._relation = None
        self.related = space["relation"] is not None
        if self.related:
            from mlreduce.preprocessing.relation import RelationFeatures

            self._relation = RelationFeatures(metric=space["relation"]).fit(scaled.train)
            self.train, self.test = (self._relation.transform(part) for part in self._scaled)
        known = split.train if split.labelled is None else split.labelled
        self.labelled = np.isin(split.train, known)
        self.labels = data.Y[known].astype(np.float64)
        self.unknown = data.Y.dtype.kind == "f" and bool(np.isnan(self.labels).any())

    @cached_property
    def training(self) -> TrainingSet:
        """The training rows, for methods to share.

        Relations take the place of the features in a method's forms, and leave alone which rows are near each other:
        equation (46) of Mu et al. (2012).
        """
        points = None if self._relation is None else self._scaled[0]
        return _training_set(self.train, self.labels, self.labelled, points)

    @cached_property
    def all_rows(self) -> TrainingSet:
        """Training and test rows, for methods that embed only what they are fitted to."""
        parts = [self.train, self.test] if self._relation is None else self._scaled
        rows = sp.csr_array(sp.vstack(parts)) if is_sparse(parts[0]) else np.vstack(parts)
        labelled = np.concatenate([self.labelled, np.zeros(self.test.shape[0], dtype=bool)])
        if self.unknown:
            from mlreduce.spectral import TrainingSet

            cells, known = check_known_labels(self.all_labels())
            return TrainingSet(rows, cells, known=known)
        return _training_set(rows, self.labels, labelled, None)

    def partly_labelled(self) -> FloatArray:
        """Return the labels of all training rows, NaN where not known."""
        shape = len(self.labelled), self.labels.shape[1]
        check_memory(
            8.0 * shape[0] * shape[1], "labels of which some are unknown", "label all rows", (shape[1], "labels")
        )
        labels = np.full(shape, np.nan)
        labels[self.labelled] = as_dense(self.labels)
        return labels

    def all_labels(self) -> FloatArray:
        """Return the labels of training and test rows, NaN where not known; those of the test rows are not."""
        return np.vstack([self.partly_labelled(), np.full((self.test.shape[0], self.labels.shape[1]), np.nan)])

    def known(self, rows: FloatArray) -> FloatArray:
        """Return those of the training rows of an array whose labels are known."""
        return rows if self.labelled.all() else rows[self.labelled]


def _training_set(X: Any, labels: FloatArray, labelled: Any, points: Any) -> TrainingSet:
    from mlreduce.spectral import TrainingSet  # of features that are projected: label coders see none

    return TrainingSet.partly_labelled(X, check_labels(labels, sparse=True), labelled, points)
