"""Labels of which each has as many instances as among the training rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mlreduce
from mlreduce.linalg.utilities import best_of_each


@given(seed=st.integers(0, 10_000), n_samples=st.integers(1, 30), n_labels=st.integers(1, 5))
def test_each_label_goes_to_its_share_of_the_best(seed, n_samples, n_labels):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-3, 6, (n_samples, n_labels)).astype(float)  # with ties, and without a score
    shares = rng.uniform(size=n_labels)
    labels = best_of_each(scores, shares)
    for label, column, share in zip(labels.T, scores.T, shares, strict=True):
        wanted = min(round(share * n_samples), int((column > 0).sum()))
        best = sorted(range(n_samples), key=lambda i: (-column[i], i))[:wanted]
        assert np.flatnonzero(label).tolist() == sorted(best)


def test_it_makes_the_labels_that_propagation_itself_makes(rng):
    X = rng.standard_normal((60, 3))
    Y = np.c_[X[:, 0] > 0, X[:, 1] > 0.8, X[:, 2] > -0.5].astype(float)
    known = np.arange(60) < 25
    partly = np.where(known[:, np.newaxis], Y, np.nan)
    method = mlreduce.MLLGC().fit(X, partly)
    model = mlreduce.ProportionalCut().fit(method.embedding_[known], Y[known])
    predicted = model.predict(method.embedding_[~known])
    np.testing.assert_array_equal(predicted, method.transduction_[~known])
    assert 0 < predicted.sum() < predicted.size


def test_labels_without_a_column_are_not_predicted(rng):
    scores, Y = rng.uniform(size=(20, 4)), np.tile([1, 0, 1], (20, 1))
    Y[::2] = 1
    few = mlreduce.ProportionalCut().fit(scores[:, :2], Y).predict(scores[:, :2])
    assert few.sum(axis=0).tolist() == [20, 10, 0]
    many = mlreduce.ProportionalCut().fit(scores, Y).predict(scores)
    np.testing.assert_array_equal(many[:, :2], few[:, :2])


def test_wrong_labels_are_refused(rng):
    with pytest.raises(mlreduce.exceptions.DataError, match="0/1"):
        mlreduce.ProportionalCut().fit(rng.uniform(size=(3, 2)), [[0, 2], [1, 0], [0, 1]])
