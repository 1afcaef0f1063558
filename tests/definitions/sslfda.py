"""LFDA of the labelled instances, and the roughness over all of them."""

from __future__ import annotations

import numpy as np

from . import lfda
from ._classes import PAIRWISE
from ._partly import of_labelled, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {
    "weight": 0.3,
    "supervised_parameters": lfda.PARAMETERS,
    "unsupervised_parameters": {"proximity": PAIRWISE},
}


def definition(X, Y, fitted):
    A, B = of_labelled(lfda.forms, X, Y, lfda.PARAMETERS)
    B += 0.7 * np.eye(X.shape[1])
    solves(X, fitted, 0.7 * A - 0.3 * roughness(X), B, X.mean(axis=0))
