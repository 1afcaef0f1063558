"""The rule ``ties="expected"``: means over all orders of labels that tie, by brute force and by formulas."""

from __future__ import annotations

from itertools import permutations, product
from math import comb, factorial, log2, prod

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics

from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.linalg import distances
from mlreduce.metrics import MEASURES, Outcome, evaluate, find_measure, get_scorer
from mlreduce.metrics.measures import measures_that_need

# Areas without a pair to order are NaN under each rule for ties.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")

OF_SCORES = [*measures_that_need("scores"), *measures_that_need("propensities")]
OF_FIRST = [name for name in OF_SCORES if "-at-" in name]
# Means over the instances, or ratios of sums over them; the others order instances, or all assignments together.
OF_ALL = ["macro-auc", "micro-auc", "micro-auprc"]
OF_INSTANCES = [name for name in OF_SCORES if name not in OF_ALL]


def measured(names, labels, scores, ties="expected", known=None):
    p = np.linspace(0.3, 0.9, labels.shape[1])
    outcome = Outcome(labels, labels, scores=scores, known=known, propensities=p, ties=ties)
    return [find_measure(name)(outcome) for name in names]


SHAPES = st.tuples(st.integers(1, 12), st.integers(1, 8))


@st.composite
def problems(draw, shapes=SHAPES):
    """Labels, and scores of few values."""
    shape = draw(shapes)
    labels = draw(arrays(np.int8, shape, elements=st.integers(0, 1), fill=st.nothing()))
    levels = draw(arrays(np.int64, shape, elements=st.integers(0, 3), fill=st.nothing()))
    return labels, levels.astype(float)


def orders(levels):
    """Yield scores without ties: all orders of the cells that agree with the levels."""
    flat = levels.ravel()
    groups = [np.flatnonzero(flat == level) for level in np.unique(flat)]
    for part in product(*map(permutations, groups)):
        scores = np.empty(len(flat))
        scores[[cell for group in part for cell in group]] = np.arange(len(flat))
        yield scores.reshape(levels.shape)


@given(problems(st.sampled_from([(1, 6), (2, 3), (3, 2), (6, 1), (1, 4)])), st.integers(0, 10**6))
def test_the_mean_over_all_orders(problem, seed):
    labels, levels = problem
    rounding = 1e-13 * np.random.default_rng(seed).standard_normal(levels.shape)
    every = list(orders(levels))
    stacked = np.tile(labels, (len(every), 1)), np.concatenate(every)
    expected = measured(OF_INSTANCES, *stacked, ties="standard")
    expected += np.mean([measured(OF_ALL, labels, scores, ties="standard") for scores in every], axis=0).tolist()
    np.testing.assert_allclose(measured(OF_INSTANCES + OF_ALL, labels, levels), expected, atol=1e-12)
    # What rounding makes of ties are ties, but where no two scores differ otherwise: then there is no scale.
    if levels.min() < levels.max():
        np.testing.assert_allclose(measured(OF_INSTANCES + OF_ALL, labels, levels + rounding), expected, atol=1e-12)


@given(problems(), st.integers(0, 10**6))
def test_equal_to_the_default_where_nothing_ties(problem, seed):
    labels, levels = problem
    scores = np.random.default_rng(seed).permutation(levels.size).reshape(levels.shape) / 8.0
    np.testing.assert_allclose(
        measured(OF_SCORES, labels, scores), measured(OF_SCORES, labels, scores, "standard"), atol=1e-12
    )


@given(problems(), st.integers(0, 10**6))
def test_the_order_of_labels_and_instances_does_not_matter(problem, seed):
    labels, scores = problem
    rng = np.random.default_rng(seed)
    # Not of the propensity-scored ones, whose propensities belong to labels.
    names = [name for name in OF_SCORES if MEASURES[name].needs == "scores"]
    shuffled = np.ix_(rng.permutation(len(labels)), rng.permutation(labels.shape[1]))
    np.testing.assert_allclose(
        measured(names, labels[shuffled], scores[shuffled]), measured(names, labels, scores), atol=1e-12
    )


