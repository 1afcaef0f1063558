"""MCLS, beside the program of the authors."""

from __future__ import annotations

from functools import partial

import mlreduce
from program_cases import Case, Octave
from program_cases.mfs_mcdm import FUNCTIONS as CHANGE

FUNCTIONS = f"""{CHANGE}
function options = optimoptions(varargin)
  options = [];
end
function mu = quadprog(H, f, A, b, varargin)
  H = full(H) + ridge_of_ours(full(H));
  mu = qp(-b ./ diag(A), H, zeros(size(b)), [], [], [], [], [], full(A), b, optimset('MaxIter', 100000));
end
function R = ridge_of_ours(H)
  R = 1e-3 * mean(diag(H)) * eye(rows(H));
end
function near = knnsearch(X, Z, name, number)
  D = sum(X.^2, 2) + sum(X.^2, 2)' - 2 * X * X';
  D(1:rows(D) + 1:end) = -1;
  [~, near] = sort(D, 2);
  near = near(:, 1:number);
end
"""
CODE = """
change('MCLS', 'MCLS', 'function idx', 'function lapsum');
change('estimate_top_struct', 'estimate_top_struct', 'tol=0', 'tol=1e-3');
scores = MCLS(struct('data', X, 'target', 2 * Y' - 1), 5);
"""


def first_rows(X, Y):
    """Return the first 150 instances, standardised: the solver of Octave is for few variables."""
    X = X[:150]
    return {"X": (X - X.mean(axis=0)) / X.std(axis=0), "Y": Y[:150]}


def ours(data, **parameters):
    """Return our scores."""
    return {"scores": mlreduce.MCLS(**parameters).fit(data["X"], data["Y"]).scores_}


PROGRAM = Octave("RuiHuang2018/MCLS-code", CODE, functions=FUNCTIONS)
NOTE = "150 instances, standardised; quadratic programs by Octave, with our ridge"
CASES = (
    Case(
        "mcls",
        PROGRAM,
        partial(ours, variant="published-code"),
        setting='variant="published-code"',
        note=NOTE,
        data=first_rows,
    ),
    Case(
        "mcls",
        PROGRAM,
        ours,
        note=f"{NOTE}; one factor of the program is one minus the Laplacian score",
        data=first_rows,
    ),
)
