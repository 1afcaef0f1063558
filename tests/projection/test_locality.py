"""LPP, OLPP, NPP and ONPP beyond what all projections have in common: constraints, weights, and what they keep."""

from __future__ import annotations

import warnings

import numpy as np
import proximity_by_the_book as book
import pytest
import scipy.linalg
import scipy.sparse as sp
from projection_problems import data, same_directions

import mlreduce
from mlreduce.exceptions import DegenerateWarning
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.proximity import Proximity

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
WEIGHTS = ["constant", "gaussian", "local-scaling", "ratio", "reconstruction", "cosine", "spearman", "geodesic"]


def laplacian(W):
    return np.diag(W.sum(axis=1)) - W


@pytest.mark.parametrize("weight", WEIGHTS)
@both
def test_every_weight(weight, kind, rng):
    X = data(rng, 30, 5, 2)[0]
    proximity = {"weight": weight, "n_neighbors": 4}
    W = book.weights(X, **proximity)
    A, B = X.T @ laplacian(W) @ X, X.T @ np.diag(W.sum(axis=1)) @ X
    olpp = mlreduce.OLPP(proximity=Proximity(**proximity)).fit(kind(X))
    np.testing.assert_allclose(olpp.eigenvalues_, -np.linalg.eigvalsh(A), atol=1e-9 * np.trace(A))
    lpp = mlreduce.LPP(proximity=proximity, ridge=0).fit(kind(X))
    np.testing.assert_allclose(lpp.eigenvalues_, -scipy.linalg.eigh(A, B, eigvals_only=True), atol=1e-9)
    assert lpp.eigenvalues_.min() >= -2 - 1e-12
    assert max(olpp.eigenvalues_.max(), lpp.eigenvalues_.max()) <= 0


@both
def test_scatter_constraint(kind, rng):
    X = data(rng, 40, 5, 2)[0]
    A = X.T @ laplacian(book.weights(X)) @ X
    method = mlreduce.LPP(constraint="scatter", ridge=0.3).fit(kind(X))
    B = X.T @ X + 0.3 * np.eye(5)
    np.testing.assert_allclose(method.eigenvalues_, -scipy.linalg.eigh(A, B, eigvals_only=True))
    np.testing.assert_allclose(method.components_ @ B @ method.components_.T, np.eye(5), atol=1e-10)
    assert (method.mean_ == 0).all()


@pytest.mark.parametrize("name", ["lpp", "npp"])
def test_default_ridge(name, rng):
    X = data(rng, 40, 5, 2)[0]
    degrees = book.weights(X).sum(axis=1) if name == "lpp" else np.ones(40)
    ridge = 1e-3 * np.trace(X.T @ (degrees[:, None] * X)) / 5
    same_directions(mlreduce.make(name).fit(X), mlreduce.make(name, ridge=ridge).fit(X))
    assert mlreduce.make(name, ridge=0).fit(X).eigenvalues_[-1] < mlreduce.make(name).fit(X).eigenvalues_[-1]


@pytest.mark.parametrize("name", ["olpp", "onpp"])
@pytest.mark.parametrize("shape", [(40, 6), (8, 20)], ids=["tall", "wide"])
@both
def test_no_direction_is_constant(name, shape, kind, rng):
    """A feature that is constant, and one that others make constant: both would cost nothing."""
    X = rng.standard_normal(shape)
    X = np.c_[X, np.full(len(X), 3.0), 1 - X[:, 0]]
    method = mlreduce.make(name).fit(kind(X))
    assert method.n_components_ == min(shape[1], shape[0] - 1)
    assert (np.ptp(method.transform(X), axis=0) > 1e-6).all()


def test_neighbours_are_searched_once(rng, monkeypatch):
    from mlreduce.spectral.graphs import neighbours as neighbourhoods

    calls = []
    nearest = neighbourhoods.nearest_others
    monkeypatch.setattr(neighbourhoods, "nearest_others", lambda *arguments: calls.append(1) or nearest(*arguments))
    shared = TrainingSet(rng.standard_normal((30, 4)))
    for name in ("lpp", "olpp", "npp", "onpp", "usc", "le", "lle", "isomap", "symmetric-spectral"):
        mlreduce.make(name, n_components=2).fit_training_set(shared)
    assert len(calls) == 1


@pytest.mark.parametrize("name", ["olpp", "onpp", "mesd-dla", "mesd-sonpp", "ssmmc"])
def test_directions_in_which_features_hardly_vary_are_reported(name):
    """Pixels at the border of digits are nearly constant: there the cost of neighbours is least."""
    data = mlreduce.load_dataset("digits-300")
    with pytest.warns(DegenerateWarning, match=r"the 3 directions hold .* random ones 0\.05: .*Give variance_share"):
        mlreduce.make(name, n_components=3, variance_share=1).fit(data.X, data.Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mlreduce.make(name, n_components=3).fit(data.X, data.Y)
        mlreduce.make(name, n_components=None).fit(data.X, data.Y)  # all directions hold all variance


@pytest.mark.parametrize("name", ["olpp", "npp", "mesd-dla", "mesd-mfa", "ssmmc", "ssmope"])
@pytest.mark.parametrize(("k", "share", "size"), [(2, 0.8, None), (4, 0.0, 4), (3, 1.0, 6)])
def test_directions_are_the_best_combinations_of_leading_principal_components(name, k, share, size, rng):
    X, Y = data(rng, 40, 6, 3)
    Y[~Y.any(axis=1), 0] = 1
    method = mlreduce.make(name, n_components=k, variance_share=share).fit(X, Y)
    values, vectors = np.linalg.eigh(np.cov(X.T))
    size = size or 1 + np.searchsorted(np.cumsum(values[::-1]) / values.sum(), share)
    basis = vectors[:, ::-1][:, :size]
    training = method._training_set(X, Y)
    features = training.centred if method.centred else training.raw
    A = basis.T @ method.objective(training).matrix(features) @ basis
    B = method._constraint(training)
    B = np.eye(size) if B is None else basis.T @ B.matrix(features) @ basis
    np.testing.assert_allclose(method.components_ @ basis @ basis.T, method.components_, atol=1e-9)
    best = scipy.linalg.eigh(A, B, eigvals_only=True)[::-1][:k]
    np.testing.assert_allclose(method.eigenvalues_, best, atol=1e-7 * np.abs(best).max())
