"""GRRO: its variants, what equal features get, and where there is no minimum."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import quotient
from mlreduce.selection import GRRO
from mlreduce.selection.information import mutual_information
from mlreduce.selection.label_graph import label_cosines


def problem(n=80, d=8, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (X @ rng.standard_normal((d, q)) + rng.standard_normal((n, q)) > 0.3).astype(int)


@pytest.mark.parametrize("relation", ["distance", "cosine"])
def test_weights_solve_the_sylvester_equation(relation):
    X, Y = problem()
    bins = (np.median(X, axis=0) < X).astype(int)
    fitted = GRRO(redundancy=3.0, label_smoothness=0.2, discretise=None, label_relation=relation).fit(bins, Y)
    G, R = mutual_information(bins) / np.log(2), mutual_information(bins, Y) / np.log(2)
    np.fill_diagonal(G, 1)
    C = label_cosines(Y.astype(float))
    W = scipy.linalg.solve_sylvester(np.eye(8) + 3 * G, 0.2 * (C if relation == "cosine" else 1 - C), R)
    np.testing.assert_allclose(fitted.coef_, W, atol=1e-12)
    np.testing.assert_array_equal(GRRO(discretise="equal-frequency").fit(X, Y).coef_, GRRO().fit(X, Y).coef_)


def test_negative_eigenvalues_of_the_redundancy_count_as_zero():
    bins = (np.random.default_rng(5).random((8, 80)) < 0.5).astype(int)
    Y = bins[:, :3] | bins[:, 3:6]
    fitted = GRRO(discretise=None).fit(bins, Y)
    G, R = mutual_information(bins) / np.log(2), mutual_information(bins, Y) / np.log(2)
    np.fill_diagonal(G, 1)
    values, vectors = np.linalg.eigh(G)
    assert fitted.n_negative_eigenvalues_ == (values < -1e-12).sum() > 0
    slope = fitted.coef_ - R + 100 * vectors * values.clip(0) @ vectors.T @ fitted.coef_
    slope += 0.1 * fitted.coef_ @ (1 - label_cosines(Y.astype(float)))
    np.testing.assert_allclose(slope, 0, atol=1e-10)


def test_the_largest_weights_of_each_label_count():
    X, Y = problem(seed=2)
    whole = GRRO().fit(X, Y)
    for number in (1, 3, 8, 20):
        fitted = GRRO(n_per_label=number).fit(X, Y)
        kept = np.zeros_like(whole.coef_)
        for label, weights in enumerate(whole.coef_.T):
            best = np.argsort(-weights)[:number]
            kept[best, label] = weights[best]
        np.testing.assert_allclose(fitted.scores_, kept.sum(axis=1), atol=1e-12)
        none = np.flatnonzero(fitted.scores_ == 0)
        order = none[np.argsort(fitted.ranking_[none])]
        np.testing.assert_array_equal(order, none[np.argsort(-whole.scores_[none])])


def test_equal_features_have_equal_weights():
    X, Y = problem(seed=3)
    fitted = GRRO().fit(np.column_stack([X, X[:, [2, 5, 2]]]), Y)
    np.testing.assert_array_equal(fitted.coef_[[8, 9, 10]], fitted.coef_[[2, 5, 2]])


def test_it_says_where_there_is_no_minimum():
    X, Y = problem()
    with pytest.raises(DataError, match=r"GRRO has no minimum with label_smoothness=1000: .*; take one below 1\.22"):
        GRRO(label_smoothness=1000.0).fit(X, Y)
    for parameters, message in (
        ({"n_per_label": 0}, "n_per_label"),
        ({"label_relation": "none"}, "label_relation must be 'distance' or 'cosine'"),
    ):
        with pytest.raises(DataError, match=message):
            GRRO(**parameters).fit(X, Y)


def test_cosines_are_of_the_instances_where_both_labels_are_known():
    Y = problem(seed=4)[1].astype(float)
    Y[:, 3] = 0
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan
    expected = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            a, b = Y[~np.isnan(Y[:, [i, j]]).any(axis=1)][:, [i, j]].T
            expected[i, j] = quotient(a @ b, np.linalg.norm(a) * np.linalg.norm(b))
    np.testing.assert_allclose(label_cosines(Y), expected, atol=1e-12)
