"""Scatter between classes less that inside of them, and less the roughness over all instances."""

from __future__ import annotations

from . import mmc
from ._classes import PAIRWISE
from ._partly import of_labelled, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {"within_weight": 0.3, "smoothness": 0.4, "proximity": PAIRWISE}


def definition(X, Y, fitted):
    A, _ = of_labelled(mmc.forms, X, Y, {"within_weight": 0.3})
    solves(X, fitted, A - fitted.smoothness * roughness(X), mean=X.mean(axis=0))
