"""Models in ONNX's format give what the models give."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.onnx import to_onnx

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: pip install onnx onnxruntime")
RNG = np.random.default_rng(0)
X = RNG.normal(3.0, 2.0, size=(60, 6))
Y = (X[:, :4] + RNG.normal(size=(60, 4)) > 3).astype(int)
CODERS = ("plst", "cplst", "occa", "cca-code", "br", "pbr", "cssp", "faie", "kernel-cplst")
CLASSIFIERS = {
    "coded": mlreduce.CodedClassifier(mlreduce.CPLST(n_components=2)),
    "rounded": mlreduce.CodedClassifier(mlreduce.PLST(n_components=3), mlreduce.LinearRegressor(), decision="half"),
    "threshold": mlreduce.ThresholdClassifier(decision="per-label"),
    "pipeline": make_pipeline(StandardScaler(), mlreduce.MVMD(n_components=3), mlreduce.ThresholdClassifier()),
}


def run(model, rows):
    """What a runtime computes of a model in ONNX's format."""
    session = onnxruntime.InferenceSession(to_onnx(model, rows[:2]).SerializeToString())
    return session.run(None, {"X": rows})


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize(
    "method",
    [
        *(mlreduce.PCA(n_components=2), mlreduce.CCA(), mlreduce.LSI(n_components=2), mlreduce.LPP(n_components=3)),
        *(mlreduce.AnovaF(k=2), mlreduce.MRMR(k=0.5), make_pipeline(StandardScaler(), "passthrough", mlreduce.PCA())),
    ],
    ids=repr,
)
def test_reducers(method, kind):
    rows = X.astype(kind)
    (reduced,) = run(method.fit(rows, Y), rows)
    assert reduced.dtype == kind
    np.testing.assert_allclose(reduced, method.transform(rows), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("targets", [Y, Y[:, 0]], ids=["table", "vector"])
@pytest.mark.parametrize("regressor", [mlreduce.RidgeRegressor(1.0), mlreduce.LinearRegressor()], ids=repr)
def test_regressors(regressor, targets):
    (predicted,) = run(regressor.fit(X, targets), X)
    np.testing.assert_allclose(predicted, regressor.predict(X).reshape(60, -1), atol=1e-10)


@pytest.mark.parametrize("name", CODERS)
def test_coders_decode(name):
    coder = mlreduce.make(name, **({} if name == "br" else {"n_components": 2})).fit(X, Y)
    codes = coder.encode(Y)
    scores, labels = run(coder, codes)
    np.testing.assert_allclose(scores, coder.scores(coder.reconstruct(codes), codes.shape[1]), atol=1e-10)
    np.testing.assert_array_equal(labels, coder.decode(codes))


@pytest.mark.parametrize("model", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_classifiers(model):
    model.fit(X, Y)
    scores, labels = run(model, X)
    np.testing.assert_array_equal(labels, model.predict(X))
    if hasattr(model, "predict_scores"):
        np.testing.assert_allclose(scores, model.predict_scores(X), atol=1e-10)


@pytest.mark.parametrize(
    "model",
    [
        *(mlreduce.MLKNN(n_neighbors=3), mlreduce.CompressedSensing(n_components=3, random_state=0)),
        *(mlreduce.ThresholdClassifier(mlreduce.MLKNN(n_neighbors=3)), mlreduce.ThresholdClassifier(decision="top-k")),
    ],
    ids=repr,
)
def test_models_without_a_form_are_refused(model):
    with pytest.raises(DataError, match="has no form in ONNX"):
        to_onnx(model.fit(X, Y), X)
