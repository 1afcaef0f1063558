"""Estimators inside other people's tools: pickles, pipelines, scikit-learn's meta-estimators."""

from __future__ import annotations

import importlib
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from quick import quick
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.linalg import distances
from mlreduce.persistence import trusted_types
from mlreduce.pipeline import Pipeline, make_pipeline

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
Y = (X[:, :4] + RNG.normal(size=(60, 4)) > 0).astype(int)


@pytest.mark.parametrize("saved", ["0.0.9", None])
def test_models_of_another_version_are_loaded_with_a_sentence(saved):
    model = mlreduce.PLST(n_components=2).fit(None, Y)
    state = model.__getstate__()
    assert state.pop("_mlreduce_version") == mlreduce.__version__
    if saved:
        state["_mlreduce_version"] = saved
    kept = dict(state)
    loaded = mlreduce.PLST()
    with pytest.warns(InconsistentVersionWarning, match="PLST was saved by") as caught:
        loaded.__setstate__(state)
    assert (saved or "another version of mlreduce") in str(caught[0].message)
    assert f"loaded by mlreduce {mlreduce.__version__}:" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert state == kept
    assert "_mlreduce_version" not in vars(loaded)
    np.testing.assert_array_equal(loaded.encode(Y), model.encode(Y))


def test_models_of_this_version_are_loaded_in_silence():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = pickle.loads(pickle.dumps(mlreduce.PLST()))
    assert vars(loaded) == vars(mlreduce.PLST())


def test_a_pipeline_predicts_what_its_last_step_predicts():
    table = pd.DataFrame(X, index=[f"row {i}" for i in range(60)]).add_prefix("f")
    labels = pd.DataFrame(Y, index=table.index).add_prefix("label")
    model = make_pipeline(StandardScaler(), "passthrough", mlreduce.PCA(n_components=3), mlreduce.ThresholdClassifier())
    assert isinstance(model, Pipeline)
    codes = model.fit(table, labels)[:-1].transform(table)
    for verb, options in (("predict_scores", {}), ("predict_top", {"k": 2}), ("predict_labels", {})):
        found, expected = (getattr(model, verb)(table, **options), getattr(model[-1], verb)(codes, **options))
        if verb == "predict_labels":
            assert found == expected
        else:
            np.testing.assert_array_equal(*(r.toarray() if verb == "predict_top" else r for r in (found, expected)))
    pd.testing.assert_frame_equal(
        model.predict_labels(table, as_frame=True), labels * 0 + model.predict(table), check_dtype=False
    )
    assert mlreduce.ThresholdClassifier(model, decision="half").fit(X, Y).predict(X).shape == Y.shape


def test_a_pipeline_has_no_other_predictions_than_its_last_step():
    assert not hasattr(make_pipeline(mlreduce.PCA()), "predict_scores")
    with pytest.raises(AttributeError, match="predict_top"):
        make_pipeline(mlreduce.PCA(), mlreduce.RidgeRegressor()).predict_top  # noqa: B018


CODERS = {name: registry.method_class(name) for name in registry.method_names("labelspace")}


@pytest.mark.parametrize("name", [name for name, cls in CODERS.items() if not cls.feature_aware])
def test_coders_of_labels_alone_transform_labels(name):
    coder = mlreduce.make(name, **({"random_state": 0} if "random_state" in CODERS[name]().get_params() else {}))
    other = clone(coder).fit(None, Y)
    codes = clone(coder).fit_transform(Y)
    np.testing.assert_array_equal(codes, other.codes_for_training(Y))
    coder.fit(Y)
    np.testing.assert_array_equal(coder.transform(Y), other.encode(Y))
    np.testing.assert_array_equal(coder.inverse_transform(codes), other.decode(codes))
    signed = clone(coder).fit(2 * Y - 1)
    np.testing.assert_array_equal(signed.inverse_transform(codes), 2 * other.decode(codes) - 1)
    model = TransformedTargetRegressor(Ridge(), transformer=clone(coder), check_inverse=False).fit(X, Y)
    expected = coder.decode(Ridge().fit(X, coder.encode(Y)).predict(X))
    np.testing.assert_array_equal(model.predict(X), expected)
    assert not hasattr(coder.fit(X, Y), "transform")
    with pytest.raises(AttributeError, match="has no attribute 'transform'"):
        make_pipeline(clone(coder), Ridge()).fit(X, Y).predict(X)


@pytest.mark.parametrize("name", [name for name, cls in CODERS.items() if cls.feature_aware])
def test_coders_that_need_features_say_so(name):
    for fit in (mlreduce.make(name).fit, mlreduce.make(name).fit_transform):
        with pytest.raises(DataError, match=r"fitted to features and labels, fit\(X, Y\); PLST to labels alone"):
            fit(Y)
    assert not hasattr(mlreduce.make(name), "transform")
    with pytest.raises(ValueError, match="must be an object implementing 'transform'"):
        TransformedTargetRegressor(Ridge(), transformer=mlreduce.make(name), check_inverse=False).fit(X, Y)
    codes = mlreduce.make(name).fit_transform(X, Y)
    np.testing.assert_array_equal(codes, mlreduce.make(name).fit(X, Y).codes_for_training(Y))


def test_features_alone_are_no_labels():
    with pytest.raises(DataError, match=r"requires y to be passed.*Labels alone may take the place of X, but: "):
        mlreduce.PLST().fit(X)


def test_trusted_types_are_types():
    for path in trusted_types():
        module, _, name = path.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name)), path


@pytest.mark.parametrize("name", ["pca", "mrmr", "ml-knn", "mlnb", "m5p", "label-tree", "sleec"])
def test_skops_loads_models_whose_types_are_trusted(name):
    skops = pytest.importorskip("skops.io", reason="skops is not installed: pip install skops")
    model = make_pipeline(StandardScaler(), mlreduce.make(name, **quick(name))).fit(X, Y)
    stored = skops.dumps(model)
    assert any(path.startswith("mlreduce.") for path in skops.get_untrusted_types(data=stored))
    loaded = skops.loads(stored, trusted=trusted_types())
    verb = "predict" if hasattr(model, "predict") else "transform"
    np.testing.assert_array_equal(getattr(loaded, verb)(X), getattr(model, verb)(X))


@pytest.mark.parametrize("name", ["ml-knn", "br-knn", "cc-knn", "rakel"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_predictions_are_the_same_for_any_number_of_threads(name, form, monkeypatch):
    monkeypatch.setattr(distances, "_BLOCK_BYTES", 60 * 8 * 7)  # nine blocks of rows
    scores = []
    for n_jobs in (None, 2, 3):
        model = mlreduce.make(name, n_jobs=n_jobs, **({"random_state": 0} if name == "rakel" else {}))
        scores.append(model.fit(form(X), form(Y)).predict_scores(form(X)))
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[0], scores[2])
