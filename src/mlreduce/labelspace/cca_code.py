"""Canonical correlation analysis as a label code."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.linalg

from mlreduce.complexity import Complexity
from mlreduce.labelspace.base import LabelCoder, LabelStatistics, ordered_eigenvectors
from mlreduce.registry import register
from mlreduce.validation import FloatArray

# Variance of a label direction, relative to the largest, below which it has none.
_NO_VARIANCE = 1e-10


@register("cca-code")
class CCACode(LabelCoder):
    """Canonical correlation analysis (CCA) as label coding: label directions most correlated with the features.

    Directions ``w`` solve ``Z'HZ w = rho^2 Z'Z w`` with ``w'Z'Zw = 1``; ``eigenvalues_`` are the squared canonical
    correlations ``rho^2``. They are not orthogonal, so that decoding goes through the pseudo-inverse of the directions
    in use. Equal correlations (all are one where the rows are linearly independent) go by the variance of the labels;
    directions in which the labels do not vary come last, as unit vectors.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    rcond : float, default=1e-10
        Relative size below which a singular value of the features (with an intercept) counts as zero in the hat
        matrix. Only used by methods that use the features.

    Attributes
    ----------
    basis_ : ndarray of shape (n_labels, n_components)
        Orthonormal basis in which the directions are triangular: ``components_ = triangle_' basis_'``.
    triangle_ : ndarray of shape (n_components, n_components)
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
    Hotelling (1936), "Relations between two sets of variates"; Chen and Lin (2012), section 2.2, equation (2).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> coder = mlreduce.CCACode(n_components=3).fit(data.X, data.Y)
    >>> coder.encode(data.Y).shape
    (300, 3)
    >>> coder.eigenvalues_.round(1)  # squared canonical correlations
    array([0.8, 0.8, 0.7])
    """

    complexity = Complexity(
        "s m + m^3 + n q^2 + q^3", "n d + m^2 + n q + q^2", iterated="1000 s q", iterates_on="sparse", least_bytes=2
    )
    feature_aware = True
    _by_label: ClassVar = {**LabelCoder._by_label, "basis_": 0}

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        variances, axes = ordered_eigenvectors(statistics.gram, statistics.gram)
        varying = variances > _NO_VARIANCE * max(variances[0], np.finfo(float).tiny)
        whitening = axes[varying] / np.sqrt(variances[varying])[:, np.newaxis]
        whitened = whitening @ statistics.explained_gram @ whitening.T
        correlations, rotation = ordered_eigenvectors(whitened, np.diag(variances[varying]), scale=1.0)
        components = np.vstack([rotation @ whitening, axes[~varying]])
        eigenvalues = np.r_[np.clip(correlations, 0.0, 1.0), np.zeros(np.count_nonzero(~varying))]
        # Leading columns of a QR decomposition span the leading directions: one decomposition serves every size.
        self.basis_, self.triangle_ = np.linalg.qr(components[: self.n_components_].T)
        return components, eigenvalues

    def _coordinates(self, codes: FloatArray) -> tuple[FloatArray, FloatArray]:
        size = codes.shape[1]
        coordinates = scipy.linalg.solve_triangular(self.triangle_[:size, :size], codes.T, trans="T")
        return coordinates.T, self.basis_[:, :size].T
