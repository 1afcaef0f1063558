from __future__ import annotations

import definitions
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
    np.testing.assert_allclose(S, definitions.load(name).similarity(Y), atol=1e-13)
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
    A, B = Xc.T @ definitions.load(name).similarity(Y) @ Xc, Xc.T @ Xc + 0.6 * np.eye(7)
    np.testing.assert_allclose(P @ B @ P.T, np.eye(len(P)), atol=1e-9)
    np.testing.assert_allclose(P @ A @ P.T, np.diag(method.eigenvalues_), atol=1e-9)
    np.testing.assert_allclose(method.mean_, X.mean(axis=0))
    moved = mlreduce.make(name, centred=True, gamma=0.6).fit(kind(X + 100), Y)
    np.testing.assert_allclose(moved.components_, P, atol=1e-8)
