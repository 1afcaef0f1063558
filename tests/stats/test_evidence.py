"""Statistics of verdicts: against versions by the book, exact cases and invariances."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mlreduce.exceptions import DataError
from mlreduce.stats.combination import Evidence, at_least, holds_more_often, needed
from mlreduce.stats.posterior import posterior
from mlreduce.stats.ranks import rank_correlation
from mlreduce.stats.tendency import bootstrap_interval, holm, signed_rank, wilcoxon

differences = st.lists(st.floats(-1, 1).map(lambda value: round(value, 6)), min_size=2, max_size=30).map(np.array)
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def above(own, bound):
    return own.within(np.nextafter(bound, np.inf), np.inf)


@given(differences, st.floats(0.05, 0.5), st.floats(-0.5, 0.5))
def test_posterior_by_the_book(values, share, bound):
    own = posterior(values, share)
    n, variance = len(values), values.var(ddof=1)
    if not own.scale:
        assert variance <= (1e-12 * np.abs(values).max()) ** 2
        assert above(own, bound) == (values.mean() > bound)
        return
    scale = np.sqrt((1 / n + share / (1 - share)) * variance)
    expected = stats.t(n - 1, values.mean(), scale)
    assert above(own, bound) == pytest.approx(expected.sf(bound), abs=1e-12)
    assert own.within(-0.1, 0.2) == pytest.approx(expected.cdf(0.2) - expected.cdf(-0.1), abs=1e-12)
    low, high = own.interval(0.9)
    assert own.within(low, high) == pytest.approx(0.9)


@given(differences)
def test_without_overlap_it_is_the_paired_t_test(values):
    if np.ptp(values) < 1e-6:
        return
    own = posterior(values, 1e-12)
    assert 1 - above(own, 0) == pytest.approx(stats.ttest_1samp(values, 0, alternative="greater").pvalue, abs=1e-7)


@given(differences, st.randoms())
def test_posterior_does_not_depend_on_the_order_and_turns_with_the_sign(values, random):
    shuffled = values.copy()
    random.shuffle(shuffled)
    own, other, turned = posterior(values, 0.1), posterior(shuffled, 0.1), posterior(-values, 0.1)
    assert above(own, 0.1) == pytest.approx(above(other, 0.1), abs=1e-9)
    if own.scale:
        assert above(own, 0.1) == pytest.approx(1 - above(turned, -0.1), abs=1e-9)
    assert above(own, 0.2) <= above(own, 0.1)


def test_equal_differences_are_certain():
    own = posterior(np.full(5, 0.1 + 0.2), 0.1)
    assert (above(own, 0.29), above(own, 0.31), own.within(0, 1)) == (1, 0, 1)


@pytest.mark.parametrize("values", [[0.1], [], [0.1, np.nan], [0.1, np.inf]])
def test_a_posterior_needs_finite_differences(values):
    with pytest.raises(DataError, match="two or more finite differences"):
        posterior(np.array(values), 0.1)


@pytest.mark.parametrize("share", [0, 1, -0.1])
def test_a_share_is_a_fraction(share):
    with pytest.raises(DataError, match=r"must be in \(0, 1\)"):
        posterior(np.ones(3), share)


@given(differences, st.floats(0.05, 0.5), st.integers(2, 50))
def test_a_posterior_with_other_splits_by_the_book(values, share, splits):
    own = posterior(values, share)
    assert own.with_splits(len(values), share) == pytest.approx(own)
    if own.scale:
        scale = np.sqrt((1 / splits + share / (1 - share)) * values.var(ddof=1))
        assert own.with_splits(splits, share) == pytest.approx((own.mean, scale, splits - 1))


@given(differences, st.floats(0, 0.5))
def test_regions_sum_to_one_and_turn_with_the_sign(values, margin):
    regions, turned = (posterior(sign * values, 0.1).regions(margin) for sign in (1, -1))
    assert sum(regions) == pytest.approx(1)
    assert regions == pytest.approx(turned[::-1], abs=1e-9)


@given(p_values, st.data())
def test_partial_conjunction_by_the_book(p, data):
    """The p-value that at least k are true is the largest of Bonferroni's over all sets of m - k + 1 statements."""
    number = data.draw(st.integers(1, len(p)))
    sets = combinations(p, len(p) - number + 1)
    expected = max(min(1.0, len(own) * min(own)) for own in sets)
    own = at_least(number, [Evidence(value, 1 - value) for value in p])
    assert own.p_for == pytest.approx(expected)
    against = at_least(len(p) - number + 1, [Evidence(1 - value, value) for value in p])
    assert own.p_against == pytest.approx(against.p_for)


@given(st.lists(st.floats(1e-9, 1 - 1e-9), min_size=1, max_size=8), st.data())
def test_independent_evidence_by_the_book(p, data):
    """Lancaster's sum over all sets of m - k + 1 statements: of squared normal quantiles."""
    number = data.draw(st.integers(1, len(p)))
    size = len(p) - number + 1
    sums = [sum(stats.norm.isf(value / 2) ** 2 for value in own) for own in combinations(p, size)]
    own = at_least(number, [Evidence(value, 1 - value) for value in p], independent=True)
    assert own.p_for == pytest.approx(stats.chi2.sf(min(sums), size), rel=1e-6)


def test_independent_evidence_is_uniform_where_all_are_false(rng):
    """Of statements on the border the p-value that at least one is true is uniform."""
    p = rng.random((4000, 6))
    found = [at_least(1, [Evidence(value, 1 - value) for value in row], independent=True).p_for for row in p]
    assert stats.kstest(found, "uniform").pvalue > 0.001


