"""PMU against information_by_the_book.py, at every step."""

from __future__ import annotations

from functools import partial

import information_by_the_book as book
import numpy as np
import pytest
import scipy.sparse as sp
from definitions._scores import steps
from hypothesis import given
from hypothesis import strategies as st

from mlreduce.preprocessing.discretisation import Discretiser
from mlreduce.selection import PMU

PAIRS = ("distinct", "ordered")
both = pytest.mark.parametrize("pairs", PAIRS)


def problem(n=50, d=6, q=3, seed=0, n_bins=3):
    rng = np.random.default_rng(seed)
    F = rng.integers(n_bins, size=(n, d))
    F[:, -1] = np.where(rng.random(n) < 0.8, F[:, 0], F[:, -1])
    return F, (F @ rng.standard_normal((d, q)) + rng.standard_normal((n, q)) > 1).astype(int)


@both
@given(
    n=st.integers(1, 25), d=st.integers(1, 6), q=st.integers(1, 4), n_bins=st.integers(1, 4),
    seed=st.integers(0, 10**6), data=st.data(),
)  # fmt: skip
def test_every_step_matches_the_reference(pairs, n, d, q, n_bins, seed, data):
    F, Y = problem(n, d, q, seed, n_bins)
    number = data.draw(st.integers(1, d))
    fitted = PMU(k=number, discretise=None, pairs=pairs).fit(F, Y)
    steps(F, Y, fitted, partial(book.pmu_gain, pairs=pairs))


def test_ordered_pairs_cancel_the_relevance():
    F, Y = problem(q=1)
    assert PMU(k=1, discretise=None, pairs="ordered").fit(F, Y).gains_.tolist() == [0] * 6


@pytest.mark.parametrize("method", ["equal-width", "equal-frequency", "mdl", "laim"])
def test_features_are_put_into_bins(method):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 6))
    Y = (X[:, :2] > 0).astype(int)
    bins = Discretiser(method, 4).fit_transform(X, Y)
    expected = PMU(discretise=None).fit(bins, Y)
    for form in (np.asarray, sp.csr_array):
        fitted = PMU(discretise=method, n_bins=4).fit(form(X), Y)
        np.testing.assert_array_equal(fitted.gains_, expected.gains_)
        np.testing.assert_array_equal(fitted.ranking_, expected.ranking_)
