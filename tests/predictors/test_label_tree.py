"""Trees of labels beyond their definition: minima, the k best labels, beams, joined trees, refused parameters."""

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


def node_of(model, tree, number):
    """Return the weights of a node as a dense array, its intercept, and what its outputs are of."""
    tree = model.trees_[tree]
    outputs = slice(tree.starts[number], tree.starts[number + 1])
    targets = tree.targets[outputs]
    weights = np.zeros((model.n_features_in_, len(targets)))
    for slot in range(tree.slots[number], tree.slots[number + 1]):
        places = slice(tree.table[slot, 1], tree.table[slot + 1, 1])
        weights[tree.table[slot, 0], tree.outputs[places]] = tree.weights[places]
    return weights, tree.intercept[outputs], targets


def labels_below(tree, number):
    """Return the labels below a node."""
    targets = tree.targets[tree.starts[number] : tree.starts[number + 1]]
    return set(targets) if tree.is_leaf[number] else set().union(*(labels_below(tree, child) for child in targets))


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
    tree = narrow.trees_[0]
    for row, reached in zip(NEW, scores > 0, strict=True):
        number = 0
        while not tree.is_leaf[number]:
            weights, intercept, children = node_of(narrow, 0, number)
            number = children[np.argmin(np.maximum(0, 1 - row / narrow.scale_ @ weights - intercept) ** 2)]
        assert {*np.flatnonzero(reached)} <= labels_below(tree, number)


def test_scores_are_means_of_products_along_the_ways_from_the_roots():
    model = fitted(beam_size=100)
    expected = np.zeros((len(NEW), Y.shape[1]))
    for number, tree in enumerate(model.trees_):
        waiting = [(0, np.zeros(len(NEW)))]
        for node, losses in waiting:
            weights, intercept, targets = node_of(model, number, node)
            margins = NEW / model.scale_ @ weights + intercept
            for target, margin in zip(targets, margins.T, strict=True):
                loss = losses + np.maximum(0, 1 - margin) ** 2
                if tree.is_leaf[node]:
                    expected[:, target] += 2**-loss / len(model.trees_)
                else:
                    waiting.append((target, loss))
    np.testing.assert_allclose(model.predict_scores(NEW), expected, rtol=0, atol=1e-12)


def test_the_nodes_are_minima_of_their_squared_hinge_losses():
    model = fitted(tol=1e-10, max_iter=5000, prune=0, n_estimators=1, C=0.5)
    tree = model.trees_[0]
    for number, is_leaf in enumerate(tree.is_leaf):
        weights, intercept, targets = node_of(model, 0, number)
        below = [{target} if is_leaf else labels_below(tree, target) for target in targets]
        present = np.column_stack([Y[:, sorted(labels)].any(axis=1) for labels in below])
        rows = slice(None) if number == 0 else present.any(axis=1)
        features, signs = X[rows] / model.scale_, np.where(present[rows], 1.0, -1.0)
        slopes = 2 * 0.5 * signs * np.maximum(0, 1 - signs * (features @ weights + intercept))
        np.testing.assert_allclose(weights, features.T @ slopes, rtol=0, atol=2e-6)
        np.testing.assert_allclose(intercept, slopes.sum(axis=0), rtol=0, atol=2e-6)


def test_labels_are_halved_again_and_again():
    for tree in fitted(n_estimators=2).trees_:
        for number, is_leaf in enumerate(tree.is_leaf):
            targets = tree.targets[tree.starts[number] : tree.starts[number + 1]]
            if is_leaf:
                assert len(targets) <= 2
            else:
                one, other = (labels_below(tree, child) for child in targets)
                assert len(one) - len(other) in (0, 1)
                assert not one & other
        assert labels_below(tree, 0) == {*range(Y.shape[1])}


