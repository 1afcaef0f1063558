"""PMFS, beside the program of the authors."""

from __future__ import annotations

import mlreduce
from program_cases import Case, Octave
from program_cases.mfs_mcdm import FUNCTIONS as CHANGE
from program_cases.mgfs import FUNCTIONS

CODE = """
change('PMFS', 'PMFS', 'function Feature_Ranks', 'function w');
"""
REPAIRED = """
change('mRMMR', 'mRMMR', '(1+d)', "(1+d')");
"""


def ours(data):
    """Return our scores."""
    return {"scores": mlreduce.PMFS(scale=None).fit(data["X"], data["Y"]).scores_}


PROGRAM = "amin1373/PMFS-An-efficient-Pareto-based-algorithm-for-multi-label-feature-selection-2021"
CASES = (
    Case(
        "pmfs",
        Octave(PROGRAM, f"{CODE}{REPAIRED}scores = -PMFS(X, Y);", functions=FUNCTIONS + CHANGE),
        ours,
        setting="scale=None, the program with its crowding distances",
        note="the sum of a column and a row, which is a matrix, is repaired",
    ),
    Case(
        "pmfs",
        Octave(PROGRAM, f"{CODE}scores = -PMFS(X, Y)(:, 1);", functions=FUNCTIONS + CHANGE),
        ours,
        setting="scale=None",
        note="the program adds a column of fronts to a row of crowding distances: its order is by fronts alone",
    ),
)
