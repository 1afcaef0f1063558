"""From a claim to its evidence: the comparison with its settings chosen, tables, figures, differences by data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import pandas as pd

from mlreduce_studies.runs import StudyResults

#: What the comparison calls the largest number of dimensions that each method has.
LARGEST = "largest number of dimensions"


def compare_link(study: StudyResults, line: Mapping[Any, Any]) -> str:
    """Return the address of the comparison as a setting of a claim makes it.

    Wins, ties and losses there are those of the setting, a row of claims-lines.csv. "" where the comparison cannot show
    it: where it was not run, is about no measure or one method, or chooses other predictors or sizes for the second.
    """
    how = study.description["compared"].get(line["id"], {}).get(line["setting"])
    cells = chosen_cells(study, line)
    methods = line["methods"].split()
    if how is None or cells is None or len(methods) < 2:
        return ""
    chosen = {
        "claim": line["id"],
        "study": study.name,
        "measure": "~".join(cells["measures"]),
        "protocol": line["protocol"],
        "predictor": "~".join(cells["predictors"]),
        "size": cells["size"],
        **how,
        "direction": line["kind"],
        "methods": "~".join(methods),
        "datasets": "~".join(line["datasets"].split()),
    }
    return f"compare.html?{urlencode({key: str(value) for key, value in chosen.items()}, quote_via=quote)}#claim"


def chosen_cells(study: StudyResults, line: Mapping[Any, Any]) -> dict[str, Any] | None:
    """Return ``measures``, ``predictors`` and ``size`` of a setting; None where some of its methods were not run."""
    if line["verdict"] == "not run":
        return None
    methods, measures = line["methods"].split(), line["measures"].split()
    keys = [(line["protocol"], measure) for measure in measures]
    rows = pd.concat([study.by_measure[key] for key in keys if key in study.by_measure] or [study.summary.iloc[:0]])
    rows = rows[rows["method"].isin(methods)]
    there = {*rows["predictor"].unique()}
    predictors = line["predictors"].split() or [name for name in study.description["predictors"] if name in there]
    rows = rows[rows["predictor"].isin(predictors) & rows["dataset"].isin(line["datasets"].split())]
    if {*rows["method"].unique()} != {*methods}:
        return None
    return {"measures": measures, "predictors": predictors, "size": line["sizes"] or _usual_sizes(rows)}


def _usual_sizes(rows: pd.DataFrame) -> str:
    """Return the sizes that a claim is about which names none, as `mlreduce_studies.verdicts.quantities.values_of`."""
    if ((rows["size_percent"] == 0) & (rows["energy"] == 0)).any():
        return LARGEST
    percents = sorted(rows.loc[rows["size_percent"] > 0, "size_percent"].unique())
    return "; ".join(f"{percent} %" for percent in percents if percent < 100 or len(percents) == 1)


def differences_by_setting(table: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Return the rows of claims-differences.csv for each claim and setting, whose name is "" where there is one."""
    table = table.assign(setting=table["setting"].astype(object).fillna(""))
    return {(str(claim), str(setting)): part for (claim, setting), part in table.groupby(["id", "setting"], sort=False)}
