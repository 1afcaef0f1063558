"""Complexities of the spectral methods by the strategies of `mlreduce.spectral.solver`."""

from __future__ import annotations

from dataclasses import replace

from mlreduce.complexity import Complexity
from mlreduce.linalg.lsqr import DENSE_SIDE

__all__ = [
    "DENSE",
    "LEAST_SQUARES",
    "NEIGHBOURS",
    "NEIGHBOURS_DENSE",
    "PAIRS",
    "PAIRS_DENSE",
    "PRODUCTS",
    "THIN",
]

#: A matrix over the features or the row space, and its eigenvectors.
DENSE = Complexity("s m + m^3", "m^2", most=4 * DENSE_SIDE)
#: Lanczos iteration where there is no constraint, by the solver's own estimate.
PRODUCTS = replace(DENSE, iterated="180 s + 6 k s")
#: LSQR iteration for constraints that are multiples of the scatter with a ridge; some hundred steps.
LEAST_SQUARES = replace(DENSE, iterated="1000 s q", iterates_on="sparse")
#: A decomposition of features times labels.
THIN = Complexity("s q + d q^2", "d q")
#: Neighbours of all instances, in blocks of rows, then as above: without a constraint, and with one.
NEIGHBOURS = Complexity("n s + s m + m^3", "m^2", iterated="n s + 180 s + 6 k s", most=4 * DENSE_SIDE)
NEIGHBOURS_DENSE = replace(NEIGHBOURS, iterated=None)
#: The same with tables of all pairs of instances.
PAIRS = replace(NEIGHBOURS, memory="n^2 + m^2")
PAIRS_DENSE = replace(NEIGHBOURS_DENSE, memory="n^2 + m^2")
