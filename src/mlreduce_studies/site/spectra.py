"""Eigenvalues of the methods of a study on a data set, for the page of the data set."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.plot.colours import FAINT, MOST, method_styles
from mlreduce_studies.site.runs import StudyResults

# Points of a line, at most: evenly spaced on the logarithmic axis.
_POINTS = 60


def spectra_of(study: StudyResults, dataset: str, named: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the eigenvalues of methods on the first split of a data set, a part per protocol.

    Parameters
    ----------
    named : collection of str, default=()
        Of more than eight methods those that have colours; the first eight where none of them has eigenvalues.

    Returns
    -------
    list of dict
        ``study``, ``protocol``, ``rows`` (method, number of positive eigenvalues, the largest, and the share of their
        sum in the first ten) and ``panel``, what the chart draws: eigenvalues over the largest one. Empty where the run
        kept none.
    """
    table = study.frame("spectra")
    if table is None:
        return []
    positive = table[(table["dataset"] == dataset) & (table["eigenvalue"] > 0)]
    parts = []
    for protocol, part in positive.groupby("protocol", sort=True, observed=True):
        part = part[part["split"] == part["split"].min()].sort_values(["method", "index"])
        spectra = {str(name): group for name, group in part.groupby("method", sort=False, observed=True)}
        methods = [name for name in [*study.description["methods"], *sorted(spectra)] if name in spectra]
        methods = list(dict.fromkeys(methods))
        panel = {
            **{"title": f"{study.key}, {protocol}", "lines": _lines(methods, spectra, named)},
            **{
                "x": {"label": "index of the eigenvalue", "log": True},
                "y": {"label": "eigenvalue / largest", "log": True},
            },
        }
        rows = [_row(name, spectra[name]["eigenvalue"].to_numpy(float)) for name in methods]
        parts.append({"study": study.key, "protocol": str(protocol), "rows": rows, "panel": panel})
    return parts


def _row(method: str, values: Any) -> dict[str, Any]:
    ordered = np.sort(values)[::-1]
    return {
        "method": method, "positive": len(ordered), "largest": float(ordered[0]),
        "first_ten": float(ordered[:10].sum() / ordered.sum()),
    }  # fmt: skip


def _lines(methods: list[str], spectra: dict[str, pd.DataFrame], named: Collection[str]) -> list[dict[str, Any]]:
    few = methods if len(methods) <= MOST else [name for name in methods if name in named]
    styles = method_styles(methods, few or methods[:MOST])
    lines = []
    for name in methods:
        index, values = (spectra[name][column].to_numpy(float) for column in ("index", "eigenvalue"))
        shown = np.unique(np.geomspace(1, len(index), min(_POINTS, len(index))).round().astype(int)) - 1
        points = [[float(index[at]), float(f"{values[at] / values.max():.4g}")] for at in shown]
        dash = styles[name]["linestyle"]
        lines.append(
            {"name": name, "colour": styles[name]["color"], "dash": None if dash == "-" else list(dash[1])}
            | {
                "marker": styles[name]["marker"],
                "width": 1.1,
                "points": points,
                "faint": styles[name]["color"] == FAINT,
            }
        )
    return lines
