"""Comparison of methods over data sets: average ranks, Friedman's test and Nemenyi's test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError, from_extra
from mlreduce.validation import FloatArray

__all__ = [
    "RankComparison",
    "compare",
    "critical_difference",
    "friedman",
    "nemenyi",
    "rank_correlation",
    "rank_methods",
]

#: Decimals to which values are rounded before they are ranked.
DECIMALS = 12


def rank_methods(values: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    """Rank the methods, columns, within each data set, a row; 1 is best, ties share the average of their ranks.

    Values are rounded to 12 decimals first, so that what differs by rounding errors alone is a tie. Raises DataError if
    a value is missing.
    """
    missing = np.argwhere(values.isna().to_numpy())
    if len(missing):
        row, column = missing[0]
        raise DataError(
            f"data set {values.index[row]!r} has no value of method {values.columns[column]!r}; "
            "ranks need a value of every method on every data set."
        )
    return values.astype(float).round(DECIMALS).rank(axis=1, method="average", ascending=not higher_is_better)


def rank_correlation(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return Spearman's correlation of each row of two tables; 0 where a row of one of them has one value alone."""
    from scipy import stats

    ranks = [stats.rankdata(table, axis=1) for table in (first, second)]
    left, right = (rank - rank.mean(axis=1, keepdims=True) for rank in ranks)
    scale = np.sqrt((left**2).sum(axis=1) * (right**2).sum(axis=1))
    correlations: FloatArray = np.divide((left * right).sum(axis=1), scale, out=np.zeros(len(scale)), where=scale > 0)
    return correlations


def friedman(values: pd.DataFrame) -> tuple[float, float]:
    """Friedman's rank test of the hypothesis that all methods perform equally over the data sets [1]_.

    Values or ranks, in either direction, have one row per data set and one column per method. Ties are those of
    `rank_methods` and are corrected for. Returns the statistic, chi-square with (methods - 1) degrees of freedom, and
    the p-value: 0 and 1 where all methods are tied on every data set; NaN both for fewer than three methods or two data
    sets.

    References
    ----------
    .. [1] M. Friedman, "The use of ranks to avoid the assumption of normality implicit in the analysis of variance",
       Journal of the American Statistical Association 32(200), 675-701, 1937.
    """
    n_blocks, n_methods = values.shape
    if n_methods < 3 or n_blocks < 2:
        return float("nan"), float("nan")
    ranks = rank_methods(values, higher_is_better=False).to_numpy()
    if np.all(ranks == ranks[:, :1]):
        return 0.0, 1.0
    from scipy import stats  # slow to import, and most tables need none

    result = stats.friedmanchisquare(*ranks.T)
    return float(result.statistic), float(result.pvalue)


def critical_difference(n_methods: int, n_blocks: int, alpha: float = 0.05) -> float:
    """Return the critical difference of average ranks, after Nemenyi [1]_.

    ``CD = q_alpha sqrt(k (k + 1) / (6 N))`` with k methods and N data sets, where ``q_alpha`` is the quantile of the
    studentised range for k groups and infinite degrees of freedom over the root of 2 [2]_. NaN for fewer than two
    methods or data sets.

    References
    ----------
    .. [1] P. B. Nemenyi, "Distribution-free multiple comparisons", PhD thesis, Princeton University, 1963.
    .. [2] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning
       Research 7, 1-30, 2006.
    """
    if n_methods < 2 or n_blocks < 2:
        return float("nan")
    from scipy import stats

    quantile = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks)))


def nemenyi(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return p-values of all pairs of methods by Nemenyi's test, which follows Friedman's [1]_.

    Ranks are from `rank_methods`, so that ties are its ties. The table is symmetric, 1 on the diagonal; NaN elsewhere
    for fewer than two data sets.

    References
    ----------
    .. [1] P. B. Nemenyi, "Distribution-free multiple comparisons", PhD thesis, Princeton University, 1963.
    """
    n_blocks, n_methods = ranks.shape
    p_values = np.where(np.eye(n_methods, dtype=bool), 1.0, np.nan)
    if n_methods > 1 and n_blocks > 1:
        # Imported here: it brings seaborn along, and whoever wants a critical difference alone should not wait for it.
        with from_extra("plot", "tests of average ranks"):
            from scikit_posthocs import posthoc_nemenyi_friedman

        p_values = posthoc_nemenyi_friedman(ranks.to_numpy()).to_numpy()
    return pd.DataFrame(p_values, index=ranks.columns, columns=ranks.columns)


@dataclass(frozen=True)
class RankComparison:
    """Methods compared by their ranks over data sets."""

    #: Method to average rank, best first.
    average: pd.Series[float]
    #: Number of data sets.
    n_blocks: int
    #: Of Friedman's test.
    statistic: float
    p_value: float
    #: Of average ranks at the 5 % level.
    critical_difference: float
    #: Of all pairs, by Nemenyi's test.
    p_values: pd.DataFrame
    #: Data sets that are no blocks, since a method failed there.
    left_out: Sequence[str] = ()


def compare(values: pd.DataFrame, higher_is_better: bool, left_out: Sequence[str] = ()) -> RankComparison:
    """Compare methods, columns, by their ranks over data sets, rows, as Demsar recommends [1]_.

    Data sets that are ``left_out`` have no row, since a method failed there.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning
       Research 7, 1-30, 2006.
    """
    ranks = rank_methods(values, higher_is_better)
    n_blocks, n_methods = ranks.shape
    statistic, p_value = friedman(ranks)
    return RankComparison(
        average=ranks.mean().sort_values(kind="stable"),
        n_blocks=n_blocks,
        statistic=statistic,
        p_value=p_value,
        critical_difference=critical_difference(n_methods, n_blocks),
        p_values=nemenyi(ranks),
        left_out=left_out,
    )
