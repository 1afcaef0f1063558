"""MLFS: multi-label F statistic."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mlreduce.complexity import Complexity
from mlreduce.linalg.distances import row_blocks
from mlreduce.registry import register
from mlreduce.selection.base import Selector, check_variant
from mlreduce.validation import FloatArray, Size, as_dense, split_known

# Bytes of the features of a label's instances that are dense at once.
_DENSE_BYTES = 2**28

# Rounding error of a feature less its class mean, relative to the largest value.
_ROUNDING = 8 * np.finfo(float).eps


@register("mlfs")
class MLFS(Selector):
    """Multi-label F statistic (MLFS): between-label over within-label scatter.

    An instance counts once in each of its labels, and not at all if it has none. With one label an instance this is
    the F statistic of analysis of variance. An unknown label, NaN in ``y``, is as one that the instance does not have:
    only labels that instances have enter the formula.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    variant : {"equations", "published-code"}, default="equations"
        The published code of Yan and Li (2016) adds the labels' variances up without weighting them by size.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Infinite for a feature that varies between labels and not within them, 0 for a constant one.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Kong, Ding, Huang and Zhao, "Multi-label ReliefF and F-statistic feature selections for image annotation", CVPR
    2012.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MLFS(k=5).fit(data.X, data.Y)
    >>> method.get_feature_names_out(data.feature_names)
    array(['x2', 'x4', 'x16', 'x18', 'x22'], dtype=object)
    """

    complexity = Complexity("s q + d q", "n d", least_bytes=0.25)
    takes_unknown_cells = True
    takes_sparse_labels = True

    def __init__(self, k: Size = 0.5, variant: Literal["equations", "published-code"] = "equations") -> None:
        self.k = k
        self.variant = variant

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        as_published, by_label = check_variant(self.variant), sp.csc_array(split_known(labels)[0])
        sizes, counts = (np.asarray(by_label.sum(axis=axis)).reshape(-1) for axis in (0, 1))
        present = np.flatnonzero(sizes)
        if not len(present):
            return np.zeros(X.shape[1])
        mean = np.asarray(X.T @ counts).reshape(-1) / sizes.sum()
        between, within, largest = np.zeros(X.shape[1]), np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for label in present:
            rows = X[by_label.indices[by_label.indptr[label] : by_label.indptr[label + 1]]]
            blocks = row_blocks(X.shape[1], rows.shape[0], _DENSE_BYTES)
            for columns in blocks:
                members = as_dense(rows if len(blocks) == 1 else rows[:, columns])
                label_mean = members.mean(axis=0)
                np.maximum(largest[columns], np.abs(members).max(axis=0), out=largest[columns])
                members -= label_mean
                between[columns] += sizes[label] * np.square(label_mean - mean[columns])
                within[columns] += np.einsum("ij,ij->j", members, members) / (sizes[label] if as_published else 1.0)
        # Rounding error is not scatter.
        noise = sizes.sum() * np.square(_ROUNDING * largest)
        between[between <= noise] = 0.0
        none = within <= noise
        ratio = np.where(none, 0.0 if as_published else np.where(between > 0, np.inf, 0.0), 0.0)
        np.divide(between, within, out=ratio, where=~none)
        classes, count = labels.shape[::-1] if as_published else (len(present), sizes.sum())
        factor = (count - classes) / (classes - 1) if classes > 1 else 1.0
        return ratio * (factor if factor > 0 or as_published else 1.0)
