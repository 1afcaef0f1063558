from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

from mlreduce.exceptions import ConfigurationError
from mlreduce.linalg import distances
from mlreduce.metrics import MEASURES, Outcome, evaluate, find_measure, higher_is_better, measure, measure_label
from mlreduce.metrics.counts import Ranks
from mlreduce.metrics.measures import measures_that_need

INSTANCE = ["subset-accuracy", "instance-accuracy", "instance-precision", "instance-recall", "instance-f1"]
RANKING = ["ranking-loss", "coverage", "one-error", "average-precision", "micro-auc", "macro-auc", "micro-auprc"]
LABELLED = ["ranking-loss-labelled", "coverage-labelled", "average-precision-labelled"]
FIRST = [f"{kind}-at-{k}" for kind in ("precision", "ndcg") for k in (1, 3, 5)]
SCORED = [f"{kind}-at-{k}" for kind in ("psp", "psndcg") for k in (1, 3, 5)]
CODES = ["encoding-error", "loss-bound", "prediction-error"]
KINDS = {"f1": metrics.f1_score, "precision": metrics.precision_score, "recall": metrics.recall_score}


@st.composite
def problems(draw):
    """Labels, predictions and scores; scikit-learn takes a single label for a binary problem."""
    shape = draw(st.tuples(st.integers(1, 12), st.integers(2, 6)))
    bits = arrays(np.int8, shape, elements=st.integers(0, 1), fill=st.just(0))
    scores = arrays(np.float64, shape, elements=st.sampled_from([-2.0, 0.0, 0.25, 0.5, 3.0]))
    return draw(bits), draw(bits), draw(scores)


def measured(names, labels, predicted, scores=None):
    return [find_measure(name)(Outcome(labels, predicted, scores=scores)) for name in names]


def ranked(names, labels, scores):
    return measured(names, labels, (scores > 0.5).astype(np.int8), scores)


