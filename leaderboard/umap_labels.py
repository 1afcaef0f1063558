"""UMAP that takes the labels of the training rows into account."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, Self

import numpy as np
import umap
from sklearn.base import BaseEstimator, TransformerMixin


class UMAPLabels(TransformerMixin, BaseEstimator):
    """UMAP with a label matrix as target, one of the graphs that it joins.

    Parameters
    ----------
    n_components : int, default=2
    n_neighbors : int, default=15
        Fewer where there are not so many rows.
    target_metric : str, default="jaccard"
        Of the rows of the label matrix.
    target_weight : float, default=0.5
        From 0, features alone, to 1, labels alone.
    random_state : int or None, default=None
    """

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: int = 15,
        target_metric: str = "jaccard",
        target_weight: float = 0.5,
        random_state: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.target_metric = target_metric
        self.target_weight = target_weight
        self.random_state = random_state
        _compile(target_metric)

    def fit(self, X: Any, y: Any) -> Self:
        """Embed X of shape (n_samples, n_features) with labels of shape (n_samples, n_labels)."""
        self.umap_ = umap.UMAP(
            n_components=min(self.n_components, X.shape[0] - 2),  # its spectral start has no more
            n_neighbors=min(self.n_neighbors, X.shape[0] - 1),
            target_metric=self.target_metric,
            target_weight=self.target_weight,
            random_state=self.random_state,
            n_jobs=1,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.umap_.fit(X, np.asarray(y, dtype=np.float64))
        return self

    def transform(self, X: Any) -> Any:
        """Return the image of X, rows of which are placed together."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.umap_.transform(X)


@cache
def _compile(metric: str) -> None:
    """Let Numba compile UMAP, which takes longer than most fits and is no part of them."""
    X, y = np.random.default_rng(0).random((60, 4)), np.tile(np.eye(4), (15, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        small = umap.UMAP(n_neighbors=5, target_metric=metric, n_epochs=11, random_state=0, n_jobs=1)
        small.fit(X[:50], y[:50]).transform(X[50:])
