"""ELA-CHI2, beside a program of the laboratory of PMU."""

from __future__ import annotations

import mlreduce
from program_cases import Case, Octave
from program_cases.pmu import binned


def scores(data):
    """Return our scores."""
    return {"scores": mlreduce.ELAChi2(discretise=None).fit(data["X"].astype(int), data["Y"]).scores_}


CASES = (
    Case(
        "ela-chi2",
        Octave("CAU-AIR-Lab/PMU", "res = ela_chi(X, Y); scores(res(:, 1)) = res(:, 2);", "programs"),
        scores,
        setting="three bins of equal width",
        data=binned,
        datasets=("emotions",),
    ),
)
