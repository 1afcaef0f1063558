"""Selectors by sparse regression against regressions_by_the_book.py, the conditions of a minimum, and each other."""

from __future__ import annotations

import numpy as np
import pytest
import regressions_by_the_book as book
import scipy.sparse as sp
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import MultiTaskLasso
from sklearn.metrics import roc_auc_score

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.selection import CSFS, MDFS, MIFS, MLMLFS, MRDM, MSSL, PNC, SFUS, base, mifs, row_sparse
from mlreduce.selection.row_sparse import SOLVERS, Regression, solve_positive
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.proximity import Proximity
from mlreduce.validation import memory

pytestmark = pytest.mark.rotating

NAMES = ["csfs", "mdfs", "mifs", "mlmlfs", "mrdm", "mssl", "pnc", "scmfs", "sfus"]
#: Whose proximity is a graph of the instances.
GRAPH = {"mdfs", "mifs", "mlmlfs", "mrdm"}
PARTLY = ["csfs", "mdfs", "mlmlfs", "pnc"]
every = pytest.mark.parametrize("name", NAMES)
partly = pytest.mark.parametrize("name", PARTLY)
sizes = {"n": st.integers(2, 20), "d": st.integers(1, 20), "q": st.integers(1, 4), "seed": st.integers(0, 10**6)}


def problem(n=40, d=7, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, d))
    W = rng.standard_normal((d, q)) * (np.arange(d) < 3)[:, np.newaxis]
    scores = X @ W + 0.5 * rng.standard_normal((n, q))
    return X, (scores > np.median(scores, axis=0)).astype(float)


def hide(Y, share, seed=0):
    """Some cells, one whole row, never all."""
    rng = np.random.default_rng(seed)
    Y = Y.copy()
    Y[rng.random(Y.shape) < share] = np.nan
    Y[-1], Y[0] = np.nan, 1.0
    return Y


def graph(points, proximity=None):
    weights = Proximity(**(proximity or {})).matrix(TrainingSet(points))
    return weights.toarray() if sp.issparse(weights) else weights


def iterations(cls, number, **parameters):
    return cls(max_iter=number, tol=0, solver="reweighted", **{"sparsity": 1.0, **parameters})


# Equal to the book, one iteration after the other


@given(**sizes, number=st.integers(1, 4), alpha=st.sampled_from([0.0, 0.5, 3.0]), gamma=st.sampled_from([0.1, 2.0]))
@settings(max_examples=12)
def test_mssl_matches_the_reference(n, d, q, seed, number, alpha, gamma):
    X, Y = problem(n, d, q, seed)
    fitted, S = iterations(MSSL, number, smoothness=alpha, sparsity=gamma).fit(X, Y), graph(X.T)
    np.testing.assert_allclose(fitted.coef_, book.mssl(X, Y, S, alpha, gamma, number), atol=1e-8)
    assert fitted.objective_[-1] == pytest.approx(book.mssl_objective(X, Y, S, fitted.coef_, alpha, gamma))


@given(**sizes, number=st.integers(1, 4), share=st.sampled_from([0.0, 0.2, 0.7]), gamma=st.sampled_from([0.1, 2.0]))
@settings(max_examples=12)
def test_csfs_matches_the_reference(n, d, q, seed, number, share, gamma):
    X, Y = problem(n, d, q, seed)
    Y = hide(Y, share, seed) if share else Y
    fitted = iterations(CSFS, number, sparsity=gamma).fit(X, Y)
    W, F = book.csfs(X, Y, gamma, number)
    np.testing.assert_allclose(fitted.coef_, W, atol=1e-8)
    np.testing.assert_allclose(fitted.soft_labels_, F, atol=1e-8)
    # b is that of the last targets, which the next round would improve.
    assert fitted.objective_[-1] >= book.csfs_objective(X, F, W, gamma) - 1e-9
    if not share:
        assert fitted.objective_[-1] == pytest.approx(book.csfs_objective(X, F, W, gamma))


