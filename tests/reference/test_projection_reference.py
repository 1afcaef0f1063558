"""Projections against those of scikit-learn and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from sklearn.cross_decomposition import CCA, PLSSVD
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import mlreduce

kinds = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


def signed(rows):
    return rows * np.sign(rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)])[:, None]


def one_label_each(rng, n=90, d=5, c=4):
    y = rng.integers(c, size=n)
    return rng.standard_normal((n, d)) + rng.standard_normal((c, d))[y] * 2, y, np.eye(c, dtype=int)[y]


@kinds
def test_pca_is_scikit_learns(kind, example):
    X, _ = example
    ours, theirs = mlreduce.make("pca").fit(kind(X)), PCA().fit(X)
    np.testing.assert_allclose(ours.components_, signed(theirs.components_), atol=1e-9)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.explained_variance_ * (len(X) - 1))
    np.testing.assert_allclose(ours.mean_, theirs.mean_, atol=1e-14)


@kinds
@pytest.mark.parametrize("shape", [(40, 9), (9, 40)], ids=["tall", "wide"])
def test_lsi_is_scikit_learns_truncated_decomposition(kind, shape, rng):
    X = sp.random_array(shape, density=0.4, rng=rng).toarray()
    ours, theirs = mlreduce.make("lsi", n_components=4).fit(kind(X)), TruncatedSVD(4, algorithm="arpack").fit(X)
    np.testing.assert_allclose(ours.components_, signed(theirs.components_), atol=1e-8)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.singular_values_**2)
    np.testing.assert_allclose(np.abs(ours.transform(kind(X))), np.abs(theirs.transform(X)), atol=1e-8)


@kinds
def test_pls_is_scikit_learns(kind, example):
    X, Y = example
    ours, theirs = mlreduce.make("pls").fit(kind(X), Y), PLSSVD(n_components=5, scale=False).fit(X, Y)
    np.testing.assert_allclose(ours.components_, signed(theirs.x_weights_.T), atol=1e-9)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-9)


@kinds
def test_cca_finds_the_cosines_of_principal_angles(kind, example):
    X, Y = example
    method = mlreduce.make("cca").fit(kind(X), Y)
    Qx, Qy = (np.linalg.qr(part - part.mean(axis=0))[0] for part in (X, Y))
    left, cosines, _ = np.linalg.svd(Qx.T @ Qy, full_matrices=False)
    np.testing.assert_allclose(method.eigenvalues_, cosines**2)
    angles = scipy.linalg.subspace_angles(X - X.mean(axis=0), (Y - Y.mean(axis=0)).astype(float))
    np.testing.assert_allclose(np.sqrt(method.eigenvalues_), np.sort(np.cos(angles))[::-1])
    np.testing.assert_allclose(np.abs(np.diag(method.transform(X).T @ (Qx @ left))), 1, atol=1e-9)


def test_cca_is_scikit_learns(example):
    X, Y = example
    theirs = CCA(n_components=3, scale=False, max_iter=20_000, tol=1e-14).fit(X, Y).transform(X)
    ours = mlreduce.make("cca", n_components=3).fit(X, Y).transform(X)
    cosines = (ours * theirs).sum(axis=0) / np.linalg.norm(theirs, axis=0)  # ours have length one
    np.testing.assert_allclose(np.abs(cosines), 1, atol=1e-5)


@kinds
@pytest.mark.parametrize("name", ["lda-copy", "mlda"])
def test_with_one_label_each_it_is_scikit_learns_discriminant_analysis(name, kind, rng):
    X, y, Y = one_label_each(rng)
    ours = mlreduce.make(name, ridge=0).fit(kind(X), Y)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    assert ours.n_components_ == 3
    eigenvalues = ours.eigenvalues_ / ours.eigenvalues_.sum()
    np.testing.assert_allclose(eigenvalues, theirs.explained_variance_ratio_[:3], rtol=1e-8)
    # Theirs normalise by the scatter over n, ours by the scatter.
    np.testing.assert_allclose(ours.components_ * np.sqrt(len(X)), signed(theirs.scalings_.T[:3]), atol=1e-8)
    np.testing.assert_allclose(ours.mean_, X.mean(axis=0), atol=1e-12)


def test_with_one_label_each_cca_spans_the_discriminant_directions(rng):
    X, y, Y = one_label_each(rng)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_[:, :3]
    assert scipy.linalg.subspace_angles(mlreduce.make("cca").fit(X, Y).components_.T, theirs).max() < 1e-6
