from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from mlreduce.exceptions import DataError
from mlreduce.stats.ranks import RankComparison, compare, critical_difference, friedman, nemenyi, rank_methods


def frame(values):
    values = np.asarray(values, dtype=float)
    return pd.DataFrame(
        values, index=[f"set{i}" for i in range(len(values))], columns=[f"m{j}" for j in range(values.shape[1])]
    )


# Halves of small integers: many ties, and nothing between a tie and a clear difference.
shapes = st.tuples(st.integers(2, 7), st.integers(3, 6))
tied_values = shapes.flatmap(lambda s: arrays(float, s, elements=st.integers(-4, 4).map(lambda i: i / 2)))


def test_ranks_by_hand():
    values = frame([[0.9, 0.8, 0.7], [0.5, 0.5, 0.1], [0.3, 0.3, 0.3]])
    assert rank_methods(values, True).to_numpy().tolist() == [[1, 2, 3], [1.5, 1.5, 3], [2, 2, 2]]
    assert rank_methods(values, False).to_numpy().tolist() == [[3, 2, 1], [2.5, 2.5, 1], [2, 2, 2]]


def test_rounding_errors_are_ties_and_small_differences_are_not():
    assert rank_methods(frame([[0.1 + 0.2, 0.3, 0.4]]), False).to_numpy().tolist() == [[1.5, 1.5, 3]]
    assert rank_methods(frame([[0.3 + 1e-11, 0.3, 0.4]]), False).to_numpy().tolist() == [[2, 1, 3]]


def test_a_missing_value_is_named():
    values = frame([[1, 2], [3, np.nan]])
    with pytest.raises(DataError, match="data set 'set1' has no value of method 'm1'"):
        rank_methods(values, True)


@given(tied_values, st.booleans())
def test_ranks_equal_scipy_and_sum_to_a_constant(values, higher):
    ranks = rank_methods(frame(values), higher).to_numpy()
    np.testing.assert_array_equal(ranks, stats.rankdata(-values if higher else values, axis=1))
    k = values.shape[1]
    np.testing.assert_allclose(ranks.sum(axis=1), k * (k + 1) / 2)


def friedman_by_formula(values):
    """Conover's form of the statistic, which corrects for ties by itself."""
    ranks = np.array([[sum(x < y for x in row) + (sum(x == y for x in row) + 1) / 2 for y in row] for row in values])
    n, k = ranks.shape
    between = (ranks.sum(axis=0) - n * (k + 1) / 2) ** 2
    return (k - 1) * between.sum() / ((ranks**2).sum() - n * k * (k + 1) ** 2 / 4)


@given(tied_values)
def test_friedman_equals_the_formula(values):
    statistic, p_value = friedman(frame(values))
    if (values == values[:, :1]).all():
        assert (statistic, p_value) == (0, 1)
    else:
        assert statistic == pytest.approx(friedman_by_formula(values), abs=1e-9)
        assert p_value == pytest.approx(stats.chi2.sf(statistic, values.shape[1] - 1))
    other_way = friedman(-frame(values))
    assert other_way == pytest.approx((statistic, p_value), abs=1e-9)


@pytest.mark.parametrize("shape", [(0, 4), (1, 4), (5, 2), (5, 0), (0, 0)])
def test_friedman_of_too_little_says_nothing(shape):
    assert np.isnan(friedman(frame(np.ones(shape)))).all()


# Demsar 2006, table 5 (a): two-tailed Nemenyi test, alpha 0.05 and 0.10, for 2 to 10 methods.
DEMSAR = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


@pytest.mark.parametrize("alpha", DEMSAR)
def test_critical_values_are_those_of_demsar(alpha):
    for k, printed in enumerate(DEMSAR[alpha], start=2):
        for n in (4, 30):
            quantile = critical_difference(k, n, alpha) / np.sqrt(k * (k + 1) / (6 * n))
            assert quantile == pytest.approx(printed, abs=1.01e-3)  # a few are printed cut off instead of rounded


def test_critical_difference_of_demsars_example():
    # Section 3.2.2: four algorithms on fourteen data sets, "the critical difference is 2.569 sqrt(4*5/(6*14)) = 1.25".
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)


