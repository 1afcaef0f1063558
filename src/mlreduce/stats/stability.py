"""Stability of feature selection: selections of several splits, and rankings of several random draws."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["order_correlation", "stability_index"]


def stability_index(selected: NDArray[np.bool_]) -> float:
    """Return the stability of selections of features, after Nogueira, Sechidis and Brown [1]_.

    ``1 - mean_f(s_f^2) / (k/d (1 - k/d))``, where ``s_f^2 = M / (M - 1) p_f (1 - p_f)`` is the sample variance of
    whether feature f is selected, ``p_f`` the share of the M selections, rows, that have it, and k the mean number of
    features of a selection. For selections of one size it is Kuncheva's index. It is 1 for selections that are all the
    same, 0 on average for random ones, not below ``-1 / (M - 1)``; NaN for fewer than two, and where all features are
    selected always, or none ever.

    References
    ----------
    .. [1] S. Nogueira, K. Sechidis and G. Brown, "On the stability of feature selection algorithms", Journal of Machine
       Learning Research 18(174), 1-54, 2018.
    """
    n_selections, n_features = selected.shape
    if n_selections < 2 or n_features == 0:
        return float("nan")
    shares = selected.mean(axis=0)
    share = float(shares.mean())
    if not 0 < share < 1:
        return float("nan")
    variance = n_selections / (n_selections - 1) * float((shares * (1 - shares)).mean())
    return float(1 - variance / (share * (1 - share)))


def order_correlation(rankings: pd.DataFrame) -> float:
    """Return Spearman's correlation of the rankings of several draws, averaged over their pairs and the splits.

    Rankings have the columns method (the draw), split, feature and rank, of one data set. The correlation is NaN where
    no split has two draws of two features.
    """
    correlations = []
    for _, part in rankings.groupby("split", sort=True):
        table = part.pivot(index="feature", columns="method", values="rank").corr(method="spearman").to_numpy()
        correlations.append(table[np.triu_indices_from(table, k=1)])
    pairs = [row.mean() for row in correlations if len(row)]
    return float(np.mean(pairs)) if pairs else float("nan")
