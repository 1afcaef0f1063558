"""Feature-aware implicit label space encoding by its definition, with matrices of order n."""

from __future__ import annotations

import numpy as np
import pytest

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.labelspace import CodedClassifier, faie

SHAPES = {"columns": (60, 7, 5), "rows": (15, 12, 6)}
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def problem(rng, shape):
    n, d, q = shape
    X = rng.standard_normal((n, d))
    return X + 3, (X @ rng.standard_normal((d, q)) + rng.standard_normal((n, q)) > 0).astype(int)


@shapes
def test_without_weight_of_the_features_it_is_plst(shape, rng):
    X, Y = problem(rng, shape)
    coder, plst = mlreduce.FaIE(3, predictability=0).fit(X, Y), mlreduce.PLST(3).fit(None, Y)
    codes = plst.encode(Y)
    np.testing.assert_allclose(coder.eigenvalues_, plst.eigenvalues_)
    np.testing.assert_allclose(coder.codes_, codes / np.linalg.norm(codes, axis=0), atol=1e-8)
    np.testing.assert_allclose(coder.reconstruct(coder.codes_), plst.reconstruct(codes), atol=1e-8)
    np.testing.assert_allclose(coder.encode(Y), coder.codes_, atol=1e-8)
    first, second = (CodedClassifier(each).fit(X, Y).decision_function(X) for each in (coder, plst))
    np.testing.assert_allclose(first, second, atol=1e-8)


def test_defaults_are_relative_to_labels_and_features(rng):
    X, Y = problem(rng, (50, 6, 4))
    coder = mlreduce.FaIE().fit(X, Y)
    Z, Xc = Y - Y.mean(axis=0), X - X.mean(axis=0)
    assert coder.predictability_ == pytest.approx(np.diag(Z.T @ Z).mean())
    assert coder.ridge_ == pytest.approx(1e-3 * np.diag(Xc.T @ Xc).mean())
    same = mlreduce.FaIE(predictability=coder.predictability_, ridge=coder.ridge_).fit(X, Y)
    np.testing.assert_array_equal(same.codes_, coder.codes_)


@shapes
def test_features_and_labels_that_do_not_vary(shape, rng):
    X, Y = problem(rng, shape)
    flat = mlreduce.FaIE(2, predictability=1.0).fit(np.ones_like(X), Y)
    plst = mlreduce.PLST(2).fit(None, Y)
    np.testing.assert_allclose(flat.eigenvalues_, plst.eigenvalues_)
    for ridge in (1.0, 49.0):  # 49 times its reciprocal is not one
        none = mlreduce.FaIE(2, predictability=1.0, ridge=ridge).fit(np.ones_like(X), 0 * Y)
        np.testing.assert_array_equal(none.codes_, 0)
        np.testing.assert_array_equal(none.eigenvalues_, 0)
        assert not none.decode(none.codes_).any()


def test_what_is_impossible_is_refused(rng, monkeypatch):
    X, Y = problem(rng, (50, 6, 4))
    for parameters, message in (
        ({"predictability": -1.0}, "predictability must be a number >= 0; got -1.0"),
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
