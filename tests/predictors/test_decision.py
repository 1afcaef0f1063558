"""Decisions are the best by brute force over all cuts, from scores of models that have not seen the row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from quick import quick
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier

import mlreduce
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.metrics import MEASURES, Outcome, find_measure
from mlreduce.metrics.measures import Measure
from mlreduce.predictors.decision import DECISIONS, Decision
from mlreduce.predictors.threshold import ThresholdClassifier

OF_LABELS = sorted(name for name, declared in MEASURES.items() if declared.needs == "labels")
CLASSIFIERS = {
    "br-knn": mlreduce.BinaryRelevanceKNN(),
    "cc-knn": mlreduce.ClassifierChainKNN(),
    "ml-knn": mlreduce.MLKNN(n_neighbors=4),
    "mlnb": mlreduce.MLNB(),
    "flda": mlreduce.FisherClassifier(),
    "leml": mlreduce.make("leml", **quick("leml")),
    "sleec": mlreduce.make("sleec", **quick("sleec")),
    "majority-labels": mlreduce.MajorityLabels(),
    "rakel": mlreduce.RAkEL(random_state=0),
    "lift": mlreduce.LIFT(random_state=0),
    "coded": mlreduce.CodedClassifier(),
    "ridge": ThresholdClassifier(),
    "kernel-ridge": ThresholdClassifier(mlreduce.KernelRidgeRegressor()),
}


def problem(n=60, d=6, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    Y = (X @ rng.standard_normal((d, q)) + rng.standard_normal((n, q)) > np.linspace(-0.5, 2, q)).astype(int)
    Y[:2] = [[1], [0]]
    return X, Y


def goodness(name, labels, predicted):
    declared = find_measure(name)
    value = declared(Outcome(labels, predicted.astype(np.int8)))
    return value if declared.higher_is_better else -value


tables = st.tuples(st.integers(1, 9), st.integers(1, 5), st.integers(0, 10**6))


def drawn(table):
    n, q, seed = table
    rng = np.random.default_rng(seed)
    return rng.integers(0, 7, (n, q)) / 6, (rng.random((n, q)) < 0.4).astype(np.int8)


@given(tables, st.sampled_from(OF_LABELS))
def test_no_other_threshold_is_better(table, name):
    scores, labels = drawn(table)
    decision = Decision.from_scores("one-threshold", name, scores, labels)
    best = max(goodness(name, labels, scores > cut) for cut in (-1, *np.unique(scores)))
    assert goodness(name, labels, decision.apply(scores)) == pytest.approx(best, abs=1e-12)
    assert len(set(decision.thresholds)) == 1


@given(tables, st.sampled_from(OF_LABELS))
def test_no_other_number_of_labels_is_better(table, name):
    scores, labels = drawn(table)
    decision = Decision.from_scores("top-k", name, scores, labels)
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1)
    best = max(goodness(name, labels, ranks < k) for k in range(labels.shape[1] + 1))
    np.testing.assert_array_equal(decision.apply(scores), ranks < decision.k)
    assert goodness(name, labels, decision.apply(scores)) == pytest.approx(best, abs=1e-12)


@given(
    st.tuples(st.integers(1, 7), st.integers(1, 3), st.integers(0, 10**6)), st.sampled_from(["micro-f1", "macro-f1"])
)
def test_no_other_thresholds_of_the_labels_are_better(table, name):
    scores, labels = drawn(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mlreduce.predictors.decision._FEW", 0)
        decision = Decision.from_scores("per-label", name, scores, labels)
    cuts = np.array(np.meshgrid(*[[-1, *np.unique(column)] for column in scores.T])).reshape(scores.shape[1], -1).T
    best = max(goodness(name, labels, scores > cut) for cut in cuts)
    assert goodness(name, labels, decision.apply(scores)) == pytest.approx(best, abs=1e-12)


def test_labels_with_few_positives_have_the_common_threshold():
    rng = np.random.default_rng(0)
    labels = (rng.random((200, 6)) < [0.3, 0.2, 0.3, 0.02, 0.01, 0]).astype(np.int8)
    scores = 0.3 * labels + rng.random((200, 6)) * [0.5, 1, 0.3, 0.5, 0.5, 0.5]
    own, common = (
        Decision.from_scores(rule, "micro-f1", scores, labels).thresholds for rule in ("per-label", "one-threshold")
    )
    assert (labels.sum(axis=0) >= 10).tolist() == [True] * 3 + [False] * 3
    assert ((own == common) == (labels.sum(axis=0) < 10)).all()


@given(tables)
def test_as_many_labels_as_the_training_rows_have(table):
    scores, labels = drawn(table)
    predicted = Decision.from_scores("cardinality", "micro-f1", scores, labels).apply(scores).sum()
    possible = [np.count_nonzero(scores > cut) for cut in (-1, *np.unique(scores))]
    assert abs(predicted - labels.sum()) == min(abs(number - labels.sum()) for number in possible)


@given(tables, st.sampled_from(DECISIONS), st.sampled_from(["micro-f1", "macro-f1", "instance-f1", "hamming-loss"]))
def test_unknown_labels_count_nowhere(table, rule, name):
    """Whatever they are; and one that is known of no row changes nothing for the others."""
    scores, labels = drawn(table)
    known = np.random.default_rng(table[2] + 1).random(labels.shape) < 0.7
    first, second = (
        Decision.from_scores(rule, name, scores, np.where(known, labels, other), known) for other in (0, 1)
    )
    np.testing.assert_array_equal(first.apply(scores), second.apply(scores))
    whole, none = Decision.from_scores(rule, name, scores, labels), np.ones_like(known)
    for one, other in zip(whole[1:], Decision.from_scores(rule, name, scores, labels, none)[1:], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("rule", DECISIONS[1:])
def test_rounding_errors_decide_nothing(rule):
    scores, labels = drawn((40, 5, 3))
    noise = 1e-13 * np.random.default_rng(0).standard_normal(scores.shape)
    own, other = (Decision.from_scores(rule, "micro-f1", table, labels) for table in (scores, scores + noise))
    np.testing.assert_array_equal(own.thresholds, other.thresholds)
    np.testing.assert_array_equal(own.apply(scores), other.apply(scores - noise))
    for threshold in own.thresholds[np.isfinite(own.thresholds)]:  # midway between two scores, above all, or below
        below, above = scores[scores <= threshold].max(initial=-np.inf), scores[scores > threshold].min(initial=np.inf)
        if np.isfinite(below):
            assert threshold == pytest.approx((below + above) / 2 if np.isfinite(above) else below, abs=1e-8)


def test_a_declared_measure_is_maximised_over_some_thresholds(monkeypatch):
    def few(outcome):
        return float((outcome.labels & outcome.predicted).sum() - 0.6 * outcome.predicted.sum())

    monkeypatch.setitem(MEASURES._declared, "few-labels-right", Measure("few-labels-right", "", True, "labels", few))
    scores, labels = drawn((50, 4, 1))  # seven scores, all of which are tried
    decision = Decision.from_scores("one-threshold", "few-labels-right", scores, labels)
    best = max(goodness("few-labels-right", labels, scores > cut) for cut in (-1, *np.unique(scores)))
    assert goodness("few-labels-right", labels, decision.apply(scores)) == pytest.approx(best)


def left_out(model, X, Y):
    """Scores of each row by the model fitted on the others."""
    rows = [np.arange(len(Y)) != row for row in range(len(Y))]
    half = clone(model).set_params(decision="half")
    return np.vstack([clone(half).fit(X[rest], Y[rest]).predict_scores(X[~rest]) for rest in rows])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", ["br-knn", "cc-knn", "majority-labels"])
def test_scores_are_those_of_leaving_out_each_row(name, form):
    X, Y = problem(30)
    model = clone(CLASSIFIERS[name]).set_params(decision="one-threshold")
    expected = Decision.from_scores("one-threshold", "micro-f1", left_out(model, form(X), Y), Y)
    np.testing.assert_array_equal(model.fit(form(X), Y).thresholds_, expected.thresholds)
    np.testing.assert_allclose(clone(model)._fit_half(form(X), Y), left_out(model, form(X), Y), atol=1e-12)


@pytest.mark.parametrize("regressor", [mlreduce.RidgeRegressor(2.0), mlreduce.KernelRidgeRegressor(0.1, 0.5)])
def test_scores_of_ridge_are_those_of_leaving_out_each_row(regressor):
    X, Y = problem(30)
    model = ThresholdClassifier(regressor)
    np.testing.assert_allclose(clone(model)._fit_half(X, Y), left_out(model, X, Y), atol=1e-9)


def test_scores_of_codes_are_those_of_leaving_out_each_row_of_the_regressor():
    X, Y = problem(30)
    coder = mlreduce.PLST(n_components=2).fit(X, Y)
    codes, rows = coder.encode(Y), [np.arange(30) != row for row in range(30)]
    predicted = np.vstack([mlreduce.RidgeRegressor(2.0).fit(X[rest], codes[rest]).predict(X[~rest]) for rest in rows])
    model = mlreduce.CodedClassifier(mlreduce.PLST(n_components=2), mlreduce.RidgeRegressor(2.0))
    np.testing.assert_allclose(model._fit_half(X, Y), coder.reconstruct(predicted) + Y.mean(axis=0), atol=1e-9)


def test_ml_knn_takes_a_row_out_of_frequencies_and_counts_but_not_from_its_neighbours():
    X, Y = problem(30)
    model = mlreduce.MLKNN(n_neighbors=4, pseudocount=0.7)
    found, k, s = model._fit_half(X, Y), 4, 0.7
    distances = np.square(X[:, None] - X[None]).sum(axis=2) + np.diag(np.full(30, np.inf))
    votes = Y[np.argsort(distances, axis=1, kind="stable")[:, :k]].sum(axis=1)
    for row in range(30):
        rest = np.arange(30) != row
        for label in range(4):
            own, other = Y[rest, label] == 1, votes[rest, label] == votes[row, label]
            prior = (s + own.sum()) / (2 * s + 29)
            yes = prior * (s + (own & other).sum()) / (s * (k + 1) + own.sum())
            no = (1 - prior) * (s + (~own & other).sum()) / (s * (k + 1) + (~own).sum())
            assert found[row, label] == pytest.approx(yes / (yes + no), abs=1e-12)


@pytest.mark.parametrize(
    "estimator",
    [
        Ridge(),
        mlreduce.LinearRegressor(),
        mlreduce.MLNB(),
        MultiOutputClassifier(LogisticRegression()),
        OneVsRestClassifier(LogisticRegression()),
        RandomForestClassifier(n_estimators=5, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_other_scores_are_of_three_folds(estimator):
    X, Y = problem()
    model = ThresholdClassifier(estimator).fit(X, Y)
    scores = np.empty(Y.shape)
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        scores[test] = ThresholdClassifier(estimator, "half").fit(X[train], Y[train]).predict_scores(X[test])
    expected = Decision.from_scores("one-threshold", "micro-f1", scores, Y)
    np.testing.assert_array_equal(model.thresholds_, expected.thresholds)
    np.testing.assert_array_equal(model.predict(X), expected.apply(model.predict_scores(X)))
    plain = clone(estimator).fit(X, Y).predict(X)
    own = ThresholdClassifier(estimator, "half").fit(X, Y).predict(X)
    np.testing.assert_array_equal(own, plain > 0.5 if hasattr(estimator, "score") and plain.dtype == float else plain)


@pytest.mark.parametrize("rule", DECISIONS)
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.rotating
def test_each_classifier_has_each_decision(name, rule):
    X, Y = problem()
    model = clone(CLASSIFIERS[name]).set_params(decision=rule, measure="macro-f1").fit(X, Y)
    scores, predicted = model.predict_scores(X), model.predict(X)
    np.testing.assert_array_equal(predicted, Decision(rule, model.thresholds_, model.k_).apply(scores))
    if rule == "half":
        np.testing.assert_array_equal(predicted, scores > 0.5 + 1e-9)
    if rule == "top-k":
        assert predicted.sum(axis=1).max() == model.k_
    elif hasattr(model, "decision_function"):
        np.testing.assert_array_equal(model.decision_function(X) > 0, predicted)
    half = clone(model).set_params(decision="half").fit(X, Y)
    np.testing.assert_array_equal(half.predict_scores(X), scores)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.rotating
def test_one_label_and_tables(name):
    X, Y = problem()
    model = clone(CLASSIFIERS[name]).set_params(decision="one-threshold")
    single, column = clone(model).fit(X, Y[:, 0]), clone(model).fit(X, Y[:, :1])
    assert single.predict(X).shape == (60,)
    np.testing.assert_array_equal(single.predict(X), column.predict(X)[:, 0])
    table = pd.DataFrame(Y, columns=list("abcd"))
    named = clone(model).fit(pd.DataFrame(X).add_prefix("f"), table)
    predicted = named.predict_labels(pd.DataFrame(X).add_prefix("f"), as_frame=True)
    pd.testing.assert_frame_equal(predicted, pd.DataFrame(clone(model).fit(X, Y).predict(X), columns=list("abcd")))


def test_leml_decides_by_the_known_labels():
    X, Y = problem()
    known = np.random.default_rng(1).random(Y.shape) < 0.7
    model = mlreduce.LEML(decision="one-threshold").fit(X, np.where(known, Y, np.nan))
    scores = np.empty(Y.shape)
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        own = mlreduce.LEML().fit(X[train], np.where(known, Y, np.nan)[train])
        scores[test] = own.predict_scores(X[test])
    np.testing.assert_array_equal(
        model.thresholds_, Decision.from_scores("one-threshold", "micro-f1", scores, Y, known).thresholds
    )


@pytest.mark.parametrize(
    ("own", "error", "said"),
    [
        ({"decision": "one-treshold"}, DataError, "unknown decision 'one-treshold'.*one-threshold"),
        ({"measure": "micro-f"}, ConfigurationError, "micro-f1"),
        ({"measure": "ranking-loss"}, DataError, "a decision does not change ranking-loss.*take micro-f1"),
    ],
)
def test_impossible_decisions(own, error, said):
    with pytest.raises(error, match=said):
        mlreduce.MLKNN().set_params(**own).fit(*problem())


@pytest.mark.parametrize("estimator", [Ridge, "ridge", mlreduce.PCA()])
def test_what_scores_no_labels_is_refused(estimator):
    with pytest.raises(DataError, match="estimator must be a regressor, or a classifier with predict_scores"):
        ThresholdClassifier(estimator).fit(*problem())


@pytest.mark.parametrize("model", ["ridge", "ml-knn", "br-knn", "cc-knn"])
@pytest.mark.parametrize("collinear", [False, True])
def test_held_out_scores_of_nested_sizes_are_those_of_each_size(model, collinear):
    X, Y = problem(40)
    X[:, 5] = X[:, 0] if collinear else X[:, 5]
    own = mlreduce.make(model, **({"alpha": 1e-13 if collinear else 2.0} if model == "ridge" else {}))
    for size, (held_out, guess) in zip(
        (2, 4, 6), own._nested_left_out(X[:30], Y[:30].astype(float), X[30:], [2, 4, 6]), strict=True
    ):
        alone = ThresholdClassifier(own) if model == "ridge" else clone(own)
        expected = alone._fit_half(X[:30, :size], Y[:30])
        np.testing.assert_allclose(held_out, expected, atol=1e-6)
        np.testing.assert_allclose(guess, alone.predict_scores(X[30:, :size]), atol=1e-6)
