"""DNE of the labelled instances, and the roughness over all of them."""

from __future__ import annotations

from . import dne
from ._classes import PAIRWISE
from ._partly import of_labelled, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {
    "unsupervised_weight": 0.3,
    "supervised_parameters": dne.PARAMETERS,
    "unsupervised_parameters": {"proximity": PAIRWISE},
}


def definition(X, Y, fitted):
    A, _ = of_labelled(dne.forms, X, Y, dne.PARAMETERS)
    A = (1 - fitted.unsupervised_weight) * A - fitted.unsupervised_weight * roughness(X)
    solves(X, fitted, A, mean=X.mean(axis=0))
