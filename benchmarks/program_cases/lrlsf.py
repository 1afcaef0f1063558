"""LRLSF beside the program of its authors, with the weight at which its step for S is that of its loss."""

from __future__ import annotations

import mlreduce
from program_cases import Case, Octave

_FUNCTIONS = """
function plot(varargin)  % the program draws its loss
end
"""

_CODE = """
options = struct('lambda1', 1, 'lambda2', 0.01, 'lambda3', 5, 'lambda4', 0.1, 'gamma', 3);
options.maxIter = 3000; options.minimumLossMargin = -1;
scores = sum(LRLSF(X, Y, options), 2);
"""


def _scaled(X, Y):
    X = X[:200]
    return {"X": (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)), "Y": Y[:200]}


def _ours(data):
    graph = {"weight": "gaussian", "n_neighbors": 10, "tau": 2.0}
    parameters = {
        "smoothness": 1.0,
        "label_error": 100.0,
        "sparsity": 5.0,
        "relevance": 0.1,
        "proximity": graph,
        "tol": 1e-5,
    }
    return {"scores": mlreduce.make("lrlsf", k=None, **parameters).fit(data["X"], data["Y"]).scores_}


CASES = (
    Case(
        method="lrlsf",
        program=Octave("yangyong2021/LRLSF", code=_CODE, functions=_FUNCTIONS),
        ours=_ours,
        setting="smoothness=1, label_error=100, sparsity=5, relevance=0.1",
        note="3000 of the program's steps, from a random start; with alpha = 1, as it weights the first term by alpha "
        "where it moves S; 200 rows",
        data=_scaled,
        datasets=("emotions",),
    ),
)
