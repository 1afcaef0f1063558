from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import f1_score

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.predictors.kernel_ridge import KernelRidgeRegressor


def problem(n=40, d=5, q=3, seed=0, n_test=9):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + n_test, d)) + rng.uniform(-2, 2, d)
    T = np.sin(X @ rng.standard_normal((d, q))) + 0.1 * rng.standard_normal((n + n_test, q))
    return X[:n], T[:n], X[n:]


@pytest.mark.parametrize("gamma", [None, 1e-3, 0.3, 5.0])
@pytest.mark.parametrize("alpha", [1e-4, 1.0, 100.0])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csc_array])
def test_it_matches_scikit_learn(gamma, alpha, kind):
    X, T, X_test = problem()
    X[np.abs(X) < 0.5] = 0
    ours = KernelRidgeRegressor(gamma, alpha).fit(kind(X), T)
    assert ours.gamma_ == pytest.approx(gamma or 1 / np.square(pdist(X)).mean(), rel=1e-12)
    mean = T.mean(axis=0)
    theirs = KernelRidge(kernel="rbf", gamma=ours.gamma_, alpha=alpha).fit(X, T - mean)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ours.predict(kind(X_test)), theirs.predict(X_test) + mean, atol=1e-8)
    np.testing.assert_allclose(ours.predict(X_test), theirs.predict(X_test) + mean, atol=1e-8)


def test_the_default_width_suits_any_units_and_number_of_features():
    data = mlreduce.load_dataset("digits")
    X = np.hstack([data.X / 1000, np.zeros((len(data.X), 200))])
    for features in (data.X, X):
        model = mlreduce.make("kernel-ridge").fit(features[:1000], data.Y[:1000])
        predicted = model.predict(features[1000:]) > 0.5
        assert f1_score(data.Y[1000:], predicted, average="micro") > 0.95  # 0.000 with 1 / n_features


def test_rows_that_are_all_the_same_have_a_width():
    model = mlreduce.make("kernel-ridge").fit(np.ones((3, 2)), np.array([1.0, 2.0, 6.0]))
    assert model.gamma_ == 1.0
    np.testing.assert_allclose(model.predict([[1.0, 1.0], [99.0, 0.0]]), 3.0)


def test_equal_rows_get_the_mean_of_their_targets():
    X = np.array([[0.0], [0.0], [1.0]])
    model = KernelRidgeRegressor(1.0, alpha=1e-40).fit(X, [1.0, 0.0, 3.0])
    np.testing.assert_allclose(model.predict(X), [0.5, 0.5, 3.0], atol=1e-12)


@pytest.mark.parametrize("gamma", [None, 0.01, 2.0])
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_a_split_is_predicted_as_by_training_on_centred_targets(gamma, alpha, storage):
    X, T, X_test = problem()
    model, mean = KernelRidgeRegressor(gamma, alpha), T.mean(axis=0)
    split = model.on_split(storage(X), T, storage(X_test))
    expected = model.fit(X, T).predict(X_test)
    np.testing.assert_allclose(model.fit(X, T - mean).predict(X_test) + mean, expected, atol=1e-10)
    for _ in range(2):  # the second time from what was kept
        np.testing.assert_allclose(split.predictions(gamma, alpha), expected, atol=1e-10)
    other = KernelRidgeRegressor(0.3, 2.0).fit(X, T - mean).predict(X_test) + mean
    np.testing.assert_allclose(split.predictions(0.3, 2.0), other, atol=1e-10)


def test_one_prediction_serves_every_code(example):
    X, Y = example
    predicted = KernelRidgeRegressor().on_split(X[:50], Y[:50].astype(float), X[50:]).predictions(0.1, 0.5)
    coder = mlreduce.PLST(n_components=3).fit(None, Y[:50])
    alone = KernelRidgeRegressor(0.1, 0.5).fit(X[:50], coder.encode(Y[:50])).predict(X[50:])
    np.testing.assert_allclose(coder.project(predicted), alone, atol=1e-10)


@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf, "much", True])
@pytest.mark.parametrize("name", ["gamma", "alpha"])
def test_impossible_parameters(value, name):
    X, T, X_test = problem(10)
    with pytest.raises(DataError, match=f"{name} must be a number > 0; got"):
        mlreduce.make("kernel-ridge", **{name: value}).fit(X, T)
    split = KernelRidgeRegressor().on_split(X, T, X_test)
    with pytest.raises(DataError, match=f"{name} must be a number > 0; got"):
        split.predictions(**({"gamma": 1.0, "alpha": 1.0} | {name: value}))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_penalty_has_the_smallest_error_of_leaving_a_row_out(weighted):
    """Of a row with an integer weight one copy is left out."""
    rng = np.random.default_rng(4)
    X, T = rng.standard_normal((14, 3)), rng.standard_normal((14, 2))
    T[:, 0] += X[:, 0]
    copies = np.repeat(np.arange(14), rng.integers(1, 4, 14)) if weighted else np.arange(14)
    weights = np.bincount(copies) if weighted else None
    model = KernelRidgeRegressor(gamma=0.2).fit(X, T, sample_weight=weights)
    errors = []
    for alpha in np.logspace(-5, 3, 17):
        rests = [np.delete(copies, place) for place in range(len(copies))]
        fits = [KernelRidgeRegressor(0.2, alpha).fit(X[rest], T[rest]) for rest in rests]
        errors.append(sum(np.square(T[i] - fit.predict(X[[i]])[0]).sum() for i, fit in zip(copies, fits, strict=True)))
    assert model.alpha_ == np.logspace(-5, 3, 17)[np.argmin(errors)]
    assert model.edge_ is None
    coder = mlreduce.KernelCPLST(gamma=0.2).fit(X, (T > 0).astype(int), sample_weight=weights)
    assert coder.alpha_ == KernelRidgeRegressor(gamma=0.2).fit(X, (T > 0) * 1.0, sample_weight=weights).alpha_


def test_many_rows_choose_the_penalty_by_content(monkeypatch):
    monkeypatch.setattr("mlreduce.linalg.kernels._ROWS", 20)
    rng = np.random.default_rng(5)
    X, T = rng.standard_normal((60, 4)), rng.standard_normal((60, 2))
    order = rng.permutation(60)
    one, other = KernelRidgeRegressor().fit(X, T), KernelRidgeRegressor().fit(1024 * X[order], T[order])
    assert one.alpha_ == other.alpha_
    np.testing.assert_allclose(other.predict(1024 * X), one.predict(X), atol=1e-9)
