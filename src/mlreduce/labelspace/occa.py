"""Orthogonally constrained canonical correlation analysis."""

from __future__ import annotations

from mlreduce.complexity import Complexity
from mlreduce.labelspace.base import LabelCoder, LabelStatistics, ordered_eigenvectors
from mlreduce.registry import register
from mlreduce.validation import FloatArray


@register("occa")
class OCCA(LabelCoder):
    """Orthogonally constrained canonical correlation analysis (OCCA): label directions with the least prediction error.

    Directions are the leading eigenvectors of ``Z'(H - I)Z``, H the hat matrix of linear regression: the smallest
    prediction error ``||HZV' - ZV'||_F^2`` on the training rows. Directions that the regression fits exactly tie at
    zero (all of them where the rows are linearly independent); ties go by the variance of the labels.

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
    Chen and Lin (2012), section 3, equations (3) and (4).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> coder = mlreduce.OCCA(n_components=3).fit(data.X, data.Y)
    >>> coder.components_.shape
    (3, 12)
    >>> bool((coder.eigenvalues_ <= 0).all())  # prediction errors, with changed sign
    True
    """

    complexity = Complexity(
        "s m + m^3 + n q^2 + q^3", "n d + m^2 + n q + q^2", iterated="1000 s q", iterates_on="sparse", least_bytes=2
    )
    feature_aware = True

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        values, vectors = ordered_eigenvectors(statistics.explained_gram - statistics.gram, statistics.gram)
        return vectors, values
