from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics

from mlreduce.metrics.label import LabelCounts
from mlreduce.metrics.measures import HIGHER_IS_BETTER, MEASURES, Outcome

THEIRS = {"f1": metrics.f1_score, "precision": metrics.precision_score, "recall": metrics.recall_score}


@st.composite
def pairs(draw):
    shape = draw(st.tuples(st.integers(1, 12), st.integers(2, 6)))  # of one label scikit-learn makes a binary problem
    bits = arrays(np.int8, shape, elements=st.integers(0, 1), fill=st.just(0))
    return draw(bits), draw(bits)


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("kind", THEIRS)
@given(pair=pairs())
def test_measures_are_scikit_learns(average, kind, pair):
    labels, predicted = pair
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels that nobody has
        expected = THEIRS[kind](labels, predicted, average=average, zero_division=0)
    assert MEASURES[f"{average}-{kind}"](Outcome(labels, predicted)) == pytest.approx(expected, abs=1e-12)
    assert f"{average}-{kind}" in HIGHER_IS_BETTER


@given(pairs(), st.randoms())
def test_the_order_of_instances_and_labels_is_no_matter(pair, random):
    labels, _ = pair
    rows, columns = (random.sample(range(n), n) for n in labels.shape)
    there, here = (LabelCounts.of(*(m[r][:, c] for m in pair)) for r, c in ((rows, columns), (range(len(labels)), ...)))
    assert there.macro_f1() == pytest.approx(here.macro_f1(), abs=1e-12)
    assert there.micro_f1() == here.micro_f1()


def test_a_label_that_nobody_has_counts_zero():
    labels, predicted = np.array([[1, 0], [1, 0]]), np.array([[1, 0], [1, 0]])
    counts = LabelCounts.of(labels, predicted)
    assert (counts.macro_f1(), counts.micro_f1()) == (0.5, 1.0)


def test_what_does_not_match_is_refused():
    with pytest.raises(ValueError, match="must agree and not be empty"):
        LabelCounts.of(np.zeros((2, 3), dtype=int), np.zeros((2, 2), dtype=int))
