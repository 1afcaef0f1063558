"""The weights of wMLDA by their definitions, in loops, and what they have in common with other methods."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from definitions._projections import scatters
from projection_problems import data, same_directions

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.projection.base import NoDirectionError
from mlreduce.spectral import TrainingSet

KINDS = ["binary", "correlation", "entropy", "fuzzy", "dependence"]
every = pytest.mark.parametrize("kind", KINDS)


def weights_of(kind, X, Y):
    W = mlreduce.WMLDA(weights=kind)._weights(TrainingSet(X, Y.astype(float)))
    return W.toarray() if sp.issparse(W) else W


def fuzzy_cost(X, W):
    """Sum of squared weights times squared distances from the means."""
    cost = 0.0
    for k in range(W.shape[1]):
        mean = sum(W[i, k] ** 2 * X[i] for i in range(len(X))) / sum(W[:, k] ** 2)
        cost += sum(W[i, k] ** 2 * np.sum((X[i] - mean) ** 2) for i in range(len(X)))
    return cost


def dependence(X, W):
    n = len(X)
    H = np.eye(n) - np.ones((n, n)) / n
    return np.trace(X @ X.T @ H @ W @ W.T @ H)


def test_weights_equal_lda_copy_and_mlda(rng):
    X, Y = data(rng, 40, 7, 4)
    for kind, other in (("binary", "lda-copy"), ("correlation", "mlda")):
        own = mlreduce.WMLDA(weights=kind, ridge=0.7).fit(X, Y)
        same_directions(own, mlreduce.make(other, ridge=0.7).fit(X, Y), rtol=0, atol=0)


@every
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_directions_are_those_of_copies_with_the_weights(kind, sparse, rng):
    X, Y = data(rng, 40, 6, 4, density=0.7)
    between, within = scatters(X, weights_of(kind, X, Y))
    within += 0.7 * np.eye(6)
    form = sp.csr_array if sparse else np.asarray
    method = mlreduce.WMLDA(weights=kind, ridge=0.7).fit(form(X), form(Y))
    expected = scipy.linalg.eigh(between, within, eigvals_only=True)[::-1]
    np.testing.assert_allclose(method.eigenvalues_, expected[: method.n_components_], rtol=1e-8)
    P = method.components_
    np.testing.assert_allclose(P @ within @ P.T, np.eye(len(P)), atol=1e-9)
    np.testing.assert_allclose(P @ between @ P.T, np.diag(method.eigenvalues_), atol=1e-8)


@every
def test_weights_are_of_the_labels_that_an_instance_has(kind, rng):
    X, Y = data(rng, 30, 5, 4)
    Y[3] = 0
    W = weights_of(kind, X, Y)
    assert (W >= 0).all()
    assert not W[3].any()
    if kind == "binary":
        np.testing.assert_array_equal(W, Y)
    elif kind != "correlation":
        np.testing.assert_allclose(W.sum(axis=1), Y.any(axis=1), atol=1e-12)
        assert not W[Y == 0].any()
    kept = Y.any(axis=1)
    same_directions(mlreduce.WMLDA(weights=kind).fit(X, Y), mlreduce.WMLDA(weights=kind).fit(X[kept], Y[kept]))


def test_fuzzy_weights_are_memberships_of_the_closest_means(rng):
    X, Y = data(rng, 30, 4, 3)
    W = weights_of("fuzzy", X, Y)
    for i in np.flatnonzero(Y.any(axis=1)):
        closeness = np.zeros(3)
        for k in np.flatnonzero(Y[i]):
            mean = (W[:, k] ** 2) @ X / np.sum(W[:, k] ** 2)
            closeness[k] = 1 / np.sum((X[i] - mean) ** 2)
        np.testing.assert_allclose(W[i], closeness / closeness.sum(), atol=1e-4)
    least = fuzzy_cost(X, W)
    assert least < fuzzy_cost(X, weights_of("entropy", X, Y))
    for _ in range(20):
        other = np.where(Y > 0, W * np.exp(0.05 * rng.standard_normal(W.shape)), 0)
        other /= np.maximum(other.sum(axis=1, keepdims=True), 1e-300)
        assert fuzzy_cost(X, other) >= least * (1 - 1e-9)


def test_an_instance_at_a_mean_belongs_to_it():
    X = np.array([[0.0, 0], [2, 0], [1, 0], [5, 1], [5, -1]])
    Y = np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1]])
    np.testing.assert_allclose(weights_of("fuzzy", X, Y)[2], [1, 0], atol=1e-6)


def test_no_other_weights_of_an_instance_raise_the_dependence(rng):
    X, Y = data(rng, 25, 4, 4)
    W = weights_of("dependence", X, Y)
    most = dependence(X, W)
    assert most > dependence(X, weights_of("entropy", X, Y))
    for i in np.flatnonzero(Y.sum(axis=1) > 1):
        own = np.flatnonzero(Y[i])
        for share in [*np.eye(len(own)), *rng.dirichlet(np.ones(len(own)), 5)]:
            other = W.copy()
            other[i, own] = share
            assert dependence(X, other) <= most * (1 + 1e-10)


@every
def test_order_of_instances_and_labels_does_not_matter(kind, rng):
    X, Y = data(rng, 60, 5, 5)
    rows, labels = rng.permutation(60), rng.permutation(5)
    first = mlreduce.WMLDA(weights=kind).fit(X, Y)
    second = mlreduce.WMLDA(weights=kind).fit(X[rows], Y[rows][:, labels])
    same_directions(first, second)


def test_methods_on_one_training_set_keep_their_own_weights(rng):
    X, Y = data(rng, 40, 5, 4)
    shared = TrainingSet(X, Y.astype(float))
    for kind in KINDS:
        own = mlreduce.WMLDA(weights=kind).fit_training_set(shared)
        same_directions(own, mlreduce.WMLDA(weights=kind).fit(X, Y), rtol=0, atol=0)


@every
def test_what_has_no_classes_is_refused(kind, rng):
    X, Y = data(rng, 20, 3, 3)
    with pytest.raises(DataError, match="WMLDA needs classes: no instance has a label"):
        mlreduce.WMLDA(weights=kind).fit(X, 0 * Y)
    with pytest.raises(DataError, match="WMLDA needs two classes at least"):
        mlreduce.WMLDA(weights=kind).fit(X, Y * [1, 0, 0])
    with pytest.raises(NoDirectionError, match="the features do not vary"):
        mlreduce.WMLDA(weights=kind).fit(np.ones_like(X), Y)


def test_unknown_weights_are_refused(rng):
    X, Y = data(rng, 20, 3, 3)
    with pytest.raises(DataError, match="weights must be 'binary', .* or 'dependence'; got 'fuzy'.*'fuzzy'"):
        mlreduce.WMLDA(weights="fuzy").fit(X, Y)
