"""Binary relevance (BR)."""

from __future__ import annotations

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.labelspace.base import LabelCoder, LabelStatistics
from mlreduce.labelspace.statistics import unit_rows
from mlreduce.registry import register
from mlreduce.validation import FloatArray


@register("br")
class BR(LabelCoder):
    """Binary relevance (BR): no reduction, every label is learned.

    The baseline of label-space reduction: with linear regression, PLST and CPLST at full size equal it exactly.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : None, default=None
        Part of the common interface; the number of labels is the only other value that makes sense.
    rcond : float, default=1e-10
        Not used.

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

    References
    ----------
    Tsoumakas, Katakis, Vlahavas (2010), "Mining multi-label data"; Chen and Lin (2012), section 2.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> coder = mlreduce.BR().fit(data.X, data.Y)
    >>> bool((coder.decode(coder.encode(data.Y)) == data.Y).all())
    True
    """

    complexity = Complexity("n q", "n k + q")
    reduces = False

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        if self.n_components_ != self.n_labels_:
            raise DataError(
                f"binary relevance learns all {self.n_labels_} labels; got n_components={self.n_components!r} "
                "(PBR learns some of them)"
            )
        return unit_rows(np.arange(self.n_labels_), statistics.labels, self.n_labels_), statistics.variances