@given(p_values)
def test_all_and_one(p):
    evidence = [Evidence(value, 1 - value) for value in p]
    assert at_least(len(p), evidence).p_for == max(p)
    assert at_least(1, evidence).p_for == pytest.approx(min(1, len(p) * min(p)))


def test_numbers_that_must_hold():
    assert [needed(7, of) for of in ("all", "most", 1, 5)] == [7, 4, 1, 5]
    assert needed(8, "most") == 5
    for wrong in (0, 8, "some"):
        with pytest.raises(DataError, match="1 to 7"):
            needed(7, wrong)
    with pytest.raises(DataError, match="of 0 statements"):
        at_least(1, [])


def test_false_confirmations_stay_below_their_level():
    """Of nine statements that are all at their margin, "at least k" is confirmed and refuted in at most 5 %."""
    rng = np.random.default_rng(0)
    p = rng.uniform(size=(4000, 9))
    for number in (1, 5, 9):
        evidence = [at_least(number, [Evidence.of(value) for value in row]) for row in p]
        assert np.mean([own.p_for <= 0.05 for own in evidence]) <= 0.06
        assert np.mean([own.p_against <= 0.05 for own in evidence]) <= 0.06


def book(values, margin, samples, seed):
    """The test as the paper writes it: a loop over draws and pairs."""
    rng = np.random.default_rng(seed)
    points, won = np.r_[0.0, values], np.zeros(3)
    for weights in rng.dirichlet([0.5] + [1.0] * len(values), size=samples):
        sums = np.zeros(3)
        for a, first in zip(points, weights, strict=True):
            for b, second in zip(points, weights, strict=True):
                sums[0 if a + b < -2 * margin else 2 if a + b > 2 * margin else 1] += first * second
        won[sums.argmax()] += 1
    return won / samples


@pytest.mark.parametrize("values", [[0.02, 0.03, -0.01, 0.05, 0.0], [0.1] * 4, [-0.2, 0.2, 0.01, -0.01, 0.3, 0.2]])
def test_signed_rank_by_the_book(values):
    own = signed_rank(np.array(values), 0.01, seed=1)
    np.testing.assert_allclose(own, book(values, 0.01, 4000, 2), atol=0.03)
    assert sum(own) == pytest.approx(1)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=9).map(np.array), st.floats(0, 0.5))
def test_signed_rank_turns_with_the_sign(values, margin):
    own, turned = signed_rank(values, margin, 2000), signed_rank(-values, margin, 2000)
    assert (own.below, own.within, own.above) == pytest.approx((turned.above, turned.within, turned.below))


@pytest.mark.parametrize(("values", "margin"), [([], 0.1), ([np.nan], 0.1), ([0.1], -1)])
def test_signed_rank_refuses_what_it_cannot_compare(values, margin):
    with pytest.raises(DataError, match="finite differences and a margin"):
        signed_rank(np.array(values), margin)


def test_wilcoxon_and_holm():
    assert wilcoxon(np.zeros(5)) == 1
    assert wilcoxon(np.arange(1.0, 9)) == pytest.approx(2 / 2**8)
    assert wilcoxon(np.arange(1.0, 9), "greater") == pytest.approx(1 / 2**8)
    assert wilcoxon(np.arange(1.0, 9), "less") == pytest.approx(1)
    assert holm([0.01, 0.02, 0.9]) == pytest.approx([0.03, 0.04, 0.9])
    assert holm([0.5, 0.5]) == [1.0, 1.0]


@given(p_values)
def test_holm_keeps_the_order_and_only_raises(p):
    adjusted = holm(p)
    assert all(own >= value for own, value in zip(adjusted, p, strict=True))
    assert np.argsort(p, kind="stable").tolist() == sorted(range(len(p)), key=lambda i: (adjusted[i], p[i], i))


def test_bootstrap_interval_holds_the_mean():
    values = np.array([0.1, 0.2, 0.4, 0.0, 0.3])
    low, high = bootstrap_interval(values)
    assert values.min() <= low < values.mean() < high <= values.max()
    assert bootstrap_interval(np.full(4, 0.5)) == (0.5, 0.5)
    deviation = values.std() / np.sqrt(5)
    assert (high - low) / (2 * 1.96 * deviation) == pytest.approx(1, abs=0.1)


def test_a_statement_holds_more_often_where_it_is_certain_in_more_cases():
    for first in range(5):
        for second in range(5):
            evidence = [[Evidence.of(float(case < number)) for case in range(4)] for number in (first, second)]
            assert holds_more_often(*evidence) == ((0, 1) if first > second else (1, 0))


def test_holds_more_often_is_bonferroni_over_the_numbers_of_cases():
    likely, doubtful = Evidence(0.01, 0.99), Evidence(0.7, 0.3)

    def least(number, evidence):
        return at_least(number, evidence, independent=True)

    # More than 0 and at most 0, or more than 1 and at most 1: the second is better, twice the larger of its p-values.
    pair = [likely, likely], [doubtful, Evidence(0.99, 0.01)]
    for_one = max(least(2, pair[0]).p_for, least(2, pair[1]).p_against)
    assert holds_more_often(*pair).p_for == pytest.approx(2 * for_one)


def test_rank_correlation_is_spearmans_and_zero_where_a_row_is_constant(rng):
    first, second = rng.integers(0, 4, (2, 30, 5)).astype(float)
    first[0] = 2.0
    correlations = rank_correlation(first, second)
    assert correlations[0] == 0
    varying = (np.ptp(first, axis=1) > 0) & (np.ptp(second, axis=1) > 0)
    expected = [stats.spearmanr(a, b).statistic for a, b in zip(first[varying], second[varying], strict=True)]
    np.testing.assert_allclose(correlations[varying], expected, atol=1e-12)
