"""Measures of the first k labels, by hand and by plain loops; labels and scores dense and sparse."""

from __future__ import annotations

from math import log, log2

import numpy as np
import pytest
import scipy.sparse as sp

from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.metrics import MEASURES, Outcome, evaluate, find_measure, get_scorer, propensities

K = (1, 3, 5)
NAMES = [f"{kind}-at-{k}" for kind in ("precision", "ndcg", "psp", "psndcg") for k in K]

Y = np.array([[1, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0]])
SCORES = np.array([[0.9, 0.8, 0.7, 0.1, 0.0, -1.0], [0.5, 0.4, 0.3, 0.2, 0.1, 0.0], [0.1, 0.6, 0.2, 0.6, 0.9, 0.8]])
# The last row's order is 4, 5, 1, 3 (of equal scores the first label), 2.
BY_HAND = {
    "precision-at-1": 1 / 3,
    "precision-at-3": (2 + 0 + 1) / 9,
    "precision-at-5": (2 + 0 + 3) / 15,
    "ndcg-at-1": 1 / 3,
    "ndcg-at-3": ((1 + 1 / 2) / (1 + 1 / log2(3)) + (1 / 2) / (1 + 1 / log2(3) + 1 / 2)) / 3,
    "ndcg-at-5": (
        (1 + 1 / 2) / (1 + 1 / log2(3))
        + (1 / 2 + 1 / log2(5) + 1 / log2(6)) / (1 + 1 / log2(3) + 1 / 2 + 1 / log2(5))
    ) / 3,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BY_HAND.items())
def test_values_by_hand(name, value):
    assert evaluate(name, Y, SCORES) == pytest.approx(value, rel=1e-14)


def test_propensity_scored_by_hand():
    p = np.array([0.5, 0.25, 0.2, 0.1, 0.5, 0.5])
    # Reached 2, and of five 2 + 5 and 4 + 10 + 5; possible 5 and 10, of five 2 + 5 and 2 + 4 + 5 + 10.
    assert evaluate("psp-at-1", Y, SCORES, propensity=p) == pytest.approx(2 / (5 + 10))
    assert evaluate("psp-at-5", Y, SCORES, propensity=p) == pytest.approx((7 + 19) / (7 + 21))
    two, four = 1 + 1 / log2(3), 1 + 1 / log2(3) + 1 / 2 + 1 / log2(5)
    reached = (2 + 5 / 2) / two + (4 / 2 + 10 / log2(5) + 5 / log2(6)) / four
    possible = (5 + 2 / log2(3)) / two + (10 + 5 / log2(3) + 4 / 2 + 2 / log2(5)) / four
    assert evaluate("psndcg-at-5", Y, SCORES, propensity=p) == pytest.approx(reached / possible)


def test_propensities_by_hand():
    labels = np.zeros((20, 3))
    labels[:4, 0] = labels[:, 1] = 1
    for form in (np.asarray, sp.csr_array, lambda Y: Y.astype(bool)):
        found = propensities(form(labels), a=0.5, b=0.4)
        expected = [1 / (1 + (log(20) - 1) * 1.4**0.5 / (n + 0.4) ** 0.5) for n in (4, 20, 0)]
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    with pytest.raises(DataError, match="three|3 instances at least"):
        propensities(labels[:2])


def _by_loops(kind, k, labels, scores, p):
    """As the definitions are written, instance by instance."""
    reached = possible = total = 0.0
    for row, own in zip(labels, scores, strict=True):
        order = sorted(range(len(row)), key=lambda label, own=own: (-own[label], label))
        gains = row / p if kind.startswith("ps") else row
        best = sorted(range(len(row)), key=lambda label, gains=gains: -gains[label])
        n_true = min(int(row.sum()), k)
        if kind.endswith("ndcg"):
            norm = sum(1 / log2(place + 2) for place in range(n_true)) or 1.0
            values = [
                sum(gains[label] / log2(place + 2) for place, label in enumerate(some[:k])) / norm
                for some in (order, best)
            ]
        else:
            values = [sum(gains[label] for label in some[:k]) / k for some in (order, best)]
        reached, possible, total = reached + values[0], possible + values[1], total + 1
    return reached / possible if kind.startswith("ps") else reached / total


