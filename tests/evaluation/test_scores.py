"""The scores of a comparison are those of plain scikit-learn code, and depend on nothing else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score, hamming_loss, label_ranking_loss
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skmultilearn.problem_transform import BinaryRelevance, ClassifierChain, LabelPowerset

import mlreduce
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.splitting import Split
from mlreduce.exceptions import ConfigurationError
from mlreduce.model_selection import MultilabelStratifiedKFold

MEASURES = ["micro-f1", "hamming-loss", "ranking-loss"]
QUICK = {"cv": 3, "sizes": [40], "measures": MEASURES, "decision": "half"}


def compare(data, methods, predictors, **options):
    return mlreduce.compare(data.X, data.Y, methods, predictors, **{**QUICK, **options})


def folds(data, cv, repeats=1):
    rows = MultilabelStratifiedKFold(cv, n_repeats=repeats).split(data.X, data.Y)
    return {number: Split(*pair) for number, pair in enumerate(rows)}


def scaled(data, split):
    scaler = StandardScaler().fit(data.X[split.train])
    return scaler.transform(data.X[split.train]), scaler.transform(data.X[split.test])


def value(found, method, split, measure, predictor=None):
    return found.values(measure, predictor)[method][split]


def test_projection_with_a_regressor(data):
    found = compare(data, ["pca"], ["linear"], repeats=2)
    tested = []
    for number, split in folds(data, 3, 2).items():
        train, test = scaled(data, split)
        reduced = PCA(n_components=4).fit(train)
        model = LinearRegression().fit(reduced.transform(train), data.Y[split.train])
        guess = model.predict(reduced.transform(test))
        truth, labels = data.Y[split.test], guess > 0.5
        assert value(found, "pca", number, "micro-f1") == pytest.approx(f1_score(truth, labels, average="micro"))
        assert value(found, "pca", number, "hamming-loss") == pytest.approx(hamming_loss(truth, labels))
        assert value(found, "pca", number, "ranking-loss") == pytest.approx(label_ranking_loss(truth, guess))
        tested.append(split.test)
    for half in (tested[:3], tested[3:]):
        np.testing.assert_array_equal(np.sort(np.concatenate(half)), np.arange(len(data.Y)))
    assert found.scores["size"].unique() == [4]


def test_selector_with_a_classifier_and_all_features(data):
    found = compare(data, ["mlfs", "all-features"], {"knn": KNeighborsClassifier(n_neighbors=3)})
    for number, split in folds(data, 3).items():
        train, test = scaled(data, split)
        best = np.argsort(mlreduce.MLFS(k=10).fit(train, data.Y[split.train]).ranking_)[:4]
        for method, columns in (("mlfs", best), ("all-features", np.arange(10))):
            model = KNeighborsClassifier(3).fit(train[:, columns], data.Y[split.train])
            expected = f1_score(data.Y[split.test], model.predict(test[:, columns]), average="micro")
            assert value(found, method, number, "micro-f1") == pytest.approx(expected)
    assert found.scores.groupby("method")["size_percent"].unique().map(list).to_dict() == {
        "mlfs": [40],
        "all-features": [100],
    }


def test_label_coder_with_a_regressor(data):
    found = compare(data, ["plst", "pca"], ["linear", "ml-knn"])
    for number, split in folds(data, 3).items():
        labels = data.Y[split.train].astype(float)
        mean = labels.mean(axis=0)
        directions = np.linalg.svd(labels - mean)[2][:2]
        model = LinearRegression().fit(data.X[split.train], (labels - mean) @ directions.T)
        decoded = model.predict(data.X[split.test]) @ directions + mean
        expected = hamming_loss(data.Y[split.test], decoded > 0.5)
        assert value(found, "plst", number, "hamming-loss", "linear") == pytest.approx(expected)
    of_coder = found.scores[found.scores["method"] == "plst"]
    assert set(of_coder["predictor"]) == {"linear"}
    assert set(of_coder["measure"]) == {"micro-f1", "hamming-loss"}
    assert list(found.values("micro-f1", "ml-knn").columns) == ["pca"]


def test_ridge_predicts_codes_from_the_features_that_others_get(data):
    found = compare(data, ["cplst", "br", "all-features"], ["ridge"])
    sizes = {"cplst": [2], "br": [5], "all-features": [10]}
    assert found.scores.groupby("method")["size"].unique().map(list).to_dict() == sizes
    for number, split in folds(data, 3).items():
        train, test = scaled(data, split)
        model = mlreduce.RidgeRegressor().fit(train, data.Y[split.train])
        expected = hamming_loss(data.Y[split.test], model.predict(test) > 0.5)
        assert value(found, "br", number, "hamming-loss") == pytest.approx(expected)
        assert value(found, "all-features", number, "hamming-loss") == pytest.approx(expected)


def test_ties_are_averaged_over_unless_said_otherwise(data):
    given = (data, ["all-features"], {"3-nn": KNeighborsRegressor(3)})
    rules = [compare(*given, ties=ties) for ties in ("expected", "standard")]
    values = [found.values("ranking-loss")["all-features"].mean() for found in (*rules, compare(*given))]
    assert values[0] < values[1]
    assert values[0] == values[2]
    with pytest.raises(ConfigurationError, match="unknown rule for ties 'expcted'; did you mean 'expected'"):
        compare(*given, ties="expcted")


def test_scores_depend_on_neither_order_nor_names(data):
    """Nor on processes: test_backends.py."""
    methods, predictors = ["random-projection", "pls", "gmba", "plst"], ["ridge", "ml-knn"]
    one = compare(data, methods, predictors)
    two = compare(data, methods[::-1], predictors[::-1], measures=MEASURES[::-1])
    pd.testing.assert_frame_equal(one.scores, two.scores)
    named = MultiLabelData(data.X, data.Y, data.feature_names, data.label_names, "another name")
    alone = mlreduce.compare(named, None, ["random-projection"], ["ridge"], **QUICK)
    both = one.scores[(one.scores["method"] == "random-projection") & (one.scores["predictor"] == "ridge")]
    pd.testing.assert_frame_equal(alone.scores, both.reset_index(drop=True))
    assert (
        not compare(data, ["pls"], ["ridge"], random_state=1)
        .scores["value"]
        .equals(one.scores.query("method == 'pls' and predictor == 'ridge'")["value"].reset_index(drop=True))
    )


@pytest.mark.slow
def test_what_draws_without_a_seed_gets_one(data):
    forest = {"forest": RandomForestClassifier(n_estimators=3)}
    nested = {"nested": MultiOutputClassifier(RandomForestClassifier(n_estimators=3))}
    for predictors in (forest, nested):
        first, second = (compare(data, ["all-features"], predictors, cv=2).scores for _ in range(2))
        pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize("transformation", [BinaryRelevance, ClassifierChain, LabelPowerset])
def test_problem_transformations_of_scikit_multilearn(data, transformation):
    inner = LogisticRegression(C=0.5)
    found = compare(data, ["all-features"], {"theirs": transformation(classifier=inner, require_dense=[True, True])})
    assert found.failures.empty
    for number, split in folds(data, 3).items():
        train, test = scaled(data, split)
        model = transformation(classifier=LogisticRegression(C=0.5), require_dense=[True, True])
        guess = model.fit(train, data.Y[split.train].astype(int)).predict(test).toarray()
        expected = hamming_loss(data.Y[split.test], guess)
        assert value(found, "all-features", number, "hamming-loss") == pytest.approx(expected)


def test_classifiers_without_scores_are_measured_by_labels(data):
    perceptron = {"class": "skmultilearn.problem_transform.LabelPowerset", "require_dense": [True, True],
                  "classifier": {"class": "sklearn.linear_model.Perceptron"}}  # fmt: skip
    alone = compare(data, ["all-features"], {"labels": perceptron})
    assert set(alone.scores["measure"]) == {"micro-f1", "hamming-loss"}
    assert list(alone.table().columns) == ["micro-f1", "hamming-loss", "seconds"]


def test_pipelines_and_their_steps(data):
    steps = Pipeline([("scale", StandardScaler()), ("reduce", mlreduce.PCA(n_components=4))])
    found = compare(data, {"steps": steps, "pca": "pca"}, ["linear"])
    values = found.values("hamming-loss")
    np.testing.assert_allclose(values["steps"], values["pca"])


def test_sparse_features_are_not_scaled(data):
    dense, sparse = (mlreduce.compare(X, data.Y, ["pca", "mlfs"], ["linear"], scaling="none", **QUICK)
                     for X in (data.X, sp.csr_array(data.X)))  # fmt: skip
    np.testing.assert_allclose(sparse.scores["value"], dense.scores["value"])
    unsaid = mlreduce.compare(sp.csr_matrix(data.X), data.Y, ["pca", "mlfs"], ["linear"], **QUICK)
    pd.testing.assert_frame_equal(unsaid.scores, sparse.scores)
    assert unsaid.settings["scaling"] == "none"


def test_data_frames_and_signs(data):
    X, y = pd.DataFrame(data.X).add_prefix("f"), pd.DataFrame(data.Y).add_prefix("label ")
    found = compare(data, ["pca"], ["linear"])
    pd.testing.assert_frame_equal(mlreduce.compare(X, y, ["pca"], ["linear"], **QUICK).scores, found.scores)
    pd.testing.assert_frame_equal(mlreduce.compare(X, 2 * y - 1, ["pca"], ["linear"], **QUICK).scores, found.scores)
