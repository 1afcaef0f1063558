"""The label graph of the GMBA paper: weighted Jaccard similarity of label sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.validation import FloatArray, check_labels

__all__ = ["LabelGraph", "label_similarity"]


class LabelGraph:
    """Rows of the weighted Jaccard similarity of label sets, on demand.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, n_labels), in {0, 1}
    """

    def __init__(self, labels: FloatArray) -> None:
        self._labels = labels
        self._weighted = labels * labels.sum(axis=0)  # a label is weighted by its number of instances
        self._totals = self._weighted.sum(axis=1)

    def of(self, rows: NDArray[np.intp]) -> FloatArray:
        """Return the similarities of some instances to all, shape (n_rows, n_samples); 0 to themselves."""
        shared: FloatArray = self._weighted[rows] @ self._labels.T
        either = self._totals[rows, np.newaxis] + self._totals
        either -= shared
        np.maximum(either, 1.0, out=either)  # whole numbers: 0 only where neither has a label
        shared /= either
        shared[np.arange(len(rows)), rows] = 0.0
        return shared


def label_similarity(Y: Any) -> FloatArray:
    """Return the adjacency matrix of the label graph: the weighted Jaccard similarity of label sets.

    The weight of the labels that both instances have over that of the labels that either has; a label
    weighs as much as it has instances.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
        Labels in {0, 1} or {-1, 1}.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        Symmetric, in [0, 1], with a zero diagonal; 0 between instances without labels.

    Raises
    ------
    DataError
        If a label is not 0/1 or -1/1.

    References
    ----------
    Yan and Li (2016), equations 2 and 3.
    """
    labels = check_labels(Y)
    return LabelGraph(labels).of(np.arange(len(labels)))
