"""Calibration: penalised logistic curves are optimal, keep the order of scores, and do not depend on their unit."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression, Ridge

import mlreduce
from mlreduce.metrics import evaluate
from mlreduce.predictors.calibration import Calibration, _logistic
from mlreduce.predictors.decision import fold_predictions

DATA = mlreduce.load_dataset("planted-300")
X, Y = DATA.X[:200], DATA.Y[:200, :6]


def drawn(rng, n=400, q=5, slope=2.0, intercepts=(-3.0, -2.0, -1.0, 0.0, 1.0)):
    scores = rng.normal(size=(n, q))
    labels = rng.random((n, q)) < expit(slope * scores + np.array(intercepts))
    return scores, labels.astype(float)


def test_without_a_penalty_a_curve_is_that_of_logistic_regression(rng):
    scores, labels = drawn(rng)
    for column in range(5):
        found = _logistic(scores[:, [column]], labels[:, [column]], np.ones((400, 1)), np.zeros((2, 1)), 1e-9)
        reference = LogisticRegression(C=np.inf, tol=1e-10).fit(scores[:, [column]], labels[:, column])
        np.testing.assert_allclose(found[:, 0], [reference.coef_[0, 0], reference.intercept_[0]], rtol=1e-4)


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 10.0))
@settings(max_examples=25, deadline=None)
def test_curves_are_optimal(seed, strength):
    """Where the gradient of the penalised loss, which is convex, is zero."""
    rng = np.random.default_rng(seed)
    scores, labels = drawn(rng, n=60)
    weights, prior = rng.integers(0, 3, scores.shape).astype(float), rng.normal(size=(2, 5))
    curves = _logistic(scores, weights * labels, weights, prior, strength)
    errors = weights * (expit(curves[0] * scores + curves[1]) - labels)
    gradient = np.array([(errors * scores).sum(axis=0), errors.sum(axis=0)]) + strength * (curves - prior)
    np.testing.assert_allclose(gradient, 0, atol=1e-3)


def test_probabilities_are_near_the_drawn_ones(rng):
    scores, labels = drawn(rng, n=20_000)
    curves = Calibration.from_scores(scores, labels)
    np.testing.assert_allclose(curves.slopes, 2.0, atol=0.2)
    np.testing.assert_allclose(curves.intercepts, [-3, -2, -1, 0, 1], atol=0.2)


def test_a_label_without_positives_has_nearly_the_common_slope(rng):
    scores, labels = drawn(rng, intercepts=[-1.0] * 5)
    labels[:, 2] = 0
    curves = Calibration.from_scores(scores, labels)
    assert 0.1 < curves.slopes[2] < curves.slopes.max()
    assert 0 < curves.apply(scores)[:, 2].max() < 0.1


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
@settings(max_examples=25, deadline=None)
def test_the_unit_of_scores_does_not_matter_and_their_order_is_kept(seed, factor, offset):
    scores, labels = drawn(np.random.default_rng(seed), n=40)
    labels = 1 - labels if seed % 2 else labels  # larger scores of what is absent, too
    found = Calibration.from_scores(scores, labels).apply(scores)
    scaled = factor * (scores + offset)
    np.testing.assert_allclose(Calibration.from_scores(scaled, labels).apply(scaled), found, atol=1e-5)
    order = np.argsort(scores, axis=0)
    assert (np.diff(np.take_along_axis(found, order, axis=0), axis=0) >= 0).all()
    assert ((found >= 0) & (found <= 1)).all()


def test_what_is_not_known_does_not_matter(rng):
    scores, labels = drawn(rng, n=100)
    known = rng.random(scores.shape) < 0.7
    found = Calibration.from_scores(scores, labels, known)
    centred = np.where(known, scores, scores[known].mean())  # any score of the same unit
    other = Calibration.from_scores(centred, np.where(known, labels, 1 - labels), known)
    np.testing.assert_allclose(other, found, rtol=1e-6)
    alone = Calibration.from_scores(scores, labels, np.ones_like(known))
    np.testing.assert_array_equal(alone, Calibration.from_scores(scores, labels))
    nothing = Calibration.from_scores(scores, labels, np.zeros_like(known))
    assert np.isfinite(nothing.apply(scores)).all()


@pytest.mark.parametrize(
    "scores", [np.zeros((6, 2)), np.full((6, 2), 1e300), np.outer([-1e300, 1, 2, 3, 4, 1e300], [1, 1])]
)
def test_no_finite_score_is_too_large(scores):
    for labels in (np.zeros((6, 2)), np.ones((6, 2)), np.tile([[0], [1]], (3, 2))):
        found = Calibration.from_scores(scores, labels).apply(scores)
        assert np.isfinite(found).all()


def test_scores_of_the_classifier_are_calibrated_on_rows_that_were_held_out():
    model = mlreduce.ThresholdClassifier(Ridge(), decision="half", calibrate=True).fit(X, Y)
    held_out = fold_predictions(Ridge(), X, Y.astype(float), lambda fitted, rows: fitted.predict(rows))
    curves = Calibration.from_scores(held_out, Y)
    np.testing.assert_allclose(model.calibration_, curves, rtol=1e-9)
    expected = curves.apply(Ridge().fit(X, Y).predict(DATA.X))
    np.testing.assert_allclose(model.predict_scores(DATA.X), expected, atol=1e-9)
    np.testing.assert_array_equal(model.predict(DATA.X), expected > 0.5)


@pytest.mark.parametrize("estimator", [None, mlreduce.MLKNN(), ExtraTreesClassifier(3, random_state=0)])
@pytest.mark.parametrize("decision", ["half", "one-threshold", "per-label", "top-k"])
@pytest.mark.parametrize("calibrate", [True, False])
@pytest.mark.rotating
def test_forms_of_labels(estimator, decision, calibrate):
    model = mlreduce.ThresholdClassifier(estimator, decision=decision, calibrate=calibrate).fit(X, Y)
    scores = model.predict_scores(DATA.X)
    assert not calibrate or ((scores > 0) & (scores < 1)).all()
    sparse = clone(model).fit(X, sp.csr_array(Y))
    np.testing.assert_allclose(sparse.predict_scores(DATA.X), scores, atol=1e-9)
    np.testing.assert_array_equal(sparse.predict(DATA.X).toarray(), model.predict(DATA.X))
    one = clone(model).fit(X, Y[:, 0])
    assert one.predict(DATA.X).shape == (300,)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_scores(DATA.X), scores)
    for labels in (Y, sp.csr_array(Y)):
        inside = mlreduce.ThresholdClassifier(clone(model)).fit(X, labels)
        np.testing.assert_allclose(inside.predict_scores(DATA.X), scores, atol=1e-9)


def test_unknown_labels():
    labels = Y.astype(float)
    labels[::7, 2] = np.nan
    model = mlreduce.ThresholdClassifier(calibrate=True).fit(X, labels)
    assert ((model.predict_scores(DATA.X) > 0) & (model.predict_scores(DATA.X) < 1)).all()


def test_calibration_mends_scores_of_different_units(rng):
    """Each label's scores in another unit: the ranking of the labels of a row is nearly lost, and then restored."""
    scores, labels = drawn(rng, n=1000)
    distorted = scores * [0.1, 5.0, 1.0, 30.0, 2.0] + [4.0, -3.0, 0.0, 10.0, -6.0]
    found = [
        evaluate("average-precision", labels[500:], Calibration.from_scores(one[:500], labels[:500]).apply(one[500:]))
        for one in (scores, distorted)
    ]
    assert found[1] > evaluate("average-precision", labels[500:], distorted[500:]) + 0.1
    assert found[1] == pytest.approx(found[0], abs=0.02)
