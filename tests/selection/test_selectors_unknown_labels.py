"""What all selectors that take unknown labels promise; what they compute is in tests/definitions."""

from __future__ import annotations

import warnings

import definitions
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import selection_by_the_book as book
from sklearn.base import clone

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.preprocessing.discretisation import Discretiser
from mlreduce.selection.information import Counted, KnownTriples, Triples

TAKES = {name: registry.method_class(name).takes_unknown_cells for name in registry.method_names("selection")}
SUPERVISED = [n for n, takes in TAKES.items() if takes and registry.method_class(n).supervised]
every = pytest.mark.parametrize("name", SUPERVISED)


@pytest.fixture
def problem():
    return definitions.problem("cells", 40, 6, 4)


def fitted(name, X, Y):
    return definitions.make(name).fit(X, Y)


def assert_equal(method, other, **tolerance):
    np.testing.assert_allclose(method.scores_, other.scores_, **{"rtol": 1e-9, "atol": 1e-9} | tolerance)
    np.testing.assert_array_equal(method.ranking_, other.ranking_)


def test_nearly_all_selectors_take_unknown_labels():
    assert sum(TAKES.values()) >= 34


@every
@pytest.mark.rotating
def test_a_label_that_is_known_nowhere_is_ignored(name, problem):
    X, Y = problem
    with pytest.warns(UserWarning, match="y is NaN throughout column 2: such a label is ignored"):
        method = fitted(name, X, np.insert(Y, 2, np.nan, axis=1))
    assert_equal(method, fitted(name, X, Y))


@every
@pytest.mark.rotating
def test_forms_of_labels(name, problem):
    X, Y = problem
    method = definitions.make(name)
    method.set_params(**{key: value for key, value in (("max_iter", 20), ("tol", 0.0)) if key in method.get_params()})
    usual, signed = clone(method).fit(X, Y), 2 * Y - 1
    for labels in (signed, pd.DataFrame(Y), pd.DataFrame(signed).astype("Int64"), sp.csr_array(Y), Y.tolist()):
        assert_equal(clone(method).fit(X, labels), usual)


@every
@pytest.mark.rotating
def test_unknown_labels_are_neither_zeros_nor_ones(name, problem):
    X, Y = problem
    method = fitted(name, X, Y)
    filled = [fitted(name, X, np.where(np.isnan(Y), value, Y)) for value in (0, 1)]
    same = [np.array_equal(getattr(method, "gains_", method.scores_), getattr(f, "gains_", f.scores_)) for f in filled]
    assert same == [name == "mlfs", False]  # whose formula has only labels that instances have


@pytest.mark.parametrize("name", [n for n in TAKES if not registry.method_class(n).supervised])
def test_controls_do_not_look_at_labels(name, problem):
    X, Y = problem
    assert TAKES[name]
    assert_equal(definitions.make(name).fit(X, Y), definitions.make(name).fit(X))


@pytest.mark.parametrize("name", [n for n, takes in TAKES.items() if not takes])
def test_others_refuse_them(name, problem):
    with pytest.raises(DataError, match='y is NaN in column .*unknown_labels="cells"'):
        mlreduce.make(name).fit(*problem)


@every
@pytest.mark.rotating
def test_labels_that_are_all_known_are_counted_as_before(name, monkeypatch):
    X, Y = definitions.problem("labels", 40, 6, 4)
    before = fitted(name, X, Y)
    monkeypatch.setattr("mlreduce.selection.information.KnownTriples", None)
    monkeypatch.setattr(registry.method_class(name), "takes_unknown_cells", False)
    np.testing.assert_array_equal(fitted(name, X, Y).scores_, before.scores_)


def test_information_with_all_cells_known_is_that_without_unknown_cells():
    X, Y = definitions.problem("labels", 40, 6, 4)
    features, labels = Counted.from_bins(X.astype(int)), Counted.from_bins(Y.astype(int))
    plain, known = Triples(features, labels), KnownTriples(features, labels, np.ones(Y.shape, dtype=bool))
    np.testing.assert_allclose(known.shared, plain.shared, atol=1e-9)
    for label, parts in enumerate(labels.parts()):
        expected = plain.given(parts, first=1)
        np.testing.assert_allclose(known.given(parts, first=1), expected, atol=1e-9)
        np.testing.assert_allclose(known.given(parts, first=1, label=label), expected, atol=1e-9)


def test_unknown_rows_are_left_out_where_features_are_bins_already():
    X, Y = definitions.problem("labels", 40, 6, 4)
    bins = np.rint(X)
    Y[10:] = np.nan
    for name in ("mim", "pmu", "igmf", "ppt-chi2"):
        more = {"discretise": None} | ({"min_count": 2} if name.startswith("ppt") else {})
        method = mlreduce.make(name, **more)
        some = mlreduce.make(name, **more).fit(bins[:10], Y[:10])
        np.testing.assert_allclose(method.fit(bins, Y).gains_, some.gains_, atol=1e-9)


def test_pairs_of_labels_in_relief(problem):
    X, Y = problem
    np.testing.assert_allclose(
        mlreduce.MLRF(variant="pairs").fit(X, Y).scores_, book.mlrf(X, Y, variant="pairs"), atol=1e-12
    )
    with pytest.raises(
        DataError, match=r'unknown labels \(NaN\), which MLRF does not take with variant="published-code"'
    ):
        mlreduce.MLRF(variant="published-code").fit(X, Y)


def test_label_sets_need_instances_with_all_labels_known(problem):
    X, Y = problem
    Y[:, 1] = np.where(np.isnan(Y[:, 0]), 1, np.nan)
    for name in ("igmf", "ppt-mi", "ppt-chi2"):
        with pytest.raises(DataError, match="none of the 40 instances has all its labels known.*label by label"):
            mlreduce.make(name).fit(X, Y)
    Y[:5, 1] = 1
    with pytest.raises(DataError, match="among n_samples=[1-5] instances whose labels are all known, of 40, the"):
        mlreduce.PPTMI().fit(X, Y)


def test_discretisers_count_known_labels(problem):
    X, Y = problem
    whole = ~np.isnan(Y).any(axis=1)
    cuts, expected = Discretiser("mdl").fit(X, Y).cut_points_, Discretiser("mdl").fit(X[whole], Y[whole]).cut_points_
    assert all(np.array_equal(*pair) for pair in zip(cuts, expected, strict=True))
    cuts, expected = Discretiser("laim").fit(X, Y).cut_points_, Discretiser("laim").fit(X, np.nan_to_num(Y)).cut_points_
    assert all(np.array_equal(*pair) for pair in zip(cuts, expected, strict=True))
    with pytest.raises(DataError, match='"mdl" takes sets of labels, and none of the 40 instances'):
        Discretiser("mdl").fit(X, np.where(np.arange(4) == np.arange(40)[:, None] % 4, np.nan, Y))


def test_a_feature_that_is_constant_where_the_label_is_known():
    X, Y = definitions.problem("cells", 40, 6, 4)
    X[:, 0] = np.isnan(Y[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("anova", "chi2"):
            assert definitions.make(name).fit(X, Y[:, [0]]).scores_[0] == 0