@given(
    **sizes, number=st.integers(1, 4), share=st.sampled_from([0.0, 0.2, 0.7]), gamma=st.sampled_from([0.1, 2.0]),
    alpha=st.sampled_from([0.5, 3.0]), beta=st.sampled_from([0.0, 2.0]),
    label_graph=st.sampled_from(["complete", "cosine"]),
)  # fmt: skip
@settings(max_examples=12)
def test_mdfs_matches_the_reference(n, d, q, seed, number, share, alpha, beta, gamma, label_graph):
    X, Y = problem(n, d, q, seed)
    Y, S = hide(Y, share, seed) if share else Y, graph(X)
    fitted = iterations(
        MDFS, number, label_error=alpha, label_smoothness=beta, sparsity=gamma, label_graph=label_graph
    ).fit(X, Y)
    W, F = book.mdfs(X, Y, S, alpha, beta, gamma, number, label_graph)
    np.testing.assert_allclose(fitted.coef_, W, atol=1e-7)
    np.testing.assert_allclose(fitted.soft_labels_, F, atol=1e-7)
    assert fitted.objective_[-1] >= book.mdfs_objective(X, Y, S, F, W, alpha, beta, gamma, label_graph) - 1e-9


@given(**sizes, number=st.integers(1, 4), gamma=st.sampled_from([0.1, 2.0]), beta=st.sampled_from([0.0, 2.0]))
@settings(max_examples=12)
def test_mifs_matches_the_reference(n, d, q, seed, number, beta, gamma):
    X, Y = problem(n, d, q, seed)
    Y, S = Y + 0.0, graph(X)
    values = np.linalg.svd(Y, compute_uv=False)
    n_latent = next((c for c in range(1, min(n, q)) if values[c - 1] > values[c] + 1e-6), None)
    fitted = iterations(MIFS, number, n_latent=n_latent, smoothness=beta, sparsity=gamma).fit(X, Y)
    W, V, B = book.mifs(X, Y, S, n_latent or q, 1.0, beta, gamma, number)
    np.testing.assert_allclose(fitted.scores_, book.lengths(W), atol=1e-7)
    np.testing.assert_allclose(fitted.latent_labels_ @ fitted.label_basis_, V @ B, atol=1e-7)
    found = fitted.coef_, fitted.latent_labels_, fitted.label_basis_
    assert fitted.objective_[-1] == pytest.approx(book.mifs_objective(X, Y, S, *found, 1.0, beta, gamma), abs=1e-9)
    np.testing.assert_allclose(fitted.label_basis_ @ fitted.label_basis_.T, np.eye(n_latent or q), atol=1e-10)


@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.1, 10.0), (10.0, 0.1), (1.0, 0.0)])
def test_pnc_ends_where_the_loop_of_its_program_does(weights):
    X, Y = problem(seed=3)
    W, objective = book.pnc(X, Y, *weights, 1.0, 4000)
    fitted = PNC(None, *weights, sparsity=1.0, fit_intercept=False, tol=1e-13).fit(X, Y)
    np.testing.assert_allclose(fitted.coef_, W, atol=1e-6)
    assert fitted.objective_[-1] == pytest.approx(objective, rel=1e-9)


# Minima


@given(
    shape=st.sampled_from([(30, 6, 3), (12, 20, 4), (25, 5, 2)]),
    seed=st.integers(0, 10**6),
    number=st.integers(1, 4),
    beta=st.sampled_from([0.0, 0.5, 30.0]),
    gamma=st.sampled_from([0.1, 2.0]),
)
@settings(max_examples=10)
def test_sfus_matches_the_reference(shape, seed, number, beta, gamma):
    X, Y = problem(*shape, seed)
    c = 1 + seed % shape[2]
    fitted = iterations(SFUS, number, n_latent=c, subspace_error=beta, sparsity=gamma).fit(X, Y)
    W, Q, gap = book.sfus(X, Y, c, beta, gamma, number)
    assume(gap > 1e-3)
    np.testing.assert_allclose(fitted.coef_, W, atol=1e-7)
    np.testing.assert_allclose(fitted.subspace_ @ fitted.subspace_.T, Q @ Q.T, atol=1e-6)
    assert fitted.objective_[-1] == pytest.approx(book.sfus_objective(X, Y, W, Q, beta, gamma))


