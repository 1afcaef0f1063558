"""MRDM, beside the program of its first author."""

from __future__ import annotations

import mlreduce
from program_cases import Case, Octave

CODE = """
[W, values] = MRDM(X, Y, struct('alpha', 1, 'beta', 1, 'gamma', 1));
scores = sqrt(sum(W.^2, 2)); objective = values(end) + norm(Y - mean(Y), 'fro')^2;
"""


def unit_rows(X, Y):
    """Return standardised features, each instance scaled to norm 1: the program's width of the weights is fixed."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return {"X": X / (X**2).sum(axis=1, keepdims=True) ** 0.5, "Y": Y}


def ours(data):
    """Return scores and objective with the program's graph of all pairs."""
    fitted = mlreduce.MRDM(sparsity=1.0, proximity={"n_neighbors": None, "tau": 2.0}).fit(data["X"], data["Y"])
    return {"scores": fitted.scores_, "objective": fitted.objective_[-1]}


CASES = (
    Case(
        "mrdm",
        Octave("RuiHuang2018/MRDM", CODE),
        ours,
        ("scores", "objective"),
        "alpha, beta, gamma 1, graph of all pairs",
        "the program stops at a relative change of 1e-3 and leaves no row zero; the objective plus that of the labels",
        data=unit_rows,
        datasets=("flags", "emotions"),
    ),
)
