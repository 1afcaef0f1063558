"""Labels as a csr_array give what they give as an array; what is counted or added up in blocks is the same."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import chi2, f_classif

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import distinct_rows
from mlreduce.preprocessing.discretisation import Discretiser
from mlreduce.selection import information, univariate

NAMES = registry.method_names("selection")
SPARSE = [name for name in NAMES if registry.method_class(name).takes_sparse_labels]
# Of the others the definitions take W, pairs of labels, or dense labels.
DENSE = {"all-features", "csfs", "lasso-multitask", "mdfs", "mifs", "mlrf", "mssl", "random-features", "rfs", "scmfs"}
DENSE |= {"mcls", "mfs-mcdm", "pmfs", "sfus"}
DENSE |= {"llsf", "lrlsf", "mlmlfs", "mrdm", "pnc", "scnmf"}


def make(name, **parameters):
    taken = inspect.signature(registry.method_class(name)).parameters
    fixed = {"random_state": 0, "sparsity": "20%", "min_count": 1, "k": 3}
    if name == "lasso-multitask":  # a number alone, as in scikit-learn
        del fixed["sparsity"]
    return mlreduce.make(name, **{key: value for key, value in fixed.items() if key in taken} | parameters)


def problem(n=60, d=7, q=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d)) * (rng.random((n, d)) < 0.7) + 0.0
    Y = (rng.random((n, q)) < np.linspace(0.05, 0.9, q)).astype(int)
    Y[:, 1] = X[:, 0] > 1
    return X, Y


def same(first, second):
    np.testing.assert_allclose(first.scores_, second.scores_, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(first.ranking_, second.ranking_)


def test_which_selectors_take_sparse_labels():
    assert set(NAMES) - set(SPARSE) == DENSE


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.rotating
def test_sparse_labels_select_the_same(name, form):
    X, Y = problem()
    labels = sp.csr_array(Y)
    same(make(name).fit(form(X), labels), make(name).fit(form(X), Y))
    np.testing.assert_array_equal(labels.toarray(), Y)


@pytest.mark.parametrize("name", SPARSE)
@given(st.data())
@settings(max_examples=8)
@pytest.mark.rotating
def test_few_instances_none_all_or_one_label(name, data):
    n, d, q = (data.draw(st.integers(low, high)) for low, high in ((4, 12), (1, 4), (1, 4)))
    kinds = data.draw(st.lists(st.sampled_from([0.0, 0.3, 0.7, 1.0]), min_size=q, max_size=q))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    X, Y = rng.integers(0, 3, (n, d)).astype(float), (rng.random((n, q)) < kinds).astype(int)
    try:
        expected = make(name, k=1).fit(X, Y)
    except DataError as error:
        with pytest.raises(DataError) as raised:
            make(name, k=1).fit(X, sp.csr_array(Y))
        assert str(raised.value) == str(error)
    else:
        same(make(name, k=1).fit(X, sp.csr_array(Y)), expected)


@pytest.mark.parametrize("method", ["mdl", "laim"])
def test_supervised_discretisation_takes_sparse_labels(method):
    X, Y = problem()
    cuts = Discretiser(method).fit(X, Y).cut_points_
    for one, other in zip(Discretiser(method).fit(X, sp.csr_array(Y)).cut_points_, cuts, strict=True):
        np.testing.assert_array_equal(one, other)


@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 10**6))
def test_different_rows_are_those_of_numpy(n, q, seed):
    Y = (np.random.default_rng(seed).random((n, q)) < 0.4).astype(float)
    sets, first, which = np.unique(Y, axis=0, return_index=True, return_inverse=True)
    for table in (Y, sp.csr_array(Y)):
        places, numbers = distinct_rows(table)
        np.testing.assert_array_equal(places, first)
        np.testing.assert_array_equal(numbers, which.reshape(-1))
    np.testing.assert_array_equal(Y[first], sets)


@given(st.integers(1, 15), st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), min_size=1, max_size=5), st.integers(0))
def test_counts_of_sparse_labels_are_those_of_bins(n, shares, seed):
    Y = (np.random.default_rng(seed).random((n, len(shares))) < shares).astype(np.int8)
    expected, counted = information.Counted.from_bins(Y), information.Counted.from_labels(sp.csr_array(Y))
    np.testing.assert_array_equal(counted.starts, expected.starts)
    np.testing.assert_array_equal(*(sp.csr_array(each.ones).toarray() for each in (counted, expected)))


@pytest.mark.parametrize("name", ["anova", "chi2", "mutual-info"])
@pytest.mark.parametrize("aggregate", univariate.AGGREGATES)
def test_blocks_of_labels_give_the_same_bytes(name, aggregate, monkeypatch):
    X, Y = problem()
    expected = make(name, aggregate=aggregate).fit(X, Y).scores_
    monkeypatch.setattr(univariate, "_BLOCK_BYTES", 8 * 2 * X.shape[1])
    np.testing.assert_array_equal(make(name, aggregate=aggregate).fit(X, Y).scores_, expected)


@pytest.mark.parametrize("name", ["mim", "qpfs"])
def test_relevance_adds_up_over_blocks_of_labels(name, monkeypatch):
    X, Y = problem()
    expected = make(name).fit(X, Y)
    monkeypatch.setattr(information, "_SHARED_BYTES", 8 * 2 * X.shape[1])
    for labels in (Y, sp.csr_array(Y)):
        same(make(name).fit(X, labels), expected)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_mutual_information_is_the_same_on_any_number_of_threads_and_in_blocks_of_features(form, monkeypatch):
    X, Y = problem(d=130)
    expected = make("mutual-info").fit(form(X), Y).scores_
    np.testing.assert_array_equal(make("mutual-info", n_jobs=2).fit(form(X), Y).scores_, expected)
    monkeypatch.setattr(univariate, "_NOISY_BYTES", 8 * 13 * len(X))
    np.testing.assert_array_equal(make("mutual-info").fit(form(X), Y).scores_, expected)


@pytest.mark.parametrize(("name", "function"), [("anova", f_classif), ("chi2", chi2)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_scores_of_unknown_labels_are_those_of_the_known_rows(name, function, form):
    X, Y = problem(n=80)
    labels = np.where(np.random.default_rng(1).random(Y.shape) < 0.4, np.nan, Y)
    labels[X[:, 3] != X[0, 3], 2] = np.nan  # feature 3 is constant where label 2 is known
    scores = []
    for label in labels.T:
        rows = np.flatnonzero(~np.isnan(label))
        some = (X[rows] != X[rows[0]]).any(axis=0)
        scores.append(np.zeros(X.shape[1]))
        scores[-1][some] = function(X[rows][:, some], label[rows].astype(int))[0]
    assert scores[2][3] == 0
    np.testing.assert_allclose(make(name).fit(form(X), labels).scores_, np.mean(scores, axis=0), rtol=1e-12)
    of_one = make(name).fit(form(X), labels[:, [2]])
    assert of_one.scores_[3] == 0


def test_rounding_errors_are_no_scatter_within_classes():
    """Of a standardised feature that separates a label the squared deviations within cancel to rounding errors."""
    X, Y = problem(n=300)
    X = np.column_stack([X, Y[:, 2]])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for scale in (0.1, 1.0, 3.0):
        scores = make("anova", aggregate="max").fit(scale * X, Y[:, [2]]).scores_
        assert np.isinf(scores[-1])
        assert np.isfinite(scores[2:-1]).all()
