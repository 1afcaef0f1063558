from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils import get_tags

import mlreduce
from mlreduce.datasets.embedded import planted
from mlreduce.exceptions import DataError
from mlreduce.labelspace import CodedClassifier, LabelStatistics
from mlreduce.labelspace.base import ordered_eigenvectors
from mlreduce.linalg import gram, lsqr
from mlreduce.predictors.ridge import RidgeRegressor

ALL = mlreduce.registry.method_names("labelspace")
ORTHONORMAL = ["br", "pbr", "plst", "occa", "cplst", "kernel-cplst", "kernel-occa"]
REDUCING = [name for name in ALL if name != "br"]
DRAWN = ["cs", "cssp", "pbr"]  # by the position of a label


def make(name, **parameters):
    if name in DRAWN:
        parameters.setdefault("random_state", 0)
    return mlreduce.make(name, **parameters)


def training_errors(coder, X, Y, size):
    """Encoding and prediction error of equation (1) on the training rows, by the definitions."""
    Z = Y - Y.mean(axis=0)
    V = coder.components_[:size]
    design = np.column_stack([np.ones(len(X)), X])
    codes = Z @ V.T
    fitted = design @ np.linalg.lstsq(design, codes, rcond=1e-10)[0]
    return np.sum((Z - codes @ V) ** 2), np.sum((fitted - codes) ** 2)


def test_each_method_is_optimal_for_what_it_minimises(example):
    X, Y = example
    coders = {name: make(name).fit(X, Y) for name in ORTHONORMAL[1:]}
    for size in range(1, Y.shape[1] + 1):
        errors = {name: np.array(training_errors(coder, X, Y, size)) for name, coder in coders.items()}
        encoding, prediction = (min(e[i] for e in errors.values()) for i in (0, 1))
        assert errors["plst"][0] <= encoding + 1e-9
        assert errors["occa"][1] <= prediction + 1e-9
        assert errors["cplst"].sum() <= min(e.sum() for e in errors.values()) + 1e-9


@given(seed=st.integers(0, 10_000), size=st.integers(1, 4))
def test_no_random_orthonormal_code_beats_cplst(seed, size):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((25, 3)), (rng.random((25, 4)) < 0.4).astype(float)
    coder = mlreduce.CPLST().fit(X, Y)
    rival = mlreduce.CPLST().fit(X, Y)
    rival.components_ = scipy.linalg.qr(rng.standard_normal((4, 4)))[0]
    assert sum(training_errors(coder, X, Y, size)) <= sum(training_errors(rival, X, Y, size)) + 1e-9


