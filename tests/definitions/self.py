"""LFDA of the labelled instances and PCA of all, in the objective and in the constraint."""

from __future__ import annotations

import numpy as np

from . import lfda
from ._partly import of_labelled
from ._projections import centred, solves

DATA = "partly"
PARAMETERS = {"weight": 0.3, "supervised_parameters": lfda.PARAMETERS}


def definition(X, Y, fitted):
    between, within = of_labelled(lfda.forms, X, Y, lfda.PARAMETERS)
    Xc, identity = centred(X), np.eye(X.shape[1])
    B = 0.7 * (within + 0.7 * identity) + 0.3 * identity
    solves(X, fitted, 0.7 * between + 0.3 * Xc.T @ Xc, B, X.mean(axis=0))
