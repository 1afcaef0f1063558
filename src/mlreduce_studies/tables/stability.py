"""Table of the stability of feature selection over the splits, and of the agreement of random draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlreduce.evaluation.scores import percent_size
from mlreduce.exceptions import DataError
from mlreduce.stats.stability import order_correlation, stability_index
from mlreduce_studies.gathering.failed_cells import GAP, GAP_COLUMNS, cell_reasons
from mlreduce_studies.options import SIZE_PERCENTS
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part, counted, number_of_splits

#: Columns of a table of stability.
STABILITY_COLUMNS = (*("protocol", "dataset", "method", "size_percent", "stability", "order_correlation", "splits"),)


def stability_parts(tidy: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay stabilities out: one part per protocol and size, one row per data set, one column per method.

    The correlations of draws are separate parts, of the methods with draws.
    """
    methods = spec["methods"]
    for protocol, part in tidy.groupby("protocol", sort=True):
        splits = counted(number_of_splits(part), "splits")
        for percent, at in part.groupby("size_percent", sort=True):
            title = f"{protocol}, {percent} % of the features, {splits}"
            yield f"{protocol}-{percent}", title, *_rows(at, "stability", methods)
        drawn = part.dropna(subset="order_correlation").drop_duplicates(["dataset", "method"])
        if len(drawn):
            title = f"{protocol}, correlation of draws, {splits}"
            with_draws = [method for method in methods if (drawn["method"] == method).any()]
            yield f"{protocol}-draws", title, *_rows(drawn, "order_correlation", with_draws)


def _rows(cells: pd.DataFrame, column: str, methods: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    of_method = cells.set_index(["dataset", "method"])
    texts = {key: "" if np.isnan(value) else f"{value:.3f}" for key, value in of_method[column].items()}
    texts |= {key: GAP for key, splits in of_method["splits"].items() if not splits}
    rows = [
        [str(name), *(texts.get((name, method), "") for method in methods)]
        for name in sorted(cells["dataset"].unique())
    ]
    return ["dataset", *methods], rows


def _check_once(rankings: pd.DataFrame) -> None:
    repeated = rankings[rankings.duplicated(["protocol", "dataset", "method", "split", "feature"])]
    if len(repeated):
        cell = repeated.iloc[0]
        raise DataError(
            f"split {cell['split']} of method {cell['method']!r} on data set {cell['dataset']!r} ranks feature "
            f"{cell['feature']} twice; a ranking has every feature once."
        )


def _draws(methods: Sequence[str], ranked: Set[str]) -> dict[str, list[str]]:
    """Map the methods that are ranked to the names under which they are."""
    names: dict[str, list[str]] = {}
    for method in methods:
        draws = sorted(name for name in ranked if re.fullmatch(rf"{re.escape(method)}-\d+", name))
        if draws or method in ranked:
            names[method] = draws or [method]
    return names


def _number_of_splits(rankings: pd.DataFrame, method: str, dataset: str) -> int:
    numbers = rankings.groupby("method", observed=True)["split"].nunique()
    if numbers.nunique() > 1 or numbers.iloc[0] != rankings["split"].nunique():
        raise DataError(
            f"the draws of {method!r} on data set {dataset!r} are of different splits; their stability needs the same."
        )
    return int(numbers.iloc[0])


def _ranks(rankings: pd.DataFrame) -> NDArray[np.float64]:
    """Return ranks, splits by features; NaN where a split does not rank a feature."""
    return rankings.pivot(index="split", columns="feature", values="rank").to_numpy(dtype=np.float64)


def _selected(ranks: NDArray[np.float64], percent: int) -> NDArray[np.bool_]:
    """Return which features each split selects."""
    in_every_split = int((~np.isnan(ranks)).all(axis=0).sum())
    return ranks <= percent_size(percent, in_every_split)  # NaN is not


@table(
    "stability",
    source="rankings.parquet",
    layout=stability_parts,
    with_gaps=True,
    required={"size_percents": SIZE_PERCENTS},
    note="Stability of the selected features over the splits (Nogueira, Sechidis and Brown, 2018): 1 where all splits "
    "select the same, 0 on average where they select at random; of a method with several draws, the mean. For "
    "these, Spearman's correlation of the draws' rankings within a split too.",
)
def stability_table(rankings: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Return the stability of methods over the splits, at several sizes, and the agreement of their draws.

    The features of a data set are those that any split ranks. A feature that is constant in a split is not ranked, and
    so not selected, there. All splits select the same number of features: the percentage, rounded down and at least
    one, of those that every split ranks.

    Rankings have the columns protocol, dataset, method, split, feature and rank (1 is best). A split on which a draw
    failed, in a row of `mlreduce_studies.gathering.failed_cells.with_failed_rows`, is left out of all draws of the
    method. ``spec`` has ``methods`` and ``size_percents``; a method whose draws are ranked, as name-0, name-1 and so
    on, has the mean of their indices.

    Returns `STABILITY_COLUMNS`, sorted; ``order_correlation`` belongs to methods with several draws, is the same at
    every size, and NaN for others. With `mlreduce_studies.gathering.failed_cells.GAP_COLUMNS` where one failed. Raises
    DataError if a split ranks a feature twice, or draws of a method are of different splits.
    """
    _check_once(rankings)
    rows = []
    for (protocol, dataset), part in rankings.groupby(["protocol", "dataset"], sort=True, observed=True):
        for method, draws in _draws(spec["methods"], set(part["method"])).items():
            ranked = part[part["method"].isin(draws)]
            failed = (0, "")
            if "reason" in ranked:
                reasons = cell_reasons(ranked.assign(method=method), ["method"])
                failed = tuple(reasons[list(GAP_COLUMNS)].iloc[0]) if len(reasons) else failed
                ranked = ranked[~ranked["split"].isin(ranked.loc[ranked["reason"] != "", "split"])]
            splits = _number_of_splits(ranked, method, str(dataset)) if len(ranked) else 0
            agreement = order_correlation(ranked) if len(draws) > 1 else float("nan")
            ranks = [_ranks(ranked[ranked["method"] == draw]) for draw in draws] if len(ranked) else []
            for percent in spec["size_percents"]:
                indices = [stability_index(_selected(of_draw, percent)) for of_draw in ranks]
                stability = float(np.mean(indices)) if indices else float("nan")
                rows.append((protocol, dataset, method, percent, stability, agreement, splits, *failed))
    tidy = pd.DataFrame(rows, columns=[*STABILITY_COLUMNS, *GAP_COLUMNS])
    tidy = tidy.sort_values(list(STABILITY_COLUMNS[:4]), ignore_index=True)
    return tidy if "reason" in rankings else tidy[list(STABILITY_COLUMNS)]
