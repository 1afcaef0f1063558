"""One ranking of methods over data sets, which all pages, tables and recommendations read.

A *setting* is a data set at one size (and, where predictors are averaged over, with one predictor). In each setting all
methods are compared; the settings of a data set have the same weight, and so have the data sets, or the groups of
related data sets where these are given.

- **Sizes** are those that all methods of several sizes have. At 100 % nothing is reduced, and methods tie: that size
  is left out where there is another.
- **Controls** such as all features or binary relevance have one size, and so may methods that choose a size: they
  enter every setting with their one value, as a line in a plot against the size.
- **One variant per method**: see `one_variant`.
- **What failed** is last in its setting, with the value of the last of the others in the mean. A data set is left out
  only where a method was never tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.stats.ranks import DECIMALS, rank_methods
from mlreduce.validation import FloatArray

__all__ = ["CONTROLS", "FULL", "MARGIN", "WHOLE", "Ranking", "highlighted", "one_variant", "rank", "variants"]

#: Differences up to this, in units of the measure, are of no practical importance.
MARGIN = 0.01

#: Registered names of controls: no reduction, and chance. What does not beat them is of no use.
CONTROLS = ("all-features", "br", "majority-labels", "pbr", "random-features", "random-projection")

#: Those of them that reduce nothing.
WHOLE = ("all-features", "br")

#: The size in percent at which nothing is reduced.
FULL = 100.0

_CELL = ("method", "size", "value")
_RESAMPLES, _SEED, _LEVEL = 2000, 2012, 0.95


@dataclass(frozen=True)
class Ranking:
    """Methods ranked over data sets; made by `rank`."""

    #: A row per method, indexed by it, the best first (by ``near``, then ``rank``): ``near``, the probability that it
    #: is within the margin of the best of its setting; ``low`` and ``high`` of its 95 % interval; ``rank``, the average
    #: (1 is best, ties share); ``won``, the share of the settings in which no method has a better value; ``mean``
    #: value; ``seconds`` (NaN where unknown); ``front``, whether no method is better by its mean and as fast, or faster
    #: and as good.
    table: pd.DataFrame
    #: ``near``, ``rank``, ``won`` and ``mean`` on each data set: data sets by methods.
    by_set: Mapping[str, pd.DataFrame]
    #: Data sets on which a method was never tried, or without a common size.
    left_out: list[str]
    settings: int
    margin: float

    @property
    def data_sets(self) -> list[str]:
        """Names of the data sets, sorted."""
        return [*map(str, self.by_set["near"].index)]


def one_variant(
    cells: pd.DataFrame, names: Mapping[str, str], draws: Mapping[str, Sequence[str]] | None = None
) -> pd.DataFrame:
    """Return the cells of one variant per method, under the name of the method.

    Of several parametrisations of a method that is the one whose label is the name of the method, or else the first.
    The draws of a method that draws are one variant: their mean, which failed where a draw failed.

    Cells have the columns method (a label), value, and those that a value is of. ``names`` has labels to names of
    methods, in the order of the study; of draws the label of the mean. Labels that it does not have are left out.
    ``draws`` has the label of a mean to those of the draws, whose rows are replaced by the mean, where it is not there
    already.
    """
    for mean, labels in (draws or {}).items():
        is_draw = cells["method"].isin(labels)
        if is_draw.any() and not cells["method"].eq(mean).any():
            keys = [name for name in cells.columns if name not in ("method", "value")]
            made = (
                cells[is_draw]
                .groupby(keys, sort=False, observed=True)["value"]
                .agg(lambda drawn: drawn.mean(skipna=False))
            )
            cells = pd.concat([cells, made.reset_index().assign(method=mean)], ignore_index=True)
        cells = cells[~cells["method"].isin(labels)]
    chosen = variants(cells["method"].unique(), names)
    back = {label: name for name, label in chosen.items()}
    rows: pd.DataFrame = cells[cells["method"].isin(list(back))]
    return rows.assign(method=rows["method"].map(back).astype(object))


def variants(labels: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each method to the label that represents it: the same name, or else the first in order.

    ``names`` has labels to names of methods, in the order of the study.

    Examples
    --------
    >>> from mlreduce.stats.ranking import variants
    >>> variants(["fast", "slow", "pca"], {"slow": "plst", "fast": "plst", "pca-2": "pca", "pca": "pca"})
    {'plst': 'slow', 'pca': 'pca'}
    """
    there, chosen = set(labels), dict[str, str]()
    for label, name in names.items():
        if label in there and (label == name or name not in chosen):
            chosen[name] = label
    return chosen


