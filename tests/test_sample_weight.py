"""Weights of instances: an integer weight is that of so many equal rows, for every method that takes weights."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from quick import by_kind, quick
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.validation import as_dense

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, (40, 5)) + RNG.integers(0, 2, (40, 5)) * 1.0
Y = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0]])[RNG.integers(4, size=40)]
Y[X[:, 0] > 2, 0] = 1
WEIGHTS = RNG.integers(0, 4, 40)
ROWS = np.repeat(np.arange(40), WEIGHTS)
PUBLIC = [getattr(mlreduce, name) for name in mlreduce.__all__ if inspect.isclass(getattr(mlreduce, name))]
WEIGHTED = [cls for cls in PUBLIC if hasattr(cls, "fit") and has_fit_parameter(cls, "sample_weight")]


def made(cls):
    estimator = cls(**quick(registry.name_of(cls) or "ridge"))
    return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator


def target(cls):
    """One class per instance for methods of single labels."""
    return Y[:, 0] if getattr(cls, "single_label", False) else Y


def results(estimator):
    """What is fitted that users see, but for the signs and the lengths of directions."""
    fitted = [estimator.scores_] if hasattr(estimator, "scores_") else []
    if hasattr(estimator, "encode"):
        codes = estimator.encode(Y)
        fitted += [np.abs(codes), as_dense(estimator.decode(codes))]
    elif hasattr(estimator, "predict"):
        fitted.append(estimator.predict(X))
    elif not fitted:
        fitted += [np.abs(estimator.transform(X)), estimator.eigenvalues_]
    return fitted


def assert_same(one, other):
    for left, right in zip(results(one), results(other), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", by_kind([registry.name_of(cls) or cls.__name__ for cls in WEIGHTED]))
@pytest.mark.filterwarnings("ignore")
def test_weights_are_numbers_of_equal_rows(name):
    """So weights of one are none, and rows of weight zero are absent."""
    cls = getattr(mlreduce, name, None) or registry.method_class(name)
    method, y = made(cls), target(cls)
    repeated = clone(method).fit(X[ROWS], y[ROWS])
    assert_same(clone(method).fit(X, y, sample_weight=WEIGHTS), repeated)
    assert_same(clone(method).fit(X, y, sample_weight=np.ones(40)), clone(method).fit(X, y))
    some = np.arange(40) < 30
    assert_same(clone(method).fit(X, y, sample_weight=some * 1), clone(method).fit(X[some], y[some]))


@pytest.mark.parametrize(
    "method",
    [
        *(mlreduce.MDDMKernel(kernel="rbf"), mlreduce.MDDMKernel(kernel="linear"), mlreduce.SIR(slices="label-sets")),
        *(
            mlreduce.WMLDA(weights="correlation"),
            mlreduce.MLSI(centred=False),
            mlreduce.HSL2(centred=True),
            mlreduce.MORP(beta=0.0),
            mlreduce.SFEHS(kernel="rbf", estimate="unbiased"),
            mlreduce.MESD(base="mmc"),
        ),
        *(mlreduce.PLST(centred=False), mlreduce.PLST(n_components=2, solver="randomized"), mlreduce.LSI()),
        *(mlreduce.MESDFDA(weighted=True), mlreduce.MESDMMC(n_components=1, weighted=True)),
    ],
    ids=repr,
)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_weights_with_other_parameters_and_sparse_tables(method, form):
    if getattr(method, "solver", None) == "randomized":
        repeated = mlreduce.PLST(n_components=2).fit(X[ROWS], Y[ROWS])
    else:
        repeated = clone(method).fit(X[ROWS], Y[ROWS])
    assert_same(clone(method).fit(form(X), form(Y), sample_weight=WEIGHTS), repeated)


@pytest.mark.parametrize("name", ["pca", "lda-copy", "sir", "hsl1", "mlda"])
@pytest.mark.parametrize("shift", [5.0, 1e4])
def test_sparse_columns_without_zeros_are_centred_exactly(name, shift):
    rare = X * (RNG.random(X.shape) < 0.6)
    table = np.column_stack([rare, np.full(40, shift), rare[:, 0] + shift])
    method = mlreduce.make(name)
    weighted = clone(method).fit(sp.csr_array(table), Y, sample_weight=WEIGHTS)
    repeated = clone(method).fit(table[ROWS], Y[ROWS])
    np.testing.assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(weighted.components_, repeated.components_, rtol=1e-7, atol=1e-7)


def test_weights_need_what_is_said():
    for method, message in (
        (mlreduce.MDDMKernel(kernel=lambda labels: labels @ labels.T), "a kernel by name"),
        (mlreduce.WMLDA(weights="fuzzy"), "weights='entropy'"),
        (mlreduce.MESD(base="dla"), "such as 'fda'; DLA is none"),
    ):
        with pytest.raises(DataError, match=message):
            method.fit(X, Y, sample_weight=WEIGHTS)
    unknown = np.where(np.arange(40)[:, np.newaxis] == 1, np.nan, Y)
    for method in (mlreduce.PLST(), mlreduce.LinearRegressor()):
        with pytest.raises(DataError, match="all known; y holds NaN: leave such rows out"):
            method.fit(X, unknown, sample_weight=WEIGHTS)
        method.fit(X[2:], unknown[2:], sample_weight=WEIGHTS[2:])


def test_the_number_of_methods_with_weights_grows():
    assert len(WEIGHTED) >= 109


@pytest.mark.parametrize(
    "method", [mlreduce.MIM(), mlreduce.MLKNN(3), mlreduce.MajorityLabels(decision="cardinality")], ids=repr
)
def test_weights_that_are_no_counts_are_refused_by_methods_that_count(method):
    with pytest.raises(DataError, match=r"whole numbers, since this method counts rows; got 0\.5 for row 1"):
        method.fit(X, Y, sample_weight=np.where(np.arange(40) == 1, 0.5, 1.0))


@pytest.mark.parametrize(
    "method",
    [
        *(mlreduce.FisherClassifier(ridge=1.0), mlreduce.FisherClassifier(threshold="prior", ridge=1.0)),
        *(
            mlreduce.MajorityLabels(),
            mlreduce.ProportionalCut(),
            mlreduce.FaIE(),
            mlreduce.KernelCPLST(gamma=0.1, alpha=1.0),
        ),
        *(mlreduce.MLCBMaD(n_components=2), mlreduce.CompressedSensing(n_nonzero="largest", random_state=0)),
    ],
    ids=repr,
)
def test_fractions_of_weights_are_those_of_multiples(method):
    """What depends on shares of the weights is that of twice as many rows, and the penalty of half the weights half."""
    halves = clone(method)
    for name in {"ridge", "alpha"} & method.get_params().keys():
        halves.set_params(**{name: getattr(method, name) and getattr(method, name) / 2})
    one, other = halves.fit(X, Y, sample_weight=WEIGHTS / 2), clone(method).fit(X, Y, sample_weight=WEIGHTS)
    if hasattr(one, "encode"):
        np.testing.assert_allclose(one.decode(one.encode(Y)), other.decode(other.encode(Y)))
        np.testing.assert_allclose(2 * one.eigenvalues_, other.eigenvalues_, rtol=1e-8, atol=1e-10)
    else:
        np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_a_weight_of_zero_has_no_code():
    coder = mlreduce.FaIE(n_components=2).fit(X, Y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(coder.codes_.any(axis=1), WEIGHTS > 0)
    np.testing.assert_allclose(coder.codes_.T @ (WEIGHTS[:, np.newaxis] * coder.codes_), np.eye(2), atol=1e-10)


def test_weights_are_routed_through_a_pipeline():
    with config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        method = mlreduce.PCA(n_components=2).set_fit_request(sample_weight=True)
        model = make_pipeline(scaler, method).fit(X, Y, sample_weight=WEIGHTS)
        direct = mlreduce.PCA(n_components=2).fit(scaler.transform(X), sample_weight=WEIGHTS)
    np.testing.assert_array_equal(model[-1].components_, direct.components_)
