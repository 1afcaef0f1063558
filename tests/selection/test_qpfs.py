"""The quadratic program against brute force and its conditions; approximations against their equations."""

from __future__ import annotations

import information_by_the_book as book
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlreduce.exceptions import DataError
from mlreduce.selection import QPFS, ApproximateQPFS, NystromQPFS, quadratic
from mlreduce.selection.information import mutual_information
from mlreduce.selection.qpfs import approximate_dependency, approximation_error
from mlreduce.selection.quadratic import minimise, nearest_positive, violation

SELECTORS = (QPFS, ApproximateQPFS, NystromQPFS)
SAMPLED = (ApproximateQPFS, NystromQPFS)
seeds = st.integers(0, 10**6)
every = pytest.mark.parametrize("cls", SELECTORS)
sampled = pytest.mark.parametrize("cls", SAMPLED)


def problem(n=60, d=8, q=3, seed=0, n_bins=3):
    rng = np.random.default_rng(seed)
    F = rng.integers(n_bins, size=(n, d))
    F[:, 1] = np.where(rng.random(n) < 0.8, F[:, 0], F[:, 1])
    Y = (F @ rng.standard_normal((d, q)) + rng.standard_normal((n, q)) > 0).astype(int)
    return F, Y


def program(n, rank, seed, nonnegative=True):
    rng = np.random.default_rng(seed)
    root = rng.random((n, rank)) if nonnegative else rng.standard_normal((n, rank))
    c = rng.random(n) if nonnegative else root @ rng.standard_normal(rank)  # bounded below in either case
    return root @ root.T, c


# The solver


@given(st.integers(1, 7), st.integers(1, 8), seeds, st.booleans())
def test_the_minimum_is_that_of_every_set_tried(n, rank, seed, nonnegative):
    Q, c = program(n, rank, seed, nonnegative)
    x, residual = minimise(Q, c)
    assert (x >= 0).all()
    assert residual <= 1e-9
    _, value = book.quadratic_program(Q, c)
    assert x @ Q @ x / 2 - c @ x == pytest.approx(value, rel=1e-8, abs=1e-10)


