"""Scatter of the labelled instances between and inside classes, the roughness over all in the constraint."""

from __future__ import annotations

import numpy as np

from . import fda
from ._classes import PAIRWISE
from ._partly import of_labelled, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {"smoothness": 0.3, "ridge": 0.7, "proximity": PAIRWISE}


def definition(X, Y, fitted):
    between, within = of_labelled(fda.forms, X, Y, {})
    solves(X, fitted, between, within + fitted.smoothness * roughness(X) + 0.7 * np.eye(X.shape[1]), X.mean(axis=0))
