from __future__ import annotations

import warnings

import numpy as np
import proximity_by_the_book as book
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from label_proximities_by_the_book import average_over_classes, combination, index_of_bits, nearest_by_psi
from projection_problems import EVERY, EXTENSIONS, PARAMETERS, SHAPES, data, make, same_directions
from single_label_by_the_book import forms_by_copying

from mlreduce.exceptions import ProjectionWarning
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.proximity import Proximity


def definition(name, X, Y, **p):
    """A_p and B_p by their definitions, as d x d arrays."""
    n, d = X.shape
    c = Y.shape[1]
    Y = Y.astype(float)
    H = np.eye(n) - np.ones((n, n)) / n
    Xc, S, identity = H @ X, 2 * Y - 1, np.eye(d)
    if name in ("olpp", "lpp"):
        W = book.weights(X, **p["proximity"])
        A = -X.T @ (np.diag(W.sum(axis=1)) - W) @ X
        return A, identity if name == "olpp" else X.T @ np.diag(W.sum(axis=1)) @ X + p["ridge"] * identity
    if name in ("onpp", "npp"):
        rest = np.eye(n) - book.reconstruction(X, p["n_neighbors"])
        return -X.T @ rest.T @ rest @ X, identity if name == "onpp" else X.T @ X + p["ridge"] * identity
    if name == "mesd":
        return definition(f"mesd-{p['base']}", X, Y, **p["parameters"])
    if name in EXTENSIONS:
        labelled = Y.any(axis=1)
        if not labelled.all():
            return definition(name, X[labelled], Y[labelled], **p)
        W = Proximity().matrix(TrainingSet(X)).toarray()
        A, B = forms_by_copying(name.removeprefix("mesd-"), X, Y, W, make(name).get_params(), weighted=False)
        return Xc.T @ A @ Xc, identity if B is None else Xc.T @ B @ Xc + p["ridge"] * identity
    sizes, m = Y.sum(axis=0), Y.sum(axis=1)
    dependence = X.T @ H @ S @ S.T @ H @ X
    if name == "pca":
        return X.T @ H @ X, identity
    if name == "lsi":
        return X.T @ X, identity
    if name == "mddmp":
        return dependence, identity
    if name == "mddmf":
        return dependence, p["beta"] * Xc.T @ Xc + (1 - p["beta"]) * identity
    if name == "mvmd":
        return (1 - p["beta"]) * Xc.T @ Xc + p["beta"] * dependence, identity
    if name in ("pls", "opls"):
        return Xc.T @ Y @ Y.T @ Xc, identity if name == "pls" else Xc.T @ Xc
    if name in ("cca", "rcca"):
        A = Xc.T @ Y @ np.linalg.pinv(Y.T @ H @ Y, rcond=1e-10) @ Y.T @ Xc
        return A, Xc.T @ Xc + p.get("ridge", 0) * identity
    if name == "mlsi":
        return X.T @ ((1 - p["beta"]) * X @ X.T + p["beta"] * Y @ Y.T) @ X, X.T @ X + p["gamma"] * identity
    if name in ("mddm-kernel", "sfehs"):
        return Xc.T @ Y @ Y.T @ Xc / ((n - 1) ** 2 if name == "sfehs" else 1), identity
    if name in ("hsl1", "hsl2", "hsl3"):
        shared = Y / sizes ** {"hsl1": 0, "hsl2": 2, "hsl3": 1}[name] @ Y.T
        degrees = shared.sum(axis=1)
        roots = np.sqrt(np.divide(1, degrees, out=np.zeros(n), where=degrees > 0))
        return X.T @ (roots[:, None] * shared * roots) @ X, X.T @ X + p["gamma"] * identity
    if name == "morp":
        inside = scipy.linalg.orth(Xc)
        K = p["beta"] * H @ Y @ Y.T @ H + (1 - p["beta"]) * Xc @ Xc.T
        cost = Xc.T @ inside @ np.linalg.inv(inside.T @ K @ inside) @ inside.T @ Xc + p["ridge"] * identity
        return -cost, Xc.T @ Xc
    if name == "mope":
        squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        W, G = np.exp(-squares * n * (n - 1) / squares.sum()), average_over_classes(Y, index_of_bits(Y.T, "dice"))
        return X.T @ nearest_by_psi(combination(W, G, "priority", beta=p["beta"]), p["n_neighbors"]) @ X, identity
    if name == "dmlda":
        between, within = np.zeros((d, d)), np.zeros((d, d))
        for k in range(c):
            difference = X - X[Y[:, k] == 1].mean(axis=0)
            between += (difference * (1 - Y[:, [k]])).T @ difference
            within += (difference * Y[:, [k]]).T @ difference
        return between, within + p["ridge"] * identity
    # discriminant analysis of duplicates with a weight
    Z = Y
    if name == "mlda":
        cosines = Y.T @ Y / np.sqrt(np.outer(sizes, sizes))
        Z = (Y @ cosines) / np.maximum(m, 1)[:, None]
    if name == "wmlda":
        Z = Y / np.maximum(m, 1)[:, None]
    return scatters_of_copies(X, Z, p["ridge"])


