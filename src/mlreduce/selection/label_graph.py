"""Similarities by labels: of instances, the weighted Jaccard similarity of GMBA, and of labels, their cosines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.linalg.utilities import scaled
from mlreduce.validation import FloatArray, as_dense, check_known_labels, is_sparse, split_known


class LabelGraph:
    """Rows of the weighted Jaccard similarity of label sets, on demand.

    Labels are in {0, 1}; NaN, in an array alone, where not known: two instances are compared by the labels that are
    known of both.
    """

    def __init__(self, labels: Any) -> None:
        self._labels, known = split_known(labels)
        self._known = None if known is None else known.astype(np.float64)
        # A label is weighted by its number of instances.
        self._weighted = scaled(self._labels, columns=np.asarray(self._labels.sum(axis=0)).reshape(-1))
        self._totals = np.asarray(self._weighted.sum(axis=1)).reshape(-1)

    def of(self, rows: NDArray[np.intp]) -> FloatArray:
        """Return the similarities of some instances to all, shape (n_rows, n_samples); 0 to themselves."""
        shared = as_dense(self._weighted[rows] @ self._labels.T)
        if self._known is None:
            either = self._totals[rows, np.newaxis] + self._totals
        else:
            either = self._weighted[rows] @ self._known.T + self._known[rows] @ self._weighted.T
        either -= shared
        np.maximum(either, 1.0, out=either)  # integers: 0 only where neither has a label
        shared /= either
        shared[np.arange(len(rows)), rows] = 0.0
        return shared

    def comparable(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which instances some can be compared with, shape (n_rows, n_samples): not themselves."""
        if self._known is None:
            comparable = np.ones((len(rows), self._labels.shape[0]), dtype=bool)
        else:
            comparable = self._known[rows] @ self._known.T > 0
        comparable[np.arange(len(rows)), rows] = False
        return comparable


def label_similarity(Y: Any) -> FloatArray:
    """Return the adjacency matrix of the label graph: the weighted Jaccard similarity of label sets.

    The weight of the labels that both instances have over that of the labels that either has; a label weighs as much as
    it has instances, where known: Yan and Li (2016), equations 2 and 3. Labels are in {0, 1} or {-1, 1}, NaN where not
    known: two instances are then compared by the labels known of both. The matrix is symmetric, in [0, 1], with a zero
    diagonal; 0 between instances without labels, or none known of both. Raises DataError if a label is not 0/1 or -1/1.
    """
    labels, known = check_known_labels(Y, sparse=is_sparse(Y))
    if known is not None:
        labels = np.where(known, labels, np.nan)[:, known.any(axis=0)]
    return LabelGraph(labels).of(np.arange(labels.shape[0]))


def label_cosines(labels: Any) -> FloatArray:
    """Return the cosines of the columns of labels, of two over the instances where both are known; 0 for empty ones.

    Labels are in {0, 1}; NaN, in an array alone, where not known.
    """
    present, known = split_known(labels)
    products = as_dense(present.T @ present)
    sizes = products.diagonal()[:, np.newaxis] if known is None else present.T @ known.astype(np.float64)
    norms = np.sqrt(sizes)
    return products / np.maximum(norms * norms.T, 1.0)


def label_distances(labels: Any) -> FloatArray:
    """Return one minus the cosines of two different labels, and 0 on the diagonal; parameters of `label_cosines`."""
    distances = 1.0 - label_cosines(labels)
    np.fill_diagonal(distances, 0.0)
    return distances


def label_laplacian(labels: Any, graph: str = "cosine") -> FloatArray:
    """Return the Laplacian of a graph of the labels, as of `label_cosines`; zeros for a label without instances.

    The weights of two labels that occur are with "cosine" their cosine, with "complete" 1.
    """
    cosines = label_cosines(labels)
    present = cosines.diagonal() > 0
    weights = cosines if graph == "cosine" else np.outer(present, present).astype(np.float64)
    return np.diag(weights.sum(axis=1)) - weights
