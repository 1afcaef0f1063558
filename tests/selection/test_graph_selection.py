"""Ties, copies and variants of MGFS, BMFS, MFS-MCDM, PMFS and MCLS, their quadratic programs, and what GMBA stores."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.selection import GMBA, gmba, quadratic
from mlreduce.selection.ridge_coefficients import _crowding, _fronts
from mlreduce.validation.limits import within_limits

FIVE = ["mgfs", "bmfs", "mfs-mcdm", "pmfs", "mcls"]


def problem(n=50, d=8, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.linspace(0.5, 2.0, d)
    return X, (X[:, :q] + 0.5 * rng.standard_normal((n, q)) > 0.3).astype(int)


@pytest.mark.parametrize("name", ["mgfs", "mfs-mcdm", "pmfs", "mcls"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_copies_have_the_same_score(name, form):
    X, Y = problem()
    places = np.array([3, 0, 1, 0, 2, 3, 4, 0, 5])
    scores = mlreduce.make(name).fit(form(X[:, places]), Y).scores_
    for copies in ([0, 5], [1, 3, 7]):
        assert len(set(scores[copies])) == 1
    assert len(set(scores)) == (5 if name == "pmfs" else 6)  # the ends of a front are equal, too


@pytest.mark.parametrize("name", FIVE)
def test_labels_of_one_class_alone_are_refused(name):
    X, _ = problem()
    with pytest.raises(DataError, match="no label has both values among the 50 instances"):
        mlreduce.make(name).fit(X, np.tile([0, 1], (50, 1)))


def test_of_matchings_of_the_same_cost_the_first_columns_are_taken():
    X, Y = problem()
    ranking = mlreduce.BMFS().fit(X[:, [0, 1, 0, 1, 0]], Y[:, :1]).ranking_
    np.testing.assert_array_equal(ranking, [1, 4, 2, 5, 3])


def test_the_more_frequent_label_has_its_feature_first():
    Y = np.repeat([[1, 0], [0, 1], [0, 1], [0, 1], [0, 0]], 3, axis=0)
    X = Y + np.tile([[0.1, 0.2], [0.2, 0.1], [0.0, 0.0]], (5, 1))
    np.testing.assert_array_equal(mlreduce.BMFS().fit(X, Y).ranking_, [2, 1])


@given(points=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25, unique=True))
def test_fronts_and_crowding_are_those_of_the_loops(points):
    points = np.array(sorted(points), dtype=float)
    fronts, rest, front = np.zeros(len(points), dtype=int), set(range(len(points))), 1
    while rest:
        members = [j for j in rest if not any(i != j and (points[i] <= points[j]).all() for i in rest)]
        fronts[members] = front
        rest, front = rest - set(members), front + 1
    np.testing.assert_array_equal(_fronts(points[:, 1]), fronts)
    crowding = _crowding(points, fronts)
    for front in set(fronts):
        members = np.flatnonzero(fronts == front)  # in the order of the first value
        assert np.isinf(crowding[members[[0, -1]]]).all()
        for before, place, after in zip(members, members[1:], members[2:], strict=False):
            ranges = np.abs(points[members[-1]] - points[members[0]])
            assert crowding[place] == pytest.approx((np.abs(points[after] - points[before]) / ranges).sum())


def test_units_of_features_matter_without_their_scale_alone():
    X, Y = problem()
    units = np.array([1e-3, 1, 1e3, 1, 1, 10, 1, 1])
    for name in ("mfs-mcdm", "pmfs"):
        first, second = (mlreduce.make(name).fit(x, Y).scores_ for x in (X, X * units))
        np.testing.assert_allclose(first, second, rtol=1e-8)
        raw = mlreduce.make(name, scale=None).fit(X, Y)
        np.testing.assert_allclose(raw.coef_, np.linalg.solve(X.T @ X + 10 * np.eye(8), X.T @ Y), rtol=1e-9)
        assert not np.array_equal(raw.ranking_, mlreduce.make(name, scale=None).fit(X * units, Y).ranking_)


def test_labels_weigh_the_same_where_that_is_asked_for():
    X, Y = problem()
    fitted = mlreduce.MFSMCDM(weights="equal").fit(X, Y)
    ends = [np.linalg.norm(fitted.coef_ - end, axis=1) for end in (fitted.coef_.max(axis=0), fitted.coef_.min(axis=0))]
    np.testing.assert_allclose(fitted.scores_, ends[1] / (ends[0] + ends[1]), atol=1e-9)


def test_a_ridge_that_is_lost_is_refused():
    X, Y = problem()
    X = np.c_[X[:, :2], X[:, 0] + X[:, 1]]
    with pytest.raises(DataError, match=r"alpha=1e-15 is rounded away by the squares of the features; scale these"):
        mlreduce.PMFS(alpha=1e-15).fit(X, Y)


def test_the_program_of_mcls_has_one_minus_the_first_factor():
    X, Y = problem()
    equations, program = (mlreduce.MCLS(variant=v).fit(X, Y).scores_ for v in ("equations", "published-code"))
    apart = [((X[:, None, j] - X[None, :, j]) ** 2) for j in range(8)]
    total = sum(apart)
    near = np.argsort(total + 1e9 * np.eye(50), axis=1)[:, :5]
    joined = np.zeros((50, 50), dtype=bool)
    np.put_along_axis(joined, near, True, axis=1)
    joined |= joined.T
    constraint = [squares[joined].sum() / squares[~joined].sum() for squares in apart]
    np.testing.assert_allclose(program - equations, constraint, rtol=1e-8)


@given(seed=st.integers(0, 10_000), size=st.integers(1, 40), share=st.floats(0.05, 0.5))
def test_sparse_programs_have_the_minimum_of_dense_ones(seed, size, share):
    rng = np.random.default_rng(seed)
    root = sp.random_array((size, size), density=share, rng=rng, data_sampler=rng.standard_normal)
    Q, c = sp.csr_array(root.T @ root + 1e-3 * sp.eye_array(size)), rng.standard_normal(size)
    sparse, dense = quadratic.minimise(Q, c), quadratic.minimise(Q.toarray(), c)
    np.testing.assert_allclose(sparse.x, dense.x, atol=1e-7 * max(1.0, dense.x.max()))
    assert max(sparse.residual, dense.residual) < 1e-9
    assert (sparse.x >= 0).all()


def test_rows_that_are_skipped_are_not_stored(rng):
    X = rng.random((40, 7))
    Y = (rng.random((40, 5)) < 0.5).astype(np.int8)
    Y[:25] = Y[0]  # sets of labels that some share, and others do not
    slopes = gmba._Slopes(X, Y.astype(float), 3, 1.0, 1.0, False)
    table, places = slopes.of_used_rows()
    expected = np.concatenate(list(slopes.in_order(np.arange(40))))
    assert 25 <= len(table) == 40 - np.count_nonzero(slopes.skipped) < 40
    np.testing.assert_array_equal(places < 0, slopes.skipped)
    np.testing.assert_array_equal(np.where(places[:, np.newaxis] >= 0, table[places], 0.0), expected)


def test_a_table_of_gradients_beyond_memory_is_refused(rng):
    X = sp.random_array((400, 60_000), density=0.001, rng=rng, format="csr")
    Y = np.tile([[1, 0], [0, 1]], (200, 1))
    with within_limits({"gigabytes": 0.07}), pytest.raises(DataError, match="gradients of 400 inst.* take n_orders=1"):
        GMBA(k=5, random_state=0).fit(X, Y)
