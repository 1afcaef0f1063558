from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.predictors.fisher import FisherClassifier

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


def problem(rng, n=60, d=6, c=4):
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.uniform(-3, 3, d)
    Y = (rng.random((n, c)) < rng.uniform(0.2, 0.6, c)).astype(int)
    Y[:2] = [[0] * c, [1] * c]
    return X + Y @ rng.standard_normal((c, d)), Y


def test_the_midpoint_of_the_means_is_the_threshold(rng):
    X, Y = problem(rng)
    model = FisherClassifier(ridge=0, threshold="midpoint").fit(X, Y)
    for label, y in enumerate(Y.T):
        midpoint = (X[y == 0].mean(axis=0) + X[y == 1].mean(axis=0)) / 2
        assert model.decision_function([midpoint])[0, label] == pytest.approx(0, abs=1e-9)
    odds = np.log(Y.sum(axis=0) / (1 - Y).sum(axis=0))
    prior = FisherClassifier(ridge=0, threshold="prior").fit(X, Y)
    np.testing.assert_allclose(prior.decision_function(X), model.decision_function(X) + odds, atol=1e-9)


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_it_is_scikit_learns_linear_discriminant_analysis(solver, rng):
    X, Y = problem(rng)
    ours = FisherClassifier(ridge=0, threshold="prior").fit(X, Y)
    for label in range(Y.shape[1]):
        theirs = LinearDiscriminantAnalysis(solver=solver).fit(X, Y[:, label])
        cosine = ours.coef_[label] @ theirs.coef_[0] / np.linalg.norm(ours.coef_[label]) / np.linalg.norm(theirs.coef_)
        assert cosine == pytest.approx(1, abs=1e-10)
        if solver == "lsqr":
            np.testing.assert_allclose(ours.decision_function(X)[:, label], theirs.decision_function(X), atol=1e-7)


@pytest.mark.parametrize(("n", "d"), [(40, 9), (12, 20)], ids=["tall", "wide"])
@pytest.mark.parametrize("threshold", ["midpoint", "prior"])
@pytest.mark.parametrize("ridge", [None, 0.0, 2.0])
def test_nested_sizes_are_as_if_each_were_trained_alone(n, d, threshold, ridge, rng):
    X, Y = problem(rng, n, d)
    Y[:, 3] = 1
    new, sizes = rng.standard_normal((15, d)), [1, 2, 5, d]
    nested = [
        scores.copy() for scores in FisherClassifier(ridge, threshold).predict_nested(X, sp.csr_array(Y), new, sizes)
    ]
    own = FisherClassifier(ridge, threshold).fit(X, Y).ridge_
    assert ridge is None or own == ridge
    for size, scores in zip(sizes, nested, strict=True):
        alone = FisherClassifier(own, threshold).fit(X[:, :size], Y).predict_scores(new[:, :size])
        # Without a ridge and with more features than rows the classes lie apart, and only the sides are determined.
        if ridge == 0 and size >= n - 1:
            np.testing.assert_array_equal(scores > 0.5, alone > 0.5)
        else:
            np.testing.assert_allclose(scores, alone, rtol=1e-7, atol=1e-7)


def test_the_ridge_is_relative_to_the_scatter(rng):
    X, Y = problem(rng)
    model = FisherClassifier(None).fit(X, Y)
    assert model.ridge_ == pytest.approx(1e-3 * np.square(X - X.mean(axis=0)).sum() / X.shape[1])
    np.testing.assert_array_equal(FisherClassifier(None).fit(1e3 * X, Y).predict(1e3 * X), model.predict(X))
    chosen, ridge = FisherClassifier().fit(X, Y), mlreduce.RidgeRegressor().fit(X, Y)
    assert (chosen.ridge_, chosen.edge_) == (pytest.approx(ridge.penalty_), ridge.edge_)


@pytest.mark.parametrize("threshold", ["midpoint", "prior"])
def test_a_label_of_all_rows_or_of_none_is_predicted_so(threshold, rng):
    X, Y = problem(rng)
    Y[:, 0], Y[:, 2] = 0, 1
    model = FisherClassifier(threshold=threshold).fit(X, Y)
    assert (model.predict(X)[:, 0] == 0).all()
    assert (model.predict(X)[:, 2] == 1).all()
    assert np.isfinite(model.predict_scores(X)).all()
    np.testing.assert_array_equal(model.coef_[[0, 2]], 0)
    rest = FisherClassifier(threshold=threshold).fit(X, Y[:, [1, 3]])
    np.testing.assert_allclose(model.decision_function(X)[:, [1, 3]], rest.decision_function(X))


@both
def test_collinear_features_have_the_shortest_direction(kind, rng):
    X, Y = problem(rng)
    plain = FisherClassifier(ridge=0).fit(X, Y)
    model = FisherClassifier(ridge=0).fit(kind(np.c_[X, X[:, 0]]), Y)
    np.testing.assert_allclose(model.decision_function(np.c_[X, X[:, 0]]), plain.decision_function(X), atol=1e-6)
    np.testing.assert_allclose(model.coef_[:, 0], model.coef_[:, -1])


def test_classes_that_a_feature_tells_apart_are_told_apart(rng):
    y = np.arange(30) % 2
    X = np.c_[y, rng.standard_normal((30, 2))]
    for ridge in (0, None):
        np.testing.assert_array_equal(FisherClassifier(ridge).fit(X, y).predict(X), y)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"ridge": -1}, "ridge, if not 'loo', must be a number >= 0; got -1"),
        ({"ridge": "some"}, "ridge, if not 'loo', must be a number"),
        ({"threshold": "zero"}, "threshold must be 'midpoint' or 'prior'; got 'zero'"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, sentence, rng):
    X, Y = problem(rng)
    with pytest.raises(DataError, match=sentence):
        mlreduce.make("flda", **parameters).fit(X, Y)
    with pytest.raises(DataError, match=sentence):
        next(mlreduce.make("flda", **parameters).predict_nested(X, Y, X, [2]))
