"""Trees of labels beyond their definition: the k best labels, beams, threads and refused parameters."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.exceptions import DataError

DATA = mlreduce.load_dataset("planted-300")
X, Y = DATA.X[:200], DATA.Y[:200]
NEW = DATA.X[200:]


def fitted(**parameters):
    return mlreduce.make("label-tree", **{"max_leaf": 2, "random_state": 0, **parameters}).fit(X, Y)


@pytest.mark.parametrize("beam_size", [1, 10])
def test_the_best_labels_are_those_of_the_scores(beam_size):
    model = fitted(beam_size=beam_size)
    scores = model.predict_scores(NEW)
    for k in (1, 4, 100):
        best, number = model.predict_top(NEW, k=k), min(k, Y.shape[1])
        assert best.shape == scores.shape
        assert np.diff(best.indptr).tolist() == [number] * len(NEW)
        for row, values in enumerate(scores):
            places = slice(best.indptr[row], best.indptr[row + 1])
            assert best.indices[places].tolist() == sorted(np.argsort(-values, kind="stable")[:number])
            np.testing.assert_array_equal(best.data[places], values[best.indices[places]])


def test_a_narrow_beam_follows_the_likeliest_children():
    narrow, wide = fitted(beam_size=1, n_estimators=1), fitted(n_estimators=1)
    scores, every = narrow.predict_scores(NEW), wide.predict_scores(NEW)
    assert (np.count_nonzero(scores, axis=1) <= 2).all()
    np.testing.assert_array_equal(scores[scores > 0], every[scores > 0])
    for row, reached in zip(NEW, scores > 0, strict=True):
        node = narrow.trees_[0][0]
        while node.children:
            margins = row[node.features] / narrow.scale_ @ node.weights.toarray() + node.intercept
            node = narrow.trees_[0][node.children[np.argmin(np.maximum(0, 1 - margins) ** 2)]]
        assert {*np.flatnonzero(reached)} <= {*node.labels}


def test_the_unit_of_the_features_changes_nothing():
    one, other = fitted(), mlreduce.make("label-tree", max_leaf=2, random_state=0).fit(1024 * X, Y)
    np.testing.assert_array_equal(other.predict_scores(1024 * NEW), one.predict_scores(NEW))


def test_sparse_features_and_labels_and_threads_change_nothing():
    expected = fitted().predict_scores(NEW)
    other = mlreduce.make("label-tree", max_leaf=2, random_state=0, n_jobs=2).fit(sp.csr_array(X), sp.csr_array(Y))
    np.testing.assert_array_equal(other.predict_scores(sp.csr_array(NEW)), expected)
    assert (fitted(random_state=1).predict_scores(NEW) != expected).any()


def test_small_weights_are_dropped():
    weights = [abs(node.weights.data) for nodes in fitted(prune=0.2).trees_ for node in nodes]
    assert min(np.concatenate(weights)) >= 0.2
    assert min(abs(node.weights.data).min() for node in fitted(prune=0).trees_[0]) < 0.2


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("n_estimators", 0, "an integer >= 1"),
        ("max_leaf", 1, "an integer >= 2"),
        ("beam_size", 2.5, "an integer >= 1"),
        ("max_iter", 0, "an integer >= 1"),
        ("C", 0, "a number > 0"),
        ("tol", -1, "a number > 0"),
        ("prune", -0.1, "a number >= 0"),
    ],
)
def test_parameters_out_of_range_are_refused(name, value, allowed):
    with pytest.raises(DataError, match=rf"{name} must be {allowed}; got {value}"):
        fitted(**{name: value})


def test_asking_for_no_label_is_refused():
    with pytest.raises(DataError, match="k must be an integer >= 1; got 0"):
        fitted().predict_top(NEW, k=0)
