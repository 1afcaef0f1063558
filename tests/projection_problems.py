"""Projections with the parameters of their definitions, and random problems, for the tests of the projections."""

from __future__ import annotations

import definitions
import numpy as np
import scipy.sparse as sp

import mlreduce

#: Those of several labels per instance, all of them known; others are in test_single_label and test_semi_supervised.
EVERY = [name for name in definitions.methods("projection") if not hasattr(definitions.load(name), "DATA")]
#: For properties of the code that methods share: thin (mddmp, in a metric cca), samples (pca), features (mlsi, in a
#: metric lda-copy), kernel (mddm-kernel), cost (morp), graphs (mope, olpp, lpp), duplicates (mesd-lfda, mesd-dne).
REPRESENTATIVES = ["pca", "mddmp", "cca", "mlsi", "lda-copy", "mddm-kernel", "morp", "mope", "olpp", "lpp", "mesd-lfda"]
REPRESENTATIVES += ["mesd-dne"]
SUPERVISED = [name for name in REPRESENTATIVES if mlreduce.make(name).supervised]
CENTRED = [name for name in REPRESENTATIVES if mlreduce.make(name).centred]
#: Eigenvalues may be negative.
SIGNED = [name for name in REPRESENTATIVES if mlreduce.make(name).signed_values]
POSITIVE = [name for name in REPRESENTATIVES if name not in SIGNED]
ORTHONORMAL = ["lsi", "mddm-kernel", "mddmp", "mope", "mvmd", "pca", "pls", "sfehs"]
SHAPES = {"tall": (40, 7, 4), "wide": (12, 25, 4), "many labels": (30, 5, 9), "wide, many labels": (8, 20, 11)}


def random_labels(rng, n, c):
    Y = (rng.random((n, c)) < rng.uniform(0.2, 0.6, c)).astype(int)
    Y[rng.integers(n, size=c), np.arange(c)] = 1
    return Y


def data(rng, n, d, c, density=1.0):
    X = rng.standard_normal((n, d)) * rng.uniform(0.5, 2, d) + rng.uniform(-2, 2, d)
    X[rng.random((n, d)) > density] = 0
    return X, random_labels(rng, n, c)


def same_directions(first, second, rtol=1e-7, atol=1e-7):
    same_values(first, second, rtol)
    np.testing.assert_allclose(first.components_, second.components_, atol=atol)


def same_values(first, second, rtol, atol=0.0):
    """Costs are sums of terms that cancel: they are compared relative to the largest."""
    largest = np.abs(second.eigenvalues_).max() if second.signed_values else 0.0
    np.testing.assert_allclose(first.eigenvalues_, second.eigenvalues_, rtol=rtol, atol=max(atol, rtol * largest))


def signed(rows):
    peaks = rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)]
    return rows * np.sign(peaks)[:, None]


def stored(X):
    """A sparse matrix with all entries stored, zeros too."""
    X = np.asarray(X, dtype=float)
    n, d = X.shape
    return sp.csr_array((X.ravel(), np.tile(np.arange(d), n), np.arange(n + 1) * d), shape=X.shape)
