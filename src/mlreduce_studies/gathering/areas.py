"""Area under a method's curve over the sizes, and the mean over repeated draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError

# What one curve is of.
_CURVE = ["study", "protocol", "dataset", "method", "predictor", "measure"]

# What one value of a draw is of.
_CELL = ["study", "protocol", "dataset", "predictor", "size_percent", "energy", "size", "split", "measure"]

# What a draw is of that fails.
_FIT = ["protocol", "dataset", "predictor", "split"]


def area_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the area under the curve of each method on each split.

    The area is that of the trapezoids between the percentages below 100, over the distance of the first from the last:
    the mean along the curve, in the units of the measure. At 100 nothing is selected, and all methods are the same. A
    method with one percentage below has its value there; one that is measured at 100 alone, as all features are, has
    the value there.

    Scores have the columns study and protocol and `mlreduce.evaluation.scores.SCORE_COLUMNS`; rows that do not stand
    for a percentage are left out. Returns the same columns, sorted, one row per curve and split: ``size_percent``,
    ``energy`` and ``size`` are 0, so that `mlreduce_studies.gathering.summary.summarise` returns one row per curve.
    Raises DataError if the splits of a curve are not measured at the same percentages, each once: their areas would be
    of different things.
    """
    rows = scores[(scores["size_percent"] > 0) & (scores["energy"] == 0)]
    rows = rows.sort_values([*_CURVE, "split", "size_percent"], ignore_index=True)
    _check_percents(rows)
    alone = rows.groupby(_CURVE, observed=True)["size_percent"].transform("min") == 100
    rows = rows[alone | (rows["size_percent"] < 100)]
    starts = np.flatnonzero(~rows.duplicated([*_CURVE, "split"]))
    value, first = rows["value"].to_numpy(dtype=np.float64), rows.iloc[starts]
    width = np.diff(rows["size_percent"], prepend=0)
    width[starts] = 0  # a curve does not go on from the one before it
    part = np.where(width > 0, width * (value + np.roll(value, 1)) / 2, 0.0)
    if len(starts):
        width, part = np.add.reduceat(width, starts), np.add.reduceat(part, starts)
    area = np.where(width > 0, part / np.maximum(width, 1), first["value"])
    areas = first.assign(size_percent=0, energy=0.0, size=0, value=area)
    return areas[list(scores.columns)].reset_index(drop=True)


def _check_percents(rows: pd.DataFrame) -> None:
    """Refuse curves whose splits are measured at different sizes; ``rows`` are sorted."""
    expected = rows.groupby(_CURVE, observed=True)["size_percent"].transform("nunique")
    of_split = rows.groupby([*_CURVE, "split"], observed=True)["size_percent"]
    wrong = rows[(of_split.transform("size") != expected) | (of_split.transform("nunique") != expected)]
    if len(wrong):
        cell = wrong.iloc[0]
        raise DataError(
            f"split {cell['split']} of method {cell['method']!r} on data set {cell['dataset']!r} is not measured at "
            f"the same percentages as the other splits, each once, in {cell['measure']}; an area needs one curve a "
            "split."
        )


def averaged_draws(
    scores: pd.DataFrame, averages: Mapping[str, Sequence[str]], failures: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Append the mean over the draws of a method on each split, under the plain name of the method.

    ``averages`` has the plain name to the names of its draws, such as "random" to "random-0", "random-1" and so on.
    Draws have the same sizes. A split on which a draw failed, by ``failures``, has no mean. The means are after all
    other rows; their parameters are those of the first draw. A plain name none of whose draws was run has no rows.

    Raises DataError if a draw is missing in a split in which others are there and none failed, or the plain name
    already has scores.
    """
    parts = [scores]
    for name, draws in averages.items():
        if (scores["method"] == name).any():
            raise DataError(f"{name!r} has scores; the mean of its draws needs a name that no method has.")
        rows = scores[scores["method"].isin(draws)]
        if failures is not None:
            failed = pd.MultiIndex.from_frame(failures.loc[failures["method"].isin(draws), _FIT])
            rows = rows[~pd.MultiIndex.from_frame(rows[_FIT]).isin(failed)]
        parts += [_mean_of_draws(rows, name, draws)]
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def _mean_of_draws(rows: pd.DataFrame, name: str, draws: Sequence[str]) -> pd.DataFrame:
    if rows.empty:
        return rows
    cells = rows.pivot(index=_CELL, columns="method", values="value").reindex(columns=list(draws))
    there = rows.assign(there=True).pivot(index=_CELL, columns="method", values="there").reindex(columns=list(draws))
    gaps = np.argwhere(there.isna().to_numpy())
    if len(gaps):
        row, column = gaps[0]
        cell = dict(zip(_CELL, there.index[row], strict=True))
        raise DataError(
            f"draw {draws[column]!r} is missing in split {cell['split']} on data set {cell['dataset']!r} with "
            f"{cell['predictor']} ({cell['protocol']}, {cell['size_percent']} %, {cell['measure']}); the mean for "
            f"{name!r} needs every draw in every split."
        )
    first = rows[rows["method"] == draws[0]].set_index(_CELL)["parameters"].reindex(cells.index)
    means = cells.mean(axis=1, skipna=False).rename("value").to_frame().assign(method=name, parameters=first)
    return means.reset_index()[list(rows.columns)]