def rank(
    cells: pd.DataFrame,
    higher_is_better: bool,
    margin: float = MARGIN,
    seconds: Mapping[str, float] | None = None,
    groups: Mapping[str, str] | None = None,
    full: float = FULL,
) -> Ranking:
    """Rank methods over data sets by the cells of one measure.

    Cells have the columns dataset, method, size (in percent; of a method with one size any number) and value: NaN where
    the method failed, no row where it was not tried. Further columns, such as predictor, are part of a setting. Values
    are rounded to 12 decimals first, as in `mlreduce.stats.ranks.rank_methods`.

    The margin, >= 0, is in units of the measure. ``seconds``, > 0, are what a method takes. ``groups`` has data sets to
    the group of related ones that they belong to; others are a group each. Groups have the same weight, and are what is
    resampled; None weights the data sets equally. ``full`` is the size at which nothing is reduced, where sizes are not
    in percent.

    The interval is that of a bootstrap over the data sets (or groups), and one more that is unseen: for the lower end
    the method is not near the best on it, for the upper end it is. So what holds on all data sets is not certain, and
    few of them say little. Raises DataError if a method has several values in a setting, or no data set is left.

    Examples
    --------
    >>> import pandas as pd
    >>> from mlreduce.stats.ranking import rank
    >>> values = {"pca": (0.50, 0.60), "mvmd": (0.58, 0.70), "br": (0.60, 0.69)}
    >>> cells = pd.DataFrame([(d, m, 10, v) for m, pair in values.items() for d, v in zip("ab", pair)],
    ...                      columns=["dataset", "method", "size", "value"])
    >>> rank(cells, higher_is_better=True).table[["near", "rank"]].to_dict("index")
    {'br': {'near': 1.0, 'rank': 1.5}, 'mvmd': {'near': 0.5, 'rank': 1.5}, 'pca': {'near': 0.0, 'rank': 3.0}}
    """
    data_sets, methods, values, left_out = _settings(cells, full)
    worst, sign = (-np.inf, 1.0) if higher_is_better else (np.inf, -1.0)
    rounded = pd.DataFrame(np.where(np.isnan(values), worst, values).round(DECIMALS), columns=methods)
    ranks = rank_methods(rounded, higher_is_better).to_numpy()
    signed, there = sign * rounded.to_numpy(), np.isfinite(values)
    best = signed.max(axis=1, keepdims=True)
    behind = np.where(there, best - np.where(there, signed, 0.0), np.inf).round(DECIMALS)
    last = np.where(there, signed, np.inf).min(axis=1, keepdims=True)
    of_last = np.where(np.isfinite(last), last, np.nan)  # of a setting in which all failed there is none
    names, first = np.unique(data_sets, return_index=True)
    counts = np.diff([*first, len(data_sets)])[:, None]
    by_set = {
        name: pd.DataFrame(
            (np.add.reduceat(by_setting, first) / counts).round(DECIMALS),
            index=pd.Index(names, name="dataset"),
            columns=methods,
        )
        for name, by_setting in {
            "near": (behind <= margin) * 1.0,
            "rank": ranks,
            "won": (behind == 0) * 1.0,
            "mean": sign * np.where(there, signed, of_last),
        }.items()
    }
    of_set = [(groups or {}).get(str(name), str(name)) for name in names]
    by_group = {name: part.groupby(of_set).mean() for name, part in by_set.items()}
    table = pd.DataFrame({name: part.mean() for name, part in by_group.items()})
    low, high = _interval(by_group["near"].to_numpy())
    taken = pd.Series(seconds or {}, dtype=float).reindex(table.index)
    table = table.assign(low=low, high=high, seconds=taken)
    table["front"] = _front(table["mean"].to_numpy() * (1 if higher_is_better else -1), taken.to_numpy())
    table = table[["near", "low", "high", "rank", "won", "mean", "seconds", "front"]].rename_axis("method")
    shares = ["near", "low", "high", "rank", "won"]
    table[shares] = table[shares].round(DECIMALS)  # so that they are printed the same for any order of summation
    order = sorted(table.index, key=lambda name: (-table["near"][name], table["rank"][name], name))
    return Ranking(table.loc[order], by_set, left_out, len(values), margin)