def _problem(seed, n=40, q=11):
    rng = np.random.default_rng(seed)
    labels = (rng.random((n, q)) < rng.random(q) * 0.5).astype(np.int8)
    labels[:2] = 0
    return labels, rng.integers(0, 6, (n, q)) / 8.0  # with ties


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_values_by_plain_loops(name, seed):
    labels, scores = _problem(seed)
    p = propensities(labels)
    kind, _, k = name.rpartition("-at-")
    expected = _by_loops(kind, int(k), labels, scores, p)
    assert evaluate(name, labels, scores, propensity=p) == pytest.approx(expected, rel=1e-12)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :5]
    rows = np.repeat(np.arange(len(labels)), 5)
    stored = sp.csr_array((scores[rows, best.ravel()], (rows, best.ravel())), shape=labels.shape)
    stored_zeros = sp.csr_array((stored.data, stored.indices, stored.indptr), shape=labels.shape)
    for truth in (labels, sp.csr_array(labels), sp.coo_array(labels)):
        assert evaluate(name, truth, stored_zeros, propensity=p) == evaluate(name, labels, scores, propensity=p)


@pytest.mark.parametrize("name", [name for name, own in MEASURES.items() if own.needs == "labels"])
@pytest.mark.parametrize("seed", range(3))
def test_sparse_labels_have_the_values_of_dense_ones(name, seed):
    labels, scores = _problem(seed)
    predicted = (scores > 0.3).astype(np.int8)
    expected = evaluate(name, labels, predicted)
    for truth, given in [(labels, sp.csr_array(predicted)), (sp.csr_array(labels), predicted)]:
        assert evaluate(name, truth, given) == expected
    sparse = Outcome.over_known(sp.csr_array(labels), sp.csc_array(predicted))
    assert find_measure(name)(sparse) == expected
    if not name.startswith("labels-predicted"):
        truth = labels.astype(float)
        truth[3, 4] = np.nan
        assert evaluate(name, sp.csr_array(truth), predicted) == evaluate(name, truth, predicted)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", [name for name, own in MEASURES.items() if own.needs == "scores"])
def test_measures_of_scores_take_sparse_labels(name):
    labels, scores = _problem(0)
    assert evaluate(name, sp.csr_array(labels), scores) == evaluate(name, labels, scores)


def test_unknown_labels_are_no_first_labels():
    truth = Y.astype(float)
    truth[0, 0] = truth[2, 4] = np.nan
    assert evaluate("precision-at-1", truth, SCORES) == pytest.approx(0)
    assert evaluate("precision-at-3", truth, SCORES) == pytest.approx((1 + 0 + 2) / 9)
    p = propensities(Y, a=0.5, b=0.4)
    known = [truth[[row]][:, ~np.isnan(truth[row])] for row in (0, 2)]
    reached = possible = 0
    for row, own in zip((0, 2), known, strict=True):
        order = np.argsort(-SCORES[row][~np.isnan(truth[row])], kind="stable")[:3]
        gains = own[0] / p[~np.isnan(truth[row])]
        reached, possible = reached + gains[order].sum(), possible + np.sort(gains)[-3:].sum()
    assert evaluate("psp-at-3", truth, SCORES, propensity=p) == pytest.approx(reached / possible)


def test_fewer_stored_than_k():
    stored = sp.csr_array(np.where(SCORES > 0.75, SCORES, 0))
    assert evaluate("precision-at-5", Y, stored) == pytest.approx(1 / 15)


def test_what_cannot_be_measured_is_said():
    stored = sp.csr_array(SCORES)
    with pytest.raises(DataError, match=r"orders all labels, and the scores are a sparse matrix, .* precision-at-5"):
        evaluate("ranking-loss", Y, stored)
    with pytest.raises(DataError, match="orders all labels"):
        evaluate("macro-auc", Y, stored)
    with pytest.raises(
        ConfigurationError, match=r"psndcg-at-1, .* propensity=mlreduce.metrics.propensities\(Y_train\)"
    ):
        evaluate("psp-at-5", Y, SCORES)
    with pytest.raises(ConfigurationError, match="propensity="):
        get_scorer("psp-at-5")
    with pytest.raises(DataError, match=r"a number in \(0, 1\] for each of the 6 labels"):
        evaluate("psp-at-5", Y, SCORES, propensity=np.ones(5))
    with pytest.raises(DataError, match="NaN or infinite"):
        evaluate("precision-at-1", Y, sp.csr_array(np.where(SCORES > 0.85, np.inf, 0.0)))


def test_a_scorer_with_propensities():
    import mlreduce

    data = mlreduce.load_dataset("digits-300")
    model, p = mlreduce.MLKNN().fit(data.X[:200], data.Y[:200]), propensities(data.Y[:200])
    found = get_scorer("psp-at-3", propensity=p)(model, data.X[200:], data.Y[200:])
    assert found == evaluate("psp-at-3", data.Y[200:], model.predict_proba(data.X[200:]), propensity=p)