@given(problems(), st.integers(-300, 300), st.sampled_from([-1024.0, -0.5, 0.0, 3.0]))
def test_scale_and_shift_do_not_matter(problem, power, shift):
    labels, scores = problem
    rounded = scores * (1 + 1e-14)
    for part in (scores * 2.0**power, scores + shift, rounded / 3 + shift):
        np.testing.assert_allclose(
            measured(OF_SCORES, labels, part), measured(OF_SCORES, labels, scores), atol=1e-12, err_msg=str(part)
        )


@given(problems(st.tuples(st.just(4), st.integers(2, 8))))
def test_gains_are_those_of_scikit_learn_which_averages_ties(problem):
    labels, scores = problem
    for k in (1, 3, 5):
        theirs = metrics.ndcg_score(labels, scores, k=k)
        assert evaluate(f"ndcg-at-{k}", labels, scores, ties="expected") == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(("n_true", "n_labels"), [(1, 1), (1, 2), (2, 5), (5, 5), (3, 40), (7, 2000)])
def test_constant_scores(n_true, n_labels):
    labels = np.zeros((2, n_labels), dtype=np.int8)
    labels[0, :n_true] = labels[1, -n_true:] = 1
    share = n_true / n_labels
    # A true label at place j has, of the j - 1 before it, their share of the other true labels.
    others = (n_true - 1) / max(n_labels - 1, 1)
    discounts = [1 / log2(place + 2) for place in range(5)]
    expected = {
        "average-precision": sum((1 + (j - 1) * others) / j for j in range(1, n_labels + 1)) / n_labels,
        "ranking-loss": 0.5 if n_true < n_labels else 0,
        "coverage": n_true * (n_labels + 1) / (n_true + 1) - 1,
        "one-error": 1 - share,
        "precision-at-1": share,
        "precision-at-5": share * min(5, n_labels) / 5,
        "ndcg-at-5": share * sum(discounts[:n_labels]) / sum(discounts[:n_true]),
        # Undefined where all assignments are true.
        "micro-auc": 0.5 if n_true < n_labels else np.nan,
        "macro-auc": 0.5 if n_true < n_labels else np.nan,
    }
    for constant in (0.0, 1 / 3, -7e200):
        values = [evaluate(name, labels, np.full(labels.shape, constant), ties="expected") for name in expected]
        assert values == pytest.approx(list(expected.values()), rel=1e-12, nan_ok=True), constant


def test_the_last_of_several_true_labels_by_counting():
    places = [max(part) for part in permutations(range(1, 7), 3)]
    assert len(places) == factorial(3) * comb(6, 3) == prod([6, 5, 4])
    labels = np.array([[1, 1, 1, 0, 0, 0]])
    assert evaluate("coverage", labels, np.zeros((1, 6)), ties="expected") == pytest.approx(np.mean(places) - 1)


def test_what_ties():
    def tied(*scores):
        return evaluate("ranking-loss", [[0, 1, 0][: len(scores)]], [scores], ties="expected")

    assert tied(0.5, 0.5 - 0.9e-9, 1.5) == 0.75
    assert tied(0.5, 0.5 - 1.1e-9, 1.5) == 1.0
    assert tied(0.5, 0.5 + 1.1e-9, 1.5) == 0.5
    # Ties chain: the first and the last of these are 1.6e-9 apart.
    chained = [[0.5, 0.5 + 0.8e-9, 0.5 + 1.6e-9, 1.5]]
    assert evaluate("ranking-loss", [[1, 0, 1, 0]], chained, ties="expected") == 0.75
    # An instance whose scores differ by rounding errors of the others' alone.
    scores = np.array([[0.0, 1e-17, -1e-17], [0.1, 0.9, 0.2]])
    assert evaluate("ranking-loss", [[1, 0, 0], [0, 1, 0]], scores, ties="expected") == 0.25
    assert evaluate("macro-auc", [[1, 0], [0, 1]], [[1e-17, 1], [0, 0]], ties="expected") == 0.25


