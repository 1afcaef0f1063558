"""Sliced inverse regression: both ways to slice labels, and the methods that it is equal to."""

from __future__ import annotations

import definitions
import numpy as np
import pytest
import scipy.sparse as sp
from projection_problems import data, same_directions

import mlreduce
from mlreduce.exceptions import DataError

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


@pytest.fixture(params=[(60, 6, 3), (25, 40, 3)], ids=["tall", "wide"])
def problem(request, rng):
    return data(rng, *request.param)


@both
@pytest.mark.parametrize("min_count", [1, 2, 7])
def test_label_sets_as_slices(kind, min_count, problem):
    X, Y = problem
    method = mlreduce.make("sir", slices="label-sets", min_count=min_count, ridge=0.7).fit(kind(X), kind(Y))
    definitions.load("sir").definition(X, Y, method)


def sets_of(Y):
    return np.unique(Y, axis=0, return_inverse=True)[1].reshape(-1)


def test_label_sets_are_classes_of_fda(problem):
    X, Y = problem
    ours = mlreduce.make("sir", slices="label-sets", min_count=1, ridge=3.0).fit(X, Y)
    fda = mlreduce.make("fda", ridge=3.0).fit(X, sets_of(Y))
    share = fda.eigenvalues_ / (1 + fda.eigenvalues_)
    np.testing.assert_allclose(ours.eigenvalues_, share, rtol=1e-7)
    np.testing.assert_allclose(ours.components_, fda.components_ * np.sqrt(1 - share)[:, np.newaxis], atol=1e-7)


def test_labels_of_unit_variance_are_opls(problem):
    X, Y = problem
    ours = mlreduce.make("sir", ridge=1e-6).fit(X, Y)
    Z = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    A, B = X.T @ Z, (X - X.mean(axis=0)).T @ (X - X.mean(axis=0)) + 1e-6 * np.eye(X.shape[1])
    P = ours.components_
    np.testing.assert_allclose(P @ A @ A.T @ P.T / (len(X) * Y.shape[1]), np.diag(ours.eigenvalues_), atol=1e-7)
    np.testing.assert_allclose(P @ B @ P.T, np.eye(len(P)), atol=1e-7)


@both
def test_one_label_has_the_same_slices_either_way(kind, problem):
    X, Y = problem
    by_label, by_set = (
        mlreduce.make("sir", slices=name).fit(kind(X), kind(Y[:, :1])) for name in ("labels", "label-sets")
    )
    assert by_label.n_components_ == 1
    same_directions(by_label, by_set)


@both
def test_labels_that_do_not_vary_have_no_slices(kind, problem):
    X, Y = problem
    more = np.column_stack([Y, np.ones(len(Y), dtype=int), np.zeros(len(Y), dtype=int)])
    same_directions(mlreduce.make("sir").fit(kind(X), kind(more)), mlreduce.make("sir").fit(kind(X), kind(Y)))


@pytest.mark.parametrize("slices", ["labels", "label-sets"])
def test_eigenvalues_are_shares_of_variance(slices, rng):
    X, Y = data(rng, 60, 6, 3)
    method = mlreduce.make("sir", slices=slices, ridge=0.0).fit(X, Y)
    assert ((method.eigenvalues_ > 0) & (method.eigenvalues_ <= 1 + 1e-12)).all()
    slicings = Y.T if slices == "labels" else [sets_of(Y)]
    shares = []
    for own in slicings:
        Z = method.transform(X)
        means = np.array([Z[own == value].mean(axis=0) for value in own])
        shares.append(means.var(axis=0) / Z.var(axis=0))
    np.testing.assert_allclose(method.eigenvalues_, np.mean(shares, axis=0), rtol=1e-9)


@pytest.mark.parametrize(
    ("min_count", "sentence"),
    [
        (1, "all 6 are a slice each, so that any direction is as good, of 6 different label sets with min_count=1"),
        (
            2,
            "all 6 are one slice, of 6 different label sets with min_count=2; take another min_count, or slices=",
        ),
    ],
)
def test_slices_that_say_nothing_are_refused(min_count, sentence):
    Y = np.array([[0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0]])
    with pytest.raises(DataError, match=sentence):
        mlreduce.make("sir", slices="label-sets", min_count=min_count).fit(np.random.default_rng(0).random((6, 2)), Y)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"slices": "sets"}, "slices must be 'labels' or 'label-sets'; got 'sets'"),
        ({"min_count": 0}, "min_count must be an integer >= 1; got 0"),
        ({"ridge": -1.0}, "ridge must be"),
    ],
)
def test_wrong_parameters_are_refused(parameters, sentence, rng):
    with pytest.raises(DataError, match=sentence):
        mlreduce.make("sir", **parameters).fit(*data(rng, 20, 3, 2))
