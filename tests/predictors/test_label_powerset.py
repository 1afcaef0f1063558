"""Label powerset and RAkEL: beside scikit-multilearn's, for any classifier, dense and sparse features."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from skmultilearn import ensemble, problem_transform

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.predictors._set_trees import divide

BASES = [GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))]


@pytest.fixture(scope="module")
def data():
    return mlreduce.load_dataset("planted-300")


@pytest.fixture(scope="module")
def parts(data):
    return data.X[:200], data.Y[:200].astype(int), data.X[200:]


@pytest.mark.parametrize("base", BASES)
def test_label_powerset_is_that_of_scikit_multilearn(base, parts):
    X, Y, new = parts
    theirs = problem_transform.LabelPowerset(base, require_dense=[True, True]).fit(X, Y).predict(new).toarray()
    np.testing.assert_array_equal(mlreduce.LabelPowerset(base).fit(X, Y).predict(new), theirs)


@pytest.mark.parametrize("seed", range(3))
def test_overlapping_sets_vote_as_those_of_scikit_multilearn(seed, parts, monkeypatch):
    X, Y, new = parts
    np.random.seed(seed)  # noqa: NPY002 -- the seed of scikit-multilearn is NumPy's own
    theirs = ensemble.RakelO(GaussianNB(), 24, labelset_size=3, base_classifier_require_dense=[True, True]).fit(X, Y)
    monkeypatch.setattr("mlreduce.predictors.label_powerset._different_sets", lambda *_: theirs.partition_)
    ours = mlreduce.RAkEL(GaussianNB()).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new).toarray())


@pytest.mark.parametrize("overlapping", [True, False])
def test_sparse_features_and_tables_of_labels(overlapping, parts):
    X, Y, new = parts
    X, new = X * (X > 0), new * (new > 0)
    model = mlreduce.RAkEL(overlapping=overlapping, random_state=0)
    expected = model.fit(X, Y).predict(new)
    names = [f"label {number}" for number in range(Y.shape[1])]
    found = model.fit(sp.csr_array(X), pd.DataFrame(Y, columns=names)).predict_labels(sp.csr_array(new), as_frame=True)
    assert list(found.columns) == names
    np.testing.assert_array_equal(found, expected)


def test_disjoint_sets_part_the_labels(parts):
    X, Y, new = parts
    model = mlreduce.RAkEL(GaussianNB(), labelset_size=5, overlapping=False, random_state=1).fit(X, Y)
    assert [len(own) for own in model.labelsets_] == [5, 5, 2]
    assert sorted(np.concatenate(model.labelsets_)) == list(range(12))
    for own in model.labelsets_:
        alone = mlreduce.LabelPowerset(GaussianNB()).fit(X, Y[:, own])
        np.testing.assert_array_equal(model.predict(new)[:, own], alone.predict(new))
    whole = mlreduce.RAkEL(GaussianNB(), labelset_size=99, overlapping=False).fit(X, Y).predict(new)
    np.testing.assert_array_equal(whole, mlreduce.LabelPowerset(GaussianNB()).fit(X, Y).predict(new))


def test_seeds_decide_about_sets_and_about_classifiers_without_a_seed(parts):
    X, Y, new = parts
    forest = RandomForestClassifier(5)
    one, same, other = (mlreduce.RAkEL(forest, random_state=seed).fit(X, Y).predict_proba(new) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    assert forest.random_state is None
    powersets = [mlreduce.LabelPowerset(forest, random_state=seed).fit(X, Y).predict(new) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(powersets[0], powersets[1])
    assert (powersets[0] != powersets[2]).any()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("unit", [1.0, 1e-60, 1e60])
def test_first_splits_are_those_of_scikit_learn(form, unit):
    """Its criterion for several outputs is the mean impurity over them; in smaller nodes several are equally good."""
    rng = np.random.default_rng(0)
    X = rng.choice(np.round(rng.normal(size=50), 2), size=(3000, 4)) * (rng.random((3000, 4)) < 0.8)
    Y = np.column_stack([X[:, 0] > 0.3, X[:, 1] + X[:, 2] > 0, X[:, 3] < -0.2]).astype(int)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y).tree_
    model = mlreduce.LabelPowerset().fit(form(unit * X), Y)
    ours, pairs, compared = model._models._forest, [(0, 0)], 0
    while pairs:
        our, their = pairs.pop()
        if theirs.feature[their] >= 0:
            assert ours.feature[our] == theirs.feature[their]
            np.testing.assert_allclose(ours.threshold[our], unit * theirs.threshold[their])
            pairs += zip(ours.children[our], (theirs.children_left[their], theirs.children_right[their]), strict=True)
            compared += 1
    assert compared == 7
    assert model.estimator_ is None


def _grown(X, Y, rows):
    """Grow a tree by its definition: what is a leaf's most frequent set, and what a node's best boundary."""
    sets, often = np.unique(Y[rows], axis=0, return_counts=True)
    best = None
    if len(sets) > 1:
        for feature in range(X.shape[1]):
            values = np.unique(X[rows, feature])
            for low, high in pairwise(values):
                right = X[rows, feature] >= high
                shares = [(side.sum(), Y[rows][side].mean(axis=0)) for side in (right, ~right)]
                impurity = sum(size * (share * (1 - share)).sum() for size, share in shares)
                if best is None or impurity < best[0] - 1e-9:
                    best = impurity, feature, (low + high) / 2
    if best is None:
        return sets[often.argmax()]
    goes_right = X[rows, best[1]] > best[2]
    return best[1:], _grown(X, Y, rows[~goes_right]), _grown(X, Y, rows[goes_right])


def _ends(tree, row):
    """Return the labels of the leaf that a row ends in."""
    while isinstance(tree, tuple):
        (feature, threshold), left, right = tree
        tree = right if row[feature] > threshold else left
    return tree


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 5), st.integers(1, 4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_trees_have_the_least_impure_splits(seed, n_rows, n_features, n_labels, negative):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3 if negative else 0, 4, size=(n_rows, n_features)).astype(float)
    Y = rng.integers(2, size=(n_rows, n_labels))
    found = [mlreduce.LabelPowerset().fit(form(X), Y) for form in (np.asarray, sp.csr_array)]
    # Several splits may be equally good; on training rows all trees say the same.
    tree = _grown(X, Y, np.arange(n_rows))
    for model, form in zip(found, (np.asarray, sp.csr_array), strict=True):
        np.testing.assert_array_equal(model.predict(form(X)), [_ends(tree, row) for row in X])
    again = rng.permutation(n_rows)
    shuffled = mlreduce.LabelPowerset().fit(X[again], Y[again])
    np.testing.assert_array_equal(shuffled.predict(X), found[0].predict(X))


def test_many_values_are_divided_into_intervals():
    """A label of one feature is found to within an interval, of 64 of equally many rows."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=5000), np.round(rng.exponential(size=5000), 1), rng.normal(size=5000) ** 3])
    levels = divide(X)
    assert np.bincount(levels.feature).tolist() == [64, len(np.unique(levels.entries[1::3])), 64]
    for feature in range(3):
        sizes = np.bincount(levels.entries[feature::3])
        assert sizes[sizes > 0][[0, -1]].min() > 0
        edges = np.unique(levels.threshold[levels.feature == feature])
        found = np.searchsorted(edges, X[:, feature]) - np.isneginf(edges[0])
        np.testing.assert_array_equal(found, levels.entries[feature::3] - levels.entries[feature::3].min())
    Y = (X[:, :1] > 0.5).astype(int)
    errors = mlreduce.LabelPowerset().fit(X, Y).predict(X) != Y
    assert 0 < errors.sum() <= 5000 / 64 / 2


