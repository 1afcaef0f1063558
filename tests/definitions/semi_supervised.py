"""Any supervised projection of the labelled instances and any other of all, here MLSI and PCA, both constraining."""

from __future__ import annotations

import numpy as np

from ._partly import labelled_part
from ._projections import centred, solves

DATA = "partly"
PARAMETERS = {
    "supervised_part": "mlsi",
    "unsupervised_part": "pca",
    "unsupervised_weight": 0.3,
    "constraint": "combined",
}


def definition(X, Y, fitted):
    labelled, labels = labelled_part(X, Y)
    A, B = labelled.T @ (0.5 * labelled @ labelled.T + 0.5 * labels @ labels.T) @ labelled, labelled.T @ labelled
    Xc, identity = centred(X), np.eye(X.shape[1])
    solves(X, fitted, 0.7 * A + 0.3 * Xc.T @ Xc, 0.7 * (B + identity) + 0.3 * identity)
