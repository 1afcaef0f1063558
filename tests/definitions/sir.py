"""Scatter of the means of slices relative to that of all instances; the slices of each label, averaged over labels."""

from __future__ import annotations

import numpy as np

from ._projections import centred, solves

PARAMETERS = {"ridge": 0.7}


def between(X, slices):
    """Scatter of the means of the instances with the same entry, each counted as often as it has instances."""
    M = np.zeros((X.shape[1], X.shape[1]))
    for value in set(slices):
        members = [x for x, own in zip(X, slices, strict=True) if own == value]
        step = np.mean(members, axis=0) - X.mean(axis=0)
        M += len(members) * np.outer(step, step)
    return M


def slices_of(Y, fitted):
    """A list of slicings, each the slice of every instance."""
    if fitted.slices == "labels":
        return [list(column) for column in Y.T if len(set(column)) > 1]
    sets = [tuple(row) for row in Y]
    return [[own if sets.count(own) >= fitted.min_count else "rare" for own in sets]]


def definition(X, Y, fitted):
    A = np.mean([between(X, slices) for slices in slices_of(Y, fitted)], axis=0)
    Xc = centred(X)
    solves(X, fitted, A, Xc.T @ Xc + 0.7 * np.eye(X.shape[1]), X.mean(axis=0))
