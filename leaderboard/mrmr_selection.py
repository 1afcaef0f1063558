"""Minimum redundancy, maximum relevance by the package mrmr-selection, for several labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from mrmr import mrmr_classif
from sklearn.base import BaseEstimator


class MRMR(BaseEstimator):
    """Rank features by the package mrmr-selection, with sets of labels as classes.

    The package takes one target: the sets of labels that occur are its classes, as in a label powerset.

    Parameters
    ----------
    share : float, default=0.5
        Of the features, which are chosen one by one; the others come last.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The number of features for the first that is chosen, one less for the next, 0 for those that are not.
    """

    def __init__(self, share: float = 0.5) -> None:
        self.share = share

    def fit(self, X: Any, y: Any) -> Self:
        """Rank the columns of X of shape (n_samples, n_features) for labels of shape (n_samples, n_labels)."""
        X = np.asarray(X.todense() if hasattr(X, "todense") else X, dtype=np.float64)
        _, classes = np.unique(np.asarray(y), axis=0, return_inverse=True)
        number = max(1, round(self.share * X.shape[1]))
        chosen = mrmr_classif(pd.DataFrame(X), pd.Series(classes.ravel()), K=number, n_jobs=1, show_progress=False)
        self.scores_ = np.zeros(X.shape[1])
        self.scores_[list(chosen)] = X.shape[1] - np.arange(len(chosen))
        return self
