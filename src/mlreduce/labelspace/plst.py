"""Principal label space transformation."""

from __future__ import annotations

from mlreduce.labelspace.base import LabelCoder, LabelStatistics, ordered_eigenvectors
from mlreduce.registry import register
from mlreduce.validation import FloatArray

__all__ = ["PLST"]


@register("plst")
class PLST(LabelCoder):
    """Principal label space transformation (PLST): principal components of the labels.

    Directions are the leading eigenvectors of ``Z'Z``, Z the centred labels: the smallest encoding error
    ``||Z - ZV'V||_F^2`` that any orthonormal code of the size has. The features are not used.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    rcond : float, default=1e-10
        Not used.

    References
    ----------
    Tai and Lin (2012), "Multilabel classification with principal label space transformation"; Chen and Lin
    (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> coder = mlreduce.PLST(n_components=3).fit(None, data.Y)
    >>> coder.encode(data.Y).shape
    (1797, 3)
    """

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        values, vectors = ordered_eigenvectors(statistics.gram, statistics.gram)
        return vectors, values
