"""The ridge that a fit chooses for its constraint."""

import numpy as np
import pytest
import scipy.sparse as sp
from projection_problems import data, same_directions

import mlreduce
from mlreduce.exceptions import DegenerateWarning
from mlreduce.projection import ridge as module
from mlreduce.projection.ridge import chosen_ridge
from mlreduce.spectral import TrainingSet

METHODS = ("rcca", "hsl1", "mddmf", "lda-copy", "dmlda", "sir", "mesd-lfda", "ssfda")


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(24, 40))
    Y = (X[:, :4] + X[:, 4:8] + rng.normal(size=(24, 4)) > 0).astype(int)
    return np.vstack([X, X[:6]]), np.vstack([Y, Y[3:9]])


def left_out_error(X, Y, penalty):
    """Sum of squared errors where all instances with the features of one are left out, one regression each."""
    total = 0.0
    for row in X:
        out = (row == X).all(axis=1)
        mean, labels = X[~out].mean(axis=0), Y[~out].mean(axis=0)
        Xc, Yc = X[~out] - mean, Y[~out] - labels
        coefficients = np.linalg.solve(Xc.T @ Xc + penalty * np.eye(X.shape[1]), Xc.T @ Yc)
        total += np.square(Y[out] - labels - (X[out] - mean) @ coefficients).sum() / out.sum()
    return total


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_it_has_the_least_error_of_regressions_without_equal_rows(problem, kind):
    X, Y = problem
    ridge, edge = chosen_ridge(TrainingSet(kind(X), kind(Y.astype(float))))
    errors = [left_out_error(X, Y, ridge * factor) for factor in (0.25, 1.0, 4.0)]
    assert errors[1] == min(errors)
    assert not edge


@pytest.mark.parametrize("name", METHODS)
def test_units_order_and_repeated_rows_change_nothing(name, problem, rng):
    X, Y = problem
    method = mlreduce.make(name, n_components=3).fit(X, Y)
    larger = mlreduce.make(name, n_components=3).fit(1024 * X, Y)
    same_up_to_length(larger.components_, method.components_)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    turned = mlreduce.make(name, n_components=3).fit(X[rows][:, columns], Y[rows][:, ::-1])
    same_up_to_length(turned.components_, method.components_[:, columns])
    assert turned.edge_ == method.edge_


def same_up_to_length(first, second):
    for rows in (first, second):
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(np.sum(first * second, axis=1)), 1, atol=1e-9)


def test_repeated_rows_do_not_make_it_small(rng):
    X, Y = data(rng, 40, 60, 3)
    once = mlreduce.RCCA().fit(X, Y)
    twice = mlreduce.RCCA().fit(np.vstack([X, X]), np.vstack([Y, Y]))
    assert 1 < twice.ridge_ / once.ridge_ < 10
    assert once.edge_ is twice.edge_


def test_labels_without_relation_to_the_features_reach_an_edge_and_those_of_features_the_other(rng):
    X, Y = data(rng, 30, 5, 2)
    unrelated, related = (np.vstack([X, -X]), np.vstack([Y, Y])), (np.hstack([X, Y]), Y)
    for X, Y in (unrelated, related):
        assert chosen_ridge(TrainingSet(X, Y.astype(float))).edge
    assert mlreduce.RCCA().fit(*related).edge_
    assert not mlreduce.RCCA(ridge=1.0).fit(*related).edge_


def test_few_of_many_rows_choose_nearly_the_same(rng, monkeypatch):
    X, Y = data(rng, 300, 20, 3)
    every = mlreduce.RCCA().fit(X, Y)
    monkeypatch.setattr(module, "_MOST_ROWS", 150)
    half = mlreduce.RCCA().fit(X, Y)
    assert 0.1 < half.ridge_ / every.ridge_ < 10
    rows = rng.permutation(300)
    same_directions(mlreduce.RCCA().fit(X[rows], Y[rows]), half)


def test_batches_choose_by_generalised_errors(rng):
    X, Y = data(rng, 60, 8, 3)
    method = mlreduce.RCCA()
    for rows in np.split(np.arange(60), 3):
        method.partial_fit(X[rows], Y[rows])
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)

    def error(penalty):
        hat = Xc @ np.linalg.solve(Xc.T @ Xc + penalty * np.eye(8), Xc.T)
        return np.square(Yc - hat @ Yc).sum() / (59 - np.trace(hat)) ** 2

    assert error(method.ridge_) == min(error(method.ridge_ * factor) for factor in (0.25, 1.0, 4.0))
    same_directions(method, mlreduce.RCCA(ridge=method.ridge_).fit(X, Y), rtol=1e-6)


@pytest.mark.parametrize(("name", "remedy"), [("cca", "rcca"), ("opls", "mddmf")])
def test_without_a_ridge_directions_fit_the_training_rows_which_a_warning_says(name, remedy, rng):
    X = rng.normal(size=(400, 100))
    Y = (X[:, :2] + rng.normal(size=(400, 2)) > 0).astype(float)
    errors = []
    with pytest.warns(DegenerateWarning, match=f"{mlreduce.make(remedy).__class__.__name__} chooses a ridge"):
        methods = [mlreduce.make(method).fit(X[:120], Y[:120]) for method in (name, remedy)]
    for method in methods:
        Z, labels = method.transform(X), Y - Y[:120].mean(axis=0)
        coefficients = np.linalg.lstsq(Z[:120], labels[:120])[0]
        errors.append([np.square(part).mean() for part in np.split(labels - Z @ coefficients, [120])])
    (fitted, new), (_, with_ridge) = errors
    assert fitted < 0.1 * 0.25 < 0.25 < new  # a quarter is the variance of a label
    assert with_ridge < 0.7 * new
