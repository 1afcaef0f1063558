"""Discretisers against information_by_the_book.py and scikit-learn, and edge cases."""

from __future__ import annotations

import information_by_the_book as book
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import estimator_checks_generator

from mlreduce.exceptions import DataError
from mlreduce.preprocessing.discretisation import DISCRETISERS, Discretiser, discretise
from mlreduce.validation import LARGEST

COLUMNS = {
    "continuous": lambda rng, n: rng.standard_normal(n),
    "few values": lambda rng, n: rng.integers(-2, 3, n) / 4,
    "half zeros": lambda rng, n: rng.standard_normal(n) * (rng.random(n) < 0.5),
    "binary": lambda rng, n: (rng.random(n) < 0.2).astype(float),
    "constant": lambda rng, n: np.full(n, 0.1),
}
problems = {
    "columns": st.sampled_from(sorted(COLUMNS)),
    "n": st.integers(1, 24),
    "q": st.integers(1, 4),
    "seed": st.integers(0, 10**6),
}
every = pytest.mark.parametrize("method", DISCRETISERS)


def problem(columns="continuous", n=60, q=3, seed=0, d=4):
    rng = np.random.default_rng(seed)
    X = np.column_stack([COLUMNS[columns](rng, n) for _ in range(d)])
    return X, (X @ rng.standard_normal((d, q)) + 0.3 * rng.standard_normal((n, q)) > 0.2).astype(int)


def cuts_of(method, X, Y, n_bins=3):
    return Discretiser(method, n_bins).fit(X, Y).cut_points_


def assert_cuts(ours, X, expected):
    """Cut points in ties of an ill-conditioned last digit part the same rows."""
    for cuts, x, theirs in zip(ours, X.T, expected, strict=True):
        np.testing.assert_allclose(cuts, theirs, atol=1e-12)
        np.testing.assert_array_equal(np.searchsorted(cuts, x, side="right"), book.bins_of(x, cuts))


@given(**problems, n_bins=st.integers(2, 5))
def test_unsupervised_cuts_match_the_reference(columns, n, q, seed, n_bins):
    X, Y = problem(columns, n, q, seed)
    assert_cuts(cuts_of("equal-width", X, Y, n_bins), X, [book.equal_width(x, n_bins) for x in X.T])
    assert_cuts(cuts_of("equal-frequency", X, Y, n_bins), X, [book.equal_frequency(x, n_bins) for x in X.T])


@given(**problems)
def test_supervised_cuts_match_the_reference(columns, n, q, seed):
    X, Y = problem(columns, n, q, seed)
    sets = [tuple(row) for row in Y.tolist()]
    assert_cuts(cuts_of("mdl", X, Y), X, [book.mdl(x.tolist(), sets) for x in X.T])
    assert_cuts(cuts_of("laim", X, Y), X, [book.laim(x.tolist(), Y) for x in X.T])


def test_mdl_finds_as_many_cuts_as_there_are():
    x = np.arange(200.0)
    classes = np.stack([(x >= 50) & (x < 120), x >= 120], axis=1).astype(int)
    np.testing.assert_array_equal(cuts_of("mdl", x[:, np.newaxis], classes)[0], [49.5, 119.5])
    noise = np.random.default_rng(0).integers(2, size=(200, 1))
    assert len(cuts_of("mdl", x[:, np.newaxis], noise)[0]) == 0


def test_laim_cuts_between_the_labels():
    x = np.arange(90.0)
    Y = np.eye(3, dtype=int)[(x // 30).astype(int)]
    np.testing.assert_array_equal(cuts_of("laim", x[:, np.newaxis], Y)[0], [29.5, 59.5])


def test_equal_widths_match_scikit_learn():
    X, Y = problem(n=200)
    theirs = KBinsDiscretizer(5, encode="ordinal", strategy="uniform", subsample=None).fit_transform(X)
    np.testing.assert_array_equal(Discretiser("equal-width", 5).fit_transform(X, Y), theirs)


def test_bins_of_equal_frequency_are_as_full_as_they_can_be():
    X, _ = problem(n=90)
    for column in Discretiser("equal-frequency", 3).fit_transform(X).T:
        np.testing.assert_array_equal(np.bincount(column), [30, 30, 30])
    mostly_zero = np.r_[np.zeros(80), np.arange(1, 21)][:, np.newaxis]
    np.testing.assert_array_equal(
        np.bincount(Discretiser("equal-frequency").fit_transform(mostly_zero)[:, 0]), [80, 20]
    )


@every
def test_values_outside_the_range_are_in_the_bins_at_the_ends(method):
    X, Y = problem(n=200)
    fitted = Discretiser(method).fit(X, Y)
    last = [len(cuts) for cuts in fitted.cut_points_]
    np.testing.assert_array_equal(fitted.transform([[-LARGEST] * 4, [LARGEST] * 4]), [[0] * 4, last])


@every
def test_a_constant_column_is_one_bin_and_order_is_kept(method):
    X, Y = problem(n=80)
    X[:, 1] = 0.1
    bins = Discretiser(method).fit_transform(X, Y)
    assert not bins[:, 1].any()
    assert bins.dtype == np.int32
    for x, b in zip(X.T, bins.T, strict=True):
        assert (np.diff(b[np.argsort(x)]) >= 0).all()
        assert all(len(set(b[x == value])) == 1 for value in x)


@every
@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix, pd.DataFrame, np.asfortranarray])
def test_every_form_of_features(method, form):
    X, Y = problem("half zeros", n=50)
    expected = Discretiser(method).fit_transform(X, Y)
    np.testing.assert_array_equal(Discretiser(method).fit_transform(form(X), Y), expected)
    np.testing.assert_array_equal(Discretiser(method).fit(form(X), 2 * Y - 1).transform(form(X)), expected)


@every
def test_extreme_values_have_bins(method):
    X = np.array([[-LARGEST], [LARGEST], [0.0], [np.nextafter(0, 1)]])
    bins = Discretiser(method, 2).fit_transform(X, [[0, 0], [1, 0], [0, 1], [1, 1]])
    assert bins.min() >= 0
    assert bins[0, 0] <= bins[2, 0] <= bins[1, 0]


def test_impossible_parameters_are_refused():
    X, _ = problem()
    with pytest.raises(DataError, match="unknown discretiser 'equal-with'; did you mean 'equal-width'"):
        Discretiser("equal-with").fit(X)
    for n_bins in (1, 2.5, True, "3"):
        with pytest.raises(DataError, match="n_bins must be an integer >= 2"):
            Discretiser(n_bins=n_bins).fit(X)
    for method in ("mdl", "laim"):
        with pytest.raises(DataError, match=f"the discretiser '{method}' needs labels"):
            Discretiser(method).fit(X)


def test_features_that_are_bins():
    bins = np.array([[0, 3], [7, -1]])
    np.testing.assert_array_equal(discretise(bins.astype(float), np.zeros((2, 1)), None, 3), bins)
    np.testing.assert_array_equal(discretise(sp.csr_array(bins.astype(float)), np.zeros((2, 1)), None, 3), bins)
    with pytest.raises(DataError, match="takes columns that are bins already, integers; column 1 holds 0.5"):
        discretise(np.array([[1, 0.5]]), np.zeros((1, 1)), None, 3)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_estimator_checks():
    for estimator, check in estimator_checks_generator(Discretiser(), mark="skip"):
        check(estimator)
