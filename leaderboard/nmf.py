"""Non-negative matrix factorisation of scaled features, which it needs to be 0 or more."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import NMF
from sklearn.preprocessing import MinMaxScaler


class ScaledNMF(TransformerMixin, BaseEstimator):
    """NMF of features scaled to [0, 1] by the training rows.

    Parameters
    ----------
    n_components : int, default=2
    random_state : int or None, default=None
    """

    def __init__(self, n_components: int = 2, random_state: int | None = None) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit to X of shape (n_samples, n_features)."""
        self.scaler_ = MinMaxScaler(clip=True)
        self.nmf_ = NMF(self.n_components, init="nndsvda", max_iter=500, random_state=self.random_state)
        self.nmf_.fit(self.scaler_.fit_transform(X))
        return self

    def transform(self, X: Any) -> Any:
        """Return the weights of X, shape (n_samples, n_components)."""
        return self.nmf_.transform(self.scaler_.transform(X))
