"""What statements are about: values of methods per data set, cell and split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from mlreduce.metrics import higher_is_better

__all__ = ["QUANTITIES", "Results", "sign_of", "values_of"]

#: Quantities that are no measures of predictions.
QUANTITIES = ("seconds", "directions", "approximation-error")

_COLUMNS = ["dataset", "cell", "split", "value"]


@dataclass(frozen=True)
class Results:
    """Results of a study, one value per split.

    Attributes
    ----------
    scores : DataFrame
        Columns protocol, dataset, method, predictor, measure, size_percent, energy, size, split, value. A method that
        draws has the mean of its draws under its plain name.
    datasets : DataFrame
        Columns dataset, features, labels, of the data sets that were run.
    test_share : callable
        Of protocol and data set: the share of the rows in a test part.
    times : DataFrame or None, default=None
        Columns dataset, method, split, seconds.
    errors : DataFrame or None, default=None
        Columns dataset, method, size_percent, draw, value: of approximations.
    """

    scores: pd.DataFrame
    datasets: pd.DataFrame
    test_share: Callable[[str, str], float]
    times: pd.DataFrame | None = None
    errors: pd.DataFrame | None = None


def sign_of(quantity: str) -> int:
    """Return 1 where more of a quantity is better, -1 where less is: of times, directions and errors."""
    return 1 if quantity not in QUANTITIES and higher_is_better(quantity) else -1


def values_of(
    results: Results, method: str, quantities: Sequence[str], select: Mapping[str, Any], datasets: Sequence[str]
) -> pd.DataFrame:
    """Return the values of a method.

    Parameters
    ----------
    results : Results
    method : str
    quantities : sequence of str
        Measures, or of `QUANTITIES`.
    select : dict
        ``protocol``; ``predictor``, one or a list; and one of ``sizes`` (percentages), ``energy`` (a threshold) and
        ``directions`` (a number, or fewer where a method has no more). Without these the number of directions that a
        study names, else all percentages below 100, else 100.
    datasets : sequence of str

    Returns
    -------
    DataFrame
        Columns dataset, cell (quantity, predictor and size as text), split, value; no row for what was not run.
    """
    parts = [_own(results, method, quantity, select) for quantity in quantities]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=_COLUMNS)
    return table[table["dataset"].isin(list(datasets)) & table["value"].notna()].reset_index(drop=True)


def _own(results: Results, method: str, quantity: str, select: Mapping[str, Any]) -> pd.DataFrame:
    if quantity == "seconds":
        rows = _of(results.times, method, ["split", "seconds"]).rename(columns={"seconds": "value"})
        return rows.assign(cell=quantity).reindex(columns=_COLUMNS)
    if quantity == "approximation-error":
        rows = _of(results.errors, method, ["size_percent", "draw", "value"]).rename(columns={"draw": "split"})
        if "sizes" in select:
            rows = rows[rows["size_percent"].isin(select["sizes"])]
        return rows.assign(cell=[f"{quantity} {percent} %" for percent in rows["size_percent"]]).reindex(
            columns=_COLUMNS
        )
    rows = _of(results.scores, method)
    rows = rows[rows["protocol"] == select["protocol"]]
    if "predictor" in select:
        wanted = select["predictor"]
        rows = rows[rows["predictor"].isin([wanted] if isinstance(wanted, str) else wanted)]
    if quantity != "directions":
        rows = rows[rows["measure"] == quantity]
    rows = _at_sizes(rows, select)
    if quantity == "directions":
        rows = rows.assign(value=rows["size"], predictor="", measure="directions")
        rows = rows.drop_duplicates(["dataset", "split", "size_percent", "energy"])
    place = [f"{percent} %" if percent else "" for percent in rows["size_percent"]]
    cells = [" ".join(filter(None, cell)) for cell in zip(rows["measure"], rows["predictor"], place, strict=True)]
    return rows.assign(cell=cells).reindex(columns=_COLUMNS)


def _of(table: pd.DataFrame | None, method: str, columns: Sequence[str] = ()) -> pd.DataFrame:
    if table is None:
        return pd.DataFrame(columns=["dataset", "method", *columns])
    rows: pd.DataFrame = table[table["method"] == method]
    return rows


def _at_sizes(rows: pd.DataFrame, select: Mapping[str, Any]) -> pd.DataFrame:
    if "sizes" in select:
        rows = rows[rows["size_percent"].isin(select["sizes"]) & (rows["energy"] == 0)]
        return rows
    if "energy" in select:
        rows = rows[(rows["energy"] - select["energy"]).abs() < 1e-9]
        return rows
    numbered = rows[(rows["size_percent"] == 0) & (rows["energy"] == 0)]
    if len(numbered) or "directions" in select:
        if "directions" in select:
            numbered = numbered[numbered["size"] <= select["directions"]]
        keys = ["dataset", "predictor", "measure", "split"]
        largest = numbered.groupby(keys)["size"].transform("max")
        kept: pd.DataFrame = numbered[numbered["size"] == largest]
        return kept
    percents = rows[rows["size_percent"] > 0]
    below: pd.DataFrame = percents[percents["size_percent"] < 100]
    return below if len(below) else percents
