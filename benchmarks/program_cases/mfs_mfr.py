"""MFS-MFR, beside the program of its authors, which gets our informations and graph."""

from __future__ import annotations

import numpy as np

import mlreduce
from mlreduce.preprocessing.discretisation import discretise
from mlreduce.selection.information import Counted, Labels, shared_bits
from mlreduce.selection.row_sparse import graph_laplacian
from program_cases import Case, Octave

CODE = """
options = struct('alpha', alpha, 'beta', beta, 'gamma', gamma, 'lambda1', 0.1, 'lambda2', 0.1, 'sigma', 3);
options.maxIter = steps; options.minimumLossMargin = 0;
text = strrep(fileread(which('MFS_MFR')), 'Z = W+M;', 'Z = [W, M];');
file = fopen('MFS_MFR.m', 'w'); fputs(file, text); fclose(file);
rehash();
[d, q] = size(C);
[Z, loss, iterations] = MFS_MFR(X, [], d, q, options, C, G, full(L));
W = Z(:, 1:q); M = Z(:, q + 1:end); Z = W + M;
objective = norm(Z - C, 'fro')^2 / 2 + alpha * sum(abs(W(:))) + beta * sum(sqrt(sum(M.^2, 2))) + ...
  gamma / 2 * norm(W' * M, 'fro')^2 + 0.05 * trace(Z' * G * Z) + 0.05 * trace(Z' * L * Z);
scores = sum(Z, 2);
"""


def informations(X, Y):
    """Return standardised features, informations and graph, and the weights of the terms."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    G, C = shared_bits(Counted.from_bins(discretise(X, Y, "equal-frequency", 2)), Labels(Y))
    weights = {"alpha": 0.002, "beta": 0.004, "gamma": 0.01}
    return {"X": X, "Y": Y, "C": C, "G": G, "L": graph_laplacian(None, X.T).toarray(), "steps": 200.0, **weights}


def longer(X, Y):
    """Return the same with more iterations."""
    return informations(X, Y) | {"steps": 20000.0}


def ours(data):
    """Return scores and objective."""
    fitted = mlreduce.MFSMFR(sparsity=data["alpha"], row_sparsity=data["beta"], sharing=data["gamma"]).fit(
        data["X"], data["Y"]
    )
    assert np.linalg.eigvalsh(data["G"])[0] > 0
    return {"scores": fitted.scores_, "objective": fitted.objective_[-1]}


SETTING = "alpha 0.002, beta 0.004, sharing 0.01"
PROGRAM = "MLcode6/MFS-MFR"
NOTE = "informations and graph are ours; its steps for the sharing term and its norm of rows are not those of its loss"
RESULTS = ("scores", "objective")
CASES = (
    Case(
        "mfs-mfr",
        Octave(PROGRAM, CODE, folder="function"),
        ours,
        RESULTS,
        f"{SETTING}; 200 iterations",
        NOTE,
        informations,
        ("flags", "emotions"),
    ),
    Case(
        "mfs-mfr",
        Octave(PROGRAM, CODE, folder="function"),
        ours,
        RESULTS,
        f"{SETTING}; 20 000 iterations",
        NOTE,
        longer,
        ("flags", "emotions"),
    ),
)
