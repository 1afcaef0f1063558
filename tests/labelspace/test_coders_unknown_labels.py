"""What label coders do with unknown labels; what they then compute is in tests/definitions."""

from __future__ import annotations

import definitions
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.labelspace import CodedClassifier, LabelStatistics
from mlreduce.labelspace.completion import complete_labels

CODERS = registry.method_names("labelspace")
every = pytest.mark.parametrize("name", CODERS)


@pytest.fixture
def problem():
    return definitions.problem("cells", 40, 6, 4)


def assert_same_code(coder, other, labels=slice(None)):
    """The same directions and the same codes of training rows, whose signs are decided."""
    size = other.n_components_
    np.testing.assert_allclose(coder.components_[:size, labels], other.components_, atol=1e-8)
    np.testing.assert_allclose(coder.mean_[labels], other.mean_, atol=1e-12)


@every
def test_every_coder_takes_them(name):
    assert registry.method_class(name).takes_unknown_cells


@every
def test_nothing_is_filled_in_where_all_labels_are_known(name, monkeypatch):
    X, Y = definitions.problem("labels", 40, 6, 4)
    monkeypatch.setattr("mlreduce.labelspace.completion.complete_labels", None)
    CodedClassifier(definitions.make(name)).fit(X, Y).predict(X)


@every
def test_a_label_that_is_known_nowhere_has_no_part_in_the_code(name, problem):
    X, Y = problem
    more, others = np.insert(Y, 1, np.nan, axis=1), [0, 2, 3, 4]
    size = {} if name == "br" else {"n_components": 3}
    with pytest.warns(UserWarning, match="y is NaN throughout column 1: such a label is ignored"):
        coder = definitions.make(name, **size).fit(X, more)
    assert not coder.components_[:, 1].any()
    without = definitions.make(name, **size).fit(X, Y)
    assert_same_code(coder, without, others)
    codes = coder.training_codes(more, X)
    np.testing.assert_allclose(codes, without.training_codes(Y, X), atol=1e-9)
    np.testing.assert_array_equal(coder.decode(codes), np.insert(without.decode(codes), 1, 0, axis=1))
    if name == "cssp":
        assert not set(coder.chosen_) - set(others)
    with pytest.warns(UserWarning, match="column 1"):
        model = CodedClassifier(definitions.make(name, **size), decision="half").fit(X, more)
    assert not model.predict(X)[:, 1].any()
    np.testing.assert_array_equal(
        model.predict(X)[:, others],
        CodedClassifier(definitions.make(name, **size), decision="half").fit(X, Y).predict(X),
    )


@every
def test_forms_of_labels(name, problem):
    X, Y = problem
    coder, signed = definitions.make(name).fit(X, Y), 2 * Y - 1
    for labels in (signed, pd.DataFrame(Y), pd.DataFrame(signed).astype("Int64"), sp.csr_array(Y), Y.tolist()):
        assert_same_code(definitions.make(name).fit(X, labels), coder)


@every
def test_a_classifier_of_codes_learns_from_labels_some_of_which_are_unknown(name):
    X, Y = definitions.problem("labels", 300, 6, 5)
    hidden = np.where(np.random.default_rng(0).random(Y.shape) < 0.4, np.nan, Y)
    train, test = slice(200), slice(200, None)
    errors = {}
    for what, labels in {"known": Y, "hidden": hidden, "zeros": np.nan_to_num(hidden)}.items():
        model = CodedClassifier(definitions.make(name), decision="half")
        errors[what] = (model.fit(X[train], labels[train]).predict(X[test]) != Y[test]).mean()
    assert errors["hidden"] < (errors["known"] + errors["zeros"]) / 2


@pytest.mark.parametrize("name", ["plst", "cssp", "mlc-bmad"])
def test_without_features_unknown_labels_are_their_means(name, problem):
    _, Y = problem
    coder = definitions.make(name).fit(None, Y)
    np.testing.assert_allclose(coder.mean_, np.nanmean(Y, axis=0))
    if name == "plst":
        filled = np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y)
        np.testing.assert_allclose(coder.training_codes(Y), coder.project(filled))
        Z = filled - filled.mean(axis=0)
        np.testing.assert_allclose(
            coder.components_ @ Z.T @ Z @ coder.components_.T, np.diag(coder.eigenvalues_), atol=1e-9
        )


def test_hidden_labels_are_found_again():
    X = np.random.default_rng(1).standard_normal((200, 5))
    Y = (X[:, :3] + 0.3 * X[:, 1:4] > 0).astype(float)
    known = np.random.default_rng(2).random(Y.shape) < 0.6
    filled = complete_labels(X, np.where(known, Y, np.nan), known)
    np.testing.assert_array_equal(filled[known], Y[known])
    assert ((filled >= 0) & (filled <= 1)).all()
    assert ((filled > 0.5) == Y)[~known].mean() > 0.9
    np.testing.assert_allclose(complete_labels(sp.csr_array(X), np.where(known, Y, 0), known), filled, atol=1e-9)


def test_statistics_of_labels_between_0_and_1():
    Y = np.array([[1, 0.25], [0, 0.5], [1, 1]])
    statistics = LabelStatistics.from_labels(Y)
    np.testing.assert_allclose(statistics.mean, Y.mean(axis=0))
    np.testing.assert_allclose(statistics.gram, 3 * np.cov(Y.T, bias=True))


def test_refusals(problem):
    X, Y = problem
    with pytest.raises(DataError, match="no label is known: all cells of y are NaN"):
        mlreduce.PLST().fit(X, np.full(Y.shape, np.nan))
    with pytest.raises(DataError, match="y is NaN in column"):
        mlreduce.PLST().fit(X, Y).encode(Y)


@pytest.mark.parametrize("name", ["plst", "cca-code", "faie", "kernel-cplst"])
def test_comparisons_fit_coders_to_known_labels_and_measure_these(name):
    data = mlreduce.load_dataset("planted-300")
    Y = np.where(np.random.default_rng(0).random(data.Y.shape) < 0.3, np.nan, data.Y)
    rows = [(np.arange(100, 300), np.arange(100)), (np.arange(200), np.arange(200, 300))]
    found = mlreduce.compare(
        data.X,
        Y,
        {name: {"method": name}},
        {"ridge": {"alpha": 1.0}},
        cv=rows,
        sizes=[50],
        measures=["hamming-loss", "micro-f1"],
        decision="half",
        scaling="none",
        progress=False,
    )
    assert found.failures.empty
    for split, (train, test) in enumerate(rows):
        coder = mlreduce.make(name).fit(data.X[train], Y[train])
        codes = coder.training_codes(Y[train], data.X[train])
        predicted = mlreduce.RidgeRegressor(alpha=1.0).fit(data.X[train], codes).predict(data.X[test])
        guess, scored = coder.decode(predicted[:, :6]), found.scores[found.scores["split"] == split]
        for measure, value in zip(scored["measure"], scored["value"], strict=True):
            assert value == pytest.approx(mlreduce.metrics.evaluate(measure, Y[test], guess), abs=1e-9)
