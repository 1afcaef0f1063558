"""MLMLFS, beside the program of its authors, which gets our graph and starts at random."""

from __future__ import annotations

import numpy as np

import mlreduce
from mlreduce.selection.row_sparse import graph_laplacian
from program_cases import Case, Octave

CODE = """
rand('seed', 0);
[W, b, completed] = MLMLFS(X', signs, truth, full(laplacian), alpha, gamma, 1);
F = X * W + b'; R = signs - F; missing = signs == 0;
R(missing) = min(max(F(missing), -1), 1) - F(missing);
norms = sqrt(sum(R.^2, 2));
norms(norms < 0.2) = norms(norms < 0.2).^2 / 0.4 + 0.1;
objective = sum(norms) + alpha * trace(F' * laplacian * F) + gamma * sum(sqrt(sum(W.^2, 2)));
scores = sqrt(sum(W.^2, 2));
"""
# The term that the program adds to the equations: the identity is meant.
REPAIR = """
text = strrep(fileread(which('MLMLFS')), '(H - 1)', '(H - eye(n))');
text = strrep(strrep(text, '(H -1)', '(H - eye(n))'), 'iter == 21', 'iter == 201');
file = fopen('MLMLFS.m', 'w'); fputs(file, text); fclose(file);
rehash();
"""


def hidden(X, Y):
    """Return standardised features, labels of which three tenths are hidden, as 0, and the weights of the terms."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    truth = 2.0 * Y - 1.0
    signs = np.where(np.random.default_rng(0).random(Y.shape) < 0.3, 0.0, truth)
    weights = {"alpha": 0.01, "gamma": 5.0}
    return {"X": X, "signs": signs, "truth": truth, "laplacian": graph_laplacian(None, X).toarray(), **weights}


def ours(data):
    """Return scores and objective for labels of -1 and 1, twice those for 0 and 1 with twice the weight alpha."""
    labels = np.where(data["signs"] == 0, np.nan, (data["signs"] + 1) / 2)
    fitted = mlreduce.MLMLFS(smoothness=2 * data["alpha"], sparsity=data["gamma"]).fit(data["X"], labels)
    return {"scores": 2 * fitted.scores_, "objective": 2 * fitted.objective_[-1]}


SETTING = "alpha 0.01, gamma 5, 30 % of the labels hidden"
FAULT = "the program adds smoothed labels to its equations: see the page; it ends after 20 iterations"
PROGRAM = "AISKYEYE-TJU/MLMLFS-PR2017"
RESULTS = ("scores", "objective")
CASES = (
    Case("mlmlfs", Octave(PROGRAM, CODE, folder="code"), ours, RESULTS, SETTING, FAULT, hidden, ("flags", "emotions")),
    Case(
        "mlmlfs",
        Octave(PROGRAM, REPAIR + CODE, folder="code"),
        ours,
        RESULTS,
        f"{SETTING}; the program with its equations put right, 200 iterations",
        data=hidden,
        datasets=("flags",),
    ),
)
