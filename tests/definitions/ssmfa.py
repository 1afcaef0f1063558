"""MFA of the labelled instances, and the roughness over all of them."""

from __future__ import annotations

import numpy as np

from . import mfa
from ._classes import PAIRWISE
from ._partly import of_labelled, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {
    "unsupervised_weight": 0.3,
    "supervised_parameters": mfa.PARAMETERS,
    "unsupervised_parameters": {"proximity": PAIRWISE},
}


def definition(X, Y, fitted):
    A, B = of_labelled(mfa.forms, X, Y, mfa.PARAMETERS)
    A = (1 - fitted.unsupervised_weight) * A - fitted.unsupervised_weight * roughness(X)
    solves(X, fitted, A, B + 0.7 * np.eye(X.shape[1]), X.mean(axis=0))