@every
@given(**sizes, gamma=st.sampled_from([0.01, 1.0, 20.0]))
@example(n=5, d=14, q=1, seed=246, gamma=0.01)  # a step too far ahead is taken back
@example(n=2, d=16, q=4, seed=1, gamma=0.01)  # with the other variables
@example(n=4, d=1, q=2, seed=0, gamma=0.01)  # no feature that is not zero
@settings(max_examples=4)
def test_the_objective_never_rises(name, n, d, q, seed, gamma):
    X, Y = problem(n, d, q, seed)
    X[:, 0] = seed % 2
    Y = hide(Y, 0.3, seed) if name in PARTLY and n > 2 else Y
    for solver in SOLVERS:
        objective = mlreduce.make(name, sparsity=gamma, max_iter=12, tol=0, solver=solver).fit(X, Y).objective_
        assert len(objective) == 12 or solver == SOLVERS[0]
        assert (np.diff(objective) <= 1e-9 * (1 + objective[:-1])).all()
        assert objective[-1] > -1e-12


@every
def test_iterations_end_where_the_objective_hardly_falls(name):
    X, Y = problem(n=100, d=12)
    ends = {"sparsity": 5.0, "tol": 1e-6, "solver": "reweighted"}
    fitted = mlreduce.make(name, max_iter=5000, **ends).fit(X, Y)
    falls = -np.diff(fitted.objective_) / fitted.objective_[:-1]
    assert fitted.n_iter_ == len(fitted.objective_) < 5000
    assert falls[-1] <= 1e-6
    assert (falls[:-1] > 1e-6).all()
    with pytest.warns(ConvergenceWarning, match="still fell by more than tol=1e-06 of itself in iteration max_iter=2"):
        mlreduce.make(name, max_iter=2, **ends).fit(X, Y)


# One implementation against the other


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_both_systems_have_the_same_solution(form, intercept):
    X, Y = problem(9, 9)
    X[:, 3] = 0
    X[:, 4] += 5
    widths = np.random.default_rng(1).random(9)
    by_feature = Regression(form(X), Y, intercept)
    wide = form(np.hstack([X, np.zeros((9, 1))]))
    by_instance = Regression(wide, Y, intercept)
    expected = by_feature.coefficients(widths, 0.7)
    np.testing.assert_allclose(by_instance.coefficients(np.append(widths, 1.0), 0.7)[:9], expected, atol=1e-9)
    centred = X - X.mean(axis=0) * intercept
    wanted = centred.T @ (Y - Y.mean(axis=0) * intercept)
    direct = np.linalg.solve(centred.T @ centred + np.diag(0.7 / widths), wanted)
    np.testing.assert_allclose(expected, direct, atol=1e-9)


def test_systems_are_solved_from_any_start():
    rng = np.random.default_rng(0)
    A, T, start = rng.standard_normal((6, 6)), rng.standard_normal((6, 3)), rng.standard_normal((6, 3))
    A = A @ A.T + np.eye(6)
    solved = solve_positive(lambda Z: A @ Z, np.repeat(A.diagonal()[:, None], 3, axis=1), T, start)
    np.testing.assert_allclose(solved, np.linalg.solve(A, T), atol=1e-8)


# Identities


def test_the_printed_problem_of_mifs_has_no_minimum():
    """V and W down and B up by a factor: a smaller objective each time, and in the limit only the label errors."""
    X, Y = problem()
    fitted, S = MIFS(n_latent=2).fit(X, Y), graph(X)
    W, V, B = fitted.coef_, fitted.latent_labels_, fitted.label_basis_
    values = [book.mifs_objective(X, Y, S, t * W, t * V, B / t, 1.0, 1.0, 1.0) for t in 0.1 ** np.arange(9.0)]
    assert (np.diff(values) < 0).all()
    assert values[-1] == pytest.approx(np.sum((Y - V @ B) ** 2), rel=1e-6)


