"""MGFS, beside the program of the authors."""

from __future__ import annotations

import mlreduce
from program_cases import Case, Octave

# PageRank as MATLAB documents it, to convergence.
FUNCTIONS = """
function D = pdist2(A, B, kind)
  if nargin > 2
    A = A - mean(A, 2); B = B - mean(B, 2);
    D = 1 - (A * B') ./ (sqrt(sum(A.^2, 2)) * sqrt(sum(B.^2, 2))');
    return
  end
  D = zeros(rows(A), rows(B));
  for column = 1:columns(A)
    D = D + (A(:, column) - B(:, column)').^2;
  end
  D = sqrt(D);
end
function G = graph(from, to, weights)
  G = struct('weights', full(sparse(from, to, weights)), 'Edges', struct('Weight', weights));
end
function r = centrality(G, varargin)
  global scores
  step = G.weights ./ sum(G.weights);
  r = ones(rows(step), 1) / rows(step);
  for step_number = 1:200
    r = 0.15 / numel(r) + 0.85 * step * r;
  end
  scores = r;
end
"""
CODE = """
global scores
order = MGFS(X, Y);
ranking = order - 1;
"""


def ours(data):
    """Return our scores and ranking."""
    fitted = mlreduce.MGFS().fit(data["X"], data["Y"])
    return {"scores": fitted.scores_, "ranking": fitted.ranking_.argsort()}


CASES = (
    Case(
        "mgfs",
        Octave(
            "amin1373/MGFS-A-multi-label-graph-based-feature-selection-algorithm-via-PageRank-centrality",
            CODE,
            functions=FUNCTIONS,
        ),
        ours,
        ("scores", "ranking"),
        note="MATLAB's graph and its PageRank, to convergence, are in the case",
    ),
)
