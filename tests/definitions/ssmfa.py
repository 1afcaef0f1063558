"""MFA of the labelled instances, and the roughness over all of them."""

from __future__ import annotations

import numpy as np

from . import mfa
from ._classes import PAIRWISE
from ._partly import of_labelled, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {
    "weight": 0.3,
    "supervised_parameters": mfa.PARAMETERS,
    "unsupervised_parameters": {"proximity": PAIRWISE},
}


def definition(X, Y, fitted):
    A, B = of_labelled(mfa.forms, X, Y, mfa.PARAMETERS)
    B += 0.7 * np.eye(X.shape[1])
    solves(X, fitted, 0.7 * A - 0.3 * roughness(X), B, X.mean(axis=0))
