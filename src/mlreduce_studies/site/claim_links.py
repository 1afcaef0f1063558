"""From a claim to its evidence: the comparison with its settings chosen, tables, figures, differences by data set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce_studies.site.runs import StudyResults

__all__ = ["LARGEST", "compare_links", "differences_by_pair", "title_of_part"]

#: What the comparison calls the largest number of dimensions that each method has.
LARGEST = "largest number of dimensions"

# Links of one setting to the comparison, at most: it shows one measure with one predictor at a time.
_LINKS = 6


def compare_links(study: StudyResults, line: Mapping[Any, Any]) -> list[dict[str, str]]:
    """Return links to the comparison with what a setting compares: one for each measure with each predictor.

    Parameters
    ----------
    study : StudyResults
    line : dict
        A row of claims-lines.csv, with `mlreduce_studies.verdicts.columns.LINE_COLUMNS`.

    Returns
    -------
    list of dict
        ``text`` and ``address``; none where the setting is about no measure, or about one method.
    """
    methods, datasets = _split(line["methods"]), _split(line["datasets"])
    rows = study.summary[study.summary["method"].isin(methods) & (study.summary["protocol"] == line["protocol"])]
    there = set(rows["method"].unique())
    methods = [name for name in methods if name in there]
    if len(methods) < 2:
        return []
    links = []
    for measure in _split(line["measures"]):
        measured = rows[rows["measure"] == measure]
        with_measure, measured_sets = set(measured["predictor"].unique()), set(measured["dataset"].unique())
        named = _split(line["predictors"]) or list(study.description["predictors"])
        for predictor in [name for name in named if name in with_measure]:
            chosen = {
                "study": study.key,
                "measure": measure,
                "protocol": line["protocol"],
                "predictor": predictor,
                "size": line["sizes"] or _usual_sizes(measured[measured["predictor"] == predictor]),
                "methods": "~".join(methods),
                "datasets": "~".join(name for name in datasets if name in measured_sets),
                "pair": "~".join(methods[:2]),
            }
            query = urlencode({key: value for key, value in chosen.items() if value}, quote_via=quote)
            links.append({"text": f"{measure_label(measure)}, {predictor}", "address": f"compare.html?{query}#result"})
    return links[:_LINKS]


def _split(text: str) -> list[str]:
    return text.split()


def _usual_sizes(rows: pd.DataFrame) -> str:
    """Return the sizes that a claim is about which names none, as the comparison calls them.

    See `mlreduce_studies.verdicts.quantities.values_of`.
    """
    if ((rows["size_percent"] == 0) & (rows["energy"] == 0)).any():
        return LARGEST
    percents = sorted(rows.loc[rows["size_percent"] > 0, "size_percent"].unique())
    return "; ".join(f"{percent} %" for percent in percents if percent < 100 or len(percents) == 1)


def differences_by_pair(table: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Return for each claim and setting its pairs of methods by data sets, from claims-differences.csv.

    Returns
    -------
    dict of (str, str) to dict
        ``datasets``, and ``rows`` with ``pair`` and ``cells``, in the order of the data sets.
    """
    pairs = {}
    table = table.assign(setting=table["setting"].astype(object).fillna(""))  # of claims with one setting it is empty
    for (claim, setting), part in table.groupby(["id", "setting"], sort=False):
        datasets = list(dict.fromkeys(part["dataset"]))
        rows = []
        for (method, other), of_pair in part.groupby(["method", "other"], sort=False):
            cells = {row["dataset"]: _cell(row) for row in of_pair.to_dict("records")}
            rows.append({"pair": f"{method} and {other}", "cells": [cells.get(name) for name in datasets]})
        pairs[str(claim), str(setting)] = {"datasets": datasets, "rows": rows}
    return pairs


def _cell(row: Mapping[Any, Any]) -> dict[str, Any]:
    number = row["wins"] + row["ties"] + row["losses"]
    beyond = "better" if row["difference"] > row["margin"] else "worse" if row["difference"] < -row["margin"] else ""
    return {
        "text": f"{row['difference']:+.3g}",
        "margin": f"{row['margin']:.2g}",
        "counts": f"{row['wins']}/{row['ties']}/{row['losses']}" if number > 1 else "",
        "class": beyond,
    }


def title_of_part(name: str) -> str:
    """Return the name of a table or figure in words.

    Examples
    --------
    >>> title_of_part("table4-at-ten"), title_of_part("figure-times")
    ('Table 4, at ten', 'Figure: times')
    """
    parts = re.fullmatch(r"(table|figure)(\d*)-?(.*)", name)
    if parts is None:
        return name
    number, rest = parts[2], parts[3].replace("-", " ")
    if not number:
        return f"{parts[1].capitalize()}: {rest}"
    return f"{parts[1].capitalize()} {number}{', ' if rest else ''}{rest}"
