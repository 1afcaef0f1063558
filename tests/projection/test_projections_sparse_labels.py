"""Labels as a csr_array give the directions that they give as an array, of more labels than features too."""

from __future__ import annotations

import definitions
import numpy as np
import pytest
import scipy.sparse as sp
from definitions import make
from projection_problems import data, same_directions

import mlreduce
from mlreduce.projection.mddm import MDDMKernel
from mlreduce.spectral import form, solver


@pytest.mark.parametrize("name", [name for name in definitions.methods("projection") if mlreduce.make(name).supervised])
def test_sparse_labels_have_the_same_directions(name, rng):
    X, Y = data(rng, 40, 6, 4)
    if mlreduce.make(name).single_label:
        Y = np.eye(4, dtype=int)[rng.integers(4, size=40)]
    same_directions(make(name).fit(X, sp.csr_array(Y)), make(name).fit(X, Y))


@pytest.mark.parametrize("name", ["mddmp", "pls", "opls", "mddmf", "rcca", "hsl2", "mlsi", "mvmd"])
@pytest.mark.parametrize("size", [2, None])
def test_many_labels_without_their_products(name, size, rng, monkeypatch):
    X, Y = data(rng, 80, 6, 30, density=0.3)
    X, labels = sp.csr_array(X), sp.csr_array(Y)
    expected = make(name, n_components=size).fit(X, Y)
    monkeypatch.setattr(solver, "THIN_ENTRIES", 100)
    monkeypatch.setattr(form, "_CROSS_BYTES", 8 * 6 * 7)
    crossed, features = [], solver.Features
    cross = features.cross
    monkeypatch.setattr(features, "cross", lambda self, right: crossed.append(right.shape[1]) or cross(self, right))
    same_directions(make(name, n_components=size).fit(X, labels), expected, rtol=1e-6, atol=1e-6)
    assert all(columns <= 7 for columns in crossed) or name == "rcca"  # whose middle is no number


def test_a_kernel_of_many_sparse_labels(rng, monkeypatch):
    X, Y = data(rng, 40, 6, 5)
    expected = MDDMKernel(kernel="rbf").fit(X, Y)
    monkeypatch.setattr("mlreduce.projection.mddm._FEW_CELLS", 10)
    same_directions(MDDMKernel(kernel="rbf").fit(X, sp.csr_array(Y)), expected)
