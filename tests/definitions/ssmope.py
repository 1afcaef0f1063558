"""MOPE of the labelled instances, and the roughness over all of them; the features are not centred."""

from __future__ import annotations

from . import mope
from ._classes import PAIRWISE
from ._partly import labelled_part, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {
    "unsupervised_weight": 0.3,
    "supervised_parameters": mope.PARAMETERS,
    "unsupervised_parameters": {"proximity": PAIRWISE},
}


def definition(X, Y, fitted):
    labelled, labels = labelled_part(X, Y)
    A = labelled.T @ mope.graph(labelled, labels) @ labelled
    solves(X, fitted, (1 - fitted.unsupervised_weight) * A - fitted.unsupervised_weight * roughness(X))
