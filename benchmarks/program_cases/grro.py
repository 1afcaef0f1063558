"""GRRO and GRRO-LS, beside the scripts of the authors."""

from __future__ import annotations

from functools import partial

import numpy as np

import mlreduce
from program_cases import Case, Octave

# `run_lines` runs a part of a script: what is between the loading of its data and the classifier.
FUNCTIONS = """
function d = pdist2(A, B, kind)
  d = 1 - (A * B') ./ (sqrt(sum(A.^2, 2)) * sqrt(sum(B.^2, 2))');
end
function W = lyap(A, B, C)
  W = sylvester(A, B, -C);
end
function I = mi(x, y)
  p = accumarray([x - min(x), y - min(y)] + 1, 1) / numel(x);
  q = sum(p, 2) * sum(p, 1);
  I = sum(p(p > 0) .* log2(p(p > 0) ./ q(p > 0)));
end
function run_lines(name, first, last)
  lines = strsplit(fileread(which(name)), "\\n");
  from = find(strncmp(strtrim(lines), first, numel(first)), 1);
  to = find(strncmp(strtrim(lines), last, numel(last)), 1);
  evalin('base', strjoin(lines(from:to - 1), "\\n"));
end
"""
GRRO = """
train_data = X; train_target = 2 * Y' - 1;
run_lines('demo1', 'para.alpha', 'time =');
"""
GRRO_LS = """
train_target = Y';
run_lines('demo2', 'k=5', '[dumb');
"""
NOTE = "functions of toolboxes are in the case; bins as the program cuts them: at most the median, and above"


def scores(data, n_per_label=None, **bins):
    """Return our scores, with the program's bins if there are no others."""
    X = data["X"]
    if not bins:
        middle = np.sort(X, axis=0)[int(len(X) / 2 + 0.5) - 1]  # rounded as MATLAB does
        X, bins = (middle < X).astype(int), {"discretise": None}
    return {"scores": mlreduce.GRRO(n_per_label=n_per_label, **bins).fit(X, data["Y"]).scores_}


PROGRAM = "jiazhang-ml/GRRO"
CASES = (
    Case("grro", Octave(PROGRAM, f"{GRRO}scores = sum(W, 2);", functions=FUNCTIONS), scores, note=NOTE),
    Case(
        "grro",
        Octave(PROGRAM, f"{GRRO}{GRRO_LS}scores = sum(W_GRRO_LS, 2);", functions=FUNCTIONS),
        partial(scores, n_per_label=5),
        setting="n_per_label=5",
        note=NOTE,
    ),
    Case(
        "grro",
        Octave(PROGRAM, f"{GRRO}scores = sum(W, 2);", functions=FUNCTIONS),
        partial(scores, discretise="equal-frequency"),
        setting="our bins of equal frequency",
    ),
)
