"""Smooth by the Laplacian, errors at labelled instances, and a reward for similar labels."""

from __future__ import annotations

from ._propagations import GRAPH, laplacian, parts, solves

DATA = "partly"
PARAMETERS = {"proximity": GRAPH, "smoothness": 0.7, "label_smoothness": 0.005}


def definition(X, Y, fitted):
    W, Sigma, labelled, _ = parts(X, Y)
    solves(Y, fitted, laplacian(W), -Sigma, Sigma, labelled)
