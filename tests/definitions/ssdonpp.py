"""DONPP of the labelled instances, and the error of reconstruction of all from their neighbours."""

from __future__ import annotations

from . import donpp
from ._partly import of_labelled
from ._projections import solves
from .onpp import error

DATA = "partly"
PARAMETERS = {
    "unsupervised_weight": 0.3,
    "supervised_parameters": donpp.PARAMETERS,
    "unsupervised_parameters": {"n_neighbors": 4},
}


def definition(X, Y, fitted):
    A, _ = of_labelled(donpp.forms, X, Y, donpp.PARAMETERS)
    solves(X, fitted, (1 - fitted.unsupervised_weight) * A - fitted.unsupervised_weight * error(X), mean=X.mean(axis=0))
