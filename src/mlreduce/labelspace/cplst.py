"""Conditional principal label space transformation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlreduce.complexity import Complexity
from mlreduce.labelspace.base import LabelStatistics, ordered_eigenvectors
from mlreduce.labelspace.sketch import SketchedCoder
from mlreduce.linalg.gram import factorise
from mlreduce.registry import register
from mlreduce.validation import FloatArray


@register("cplst")
class CPLST(SketchedCoder):
    """Conditional principal label space transformation (CPLST): codes that keep the labels and can be predicted.

    Directions are the leading eigenvectors of ``Z'HZ``, Z the centred labels and H the hat matrix of linear
    regression: the smallest sum of encoding and prediction error on the training rows, which bounds the Hamming loss.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    rcond : float, default=1e-10
        Relative size below which a singular value of the features (with an intercept) counts as zero in the hat
        matrix. Only used by methods that use the features.
    solver : {"exact", "randomized"}, default="exact"
        ``"randomized"`` is the sketch, faster with many labels and few components. The directions are those of
        ``"exact"`` as far as eigenvalues decay, and exact where fewer than ten are left out.
        It takes regressions of M + 10 random combinations of the labels instead of all labels.
    random_state : int, RandomState or None, default=None
        Seed of the sketch.

    Attributes
    ----------
    components_ : ndarray or csr_array of shape (n_components, n_labels)
        V; a CSR array where labels were sparse, each direction is one label, and its cells are more than 2**25.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the method's objective; 0 where it is nothing but rounding.
    mean_ : ndarray of shape (n_labels,)
        Means of the labels; those not known are filled in.
    n_components_, n_labels_ : int
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    Notes
    -----
    Cost: O(n d² + d³ + n d q + q³); of the sketch O(n d² + d³ + n (d + q) M).

    References
    ----------
    Chen and Lin (2012), section 3.1, equation (6) and algorithm 1. Sketch: Mineiro and Karampatziakis (2015), "Fast
    label embeddings via randomized linear algebra", algorithm 1, with more iterations.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.CPLST(n_components=3).fit(data.X, data.Y).components_.shape
    (3, 8)
    """

    complexity = Complexity(
        "s m + m^3 + n q^2 + q^3", "n d + m^2 + n k + k q", iterated="1000 s q", iterates_on="sparse", least_bytes=2
    )
    feature_aware = True

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        values, vectors = ordered_eigenvectors(statistics.explained_gram, statistics.gram)
        return vectors, values

    def _explained(self, features: Any, labels: Any) -> Callable[[FloatArray], FloatArray]:
        design = factorise(features, self.rcond)

        def fitted(targets: FloatArray) -> FloatArray:
            coefficients = design.coefficients(targets)
            return features @ coefficients[1:] + coefficients[0]

        return fitted