def scatters_of_copies(X, Z, ridge):
    """Scatter between and within classes of instances copied into each class with a weight."""
    n, d = X.shape
    c = Z.shape[1]
    copies = [(X[i], k, Z[i, k]) for i in range(n) for k in range(c) if Z[i, k] > 0]
    points, classes, weights = (np.array(part) for part in zip(*copies, strict=True))
    mean = np.average(points, axis=0, weights=weights)
    between, within = np.zeros((d, d)), ridge * np.eye(d)
    for k in range(c):
        own = classes == k
        center = np.average(points[own], axis=0, weights=weights[own])
        between += weights[own].sum() * np.outer(center - mean, center - mean)
        within += (points[own] - center).T @ ((points[own] - center) * weights[own, None])
    return between, within


@pytest.fixture(params=SHAPES.values(), ids=SHAPES)
def problem(request, rng):
    return data(rng, *request.param)


def reference(name, X, Y):
    """A, B and the eigenvalues of the pair in the row space of X."""
    A, B = definition(name, X, Y, **PARAMETERS[name])
    basis = scipy.linalg.orth((X - X.mean(axis=0) if make(name).centred else X).T)
    return A, B, scipy.linalg.eigh(basis.T @ A @ basis, basis.T @ B @ basis)[0][::-1]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_solution_by_definition(name, sparse, problem):
    X, Y = problem
    A, B, expected = reference(name, X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProjectionWarning)  # wide: a plain Xc'Xc is singular
        method = make(name).fit(sp.csr_array(X) if sparse else X, sp.csr_array(Y) if sparse else Y)
    P = method.components_
    scale = np.abs(expected).max()
    counted = expected if method.signed_values else expected[expected > 1e-9 * scale]
    np.testing.assert_allclose(method.eigenvalues_, counted, rtol=1e-8, atol=1e-9 * scale)
    np.testing.assert_allclose(P @ B @ P.T, np.eye(len(P)), atol=1e-8)
    np.testing.assert_allclose(P @ A @ P.T, np.diag(method.eigenvalues_), atol=1e-8 * scale)
    peaks = P[np.arange(len(P)), np.abs(P).argmax(axis=1)]
    assert (peaks > 0).all()


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=5)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 3))
def test_no_feasible_directions_are_better(name, seed, k):
    rng = np.random.default_rng(seed)
    X, Y = data(rng, 25, 6, 4)
    A, B = definition(name, X, Y, **PARAMETERS[name])
    method = make(name, n_components=k).fit(X, Y)
    objective = np.trace(method.components_ @ A @ method.components_.T)
    assert objective == pytest.approx(method.eigenvalues_.sum())
    rival = rng.standard_normal((6, k))
    rival = rival @ np.linalg.inv(np.linalg.cholesky(rival.T @ B @ rival)).T
    np.testing.assert_allclose(rival.T @ B @ rival, np.eye(k), atol=1e-8)
    assert np.trace(rival.T @ A @ rival) <= objective + 1e-9 * abs(objective)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_limits_of_weights_are_other_methods(shape, rng):
    X, Y = data(rng, *shape)
    same_directions(make("mvmd", beta=0).fit(X, Y), make("pca").fit(X))
    same_directions(make("mvmd", beta=1).fit(X, Y), make("mddmp").fit(X, Y))
    same_directions(make("mddmf", beta=0).fit(X, Y), make("mddmp").fit(X, Y))
    pls, mddm = make("pls").fit(X, Y), make("mddmp").fit(X, Y)
    np.testing.assert_allclose(pls.components_, mddm.components_, atol=1e-9)
    np.testing.assert_allclose(4 * pls.eigenvalues_, mddm.eigenvalues_)
    lsi, mlsi = make("lsi").fit(X), make("mlsi", beta=0, gamma=0.5).fit(X, Y)
    k = lsi.n_components_
    np.testing.assert_allclose(mlsi.eigenvalues_, lsi.eigenvalues_**2 / (lsi.eigenvalues_ + 0.5), rtol=1e-6)
    cosines = (mlsi.components_ * lsi.components_).sum(axis=1) / np.linalg.norm(mlsi.components_, axis=1)
    np.testing.assert_allclose(cosines, np.ones(k), atol=1e-6)
