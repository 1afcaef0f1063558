"""LIFT, beside the program of its author: with one cluster each, since the others are drawn."""

from __future__ import annotations

import mlreduce
from program_cases import Case, Octave

RATIO = 1e-6
#: Of toolboxes that Octave lacks; the classifier keeps what it is trained on, and predicts nothing.
FUNCTIONS = """
function [index, centres] = kmeans(data, number, varargin)
  assert(number == 1); index = ones(rows(data), 1); centres = mean(data, 1);
end
function distances = pdist(data)
  distances = zeros(rows(data));
  for i = 1:rows(data), distances(:, i) = sqrt(sum((data - data(i, :)).^2, 2)); end
end
function distances = squareform(distances)
end
function model = svmtrain(labels, features, options)
  global columns; columns = [columns features]; model = [];
end
function [predicted, accuracy, values] = svmpredict(labels, features, model, options)
  predicted = []; accuracy = 0; values = [];
end
function value = Hamming_loss(varargin), value = 0; end
function value = Ranking_loss(varargin), value = 0; end
function value = One_error(varargin), value = 0; end
function value = Average_precision(varargin), value = 0; end
function value = coverage(varargin), value = 0; end
"""


def features(data):
    """Return the features of all labels, side by side."""
    return {"features": mlreduce.LIFT(ratio=RATIO).fit(data["X"], data["Y"]).transform(data["X"])}


CASES = (
    Case(
        "lift",
        Octave(
            "KKimura360/MLC_toolbox",
            "global columns; columns = []; Y = 2 * Y' - 1;\n"
            f"LIFT(X, Y, X(1:2, :), Y(:, 1:2), {RATIO}); features = columns;",
            "function/OutSource/LIFT",
            FUNCTIONS,
        ),
        features,
        ("features",),
        "one cluster of the instances with each label, and one of the others",
        "k-means, the classifier and the measures are of toolboxes; more clusters are drawn at random",
    ),
)
