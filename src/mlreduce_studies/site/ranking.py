"""Ranks of methods within each setting of a study, and their averages."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mlreduce.metrics import higher_is_better
from mlreduce_studies.gathering.summary import with_own_size

__all__ = ["RANK_COLUMNS", "average_ranks", "setting_ranks"]

# What methods are ranked within; a number of dimensions is a setting only where it is no percentage or threshold.
_SETTING = ["protocol", "dataset", "predictor", "measure", "size_percent", "energy", "own_size"]

#: Columns of average ranks, beside those that they are averaged by.
RANK_COLUMNS = ("method", "rank", "of", "best", "settings")


def setting_ranks(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a summary with the rank of each method among those of its setting, best first, and their number.

    Parameters
    ----------
    summary : DataFrame
        With `mlreduce_studies.gathering.summary.SUMMARY_COLUMNS`, without gaps.

    Returns
    -------
    DataFrame
        With ``own_size``, ``rank`` (ties share the mean) and ``of``. Settings with one method are left out.
    """
    rows = with_own_size(summary)
    signs = {name: -1.0 if higher_is_better(name) else 1.0 for name in rows["measure"].unique()}
    ordered = rows["mean"] * rows["measure"].map(signs).astype(float)
    groups = ordered.groupby([rows[name] for name in _SETTING], observed=True, sort=False)
    rows = rows.assign(rank=groups.rank(method="average"), of=groups.transform("size"))
    return rows[rows["of"] > 1]


def average_ranks(ranks: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return average rank, number of methods, share of settings in which it is best, and number of settings.

    Parameters
    ----------
    ranks : DataFrame
        From `setting_ranks`.
    by : sequence of str
        Columns beside the method.

    Returns
    -------
    DataFrame
        With ``by`` and `RANK_COLUMNS`, the best first within each of ``by``.
    """
    keys = [*by, "method"]
    plain = {key: ranks[key].astype(object) for key in keys}  # of categories every combination would be looked at
    groups = ranks.assign(first=ranks["rank"] < 2, **plain).groupby(keys, sort=False)
    found = groups.agg(rank=("rank", "mean"), of=("of", "mean"), best=("first", "mean"), settings=("rank", "size"))
    return found.reset_index().sort_values([*by, "rank", "method"], ignore_index=True)
