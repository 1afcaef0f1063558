"""Classifiers under scikit-learn's scorers, searches and multi-output wrappers."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn import metrics
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, cross_val_predict, cross_validate
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline

import mlreduce
from mlreduce import predictors
from mlreduce.datasets.embedded import planted
from mlreduce.labelspace import CodedClassifier

DATA = planted(n_samples=60, n_features=6, n_labels=4, n_latent=3, n_distractors=1, random_state=0).data
X, Y = DATA.X, DATA.Y
CLASSIFIERS = {
    "br-knn": predictors.BinaryRelevanceKNN(),
    "cc-knn": predictors.ClassifierChainKNN(),
    "coded": CodedClassifier(),
    "flda": predictors.FisherClassifier(),
    "majority": predictors.MajorityLabels(),
    "ml-knn": predictors.MLKNN(n_neighbors=5),
    "mlnb": predictors.MLNB(variance_floor=0.1, feature_weight=1.0),
}
OF_LABELS = [
    f"{name}_{average}"
    for name in ("f1", "precision", "recall", "jaccard")
    for average in ("micro", "macro", "weighted", "samples")
]
OF_SCORES = ["roc_auc", "average_precision"]
OF_RANKS = {
    "coverage": metrics.coverage_error,
    "ranking": metrics.label_ranking_loss,
    "lrap": metrics.label_ranking_average_precision_score,
}
SCORERS = {
    **{name: metrics.get_scorer(name) for name in ("accuracy", *OF_LABELS)},
    "hamming": metrics.make_scorer(metrics.hamming_loss),
}


def scored(model):
    return any(hasattr(model, name) for name in ("predict_proba", "decision_function"))


def scores_of(model):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.decision_function(X)


@pytest.fixture(scope="module")
def fitted():
    return {name: clone(model).fit(X, Y) for name, model in CLASSIFIERS.items()}


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("n_labels", [2, 4])
@pytest.mark.rotating
def test_all_multi_label_scorers(name, n_labels):
    model, labels = clone(CLASSIFIERS[name]), Y[:, :n_labels]
    model.fit(X, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for scorer in SCORERS.values():
            assert np.isfinite(scorer(model, X, labels))
    if not scored(model):
        return
    for own in OF_SCORES:
        function = {"roc_auc": metrics.roc_auc_score, "average_precision": metrics.average_precision_score}[own]
        assert metrics.get_scorer(own)(model, X, labels) == pytest.approx(function(labels, scores_of(model)))
    for function in OF_RANKS.values():
        scorer = metrics.make_scorer(function, response_method=("predict_proba", "decision_function"))
        assert scorer(model, X, labels) == pytest.approx(function(labels, scores_of(model)))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_cross_validation(name):
    model = CLASSIFIERS[name]
    wanted = ["f1_micro", *(OF_SCORES if scored(model) else [])]
    found = cross_validate(model, X, Y, cv=2, scoring=wanted, error_score="raise")
    assert all(np.isfinite(found[f"test_{own}"]).all() for own in wanted)
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, method):
            assert cross_val_predict(model, X, Y, cv=2, method=method).shape == Y.shape


def test_searches_by_scores_differ_between_candidates():
    # Its default for the fewest rows asks for a vector of labels.
    for search in (GridSearchCV, partial(HalvingGridSearchCV, min_resources=40)):
        own = search(predictors.MLKNN(), {"n_neighbors": [2, 10]}, scoring="average_precision", cv=2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            own.fit(X, Y)
        assert len(set(own.cv_results_["mean_test_score"])) == 2


def test_pipelines_of_reductions_and_predictors():
    for reduction in (mlreduce.MVMD(n_components=2), mlreduce.MLFS(k=3)):
        model = make_pipeline(reduction, predictors.MLKNN(n_neighbors=5))
        names = list(model.named_steps)
        size = "n_components" if "mvmd" in names else "k"
        search = GridSearchCV(model, {f"{names[0]}__{size}": [1, 3]}, scoring="roc_auc", cv=2, error_score="raise")
        assert np.isfinite(search.fit(X, Y).best_score_)
    columns = ColumnTransformer([("some", mlreduce.PCA(n_components=2), [0, 1, 2])], remainder="passthrough")
    assert make_pipeline(columns, predictors.FisherClassifier()).fit(X, Y).predict(X).shape == Y.shape


@pytest.mark.parametrize("name", ["br-knn", "flda", "ml-knn", "mlnb"])
def test_a_vector_of_labels_is_a_binary_problem(name):
    model = clone(CLASSIFIERS[name])
    one = {"decision": "half"} if hasattr(model, "decision") else {}  # the others weigh all labels together
    whole = clone(model).set_params(**one).fit(X, Y)
    for wrapped in (MultiOutputClassifier(model), ClassifierChain(model)):
        assert wrapped.fit(X, Y).predict(X).shape == Y.shape
    model.set_params(**one).fit(X, Y[:, 0])
    np.testing.assert_array_equal(model.classes_, [0, 1])
    np.testing.assert_array_equal(model.predict(X), whole.predict(X)[:, 0])
    if hasattr(model, "predict_proba"):
        own = model.predict_proba(X)
        np.testing.assert_allclose(own, np.column_stack([1 - own[:, 1], own[:, 1]]))
        np.testing.assert_allclose(own[:, 1], whole.predict_proba(X)[:, 0])
        assert np.isfinite(metrics.get_scorer("roc_auc")(model, X, Y[:, 0]))