@pytest.mark.parametrize("density", [0.0, 0.01])
def test_features_with_few_entries_or_none(density):
    rng = np.random.default_rng(0)
    X = sp.random_array((40, 500), density=density, rng=rng, format="csr")
    Y = rng.integers(2, size=(40, 3))
    found = [mlreduce.LabelPowerset().fit(form, Y).predict(form) for form in (X, X.toarray())]
    np.testing.assert_array_equal(*found)
    if not density:
        sets, often = np.unique(Y, axis=0, return_counts=True)
        np.testing.assert_array_equal(found[0], np.tile(sets[often.argmax()], (40, 1)))


def test_values_beyond_those_of_training():
    X = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 0.0], [3.0, 5.0]])
    Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    for form in (np.asarray, sp.csr_array):
        model = mlreduce.LabelPowerset().fit(form(X), Y)
        predicted = model.predict(form(np.array([[-1e60, 0.0], [1e60, 0.0]])))
        np.testing.assert_array_equal(predicted, [[1, 0], [0, 1]])


def test_one_set_of_labels_is_no_reason_to_fail(parts):
    X, _, new = parts
    Y = np.tile([1, 0, 1, 0], (200, 1))
    for model in (mlreduce.LabelPowerset(LogisticRegression()), mlreduce.RAkEL(LogisticRegression(), random_state=0)):
        np.testing.assert_array_equal(model.fit(X, Y).predict(new), np.tile([1, 0, 1, 0], (100, 1)))


def test_a_label_in_no_set_is_warned_about(parts):
    X, Y, new = parts
    model = mlreduce.RAkEL(GaussianNB(), n_estimators=2, random_state=0)
    with pytest.warns(UserWarning, match=r"[67] of 12 labels are in none of the 2 sets and never predicted"):
        model.fit(X, Y)
    left_out = np.setdiff1d(np.arange(12), np.concatenate(model.labelsets_))
    assert not model.predict(new)[:, left_out].any()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"estimator": "tree"}, "estimator must be a classifier, such as LogisticRegression"),
        ({"estimator": GaussianNB}, "estimator must be a classifier"),
        ({"labelset_size": 0}, "labelset_size must be an integer >= 1; got 0"),
        ({"n_estimators": 0}, "n_estimators must be an integer >= 1"),
    ],
)
def test_parameters_out_of_range(parameters, said, parts):
    X, Y, _ = parts
    with pytest.raises(DataError, match=said):
        mlreduce.RAkEL(**parameters).fit(X, Y)


def test_indices_of_64_bits(parts):
    X, Y, new = parts[:3]
    X, new = (sp.csr_array(np.where(np.abs(own) > 0.5, own, 0)) for own in (X, new))
    wide = [sp.csr_array((own.data, own.indices.astype(np.int64), own.indptr.astype(np.int64))) for own in (X, new)]
    assert wide[0].indices.dtype == np.int64
    tree = DecisionTreeClassifier(random_state=0)
    for model in (mlreduce.LabelPowerset(tree), mlreduce.RAkEL(tree, random_state=0)):
        np.testing.assert_array_equal(model.fit(wide[0], Y).predict(wide[1]), model.fit(X, Y).predict(new))


def test_votes_of_random_sets_tie_in_most_rows():
    """Why the order of the labels is that of their numbers in many rows."""
    data = mlreduce.load_dataset("digits-300")
    X, Y, new = data.X[:200], data.Y[:200], data.X[200:]

    def rows_with_ties(method):
        scores = method.fit(X, Y).predict_scores(new)
        return np.mean([len(np.unique(row)) < len(row) for row in scores])

    assert rows_with_ties(mlreduce.RAkEL(random_state=0)) > 0.9
    assert rows_with_ties(mlreduce.FisherClassifier()) == 0
