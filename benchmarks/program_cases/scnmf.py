"""SCNMF beside the program of its authors."""

from __future__ import annotations

import numpy as np

import mlreduce
from program_cases import COSINE_DISTANCES, Case, Octave

_FUNCTIONS = """
function d = pdist(A)  % distances of all pairs of rows
    d = [];
    for i = 1:rows(A) - 1
        d = [d; sqrt(sum((A(i + 1:end, :) - A(i, :)) .^ 2, 2))];
    end
end
"""

# The program stops where its objective moves by 0.01, or after 1001 steps.
_CODE = """
text = fileread(which('SCNMF'));
text = strrep(text, '= SCNMF(', '= to_the_end(');
text = strrep(text, '<=1e-2)', '<=1e-9*obj(iter))');
text = strrep(text, 'iter>1000', 'iter>10000');
text = strrep(text, 'disp(iter+":"+obj(iter));', '');
file = fopen('to_the_end.m', 'w'); fprintf(file, '%s', text); fclose(file);
[order, scores, obj] = to_the_end(X, Y, alpha, beta);
objective = obj(end);
"""


def _scaled(X, Y):
    low, high = X.min(axis=0), X.max(axis=0)
    return {"X": (X - low) / (high - low), "Y": Y}


def _case(alpha, beta):
    def ours(data):
        method = mlreduce.make(
            "scnmf",
            k=None,
            scale=None,
            feature_similarity=alpha,
            label_smoothness=beta,
            sparsity=1.0,
            tol=1e-6,
            max_iter=20_000,
        )
        fitted = method.fit(data["X"], np.asarray(data["Y"]))
        return {"scores": fitted.scores_, "objective": fitted.objective_[-1]}

    return Case(
        method="scnmf",
        program=Octave(
            "BIGOatMNNU/SCNMF", code=f"alpha = {alpha}; beta = {beta};{_CODE}", functions=COSINE_DISTANCES + _FUNCTIONS
        ),
        ours=ours,
        results=("scores", "objective"),
        setting=f"feature_similarity={alpha:g}, label_smoothness={beta:g}, sparsity=1",
        note="not convex: the same start, other steps; the program is run for longer, and its rows do not reach 0",
        data=_scaled,
        datasets=("emotions",),
    )


CASES = (_case(0.001, 1.0), _case(0.05, 0.01))
