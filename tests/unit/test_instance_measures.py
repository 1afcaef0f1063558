from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics

from mlreduce.exceptions import ConfigurationError
from mlreduce.metrics import measures
from mlreduce.metrics.measures import HIGHER_IS_BETTER, MEASURES, Outcome, higher_is_better

FUNCTIONS = {
    "subset-accuracy": measures.subset_accuracy,
    "instance-accuracy": measures.instance_accuracy,
    "instance-precision": measures.instance_precision,
    "instance-recall": measures.instance_recall,
    "instance-f1": measures.instance_f1,
}
THEIRS = {
    "instance-accuracy": metrics.jaccard_score,
    "instance-precision": metrics.precision_score,
    "instance-recall": metrics.recall_score,
    "instance-f1": metrics.f1_score,
}


@st.composite
def pairs(draw):
    shape = draw(st.tuples(st.integers(1, 12), st.integers(2, 6)))  # of one label scikit-learn makes a binary problem
    bits = arrays(np.int8, shape, elements=st.integers(0, 1), fill=st.just(0))
    return draw(bits), draw(bits)


@given(pairs())
def test_measures_are_scikit_learns_but_for_empty_instances(pair):
    labels, predicted = pair
    neither = ~labels.any(axis=1) & ~predicted.any(axis=1)
    for name, theirs in THEIRS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of empty instances and zero_division
            expected = theirs(labels, predicted, average="samples", zero_division=0) + neither.mean()
        assert FUNCTIONS[name](labels, predicted) == pytest.approx(expected, abs=1e-12), name
    assert measures.subset_accuracy(labels, predicted) == pytest.approx(metrics.accuracy_score(labels, predicted))


@given(pairs())
def test_bounds_and_order(pair):
    labels, predicted = pair
    value = {name: function(labels, predicted) for name, function in FUNCTIONS.items()}
    assert all(0 <= v <= 1 for v in value.values())
    assert value["subset-accuracy"] <= value["instance-accuracy"] + 1e-12 <= value["instance-f1"] + 2e-12
    for i in range(len(labels)):  # the order of f1 holds in each instance, not for the means
        f1, *sides = (
            FUNCTIONS[f"instance-{n}"](labels[i : i + 1], predicted[i : i + 1]) for n in ("f1", "precision", "recall")
        )
        assert min(sides) - 1e-12 <= f1 <= max(sides) + 1e-12


@given(pairs())
def test_swapping_truth_and_prediction_swaps_precision_and_recall(pair):
    labels, predicted = pair
    assert measures.instance_precision(labels, predicted) == measures.instance_recall(predicted, labels)
    for name in ("subset-accuracy", "instance-accuracy", "instance-f1"):
        assert FUNCTIONS[name](labels, predicted) == FUNCTIONS[name](predicted, labels)


@given(pairs())
def test_outcomes_and_functions_agree_whatever_the_type(pair):
    labels, predicted = pair
    outcome = Outcome(labels, predicted)
    for name, function in FUNCTIONS.items():
        assert MEASURES[name](outcome) == function(labels.astype(bool), predicted.astype(bool))


def test_by_hand():
    labels = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 1, 1, 1]], dtype=np.int8)
    predicted = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]], dtype=np.int8)
    value = {name: function(labels, predicted) for name, function in FUNCTIONS.items()}
    assert value == pytest.approx(
        {
            "subset-accuracy": 1 / 3,
            "instance-accuracy": (1 / 3 + 1 + 1 / 3) / 3,
            "instance-precision": (1 / 2 + 1 + 1) / 3,
            "instance-recall": (1 / 2 + 1 + 1 / 3) / 3,
            "instance-f1": (1 / 2 + 1 + 1 / 2) / 3,
        }
    )


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(("true", "guess", "value"), [(0, 0, 1), (1, 0, 0), (0, 1, 0), (1, 1, 1)])
def test_empty_instances(name, true, guess, value):
    labels, predicted = np.full((2, 3), true, dtype=np.int8), np.full((2, 3), guess, dtype=np.int8)
    assert FUNCTIONS[name](labels, predicted) == value


@pytest.mark.parametrize("function", FUNCTIONS.values())
def test_shapes_must_agree(function):
    for wrong in (np.zeros((2, 3), dtype=np.int8), np.zeros((0, 2), dtype=np.int8)):
        with pytest.raises(ValueError, match="must agree and not be empty"):
            function(np.zeros((0, 2), dtype=np.int8), wrong)


def test_more_labels_than_a_byte_counts():
    labels = np.ones((2, 40_000), dtype=np.int8)
    assert [function(labels, labels) for function in FUNCTIONS.values()] == [1.0] * 5


@pytest.mark.parametrize("name", ["encoding-error", "prediction-error", "loss-bound"])
def test_errors_of_codes_need_codes(name):
    labels = np.eye(2, dtype=np.int8)
    with pytest.raises(ConfigurationError, match="measure codes of the labels, and this method makes none"):
        MEASURES[name](Outcome(labels, labels))
    assert MEASURES["hamming-loss"](Outcome(labels, labels)) == 0


def test_directions_of_measures():
    assert set(MEASURES) >= HIGHER_IS_BETTER
    of_labels_or_ranks = ("micro", "macro", "average-precision")
    assert {name for name in HIGHER_IS_BETTER if not name.startswith(of_labels_or_ranks)} == set(FUNCTIONS)
    with pytest.raises(ConfigurationError, match="did you mean 'instance-f1'"):
        higher_is_better("instance-f2")
