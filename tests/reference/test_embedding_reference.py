"""Embeddings beside scikit-learn's, on data with a shape and on digits, and under its checks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import manifold
from sklearn.datasets import make_swiss_roll
from sklearn.decomposition import PCA

import mlreduce
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.proximity import Proximity

kinds = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


@pytest.fixture(scope="module")
def roll():
    return make_swiss_roll(600, noise=0.05, random_state=0)[0]


def same_up_to_sign(ours, theirs, tolerance=1e-6):
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, atol=tolerance * np.abs(theirs).max())


@kinds
@pytest.mark.parametrize("weight", ["gaussian", "constant", "local-scaling"])
def test_laplacian_eigenmaps_are_scikit_learns(kind, weight, roll):
    proximity = Proximity(weight, 9)
    affinity = proximity.matrix(TrainingSet(roll)).toarray()
    theirs = manifold.SpectralEmbedding(3, affinity="precomputed", eigen_solver="arpack", eigen_tol=1e-14)
    ours = mlreduce.LaplacianEigenmaps(3, proximity=proximity).fit_transform(kind(roll))
    same_up_to_sign(ours, theirs.fit_transform(affinity))


def test_unnormalised_spectral_embedding_is_that_of_scipys_laplacian(roll):
    proximity = Proximity(n_neighbors=9)
    W = proximity.matrix(TrainingSet(roll))
    values, vectors = np.linalg.eigh(sp.csgraph.laplacian(W).toarray())
    ours = mlreduce.USC(4, proximity=proximity).fit(roll)
    np.testing.assert_allclose(ours.eigenvalues_, -values[:4], atol=1e-12)
    same_up_to_sign(ours.embedding_, vectors[:, :4])
    values, vectors = np.linalg.eigh(sp.csgraph.laplacian(W, normed=True).toarray())
    ours = mlreduce.SymmetricSpectralEmbedding(4, proximity=proximity).fit(roll)
    np.testing.assert_allclose(ours.eigenvalues_, 1 - values[:4], atol=1e-12)
    same_up_to_sign(ours.embedding_, vectors[:, :4])


@kinds
@pytest.mark.parametrize("n_neighbors", [6, 15])
def test_locally_linear_embedding_is_scikit_learns(kind, n_neighbors, roll):
    theirs = manifold.LocallyLinearEmbedding(n_neighbors=n_neighbors, n_components=3, eigen_solver="dense").fit(roll)
    ours = mlreduce.LLE(3, n_neighbors).fit(kind(roll))
    same_up_to_sign(ours.embedding_, theirs.embedding_, 1e-5)
    assert -ours.eigenvalues_.sum() == pytest.approx(theirs.reconstruction_error_, rel=1e-6)


@kinds
def test_isomap_is_scikit_learns(kind, roll):
    theirs = manifold.Isomap(n_neighbors=8, n_components=3, eigen_solver="dense").fit_transform(roll)
    same_up_to_sign(mlreduce.Isomap(3, 8).fit_transform(kind(roll)), theirs)


@pytest.mark.filterwarnings("ignore:The number of connected components")
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.filterwarnings("ignore::mlreduce.exceptions.ProjectionWarning")
def test_isomap_of_several_parts_is_scikit_learns(rng):
    X = rng.standard_normal((90, 4)) + 30 * rng.standard_normal((3, 4))[np.arange(90) % 3]
    theirs = manifold.Isomap(n_neighbors=5, n_components=3, eigen_solver="dense").fit_transform(X)
    same_up_to_sign(mlreduce.Isomap(3, 5).fit_transform(X), theirs)


@kinds
def test_scaling_is_principal_components_and_scikit_learns(kind, roll):
    ours = mlreduce.MDS(3).fit_transform(kind(roll))
    same_up_to_sign(ours, PCA(3).fit_transform(roll))
    if hasattr(manifold, "ClassicalMDS"):  # younger than the oldest scikit-learn that serves
        same_up_to_sign(ours, manifold.ClassicalMDS(3).fit_transform(roll))
