"""LEML by its objective with every loss, large and sparse problems, and gaps in the labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.metrics import Outcome, find_measure
from mlreduce.predictors import leml
from mlreduce.predictors._low_rank import LOSSES, alternate

squared = LOSSES["squared"]

losses = pytest.mark.parametrize("loss", ["squared", "logistic", "squared-hinge"])
gaps = pytest.mark.parametrize("missing", [False, True], ids=["complete", "gaps"])


def problem(rng, n=60, d=7, q=5, missing=False):
    X = rng.standard_normal((n, d)) + 1
    Y = (X @ rng.standard_normal((d, 3)) @ rng.standard_normal((3, q)) + rng.standard_normal((n, q)) > 1).astype(float)
    if missing:
        Y[rng.random(Y.shape) < 0.3] = np.nan
    return X, Y


def objective(loss, X, Y, W, H, b, penalty):
    """Cell by cell, over those that are known."""
    total = penalty / 2 * (np.sum(W**2) + np.sum(H**2))
    for i, j in zip(*np.nonzero(~np.isnan(Y)), strict=True):
        z, y = X[i] @ W @ H[j] + b[j], Y[i, j]
        s = 2 * y - 1
        total += {
            "squared": (z - y) ** 2 / 2,
            "logistic": np.log(1 + np.exp(-s * z)),
            "squared-hinge": max(0.0, 1 - s * z) ** 2 / 2,
        }[loss]
    return total


@losses
@gaps
@pytest.mark.parametrize("rank", [2, 5])
def test_solution_minimises_the_objective_nearby(loss, missing, rank, rng):
    X, Y = problem(rng, n=40, missing=missing)
    model = mlreduce.LEML(rank, penalty=2.0, loss=loss, tol=0, max_iter=500).fit(X, Y)
    W, H = model.feature_factors_, model.label_factors_
    np.testing.assert_allclose(model.coef_, H @ W.T, atol=1e-12)
    assert np.linalg.matrix_rank(model.coef_) <= rank
    least = objective(loss, X, Y, W, H, model.intercept_, 2.0)
    assert model.objective_[-1] == pytest.approx(least, rel=1e-10)
    for _ in range(15):
        steps = [1e-3 * rng.standard_normal(part.shape) for part in (W, H, model.intercept_)]
        assert objective(loss, X, Y, W + steps[0], H + steps[1], model.intercept_ + steps[2], 2.0) > least
        assert objective(loss, X, Y, W - steps[0], H - steps[1], model.intercept_ - steps[2], 2.0) > least


@losses
@gaps
def test_objective_never_rises(loss, missing, rng):
    X, Y = problem(rng, missing=missing)
    history = mlreduce.LEML(3, penalty=1.0, loss=loss, tol=0, max_iter=30).fit(X, Y).objective_
    assert len(history) > 3
    assert (np.diff(history) <= 1e-10 * history[0]).all()
    assert history[-1] < history[0]


@losses
def test_derivatives_of_losses(loss, rng):
    labels, scores, step = rng.integers(0, 2, 50) + 0.0, 3 * rng.standard_normal(50), 1e-5
    value, slope, curvature = LOSSES[loss](labels, scores)
    above, below = (LOSSES[loss](labels, scores + sign * step) for sign in (1, -1))
    np.testing.assert_allclose(slope, (above[0] - below[0]) / (2 * step), atol=1e-6)
    np.testing.assert_allclose(curvature, (above[1] - below[1]) / (2 * step), atol=1e-5)
    assert (value >= 0).all()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_all_ways_for_the_squared_loss_agree(form, monkeypatch, rng):
    X, Y = problem(rng)
    X[rng.random(X.shape) < 0.5] = 0
    first = mlreduce.LEML(2, penalty=1.0, tol=1e-13, max_iter=5000).fit(X, Y)
    monkeypatch.setattr(leml, "is_large", lambda X: True)
    second = mlreduce.LEML(2, penalty=1.0, tol=1e-13, max_iter=5000).fit(form(X), form(Y))
    monkeypatch.setattr(leml, "squared_system", lambda X, Y, large: X)
    monkeypatch.setattr(leml, "alternate_squared", lambda X, Y, *rest: alternate(X, Y, None, squared, *rest))
    third = mlreduce.LEML(2, penalty=1.0, tol=1e-13, max_iter=5000).fit(form(X), Y)
    for other in (second, third):
        np.testing.assert_allclose(other.coef_, first.coef_, atol=1e-5)
        assert other.objective_[-1] == pytest.approx(first.objective_[-1], rel=1e-9)
    assert (np.diff(second.objective_) <= 1e-10 * second.objective_[0]).all()


def test_large_sparse_labels_are_not_made_dense(monkeypatch, rng):
    X, Y = sp.random_array((400, 30), density=0.1, rng=rng), sp.random_array((400, 60), density=0.02, rng=rng)
    Y.data[:] = 1
    expected = mlreduce.LEML(3, penalty=0.1).fit(X, Y)
    monkeypatch.setattr(leml, "is_large", lambda X: True)
    monkeypatch.setattr(leml, "as_dense", lambda table: np.asarray(narrow(table).toarray()))
    found = mlreduce.LEML(3, penalty=0.1).fit(X, Y)
    assert found.objective_[-1] == pytest.approx(expected.objective_[-1], rel=1e-4)


def narrow(table):
    assert min(table.shape) == max(table.shape) == 60, "only the products of labels become dense"
    return table


@losses
def test_unknown_labels_have_no_effect(loss, rng):
    X, Y = problem(rng, missing=True)
    model = mlreduce.LEML(3, penalty=1.0, loss=loss).fit(X, Y)
    for form in (2 * Y - 1, pd.DataFrame(Y).add_prefix("y"), sp.csr_array(Y)):
        np.testing.assert_allclose(mlreduce.LEML(3, penalty=1.0, loss=loss).fit(X, form).coef_, model.coef_, atol=1e-12)
    known = ~np.isnan(Y[:, 0])
    part = mlreduce.LEML(loss=loss, tol=1e-12).fit(X, Y[:, [0]])
    rows = mlreduce.LEML(loss=loss, tol=1e-12).fit(X[known], Y[known][:, [0]])
    np.testing.assert_allclose(part.coef_, rows.coef_, atol=1e-4)


def test_low_rank_helps_where_labels_are_missing(rng):
    X = rng.standard_normal((150, 20))
    truth = X @ rng.standard_normal((20, 2)) @ rng.standard_normal((2, 30)) > 0
    Y = np.where(rng.random(truth.shape) < 0.8, np.nan, truth)
    low, full = (mlreduce.LEML(k, penalty=1.0).fit(X, Y).predict(X) for k in (2, None))
    assert np.mean(low != truth) < np.mean(full != truth)
    assert np.mean(low != truth) < 0.15


@losses
def test_features_and_labels_that_do_not_vary(loss, rng):
    X, Y = problem(rng)
    Y = np.column_stack([Y, np.zeros(60), np.ones(60)])
    predicted = mlreduce.LEML(3, penalty=1.0, loss=loss).fit(X, Y).predict(X)
    assert not predicted[:, 5].any()
    assert predicted[:, 6].all()
    flat = mlreduce.LEML(3, penalty=1.0, loss=loss).fit(np.ones_like(X), Y)
    np.testing.assert_allclose(flat.coef_, 0, atol=1e-12)
    np.testing.assert_array_equal(flat.predict(X), np.tile(Y.mean(axis=0) > 0.5, (60, 1)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "logit"}, "loss must be 'squared', 'logistic' or 'squared-hinge'; got 'logit'"),
        ({"penalty": 0}, "penalty, if not 'cv', must be a number > 0; got 0"),
        ({"tol": -1}, "tol must be a number >= 0; got -1"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1; got 0"),
        ({"n_components": 6}, "n_components must be between 1 and 5, the number of labels; got 6"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message, rng):
    with pytest.raises(DataError, match=message):
        mlreduce.LEML(**parameters).fit(*problem(rng))


@losses
def test_a_label_that_is_known_nowhere_is_ignored(loss, rng):
    X, Y = problem(rng)
    Y[:, 2] = np.nan
    with pytest.warns(UserWarning, match="y is NaN throughout column 2: such a label is ignored"):
        model = mlreduce.LEML(2, penalty=1.0, loss=loss).fit(X, Y)
    others = mlreduce.LEML(2, penalty=1.0, loss=loss).fit(X, np.delete(Y, 2, axis=1))
    np.testing.assert_allclose(np.delete(model.coef_, 2, axis=0), others.coef_, atol=1e-6)
    np.testing.assert_array_equal(model.coef_[2], 0)
    assert not model.predict(X)[:, 2].any()
    with pytest.raises(DataError, match="no label is known"):
        mlreduce.LEML().fit(X, np.full_like(Y, np.nan))


@pytest.mark.parametrize(("loss", "missing"), [("squared", False), ("logistic", True), ("squared-hinge", True)])
@pytest.mark.rotating
def test_the_penalty_is_chosen_by_folds_in_any_units(loss, missing, rng):
    X, Y = problem(rng, missing=missing)
    model = mlreduce.LEML(3, loss=loss).fit(X, Y)
    centred = Y - np.nanmean(Y, axis=0)
    largest = np.linalg.norm((X - X.mean(axis=0)).T @ np.nan_to_num(centred), 2)
    places = np.flatnonzero(np.isclose(np.array(leml.SHARES) * largest, model.penalty_))
    assert len(places) == 1
    assert model.edge_ == {0: "highest", len(leml.SHARES) - 1: "lowest"}.get(places[0])
    again = mlreduce.LEML(3, penalty=model.penalty_, loss=loss).fit(X, Y)
    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert again.edge_ is None
    scaled = mlreduce.LEML(3, loss=loss).fit(64 * X, Y)
    assert scaled.penalty_ == pytest.approx(64 * model.penalty_)
    with pytest.raises(DataError, match="^penalty, if not 'cv', must be a number > 0; got 'loo'"):
        mlreduce.LEML(penalty="loo").fit(X, Y)


def test_labels_of_many_useless_features_are_still_ordered(rng):
    """With a penalty of 1 the 300 features that say nothing put labels in an order worse than their frequencies."""
    X = rng.standard_normal((150, 3))
    Y = (X @ rng.standard_normal((3, 12)) + rng.standard_normal((150, 12)) > np.linspace(-2, 2, 12)).astype(float)
    X = np.hstack([5 * X, 5 * rng.standard_normal((150, 300))])
    train, test = slice(100), slice(100, None)
    frequencies = np.tile(Y[train].mean(axis=0), (50, 1))
    precision = find_measure("average-precision")
    alone, fixed, chosen = (
        precision(Outcome(Y[test].astype(np.int8), scores > 0.5, scores=scores))
        for scores in (
            frequencies,
            mlreduce.LEML(penalty=1.0).fit(X[train], Y[train]).predict_scores(X[test]),
            mlreduce.LEML().fit(X[train], Y[train]).predict_scores(X[test]),
        )
    )
    assert fixed < alone < chosen
