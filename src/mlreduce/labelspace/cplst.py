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

__all__ = ["CPLST"]


@register("cplst")
class CPLST(SketchedCoder):
    """Conditional principal label space transformation (CPLST): codes that keep the labels and can be predicted.

    Directions are the leading eigenvectors of ``Z'HZ``, Z the centred labels and H the hat matrix of linear
    regression: the smallest sum of encoding and prediction error on the training rows, which bounds the Hamming loss.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components, rcond
        As of `LabelCoder`.
    solver
        As of `SketchedCoder`. It takes regressions of M + 10 random combinations of the labels instead of all labels.
    random_state
        As of `SketchedCoder`.

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

    complexity = Complexity("s m + m^3 + n q^2", "n d + m^2 + n k + k q", iterated="1000 s q", iterates_on="sparse")
    feature_aware = True

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        values, vectors = ordered_eigenvectors(statistics.explained_gram, statistics.gram)
        return vectors, values

    def _explained(self, features: Any) -> Callable[[FloatArray], FloatArray]:
        design = factorise(features, self.rcond)

        def fitted(targets: FloatArray) -> FloatArray:
            coefficients = design.coefficients(targets)
            predicted: FloatArray = features @ coefficients[1:] + coefficients[0]
            return predicted

        return fitted
