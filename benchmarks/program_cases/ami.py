"""AMI, beside the program of its authors' laboratory."""

from __future__ import annotations

import numpy as np

from mlreduce.selection.information import mutual_information
from program_cases import Case, Octave
from program_cases.pmu import SELECTED, binned, ranking

PROGRAM = Octave("CAU-AIR-Lab/MLFS2012", "ranking = ami(X, Y, numK) - 1;", "programs")
SETTING = f"the first {SELECTED}, three bins of equal width"


def with_fault(data):
    """Return the columns that are selected if step k takes the redundancy of all features from the k-th alone."""
    features, labels = data["X"].astype(int), data["Y"].astype(int)
    relevance, shared = mutual_information(features, labels).sum(axis=1), mutual_information(features)
    chosen = [int(relevance.argmax())]
    for step in range(1, SELECTED):
        values = relevance.copy()
        values[step] -= shared[:, chosen].sum()
        values[chosen] = -np.inf
        chosen.append(int(values.argmax()))
    return {"ranking": chosen}


CASES = (
    Case(
        "ami",
        PROGRAM,
        lambda data: ranking("ami", data),
        ("ranking",),
        SETTING,
        "at step k the program subtracts the redundancy of all features from the criterion of the k-th column",
        data=binned,
    ),
    Case("ami", PROGRAM, with_fault, ("ranking",), f"{SETTING}, with its fault in ours", data=binned),
)