# Demsar 2006, table 6: ranks of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on fourteen data sets.
DEMSAR_RANKS = frame(
    [
        *([4, 3, 2, 1], [1, 2, 3, 4], [4, 1, 2, 3], [4, 1, 3, 2], [4, 2, 3, 1], [1, 2.5, 4, 2.5], [3, 2, 4, 1]),
        *([2.5, 2.5, 4, 1], [4, 3, 2, 1], [2.5, 2.5, 2.5, 2.5], [4, 2.5, 1, 2.5], [3, 2, 4, 1], [4, 1, 2, 3]),
        [3, 1, 4, 2],
    ]
)


def test_demsars_example():
    made = compare(DEMSAR_RANKS, False)
    assert made.average.round(3).to_dict() == {"m3": 1.964, "m1": 2.0, "m2": 2.893, "m0": 3.143}
    tied = 3 * (2**3 - 2) + (4**3 - 4)
    uncorrected = made.statistic * (1 - tied / (14 * 4 * (4**2 - 1)))  # the paper leaves ties uncorrected
    assert uncorrected == pytest.approx(9.28, abs=0.005)
    # "not powerful enough" at 0.05; at 0.10 C4.5 differs from C4.5+m and C4.5+m+cf, and no other pair does.
    pairs = {(a, b): made.p_values.loc[a, b] for a, b in combinations(["m0", "m1", "m2", "m3"], 2)}
    assert min(pairs.values()) > 0.05
    assert {pair for pair, p in pairs.items() if p < 0.10} == {("m0", "m1"), ("m0", "m3")}


@pytest.mark.parametrize(("methods", "blocks"), [(1, 5), (0, 0), (4, 1), (4, 0)])
def test_critical_difference_of_too_little(methods, blocks):
    assert np.isnan(critical_difference(methods, blocks))


@pytest.mark.parametrize(("n", "k"), [(5, 3), (8, 8), (14, 4), (30, 13)])
def test_pairs_differ_beyond_the_critical_difference(n, k):
    rng = np.random.default_rng(n)
    values = np.round(rng.normal(np.linspace(0, k, k), size=(n, k)), 1)
    ranks = rank_methods(frame(values), False)
    p_values = nemenyi(ranks)
    gaps = np.abs(np.subtract.outer(ranks.mean().to_numpy(), ranks.mean().to_numpy()))
    significant = p_values.to_numpy() < 0.05
    np.testing.assert_array_equal(significant, gaps > critical_difference(k, n))
    assert significant.any()
    assert not significant.all()
    expected = stats.studentized_range.sf(gaps / np.sqrt(k * (k + 1) / (12 * n)), k, np.inf)
    np.testing.assert_allclose(p_values + np.eye(k), expected + np.eye(k) * (2 - np.diag(expected)), atol=1e-6)
    assert list(p_values.index) == list(p_values.columns) == list(ranks.columns)


def test_pairs_have_the_ties_of_rank_methods():
    values = frame([[1, 1 + 1e-14, 5], [2 + 1e-14, 2, 4], [3, 3, 1]])
    assert nemenyi(rank_methods(values, False)).loc["m0", "m1"] == pytest.approx(1)


def test_comparison_is_sorted_best_first():
    values = frame([[1, 3, 2, 2], [1, 3, 2, 2], [2, 3, 1, 1]])
    made = compare(values, True)
    assert isinstance(made, RankComparison)
    assert list(made.average.index) == ["m1", "m2", "m3", "m0"]
    assert made.average.tolist() == pytest.approx([1, 17 / 6, 17 / 6, 10 / 3])
    assert made.n_blocks == 3
    assert (made.statistic, made.p_value) == pytest.approx(friedman(values))
    assert made.critical_difference == critical_difference(4, 3)
    pd.testing.assert_frame_equal(made.p_values, nemenyi(rank_methods(values, True)))
    with pytest.raises(AttributeError):
        made.n_blocks = 4


@pytest.mark.parametrize("shape", [(1, 4), (0, 4), (0, 0), (3, 1)])
def test_comparison_of_too_little_is_defined(shape):
    made = compare(frame(np.ones(shape)), True)
    assert list(made.average.index) == [f"m{j}" for j in range(shape[1])]
    assert np.isnan([made.statistic, made.p_value, made.critical_difference]).all()
    assert made.p_values.shape == (shape[1], shape[1])
    assert (np.diag(made.p_values) == 1).all()
    assert np.isnan(made.p_values.to_numpy()[~np.eye(shape[1], dtype=bool)]).all()