def quiet(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of empty instances and labels
        return function(*arguments, **options)


@given(problems())
def test_instance_measures_equal_scikit_learn(problem):
    labels, predicted, _ = problem
    neither = (~labels.any(axis=1) & ~predicted.any(axis=1)).mean()
    theirs = [metrics.jaccard_score, KINDS["precision"], KINDS["recall"], KINDS["f1"]]
    expected = [quiet(own, labels, predicted, average="samples", zero_division=0) + neither for own in theirs]
    found = measured(INSTANCE, labels, predicted)
    assert found == pytest.approx([metrics.accuracy_score(labels, predicted), *expected], abs=1e-12)
    assert measured(INSTANCE, labels.astype(bool), predicted.astype(bool)) == found


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("kind", KINDS)
@given(problem=problems())
def test_label_measures_equal_scikit_learn(average, kind, problem):
    labels, predicted, _ = problem
    expected = quiet(KINDS[kind], labels, predicted, average=average, zero_division=0)
    assert measured([f"{average}-{kind}"], labels, predicted) == pytest.approx([expected], abs=1e-12)


@given(problems())
def test_hamming_loss_equals_scikit_learn(problem):
    labels, predicted, _ = problem
    assert measured(["hamming-loss"], labels, predicted) == pytest.approx([metrics.hamming_loss(labels, predicted)])
    rows = np.square(labels.astype(float) - predicted).sum(axis=1)
    assert measured(["rmse"], labels, predicted) == pytest.approx([np.sqrt(rows.mean())])


@given(problems())
def test_ranking_measures_equal_scikit_learn(problem):
    labels, _, scores = problem
    loss, precision, one_error = ranked(["ranking-loss", "average-precision", "one-error"], labels, scores)
    assert loss == pytest.approx(metrics.label_ranking_loss(labels, scores), abs=1e-12)
    assert precision == pytest.approx(metrics.label_ranking_average_precision_score(labels, scores), abs=1e-12)
    # A tie is an error: a false label with the largest score is as bad as one alone.
    assert one_error == np.mean([not own[row == row.max()].all() for own, row in zip(labels, scores, strict=True)])
    some = np.c_[labels, np.ones(len(labels), dtype=np.int8)], np.c_[scores, scores[:, 0]]
    (coverage,) = ranked(["coverage"], *some)
    assert coverage == pytest.approx(metrics.coverage_error(*some) - 1, abs=1e-12)
    mixed = np.r_[some[0], np.zeros_like(some[0])], np.r_[some[1], some[1]]
    assert ranked(["coverage"], *mixed) == pytest.approx([coverage / 2], abs=1e-12)


def test_a_tie_is_an_error_whatever_the_order_of_the_labels():
    tied = np.full((1, 2), 0.5)
    for labels in ([[1, 0]], [[0, 1]]):
        assert ranked(["one-error", "ranking-loss"], np.array(labels, dtype=np.int8), tied) == [1.0, 1.0]
    assert ranked(["one-error"], np.ones((1, 2), dtype=np.int8), tied) == [0.0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@given(problems())
def test_areas_equal_scikit_learn(problem):
    labels, _, scores = problem
    mixed = [q for q in range(labels.shape[1]) if 0 < labels[:, q].sum() < len(labels)]
    each = [metrics.roc_auc_score(labels[:, q], scores[:, q]) for q in mixed]
    whole = quiet(metrics.roc_auc_score, labels.ravel(), scores.ravel())
    expected = [whole, np.mean(each) if each else np.nan]
    assert ranked(["micro-auc", "macro-auc"], labels, scores) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    expected = [quiet(metrics.average_precision_score, labels.ravel(), scores.ravel()) if labels.any() else 0]
    assert ranked(["micro-auprc"], labels, scores) == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@given(problems())
def test_only_the_order_of_scores_matters(problem):
    labels, _, scores = problem
    np.testing.assert_equal(ranked(RANKING, labels, scores), ranked(RANKING, labels, np.exp(scores)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@given(problems())
def test_better_scores_are_no_worse(problem):
    labels, _, scores = problem
    for name in RANKING + LABELLED:
        (value,), (better,) = (ranked([name], labels, own) for own in (scores, scores + 10 * labels))
        if np.isnan(value):
            assert name in ("micro-auc", "macro-auc")
            continue
        assert 0 <= value <= (labels.shape[1] - 1 if name.startswith("coverage") else 1)
        assert better >= value - 1e-12 if higher_is_better(name) else better <= value + 1e-12


@pytest.mark.parametrize(("true", "guess", "value"), [(0, 0, 1), (1, 0, 0), (0, 1, 0), (1, 1, 1)])
def test_empty_instances(true, guess, value):
    labels, predicted = np.full((2, 3), true, dtype=np.int8), np.full((2, 3), guess, dtype=np.int8)
    assert measured(INSTANCE, labels, predicted) == [value] * 5


def test_a_label_without_instances_counts_zero():
    labels = np.array([[1, 0], [1, 0]], dtype=np.int8)
    assert measured(["macro-f1", "micro-f1"], labels, labels) == [0.5, 1.0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_rankings_of_instances_with_no_or_all_labels():
    scores = np.array([[0.1, 0.9]])
    nan = float("nan")
    assert ranked(RANKING, np.array([[0, 0]]), scores) == pytest.approx([0, 0, 1, 1, nan, nan, 0], nan_ok=True)
    assert ranked(RANKING, np.array([[1, 1]]), scores) == pytest.approx([0, 1, 0, 1, nan, nan, 1], nan_ok=True)


def test_an_undefined_area_is_nan_with_a_warning():
    scores = np.array([[0.1, 0.9], [0.3, 0.2]])
    for name in ("micro-auc", "macro-auc"):
        with pytest.warns(UndefinedMetricWarning, match=f"{name}: .* no pair of a true and a false assignment"):
            assert np.isnan(evaluate(name, [[1, 1], [1, 1]], scores))
    with pytest.warns(UndefinedMetricWarning, match="some labels are ones that all instances have, or none, and are"):
        assert evaluate("macro-auc", [[1, 1], [1, 0]], scores) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate("micro-auc", [[1, 1], [1, 0]], scores) == 2 / 3


@given(problems())
def test_instances_without_labels_can_be_left_out(problem):
    labels, _, scores = problem
    own = labels.any(axis=1)
    if own.any():
        assert ranked(LABELLED, labels, scores) == ranked(
            ["ranking-loss", "coverage", "average-precision"], labels[own], scores[own]
        )
    else:
        assert ranked(LABELLED, labels, scores) == [0, 0, 0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_perfect_reversed_and_constant_scores():
    labels = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 1]])
    assert ranked(RANKING, labels, labels.astype(float)) == [0, 2 / 3, 0, 1, 1, 1, 1]
    assert ranked(RANKING[:3], labels, -labels.astype(float)) == [1, 3, 1]
    assert ranked([*RANKING[:2], *RANKING[4:]], labels, np.zeros((3, 4))) == [1, 3, 0.5, 0.5, 5 / 12]


def test_more_labels_than_sixteen_bits_count():
    labels = np.ones((2, 40_000), dtype=np.int8)
    assert measured(INSTANCE, labels, labels) == [1.0] * 5


def test_ranks_count_pairs_of_labels():
    rng = np.random.default_rng(0)
    for n_labels in (1, 2, 7, 40):
        labels = rng.integers(0, 2, (50, n_labels))
        scores = rng.integers(-2, 3, (50, n_labels)) / 2.0
        scores[rng.random(scores.shape) < 0.1] = -0.0
        scores[rng.random(scores.shape) < 0.1] = -np.inf
        scores[rng.random(scores.shape) < 0.1] = np.nan
        behind = scores[:, np.newaxis, :] >= scores[:, :, np.newaxis]
        found = Ranks.compute(labels, scores)
        np.testing.assert_array_equal(found.behind, behind.sum(axis=2))
        np.testing.assert_array_equal(found.true_behind, (behind & labels.astype(bool)[:, np.newaxis, :]).sum(axis=2))


def test_ranks_do_not_depend_on_the_block_size(monkeypatch):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(2, size=(30, 5)), rng.integers(4, size=(30, 5)).astype(float)
    expected = Ranks.compute(labels, scores)
    monkeypatch.setattr(distances, "_BLOCK_BYTES", 8)
    for ours, whole in zip(Ranks.compute(labels, scores), expected, strict=True):
        np.testing.assert_array_equal(ours, whole)


def test_code_errors_by_their_definitions(rng):
    Z, V = rng.standard_normal((6, 4)), np.linalg.qr(rng.standard_normal((4, 4)))[0][:2]
    R, empty = rng.standard_normal((6, 2)), np.zeros((6, 4), dtype=np.int8)
    outcome = Outcome(empty, empty, Z, Z @ V.T @ V, Z @ V.T, R)
    encoding, bound, prediction = (find_measure(name)(outcome) for name in CODES)
    assert encoding == pytest.approx(np.linalg.norm(Z - Z @ V.T @ V) ** 2)
    assert prediction == pytest.approx(np.linalg.norm(R - Z @ V.T) ** 2)
    # For orthonormal directions the bound is the squared error of the reconstruction, whatever the prediction.
    assert bound == pytest.approx(np.linalg.norm(Z - R @ V) ** 2)


def test_wrong_shapes_are_refused():
    for name in set(MEASURES) - set(CODES) - set(SCORED):
        for wrong in (np.zeros((2, 3), dtype=np.int8), np.zeros((0, 2), dtype=np.int8)):
            with pytest.raises(ValueError, match="must agree and not be empty"):
                measured([name], np.zeros((0, 2), dtype=np.int8), wrong, wrong.astype(float))


@pytest.mark.parametrize(
    ("names", "need", "sentence"),
    [
        (CODES, "codes", "encoding-error, loss-bound and prediction-error measure codes of the labels"),
        (
            RANKING + LABELLED + FIRST,
            "scores",
            "ranking-loss-labelled measure scores .* another measure, or a predictor with probabilities",
        ),
        (SCORED, "propensities", "psp-at-5 measure scores of the labels by how often .*=mlreduce.metrics.propensities"),
    ],
)
def test_outcomes_without_what_a_measure_needs(names, need, sentence):
    labels = np.eye(2, dtype=np.int8)
    assert sorted(names) == measures_that_need(need)
    for name in names:
        with pytest.raises(ConfigurationError, match=sentence):
            measured([name], labels, labels)


def test_directions_and_labels():
    losses = {"hamming-loss", "rmse", "ranking-loss", "coverage", "one-error", *LABELLED[:2], *CODES}
    assert losses <= {name for name in MEASURES if not higher_is_better(name)}
    assert all(higher_is_better(name) for name in ("instance-f1", "micro-f1", "macro-f1", "subset-accuracy"))
    labels = {"instance-f1": "F1", "hamming-loss": "Hamming loss", "coverage": "coverage", "all": "all measures"}
    assert {name: measure_label(name) for name in labels} == labels
    assert measure_label("own") == "own"
    for look_up in (find_measure, higher_is_better):
        with pytest.raises(ConfigurationError, match="unknown measure 'instance-f2'; did you mean 'instance-f1'"):
            look_up("instance-f2")


def test_a_name_is_declared_by_one_module():
    with pytest.raises(ConfigurationError, match="'micro-f1' is already declared by mlreduce.metrics.label"):
        measure("micro-f1", higher_is_better=True)(lambda outcome: 0.0)
