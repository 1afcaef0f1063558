"""Awkward forms of features and labels, once per representative of each family and strategy."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from quick import quick
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.labelspace import CodedClassifier
from mlreduce.testing import check_method

CODERS = {name: mlreduce.make(name) for name in ("plst", "cplst", "kernel-cplst", "faie", "mlc-bmad")}
CODERS |= {name: mlreduce.make(name, random_state=0) for name in ("cs", "cssp")}
SELECTORS = {name: mlreduce.make(name) for name in ("mlfs", "spec", "pmu", "qpfs", "jmi", "anova", "mdfs", "mifs")}
SELECTORS |= {name: mlreduce.make(name, random_state=0) for name in ("gmba", "mlrf")}
CLASSIFIERS = {
    name: mlreduce.make(name, **quick(name)) for name in ("cc-knn", "ml-knn", "mlnb", "flda", "leml", "sleec")
}
CLASSIFIERS["coded"] = CodedClassifier()
PROJECTIONS = {"mddmp": mlreduce.MDDMp(1), "mope": mlreduce.MOPE(1, random_state=0)}
METHODS = CODERS | SELECTORS | CLASSIFIERS | PROJECTIONS

every = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def problem(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (40, 6)) * (rng.random((40, 6)) < 0.7) + 0.0
    return X, np.array([[1, 0, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0]])[rng.integers(4, size=40)]


def result(fitted, X):
    """Directions, scores of features, or scores of labels."""
    if hasattr(fitted, "components_"):
        return fitted.components_
    if hasattr(fitted, "ranking_"):
        return fitted.scores_
    return fitted.decision_function(X) if hasattr(fitted, "decision_function") else fitted.predict_proba(X)


@every
@pytest.mark.rotating
def test_data_in_every_form_refused_or_unusual(method):
    check_method(method, isolated=False)


@every
def test_names_of_labels_are_those_of_a_table(method):
    X, Y = problem()
    table = pd.DataFrame(Y).add_prefix("label")
    fitted = clone(method).fit(X, table)
    assert fitted.label_names_ == list(table.columns)
    assert not hasattr(fitted.fit(X, Y), "label_names_")


@every
def test_one_label_may_have_one_dimension(method):
    X, Y = problem()
    line, column = clone(method).fit(X, Y[:, 1]), clone(method).fit(X, Y[:, [1]])
    own = result(line, X)
    if hasattr(line, "predict_proba"):
        own = own[:, 1]  # of 0 and of 1
    np.testing.assert_array_equal(own.ravel(), result(column, X).ravel())
    if hasattr(line, "predict"):
        assert (line.predict(X).shape, column.predict(X).shape) == ((40,), (40, 1))


@every
def test_pickles_clones_and_names(method):
    X, Y = problem()
    with pytest.raises(NotFittedError):
        getattr(clone(method), next(use for use in ("predict", "encode", "transform") if hasattr(method, use)))(Y)
    table = pd.DataFrame(X).add_prefix("f")
    fitted = clone(method).fit(table, Y)
    np.testing.assert_array_equal(result(pickle.loads(pickle.dumps(fitted)), table), result(fitted, table))
    assert list(fitted.feature_names_in_) == list(table.columns)
    assert not hasattr(fitted.fit(X, Y), "feature_names_in_")
    assert fitted.fit(X[:, :4], Y).n_features_in_ == 4


@every
def test_wrong_features_and_labels_are_refused(method):
    X, Y = problem()
    for bad, kind in ((np.nan, "NaN"), (np.inf, "infinity")):
        broken = X.copy()
        broken[1, 2] = bad
        if not any(method is CODERS[name] for name in ("plst", "cs", "cssp", "mlc-bmad")):  # these look at labels only
            with pytest.raises(DataError, match=f"X contains {kind} in column 2, row 1"):
                clone(method).fit(broken, Y)
            with pytest.raises(DataError, match=rf"X contains {kind} in column 2 \('f2'\), row 1"):
                clone(method).fit(pd.DataFrame(broken).add_prefix("f"), Y)
    for labels, message in (
        (np.full(Y.shape, 0.5), "y is continuous: y holds 0.5 in column 0, row 0"),
        (2 * Y, "labels must be 0/1 or -1/1"),
        (Y - Y[:, [1, 0, 2]], "mixes 0 and -1"),
        (Y.astype(str).astype(object) + "a", "strings"),
        (Y[:-1], "X has 40 rows, y has 39"),
        (None, "requires y"),
    ):
        with pytest.raises(DataError, match=message):
            clone(method).fit(X, labels)


def test_duplicate_entries_of_labels_are_summed_before_they_are_checked():
    X, Y = problem()
    rows, columns = np.nonzero(Y)
    twice = sp.coo_array((np.ones(len(rows) + 1), (np.r_[rows, rows[0]], np.r_[columns, columns[0]])), shape=Y.shape)
    compressed = sp.csr_array((np.ones(80), np.tile(0, 80), 2 * np.arange(41)), shape=Y.shape)
    for labels in (twice, compressed):
        with pytest.raises(DataError, match="y holds 2 in column 0"):
            mlreduce.make("pls").fit(X, labels)
