"""Compressed sensing: random codes, decoded as sparse vectors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.linear_model import orthogonal_mp_gram
from sklearn.utils import check_random_state

from mlreduce.exceptions import DataError
from mlreduce.labelspace.base import LabelCoder, LabelStatistics
from mlreduce.registry import register
from mlreduce.validation import FloatArray

__all__ = ["CompressedSensing"]


@register("cs")
class CompressedSensing(LabelCoder):
    """Compressed sensing: random directions of the labels, decoded by orthogonal matching pursuit.

    Directions are Gaussian, each entry of variance one over the number of labels, so that the column of a label has an
    expected squared norm of one at full size. The features are not used. Decoding takes an instance to have few
    labels: one after the other it picks the label whose column has the largest correlation with what is not yet
    explained of the code, and fits all it has picked by least squares.

    The method's own code is ``Vy``. Ours is ``V(y - mean)``, as of all coders, which differs by a constant that
    decoding adds again. Decoding is not linear: the errors of codes are computed as for other coders, but do not bound
    the Hamming loss here. With one direction every label explains a code fully, and the first label is picked.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Length of the code: a number of 1..n_labels, a fraction of n_labels in (0, 1), None for all.
    n_nonzero : int or None, default=None
        Most labels that decoding gives an instance, 1..n_labels, and never more than the code is long. None for the
        mean number of labels of a training row, rounded up.
    random_state : int, RandomState or None, default=None
        Draws the directions. They are nested: size m is the first m of one draw.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_labels)
    eigenvalues_ : ndarray of shape (n_components,)
        Sum of squares of the training rows' codes along each direction; they are in no order.
    n_nonzero_ : int

    References
    ----------
    Hsu, Kakade, Langford and Zhang (2009), "Multi-label prediction via compressed sensing"; Chen and Lin (2012),
    section 2.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> coder = mlreduce.CompressedSensing(n_components=6, random_state=0).fit(None, data.Y)
    >>> coder.encode(data.Y).shape
    (1797, 6)
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        n_nonzero: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_components)
        self.n_nonzero = n_nonzero
        self.random_state = random_state

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        self.n_nonzero_ = self._check_n_nonzero(statistics)
        n_labels = self.n_labels_  # as many directions whatever the size: a short code is the start of a long one
        directions = check_random_state(self.random_state).standard_normal((n_labels, n_labels)) / np.sqrt(n_labels)
        return directions, np.einsum("ij,jk,ik->i", directions, statistics.gram, directions, optimize=True)

    def _check_n_nonzero(self, statistics: LabelStatistics) -> int:
        wanted = self.n_nonzero
        if wanted is None:
            present = round(
                float(statistics.mean.sum()) * statistics.n_samples
            )  # a mean of 2 must not come out as 2 + 1e-16
            return max(1, -(-present // statistics.n_samples))
        whole = isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool)
        if not whole or not 1 <= wanted <= self.n_labels_:
            raise DataError(
                f"n_nonzero must be a whole number of 1..{self.n_labels_}, the number of labels, or None; "
                f"got {wanted!r}"
            )
        return int(wanted)

    def reconstruct_sizes(self, codes: FloatArray, sizes: Sequence[int]) -> Iterator[FloatArray]:
        """Reconstruct from the first columns of a code, for several sizes, each by a pursuit of its own.

        Raises
        ------
        DataError
            If a size is larger than the code is long.
        """
        self._check_sizes(codes, sizes)
        signals = codes + self.components_[: codes.shape[1]] @ self.mean_
        for size in sizes:
            yield _sparsest(signals[:, :size], self.components_[:size], min(self.n_nonzero_, size)) - self.mean_


def _sparsest(signals: FloatArray, directions: FloatArray, n_nonzero: int) -> FloatArray:
    """Return sparse vectors ``y``, one row per signal, with ``directions @ y`` near the signal."""
    norms = np.linalg.norm(directions, axis=0)
    atoms = directions / norms  # of norm one, so that correlations compare
    with warnings.catch_warnings():
        # It stops early where nothing is left to explain, as in the code of an instance with fewer labels than allowed,
        # and where the labels left depend on those picked. Both times what it has is the best there is.
        warnings.filterwarnings("ignore", "Orthogonal matching pursuit ended prematurely", RuntimeWarning)
        found = orthogonal_mp_gram(atoms.T @ atoms, atoms.T @ signals.T, n_nonzero_coefs=n_nonzero)
    recovered: FloatArray = np.reshape(found, (len(norms), len(signals))).T / norms
    return recovered
