"""MFS-MCDM, beside the program of the authors."""

from __future__ import annotations

from functools import partial

import mlreduce
from program_cases import Case, Octave

FUNCTIONS = """
function h = entropy(labels)
  p = mean(labels);
  h = -p * log2(p) - (1 - p) * log2(1 - p);
end
function change(name, to, varargin)
  text = fileread(file_in_loadpath([name '.m']));
  for pair = 1:2:numel(varargin)
    text = strrep(text, varargin{pair}, varargin{pair + 1});
  end
  file = fopen([to '.m'], 'w'); fputs(file, text); fclose(file);
  rehash();
end
"""
CODE = """
change('MFS-MCDM', 'MFS_MCDM', 'function S1', 'function rCloseness', 'num_class', 'size(dataTrainLabels, 2)');
"""
REPAIRED = """
change('Topsis', 'Topsis', 'r(i,j)*Redundancy', 'w1(i,j)*Redundancy');
"""
CALL = "scores = MFS_MCDM(X, Y);"


def ours(data, **parameters):
    """Return our scores."""
    return {"scores": mlreduce.MFSMCDM(scale=None, **parameters).fit(data["X"], data["Y"]).scores_}


PROGRAM = "amin1373/MFS-MCDM-Multi-label-feature-selection-using-multi-criteria-decision-making-2020"
NOTE = "its number of labels, which is undefined, is set"
CASES = (
    Case(
        "mfs-mcdm",
        Octave(PROGRAM, CODE + CALL, functions=FUNCTIONS),
        partial(ours, weights="equal"),
        setting='weights="equal", scale=None',
        note=NOTE,
    ),
    Case(
        "mfs-mcdm",
        Octave(PROGRAM, CODE + REPAIRED + CALL, functions=FUNCTIONS),
        ours,
        setting="scale=None, the program with its weights",
        note=f"{NOTE}; the line that overwrites what the weights multiply is repaired",
    ),
    Case(
        "mfs-mcdm",
        Octave(PROGRAM, CODE + CALL, functions=FUNCTIONS),
        ours,
        setting="scale=None",
        note=f"{NOTE}; the program overwrites what its weights multiply",
    ),
)
