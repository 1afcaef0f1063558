"""Boolean matrix decomposition of the labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.labelspace.factors import FactorCoder
from mlreduce.labelspace.statistics import check_pairs_of_labels, label_array
from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.utilities import quotient, scaled
from mlreduce.registry import register
from mlreduce.validation import FloatArray, as_dense, check_range


@register("mlc-bmad")
class MLCBMaD(FactorCoder):
    """Multi-label classification by Boolean matrix decomposition (MLC-BMaD): sets of labels that occur together.

    Labels are decomposed into ``Y ~ T o B``, 1 where some column of the code T and the row of B that belongs to it both
    are: an instance has the labels of all sets that its code names. The Asso algorithm takes as candidates for a row of
    B, for each label, those labels that at least the share ``min_confidence`` of its instances have too. One after the
    other it adds the row, with the best column for it, that covers the most ones not yet covered less zeros not yet
    covered.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    min_confidence : float, default=0.5
        Share of a label's instances from which another label belongs to its candidate, in [0, 1]; with 1 only labels
        that all of them have.

    Attributes
    ----------
    codes_ : ndarray of shape (n_samples, n_components)
        T, of the training rows, in {0, 1}.
    components_ : ndarray of shape (n_components, n_labels)
        B, in {0, 1}; zeros from where no candidate covers more ones than zeros.
    eigenvalues_ : ndarray of shape (n_components,)
        Ones that each row covers beyond those before it, less the zeros.
    mean_ : ndarray of shape (n_labels,)
        Means of the labels; those not known are filled in.
    n_components_, n_labels_ : int
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    Notes
    -----
    Predicted codes are numbers. A label's score is the largest of those of its sets, so that it is predicted where a
    code above one half names it: the Boolean product of the rounded codes.

    A label that is not known, NaN in ``y``, counts by the number from 0 to 1 that is filled in for it: p ones and 1 - p
    zeros. Of candidates that cover as much the first label's is taken. Cost: O(n q² + q³) to begin with, then O(s q b)
    per column of the code for its s instances and b labels.

    References
    ----------
    Wicker, Pfahringer and Kramer (2012), "Multi-label classification using Boolean matrix decomposition", algorithm 1.
    Miettinen, Mielikainen, Gionis, Das and Mannila (2008), "The discrete basis problem", algorithm 1 (Asso).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> coder = mlreduce.MLCBMaD(n_components=3).fit(None, data.Y)
    >>> coder.decode(coder.encode(data.Y)).shape
    (1797, 8)
    """

    complexity = Complexity("n q^2 + q^3", "n q + q^2")
    calibrated = True

    def __init__(self, n_components: int | str | None = None, min_confidence: float = 0.5) -> None:
        super().__init__(n_components)
        self.min_confidence = min_confidence

    def _factorise(
        self, features: Any, labels: Any, weights: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        check_range(self.min_confidence, "min_confidence", 0, 1)
        check_pairs_of_labels(labels.shape[1])
        labels = label_array(labels, type(self).__name__, tables=5)
        weights = np.ones(len(labels)) if weights is None else weights
        together, present = labels.T @ scaled(labels, weights), weights @ labels
        together.flat[:: len(together) + 1] = present
        candidates = (quotient(together, present[:, np.newaxis]) >= self.min_confidence).astype(np.float64)
        size = self.n_components_
        codes, rows, covers = np.zeros((len(labels), size)), np.zeros((size, self.n_labels_)), np.zeros(size)
        # Of covering a cell: 1 for a one, -1 for a zero, in between where a label was not known, 0 once it is covered.
        worth = 2 * labels - 1
        gains = worth @ candidates.T  # of each instance by each candidate
        for column in range(size):
            totals = weights @ np.maximum(gains, 0.0)
            best = int(totals.argmax())
            if totals[best] <= 0:
                break
            used, members = np.flatnonzero(gains[:, best] > 0), np.flatnonzero(candidates[best])
            codes[used, column], rows[column, members], covers[column] = 1.0, 1.0, totals[best]
            cells = np.ix_(used, members)
            gains[used] -= worth[cells] @ candidates[:, members].T
            worth[cells] = 0.0
        return codes, rows, covers

    def project(self, scores: Any) -> FloatArray:
        """Return the codes in {0, 1} of labels, those above one half taken as present, as of the training rows.

        In turn for each row of B, the code is 1 where it covers more ones than zeros not yet covered.

        Parameters
        ----------
        scores : ndarray or csr_array of shape (n_samples, n_labels)
            Numbers of any size.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their codes.

        Raises
        ------
        DataError
            If there are not as many labels as in `fit`.
        """
        self._check_labels(scores)
        codes = np.zeros((scores.shape[0], self.n_components_))
        for rows in row_blocks(*scores.shape):
            worth = np.where(as_dense(scores[rows]) > 0.5, 1.0, -1.0)
            for column, row in enumerate(self.components_):
                members = np.flatnonzero(row)
                used = np.flatnonzero(worth[:, members].sum(axis=1) > 0)
                codes[rows.start + used, column] = 1.0
                worth[np.ix_(used, members)] = 0.0
        return codes

    def reconstruct_sizes(self, codes: FloatArray, sizes: Sequence[int]) -> Iterator[FloatArray]:
        """Reconstruct from the first columns of a code, for several ascending sizes at the cost of the largest.

        A label is the largest code of its sets, at least 0.

        Parameters
        ----------
        codes : ndarray of shape (n_samples, n_columns)
            Codes or predictions of codes.
        sizes : sequence of int
            Ascending, each in 1..n_columns.

        Yields
        ------
        ndarray of shape (n_samples, n_labels)
            Labels less their training means, for each size.

        Raises
        ------
        DataError
            If a size is larger than the code is long.
        """
        self._check_sizes(codes, sizes)
        scores = np.zeros((len(codes), self.n_labels_))
        start = 0
        for size in sizes:
            for column in range(start, size):
                members = self.components_[column] > 0
                scores[:, members] = np.maximum(scores[:, members], codes[:, [column]])
            start = size
            yield scores - self.mean_