@given(st.integers(1, 30), st.integers(-20, 10), seeds, st.booleans())
def test_pivoting_and_the_active_set_agree(n, beyond, seed, nonnegative):
    """Where Q is singular the weights may differ, not what they reach."""
    Q, c = program(n, max(n + beyond, 1), seed, nonnegative)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quadratic, "_LEFT", 0.0)  # the first exchange is the last
        x, residual = minimise(Q, c)
    ours = minimise(Q, c)
    assert max(residual, ours.residual) <= 1e-9
    assert ours.x @ Q @ ours.x / 2 - c @ ours.x == pytest.approx(x @ Q @ x / 2 - c @ x, rel=1e-8, abs=1e-10)
    if np.linalg.eigvalsh(Q)[0] > 1e-6:
        np.testing.assert_allclose(ours.x, x, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(("rank", "pivots"), [(400, True), (20, False)])
def test_few_factorisations_where_pivoting_ends_at_the_minimum(rank, pivots, monkeypatch):
    Q, c = program(200, rank, 0)
    solved, descents = [], []
    monkeypatch.setattr(quadratic, "_solve", lambda Q, c, own=quadratic._solve: solved.append(len(c)) or own(Q, c))
    monkeypatch.setattr(quadratic, "_descend", lambda *a, own=quadratic._descend: descents.append(1) or own(*a))
    assert minimise(Q, c).residual <= 1e-12
    assert (not descents) == pivots
    assert len(solved) <= 10 or not pivots


def test_the_residual_is_that_of_the_conditions():
    Q, c = np.diag([2.0, 1.0, 1.0]), np.array([2.0, -1.0, 0.5])
    assert violation(Q, c, np.array([1.0, 0.0, 0.5])) == 0
    assert violation(Q, c, np.array([1.5, 0.0, 0.5])) == 0.5
    assert violation(Q, c, np.array([1.0, 0.0, 0.0])) == 0.25
    assert minimise(Q, c).x == pytest.approx([1.0, 0.0, 0.5])
    assert minimise(Q, -c).x == pytest.approx([0.0, 1.0, 0.0])
    assert not minimise(Q, np.zeros(3)).x.any()


def test_a_program_without_a_minimum_is_refused():
    with pytest.raises(DataError, match="the quadratic program has no minimum"):
        minimise(np.diag([1.0, 0.0]), np.ones(2))
    assert minimise(np.diag([1.0, 0.0]), np.array([1.0, 0.0])).x == pytest.approx([1, 0])
    level = np.array([[1.0, -1.0], [-1.0, 1.0]])  # it falls for ever along (1, 1): ends with a residual
    assert minimise(level, np.ones(2)).residual > 0.1


def test_the_nearest_positive_matrix():
    rng = np.random.default_rng(0)
    symmetric = rng.standard_normal((9, 9))
    symmetric = symmetric + symmetric.T
    values, vectors = np.linalg.eigh(symmetric)
    nearest, number = nearest_positive(symmetric)
    assert number == (values < 0).sum()
    np.testing.assert_allclose(nearest, (vectors * np.maximum(values, 0)) @ vectors.T, atol=1e-12)
    again, none = nearest_positive(nearest)
    assert none == 0
    np.testing.assert_array_equal(again, nearest)


# The approximations


@given(st.integers(2, 12), seeds)
def test_averages_match_the_reference(n, seed):
    Q, _ = program(n, 3, seed)
    places = np.random.default_rng(seed).permutation(n)[: 1 + seed % n]
    np.testing.assert_allclose(approximate_dependency(Q[places], places), book.filled_in(Q, places), atol=1e-12)


def test_nystroms_method_is_exact_at_full_rank():
    Q, _ = program(12, 4, 0)
    for size in range(4, 12):
        places = np.random.default_rng(size).permutation(12)[:size]
        np.testing.assert_allclose(approximate_dependency(Q[places], places, "nystrom"), Q, atol=1e-9)
    places = np.arange(3)
    assert approximation_error(Q, approximate_dependency(Q[places], places, "nystrom")) > 0.1


def test_one_sampled_row_as_in_propositions_1_and_2():
    """The appendix has I I / 2H in proposition 3; its proposition 2 gives I I / H."""
    Q, _ = program(4, 9, 1)
    average, nystrom = (approximate_dependency(Q[:1], [0], method) for method in ("average", "nystrom"))
    assert average[2, 3] == pytest.approx((Q[0, 2] + Q[0, 3]) / 2)
    assert nystrom[2, 3] == pytest.approx(Q[0, 2] * Q[0, 3] / Q[0, 0])
    assert approximation_error(Q, average) == pytest.approx(np.sum((Q - average) ** 2))


def test_wrong_approximations_are_refused():
    Q, _ = program(4, 4, 0)
    with pytest.raises(DataError, match="unknown approximation 'nystroem'; did you mean 'nystrom'"):
        approximate_dependency(Q[:1], [0], "nystroem")
    for places in ([0, 1], [], [0, 0]):
        with pytest.raises(DataError, match="must name each row once"):
            approximate_dependency(Q[: 2 if places == [0, 0] else 1], places)


# The selectors


@every
@given(seed=seeds, n_bins=st.integers(2, 4), n=st.integers(1, 30), d=st.integers(1, 12))
def test_every_problem_has_a_minimum(cls, seed, n_bins, n, d):
    rng = np.random.default_rng(seed)
    F, Y = rng.integers(n_bins, size=(n, d)), rng.integers(2, size=(n, 3))
    F[:, rng.random(d) < 0.2] = 1
    own = {} if cls is QPFS else {"sampling": float(rng.uniform(0.05, 1)), "random_state": seed}
    fitted = cls(discretise=None, k=None, **own).fit(F, Y)
    assert np.isfinite(fitted.weights_).all()
    assert (fitted.weights_ >= 0).all()
    assert fitted.kkt_residual_ <= 1e-9
    assert np.linalg.eigvalsh(fitted.dependency_)[0] >= -1e-9 * np.abs(fitted.dependency_).max()


@sampled
def test_all_features_sampled_are_the_exact_program(cls):
    F, Y = problem(d=10)
    whole, fitted = QPFS(discretise=None).fit(F, Y), cls(discretise=None, sampling=1.0).fit(F, Y)
    np.testing.assert_array_equal(fitted.sampled_, np.arange(10))
    np.testing.assert_allclose(fitted.dependency_, whole.dependency_, atol=1e-14)
    np.testing.assert_allclose(fitted.weights_, whole.weights_, atol=1e-9)


@sampled
def test_the_sample_is_of_the_seed_and_of_the_share(cls):
    F, Y = problem(d=10)
    for sampling, number in ((0.2, 2), (0.01, 1), (0.99, 9), (1, 10)):
        assert len(cls(discretise=None, sampling=sampling).fit(F, Y).sampled_) == number
    first, second, other = (cls(discretise=None, random_state=seed).fit(F, Y) for seed in (0, 0, 3))
    np.testing.assert_array_equal(first.weights_, second.weights_)
    assert first.sampled_.tolist() != other.sampled_.tolist()


def test_the_diagonal_may_hold_the_entropies():
    F, Y = problem(d=10)
    Q = mutual_information(F)
    fitted = ApproximateQPFS(discretise=None, sampling=0.3, random_state=1, diagonal="entropies").fit(F, Y)
    filled = approximate_dependency(Q[fitted.sampled_], fitted.sampled_)
    assert not np.allclose(np.diag(filled), np.diag(Q))
    np.fill_diagonal(filled, np.diag(Q))
    np.testing.assert_allclose(fitted.dependency_, nearest_positive(filled)[0], atol=1e-12)
    averaged = ApproximateQPFS(discretise=None, sampling=0.3, random_state=1).fit(F, Y)
    assert np.count_nonzero(fitted.weights_) > np.count_nonzero(averaged.weights_)
    with pytest.raises(DataError, match="unknown diagonal 'entropy'; did you mean 'entropies'"):
        ApproximateQPFS(diagonal="entropy").fit(F, Y)


@sampled
def test_diagonal_of_a_feature_independent_of_the_sample(cls):
    F = np.array([[j, i, i] for i in range(2) for j in range(2)] * 2)
    Y = F[:, 1:2]
    for seed in range(20):
        fitted = cls(discretise=None, sampling=0.4, random_state=seed).fit(F, Y)
        if fitted.sampled_.tolist() == [0]:
            np.testing.assert_allclose(np.diag(fitted.dependency_), [np.log(2)] * 3)
            break
    else:
        pytest.fail("the independent feature was never sampled")
    assert fitted.ranking_[0] == 3
