"""Partial binary relevance (PBR)."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from mlreduce.complexity import Complexity
from mlreduce.labelspace.base import LabelCoder, LabelStatistics
from mlreduce.labelspace.statistics import unit_rows
from mlreduce.linalg.least_squares import DEFAULT_RCOND
from mlreduce.registry import register
from mlreduce.validation import FloatArray


@register("pbr")
class PBR(LabelCoder):
    """Partial binary relevance (PBR): learn a random subset of the labels, predict the others absent.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Number of labels that are learned; a percentage of them such as ``"50%"``; None for all.
    rcond : float, default=1e-10
        Not used.
    random_state : int, RandomState or None, default=None
        Seed of the order of the labels. The subsets are nested: size m is the first m of one random order.

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
    Chen and Lin (2012), section 4.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> coder = mlreduce.PBR(n_components=3, random_state=0).fit(data.X, data.Y)
    >>> decoded = coder.decode(coder.encode(data.Y))
    >>> int(decoded.any(axis=0).sum())  # the other nine labels are predicted absent
    3
    """

    complexity = Complexity("n q", "n k + q")
    calibrated = True

    def __init__(
        self,
        n_components: int | str | None = None,
        rcond: float = DEFAULT_RCOND,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_components, rcond)
        self.random_state = random_state

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        order = check_random_state(self.random_state).permutation(self.n_labels_)
        order = order[: self.n_components_]
        return unit_rows(order, statistics.labels, self.n_labels_), statistics.variances[order]

    def scores(self, centred: FloatArray, size: int) -> FloatArray:
        """Return reconstructed labels where learned; the others are 0.

        Parameters
        ----------
        centred : ndarray of shape (n_samples, n_labels)
            Labels less their training means, as of `reconstruct`.
        size : int
            Length of the code that they are from.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Scores, of which rounding predicts those above one half.
        """
        learned = np.asarray((self.components_[:size] != 0).sum(axis=0)) > 0
        return super().scores(centred, size) * learned
