"""Small summaries for the tests of checks of claims."""

from __future__ import annotations

import pandas as pd

from mlreduce.registry import CHECKS

VERDICTS = {"confirmed", "refuted", "undecided"}

COMPARING = {
    **{"methods": ["a"], "than": ["b"], "measure": "hamming-loss", "predictor": "r", "protocol": "p"},
    "size_percents": [20, 40],
}

OVERFITTING = {
    **{"methods": ["a"], "measure": "hamming-loss", "predictor": "r", "protocol": "p"},
    "size_percents": [20, 40, 100],
}

CURVES = {"measures": ["hamming-loss"], "predictors": ["r"], "protocol": "p"}


def summary(cells, **same):
    """Cells as {(data set, method): columns}; other columns are the same for all."""
    common = {
        **{"protocol": "p", "predictor": "r", "measure": "hamming-loss", "size_percent": 0, "energy": 0.0},
        **{"size": 3.0, "mean": 0.5, "se": 0.01, "sd": 0.1, "splits": 100},
        **same,
    }
    return pd.DataFrame([common | {"dataset": d, "method": m} | c for (d, m, *_), c in cells.items()])


def known(names, labels=5):
    return pd.DataFrame({"dataset": list(names), "instances": 100, "features": 20, "labels": labels})


def check(name, table, datasets, **arguments):
    verdict, evidence = CHECKS[name].function(table, datasets, **arguments)
    assert verdict in VERDICTS
    assert evidence.endswith(".")
    assert "\n" not in evidence
    return verdict, evidence


def whole(names="de"):
    rows = [
        {"size_percent": percent, "energy": energy, "size": size}
        for percent, energy, size in ((0, 0.999, 3), (20, 0.0, 1), (40, 0.0, 2), (100, 0.0, 4), (0, 0.0, 0))
    ]
    better = {"a": {"mean": 0.1}, "b": {"mean": 0.2}}
    cells = {(d, m, i): row | better[m] for d in names for m in better for i, row in enumerate(rows)}
    table = summary(cells)
    table.loc[(table.method == "b") & (table.energy > 0), "size"] = 4
    table.loc[table.size_percent == 100, "mean"] += 0.3
    return table
