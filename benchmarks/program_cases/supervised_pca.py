"""Supervised PCA, beside a program of the laboratory of one of its authors."""

from __future__ import annotations

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline

import mlreduce
from program_cases import Case, Python

DIRECTIONS = 10
REPOSITORY = "bghojogh/Principal-Component-Analysis"
#: A sign for each direction, as ours has.
SIGNED = "U = U * np.sign(U[np.abs(U).argmax(axis=0), range(U.shape[1])])\n"


def sets(X, Y):
    """Return the number of the label set of each instance beside the features."""
    return {"X": X, "Y": Y, "number": np.unique(Y, axis=0, return_inverse=True)[1].reshape(1, -1).astype(float)}


def directions(data):
    """Return the directions for the delta kernel."""
    return {"directions": mlreduce.SupervisedPCA(DIRECTIONS).fit(data["X"], data["Y"]).components_}


def projections(data):
    """Return the projections of the kernel form, by a root of the kernel matrix."""
    X = data["X"]
    root = Nystroem(kernel="rbf", gamma=1 / X.shape[1], n_components=len(X), random_state=0)
    projected = make_pipeline(root, mlreduce.SupervisedPCA(DIRECTIONS)).fit_transform(X, data["Y"])
    return {"projections": np.abs(projected)}


def program(module, name):
    """Return the code that fits a class of the program to the label sets."""
    return f"from {module} import {name}\nfitted = {name}(n_components={DIRECTIONS})\nfitted.fit(X.T, number)\n"


CASES = (
    Case(
        "supervised-pca",
        Python(
            REPOSITORY,
            f"{program('my_supervised_PCA', 'My_supervised_PCA')}U = fitted.U\n{SIGNED}directions = U.T",
            "PCA_SPCA",
        ),
        directions,
        ("directions",),
        f"{DIRECTIONS}, direct form",
        data=sets,
    ),
    Case(
        "supervised-pca",
        Python(
            REPOSITORY,
            f"{program('my_dual_supervised_PCA', 'My_dual_supervised_PCA')}U = fitted.U\n{SIGNED}directions = U.T",
            "PCA_SPCA",
        ),
        directions,
        ("directions",),
        f"{DIRECTIONS}, dual form",
        data=sets,
    ),
    Case(
        "supervised-pca",
        Python(
            REPOSITORY,
            "import scipy.linalg\nfrom sklearn.metrics.pairwise import rbf_kernel\n"
            "from my_kernel_supervised_PCA_UsingDirect import My_kernel_supervised_PCA_UsingDirect as Kernel\n"
            "L = Kernel().delta_kernel(number)\nK, H = rbf_kernel(X), np.eye(len(X)) - 1 / len(X)\n"
            "fitted = Kernel(kernel='rbf')\nfitted.fit(X.T, number)\nB = fitted.Theta.real\n"
            f"B = B[:, np.argsort(-np.diag(fitted.Lambda.real))[:{DIRECTIONS}]]\n"
            "B /= np.sqrt(np.sum(B * (K @ B), axis=0))\nprojections = np.abs(H @ K @ B)",
            "PCA_SPCA",
        ),
        projections,
        ("projections",),
        f"{DIRECTIONS}, kernel form",
        "its generalised eigenvectors scaled to B'KB = I, and projections centred",
        data=sets,
        datasets=("emotions",),
    ),
)
