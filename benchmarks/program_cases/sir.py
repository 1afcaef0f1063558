"""Sliced inverse regression, beside a Python package of sufficient dimension reduction."""

from __future__ import annotations

import numpy as np

import mlreduce
from program_cases import Case, Python


def sets(X, Y):
    """Return the number of the label set of each instance beside the features."""
    return {"X": X, "Y": Y, "number": np.unique(Y, axis=0, return_inverse=True)[1].reshape(-1).astype(float)}


def directions(data):
    """Return directions of unit length and eigenvalues, without a ridge, every label set a slice."""
    fitted = mlreduce.SIR(10, slices="label-sets", min_count=1, ridge=0.0).fit(data["X"], data["Y"])
    P = fitted.components_
    return {"directions": P / np.linalg.norm(P, axis=1, keepdims=True), "eigenvalues": fitted.eigenvalues_}


CASES = (
    Case(
        "sir",
        Python(
            "joshloyal/sliced",
            "from sliced import SlicedInverseRegression\ny = number.ravel()\n"
            "fitted = SlicedInverseRegression(n_directions=10, n_slices=len(set(y))).fit(X, y)\n"
            "P, eigenvalues = fitted.directions_, fitted.eigenvalues_\n"
            "directions = P * np.sign(P[range(len(P)), np.abs(P).argmax(axis=1)])[:, np.newaxis]",
            functions="import types, numpy.core.numeric\nnp.int, numpy.core.numeric.ComplexWarning = int, Warning\n"
            "sys.modules['six'] = types.SimpleNamespace(string_types=str)",
        ),
        directions,
        ("directions", "eigenvalues"),
        "10, a slice for each label set",
        "the package six, and names that NumPy no longer has, put in their places",
        data=sets,
    ),
)
