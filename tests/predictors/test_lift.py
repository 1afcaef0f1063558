"""LIFT: clusters of each label, features by label, and classifiers of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import mlreduce
from mlreduce.exceptions import DataError


@pytest.fixture(scope="module")
def parts():
    data = mlreduce.load_dataset("planted-300")
    return data.X[:200], data.Y[:200], data.X[200:]


def test_features_of_two_blobs_are_distances_to_their_means():
    rng = np.random.default_rng(0)
    means = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]])
    which = np.arange(60) % 3
    X = means[which] + rng.standard_normal((60, 2))
    model = mlreduce.LIFT(ratio=0.05, random_state=0).fit(X, which == 0)  # 20 have the label: one cluster each
    np.testing.assert_allclose(model.centres_, [X[which == 0].mean(axis=0), X[which != 0].mean(axis=0)])
    two = mlreduce.LIFT(ratio=0.1, random_state=0).fit(X, which == 0).centres_[2:]
    np.testing.assert_allclose(two[two[:, 0].argsort()], [X[which == k].mean(axis=0) for k in (2, 1)])


def test_a_label_does_not_depend_on_others_nor_on_its_place(parts):
    X, Y, new = parts
    together = mlreduce.LIFT(random_state=0).fit(X, Y).predict_proba(new)
    reverse = mlreduce.LIFT(random_state=0).fit(X, Y[:, ::-1]).predict_proba(new)
    np.testing.assert_allclose(reverse[:, ::-1], together, rtol=1e-9)


def test_classifiers_learn_from_the_features_of_their_label(parts):
    X, Y, new = parts
    model = mlreduce.LIFT(estimator=GaussianNB(), random_state=0).fit(X, Y)
    for label, y in enumerate(Y.T):
        own = model.label_of_column_ == label
        expected = GaussianNB().fit(model.transform(X)[:, own], y).predict_proba(model.transform(new)[:, own])[:, 1]
        np.testing.assert_allclose(model.predict_proba(new)[:, label], expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_default_shares_are_those_of_logistic_regressions(form, parts):
    X, Y, new = parts
    X, new, Y = form(X * (X > 0)), form(new * (new > 0)), Y.copy()
    Y[:, 3] = 1
    model = mlreduce.LIFT(random_state=0).fit(X, Y)
    distances, shares = model.transform(new), model.predict_proba(new)
    for label, pipeline in enumerate(model.estimators_):
        columns = model.label_of_column_ == label
        expected = 1.0 if pipeline is None else pipeline.predict_proba(distances[:, columns])[:, 1]
        np.testing.assert_allclose(shares[:, label], expected, rtol=1e-9, atol=1e-12)


def test_sparse_features_and_labels(parts):
    X, Y, new = parts
    X, new = X * (X > 0), new * (new > 0)
    dense = mlreduce.LIFT(random_state=0).fit(X, Y)
    sparse = mlreduce.LIFT(random_state=0).fit(sp.csr_array(X), sp.csr_array(Y))
    np.testing.assert_allclose(sparse.transform(sp.csr_array(new)), dense.transform(new), rtol=1e-7)
    np.testing.assert_array_equal(sparse.predict(sp.csr_array(new)).toarray(), dense.predict(new))


def test_labels_of_all_and_of_none(parts):
    X, Y, new = parts
    Y = Y.copy()
    Y[:, 0], Y[:, 1] = 1, 0
    model = mlreduce.LIFT(random_state=0).fit(X, Y)
    assert model.estimators_[:2] == [None, None]
    assert np.bincount(model.label_of_column_)[:2].tolist() == [50, 50]
    np.testing.assert_array_equal(model.predict(new)[:, :2], np.tile([1, 0], (len(new), 1)))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"ratio": 0}, r"ratio must be a number above 0; got 0"),
        ({"ratio": 1.5}, r"ratio must be a number in \[0, 1\]; got 1.5"),
        ({"estimator": "svm"}, r"estimator must be a classifier, such as LogisticRegression\(\); got 'svm'"),
        ({"estimator": RidgeClassifier()}, r"estimator must have predict_proba, .*; got RidgeClassifier\(\)"),
    ],
)
def test_wrong_parameters_are_refused(parameters, sentence, parts):
    X, Y, _ = parts
    with pytest.raises(DataError, match=sentence):
        mlreduce.LIFT(**parameters).fit(X, Y)
