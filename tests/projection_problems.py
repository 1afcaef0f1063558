"""What the tests of the projections share: methods with parameters, and random problems."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import mlreduce

#: Methods that take one label an instance: the same code as their extensions to several (test_single_label.py), which
#: are tested in their place.
SINGLE_LABEL = ["dla", "dne", "donpp", "fda", "lfda", "mfa", "mmc", "olpp-r", "onpp-r", "sonpp"]
EXTENSIONS = [f"mesd-{name}" for name in SINGLE_LABEL]
#: Pairs of projections, labels of some instances: test_semi_supervised.py asks them what is asked of others here.
SEMI_SUPERVISED = ["self", "semi-supervised", "ssdne", "ssdonpp", "ssfda", "sslfda", "ssmfa", "ssmmc", "ssmope"]
ALL = [name for name in mlreduce.list_methods("projection") if name not in SINGLE_LABEL + SEMI_SUPERVISED]
#: A control, whose directions are no answer to the data: left out where a property says what an answer depends on.
CONTROLS = ["random-projection"]
INFORMED = [name for name in ALL if name not in CONTROLS]
SUPERVISED = [name for name in ALL if mlreduce.make(name).supervised]
CENTRED = [name for name in ALL if mlreduce.make(name).centred]
#: Costs with their sign turned, and graphs: eigenvalues may be negative, and all directions in the row space count.
SIGNED = [name for name in ALL if mlreduce.make(name).signed_values]
POSITIVE = [name for name in ALL if name not in SIGNED]
#: Parameters for which the constraint is never singular, and every formula has all its terms.
PARAMETERS = {
    **{name: {} for name in ("pca", "lsi", "mddmp", "pls", "mddm-kernel", "sfehs")},
    **{name: {"ridge": 0.7} for name in ("rcca", "lda-copy", "mlda", "dmlda")},
    "random-projection": {"random_state": 0},
    "cca": {},
    "opls": {},
    "mddmf": {"beta": 0.3},
    "mvmd": {"beta": 0.2},
    "mlsi": {"beta": 0.4, "gamma": 0.6},
    **{name: {"gamma": 0.6} for name in ("hsl1", "hsl2", "hsl3")},
    "morp": {"beta": 0.4, "ridge": 0.7},
    "mope": {"n_neighbors": 4, "beta": 1.5},
    "olpp": {"proximity": {"n_neighbors": 4}},
    "lpp": {"proximity": {"n_neighbors": 4}, "ridge": 0.7},
    "onpp": {"n_neighbors": 4},
    "npp": {"n_neighbors": 4, "ridge": 0.7},
    **{name: {"ridge": 0.7} for name in ("mesd-fda", "mesd-lfda")},
    "mesd-mfa": {"ridge": 0.7, "n_pairs": 150},
    **{f"mesd-{name}": {} for name in ("mmc", "dla", "dne", "olpp-r", "sonpp", "donpp", "onpp-r")},
}
ORTHONORMAL = ["lsi", "mddm-kernel", "mddmp", "mope", "mvmd", "pca", "pls", "sfehs"]
#: Methods whose constraint is ``Xc'Xc`` alone: units of the features do not matter.
UNIT_FREE = ["cca", "opls"]
SHAPES = {"tall": (40, 7, 4), "wide": (12, 25, 4), "many labels": (30, 5, 9), "wide, many labels": (8, 20, 11)}


def make(name, **parameters):
    return mlreduce.make(name, **(PARAMETERS[name] | parameters))


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
    """Values of a cost come from sums of terms that cancel: they are compared relative to the largest."""
    largest = np.abs(second.eigenvalues_).max() if second.signed_values else 0.0
    np.testing.assert_allclose(first.eigenvalues_, second.eigenvalues_, rtol=rtol, atol=max(atol, rtol * largest))


def signed(rows):
    """The project's rule of signs."""
    peaks = rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)]
    return rows * np.sign(peaks)[:, None]


def stored(X):
    """A sparse matrix in which every entry is stored, zeros too."""
    X = np.asarray(X, dtype=float)
    n, d = X.shape
    return sp.csr_array((X.ravel(), np.tile(np.arange(d), n), np.arange(n + 1) * d), shape=X.shape)
