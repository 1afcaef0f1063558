"""MOPE of the labelled instances, and the roughness over all of them; the features are not centred."""

from __future__ import annotations

from . import mope
from ._classes import PAIRWISE
from ._partly import labelled_part, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {
    "weight": 0.3,
    "supervised_parameters": mope.PARAMETERS,
    "unsupervised_parameters": {"proximity": PAIRWISE},
}


def definition(X, Y, fitted):
    labelled, labels = labelled_part(X, Y)
    A = labelled.T @ mope.graph(labelled, labels) @ labelled
    solves(X, fitted, (1 - fitted.weight) * A - fitted.weight * roughness(X))
