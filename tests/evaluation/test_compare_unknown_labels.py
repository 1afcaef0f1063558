"""The loop and `mlreduce.compare` where some labels are unknown."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

import mlreduce
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import FAILURE_COLUMNS, FailedCellWarning
from mlreduce.evaluation.loop import Experiment
from mlreduce.evaluation.scores import as_table
from mlreduce.evaluation.splitting import three_parts
from mlreduce.exceptions import ConfigurationError
from mlreduce.metrics import evaluate

NAN = np.nan
MEASURES = ["micro-f1", "hamming-loss", "macro-f1", "ranking-loss"]


@pytest.fixture
def partly(rng):
    """Labels of which a fifth is unknown, of some instances all."""
    data = mlreduce.load_dataset("planted-300")
    Y = np.where(rng.random(data.Y.shape) < 0.2, NAN, data.Y)
    Y[::20] = NAN
    return data.X, Y


def run(X, Y, methods, predictors=("ridge", "ml-knn"), **options):
    options = {"cv": 3, "sizes": [20], "measures": MEASURES, "decision": "half", "progress": False} | options
    return mlreduce.compare(X, Y, methods, predictors, **options)


def test_scores_are_those_of_known_labels(partly):
    X, Y = partly
    rows = [(np.arange(100, 300), np.arange(100)), (np.arange(200), np.arange(200, 300))]
    predictors = {"ridge": {"alpha": 10.0}, "ml-knn": {}}
    found = run(X, Y, ["mddmp", "pca", "all-features"], predictors, cv=rows, scaling="none")
    assert found.failures.empty
    assert set(found.scores["method"]) == {"mddmp", "pca", "all-features"}
    assert found.settings["data"]["unknown"] == np.isnan(Y).mean()
    for split, (train, test) in enumerate(rows):
        scored = found.scores[(found.scores["predictor"] == "ridge") & (found.scores["split"] == split)]
        for method, columns in (("mddmp", 6), ("all-features", 30)):
            reduction = mlreduce.make(method)
            parts = reduction.fit(X[train], Y[train]).transform(X[train]), reduction.transform(X[test])
            parts = [part[:, :columns] for part in parts]
            scores = mlreduce.make("ridge", alpha=10.0).fit(parts[0], Y[train]).predict(parts[1])
            own = scored[scored["method"] == method]
            for measure, value in zip(own["measure"], own["value"], strict=True):
                guess = scores if measure == "ranking-loss" else (scores > 0.5).astype(int)
                assert value == pytest.approx(evaluate(measure, Y[test], guess), abs=1e-9), (method, measure)


def test_what_needs_all_labels_is_left_out_and_named(partly):
    X, Y = partly
    with pytest.warns(UserWarning, match=r"left out, .* unknown \(NaN\): mlda, rcca, sleec\. .*unknown_labels="):
        found = run(X, Y, ["pca", "mlda", "rcca"], ["ridge", "sleec"])
    assert found.failures.empty
    assert list(found.settings["methods"]) == ["pca"]
    assert list(found.settings["predictors"]) == ["ridge"]
    with pytest.raises(ConfigurationError, match=r"the methods to compare need all: mlda\. mlreduce"):
        run(X, Y, ["mlda"])
    with pytest.raises(ConfigurationError, match=r"the predictors to compare need all: cc-knn\. mlreduce"):
        run(X, Y, ["pca"], ["cc-knn"])


@pytest.mark.slow
def test_the_defaults_run(partly, tmp_path):
    """Thresholds are chosen on known labels."""
    X, Y = partly
    with pytest.warns(UserWarning, match="left out"):
        found = mlreduce.compare(X, Y, cv=2, sizes=[20], progress=False)
    assert found.failures.empty
    assert {"all-features", "random-projection", "pca", "pls", "mvmd"} <= set(found.scores["method"])
    assert set(found.scores["predictor"]) == {"ridge", "ml-knn"}
    found.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"<p>{np.isnan(Y).mean():.1%} of the labels are unknown; the others are measured.</p>" in page


def test_whole_rows_unknown(partly):
    """Semi-supervised methods take rows without labels; such rows test nothing."""
    X, Y = partly
    whole = np.where(np.isnan(Y).all(axis=1, keepdims=True), NAN, mlreduce.load_dataset("planted-300").Y)
    found = run(X, whole, {"semi": {"method": "semi-supervised", "supervised_part": "mddmp"}, "ssmmc": {}}, ["ridge"])
    assert found.failures.empty
    assert set(found.scores["method"]) == {"semi", "ssmmc"}


def test_a_method_that_cannot_fails_by_its_own_sentence(partly):
    """As in studies: what other packages make of NaN shows when they are fitted."""
    X, Y = partly
    methods = {"theirs": PCA(6), "rows": {"method": "ssmmc"}, "propagated": {"method": "ml-lgc"}}
    with pytest.warns(UserWarning, match="evaluations failed, the first: rows with ridge on fold 1"):
        found = run(X, Y, methods, ["ridge"])
    assert set(found.scores["method"]) == {"theirs", "propagated"}
    assert found.failures["message"].str.contains("is NaN in part").all()


def test_no_known_label_to_test_on(partly):
    X, Y = partly
    Y[:100] = NAN
    rows = [(np.arange(100, 300), np.arange(100)), (np.arange(200), np.arange(200, 300))]
    with pytest.warns(UserWarning, match="no label of the instances to predict is known"):
        found = run(X, Y, ["pca"], ["ridge"], cv=rows)
    assert set(found.scores["split"]) == {1}


def test_all_labels_known_give_the_same_scores_in_any_type():
    data = mlreduce.load_dataset("planted-300")
    expected = run(data.X, data.Y, ["mddmp", "mlda"]).scores
    as_floats = MultiLabelData(data.X, data.Y.astype(float), data.feature_names, data.label_names, data.name)
    assert run(as_floats, None, ["mddmp", "mlda"]).scores.equals(expected)


def test_parts_are_dealt_by_known_labels(rng):
    Y = (rng.random((40, 3)) < 0.4).astype(float)
    unknown = rng.random(Y.shape) < 0.3
    parts = [three_parts(labels, np.random.default_rng(0)) for labels in (np.where(unknown, NAN, Y), Y * ~unknown)]
    for found, expected in zip(*parts, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_relation_features_need_known_labels(partly):
    X, Y = partly
    data = MultiLabelData(X, Y, list(map(str, range(30))), list(map(str, range(12))), "partly")
    task = {"protocol": "p", "group": "g", "rule": {"folds": 3}, "splits": (0, 0), "methods": {"pca": {}, "ml-grf": {}}}
    settings = {"family": "projection", "space": {"scaling": "none", "relation": "euclidean"}, "tasks": [task]}
    fitted = {}
    with pytest.warns(FailedCellWarning, match="pca failed"):
        _, failed = Experiment("s", data, settings, 0).fit(None, as_table([], FAILURE_COLUMNS), fitted.__setitem__)
    assert [key[-1] for key in fitted] == ["ml-grf"]
    assert failed["message"].str.contains("a study on relation features takes labels that are known").all()