def test_unknown_labels_are_not_ordered():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(2, size=(30, 9)).astype(float), rng.integers(4, size=(30, 9)) / 4
    labels[rng.random(labels.shape) < 0.3] = np.nan
    for name in OF_INSTANCES:
        if MEASURES[name].needs == "propensities" or name.endswith("-labelled"):
            continue
        parts = [
            evaluate(name, [row[~np.isnan(row)]], [part[~np.isnan(row)]], ties="expected")
            for row, part in zip(labels, scores, strict=True)
        ]
        assert evaluate(name, labels, scores, ties="expected") == pytest.approx(np.mean(parts)), name
    columns = [
        evaluate("micro-auc", part[part == part][:, np.newaxis], score[part == part][:, np.newaxis], ties="expected")
        for part, score in zip(labels.T, scores.T, strict=True)
    ]
    assert evaluate("macro-auc", labels, scores, ties="expected") == pytest.approx(np.mean(columns))


@pytest.mark.parametrize("name", OF_FIRST)
def test_sparse_scores_are_the_known_ones(name):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(2, size=(30, 12)).astype(np.int8), rng.integers(4, size=(30, 12)) / 4
    stored = rng.random(scores.shape) < 0.6
    stored[:2] = False
    rows, columns = np.nonzero(stored)
    sparse = sp.csr_array((scores[stored], (rows, columns)), shape=scores.shape)
    least = np.where(stored, scores, scores.min() - 1 - np.arange(12))  # behind all others, in some order without ties
    hidden = np.where(stored, labels, 0)
    values = [measured([name], part, sparse) for part in (labels, sp.csr_array(labels))]
    assert values[0] == values[1]
    # What is not stored is no first label: the values are those of false labels behind all others.
    if name.startswith("precision"):
        assert values[0] == pytest.approx(measured([name], hidden, least), rel=1e-12)
    every = sp.csr_array((scores.ravel(), np.divmod(np.arange(scores.size), 12)), shape=scores.shape)
    assert measured([name], labels, every) == pytest.approx(measured([name], labels, scores), rel=1e-12)


def test_blocks_of_rows_do_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(2, size=(30, 5)), rng.integers(4, size=(30, 5)).astype(float)
    expected = measured(OF_SCORES, labels, scores)
    monkeypatch.setattr(distances, "_BLOCK_BYTES", 8)
    assert measured(OF_SCORES, labels, scores) == expected


def test_infinite_scores_tie_and_those_that_are_no_number_have_no_value():
    labels = np.array([[1, 0, 1, 0], [1, 0, 0, 0]])
    same = np.array([[3.0, 3.0, 1.0, 2.0], [0.0, 0.0, 1.0, 2.0]])
    for large in (9.0, 1e308):
        scores = np.array([[np.inf, np.inf, -large, large], [-np.inf, -np.inf, 0.0, large]])
        assert measured(OF_INSTANCES, labels, scores) == pytest.approx(measured(OF_INSTANCES, labels, same)), large
    scores[0, 2] = np.nan
    assert np.isnan(measured(OF_SCORES, labels, scores)).all()


def test_bad_input():
    labels, scores = np.eye(2, dtype=np.int8), np.eye(2)
    for wrong in (
        lambda: evaluate("ranking-loss", labels, scores, ties="expcted"),
        lambda: evaluate("hamming-loss", labels, labels, ties="expcted"),
        lambda: get_scorer("ranking-loss", ties="expcted"),
        lambda: Outcome(labels, labels, ties="expcted"),
    ):
        with pytest.raises(ConfigurationError, match="unknown rule for ties 'expcted'; did you mean 'expected'"):
            wrong()
    with pytest.raises(DataError, match="orders all labels, and the scores are a sparse matrix"):
        evaluate("average-precision", labels, sp.csr_array(scores), ties="expected")
    with pytest.raises(ValueError, match="must agree and not be empty"):
        measured(["average-precision"], labels, np.eye(3))


def test_a_scorer_averages_ties():
    import mlreduce

    data = mlreduce.load_dataset("digits-300")
    model = mlreduce.BinaryRelevanceKNN(n_neighbors=3).fit(data.X[:200], data.Y[:200])
    scores = model.predict_proba(data.X[200:])
    values = get_scorer("ranking-loss", ties="expected")(model, data.X[200:], data.Y[200:])
    assert values == -evaluate("ranking-loss", data.Y[200:], scores, ties="expected")
    assert values > get_scorer("ranking-loss")(model, data.X[200:], data.Y[200:])
