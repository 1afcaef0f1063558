"""Which file of a study each kind of table and figure is made from: what the workflow needs to know of them."""

from __future__ import annotations

__all__ = ["FIGURE_SOURCES", "TABLE_SOURCES"]

#: Kind of table or figure to the file of the study that it is made from.
TABLE_SOURCES = {
    "sizes": "summary.csv",
    "ranked": "summary.csv",
    "average-ranks": "summary.csv",
    "times": "times.csv",
    "choices": "choices.csv",
    "stability": "rankings.parquet",
    "theorem": "theorem.csv",
    "time-ratios": "ratios.csv",
    "costs": "costs.csv",
    "searched": "choices.csv",
}
FIGURE_SOURCES = {
    "curves": "summary.csv",
    "dimensions": "summary.csv",
    "panels": "summary.csv",
    "parameter": "summary.csv",
    "critical-differences": "summary.csv",
    "spectra": "spectra.parquet",
    "times": "times.csv",
    "approximation": "approximation.csv",
    "families": "summary.csv",
    "proximities": "proximities.parquet",
    "costs": "costs.csv",
}
