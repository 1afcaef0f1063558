"""Smooth over instances and over labels by Laplacians, with the given labels as constraints."""

from __future__ import annotations

from ._propagations import GRAPH, laplacian, parts, solves

DATA = "partly"
PARAMETERS = {"proximity": GRAPH, "smoothness": 0.7, "label_smoothness": 0.05}


def definition(X, Y, fitted):
    W, Sigma, _, _ = parts(X, Y)
    solves(Y, fitted, laplacian(W), laplacian(Sigma), Sigma)
