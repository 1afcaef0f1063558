"""Embeddings that reconstruct features and labels."""

from __future__ import annotations

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.embedding.base import Embedding
from mlreduce.embedding.inner_products import inner_products
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import as_dense, check_range, is_sparse

# Cells of sparse labels beyond which these stay sparse.
_LARGE = 2**25


@register("slvm")
class SLVM(Embedding):
    """Supervised latent variable model (SLVM): columns that reconstruct features and labels best.

    ``max tr(Z'(beta YY' + (1 - beta) XX')Z)`` subject to ``Z'Z = I``, X and Y not centred, Y in {0, 1}. With ``beta=0``
    these are the left singular vectors of X.

    Parameters
    ----------
    n_components : int, str or None, default=2
        Number of columns, 1..n_samples, less one where the constant vector is a trivial solution; a percentage of that
        such as ``"50%"``, rounded down to at least 1; None for all.
    beta : float, default=0.5
        Weight of the labels, in [0, 1].

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Most important column first; of each, the entry of largest magnitude is positive, of equal ones the first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each column to the objective, descending.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Yu, Yu and Tresp (2005), "Multi-label informed latent semantic indexing"; Mu, Goulermas, Tsujii and Ananiadou
    (2012), equation (17).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.SLVM(n_components=4, beta=0.9).fit_transform(data.X, data.Y).shape
    (300, 4)
    """

    complexity = Complexity("s m + k n m", "n m", least_bytes=1)
    supervised = True
    signed_values = False

    def __init__(self, n_components: int | str | None = 2, beta: float = 0.5) -> None:
        super().__init__(n_components)
        self.beta = beta

    def _check_parameters(self) -> None:
        check_range(self.beta, "beta", 0, 1)

    def _objective(self, data: TrainingSet) -> Form:
        large = is_sparse(data.labels) and np.prod(data.labels.shape) > _LARGE
        products = Form(graph=data.raw.gram) if large else inner_products(data.raw)
        features = products * (1.0 - self.beta)
        if features.factor is None:
            return features + Form(factor=data.labels, middle=self.beta)
        # one thin factor, whose left singular vectors are the embedding
        half = np.hstack([features.middle_root() * features.factor, np.sqrt(self.beta) * as_dense(data.labels)])
        return Form(factor=half)
