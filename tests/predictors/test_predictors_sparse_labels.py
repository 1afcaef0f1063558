"""Sparse labels give what dense labels give, in blocks of rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.metrics.measures import Measure
from mlreduce.predictors._base import LabelClassifier
from mlreduce.predictors.decision import DECISIONS, Decision
from mlreduce.predictors.threshold import ThresholdClassifier

N_TRAIN, N_TEST, N_LABELS = 90, 30, 50


def problem(name=None):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_TRAIN + N_TEST, 8))
    scores = X @ rng.standard_normal((8, N_LABELS)) + rng.standard_normal((N_TRAIN + N_TEST, N_LABELS))
    Y = (scores > np.linspace(1, 8, N_LABELS)).astype(int)
    return X[:N_TRAIN], Y[:N_TRAIN, :: 4 if name == "LIFT" else 1], X[N_TRAIN:]  # which clusters rows for each label


CLASSES = {name: getattr(mlreduce, name) for name in registry.class_names("predictors")}
CLASSIFIERS = sorted(name for name, cls in CLASSES.items() if issubclass(cls, LabelClassifier))
REGRESSORS = sorted(set(CLASSES) - set(CLASSIFIERS))
WRAPPED = {
    "ridge": lambda **rest: ThresholdClassifier(**rest),
    "linear": lambda **rest: ThresholdClassifier(mlreduce.LinearRegressor(), **rest),
    "neighbours": lambda **rest: ThresholdClassifier(mlreduce.MLKNN(), **rest),
    "another package's regressor": lambda **rest: ThresholdClassifier(Ridge(), **rest),
    "another package's classifier": lambda **rest: ThresholdClassifier(KNeighborsClassifier(), **rest),
}


QUICK = {
    "LEML": {"n_components": 5, "penalty": 1.0},
    "SLEEC": {"n_components": 5, "n_neighbors": 10, "tol": 0.1},
    "RAkEL": {"overlapping": False, "random_state": 0},
    "LIFT": {"estimator": GaussianNB(), "random_state": 0},
    "LabelPowerset": {"random_state": 0},
    "LabelTreeClassifier": {"max_leaf": 8, "beam_size": 5, "random_state": 0},
}


def made(name, **rest):
    return WRAPPED[name](**rest) if name in WRAPPED else CLASSES[name](**QUICK.get(name, {}), **rest)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Some rows or columns at once, so that there are several blocks, and sparse targets that stay so."""
    monkeypatch.setattr("mlreduce.validation.features.DENSE_CELLS", 0)
    monkeypatch.setattr("mlreduce.linalg.distances._BLOCK_BYTES", 8 * 5 * N_LABELS)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize("name", CLASSIFIERS + sorted(WRAPPED))
@pytest.mark.rotating
def test_classifiers_predict_the_same(name):
    X, Y, X_test = problem(name)
    decisions = ["half", "one-threshold", "top-k"] if hasattr(made(name), "decision") else [None]
    decisions = decisions[1:2] if name in QUICK else decisions  # all classes decide alike, after some fits
    for decision in decisions:
        rest = {} if decision is None else {"decision": decision}
        dense, rare = made(name, **rest).fit(X, Y), made(name, **rest).fit(X, sp.csr_array(Y))
        predicted = rare.predict(X_test)
        assert isinstance(predicted, sp.csr_array)
        assert predicted.dtype == np.int64
        np.testing.assert_array_equal(predicted.toarray(), dense.predict(X_test))
        if decision is not None:
            np.testing.assert_allclose(rare.predict_scores(X_test), dense.predict_scores(X_test), atol=1e-9)
            np.testing.assert_allclose(rare.thresholds_, dense.thresholds_, atol=1e-8)
            assert rare.k_ == dense.k_


@pytest.mark.parametrize("name", ["MajorityLabels", "MLKNN", "FisherClassifier", *sorted(WRAPPED)])
def test_held_out_scores_are_the_same(name):
    X, Y, _ = problem()
    dense, rare = (made(name)._fit_half(X, labels) for labels in (Y, sp.csr_array(Y)))
    np.testing.assert_allclose(rare, dense, atol=1e-9)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors_predict_the_same(name):
    X, Y, X_test = problem()
    dense, rare = (made(name).fit(X, targets).predict(X_test) for targets in (Y, sp.csr_array(Y)))
    np.testing.assert_allclose(rare, dense, atol=1e-9)


@pytest.mark.parametrize("alpha", ["loo", "gcv", 1.0])
@pytest.mark.parametrize("shape", [(90, 8), (30, 50), (130, 70)])
@pytest.mark.rotating
def test_ridge_chooses_the_same_penalty(alpha, shape, monkeypatch):
    rng = np.random.default_rng(1)
    X, Y = sp.random_array(shape, density=0.3, rng=rng, format="csr"), rng.random((shape[0], N_LABELS)) < 0.1
    for side in (6000, 60):  # by iteration, where both sides are beyond the second
        monkeypatch.setattr("mlreduce.linalg.lsqr.DENSE_SIDE", side)
        dense, rare = (mlreduce.RidgeRegressor(alpha).fit(X, targets) for targets in (Y * 1.0, sp.csr_array(Y * 1.0)))
        assert rare.penalty_ == pytest.approx(dense.penalty_, rel=1e-12)
        np.testing.assert_allclose(rare.coef_, dense.coef_, atol=1e-9)
        np.testing.assert_allclose(rare.intercept_, dense.intercept_, atol=1e-9)
        if alpha != 1.0:
            # At a small penalty rounding errors grow by the condition of the system.
            rounding = np.finfo(float).eps * rare.penalties_.max() / (1e3 * rare.penalties_)
            assert (np.abs(rare.errors_ - dense.errors_) <= np.maximum(1e-9, rounding) * dense.errors_).all()