@partly
def test_unlabelled_instances_are_ranked_and_are_not_those_without_labels(name):
    X, Y = problem(n=400, d=12)
    labels = Y.copy()
    labels[40:] = np.nan
    # With more smoothness soft labels are much the same.
    weights = {"sparsity": "5%"} | ({"label_smoothness": 0.1} if name == "pnc" else {})
    fitted = mlreduce.make(name, **weights).fit(X, labels)
    assert roc_auc_score(Y[40:], fitted.soft_labels_[40:], average="macro") > 0.75
    assert not np.allclose(
        mlreduce.make(name, sparsity="5%").fit(X, np.nan_to_num(labels)).scores_, fitted.scores_, rtol=0.1
    )


@partly
def test_a_label_known_of_nobody_tells_nothing(name):
    X, Y = problem()
    more = np.column_stack([Y, np.full(40, np.nan)])
    for solver in SOLVERS:
        make = mlreduce.make(name, sparsity=1.0, max_iter=20, tol=0, solver=solver)
        with pytest.warns(UserWarning, match="column 3"):
            fitted = clone(make).fit(X, more)
        np.testing.assert_allclose(fitted.coef_[:, 3], 0, atol=1e-9)
        np.testing.assert_allclose(fitted.scores_, make.fit(X, Y).scores_, atol=1e-7)


# What cannot be


@partly
def test_no_label_known_is_refused(name):
    X, Y = problem()
    with pytest.raises(DataError, match="no label is known: all cells of y are NaN"):
        mlreduce.make(name).fit(X, np.full_like(Y, np.nan))


@pytest.mark.parametrize("name", ["mifs", "scmfs"])
def test_impossible_numbers_of_latent_labels_are_refused(name):
    X, Y = problem()
    for wrong in (0, 4, -1):
        with pytest.raises(DataError, match=f"n_latent must be between 1 and 3, the number of labels; got {wrong}"):
            mlreduce.make(name, n_latent=wrong).fit(X, Y)


@pytest.mark.parametrize("name", [*NAMES, "rfs"])
def test_labels_that_nobody_has_need_no_feature(name):
    X, Y = problem()
    X = X - X.min(axis=0)
    assert not mlreduce.make(name).fit(X, np.zeros_like(Y)).scores_.any() or name == "scmfs"  # explains features too
    X[:, 2] = 0
    assert mlreduce.make(name).fit(X, Y).scores_[2] == 0 or name == "mssl"  # by the coefficients of its neighbours


# Norms of residuals, and labels that are not known


def test_features_that_matter_come_first_despite_outliers_and_hidden_labels():
    X, Y = problem(200, 12)
    Y = hide(Y, 0.3)
    assert set(np.argsort(MLMLFS(sparsity=2.0).fit(X, Y).ranking_)[:3]) == {0, 1, 2}
    X[:4, 11], Y[:4] = 1e3, 1.0  # a squared loss would follow these
    assert set(np.argsort(MLMLFS(smoothness=0.0, sparsity=2.0).fit(X, Y).ranking_)[:3]) == {0, 1, 2}


# Orthonormal latent labels


@pytest.mark.parametrize(
    ("shape", "alpha", "beta", "gamma", "proximity"),
    [
        ((60, 9, 3), 1, 1, 1, None),
        ((60, 9, 3), 0.1, 0.1, 0.1, {"n_neighbors": None, "tau": 20.0}),
        ((20, 30, 3), 1, 0.01, 0.3, {"n_neighbors": None, "tau": 20.0}),
        ((20, 30, 3), 5, 0.1, 0.1, None),
    ],
)
def test_mrdm_is_as_good_as_with_eigenvectors_of_all_instances(shape, alpha, beta, gamma, proximity):
    X, Y = problem(*shape)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    fitted = MRDM(smoothness=alpha, dependence=beta, sparsity=gamma, proximity=proximity).fit(X, Y)
    S, Z = graph(X, proximity), Y - Y.mean(axis=0)
    W, V = book.mrdm(X, Y, S, alpha, beta, gamma, 60)
    theirs = book.mrdm_objective(X, Z, book.laplacian(S), W, V, alpha, beta, gamma) + beta * (Z**2).sum()
    assert fitted.objective_[-1] <= theirs * (1 + 1e-8)
    np.testing.assert_allclose(fitted.scores_, book.lengths(W), atol=0.02 * fitted.scores_.max())