@pytest.mark.parametrize("decision", ["half", "one-threshold"])
def test_labels_that_no_row_has_change_nothing(decision):
    places = np.arange(0, 3 * Y.shape[1], 3) + 1
    wide = np.zeros((len(Y), 5 * Y.shape[1]), dtype=int)
    wide[:, places] = Y
    for many, few in ((wide, Y), (sp.csr_array(wide), sp.csr_array(Y))):
        model = mlreduce.make("label-tree", max_leaf=2, random_state=0, decision=decision).fit(X, many)
        other = mlreduce.make("label-tree", max_leaf=2, random_state=0, decision=decision).fit(X, few)
        scores = model.predict_scores(NEW)
        np.testing.assert_array_equal(scores[:, places], other.predict_scores(NEW))
        assert np.count_nonzero(scores) == np.count_nonzero(scores[:, places])
        predicted = sp.csr_array(model.predict(NEW)).toarray()
        np.testing.assert_array_equal(predicted[:, places], sp.csr_array(other.predict(NEW)).toarray())
        assert predicted.sum() == predicted[:, places].sum()


def test_without_any_label_all_scores_are_zero():
    model = mlreduce.make("label-tree", random_state=0).fit(X, sp.csr_array((len(X), 7), dtype=int))
    assert not model.predict_scores(NEW).any()
    assert model.predict_top(NEW, k=3).indices[:3].tolist() == [0, 1, 2]


def test_joined_trees_are_those_of_one_fit():
    together = fitted(n_estimators=4)
    jobs = [fitted(n_estimators=count, first_tree=first) for first, count in ((0, 1), (1, 2), (3, 1))]
    joined = mlreduce.LabelTreeClassifier.join(jobs)
    assert joined.get_params() == together.get_params()
    assert joined.n_iter_ == together.n_iter_
    for one, other in zip(joined.trees_, together.trees_, strict=True):
        assert [part.tobytes() for part in one] == [part.tobytes() for part in other]
    np.testing.assert_array_equal(joined.predict_scores(NEW), together.predict_scores(NEW))
    np.testing.assert_array_equal(joined.predict(NEW), together.predict(NEW))
    assert len(jobs[0].trees_) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"first_tree": 2}, "model 1 has first_tree=2, but the trees before it end at 1"),
        ({"first_tree": 1, "C": 2.0}, r"model 1 has C=2.0, the first 1.0"),
        ({"first_tree": 1, "random_state": 1}, "model 1 has random_state=1, the first 0"),
    ],
)
def test_trees_that_do_not_belong_together_are_not_joined(parameters, message):
    with pytest.raises(DataError, match=message):
        mlreduce.LabelTreeClassifier.join(
            [fitted(n_estimators=1, C=1.0), fitted(**{"n_estimators": 1, "C": 1.0, **parameters})]
        )


def test_models_of_other_data_or_with_thresholds_are_not_joined():
    other = mlreduce.make("label-tree", max_leaf=2, random_state=0, first_tree=3).fit(X[:150], Y[:150])
    with pytest.raises(DataError, match="model 1 was fitted to other data"):
        mlreduce.LabelTreeClassifier.join([fitted(), other])
    with pytest.raises(DataError, match="thresholds of decision='top-k' belong to the scores of all trees"):
        mlreduce.LabelTreeClassifier.join([fitted(decision="top-k")])
    with pytest.raises(DataError, match="there is no model to join"):
        mlreduce.LabelTreeClassifier.join([])


def test_the_unit_of_the_features_changes_nothing():
    one, other = fitted(), mlreduce.make("label-tree", max_leaf=2, random_state=0).fit(1024 * X, Y)
    np.testing.assert_array_equal(other.predict_scores(1024 * NEW), one.predict_scores(NEW))


def test_sparse_features_and_labels_and_threads_change_nothing():
    expected = fitted().predict_scores(NEW)
    other = mlreduce.make("label-tree", max_leaf=2, random_state=0, n_jobs=2).fit(sp.csr_array(X), sp.csr_array(Y))
    np.testing.assert_array_equal(other.predict_scores(sp.csr_array(NEW)), expected)
    assert (fitted(random_state=1).predict_scores(NEW) != expected).any()


def test_small_weights_are_dropped():
    assert min(abs(tree.weights).min() for tree in fitted(prune=0.2).trees_) >= 0.2
    assert abs(fitted(prune=0).trees_[0].weights).min() < 0.2


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("n_estimators", 0, "an integer >= 1"),
        ("max_leaf", 1, "an integer >= 2"),
        ("beam_size", 2.5, "an integer >= 1"),
        ("max_iter", 0, "an integer >= 1"),
        ("first_tree", -1, "an integer >= 0"),
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