@pytest.mark.parametrize("name", [*(name for name in CLASSIFIERS if hasattr(CLASSES[name], "predict_top")), "ridge"])
@pytest.mark.rotating
def test_the_best_labels_are_those_of_the_scores(name):
    X, Y, X_test = problem(name)
    model = made(name).fit(X, sp.csr_array(Y))
    scores = model.predict_scores(X_test)
    for k in (1, 5, N_LABELS + 1):
        top, kept = model.predict_top(X_test, k=k), min(k, Y.shape[1])
        order = np.argsort(-scores.round(9), axis=1, kind="stable")[:, :kept]
        np.testing.assert_array_equal(top.indptr, np.arange(N_TEST + 1) * kept)
        np.testing.assert_array_equal(top.indices.reshape(N_TEST, kept), np.sort(order, axis=1))
        # Products of a block round otherwise than those of all rows.
        np.testing.assert_allclose(top.data, np.take_along_axis(scores, np.sort(order, axis=1), 1).ravel(), atol=1e-12)
    np.testing.assert_array_equal(made(name).fit(X, Y).predict_top(X_test).indices, model.predict_top(X_test).indices)
    with pytest.raises(DataError, match="k must be"):
        model.predict_top(X_test, k=0)


def test_scores_beyond_the_memory_are_refused_with_what_fits(monkeypatch):
    X, Y, X_test = problem()
    model, scorer = mlreduce.MLKNN().fit(X, sp.csr_array(Y)), mlreduce.FisherClassifier().fit(X, sp.csr_array(Y))
    regressor = mlreduce.RidgeRegressor().fit(X, sp.csr_array(Y * 1.0))
    monkeypatch.setattr("mlreduce.validation.memory.memory_left", lambda: (1000.0, "a test"))
    monkeypatch.setattr("mlreduce.validation.memory.SMALL_BYTES", 0)
    for call in (model.predict_scores, model.predict_proba, scorer.decision_function, regressor.predict):
        with pytest.raises(DataError, match=r"needs about 1\.2e-05 GB of memory.*predict_top"):
            call(X_test)
    assert model.predict_top(X_test).nnz == 5 * N_TEST
    assert model.predict(X_test).shape == (N_TEST, N_LABELS)


MEASURES = ("micro-f1", "macro-f1", "instance-f1", "hamming-loss", "subset-accuracy", "micro-recall", "macro-precision")


@given(st.integers(0, 10**6), st.sampled_from(DECISIONS[1:]), st.sampled_from(MEASURES), st.integers(1, 30))
def test_thresholds_are_those_of_all_scores(seed, rule, measure, kept):
    """However few scores of a row are kept at first; per label those of the kept ones."""
    rng = np.random.default_rng(seed)
    n, q = rng.integers(1, 40), 30
    labels = (rng.random((n, q)) < 0.4 / np.arange(1, q + 1) ** 0.7).astype(float)
    scores = (0.5 * rng.random((n, q)) + 0.5 * labels * rng.random((n, q))).round(rng.integers(1, 6))

    def blocks():
        for start in range(0, n, 7):
            yield slice(start, start + 7), scores[start : start + 7]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mlreduce.predictors.decision._STORED", kept)
        patch.setattr("mlreduce.predictors.decision._TIMES", 0)
        patch.setattr("mlreduce.predictors.decision._FEW", 2)
        rare = Decision.from_blocks(rule, measure, blocks, sp.csr_array(labels))
        dense = Decision.from_scores(rule, measure, scores, labels)
    if rule != "per-label" or rare.k == q:
        np.testing.assert_array_equal(rare.thresholds, dense.thresholds)
        assert rare.k == dense.k
    else:
        few = labels.sum(axis=0) < 2
        np.testing.assert_array_equal(rare.thresholds[few], dense.thresholds[few])
        predicted = rare.apply(scores)
        assert predicted.sum(axis=1).max() <= rare.k


def test_thresholds_per_label_are_the_best_among_the_kept_labels(monkeypatch):
    rng = np.random.default_rng(0)
    labels = (rng.random((300, 40)) < 0.1).astype(float)
    scores = 0.6 * rng.random(labels.shape) + 0.4 * labels * rng.random(labels.shape)
    monkeypatch.setattr("mlreduce.predictors.decision._STORED", 8)
    monkeypatch.setattr("mlreduce.predictors.decision._TIMES", 0)
    decision = Decision.from_blocks("per-label", "macro-f1", lambda: [(slice(None), scores)], sp.csr_array(labels))
    assert decision.k < 40
    among = np.argsort(np.argsort(-scores, axis=1), axis=1) < decision.k
    for label in np.flatnonzero(labels.sum(axis=0) >= 10):
        true, own = labels[:, label] == 1, np.where(among[:, label], scores[:, label], -1)

        def f1(cut, true=true, own=own):
            return 2 * np.count_nonzero(true & (own > cut)) / (np.count_nonzero(own > cut) + np.count_nonzero(true))

        assert f1(decision.thresholds[label]) == pytest.approx(max(f1(cut) for cut in (*own, -0.5)))


def test_measures_that_a_script_declares_take_dense_labels(monkeypatch):
    declared = Measure("own", "", True, "labels", lambda outcome: 0.0)
    monkeypatch.setitem(mlreduce.metrics.MEASURES._declared, "own", declared)
    X, Y, _ = problem()
    with pytest.raises(DataError, match=r"labels\.toarray\(\)"):
        mlreduce.MLKNN(measure="own").fit(X, sp.csr_array(Y))