@pytest.mark.parametrize("solver", ["exact", "randomized"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_plst_without_centring_has_the_singular_vectors_of_the_labels(example, solver, form):
    Y = example[1]
    coder = mlreduce.PLST(2, solver=solver, random_state=0, centred=False).fit(None, form(Y))
    _, values, vectors = np.linalg.svd(Y.astype(float))
    assert coder.eigenvalues_ == pytest.approx(values[:2] ** 2)
    assert not coder.mean_.any()
    np.testing.assert_allclose(coder.encode(Y) @ coder.components_, Y @ vectors[:2].T @ vectors[:2], atol=1e-9)


def test_statistics_without_centring_are_those_of_the_labels(example):
    Y = example[1].astype(float)
    statistics = LabelStatistics.from_labels(Y)
    alone = LabelStatistics(len(Y), statistics.mean, statistics.gram)
    for own in (statistics, alone):
        np.testing.assert_allclose(own.uncentred().gram, Y.T @ Y, atol=1e-9)


@pytest.mark.parametrize("coder", [mlreduce.PBR(3, random_state=0), mlreduce.MLCBMaD(2), mlreduce.CompressedSensing(4)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_scores_of_labels_without_one_are_frequencies(coder, form, example):
    """Lines by least squares of each label on its left-out scores, flat where they would descend."""
    X, Y = example
    coder = coder.set_params(**{"random_state": 0} if "random_state" in coder.get_params() else {})
    model = CodedClassifier(coder, RidgeRegressor(1.0)).fit(X, form(Y))
    fitted, left_out = coder.fit(X, Y), np.empty(Y.shape)
    codes = fitted.codes_for_training(Y)
    for row in range(len(X)):
        rest = np.arange(len(X)) != row
        predicted = RidgeRegressor(1.0).fit(X[rest], codes[rest]).predict(X[[row]])
        left_out[row] = fitted.scores(fitted.reconstruct(predicted), codes.shape[1])
    decoded = fitted.scores(fitted.reconstruct(RidgeRegressor(1.0).fit(X, codes).predict(X)), codes.shape[1])
    for label, scores in enumerate(model.predict_scores(X).T):
        slope, intercept = (
            np.polyfit(left_out[:, label], Y[:, label], 1) if np.ptp(left_out[:, label]) > 1e-9 else (0, 0)
        )
        line = slope * decoded[:, label] + intercept if slope > 0 else np.full(len(X), Y[:, label].mean())
        np.testing.assert_allclose(scores, line, atol=1e-8)


def test_orthonormal_codes_at_full_size_are_binary_relevance(example):
    X, Y = example
    for name in ("plst", "occa", "cplst", "kernel-cplst", "kernel-occa", "cca-code", "pbr", "cssp"):
        rounded = {"decision": "half"} if make(name).calibrated else {}
        expected = CodedClassifier(mlreduce.BR(), RidgeRegressor(1.0), **rounded).fit(X, Y)
        model = CodedClassifier(make(name), RidgeRegressor(1.0), **rounded).fit(X, Y)
        np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=1e-10)
        np.testing.assert_array_equal(model.predict(X), expected.predict(X))


@pytest.mark.parametrize("name", [name for name in REDUCING if name != "cssp"])
def test_sizes_are_nested(name, example):
    X, Y = example
    large, small = make(name).fit(X, Y), make(name, n_components=2).fit(X, Y)
    np.testing.assert_allclose(small.components_, large.components_[:2], atol=1e-12)
    codes = large.encode(Y)[:, :2]
    np.testing.assert_array_equal(small.decode(codes), large.decode(codes))


@pytest.mark.parametrize("name", ALL)
def test_reconstructing_several_sizes_equals_each_alone(name, example):
    X, Y = example
    coder = make(name).fit(X, Y)
    codes = coder.encode(Y)
    for size, centred in zip([1, 3, 5], coder.reconstruct_sizes(codes, [1, 3, 5]), strict=True):
        np.testing.assert_allclose(centred, coder.reconstruct(codes[:, :size]), atol=1e-10)


def test_pbr_predicts_what_it_did_not_learn_absent(example):
    _, Y = example
    Y = np.column_stack([Y, np.r_[0, np.ones(len(Y) - 1)]])  # a label nearly everybody has
    coder = mlreduce.PBR(n_components=2, random_state=1).fit(None, Y)
    learned = coder.components_.any(axis=0)
    decoded = coder.decode(coder.encode(Y))
    np.testing.assert_array_equal(decoded[:, learned], Y[:, learned])
    assert learned.sum() == 2
    assert not decoded[:, ~learned].any()


def test_cplst_finds_the_planted_labels_and_plst_the_coin():
    data, subspace, learnable = planted(n_samples=4000, random_state=3)
    n_latent = subspace.shape[1]
    cplst = mlreduce.CPLST(n_components=n_latent).fit(data.X, data.Y)
    plst = mlreduce.PLST(n_components=1).fit(None, data.Y)
    assert np.square(cplst.components_[:, learnable]).sum() > 0.99 * n_latent
    assert np.square(plst.components_[:, ~learnable]).sum() > 0.9
    # Beyond the planted dimension the features explain nothing but noise.
    spectrum = mlreduce.CPLST().fit(data.X, data.Y).eigenvalues_
    assert spectrum[n_latent] < 0.1 * spectrum[n_latent - 1]
    # The regression's coefficients lie in the planted subspace of the features.
    coefficients = mlreduce.LinearRegressor().fit(data.X, cplst.encode(data.Y)).coef_.T
    inside = subspace @ (subspace.T @ coefficients)
    assert np.linalg.norm(inside) > 0.98 * np.linalg.norm(coefficients)


def test_labels_without_variance_do_no_harm(example):
    X, Y = example
    Y = np.column_stack([np.zeros(len(Y)), Y, np.ones(len(Y))]).astype(int)
    for name in ALL:
        few = {"n_nonzero": 7} if name == "cs" else {}  # a label that all have is none of few
        model = CodedClassifier(make(name, **few)).fit(X, Y)
        predicted = model.predict(X)
        assert np.isfinite(model.decision_function(X)).all()
        assert not predicted[:, 0].any()
        if name != "mlc-bmad":  # predicts it with the sets of labels that it is in
            assert predicted[:, -1].all()
    assert mlreduce.PLST().fit(None, Y).eigenvalues_[-2:] == pytest.approx([0, 0], abs=1e-9)


def test_fewer_rows_than_features_ties_go_by_variance(rng):
    X, Y = rng.standard_normal((20, 50)), (rng.random((20, 4)) < [0.5, 0.3, 0.2, 0.1]).astype(int)
    occa, plst = mlreduce.OCCA().fit(X, Y), mlreduce.PLST().fit(None, Y)
    np.testing.assert_allclose(occa.components_, plst.components_, atol=1e-6)


@given(arrays(np.int8, st.tuples(st.integers(2, 12), st.integers(1, 5)), elements=st.integers(0, 1)))
def test_plst_of_any_labels_reconstructs_them(Y):
    coder = mlreduce.PLST().fit(None, Y)
    np.testing.assert_array_equal(coder.decode(coder.encode(Y)), Y)
    Z = Y - Y.mean(axis=0)
    assert coder.eigenvalues_.sum() == pytest.approx(np.square(Z).sum(), abs=1e-9)


def test_eigenvectors_of_equal_eigenvalues_are_decided():
    variance = np.diag([1.0, 3.0, 2.0])
    values, vectors = ordered_eigenvectors(np.zeros((3, 3)), variance)
    np.testing.assert_allclose(vectors, np.eye(3)[[1, 2, 0]], atol=1e-12)
    np.testing.assert_array_equal(values, 0)


def test_eigenvalues_that_rounding_tells_from_zero_are_zero(rng):
    X = rng.standard_normal((40, 6))
    Y = (rng.random((40, 5)) < 0.4).astype(int)
    X, Y = np.column_stack([X, X[:, 5] > 0]), np.column_stack([Y, Y[:, 0], 1 - Y[:, 1], X[:, 5] > 0])
    # Of eight labels two repeat others, and the features hold one.
    coders = [make(name) for name in ("plst", "cplst", "kernel-cplst", "cca-code")]
    coders += [make(name, solver="randomized", random_state=0) for name in ("plst", "cplst")]
    for coder in coders:
        values = coder.fit(X, Y).eigenvalues_
        assert (values[:6] > 0).all(), coder
        assert (values[6:] == 0).all(), coder
    errors = mlreduce.OCCA().fit(X, Y).eigenvalues_
    assert (errors[:3] == 0).all()
    assert (errors[3:] < 0).all()
    assert (mlreduce.OCCA().fit(rng.standard_normal((40, 60)), Y).eigenvalues_ == 0).all()


def test_equal_correlations_do_not_depend_on_the_number_of_rows():
    gram = np.diag([1e6, 2e6])
    statistics = LabelStatistics(10**7, np.full(2, 0.5), gram, gram * [0.5 + 1e-5, 0.5])
    coder = mlreduce.CCACode().fit_statistics(statistics)
    np.testing.assert_allclose(coder.components_, np.diag(gram.diagonal() ** -0.5), atol=1e-12)


@pytest.mark.parametrize("value", [0, 6, -1, True, 1.5, 0.0, "two", 2.0])
def test_impossible_sizes_are_refused(value, example):
    with pytest.raises(DataError, match="n_components"):
        mlreduce.PLST(n_components=value).fit(None, example[1])


def test_wrong_inputs_are_refused(example):
    X, Y = example
    with pytest.raises(DataError, match="needs the features"):
        mlreduce.CPLST().fit(None, Y)
    with pytest.raises(DataError, match="needs the features"):
        mlreduce.CPLST().fit_statistics(LabelStatistics.from_labels(Y.astype(float)))
    with pytest.raises(DataError, match="learns all 5 labels"):
        mlreduce.BR(n_components=2).fit(None, Y)
    bad = Y.copy()
    bad[3, 1] = 2
    with pytest.raises(DataError, match=r"holds .*2.* in column 1, row 3"):
        mlreduce.PLST().fit(None, bad)
    with pytest.raises(DataError, match="mixes 0 and -1"):
        mlreduce.PLST().fit(None, [[0, -1], [1, 1]])
    with pytest.raises(DataError, match="strings"):
        mlreduce.PLST().fit(None, [["a", "c"], ["b", "c"]])
    with pytest.raises(DataError, match="inconsistent numbers of samples"):
        mlreduce.CPLST().fit(X[:-1], Y)
    with pytest.raises(DataError, match="NaN in column 2, row 5"):
        mlreduce.CPLST().fit(np.where(np.arange(X.size).reshape(X.shape) == 5 * 7 + 2, np.nan, X), Y)
    coder = mlreduce.PLST(n_components=2).fit(None, Y)
    with pytest.raises(DataError, match=r"size of 1\.\.2"):
        coder.decode(np.zeros((3, 3)))
    with pytest.raises(DataError, match="was fitted on 5"):
        coder.encode(Y[:, :3])


@pytest.mark.parametrize("name", ALL)
def test_tags_declare_multi_output_targets(name):
    tags = get_tags(make(name))
    assert (tags.target_tags.multi_output, tags.target_tags.required, tags.input_tags.sparse) == (True, True, True)
    tags = get_tags(CodedClassifier(make(name)))
    assert (tags.target_tags.multi_output, tags.target_tags.single_output) == (True, True)
    assert tags.classifier_tags.multi_label


@pytest.mark.parametrize("name", ["cplst", "occa", "cca-code"])
@pytest.mark.parametrize("n_rows", [60, 20])
def test_large_sparse_features_are_not_made_dense(name, n_rows, monkeypatch):
    rng = np.random.default_rng(0)
    X = sp.random_array((n_rows, 30), density=0.4, rng=rng, format="csr")
    Y = (X @ rng.standard_normal((30, 4)) + 0.3 * rng.standard_normal((n_rows, 4)) > 0.2).astype(float)
    expected = make(name).fit(X, Y)
    monkeypatch.setattr(lsqr, "DENSE_SIDE", 10)
    monkeypatch.setattr(gram.Design, "factorise", None)
    monkeypatch.setattr(gram.GramDesign, "factorise", None)
    found = make(name).fit(X, Y)
    np.testing.assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.components_, expected.components_, atol=1e-8)
