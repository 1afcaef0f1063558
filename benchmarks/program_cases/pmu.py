"""PMU, beside the program of its authors' laboratory."""

from __future__ import annotations

import numpy as np

import mlreduce
from mlreduce.preprocessing.discretisation import discretise
from program_cases import Case, Octave

SELECTED = 10


def binned(X, Y):
    """Return features in three bins of equal width."""
    return {"X": discretise(X, Y, "equal-width", 3).astype(float), "Y": Y, "numK": SELECTED}


def ranking(method, data, **parameters):
    """Return the columns that a greedy method selects first."""
    fitted = mlreduce.make(method, k=SELECTED, discretise=None, **parameters).fit(data["X"].astype(int), data["Y"])
    return {"ranking": np.argsort(fitted.ranking_)[:SELECTED]}


CASES = (
    Case(
        "pmu",
        Octave("CAU-AIR-Lab/PMU", "ranking = pmu(X, Y, numK) - 1;", "programs"),
        lambda data: ranking("pmu", data),
        ("ranking",),
        f"the first {SELECTED}, three bins of equal width",
        data=binned,
        datasets=("emotions",),
    ),
)
