"""PMU against information_by_the_book.py, at every step."""

from __future__ import annotations

from functools import partial

import information_by_the_book as book
import numpy as np
import pytest
from definitions._scores import steps
from hypothesis import given
from hypothesis import strategies as st

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
