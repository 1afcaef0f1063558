"""Fitted models in ONNX's format, which other languages run: what is an affine map of the features, and thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.pipeline
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError, from_extra
from mlreduce.labelspace.base import LabelCoder
from mlreduce.labelspace.classifier import CodedClassifier
from mlreduce.linalg.utilities import TIE
from mlreduce.predictors.linear import LinearRegressor
from mlreduce.predictors.ridge import RidgeRegressor
from mlreduce.predictors.threshold import ThresholdClassifier
from mlreduce.projection.base import Projection
from mlreduce.validation import FloatArray, as_dense

__all__ = ["to_onnx"]

_OPSET, _IR_VERSION = 17, 8


def to_onnx(model: Any, X: Any) -> Any:
    """Return a fitted model in ONNX's format.

    Parameters
    ----------
    model : estimator
        A projection, a selector, `RidgeRegressor` or `LinearRegressor`; a label coder that is linear, for decoding;
        a `CodedClassifier` or `ThresholdClassifier` of these; or a pipeline of these and ``StandardScaler``.
    X : array-like of shape (n_samples, n_features)
        Some rows that the model takes, codes for a coder. Their type, float32 or float64, is that of the input.

    Returns
    -------
    onnx.ModelProto
        With the input "X". The output is "output", in the type of ``X``: features, predictions or scores of labels.
        Coders and classifiers have an output "labels" too, int64 in {0, 1}. Both are tables, also where targets were a
        vector. Numbers are computed in float64.

    Raises
    ------
    DataError
        If the model is none of these, is not linear, or predicts a number of labels of each row.
    MissingPackageError
        If onnx is not installed.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.onnx import to_onnx
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.CodedClassifier(mlreduce.PLST(n_components=3)).fit(data.X, data.Y)
    >>> stored = to_onnx(model, data.X)  # doctest: +SKIP
    >>> [output.name for output in stored.graph.output]  # doctest: +SKIP
    ['output', 'labels']
    """
    with from_extra("onnx", "models in ONNX's format"):
        from onnx import TensorProto, helper, numpy_helper

    rows = np.asarray(X)
    kind = TensorProto.FLOAT if rows.dtype == np.float32 else TensorProto.DOUBLE
    nodes = [helper.make_node("Cast", ["X"], ["start"], to=TensorProto.DOUBLE)]
    constants: list[Any] = []

    def add(operation: str, value: NDArray[Any] | None = None, **options: Any) -> None:
        inputs = [nodes[-1].output[0]]
        if value is not None:
            inputs.append(f"constant{len(constants)}")
            constants.append(numpy_helper.from_array(value, inputs[-1]))
        nodes.append(helper.make_node(operation, inputs, [f"step{len(nodes)}"], **options))

    outputs, levels = [helper.make_tensor_value_info("output", kind, [None, None])], None
    for step in _steps(model):
        levels = _add_step(step, add)
    nodes.append(helper.make_node("Cast", [nodes[-1].output[0]], ["output"], to=kind))
    if levels is not None:
        constants.append(numpy_helper.from_array(levels, "levels"))
        nodes.append(helper.make_node("Greater", [nodes[-1].input[0], "levels"], ["above"]))
        nodes.append(helper.make_node("Cast", ["above"], ["labels"], to=TensorProto.INT64))
        outputs.append(helper.make_tensor_value_info("labels", TensorProto.INT64, [None, None]))
    inputs = [helper.make_tensor_value_info("X", kind, [None, rows.shape[1]])]
    graph = helper.make_graph(nodes, type(model).__name__, inputs, outputs, constants)
    stored = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
    from onnx.checker import check_model

    check_model(stored)
    return stored


def _steps(model: Any) -> list[Any]:
    """Return the steps of a pipeline, or the model itself."""
    if not isinstance(model, sklearn.pipeline.Pipeline):
        return [model]
    return [inner for _, step in model.steps if step not in (None, "passthrough") for inner in _steps(step)]


def _add_step(step: Any, add: Any) -> FloatArray | None:
    """Add what a fitted estimator does, and return the scores above which labels are predicted, if it predicts them."""
    check_is_fitted(step)
    if isinstance(step, SelectorMixin):
        add("Gather", step.get_support(indices=True).astype(np.int64), axis=1)
    elif isinstance(step, StandardScaler):
        add("Sub", np.float64(0.0 if step.mean_ is None else step.mean_))
        add("Div", np.float64(1.0 if step.scale_ is None else step.scale_))
    elif isinstance(step, Projection) and type(step).transform is Projection.transform:
        add("MatMul", np.ascontiguousarray(step.components_.T))
        add("Sub", step.components_ @ step.mean_)
    elif isinstance(step, RidgeRegressor | LinearRegressor):
        add("MatMul", np.ascontiguousarray(step.coef_.reshape(-1, step.n_features_in_).T))
        add("Add", np.atleast_1d(step.intercept_))
    elif isinstance(step, LabelCoder) and _reconstructs(step):
        return _add_decoder(step, add)
    elif isinstance(step, CodedClassifier | ThresholdClassifier):
        return _add_classifier(step, add)
    else:
        raise DataError(
            f"{type(step).__name__} has no form in ONNX; projections, selectors, RidgeRegressor, LinearRegressor, "
            "linear label coders, classifiers of these (Coded-, ThresholdClassifier) and StandardScaler do"
        )
    return None


def _reconstructs(coder: LabelCoder) -> bool:
    """Whether a coder decodes by rounding an affine map of the codes."""
    return type(coder).reconstruct_sizes is LabelCoder.reconstruct_sizes and not coder.decodes_itself


def _add_decoder(coder: LabelCoder, add: Any) -> FloatArray:
    """Add the reconstruction of labels, which is affine in the codes."""
    size = coder.n_components_
    codes = np.vstack([np.zeros(size), np.eye(size)])
    scores = coder.scores(coder.reconstruct(codes).copy(), size)
    add("MatMul", as_dense(scores[1:] - scores[0]))
    add("Add", scores[0])
    return np.full(coder.n_labels_, 0.5 + TIE)


def _add_classifier(model: CodedClassifier | ThresholdClassifier, add: Any) -> FloatArray:
    """Add the scores of labels."""
    if model.k_ < model._n_labels or not np.isfinite(model.thresholds_).all():
        raise DataError(
            f"{type(model).__name__} predicts the best {model.k_} labels of a row, which has no form in ONNX"
        )
    if isinstance(model, CodedClassifier):
        _add_step(model.regressor_, add)
        _add_step(model.coder_, add)
    else:
        _add_step(model.estimator_, add)
        if model.calibration_ is not None:
            add("Mul", model.calibration_.slopes)
            add("Add", model.calibration_.intercepts)
            add("Sigmoid")
    return model.thresholds_ + (TIE if model.decision == "half" else 0.0)
