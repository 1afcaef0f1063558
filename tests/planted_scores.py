"""Scores of two methods with planted differences, for tests of verdicts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from mlreduce_studies.verdicts.quantities import Results

SETS = ("a", "b", "c", "d", "e", "f", "g", "h")
SPLITS, SIZES = 20, (20, 40, 100)


def results(gains, noise=0.003, seed=0, splits=SPLITS, sizes=SIZES):
    """Scores of "mine" and "other" by an F1: mine is better by the gain of a data set. Made once: do not edit."""
    return _made(tuple(gains.items()), noise, seed, splits, sizes)


@cache
def _made(gains_of_sets, noise, seed, splits, sizes):
    gains = dict(gains_of_sets)
    rng = np.random.default_rng(seed)
    rows = []
    for dataset, gain in gains.items():
        for split in range(splits):
            common = rng.normal(0, 0.1)
            for percent in sizes:
                for method in ("mine", "other"):
                    value = 0.5 + common + (gain if method == "mine" else 0) + rng.normal(0, noise)
                    rows.append(("p", dataset, method, "knn", "macro-f1", percent, 0.0, percent, split, value))
    columns = ["protocol", "dataset", "method", "predictor", "measure", "size_percent", "energy", "size", "split"]
    times = [
        (d, m, s, 2.0 if m == "mine" else 1.0 + 0.01 * s) for d in gains for m in ("mine", "other") for s in (0, 1, 2)
    ]
    return Results(
        pd.DataFrame(rows, columns=[*columns, "value"]),
        pd.DataFrame({"dataset": list(gains), "features": 10, "labels": 3}),
        lambda protocol, dataset: (90, 10),
        times=pd.DataFrame(times, columns=["dataset", "method", "split", "seconds"]),
    )
