"""Controls that scikit-learn computes, against its own classes."""

from __future__ import annotations

import definitions
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.feature_selection import chi2, f_classif, mutual_info_classif
from sklearn.linear_model import MultiTaskLasso

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.selection import LassoMultiTask
from mlreduce.validation.limits import within_limits

THEIRS = {
    "chi2": lambda X, y: chi2(X, y)[0],
    "anova": lambda X, y: f_classif(X, y)[0],
    "mutual-info": lambda X, y: mutual_info_classif(X, y, random_state=0),
}
every = pytest.mark.parametrize("name", THEIRS)


def make(name, **parameters):
    return mlreduce.make(name, **parameters, **({"random_state": 0} if name == "mutual-info" else {}))


def problem(n=80, d=6, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, d))
    return X, (X @ rng.standard_normal((d, q)) + rng.standard_normal((n, q)) > 0).astype(int)


@every
@pytest.mark.parametrize(("aggregate", "function"), [("mean", np.mean), ("max", np.max)])
def test_scores_are_those_of_the_labels(name, aggregate, function):
    X, Y = problem()
    expected = function([THEIRS[name](X, y) for y in Y.T], axis=0)
    np.testing.assert_allclose(make(name, aggregate=aggregate).fit(X, Y).scores_, expected)


@every
def test_constant_features_and_labels_that_all_or_none_have(name):
    X, Y = problem()
    expected = make(name).fit(X, Y).scores_
    more = np.column_stack([np.zeros(80), Y, np.ones(80)])
    np.testing.assert_array_equal(make(name).fit(X, more).scores_, expected)
    X[:, 2] = 5.0
    assert make(name).fit(X, Y).scores_[2] == 0
    X[:] = 1.0
    assert not make(name).fit(X, Y).scores_.any()
    for value in (0, 1):
        with pytest.raises(DataError, match="no label has both values among the 80 instances"):
            make(name).fit(X, np.full_like(Y, value))


def test_a_feature_that_separates_without_scatter_is_best():
    X, Y = problem()
    X[:, 4] = Y[:, 1]
    fitted = make("anova", aggregate="max").fit(X, Y)
    assert fitted.scores_[4] == np.inf
    assert fitted.ranking_[4] == 1


@pytest.mark.parametrize("name", ["chi2", "scmfs", "scnmf"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_negative_features_are_refused(name, form):
    X, Y = problem()
    X[3, 2] = -0.5
    with pytest.raises(DataError, match=r"Negative values in data passed to \w+: X holds -0.5 in column 2; .* >= 0"):
        make(name).fit(form(X), Y)


def test_the_lasso_is_refused_where_dense_features_and_their_copy_do_not_fit(rng):
    X = sp.random_array((500, 20_000), density=0.01, rng=rng, format="csr")
    Y = rng.random((500, 3)) < 0.3
    with (
        within_limits({"gigabytes": 0.15}),
        pytest.raises(DataError, match=r"copy.* 0\.1\d+ GB .*MSSL .*\(about \d+"),
    ):
        LassoMultiTask(k=10).fit(X, Y)


def test_the_lasso_is_that_of_scikit_learn():
    X, Y = problem()
    theirs = MultiTaskLasso(alpha=0.02, tol=1e-10, max_iter=10**5).fit(X, Y).coef_.T
    ours = LassoMultiTask(sparsity=0.02, tol=1e-10, max_iter=10**5).fit(sp.csr_array(X), Y)
    np.testing.assert_allclose(ours.coef_, theirs)
    np.testing.assert_allclose(ours.scores_, np.linalg.norm(theirs, axis=1))


def test_a_penalty_that_leaves_out_all_features():
    X, Y = problem()
    centred = X - X.mean(axis=0)
    largest = np.linalg.norm(centred.T @ (Y - Y.mean(axis=0)) / 80, axis=1).max()
    assert not LassoMultiTask(sparsity=1.001 * largest).fit(X, Y).scores_.any()
    assert LassoMultiTask(sparsity=0.999 * largest, tol=1e-10).fit(X, Y).scores_.any()


@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 10**6), st.sampled_from([None, 1, 3]))
def test_mutual_information_is_that_of_all_distances(n, n_neighbors, seed, levels):
    book, rng = definitions.load("mutual-info"), np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)) if levels is None else rng.integers(0, levels + 1, (n, 3)) * 7.5
    y = (rng.random(n) < 0.3).astype(int)
    varying = (X[0] != X).any(axis=0)
    assume(0 < y.sum() < n and varying.any())
    fitted = mlreduce.MutualInformation(n_neighbors=n_neighbors, random_state=seed).fit(X, y)
    expected = [book.estimate(x, y, n_neighbors) for x in book.noisy(X[:, varying], seed).T]
    np.testing.assert_allclose(fitted.scores_[varying], expected, atol=1e-12)


@pytest.mark.parametrize("levels", [None, 1, 3])
def test_mutual_information_is_that_of_scikit_learn(levels):
    """Of classes with at least twice as many instances as neighbours: of smaller ones its distances are rounded."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 8)) if levels is None else rng.integers(0, levels + 1, (300, 8)) * 7.5
    for share in (0.1, 0.5):
        y = (rng.random(300) < share).astype(int)
        theirs = mutual_info_classif(X, y, discrete_features=False, random_state=4)
        ours = mlreduce.MutualInformation(random_state=4).fit(X, y)
        np.testing.assert_allclose(ours.scores_, theirs, atol=1e-12)
