"""Weights, batches, unknown labels and shares of the projections that depend on covariances alone."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from definitions import make
from projection_problems import EVERY, POSITIVE, SIGNED, data, same_directions
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import mlreduce
from mlreduce.exceptions import DataError

METHODS = ["pca", "lsi", "mddmp", "mddmf", "mvmd", "pls", "opls", "cca", "rcca"]
every = pytest.mark.parametrize("name", METHODS)
both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


def problem(rng, n=60, d=9, q=4):
    X, Y = data(rng, n, d, q)
    X = X * np.linspace(1, 3, d) + 5
    X[rng.random((n, d)) < 0.3] = 0
    return X, Y


def same(found, expected, atol=1e-10):
    np.testing.assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=1e-10)
    np.testing.assert_allclose(found.components_, expected.components_, atol=atol)
    np.testing.assert_allclose(found.mean_, expected.mean_, rtol=1e-12)
    if hasattr(expected, "objective_ratio_"):
        np.testing.assert_allclose(found.objective_ratio_, expected.objective_ratio_, rtol=1e-9)


@every
@both
@pytest.mark.parametrize("parameters", [{}, {"n_components": 2}, {"n_components": 0.8}])
def test_whole_weights_are_copies_of_rows(name, kind, parameters, rng):
    X, Y = problem(rng)
    weights = rng.integers(0, 4, len(X))
    copies = make(name, **parameters).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0))
    same(make(name, **parameters).fit(kind(X), Y, sample_weight=weights), copies)
    same(make(name, **parameters).fit(X, Y, sample_weight=2.0), make(name, **parameters).fit(np.r_[X, X], np.r_[Y, Y]))


@every
@both
@pytest.mark.parametrize("shape", [(60, 9, 4), (12, 20, 3)])
@pytest.mark.rotating
def test_batches_in_any_order_are_the_whole(name, kind, shape, rng):
    X, Y = problem(rng, *shape)
    expected = make(name).fit(X, Y)
    cuts = np.array_split(rng.permutation(len(X)), 4)
    for order in (cuts, cuts[::-1], [cuts[0][:1], cuts[0][1:], *cuts[1:]]):
        running = make(name)
        for rows in order:
            running.partial_fit(kind(X[rows]), Y[rows])
        same(running, expected, atol=1e-8 if shape[0] < shape[1] else 1e-10)
    again = pickle.loads(pickle.dumps(running)).partial_fit(X[:5], Y[:5])
    same(again, make(name).fit(np.r_[X, X[:5]], np.r_[Y, Y[:5]]), atol=1e-8)
    same(running.fit(X, Y).partial_fit(X, Y), expected, atol=1e-8)  # anew


@every
def test_weighted_batches(name, rng):
    X, Y = problem(rng)
    weights = rng.uniform(0.1, 2, len(X))
    running = make(name)
    for rows in np.array_split(np.arange(len(X)), 3):
        running.partial_fit(X[rows], Y[rows], sample_weight=weights[rows])
    same(running, make(name).fit(X, Y, sample_weight=weights))


def test_batches_that_do_not_fit(rng):
    X, Y = problem(rng)
    method = make("mddmp").partial_fit(X[:1], Y[:1])
    assert not hasattr(method, "components_")  # nothing varies yet
    with pytest.raises(DataError, match="y has 2 labels; earlier batches have 4"):
        method.partial_fit(X, Y[:, :2])
    with pytest.raises(ValueError, match="9 features"):
        method.partial_fit(X[:, :5], Y)
    named = mlreduce.PCA().partial_fit(pd.DataFrame(X).add_prefix("f"))
    assert list(named.feature_names_in_) == [f"f{i}" for i in range(9)]


@pytest.mark.parametrize("name", ["mddmp", "mvmd", "pls"])
@pytest.mark.parametrize("weighted", [False, True])
def test_unknown_cells_by_the_definition(name, weighted, rng):
    X, Y = problem(rng)
    known = rng.random(Y.shape) < 0.7
    weights = rng.uniform(0.5, 2, len(X)) if weighted else np.ones(len(X))
    Xc = X - np.average(X, axis=0, weights=weights)
    cross = np.zeros((9, 4))
    for label in range(4):
        rows = known[:, label]
        values = Y[rows, label] - np.average(Y[rows, label], weights=weights[rows])
        cross[:, label] = Xc[rows].T @ (weights[rows] * values) * weights.sum() / weights[rows].sum()
    scale = 1 if name == "pls" else 4
    A = scale * cross @ cross.T
    if name == "mvmd":
        beta = make(name).beta
        A = (1 - beta) * Xc.T @ (weights[:, None] * Xc) + beta * A
    values, vectors = np.linalg.eigh(A)
    partly = np.where(known, Y, np.nan)
    for labels in (partly, 2 * partly - 1, pd.DataFrame(partly).astype("Int64")):
        method = make(name).fit(sp.csr_array(X), labels, sample_weight=weights if weighted else None)
        k = method.n_components_
        np.testing.assert_allclose(method.eigenvalues_, values[::-1][:k], rtol=1e-9)
        np.testing.assert_allclose(np.abs((method.components_ * vectors.T[::-1][:k]).sum(axis=1)), 1, atol=1e-9)


def test_few_unknown_cells_change_little_and_none_nothing(rng):
    X, _ = problem(rng, 4000, 9, 4)
    Y = (X - X.mean(axis=0) + 2 * rng.standard_normal(X.shape) > 1)[:, :4] * 1.0
    whole = make("mddmp").fit(X, Y)
    partly = make("mddmp").fit(X, np.where(rng.random(Y.shape) < 0.1, np.nan, Y))
    assert np.abs(partly.components_[0] @ whole.components_[0]) > 0.99
    np.testing.assert_allclose(partly.eigenvalues_.sum(), whole.eigenvalues_.sum(), rtol=0.1)
    unknown = np.where(np.arange(4) == 2, np.nan, Y)
    with pytest.warns(UserWarning, match="column 2"):
        partly = make("mddmp").fit(X, unknown)
    same_directions(partly, make("mddmp").fit(X, np.delete(Y, 2, axis=1)))
    with pytest.raises(DataError, match="no label is known"):
        make("mddmp").fit(X, np.full(Y.shape, np.nan))
    with pytest.raises(DataError, match="is NaN in part"):
        mlreduce.SSDNE().fit(X, np.where(np.arange(4) == 2, np.nan, Y))


@pytest.mark.parametrize("name", [name for name in EVERY if name in POSITIVE])
def test_shares_are_of_the_sum_of_all_eigenvalues(name, rng):
    X, Y = data(rng, 50, 8, 4)
    whole = make(name).fit(X, Y)
    np.testing.assert_allclose(whole.objective_ratio_.sum(), 1)
    few = make(name, n_components=1).fit(X, Y)
    if hasattr(few, "objective_ratio_"):
        np.testing.assert_allclose(few.objective_ratio_, whole.objective_ratio_[:1], rtol=1e-8)


@pytest.mark.parametrize("name", SIGNED[:2])
def test_eigenvalues_below_zero_have_no_shares(name, rng):
    method = make(name).fit(*data(rng, 30, 5, 3))
    assert not hasattr(method, "objective_ratio_")


@pytest.mark.parametrize("n_components", [1, 5, 20, 56])
@both
def test_pca_is_scikit_learns(n_components, kind):
    X = load_digits().data[:400]
    ours, theirs = mlreduce.PCA(n_components).fit(kind(X)), PCA(n_components, svd_solver="full").fit(X)
    for name in ("explained_variance_", "explained_variance_ratio_", "noise_variance_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-9)
    if n_components < 56:
        np.testing.assert_allclose(ours.score_samples(kind(X[:9])), theirs.score_samples(X[:9]), rtol=1e-8)
        np.testing.assert_allclose(ours.score(X), theirs.score(X), rtol=1e-8)
    else:
        with pytest.raises(DataError, match="PCA has no likelihood: the features do not vary along the 8 directions"):
            ours.score(X)
    Z = ours.transform(kind(X[:9]))
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(theirs.transform(X[:9])), atol=1e-9)


@pytest.mark.parametrize("name", ["pca", "cca", "opls", "mlsi", "mope"])
def test_inverse_is_the_nearest_preimage(name, rng):
    X, Y = data(rng, 40, 7, 3)
    method = make(name, n_components=2).fit(X, Y)
    Z = method.transform(X)
    back = method.inverse_transform(Z)
    np.testing.assert_allclose(method.transform(back), Z, atol=1e-9)
    offset = back - method.mean_  # in the span of the directions: no other preimage is nearer
    basis = np.linalg.qr(method.components_.T)[0]
    np.testing.assert_allclose(offset @ basis @ basis.T, offset, atol=1e-9)
    with pytest.raises(DataError, match=r"Z must have the shape \(n_samples, 2\)"):
        method.inverse_transform(Z[:, :1])


def test_embeddings_name_their_columns(rng):
    X = rng.standard_normal((30, 4))
    assert list(clone(mlreduce.Isomap(n_components=2)).fit(X).get_feature_names_out()) == ["isomap0", "isomap1"]
