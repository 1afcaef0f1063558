"""LLSF beside the program of its authors: the paper's term of the labels, where the problem has a minimum."""

from __future__ import annotations

import mlreduce
from program_cases import COSINE_DISTANCES, Case, Octave

_CODE = """
options = struct('alpha', alpha, 'beta', gamma, 'gamma', 0.1, 'maxIter', 5000, 'minimumLossMargin', -1);
W = LLSF(X, Y, options);
scores = sum(abs(W), 2);
R = pdist2(Y', Y', 'cosine');
objective = norm(X * W - Y, 'fro')^2 / 2 + alpha / 2 * trace(R * (W' * W)) + gamma * sum(abs(W(:)));
"""


def _scaled(X, Y):
    return {"X": (X - X.mean(axis=0)) / X.std(axis=0), "Y": Y}


def _case(alpha, gamma, *datasets):
    def ours(data):
        parameters = {"label_smoothness": alpha, "sparsity": gamma, "label_term": "distance", "fit_intercept": False}
        fitted = mlreduce.make("llsf", k=None, tol=1e-7, max_iter=50_000, **parameters).fit(data["X"], data["Y"])
        return {"scores": fitted.scores_, "objective": fitted.objective_[-1]}

    return Case(
        method="llsf",
        program=Octave("jiunhwang/LLSF", code=f"alpha = {alpha}; gamma = {gamma};{_CODE}", functions=COSINE_DISTANCES),
        ours=ours,
        results=("scores", "objective"),
        setting=f'label_term="distance", label_smoothness={alpha:g}, sparsity={gamma:g}, no intercept',
        note="5000 of the program's steps, as its loss counts coefficients in place of their absolute values",
        data=_scaled,
        datasets=datasets,
    )


# On yeast the program's objective is unbounded from alpha = 0.0102 on.
CASES = (_case(0.5, 5.0, "emotions"), _case(0.01, 5.0, "yeast"))
