"""LFDA of the labelled instances and PCA of all, in the objective and in the constraint."""

from __future__ import annotations

import numpy as np

from . import lfda
from ._partly import of_labelled
from ._projections import centred, solves

DATA = "partly"
PARAMETERS = {"unsupervised_weight": 0.3, "supervised_parameters": lfda.PARAMETERS}


def definition(X, Y, fitted):
    between, within = of_labelled(lfda.forms, X, Y, lfda.PARAMETERS)
    Xc, identity, weight = centred(X), np.eye(X.shape[1]), fitted.unsupervised_weight
    A = (1 - weight) * between + weight * Xc.T @ Xc
    solves(X, fitted, A, (1 - weight) * (within + 0.7 * identity) + weight * identity, X.mean(axis=0))
