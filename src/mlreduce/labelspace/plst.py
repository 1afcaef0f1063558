"""Principal label space transformation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlreduce.labelspace.base import LabelStatistics, ordered_eigenvectors
from mlreduce.labelspace.sketch import SketchedCoder
from mlreduce.linalg.least_squares import DEFAULT_RCOND
from mlreduce.registry import register
from mlreduce.validation import FloatArray


@register("plst")
class PLST(SketchedCoder):
    """Principal label space transformation (PLST): principal components of the labels.

    Directions are the leading eigenvectors of ``Z'Z``, Z the centred labels: the smallest encoding error
    ``||Z - ZV'V||_F^2`` that any orthonormal code of the size has. The features are not used.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    rcond : float, default=1e-10
        Not used.
    solver : {"exact", "randomized"}, default="exact"
        ``"randomized"`` is the sketch, faster with many labels and few components. The directions are those of
        ``"exact"`` as far as eigenvalues decay, and exact where fewer than ten are left out.
    random_state : int, RandomState or None, default=None
        Seed of the sketch.
    centred : bool, default=True
        False for the leading eigenvectors of ``Y'Y``, as in the paper of 2010: a code is ``Vy``, and ``mean_`` is zero.

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
    Cost: O(n q² + q³); of the sketch O(n q M), for rare labels O(l M) with l labels in all.

    References
    ----------
    Tai and Lin (2012), "Multilabel classification with principal label space transformation"; Chen and Lin
    (2012), section 2.1. Sketch: Halko, Martinsson and Tropp (2011), "Finding structure with randomness", algorithms 4.4
    and 5.3.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> coder = mlreduce.PLST(n_components=3).fit(None, data.Y)
    >>> coder.encode(data.Y).shape
    (1797, 3)
    """

    def __init__(
        self,
        n_components: int | str | None = None,
        rcond: float = DEFAULT_RCOND,
        solver: str = "exact",
        random_state: int | np.random.RandomState | None = None,
        centred: bool = True,
    ) -> None:
        super().__init__(n_components, rcond, solver, random_state)
        self.centred = centred

    def _taken(self, statistics: LabelStatistics) -> LabelStatistics:
        return statistics if self.centred else statistics.uncentred()

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        leading = statistics.leading(self.n_components_)
        values, vectors = leading or ordered_eigenvectors(statistics.gram, statistics.gram)
        return vectors, values

    def _explained(self, features: Any, labels: Any) -> Callable[[FloatArray], FloatArray]:
        return lambda targets: targets