def test_equal_singular_values_of_the_labels_do_not_decide_on_ranks():
    """Labels that are equally frequent and exclude each other; a label and its copy."""
    X = problem(60, 9)[0]
    X -= X.mean(axis=0)
    Y, order = np.eye(3)[np.arange(60) % 3][:, [0, 1, 2, 2]], np.random.default_rng(1).permutation(60)
    for alpha in (0.0, 0.1, 1.0):
        method = MRDM(smoothness=alpha, sparsity="10%", proximity={"weight": "constant", "n_neighbors": None})
        fitted = method.fit(X, Y)
        assert fitted.latent_labels_.shape == (60, 2)
        scores = fitted.scores_
        assert (scores > 0).any()
        again = method.fit(X[order], Y[order][:, [2, 3, 0, 1]])
        np.testing.assert_allclose(again.scores_, scores, atol=1e-6 * scores.max())


# The shared mode


# The minimum: rows that are exactly zero, and a bound of what is left


@pytest.mark.parametrize(
    ("name", "share"), [("tall", 0.5), ("tall", 0.1), ("wide", 0.1), ("wide", 0.02), ("digits-300", 0.1)]
)
def test_the_support_is_that_of_scikit_learns_lasso(name, share):
    X, Y = problem(*((25, 60, 4) if name == "wide" else (80, 20, 3)))
    if name not in ("tall", "wide"):
        data = mlreduce.load_dataset(name)
        X, Y = data.X, data.Y.astype(float)
    ours = MSSL(smoothness=0.0, sparsity=f"{100 * share:g}%", tol=1e-12).fit(X, Y)
    theirs = MultiTaskLasso(alpha=ours.sparsity_ / (2 * len(X)), tol=1e-14, max_iter=200_000).fit(X, Y)
    np.testing.assert_array_equal(ours.scores_ > 0, theirs.coef_.any(axis=0))
    np.testing.assert_allclose(ours.coef_, theirs.coef_.T, atol=1e-5 * np.abs(ours.coef_).max())
    objective = book.mssl_objective(X, Y, np.zeros((X.shape[1], X.shape[1])), theirs.coef_.T, 0.0, ours.sparsity_)
    assert ours.objective_[-1] <= objective * (1 + 1e-9)
    assert ours.gap_ <= 1e-12


@pytest.mark.parametrize("name", ["csfs", "mdfs", "mssl", "pnc"])
@pytest.mark.parametrize("shape", [(60, 9), (15, 30)])
def test_the_gap_bounds_the_distance_to_the_minimum(name, shape):
    X, Y = problem(*shape)
    Y = hide(Y, 0.3) if name in PARTLY else Y
    least = mlreduce.make(name, sparsity="20%", tol=1e-13, max_iter=5000).fit(X, Y)
    assert 0 < (least.scores_ == 0).sum() < shape[1]
    for tol in (1e-2, 1e-4, 1e-8):
        fitted = mlreduce.make(name, sparsity="20%", tol=tol).fit(X, Y)
        above = 1 - least.objective_[-1] / fitted.objective_[-1]
        assert -1e-11 < above <= fitted.gap_ <= tol
    slow = mlreduce.make(name, sparsity=least.sparsity_, tol=1e-6, max_iter=5000, solver="reweighted")
    assert least.objective_[-1] < slow.fit(X, Y).objective_[-1] < least.objective_[-1] * (1 + 1e-3)
    assert slow.scores_.all()  # which never reach zero


def test_no_more_iterations_are_said():
    X, Y = problem(15, 30)
    with pytest.warns(ConvergenceWarning, match="after 1 iterations .* than tol=1e-08; a larger max_iter"):
        CSFS(sparsity="1%", max_iter=1).fit(X, Y)


