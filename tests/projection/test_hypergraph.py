from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from projection_problems import data, random_labels

import mlreduce
from mlreduce.spectral import TrainingSet

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
EXPANSIONS = ["hsl1", "hsl2", "hsl3"]


def similarity(name, Y):
    """S by a loop over the hyperedges, from each expansion's own graph."""
    n, c = Y.shape
    edges = [np.flatnonzero(Y[:, k]) for k in range(c)]
    W = np.zeros((n, n))
    if name == "hsl2":  # a graph of instances and labels, its normalised adjacency twice
        joint = np.zeros((n + c, n + c))
        for k, members in enumerate(edges):
            for i in members:
                joint[i, n + k] = joint[n + k, i] = 1 / len(members)
        degrees = joint.sum(axis=1)
        scale = np.array([1 / np.sqrt(d) if d > 0 else 0 for d in degrees])
        normalised = scale[:, None] * joint * scale
        return (normalised @ normalised)[:n, :n]
    degrees = np.zeros(n)
    for members in edges:
        for i in members:
            degrees[i] += len(members) if name == "hsl1" else 1
            for j in members:
                W[i, j] += 1 if name == "hsl1" else 1 / len(members)
    scale = np.array([1 / np.sqrt(d) if d > 0 else 0 for d in degrees])
    return scale[:, None] * W * scale


def matrix_of(name, Y, kind=np.asarray):
    form = mlreduce.make(name)._objective(TrainingSet(np.zeros((len(Y), 1)), kind(Y.astype(float))))
    assert sp.issparse(form.factor) == (kind is sp.csr_array)
    factor = form.factor.toarray() if sp.issparse(form.factor) else form.factor
    assert factor.shape == Y.shape
    return factor @ factor.T


@pytest.mark.parametrize("name", EXPANSIONS)
@both
def test_similarities_by_definition(name, kind, rng):
    Y = random_labels(rng, 30, 6)
    Y[[2, 20]] = 0
    Y[:, 4] = 0
    S = matrix_of(name, Y, kind)
    np.testing.assert_allclose(S, similarity(name, Y), atol=1e-13)
    assert not S[[2, 20]].any()


@pytest.mark.parametrize("name", EXPANSIONS)
@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_largest_eigenvalue_of_similarities(name, seed):
    rng = np.random.default_rng(seed)
    Y = random_labels(rng, 15, 5)
    S = matrix_of(name, Y)
    values = np.linalg.eigvalsh(S)
    assert values[-1] == pytest.approx(1)
    assert values[0] > -1e-12
    sizes = Y.sum(axis=0)
    degrees = Y @ {"hsl1": sizes, "hsl2": 1 / sizes, "hsl3": np.ones(5)}[name]
    np.testing.assert_allclose(S @ np.sqrt(degrees), np.sqrt(degrees), atol=1e-12)


@pytest.mark.parametrize("name", EXPANSIONS)
@both
def test_centred(name, kind, rng):
    X, Y = data(rng, 40, 7, 4)
    method = mlreduce.make(name, centred=True, gamma=0.6).fit(kind(X), kind(Y))
    Xc, P = X - X.mean(axis=0), method.components_
    A, B = Xc.T @ similarity(name, Y) @ Xc, Xc.T @ Xc + 0.6 * np.eye(7)
    np.testing.assert_allclose(P @ B @ P.T, np.eye(len(P)), atol=1e-9)
    np.testing.assert_allclose(P @ A @ P.T, np.diag(method.eigenvalues_), atol=1e-9)
    np.testing.assert_allclose(method.mean_, X.mean(axis=0))
    moved = mlreduce.make(name, centred=True, gamma=0.6).fit(kind(X + 100), Y)
    np.testing.assert_allclose(moved.components_, P, atol=1e-8)
