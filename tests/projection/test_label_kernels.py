"""Directions by the Hilbert-Schmidt independence criterion: kernels of labels, and both estimates."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from projection_problems import data, same_directions
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.pipeline import make_pipeline

import mlreduce
from mlreduce.exceptions import DataError

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
KERNELS = {
    "linear": ("linear", lambda Y: Y @ Y.T),
    "rbf": ("rbf", lambda Y: rbf_kernel(Y, gamma=0.4)),
    "delta": ("delta", lambda Y: (Y[:, None] == Y).all(axis=2).astype(float)),
    "callable": (polynomial_kernel, polynomial_kernel),
}
kernels = pytest.mark.parametrize(("kernel", "matrix_of"), KERNELS.values(), ids=KERNELS)


def biased(Z, L):
    n = len(Z)
    H = np.eye(n) - 1 / n
    return np.trace(Z @ Z.T @ H @ L @ H) / (n - 1) ** 2


def unbiased(Z, L):
    """Sums over pairs, triples and quadruples of different instances (Song et al. 2012, before the closed form)."""
    n, K = len(Z), Z @ Z.T
    pairs, triples, quadruples = [], [], []
    for i in range(n):
        for j in range(n):
            if j == i:
                continue
            pairs.append(K[i, j] * L[i, j])
            for q in range(n):
                if q in (i, j):
                    continue
                triples.append(K[i, j] * L[i, q])
                quadruples.extend(K[i, j] * L[q, r] for r in range(n) if r not in (i, j, q))
    return np.mean(pairs) + np.mean(quadruples) - 2 * np.mean(triples)


@pytest.fixture(params=[(8, 5, 3), (9, 12, 3), (10, 4, 2)], ids=["tall", "wide", "few label sets"])
def problem(request, rng):
    X, Y = data(rng, *request.param)
    return X, Y.astype(float)


@kernels
@both
def test_a_kernel_of_the_labels(kernel, matrix_of, kind, problem):
    X, Y = problem
    method = mlreduce.make("mddm-kernel", kernel=kernel, gamma=0.4).fit(kind(X), kind(Y))
    Xc, P = X - X.mean(axis=0), method.components_
    A = Xc.T @ matrix_of(Y) @ Xc
    expected = np.linalg.eigvalsh(A)[::-1]
    np.testing.assert_allclose(method.eigenvalues_, expected[expected > 1e-9 * expected[0]], rtol=1e-8)
    np.testing.assert_allclose(P @ P.T, np.eye(len(P)), atol=1e-9)
    np.testing.assert_allclose(P @ A @ P.T, np.diag(method.eigenvalues_), atol=1e-8 * expected[0])
    given = mlreduce.make("mddm-kernel", kernel=matrix_of(Y)).fit(kind(X), Y)
    same_directions(given, method)


def test_supervised_pca_of_a_root_of_the_kernel_is_its_kernel_form(rng):
    """max tr(B'KHLHKB) subject to B'KB = I; the projections of the training rows are HKB."""
    X, Y = data(rng, 20, 4, 3)
    K, L = rbf_kernel(X, gamma=0.1), (Y[:, None] == Y).all(axis=2).astype(float)
    H = np.eye(20) - 1 / 20
    values, B = scipy.linalg.eigh(K @ H @ L @ H @ K, K)
    root = Nystroem(kernel="rbf", gamma=0.1, n_components=20, random_state=0)
    model = make_pipeline(root, mlreduce.make("supervised-pca", n_components=3))
    Z = model.fit_transform(X, Y)
    np.testing.assert_allclose(model[-1].eigenvalues_, values[::-1][:3], rtol=1e-6)
    np.testing.assert_allclose(np.abs(Z), np.abs(H @ K @ B[:, ::-1][:, :3]), atol=1e-6)


@kernels
@both
@pytest.mark.parametrize("estimate", ["biased", "unbiased"])
def test_eigenvalues_add_up_to_the_estimate(kernel, matrix_of, kind, estimate, problem):
    X, Y = problem
    method = mlreduce.make("sfehs", kernel=kernel, gamma=0.4, estimate=estimate).fit(kind(X), kind(Y))
    directly = {"biased": biased, "unbiased": unbiased}[estimate]
    L = matrix_of(Y)
    for k in {1, method.n_components_}:
        Z = X @ method.components_[:k].T
        assert method.eigenvalues_[:k].sum() == pytest.approx(directly(Z, L), rel=1e-8)
        np.testing.assert_allclose(directly(Z + 5, L), directly(Z, L), rtol=1e-7)
    P = method.components_
    np.testing.assert_allclose(P @ P.T, np.eye(len(P)), atol=1e-9)


@kernels
@pytest.mark.parametrize("estimate", ["biased", "unbiased"])
def test_directions_maximise_the_estimate(kernel, matrix_of, estimate, rng):
    X, Y = data(rng, 8, 5, 3)
    method = mlreduce.make("sfehs", n_components=2, kernel=kernel, gamma=0.4, estimate=estimate).fit(X, Y)
    directly, L = {"biased": biased, "unbiased": unbiased}[estimate], matrix_of(Y.astype(float))
    best = directly(X @ method.components_.T, L)
    for _ in range(10):
        rival = np.linalg.qr(rng.standard_normal((5, 2)))[0]
        assert directly(X @ rival, L) <= best * (1 + 1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("n", [4, 23, 1000])
def test_constant_labels_are_refused(kernel, value, n, rng):
    X = rng.standard_normal((n, 3)) + 30
    with pytest.raises(DataError, match="labels do not vary"):
        mlreduce.make("sfehs", kernel=kernel, estimate="unbiased").fit(X, np.full((n, 3), value))


@pytest.mark.parametrize("name", ["mddm-kernel", "sfehs", "supervised-pca"])
@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        ("poly", "unknown kernel of labels 'poly'"),
        (np.eye(3), r"kernel must be of shape \(20, 20\), the instances; got \(3, 3\)"),
        (lambda Y: Y, r"kernel must be of shape \(20, 20\)"),
        (np.triu(np.ones((20, 20))), "kernel must be symmetric and hold finite numbers"),
        (np.full((20, 20), np.nan), "kernel must be symmetric and hold finite numbers"),
    ],
)
def test_impossible_kernels_are_refused(name, kernel, sentence, rng):
    with pytest.raises(DataError, match=sentence):
        mlreduce.make(name, kernel=kernel).fit(*data(rng, 20, 5, 3))


def test_impossible_estimates_are_refused(rng):
    X, Y = data(rng, 20, 5, 3)
    with pytest.raises(DataError, match="estimate must be 'biased' or 'unbiased'; got 'best'"):
        mlreduce.make("sfehs", estimate="best").fit(X, Y)
    with pytest.raises(DataError, match="the unbiased estimate needs four instances at least; got n_samples=3"):
        mlreduce.make("sfehs", estimate="unbiased").fit(X[:3], Y[:3])
