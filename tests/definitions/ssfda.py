"""Scatter of the labelled instances between and inside classes, the roughness over all in the constraint."""

from __future__ import annotations

import numpy as np

from . import fda
from ._classes import PAIRWISE
from ._partly import of_labelled, roughness
from ._projections import solves

DATA = "partly"
PARAMETERS = {"beta1": 0.3, "beta2": 0.7, "proximity": PAIRWISE}


def definition(X, Y, fitted):
    between, within = of_labelled(fda.forms, X, Y, {})
    solves(X, fitted, between, within + fitted.beta1 * roughness(X) + 0.7 * np.eye(X.shape[1]), X.mean(axis=0))
