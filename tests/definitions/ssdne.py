"""DNE of the labelled instances, and the roughness over all of them."""

from __future__ import annotations

from . import dne
from ._classes import PAIRWISE
from ._partly import of_labelled, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {
    "weight": 0.3,
    "supervised_parameters": dne.PARAMETERS,
    "unsupervised_parameters": {"proximity": PAIRWISE},
}


def definition(X, Y, fitted):
    A, B = of_labelled(dne.forms, X, Y, dne.PARAMETERS)
    solves(X, fitted, 0.7 * A - 0.3 * roughness(X), B, X.mean(axis=0))
