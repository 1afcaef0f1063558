"""Decisions in comparisons are those of classifiers that are fitted and asked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from skmultilearn.problem_transform import BinaryRelevance

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.metrics import evaluate
from mlreduce.predictors.decision import DECISIONS
from mlreduce.predictors.threshold import ThresholdClassifier

TRAIN, TEST = np.arange(60), np.arange(60, 90)
QUICK = {"cv": [(TRAIN, TEST)], "sizes": [30], "measures": ["micro-f1", "hamming-loss"], "scaling": "none"}


def expected(data, model, columns=slice(None)):
    predicted = model.fit(data.X[TRAIN][:, columns], data.Y[TRAIN]).predict(data.X[TEST][:, columns])
    return [evaluate(measure, data.Y[TEST], predicted) for measure in QUICK["measures"]]


def found(data, method, predictor, **options):
    scores = mlreduce.compare(data.X, data.Y, [method], {"one": predictor}, **QUICK, **options).scores
    return scores.set_index("measure")["value"][QUICK["measures"]]


@pytest.mark.parametrize("rule", DECISIONS)
@pytest.mark.parametrize(
    ("predictor", "by_hand"),
    [
        (mlreduce.RidgeRegressor(3.0), ThresholdClassifier(mlreduce.RidgeRegressor(3.0))),
        ("ml-knn", mlreduce.MLKNN()),
        ("br-knn", mlreduce.BinaryRelevanceKNN()),
        ("mlnb", mlreduce.MLNB()),
        (Ridge(), ThresholdClassifier(Ridge())),
        (KNeighborsClassifier(3), ThresholdClassifier(KNeighborsClassifier(3))),
    ],
    ids=["ridge", "ml-knn", "br-knn", "mlnb", "sklearn-ridge", "sklearn-knn"],
)
@pytest.mark.rotating
def test_of_predictors_on_features(data, predictor, by_hand, rule):
    own = found(data, "all-features", predictor, decision=rule)
    np.testing.assert_allclose(own, expected(data, by_hand.set_params(decision=rule)), atol=1e-12)


def test_of_predictors_on_some_features(data):
    best = np.argsort(mlreduce.MLFS(k=10).fit(data.X[TRAIN], data.Y[TRAIN]).ranking_)[:3]
    ridge = mlreduce.RidgeRegressor(3.0)
    np.testing.assert_allclose(found(data, "mlfs", ridge), expected(data, ThresholdClassifier(ridge), best), atol=1e-12)
    np.testing.assert_allclose(found(data, "mlfs", "ml-knn"), expected(data, mlreduce.MLKNN(), best), atol=1e-12)


@pytest.mark.parametrize("rule", DECISIONS)
@pytest.mark.parametrize(("name", "size"), [("cplst", 2), ("plst", 3), ("br", 5)])
@pytest.mark.parametrize(
    "regressor", [mlreduce.RidgeRegressor(3.0), mlreduce.LinearRegressor()], ids=["ridge", "linear"]
)
@pytest.mark.rotating
def test_of_label_coders(data, name, size, regressor, rule):
    coder = mlreduce.make(name, n_components=size)
    options = QUICK | {"sizes": [20 * size], "decision": rule}
    scores = mlreduce.compare(data.X, data.Y, [name], {"one": regressor}, **options).scores
    own = scores.set_index("measure")["value"][QUICK["measures"]]
    np.testing.assert_allclose(own, expected(data, mlreduce.CodedClassifier(coder, regressor, rule)), atol=1e-12)


def test_labels_that_a_code_leaves_out_have_the_score_zero_or_their_frequency(data):
    coder = mlreduce.PBR(n_components=2, random_state=0)
    model = mlreduce.CodedClassifier(coder, decision="half").fit(data.X, data.Y)
    learned = model.predict_scores(data.X).any(axis=0)
    assert np.count_nonzero(learned) == 2
    scores = mlreduce.CodedClassifier(coder).fit(data.X, data.Y).predict_scores(data.X)
    np.testing.assert_allclose(scores[:, ~learned], np.tile(data.Y[:, ~learned].mean(axis=0), (len(scores), 1)))


def test_a_classifier_has_its_own_decision(data):
    own = mlreduce.MLKNN(decision="per-label", measure="macro-f1")
    np.testing.assert_allclose(found(data, "all-features", own, decision="half"), expected(data, own), atol=1e-12)


@pytest.mark.parametrize("predictor", ["pcut", BinaryRelevance(LinearSVC(random_state=0))], ids=["pcut", "svc"])
def test_what_has_no_scores_decides_itself(data, predictor):
    half, other = (found(data, "all-features", predictor, decision=rule) for rule in ("half", "one-threshold"))
    np.testing.assert_array_equal(half, other)


def test_the_page_says_which(data, tmp_path):
    comparison = mlreduce.compare(data.X, data.Y, ["pca"], ["ridge"], **QUICK, decision="cardinality")
    assert comparison.settings["decision"] == "cardinality"
    page = comparison.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Decision from scores to labels: cardinality." in page
    with pytest.raises(DataError, match="unknown decision 'treshold'"):
        mlreduce.compare(data.X, data.Y, ["pca"], ["ridge"], **QUICK, decision="treshold")
