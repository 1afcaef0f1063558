"""Shared by the projections for classes, and their extensions to several labels by copies of the instances.

Objective and constraint of a class method are ``forms(X, y, W, p)`` of its definition: matrices M over the instances,
so that the form of the features is ``X'MX``, the constraint without its ridge or None for the identity. W holds the
proximities of the instances, p the parameters.
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import numpy as np
import proximity_by_the_book

from ._projections import solves

#: Proximities that do not depend on the other instances.
PAIRWISE = {"weight": "gaussian", "n_neighbors": None, "tau": 8.0}


def of_classes(forms, X, Y, fitted):
    """The method is that of instances with one label each."""
    objective, constraint = forms(X, Y.argmax(axis=1), proximities(X, fitted), fitted.get_params())
    _of_matrices(X, fitted, objective, constraint, X.mean(axis=0))


def of_copies(forms, X, Y, fitted):
    """The extension sums over the copies of an instance, one for each of its labels; others have none."""
    used = Y.any(axis=1)
    X, Y = X[used], Y[used]
    p = fitted.get_params()
    objective, constraint = forms_by_copying(forms, X, Y, proximities(X, fitted), p, p["weighted"])
    _of_matrices(X, fitted, objective, constraint, np.average(X, axis=0, weights=Y.sum(axis=1)))


def extension(definition):
    """The definition of the extension of a class method."""
    return SimpleNamespace(PARAMETERS=definition.PARAMETERS, definition=partial(of_copies, definition.forms))


def _of_matrices(X, fitted, objective, constraint, mean):
    Xc = X - mean
    B = None if constraint is None else Xc.T @ constraint @ Xc + fitted.ridge * np.eye(X.shape[1])
    solves(X, fitted, Xc.T @ objective @ Xc, B, mean)


def proximities(X, fitted):
    """W, where the method has it."""
    p = fitted.get_params(deep=False)
    return proximity_by_the_book.weights(X, **(p["proximity"] or {})) if "proximity" in p else None


def forms_by_copying(forms, X, Y, W, p, weighted):
    """Objective and constraint summed over the copies, equations (32) and (33)."""
    rows, labels = np.nonzero(Y)
    counts = Y.sum(axis=1)
    summed = []
    for matrix in forms(X[rows], labels, None if W is None else W[np.ix_(rows, rows)], p):
        if matrix is None:
            summed.append(None)
            continue
        total = np.zeros((len(X), len(X)))
        for s, i in enumerate(rows):
            for t, j in enumerate(rows):
                total[i, j] += matrix[s, t] / (counts[i] * counts[j] if weighted else 1)
        summed.append(total)
    return summed
