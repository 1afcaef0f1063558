"""Feature-aware implicit label space encoding by its definition, with matrices of order n."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from definitions.faie import definition as faie_by_definition
from sklearn.base import clone

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.labelspace import CodedClassifier, faie

SHAPES = {"columns": (60, 7, 5), "rows": (15, 12, 6)}
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def problem(rng, shape):
    n, d, q = shape
    X = rng.standard_normal((n, d))
    return X + 3, (X @ rng.standard_normal((d, q)) + rng.standard_normal((n, q)) > 0).astype(int)


def objective(X, Y, alpha, ridge):
    """ZZ' + alpha X (X'X + ridge I)^-1 X' of centred features and labels."""
    X, Z = X - X.mean(axis=0), Y - Y.mean(axis=0)
    return Z @ Z.T + alpha * X @ np.linalg.inv(X.T @ X + ridge * np.eye(X.shape[1])) @ X.T


@shapes
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("size", [1, 3, 5])
def test_codes_are_leading_eigenvectors(shape, form, size, rng):
    X, Y = problem(rng, shape)
    coder = mlreduce.FaIE(size, alpha=4.0, ridge=0.5).fit(form(X), Y)
    faie_by_definition(X, Y, coder)


@shapes
def test_no_other_orthonormal_codes_are_better(shape, rng):
    X, Y = problem(rng, shape)
    coder = mlreduce.FaIE(3, alpha=4.0, ridge=0.5).fit(X, Y)
    A, best = objective(X, Y, 4.0, 0.5), coder.eigenvalues_.sum()
    assert np.trace(coder.codes_.T @ A @ coder.codes_) == pytest.approx(best)
    for step in (1e-3, 0.1, 10.0):
        other, _ = np.linalg.qr(coder.codes_ + step * rng.standard_normal(coder.codes_.shape))
        assert np.trace(other.T @ A @ other) < best


@shapes
def test_without_weight_of_the_features_it_is_plst(shape, rng):
    X, Y = problem(rng, shape)
    coder, plst = mlreduce.FaIE(3, alpha=0).fit(X, Y), mlreduce.PLST(3).fit(None, Y)
    codes = plst.encode(Y)
    np.testing.assert_allclose(coder.eigenvalues_, plst.eigenvalues_)
    np.testing.assert_allclose(coder.codes_, codes / np.linalg.norm(codes, axis=0), atol=1e-8)
    np.testing.assert_allclose(coder.reconstruct(coder.codes_), plst.reconstruct(codes), atol=1e-8)
    np.testing.assert_allclose(coder.encode(Y), coder.codes_, atol=1e-8)
    first, second = (CodedClassifier(each).fit(X, Y).decision_function(X) for each in (coder, plst))
    np.testing.assert_allclose(first, second, atol=1e-8)


def test_codes_can_be_predicted_the_better_the_more_weight_that_has(rng):
    X, Y = problem(rng, (80, 6, 5))
    design = np.column_stack([np.ones(80), X])
    errors, left = [], []
    for alpha in (0.0, 1.0, 10.0, 1000.0):
        coder = mlreduce.FaIE(3, alpha=alpha).fit(X, Y)
        T, Z = coder.codes_, Y - Y.mean(axis=0)
        errors.append(np.sum((T - design @ np.linalg.lstsq(design, T)[0]) ** 2))
        left.append(np.sum((Z - T @ coder.components_) ** 2))
    assert errors == sorted(errors, reverse=True)
    assert left == sorted(left)
    assert errors[-1] < 1e-3 < errors[0]


def test_defaults_are_relative_to_labels_and_features(rng):
    X, Y = problem(rng, (50, 6, 4))
    coder = mlreduce.FaIE().fit(X, Y)
    Z, Xc = Y - Y.mean(axis=0), X - X.mean(axis=0)
    assert coder.alpha_ == pytest.approx(np.diag(Z.T @ Z).mean())
    assert coder.ridge_ == pytest.approx(1e-3 * np.diag(Xc.T @ Xc).mean())
    same = mlreduce.FaIE(alpha=coder.alpha_, ridge=coder.ridge_).fit(X, Y)
    np.testing.assert_array_equal(same.codes_, coder.codes_)


def test_orders_and_pickles(rng):
    X, Y = problem(rng, (50, 6, 4))
    rows, labels = rng.permutation(50), rng.permutation(4)
    first = mlreduce.FaIE(2).fit(X, Y)
    second = mlreduce.FaIE(2).fit(X[rows], Y[rows][:, labels])
    np.testing.assert_allclose(second.codes_, first.codes_[rows], atol=1e-9)
    np.testing.assert_allclose(second.components_, first.components_[:, labels], atol=1e-9)
    assert pickle.dumps(clone(first).fit(X, Y)) == pickle.dumps(first)
    assert pickle.loads(pickle.dumps(first)).decode(first.codes_).shape == (50, 4)


@shapes
def test_features_and_labels_that_do_not_vary(shape, rng):
    X, Y = problem(rng, shape)
    flat = mlreduce.FaIE(2, alpha=1.0).fit(np.ones_like(X), Y)
    plst = mlreduce.PLST(2).fit(None, Y)
    np.testing.assert_allclose(flat.eigenvalues_, plst.eigenvalues_)
    for ridge in (1.0, 49.0):  # 49 times its reciprocal is not one
        none = mlreduce.FaIE(2, alpha=1.0, ridge=ridge).fit(np.ones_like(X), 0 * Y)
        np.testing.assert_array_equal(none.codes_, 0)
        np.testing.assert_array_equal(none.eigenvalues_, 0)
        assert not none.decode(none.codes_).any()


def test_what_is_impossible_is_refused(rng, monkeypatch):
    X, Y = problem(rng, (50, 6, 4))
    for parameters, message in (
        ({"alpha": -1.0}, "alpha must be a number >= 0; got -1.0"),
        ({"ridge": 0}, "ridge must be a number > 0; got 0"),
        ({"n_components": 5}, "n_components must be between 1 and 4, the number of labels; got 5"),
    ):
        with pytest.raises(DataError, match=message):
            mlreduce.FaIE(**parameters).fit(X, Y)
    with pytest.raises(DataError, match="FaIE needs the features"):
        mlreduce.FaIE().fit(None, Y)
    with pytest.raises(DataError, match="codes of the 50 rows that it was fitted on; got 49"):
        mlreduce.FaIE().fit(X, Y).training_codes(Y[:-1])
    with pytest.raises(DataError, match="Y has 3 labels; FaIE was fitted on 4"):
        mlreduce.FaIE().fit(X, Y).encode(Y[:, :3])
    monkeypatch.setattr(faie, "_LARGEST", 9)
    with pytest.raises(DataError, match="FaIE decomposes a matrix of order 10"):
        mlreduce.FaIE().fit(X, Y)