@every
def test_all_rows_are_zero_from_the_largest_weight_on(name):
    X, Y = problem(60, 9)
    at = mlreduce.make(name, sparsity="100%").fit(X, Y)
    assert not at.scores_.any()
    assert at.sparsity_ == at.sparsity_max_
    assert not mlreduce.make(name, sparsity=2 * at.sparsity_max_).fit(X, Y).scores_.any()
    assert mlreduce.make(name, sparsity=0.99 * at.sparsity_max_).fit(X, Y).scores_.any()


def test_rows_of_zeros_are_ranked_by_how_steep_the_loss_is():
    X, Y = problem(60, 9)
    moments = np.linalg.norm((X - X.mean(axis=0)).T @ Y, axis=1)
    assert CSFS().fit(X, Y).sparsity_max_ == pytest.approx(2 * moments.max())
    np.testing.assert_array_equal(np.argsort(CSFS(sparsity="100%").fit(X, Y).ranking_), np.argsort(-moments))
    fitted = CSFS(sparsity="30%").fit(X, Y)
    assert 0 < (fitted.scores_ > 0).sum() < 8
    steep = np.linalg.norm((X - X.mean(axis=0)).T @ (Y - X @ fitted.coef_), axis=1)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_), np.lexsort((-steep, -fitted.scores_)))


@pytest.mark.parametrize(
    ("name", "form"),
    [*((name, np.asarray) for name in ["csfs", "mdfs", "mifs", "mlmlfs", "mrdm", "sfus", "rfs", "scmfs"]),
     ("csfs", sp.csr_array), ("mrdm", sp.csr_array)],
)  # fmt: skip
def test_copies_have_equal_scores_and_cost_nothing(name, form):
    X, Y = problem(60, 9)
    X -= X.min(axis=0)
    mirrored = X[:, 1] if name == "scmfs" else -X[:, 1]
    some = [X[:, [0]], X, mirrored[:, np.newaxis]]
    if name in ("csfs", "mdfs", "sfus"):
        some.append(1.0 - X[:, [1]])  # the negative but for the intercept
    more = form(np.hstack(some))
    make = mlreduce.make(name, sparsity="5%")
    alone, fitted = clone(make).fit(X, Y), make.fit(more, Y)
    scores = fitted.scores_
    assert scores[0] == scores[1] > 0
    assert (scores[2] == scores[10:]).all()
    assert scores[2] > 0
    if name in ("csfs", "rfs"):  # the squares of the others' coefficients or the distances of instances count, too
        assert fitted.sparsity_max_ == pytest.approx(alone.sparsity_max_)
        assert fitted.objective_[-1] == pytest.approx(alone.objective_[-1], rel=1e-7)
    assert fitted.ranking_[0] + 1 == fitted.ranking_[1]


@every
@pytest.mark.parametrize("k", [3, 9])
def test_the_weight_is_the_largest_with_which_k_rows_are_not_zero(name, k):
    X, Y = problem(n=120, d=12)
    fitted = mlreduce.make(name, k=k).fit(X, Y)
    assert fitted.n_nonzero_ == np.count_nonzero(fitted.scores_) >= k
    assert not fitted.edge_
    again = mlreduce.make(name, k=k, sparsity=fitted.sparsity_).fit(X, Y)
    np.testing.assert_array_equal(fitted.ranking_, again.ranking_)
    if name in ("csfs", "mdfs", "mssl", "pnc"):  # the convex ones
        assert mlreduce.make(name, k=k, sparsity=1.44 * fitted.sparsity_).fit(X, Y).n_nonzero_ < k
    if name != "scmfs":  # whose features are all positive, and so alike
        assert len(set(np.argsort(fitted.ranking_)[:3]) & {0, 1, 2}) > 1


@pytest.mark.parametrize("name", [*NAMES, "rfs"])
def test_the_order_of_rows_features_and_labels_makes_no_difference(name):
    X, Y = problem(60, 12, seed=3)
    rows, columns, labels = (np.random.default_rng(1).permutation(size) for size in (60, 12, 3))
    fitted = mlreduce.make(name, k=4).fit(X, Y)
    again = mlreduce.make(name, k=4).fit(X[rows][:, columns], Y[rows][:, labels])
    assert again.sparsity_ == pytest.approx(fitted.sparsity_)
    np.testing.assert_allclose(again.scores_, fitted.scores_[columns], atol=1e-6 * fitted.scores_.max())
    np.testing.assert_array_equal(again.get_support(), fitted.get_support()[columns])