def highlighted(
    table: pd.DataFrame, controls: Iterable[str] = CONTROLS, best: int = 5, most: int = 8, own: Iterable[str] = ()
) -> list[str]:
    """Return the methods that a picture names: the best ones and, as far as there is room, its own and the controls.

    The table is that of a `Ranking`, in whose order they are. ``best`` is how many of the best, and ``most`` how many
    at all; ``own`` is what the picture is about, such as the methods of a paper.
    """
    order, known, about = list(table.index), set(controls), set(own)
    others = sorted((name for name in order[best:] if name in known | about), key=lambda name: name not in about)
    shown = {*order[:best], *others[: most - best]}
    return [name for name in order if name in shown]


def _settings(cells: pd.DataFrame, full: float) -> tuple[list[str], list[str], FloatArray, list[str]]:
    """Return the data set of each setting, in order, the methods, values, and the data sets that are left out."""
    keys = ["dataset", *(name for name in cells.columns if name not in ("dataset", *_CELL))]
    found: dict[tuple[str, ...], dict[str, dict[float, float]]] = {}
    for *key, method, size, value in cells[[*keys, *_CELL]].itertuples(index=False, name=None):
        by_size = found.setdefault(tuple(map(str, key)), {}).setdefault(str(method), {})
        if size in by_size:
            raise DataError(
                f"method {method!r} has several values on data set {key[0]!r} at size {size:g}; a ranking needs one: "
                "the mean over the splits, of one protocol, predictor and measure."
            )
        by_size[size] = value
    methods = sorted({method for by_method in found.values() for method in by_method})
    parts = {key: _settings_of(by_method, methods, full) for key, by_method in found.items()}
    left_out = {key[0] for key, rows in parts.items() if not rows}
    settings = [(key[0], row) for key in sorted(parts) if key[0] not in left_out for row in parts[key]]
    if not settings:
        raise DataError(
            "no data set can be ranked: on each of them a method was not tried, or methods have no size in common."
        )
    return (
        [name for name, _ in settings],
        methods,
        np.array([row for _, row in settings], dtype=np.float64),
        sorted(left_out),
    )


def _settings_of(found: Mapping[str, Mapping[float, float]], methods: Sequence[str], full: float) -> list[list[float]]:
    """Return the values of the methods at each common size; none where a method was not tried or no size is common."""
    if len(found) < len(methods):
        return []
    several = [set(by_size) for by_size in found.values() if len(by_size) > 1]
    common = set.intersection(*several) if several else {full}
    sizes = sorted(common - {full} or common)
    return [
        [found[name][size] if len(found[name]) > 1 else next(iter(found[name].values())) for name in methods]
        for size in sizes
    ]


def _interval(near: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both ends of the interval of the mean over the data sets, for each method (column)."""
    weights = _weights(len(near) + 1)
    known, unseen = weights[:, :-1] @ near, weights[:, -1:]
    low = np.quantile(known.round(DECIMALS), (1 - _LEVEL) / 2, axis=0, method="lower")
    high = np.quantile((known + unseen).round(DECIMALS), (1 + _LEVEL) / 2, axis=0, method="higher")
    return np.minimum(low, near.mean(axis=0)), np.maximum(high, near.mean(axis=0))


@cache
def _weights(number: int) -> FloatArray:
    """Return the share of each of some data sets in each resample."""
    drawn = np.random.default_rng(_SEED).integers(number, size=(_RESAMPLES, number))
    return np.stack([(drawn == place).sum(axis=1) for place in range(number)], axis=1) / number


def _front(quality: Any, seconds: Any) -> list[bool]:
    """Return which points no other point dominates; none without seconds."""
    quality = quality.round(DECIMALS)
    return [
        bool(
            np.isfinite(seconds[one])
            and not np.any(
                (quality >= quality[one])
                & (seconds <= seconds[one])
                & ((quality > quality[one]) | (seconds < seconds[one]))
            )
        )
        for one in range(len(quality))
    ]
