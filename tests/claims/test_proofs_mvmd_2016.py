"""Mathematics of mvmd-2016: what papers/mvmd-2016/claims.yaml derives, computed on random problems."""

from __future__ import annotations

import itertools

import numpy as np
import projection_problems
import pytest
import scipy.linalg

import mlreduce
from mlreduce.exceptions import ProjectionWarning
from mlreduce.projection.base import NoDirectionError

SIZE = 3


class Problem:
    """Random features X and labels Y; Xc, S and C = S'Xc: the centred features, signed labels and their products."""

    def __init__(self, shape, seed=0):
        self.X, self.Y = projection_problems.data(np.random.default_rng(seed), *projection_problems.SHAPES[shape])
        self.Xc = self.X - self.X.mean(axis=0)
        self.S = 2.0 * (self.Y - self.Y.mean(axis=0))
        self.C = self.S.T @ self.Xc

    def directions(self, name, n_components=SIZE, **parameters):
        """Return P of a fitted method, as columns."""
        return mlreduce.make(name, n_components=n_components, **parameters).fit(self.X, self.Y).components_.T

    def number(self, name, **parameters):
        """Return how many directions have a positive eigenvalue."""
        return mlreduce.make(name, **parameters).fit(self.X, self.Y).n_components_

    def check_same(self, first, second):
        """Check that two methods have the same eigenvalues and directions."""
        projection_problems.same_directions(first.fit(self.X, self.Y), second.fit(self.X, self.Y))

    def check_least_squares(self, name, matrix):
        """Check that no others have as small a residual of a matrix as the directions of a method."""
        least = residual(matrix, self.directions(name))
        assert least == pytest.approx(np.square(np.linalg.svd(matrix, compute_uv=False)[SIZE:]).sum())
        assert all(residual(matrix, other) > least for other in self.others())

    def others(self, number=20):
        """Return random orthonormal directions."""
        rng = np.random.default_rng(1)
        return [np.linalg.qr(rng.standard_normal((self.X.shape[1], SIZE)))[0] for _ in range(number)]


@pytest.fixture(params=projection_problems.SHAPES)
def problem(request):
    return Problem(request.param)


def residual(matrix, P):
    """Return the least squared error of ``matrix - B P'`` over all B, for any P."""
    coefficients = np.linalg.lstsq(P, matrix.T, rcond=None)[0]
    return np.square(matrix.T - P @ coefficients).sum()


def held(matrix, P):
    """Return ``tr(P' matrix' matrix P)``."""
    return np.square(matrix @ P).sum()


def off_diagonal(matrix):
    """Return the largest entry beside the diagonal, relative to the largest of all."""
    return np.abs(matrix - np.diag(np.diag(matrix))).max() / np.abs(matrix).max()


def test_mddm_at_most_q(problem):
    rank = np.linalg.matrix_rank(problem.C)
    for name, parameters in (("mddmp", {}), ("mddmf", {"scatter_weight": 0.5}), ("mddmf", {"scatter_weight": 1.0})):
        assert problem.number(name, **parameters) == rank <= problem.Y.shape[1]


def test_mlda_at_most_q_less_one(problem):
    for name in ("lda-copy", "mlda"):
        assert problem.number(name) <= problem.Y.shape[1] - 1


def test_cca_has_few_eigenvalues(problem):
    assert problem.number("cca") <= problem.Y.shape[1]


def test_rank_at_most_rows_or_features(problem):
    for name in ("pca", "mvmd"):
        assert problem.number(name) <= min(problem.X.shape)


def test_mvmd_has_as_many_positive_eigenvalues_as_pca(problem):
    assert {problem.number("mvmd", beta=beta) for beta in (0.01, 0.5, 0.99)} == {problem.number("pca")}


def test_pca_is_least_squares(problem):
    problem.check_least_squares("pca", problem.Xc)


def test_mddmp_maximises_hsic(problem):
    H = np.eye(len(problem.X)) - 1.0 / len(problem.X)
    signed = 2.0 * problem.Y - 1.0

    def hsic(P):
        return np.trace(H @ problem.X @ P @ P.T @ problem.X.T @ H @ signed @ signed.T) / (len(H) - 1) ** 2

    method = mlreduce.MDDMp(n_components=SIZE).fit(problem.X, problem.Y)
    best = hsic(method.components_.T)
    assert best == pytest.approx(method.eigenvalues_.sum() / (len(H) - 1) ** 2)
    assert all(hsic(other) < best for other in problem.others())


def test_mddmp_is_least_squares(problem):
    problem.check_least_squares("mddmp", problem.C)


def test_least_squares_not_for_mddmf(problem):
    P, beta = problem.directions("mddmf", scatter_weight=0.5), 0.5
    least = residual(problem.C, problem.directions("mddmp"))
    assert residual(problem.C, P) > 1.001 * least
    # The span of MDDMp in a basis that fulfils the constraint of MDDMf has the least error all the same.
    span = problem.directions("mddmp")
    root = np.linalg.cholesky(span.T @ (beta * problem.Xc.T @ problem.Xc @ span + (1 - beta) * span))
    assert residual(problem.C, span @ np.linalg.inv(root).T) == pytest.approx(least)


