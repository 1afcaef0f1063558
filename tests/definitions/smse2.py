"""Smooth by normalised Laplacians, with squared errors, and squares of the scores of unlabelled instances."""

from __future__ import annotations

import numpy as np

from ._propagations import GRAPH, laplacian, parts, solves

DATA = "partly"
PARAMETERS = {"proximity": GRAPH, "smoothness": 0.7, "label_smoothness": 0.05}


def definition(X, Y, fitted):
    W, Sigma, _, _ = parts(X, Y)
    solves(Y, fitted, laplacian(W, True), laplacian(Sigma, True), Sigma, np.ones(len(X)))
