"""SPEC: spectral feature selection on the label graph."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.linalg.distances import row_blocks
from mlreduce.registry import register
from mlreduce.selection.base import Selector, check_variant
from mlreduce.selection.label_graph import LabelGraph
from mlreduce.validation import FloatArray, Size, as_dense

# The largest eigenvalue that a normalised Laplacian can have: the score of a feature that vanishes on the graph.
_WORST = 2.0

# Degree of an instance that shares no label with any other, in the published code.
_ISOLATED_DEGREE = 0.01


@register("spec")
class SPEC(Selector):
    """Spectral feature selection (SPEC): features that vary little along the graph of instances with the same labels.

    A feature x, weighted by the degrees D of the graph with adjacency A, has the score ``phi = x'(D - A)x / x'Dx`` in
    [0, 2], which is ``f'Lf`` for the normalised Laplacian L and ``f = D^(1/2) x`` of unit norm. If it is small,
    instances with the same labels have nearly the same value. Labels may be unknown, NaN in ``y``: the graph compares
    two instances by the labels that are known of both, and does not join them if there are none.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    variant : {"equations", "published-code"}, default="equations"
        The published code gives instances that share no label with any other the degree 0.01 and not 0, and a
        feature that vanishes on the graph the score of a constant vector, not the worst.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        ``-phi``: the larger, the better the feature.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Yan and Li (2016), equation 17, after Zhao and Liu (2007). The sum on the right of (17) is not its left-hand side,
    which is what is computed.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.SPEC(k=5).fit(data.X, data.Y)
    >>> method.transform(data.X).shape
    (300, 5)
    >>> bool((-2 <= method.scores_).all() and (method.scores_ <= 0).all())
    True
    """

    complexity = Complexity("d n^2", "n^2 + n d", least_bytes=0.7)
    takes_unknown_cells = True
    takes_sparse_labels = True

    def __init__(self, k: Size = 0.5, variant: Literal["equations", "published-code"] = "equations") -> None:
        self.k = k
        self.variant = variant

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        as_published = check_variant(self.variant)
        graph, (n_samples, n_features) = LabelGraph(labels), X.shape
        along, degrees = np.zeros(n_features), np.empty(n_samples)  # x'Ax of every feature; row sums of A
        for rows in row_blocks(n_samples, n_samples + n_features):
            similarity = graph.of(np.arange(rows.start, rows.stop))
            degrees[rows] = similarity.sum(axis=1)
            along += np.einsum("ij,ij->j", as_dense(X[rows]), np.asarray((X.T @ similarity.T).T))
        if as_published:
            degrees[degrees == 0] = _ISOLATED_DEGREE
        squares = X.multiply(X) if hasattr(X, "multiply") else np.square(X)
        weighted = np.asarray(squares.T @ degrees).reshape(-1)
        seen = weighted > 0
        rough = np.where(seen, 1.0 - along / np.where(seen, weighted, 1.0), _WORST)
        if as_published and not seen.all():
            rough[~seen] = self._score_constant(labels, degrees)
        # Where rounding leaves the range at 0, all are moved by as much, so that their order stays.
        return 0.0 - np.minimum(rough - min(rough.min(), 0.0), _WORST)

    @staticmethod
    def _score_constant(labels: Any, degrees: FloatArray) -> float:
        """Return ``f'Lf`` of the constant f of unit norm."""
        graph, inverse, along = LabelGraph(labels), 1.0 / np.sqrt(degrees), 0.0
        for rows in row_blocks(len(degrees), len(degrees)):
            along += float(inverse[rows] @ graph.of(np.arange(rows.start, rows.stop)) @ inverse)
        return 1.0 - along / len(degrees)
