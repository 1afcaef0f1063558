from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from projection_problems import data

from mlreduce.exceptions import DataError
from mlreduce.projection import DMLDA, MORP
from mlreduce.validation.limits import within_limits

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
SHAPES = {"tall": (30, 6, 4), "square": (8, 7, 3), "wide": (9, 20, 4), "many labels": (25, 5, 11)}
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def cost(X, Y, beta, ridge, inverse):
    """Xc'HXc + ridge I, with H from the dense n x n matrix K."""
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    K = beta * Yc @ Yc.T + (1 - beta) * Xc @ Xc.T
    return Xc.T @ inverse(K, Xc) @ Xc + ridge * np.eye(X.shape[1]), Xc.T @ Xc


def pseudo_inverse(K, Xc):
    return np.linalg.pinv(K, rcond=1e-11, hermitian=True)


def inverse_on_the_span(K, Xc):
    inside = scipy.linalg.orth(Xc)
    return inside @ np.linalg.inv(inside.T @ K @ inside) @ inside.T


def check(method, A, B, Xc):
    basis = scipy.linalg.orth(Xc.T)
    costs = scipy.linalg.eigh(basis.T @ A @ basis, basis.T @ B @ basis, eigvals_only=True)
    P = method.components_
    np.testing.assert_allclose(-method.eigenvalues_, costs, rtol=1e-7, atol=1e-10 * costs[-1])  # rounding of the sum
    np.testing.assert_allclose(P @ B @ P.T, np.eye(len(P)), atol=1e-8)
    np.testing.assert_allclose(P @ A @ P.T, np.diag(costs), atol=1e-8 * costs[-1])


@shapes
@both
@pytest.mark.parametrize("beta", [0.0, 0.4, 0.999])
@pytest.mark.parametrize("ridge", [0.0, 1.7])
def test_solution_by_definition(shape, kind, beta, ridge, rng):
    X, Y = data(rng, *shape)
    method = MORP(beta=beta, ridge=ridge).fit(kind(X), kind(Y))
    check(method, *cost(X, Y, beta, ridge, inverse_on_the_span), X - X.mean(axis=0))


@both
@pytest.mark.parametrize("beta", [0.0, 0.4, 0.9])
def test_pseudo_inverse_of_wide_features(kind, beta, rng):
    for shape in ((8, 7, 3), (9, 20, 4)):
        X, Y = data(rng, *shape)
        method = MORP(beta=beta, ridge=0.5).fit(kind(X), Y)
        check(method, *cost(X, Y, beta, 0.5, pseudo_inverse), X - X.mean(axis=0))


@both
def test_dependent_features_have_no_directions(kind, rng):
    X, Y = data(rng, 30, 6, 4)
    assert MORP().fit(kind(np.c_[X, X[:, 0], X[:, 1] - X[:, 2]]), Y).n_components_ == 6


@pytest.mark.parametrize("value", [1, 1.0, 1.5, -0.1, None])
def test_labels_alone_are_refused(value, rng):
    with pytest.raises(DataError, match=r"beta must be a number in \[0, 1"):
        MORP(beta=value).fit(*data(rng, 20, 5, 3))


@pytest.mark.parametrize("method", [MORP, DMLDA])
def test_too_many_rows_are_refused_before_the_work(method, rng):
    X = sp.random_array((3000, 12_000), density=0.001, rng=rng, format="csr")
    Y = (rng.random((3000, 4)) < 0.3).astype(int)
    Y[:2] = [[0] * 4, [1] * 4]
    start = time.process_time()
    refusal = (
        rf"{method.__name__} of 3000 rows and 12000 features needs about 0\.362 GB .* \(about \d+ of 3000 rows fit\)"
    )
    with within_limits({"gigabytes": 0.3}), pytest.raises(DataError, match=refusal):
        method(n_components=20).fit(X, Y)
    assert time.process_time() - start < 1.0  # the row space alone takes ten times as long
