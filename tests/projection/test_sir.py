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


@both
def test_labels_that_do_not_vary_have_no_slices(kind, problem):
    X, Y = problem
    more = np.column_stack([Y, np.ones(len(Y), dtype=int), np.zeros(len(Y), dtype=int)])
    same_directions(mlreduce.make("sir").fit(kind(X), kind(more)), mlreduce.make("sir").fit(kind(X), kind(Y)))


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
