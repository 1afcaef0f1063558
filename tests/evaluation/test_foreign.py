"""Classes of other packages as methods and predictors, named by their import paths."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest
from sklearn import metrics
from sklearn.base import BaseEstimator
from sklearn.decomposition import NMF, PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier

import mlreduce
from mlreduce import registry
from mlreduce.evaluation.failures import FailedCellWarning, Failures
from mlreduce.evaluation.feature_space import FeatureSpaceStrategy, make_reduction
from mlreduce.evaluation.foreign import as_predictor
from mlreduce.evaluation.selection import SelectionStrategy, make_selector
from mlreduce.evaluation.splitting import fold_rows, random_orders
from mlreduce.evaluation.strategy import Measured
from mlreduce.exceptions import ConfigurationError, DataError

MEASURES = ["micro-f1", "ranking-loss"]
#: What ClassifierChain calls its classifier: "base_estimator" before scikit-learn 1.7.
CHAINED = next(iter(inspect.signature(ClassifierChain).parameters))
KNN = {"class": "sklearn.neighbors.KNeighborsClassifier", "n_neighbors": 5}
BAYES = {"class": "sklearn.naive_bayes.GaussianNB"}


@pytest.fixture(scope="module")
def study(data):
    return data, {0: fold_rows(random_orders(90, 1, 7, "planted")[0], 3, 0)}


def score(study, methods, predictor, failures=None, seed=3):
    data, splits = study
    options, strategy = {} if failures is None else {"failures": failures}, FeatureSpaceStrategy(data, seed=seed)
    fitted = dict(strategy.fit(splits, methods, **options))
    return strategy.score(splits, fitted, methods, ("foreign", predictor), Measured(MEASURES, [20, 100]), **options)


def value(scores, measure, **cell):
    for name, own in {"measure": measure, **cell}.items():
        scores = scores[scores[name] == own]
    assert len(scores) == 1
    return scores["value"].item()


def test_scores_are_those_of_scikit_learn_by_hand(study):
    data, splits = study
    train, test = splits[0][:2]
    methods = {"theirs": {"class": "sklearn.decomposition.PCA", "n_components": 3}}
    scores = score(study, methods, KNN)
    transformer = PCA(n_components=3).fit(data.X[train])
    model = KNeighborsClassifier(5).fit(transformer.transform(data.X[train]), data.Y[train])
    rows = transformer.transform(data.X[test])
    expected = metrics.f1_score(data.Y[test], model.predict(rows), average="micro")
    assert value(scores, "micro-f1", size_percent=100) == pytest.approx(expected, abs=1e-12)
    chances = np.column_stack([own[:, 1] for own in model.predict_proba(rows)])
    expected = metrics.label_ranking_loss(data.Y[test], chances)
    assert value(scores, "ranking-loss", size_percent=100) == pytest.approx(expected, abs=1e-12)


def test_all_columns_stand_at_every_size(study):
    methods = {"theirs": {"class": "sklearn.decomposition.TruncatedSVD", "n_components": 4}}
    scores = score(study, methods, {"class": "sklearn.linear_model.Ridge"})
    assert set(scores["size"]) == {4}
    assert sorted(scores["size_percent"].unique()) == [20, 100]


def test_each_size_is_measured_once_where_columns_stand_for_several(study):
    data, splits = study
    methods = {"theirs": {"class": "sklearn.decomposition.TruncatedSVD", "n_components": 4}}
    strategy = FeatureSpaceStrategy(data, seed=3)
    fitted = dict(strategy.fit(splits, methods))
    measured = Measured(["micro-f1"], [20], dimensions=[2, 4, 8])
    scores = strategy.score(splits, fitted, methods, ("ridge", {}), measured)
    assert sorted(scores["size_percent"]) == [0, 20]


def test_what_derives_from_a_projection_has_its_sizes_by_an_import_path_too(study):
    scores = score(study, {"pca": {}, "theirs": {"class": "mlreduce.projection.PCA"}}, {"method": "ridge"})
    own, theirs = (scores[scores["method"] == name].reset_index() for name in ("pca", "theirs"))
    assert own["size"].nunique() == 2
    assert theirs[["size", "measure", "value"]].equals(own[["size", "measure", "value"]])


def test_regressors_rank_labels_by_what_they_predict(study):
    forest = {"class": "sklearn.ensemble.RandomForestRegressor", "n_estimators": 5}
    scores = score(study, {"pca": {}}, forest)
    assert scores["value"].notna().all()
    assert set(json.loads(scores["parameters"].iloc[0])) == set()


def test_what_draws_has_a_seed_inside_too(study):
    chain = {
        "class": "sklearn.multioutput.ClassifierChain",
        CHAINED: {"class": "sklearn.ensemble.RandomForestClassifier", "n_estimators": 3},
    }
    first, again, other = (score(study, {"pca": {}}, chain, seed=seed) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first["value"].equals(other["value"])


@pytest.mark.parametrize("transformation", ["BinaryRelevance", "ClassifierChain", "LabelPowerset"])
def test_problem_transformations_of_scikit_multilearn(study, transformation):
    data, splits = study
    entry = {"class": f"skmultilearn.problem_transform.{transformation}", "classifier": BAYES}
    scores = score(study, {"all": {"method": "pca"}}, entry)
    cls = registry.method_class(entry["class"])
    train, test = splits[0][:2]
    projection = mlreduce.PCA().fit(data.X[train])
    model = cls(registry.make("sklearn.naive_bayes.GaussianNB")).fit(projection.transform(data.X[train]), data.Y[train])
    predicted = model.predict(projection.transform(data.X[test])).toarray()
    expected = metrics.f1_score(data.Y[test], predicted, average="micro", zero_division=0)
    assert value(scores, "micro-f1", size_percent=100) == pytest.approx(expected, abs=1e-12)


def test_features_are_rated_by_importances_coefficients_and_ranks(study):
    data, splits = study
    methods = {
        "forest": {"class": "sklearn.ensemble.RandomForestClassifier", "n_estimators": 5, "random_state": 0},
        "ridge": {"class": "sklearn.linear_model.Ridge"},
        "eliminated": {
            "class": "sklearn.feature_selection.RFE",
            "estimator": {"class": "sklearn.linear_model.Ridge"},
            "n_features_to_select": 1,
        },
    }
    strategy = SelectionStrategy(data)
    fitted = dict(strategy.fit(splits, methods))
    train = splits[0].train
    forest = RandomForestClassifier(5, random_state=0).fit(data.X[train], data.Y[train])
    expected = np.argsort(-forest.feature_importances_, kind="stable")
    np.testing.assert_array_equal(fitted["0", "forest"]["feature"], expected)
    ranking = registry.make_entry("eliminated", methods["eliminated"]).fit(data.X[train], data.Y[train]).ranking_
    np.testing.assert_array_equal(fitted["0", "eliminated"]["feature"], np.argsort(ranking))
    scores = strategy.score(splits, fitted, methods, ("ridge", {}), Measured(MEASURES, [20, 100]))
    assert set(scores["method"]) == set(methods)


def test_what_does_not_fit_is_a_failed_cell(study):
    """NMF takes no negative features; its own sentence is kept."""
    methods = {"nmf": {"class": "sklearn.decomposition.NMF"}, "pca": {}}
    failures = Failures("reduce")
    with pytest.warns(FailedCellWarning, match="Negative values"):
        scores = score(study, methods, KNN, failures)
    assert set(scores["method"]) == {"pca"}
    assert "Negative values" in failures.table()["message"].item()
    assert isinstance(registry.make_entry("nmf", methods["nmf"]), NMF)


def test_a_classifier_of_one_label_is_refused(study):
    class Flat(BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.zeros(len(X))

    data, _ = study
    model = as_predictor(Flat(), "flat").fit(data.X, data.Y)
    with pytest.raises(DataError, match="Flat predicted \\(90,\\) for 90 rows and 5 labels: it is no multi-label"):
        model.predict(data.X)


WRONG = {
    "module": ("sklearn.decompositions.PCA", "'sklearn.decompositions' cannot be imported"),
    "class": ("sklearn.decomposition.PAC", "unknown class of sklearn.decomposition 'PAC'; did you mean 'PCA'?"),
    "function": ("sklearn.metrics.f1_score", "unknown class of sklearn.metrics"),
    "no estimator": ("collections.OrderedDict", "is no estimator as scikit-learn has them: it has no fit"),
    "package": ("no_such_package.Model", "its package must be installed"),
}


@pytest.mark.parametrize("case", WRONG)
def test_paths_that_are_no_estimators(case):
    path, message = WRONG[case]
    with pytest.raises(ConfigurationError, match=message.replace("?", r"\?")):
        registry.check_entry("mine", {"class": path})


def test_parameters_are_checked_inside_too():
    entry = {"class": "sklearn.multioutput.ClassifierChain", CHAINED: {**KNN, "neighbours": 3}}
    with pytest.raises(ConfigurationError, match=r"unknown parameter of .*KNeighborsClassifier 'neighbours'; did you"):
        registry.check_entry("chain", entry)


@pytest.mark.parametrize("entry", [{"class": "PCA"}, {"class": "sklearn.decomposition.PCA", "method": "pca"}])
def test_a_class_stands_alone_with_its_path(entry):
    with pytest.raises(ConfigurationError, match="class is the import path of a class"):
        registry.entry_name("mine", entry)


def test_roles_are_checked():
    with pytest.raises(ConfigurationError, match="has no transform"):
        make_reduction("forest", {"class": "sklearn.ensemble.RandomForestRegressor"})
    with pytest.raises(ConfigurationError, match="has no predict"):
        as_predictor(PCA(), "pca")
    selector = make_selector("pca", {"class": "sklearn.decomposition.PCA"}, 0, "mine", 0)
    with pytest.raises(DataError, match="rates no features"):
        selector.fit(np.random.default_rng(0).normal(size=(9, 3)), np.eye(9, 2, dtype=int))


def test_versions():
    from importlib.metadata import version

    assert registry.package_of("sklearn.decomposition.PCA") == f"scikit-learn {version('scikit-learn')}"
    names = registry.names_in("x", {"class": "skmultilearn.problem_transform.LabelPowerset", "classifier": BAYES})
    assert names == {"skmultilearn.problem_transform.LabelPowerset", "sklearn.naive_bayes.GaussianNB"}
