"""Every method where scikit-learn's users put it: tables, sparse matrices, pipelines, searches, a fresh interpreter.

Searches in other processes are in evaluation/test_backends.py, scorers and classifiers in test_scorers.py,
scikit-learn's own checks in tests/reference, odd forms in test_contracts.py.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from quick import quick
from sklearn.base import clone, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline

import mlreduce
from mlreduce import registry
from mlreduce.datasets.embedded import planted
from mlreduce.labelspace import CodedClassifier
from mlreduce.validation import as_dense

ALL = registry.method_names()
#: Those for classes, which take one label per instance; their extensions to any number have names of their own.
CLASSES = [name for name in ALL if f"mesd-{name}" in ALL]
#: Methods that reduce features of instances that they have not seen.
REDUCTIONS = [*registry.method_names("projection"), *registry.method_names("selection")]
PREDICTORS = {
    "ml-knn": mlreduce.make("ml-knn", n_neighbors=3),
    "coded": CodedClassifier(mlreduce.CPLST(n_components=2)),
    "flda": mlreduce.make("flda"),
}
#: One of each road to a reduction: moments, labels, a constraint, kernels, graphs, iterations, weights, informations.
ROADS = ["pca", "mvmd", "rcca", "mddm-kernel", "mesd-dla", "mope", "random-projection", "mlfs", "gmba", "pmu"]
#: What the first neighbours take, of the few instances here; trees of one leaf.
SMALL = {
    "ml-knn": {"n_neighbors": 3},
    "m5p": {"min_leaf": 20},
    **{key: {"min_count": 2} for key in ("ppt-mi", "ppt-chi2")},
}

DATA = planted(n_samples=48, n_features=6, n_labels=4, n_latent=3, n_distractors=1, random_state=0).data
X = np.round(np.abs(DATA.X), 2) * (np.abs(DATA.X) > 0.3)  # a third are zero
NAMES, LABELS = [f"f{i}" for i in range(6)], ["one", "two", "three", "four"]
TABLE = pd.DataFrame(X, columns=NAMES, index=[f"row {i}" for i in range(48)])

every = pytest.mark.parametrize("name", ALL)
pytestmark = pytest.mark.filterwarnings("ignore::mlreduce.exceptions.ProjectionWarning")


def method(name):
    """A method with its defaults, but for what so few instances ask for."""
    cls = registry.method_class(name)
    own = quick(name) | ({"random_state": 0} if "random_state" in cls().get_params() else {})
    return cls(**own | {key: value for key, value in SMALL.get(name, {}).items() if key in cls().get_params()})


def labels(name):
    """0/1 labels: one per instance for methods that take no more."""
    return np.eye(4, dtype=int)[DATA.Y @ [1, 2, 1, 2] % 4] if name in CLASSES else DATA.Y


@cache
def fitted(name):
    return method(name).fit(TABLE, pd.DataFrame(labels(name), columns=LABELS))


def outcome(model, features):
    """What a fitted method says of features, or has found for the instances and labels that it was fitted to."""
    for verb in ("transform", "decision_function", "predict_proba", "predict"):
        if hasattr(model, verb):
            return as_dense(getattr(model, verb)(features))
    return model.embedding_ if hasattr(model, "embedding_") else model.components_


@every
@pytest.mark.rotating
def test_tables_are_taken_with_their_names(name):
    model = fitted(name)
    assert list(model.feature_names_in_) == NAMES
    verb = next((verb for verb in ("transform", "predict") if hasattr(model, verb)), None)
    if verb is not None:
        with pytest.raises(ValueError, match="feature names"):
            getattr(model, verb)(TABLE[NAMES[::-1]])
    if hasattr(model, "predict"):
        found = model.predict(TABLE)
        assert found.shape == (48, 4)
        assert isinstance(found, np.ndarray)
        if not is_regressor(model):
            named = model.predict_labels(TABLE, as_frame=True)
            pd.testing.assert_frame_equal(named, pd.DataFrame(found, columns=LABELS, index=TABLE.index))
            names = [[name for name in LABELS if row[name]] for _, row in named.iterrows()]
            assert model.predict_labels(TABLE) == names


@every
@pytest.mark.rotating
def test_clones_are_unfitted_and_equal(name):
    own = method(name)
    again = clone(fitted(name))
    assert {key: repr(value) for key, value in again.get_params().items()} == {
        key: repr(value) for key, value in own.get_params().items()
    }
    assert not [key for key in vars(again) if key.endswith("_") and not key.startswith("_")]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize(("form", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
@pytest.mark.rotating
def test_tables_come_out_of_reductions(name, form, kind):
    features = TABLE if form == "pandas" else pl.DataFrame(X, schema=NAMES)
    model = method(name).set_output(transform=form).fit(features, labels(name))
    found = model.transform(features)
    assert isinstance(found, kind)
    assert list(found.columns) == list(model.get_feature_names_out())
    if form == "pandas":
        assert list(found.index) == list(TABLE.index)
    if hasattr(model, "get_support"):
        assert (
            list(found.columns)
            == list(model.get_feature_names_out(NAMES))
            == list(np.array(NAMES)[model.get_support()])
        )


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.rotating
def test_reductions_of_some_columns(name):
    parts = [("reduced", method(name), NAMES[:4]), ("kept", "passthrough", NAMES[4:])]
    model = ColumnTransformer(parts).set_output(transform="pandas")
    found = model.fit_transform(TABLE, labels(name))
    alone = method(name).fit(TABLE[NAMES[:4]], labels(name))
    assert list(found.columns) == [f"reduced__{own}" for own in alone.get_feature_names_out()] + [
        "kept__f4",
        "kept__f5",
    ]
    np.testing.assert_allclose(found.iloc[:, :-2], alone.transform(TABLE[NAMES[:4]]), rtol=1e-9, atol=1e-12)


def searched(name, predictor, features):
    """The search of a size over a pipeline, its scores, and predictions of rows that a fold left out."""
    reduction, targets = method(name), labels(name)
    pipeline = Pipeline([("reduction", reduction), ("predictor", clone(predictor))])
    size = "k" if hasattr(reduction, "get_support") else "n_components"
    grid = {f"reduction__{size}": [1, 3]} if size in reduction.get_params() else {}  # not of all features
    search = GridSearchCV(pipeline, grid, scoring="f1_micro", cv=2, error_score="raise")
    search.fit(features, targets)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    scores = cross_validate(search.best_estimator_, features, targets, cv=2, scoring="f1_macro", error_score="raise")
    assert np.isfinite(scores["test_score"]).all()
    predicted = cross_val_predict(search.best_estimator_, features, targets, cv=2)
    assert predicted.shape == targets.shape
    return search.cv_results_["mean_test_score"], predicted


@pytest.mark.parametrize("name", ROADS)
@pytest.mark.rotating
def test_searches_over_pipelines(name):
    scores, predicted = searched(name, PREDICTORS["coded"], X)
    again, of_table = searched(name, PREDICTORS["coded"], TABLE)
    np.testing.assert_array_equal(again, scores)
    np.testing.assert_array_equal(of_table, predicted)


@pytest.mark.slow
@pytest.mark.parametrize("predictor", PREDICTORS)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_every_reduction_before_every_kind_of_predictor(name, predictor):
    dense, sparse = (searched(name, PREDICTORS[predictor], form(X)) for form in (np.asarray, sp.csr_array))
    np.testing.assert_allclose(sparse[0], dense[0], atol=1e-9)


@pytest.mark.parametrize("name", registry.method_names("labelspace"))
@pytest.mark.rotating
def test_label_coders_in_searches(name):
    model = CodedClassifier(method(name), Ridge())
    grid = {"regressor__alpha": [0.1, 10.0]}
    search = GridSearchCV(model, grid, scoring="f1_micro", cv=2, error_score="raise").fit(TABLE, DATA.Y)
    assert cross_val_predict(search.best_estimator_, TABLE, DATA.Y, cv=2).shape == DATA.Y.shape


FRESH = """
import pickle, sys
import numpy as np
models, table, expected = pickle.load(open(sys.argv[1], "rb"))
from test_uses import outcome
for name, model in models.items():
    np.testing.assert_array_equal(outcome(model, table), expected[name], err_msg=name)
print(len(models))
"""


@pytest.mark.slow
def test_a_fresh_interpreter_predicts_the_same(tmp_path):
    models = {name: fitted(name) for name in ALL}
    pipeline = make_pipeline(method("mvmd"), PREDICTORS["coded"]).fit(TABLE, DATA.Y)
    models |= {"pipeline": pipeline, "coded": clone(PREDICTORS["coded"]).fit(TABLE, DATA.Y)}
    expected = {name: outcome(model, TABLE) for name, model in models.items()}
    (tmp_path / "models").write_bytes(pickle.dumps((models, TABLE, expected)))
    code = FRESH.replace("from test_uses", f"sys.path.insert(0, {str(__file__).rpartition('/')[0]!r})\nfrom test_uses")
    ran = subprocess.run([sys.executable, "-c", code, tmp_path / "models"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, f"{len(ALL) + 2}\n"), ran.stderr
