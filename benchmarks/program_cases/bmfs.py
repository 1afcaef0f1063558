"""BMFS, beside the program of the authors."""

from __future__ import annotations

import mlreduce
from program_cases import Case, Octave
from program_cases.mgfs import FUNCTIONS

# The program calls an assignment that it does not have: a linear program, of the columns that are not padding.
ASSIGNMENT = """
function [taken, cost] = hungarian(costs)
  costs = costs(:, any(costs));
  [n, q] = size(costs);
  each = [kron(speye(q), ones(1, n)); kron(ones(1, q), speye(n))];
  kinds = [repmat('S', 1, q), repmat('U', 1, n)];
  x = glpk(costs(:), each, ones(q + n, 1), zeros(n * q, 1), [], kinds, repmat('C', 1, n * q), 1);
  [~, taken] = max(reshape(x, n, q));
  cost = costs(:)' * x;
end
"""
CODE = """
number = columns(Y) * floor(columns(X) / columns(Y));
order = BMFS(X, Y, number);
ranking = order(1:number) - 1;
"""


def ours(data):
    """Return our ranking of the features that whole matchings take."""
    X, Y = data["X"], data["Y"]
    number = Y.shape[1] * (X.shape[1] // Y.shape[1])
    return {"ranking": mlreduce.BMFS().fit(X, Y).ranking_.argsort()[:number]}


CASES = (
    Case(
        "bmfs",
        Octave(
            "amin1373/A-bipartite-matching-based-feature-selection-for-multi-label-learning-2021",
            CODE,
            functions=FUNCTIONS + ASSIGNMENT,
        ),
        ours,
        ("ranking",),
        setting="features of whole matchings",
        note="the assignment, which the program lacks, is in the case",
    ),
)