def test_solvers_do_not_replace_the_constraint(problem):
    P = problem.directions("mddmf", scatter_weight=0.5)
    B = 0.5 * problem.Xc.T @ problem.Xc + 0.5 * np.eye(len(P))
    values, vectors = scipy.linalg.eig(np.linalg.solve(B, problem.C.T @ problem.C))
    found = np.real(vectors[:, np.argsort(-values.real)[:SIZE]])
    cosines = np.abs((P / np.linalg.norm(P, axis=0)).T @ found)
    np.testing.assert_allclose(np.diag(cosines), 1.0, rtol=1e-6)  # the solver's are those of MDDMf, of unit length
    assert off_diagonal(found.T @ B @ found) < 1e-6
    assert off_diagonal(found.T @ found) > 0.01


def test_mvmd_is_one_eigenproblem(problem):
    for beta in (0.01, 0.5, 0.99):

        def error(P, beta=beta):
            return (1 - beta) * residual(problem.Xc, P) + beta * residual(problem.C, P)

        P = problem.directions("mvmd", beta=beta)
        G = (1 - beta) * problem.Xc.T @ problem.Xc + beta * problem.C.T @ problem.C
        assert error(P) == pytest.approx(np.linalg.eigvalsh(G)[:-SIZE].sum())
        assert all(error(other) > error(P) for other in problem.others())


def test_mvmd_maximises_variance_and_dependence(problem):
    P = problem.directions("mvmd", beta=0.01)
    variance, dependence = held(problem.Xc, P), held(problem.C, P)
    for name in ("pca", "mddmp"):  # each is best at one of the two, and pays with the other
        other = problem.directions(name)
        assert (held(problem.Xc, other) > variance) == (name == "pca")
        assert (held(problem.C, other) > dependence) == (name == "mddmp")
    for other in problem.others():
        assert held(problem.Xc, other) < variance or held(problem.C, other) < dependence


def test_mvmd_at_zero_is_pca(problem):
    problem.check_same(mlreduce.MVMD(beta=0.0), mlreduce.PCA())


def test_mvmd_at_one_is_mddmp(problem):
    problem.check_same(mlreduce.MVMD(beta=1.0), mlreduce.MDDMp())


def test_mddmf_at_zero_is_mddmp(problem):
    problem.check_same(mlreduce.MDDMf(scatter_weight=0.0), mlreduce.MDDMp())


def test_orthonormal_directions_or_features(problem):
    P = problem.directions("mvmd")
    np.testing.assert_allclose(P.T @ P, np.eye(SIZE), atol=1e-10)
    Z = problem.Xc @ problem.directions("mddmf", scatter_weight=1.0)
    np.testing.assert_allclose(Z.T @ Z, np.eye(SIZE), atol=1e-8)


def test_features_correlated_or_not(problem):
    def correlated(name):
        Z = problem.Xc @ problem.directions(name)
        return off_diagonal(Z.T @ Z)

    assert correlated("pca") < 1e-10
    assert correlated("mddmp") > 0.01
    assert correlated("mvmd") > 0.01


def test_coefficients_decorrelated(problem):
    B = problem.C @ problem.directions("mddmp")
    assert off_diagonal(B.T @ B) < 1e-10
    beta = 0.01
    method = mlreduce.MVMD(n_components=SIZE, beta=beta).fit(problem.X, problem.Y)
    A, B = problem.Xc @ method.components_.T, problem.C @ method.components_.T
    whole = (1 - beta) * A.T @ A + beta * B.T @ B
    np.testing.assert_allclose(whole, np.diag(method.eigenvalues_), atol=1e-10 * whole.max())
    assert off_diagonal(A.T @ A) > 1e-3  # neither of the two is diagonal by itself
    assert off_diagonal(B.T @ B) > 1e-3


@pytest.mark.parametrize("shape", ["tall", "wide"])  # fewer labels than features
def test_further_directions_of_mddm_are_ambiguous(shape):
    problem = Problem(shape)
    with pytest.warns(ProjectionWarning, match="MDDMp has 4 positive eigenvalues: n_components_ is 4, not 5"):
        P = problem.directions("mddmp", n_components=5)
    rest, rng = scipy.linalg.null_space(P.T), np.random.default_rng(1)
    spans = [rest @ np.linalg.qr(rng.standard_normal((rest.shape[1], 1)))[0] for _ in range(5)]
    assert max(np.abs(first.T @ second).max() for first, second in itertools.combinations(spans, 2)) < 0.999
    for further in spans:
        assert held(problem.C, np.hstack([P, further])) == pytest.approx(held(problem.C, P))


def test_methods_differ_in_structure(problem):
    other = np.roll(problem.Y, 1, axis=0)
    for name, changes in (("pca", False), ("mlsi", True), ("cca", True), ("mddmp", True)):
        first, second = (mlreduce.make(name, n_components=SIZE).fit(problem.X, Y) for Y in (problem.Y, other))
        assert np.allclose(first.components_, second.components_) != changes, name
    a, b, c = np.array(list(itertools.product([-1.0, 1.0], repeat=3))).T
    X, Y = np.column_stack([a, b, 2 * a * b]), np.column_stack([c > 0, a * c > 0]).astype(int)  # uncorrelated
    for method in (mlreduce.PCA(), mlreduce.MLSI(centred=True)):
        assert method.fit(X, Y).n_components_ == 3
    for method in (mlreduce.CCA(), mlreduce.MDDMp()):
        with pytest.raises(NoDirectionError, match="the labels do not vary with the features"):
            method.fit(X, Y)
