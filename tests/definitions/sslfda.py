"""LFDA of the labelled instances, and the roughness over all of them."""

from __future__ import annotations

import numpy as np

from . import lfda
from ._classes import PAIRWISE
from ._partly import of_labelled, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {
    "unsupervised_weight": 0.3,
    "supervised_parameters": lfda.PARAMETERS,
    "unsupervised_parameters": {"proximity": PAIRWISE},
}


def definition(X, Y, fitted):
    A, B = of_labelled(lfda.forms, X, Y, lfda.PARAMETERS)
    A = (1 - fitted.unsupervised_weight) * A - fitted.unsupervised_weight * roughness(X)
    solves(X, fitted, A, B + 0.7 * np.eye(X.shape[1]), X.mean(axis=0))