def test_the_edge_is_where_no_weight_leaves_k_rows():
    X, Y = problem(8, 40)
    assert CSFS(k=30).fit(X, Y).n_nonzero_ >= 8  # as many as instances, with which any labels are fitted
    X, Y = problem()
    fitted = CSFS(k=5).fit(np.column_stack([X[:, :3], 1e-9 * X[:, 3:]]), Y)
    assert fitted.edge_
    assert fitted.n_nonzero_ == 3
    assert fitted.sparsity_ == pytest.approx(1e-6 * fitted.sparsity_max_)


@every
def test_few_rows(name):
    for n in (1, 2, 5):
        X, Y = problem(n, 4)
        scores = mlreduce.make(name, **({"proximity": {"n_neighbors": 1}} if name in GRAPH else {})).fit(X, Y).scores_
        assert np.isfinite(scores).all()


@every
def test_weights_that_cannot_be_are_refused(name):
    X, Y = problem()
    for wrong, message in (
        (0.0, "sparsity must be"), (-1, "sparsity must be"),
        ("5", "sparsity must be a number, a percentage such as '50%'"),
        ("150%", "sparsity must be a number, a percentage"), ([1], "sparsity must be"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=message):
            mlreduce.make(name, sparsity=wrong).fit(X, Y)
    for gamma in (None, "5%"):
        with pytest.raises(DataError, match="solver='reweighted' takes a number for sparsity, not"):
            mlreduce.make(name, sparsity=gamma, solver="reweighted").fit(X, Y)
    with pytest.raises(DataError, match="solver must be 'coordinate-descent' or 'reweighted'; got 'newton'"):
        mlreduce.make(name, solver="newton").fit(X, Y)


@pytest.mark.parametrize("name", ["csfs", "llsf", "lrlsf", "mssl", "pnc", "scmfs", "sfus"])
def test_features_whose_products_are_not_stored_have_the_same_scores(name, monkeypatch):
    X, Y = problem(n=40, d=50)
    X = sp.csr_array(np.where(X > 2.0, X, 0.0))
    stored = mlreduce.make(name, k=5).fit(X, Y)
    monkeypatch.setattr(row_sparse, "SMALL", 0)
    assert not row_sparse.few_products(X)
    np.testing.assert_allclose(mlreduce.make(name, k=5).fit(X, Y).scores_, stored.scores_, rtol=1e-5, atol=1e-7)


def test_many_labels_have_the_same_latent_labels(monkeypatch):
    X, Y = problem(n=60, d=10, q=6)
    few = MIFS(sparsity="5%").fit(X, Y)
    monkeypatch.setattr(mifs, "_MANY", 0)
    np.testing.assert_allclose(MIFS(sparsity="5%").fit(X, Y).scores_, few.scores_, rtol=1e-5, atol=1e-8)


def test_constant_features_explain_nothing():
    X, Y = np.full((30, 4), 0.1), problem(n=30)[1]
    fitted = MLMLFS().fit(X, Y)
    assert fitted.sparsity_max_ == 0.0
    assert not fitted.coef_.any()


@pytest.mark.parametrize("name", ["grro", "mfs-mfr", "qpfs", "qpfs-approx", "qpfs-nystrom", "scnmf"])
def test_features_of_which_all_pairs_do_not_fit_are_refused(name, monkeypatch):
    X, Y = problem(n=30, d=20)
    monkeypatch.setattr(memory, "SMALL_BYTES", 0)
    monkeypatch.setattr(memory, "memory_left", lambda: (7000.0, "this test"))
    monkeypatch.setattr(base, "check_fit_memory", lambda *_: None)
    with pytest.raises(DataError, match=r"all pairs of 20 features.* \(about 15 of 20 features fit\)"):
        mlreduce.make(name).fit(X, Y)
    assert mlreduce.make(name).fit(X[:, :15], Y).n_features_in_ == 15
