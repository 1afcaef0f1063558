"""Label powerset and RAkEL: beside scikit-multilearn's, for any classifier, dense and sparse features."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from skmultilearn import ensemble, problem_transform

import mlreduce
from mlreduce.exceptions import DataError

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
def test_trees_are_those_of_pipelines_of_scikit_learn(form, parts):
    X, Y, new = parts
    X, new = form(X * (X > 0)), form(2e40 * new * (new > 0))  # beyond the range of training, and of 32 bits
    model = mlreduce.RAkEL(random_state=0).fit(X, Y)
    votes = np.zeros((new.shape[0], Y.shape[1]))
    for pipeline, labels in zip(model.estimators_, model.labelsets_, strict=True):
        sets = np.unique(Y[:, labels], axis=0)
        again = clone(pipeline).fit(X, [int((sets == row).all(axis=1).argmax()) for row in Y[:, labels]])
        np.testing.assert_array_equal(pipeline.predict(new), again.predict(new))
        votes[:, labels] += sets[again.predict(new)]
    np.testing.assert_allclose(model.predict_proba(new), votes / np.bincount(np.concatenate(model.labelsets_)))
    powerset = mlreduce.LabelPowerset(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(powerset.predict(new), powerset.labelsets_[powerset.estimator_.predict(new)])


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
