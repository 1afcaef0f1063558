from __future__ import annotations

import definitions
import numpy as np
import pytest
import scipy.sparse as sp
from projection_problems import data

import mlreduce

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
EXPANSIONS = ["hsl1", "hsl2", "hsl3"]


@pytest.mark.parametrize("name", EXPANSIONS)
@both
def test_centred(name, kind, rng):
    X, Y = data(rng, 40, 7, 4)
    method = mlreduce.make(name, centred=True, ridge=0.6).fit(kind(X), kind(Y))
    Xc, P = X - X.mean(axis=0), method.components_
    A, B = Xc.T @ definitions.load(name).similarity(Y) @ Xc, Xc.T @ Xc + 0.6 * np.eye(7)
    np.testing.assert_allclose(P @ B @ P.T, np.eye(len(P)), atol=1e-9)
    np.testing.assert_allclose(P @ A @ P.T, np.diag(method.eigenvalues_), atol=1e-9)
    np.testing.assert_allclose(method.mean_, X.mean(axis=0))
    moved = mlreduce.make(name, centred=True, ridge=0.6).fit(kind(X + 100), Y)
    np.testing.assert_allclose(moved.components_, P, atol=1e-8)
