from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import Ridge, RidgeCV

import mlreduce
from mlreduce.exceptions import DataError, DegenerateWarning
from mlreduce.linalg import lsqr
from mlreduce.predictors.kernel_ridge import KernelRidgeRegressor
from mlreduce.predictors.linear import LinearRegressor
from mlreduce.predictors.ridge import RidgeRegressor

SHAPES = [(40, 6, 3), (12, 12, 2), (8, 30, 4), (5, 4, 1), (2, 7, 2)]


def problem(n, d, q, seed=0, n_test=9):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + n_test, d)) + rng.uniform(-3, 3, d)
    T = X @ rng.standard_normal((d, q)) + rng.standard_normal((n + n_test, q)) + 5
    return X[:n], T[:n], X[n:]


def collinear(n, d, q, seed=0):
    X, T, X_test = problem(n, d, q, seed)
    mix = np.random.default_rng(seed + 1).standard_normal((d, d // 2)) @ np.ones((d // 2, d))
    return X @ mix, T, X_test @ mix


def alone(Z, T, Z_test, size, penalty):
    return RidgeRegressor(penalty).fit(Z[:, :size], T).predict(Z_test[:, :size])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e4])
def test_ridge_matches_scikit_learn(shape, alpha):
    X, T, X_test = problem(*shape)
    ours, theirs = RidgeRegressor(alpha).fit(X, T), Ridge(alpha, solver="svd").fit(X, T)
    for own, other in (
        (ours.coef_, theirs.coef_),
        (ours.intercept_, theirs.intercept_),
        (ours.predict(X_test), theirs.predict(X_test)),
    ):
        np.testing.assert_allclose(own, np.reshape(other, own.shape), atol=1e-8)  # theirs drops a single target
    assert ours.penalty_ == alpha


@pytest.mark.parametrize("alpha", [0.0, 1e-30])
@pytest.mark.parametrize("shape", [(30, 6, 2), (6, 14, 2)])
def test_collinear_features_without_penalty(alpha, shape):
    X, T, X_test = collinear(*shape)
    model = RidgeRegressor(alpha).fit(X, T)
    Xc, Tc = X - X.mean(axis=0), T - T.mean(axis=0)
    np.testing.assert_allclose(model.coef_.T, np.linalg.lstsq(Xc, Tc, rcond=1e-10)[0], atol=1e-8)
    assert np.abs(model.predict(X_test)).max() < 1e6


@pytest.mark.parametrize("n", [40, 5])
def test_a_small_penalty_counts_for_nearly_collinear_features(n):
    """Singular values 1 and 1e-6 and a penalty of 1e-12: half of the least-squares solution along the second."""
    rng = np.random.default_rng(0)
    left = rng.standard_normal((n, 2))
    left = np.linalg.qr(left - left.mean(axis=0))[0]
    right = np.linalg.qr(rng.standard_normal((8, 2)))[0].T
    model = RidgeRegressor(1e-12).fit(left * [1, 1e-6] @ right, left @ [[3.0], [2e-6]])
    np.testing.assert_allclose(model.coef_ @ right.T, [[3.0, 1.0]], rtol=1e-6)


@pytest.mark.parametrize("features", [np.zeros((6, 3)), np.full((6, 3), 4.0)])
@pytest.mark.parametrize(("alpha", "relative"), [(0.0, False), (1.0, False), (1.0, True)])
def test_constant_features_predict_the_mean(features, alpha, relative):
    T = np.arange(12.0).reshape(6, 2)
    model = RidgeRegressor(alpha, relative).fit(features, T)
    np.testing.assert_allclose(model.predict(features), np.tile(T.mean(axis=0), (6, 1)))
    assert not model.coef_.any()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_penalty_may_minimise_the_generalised_error(shape):
    X, T, _ = problem(*shape)
    model, n = RidgeRegressor("plain-gcv").fit(X, T), len(X)
    Xc = X - X.mean(axis=0)
    assert len(model.penalties_) == 53
    for penalty, error in zip(model.penalties_[28:], model.errors_[28:], strict=True):
        hat = Xc @ np.linalg.solve(Xc.T @ Xc + penalty * np.eye(X.shape[1]), Xc.T) + 1 / n
        expected = np.square(T - hat @ T).mean() / np.square(1 - np.trace(hat) / n)
        np.testing.assert_allclose(error, expected, rtol=1e-7)
    assert model.errors_[model.penalties_ == model.penalty_] <= model.errors_.min() * (1 + 1e-9)
    np.testing.assert_allclose(model.coef_, RidgeRegressor(model.penalty_).fit(X, T).coef_)


@pytest.mark.parametrize("shape", [(20, 4, 2), (6, 9, 3)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_default_penalty_minimises_the_error_of_leaving_each_row_out(shape, kind):
    X, T, _ = problem(*shape)
    model = RidgeRegressor().fit(kind(X), T)
    rows = np.arange(len(X))
    tried = RidgeRegressor("plain-gcv").fit(X, T).penalties_
    accurate = model.penalties_ >= tried[24]
    for penalty, error in zip(model.penalties_[accurate][::3], model.errors_[accurate][::3], strict=True):
        left_out = [Ridge(penalty, solver="svd").fit(X[rows != i], T[rows != i]) for i in rows]
        errors = [np.square(T[i] - left_out[i].predict(X[[i]])[0]).mean() for i in rows]
        np.testing.assert_allclose(error, np.mean(errors), rtol=1e-7)
    theirs = RidgeCV(alphas=tried[12:]).fit(X, T)
    if model.penalty_ > tried[12]:  # of all penalties, of which ours compares those of each decade and near the best
        np.testing.assert_allclose(theirs.alpha_, model.penalty_)


@pytest.mark.parametrize("shape", [*SHAPES[:3], (12, 30, 2)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("model", [RidgeRegressor(0.5), RidgeRegressor(30.0), KernelRidgeRegressor(0.1, 0.3)])
def test_left_out_predictions_are_those_of_a_fit_on_the_other_rows(shape, kind, model):
    X, T, _ = problem(*shape)
    X[np.abs(X) < 1] = 0
    others = [np.arange(len(X)) != row for row in range(len(X))]
    expected = [clone(model).fit(kind(X[rest]), T[rest]).predict(kind(X[~rest]))[0] for rest in others]
    np.testing.assert_allclose(clone(model)._fit_left_out(kind(X), T), expected, atol=1e-8)


def test_left_out_predictions_of_nearly_collinear_features():
    X, T, _ = collinear(30, 6, 2)
    model = RidgeRegressor(1e-9)
    others = [np.arange(len(X)) != row for row in range(len(X))]
    expected = [RidgeRegressor(1e-9).fit(X[rest], T[rest]).predict(X[~rest])[0] for rest in others]
    np.testing.assert_allclose(model._fit_left_out(X, T), expected, atol=1e-6)
    assert RidgeRegressor(0.0)._fit_left_out(*problem(5, 20, 2)[:2]) is None  # each row is alone in its direction


@pytest.mark.parametrize("alpha", ["gcv", "loo"])
def test_the_edge_of_the_penalties_warns(alpha):
    X, T, _ = problem(40, 3, 2)
    assert RidgeRegressor(alpha).fit(X, T).edge_ is None
    with pytest.warns(UserWarning, match="RidgeRegressor: the lowest of the penalties compared was chosen: "):
        model = RidgeRegressor(alpha).fit(X, X @ np.ones((3, 2)))
    assert (model.edge_, model.penalty_) == ("lowest", model.penalties_[0])
    noise = np.tile([[1.0], [0.0], [0.0], [1.0]], (10, 1))  # unrelated to features that change sign
    with pytest.warns(UserWarning, match="the highest of the penalties compared was chosen: the features predict"):
        assert RidgeRegressor(alpha).fit(np.tile([[1.0], [1.0], [-1.0], [-1.0]], (10, 1)), noise).edge_ == "highest"


def test_rows_that_repeat_do_not_mislead_the_default_penalty():
    """Of rows alone in their directions all is fitted, so that the generalised error is that of the equal ones."""
    rng = np.random.default_rng(3)
    X, T, X_test = rng.standard_normal((40, 26)), rng.standard_normal((40, 1)), rng.standard_normal((50, 26))
    X[25:], T[25:] = 0, 0.1 * T[25:]
    plain, *others = (
        np.square(RidgeRegressor(alpha).fit(X, T).predict(X_test)).mean() for alpha in ("plain-gcv", "gcv", "loo")
    )
    assert max(others) < 0.01 * plain  # the targets are noise


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_generalised_errors_count_rows_that_repeat_once(shape, kind):
    """Their targets' means, weighted by how many they are, and as many degrees of freedom as different rows have."""
    X, T, _ = problem(*shape)
    times = np.random.default_rng(0).integers(1, 4, len(X))
    group = np.repeat(np.arange(len(X)), times)
    copies, targets = X[group], T[group] + np.random.default_rng(1).standard_normal((len(group), T.shape[1]))
    model = RidgeRegressor("gcv").fit(kind(copies), kind(targets) if shape[0] > shape[1] else targets)
    means = np.array([targets[group == row].mean(axis=0) for row in range(len(X))])
    centred = copies - copies.mean(axis=0)
    assert model.edge_ in (None, "lowest", "highest")
    for penalty, error in zip(model.penalties_[-12:], model.errors_[-12:], strict=True):
        hat = centred @ np.linalg.solve(centred.T @ centred + penalty * np.eye(X.shape[1]), centred.T) + 1 / len(group)
        fitted = (hat @ targets)[[np.flatnonzero(group == row)[0] for row in range(len(X))]]
        squares = times @ np.square(means - fitted)
        free = len(X) - np.trace(hat)
        assert len(X) == 1 or np.trace(hat) <= 0.95 * len(X) or penalty == model.penalties_[-1]
        np.testing.assert_allclose(error, len(X) * squares.mean() / free**2, rtol=1e-6)


def test_default_penalty_follows_the_scale_of_the_features():
    """Features of unit norm: a penalty of one halves every coefficient."""
    X, T, X_test = problem(60, 5, 3)
    norm = np.linalg.norm(X - X.mean(axis=0), axis=0)
    plain, unit = RidgeRegressor().fit(X, T), RidgeRegressor().fit(X / norm, T)
    np.testing.assert_allclose(unit.predict(X_test / norm), plain.predict(X_test), rtol=0.05, atol=0.05)
    fixed = RidgeRegressor(1.0).fit(X / norm, T)
    assert unit.score(X / norm, T) > fixed.score(X / norm, T) + 0.1


def test_default_penalty_of_noise_is_large():
    rng = np.random.default_rng(0)
    X, T = rng.standard_normal((50, 20)), rng.standard_normal((50, 3))
    assert RidgeRegressor().fit(X, T).penalty_ > 10 * np.square(np.linalg.norm(X, 2))
    (predicted,) = RidgeRegressor().predict_nested(X, T, X[:3], [20])
    np.testing.assert_allclose(predicted, RidgeRegressor().fit(X, T).predict(X[:3]), atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES[:3])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_whole_weights_are_copies_of_rows(shape, kind):
    X, T, X_test = problem(*shape)
    X[np.abs(X) < 0.5] = 0
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    copies = RidgeRegressor(0.7).fit(np.repeat(X, weights, axis=0), np.repeat(T, weights, axis=0))
    weighted = RidgeRegressor(0.7).fit(kind(X), T, sample_weight=weights)
    np.testing.assert_allclose(weighted.coef_, copies.coef_, atol=1e-9)
    np.testing.assert_allclose(weighted.predict(X_test), copies.predict(X_test), atol=1e-8)
    theirs = Ridge(0.7).fit(X, T, weights)
    np.testing.assert_allclose(weighted.intercept_, theirs.intercept_, atol=1e-8)
    for alpha in ("gcv", "loo"):
        one, same = (RidgeRegressor(alpha).fit(kind(X), T, w) for w in (None, np.ones(len(X))))
        np.testing.assert_allclose(one.errors_[-10:], same.errors_[-10:], rtol=1e-7)


@pytest.mark.parametrize("weights", [[1, 2], np.full(10, -1.0), np.zeros(10), np.full(10, np.nan), "heavy"])
def test_impossible_weights(weights):
    X, T, _ = problem(10, 3, 2)
    with pytest.raises(DataError, match="sample_weight must hold"):
        RidgeRegressor().fit(X, T, sample_weight=weights)


@pytest.mark.parametrize("shape", [(60, 30, 3), (30, 80, 2)])
@pytest.mark.parametrize("model", [RidgeRegressor(0.7), RidgeRegressor(0.0), LinearRegressor()])
def test_iteration_for_large_sparse_features_is_the_decomposition(shape, model, monkeypatch):
    X, T, X_test = problem(*shape)
    X[np.abs(X) < 1.5] = 0
    dense = model.fit(sp.csr_array(X), T)
    expected = dense.coef_, dense.intercept_, dense.predict(X_test)
    monkeypatch.setattr(lsqr, "DENSE_SIDE", 10)
    monkeypatch.setattr(lsqr, "_BLOCK_ENTRIES", 80)  # one target at a time
    sparse = model.fit(sp.csr_array(X), T)
    for found, wanted in zip((sparse.coef_, sparse.intercept_, sparse.predict(X_test)), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)


def test_estimated_generalised_errors(monkeypatch):
    X, T, _ = problem(120, 50, 3)
    X[np.abs(X) < 1.5] = 0
    exact = RidgeRegressor("gcv").fit(sp.csr_array(X), T)
    monkeypatch.setattr(lsqr, "DENSE_SIDE", 10)
    estimated = RidgeRegressor("gcv").fit(sp.csr_array(X), T)
    np.testing.assert_allclose(estimated.errors_, exact.errors_, rtol=0.2)
    assert exact.errors_[estimated.penalties_ == estimated.penalty_] < 1.05 * exact.errors_.min()
    assert RidgeRegressor().fit(sp.csr_array(X), T).penalty_ == estimated.penalty_


def test_iteration_without_convergence_says_so(monkeypatch):
    monkeypatch.setattr(lsqr, "DENSE_SIDE", 10)
    monkeypatch.setattr(lsqr, "_MOST", 3)
    X, T, _ = problem(60, 30, 2)
    with pytest.warns(UserWarning, match="RidgeRegressor: least squares by iteration has not converged after 3 steps"):
        RidgeRegressor(0.1).fit(sp.csr_array(X), T)


def test_one_target_keeps_its_dimension():
    X, T, X_test = problem(20, 3, 1)
    flat, table = RidgeRegressor().fit(X, T[:, 0]), RidgeRegressor().fit(X, T)
    assert flat.coef_.shape == (3,)
    assert isinstance(flat.intercept_, float)
    np.testing.assert_array_equal(flat.predict(X_test), table.predict(X_test)[:, 0])


@pytest.mark.parametrize("shape", SHAPES)
def test_relative_penalties_follow_the_scale(shape):
    X, T, X_test = problem(*shape)
    plain, scaled = (RidgeRegressor(0.3, relative=True).fit(X * s, T) for s in (1, 1000))
    np.testing.assert_allclose(scaled.predict(X_test * 1000), plain.predict(X_test), atol=1e-8)
    Xc = X - X.mean(axis=0)
    np.testing.assert_allclose(plain.penalty_, 0.3 * np.trace(Xc.T @ Xc) / X.shape[1])
    absolute = RidgeRegressor(plain.penalty_).fit(X, T)
    np.testing.assert_allclose(plain.predict(X_test), absolute.predict(X_test), atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("alpha", "relative"), [(0.7, False), (0.05, True), (1e-3, True)])
def test_nested_sizes_are_each_size_alone(shape, alpha, relative):
    Z, T, Z_test = problem(*shape)
    sizes = list(range(1, shape[1] + 1))
    model = RidgeRegressor(alpha, relative)
    penalty = RidgeRegressor(alpha, relative).fit(Z, T).penalty_
    for size, predicted in zip(sizes, model.predict_nested(Z, T, Z_test, sizes), strict=True):
        np.testing.assert_allclose(predicted, alone(Z, T, Z_test, size, penalty), atol=1e-8)
    assert not hasattr(model, "coef_")


def test_a_relative_nested_penalty_comes_from_all_columns():
    Z, T, Z_test = problem(30, 10, 3)
    model = RidgeRegressor(0.5, relative=True)
    (few,) = model.predict_nested(Z, T, Z_test, [4])
    *_, fourth = (p.copy() for p, _ in zip(model.predict_nested(Z, T, Z_test, range(1, 11)), range(4), strict=False))
    np.testing.assert_allclose(few, fourth, atol=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 1e-25])
@pytest.mark.parametrize("make", [collinear, problem])
@pytest.mark.parametrize("shape", [(30, 6, 2), (6, 15, 2)])
def test_nested_sizes_without_penalty(alpha, make, shape):
    """More columns than rows, or collinear ones: no Cholesky factor, still the right predictions."""
    Z, T, Z_test = make(*shape)
    sizes = [1, 3, 6]
    for size, predicted in zip(sizes, RidgeRegressor(alpha).predict_nested(Z, T, Z_test, sizes), strict=True):
        np.testing.assert_allclose(predicted, alone(Z, T, Z_test, size, alpha), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("alpha", [-1, np.nan, np.inf, "much", None])
def test_impossible_penalties(alpha):
    X, T, X_test = problem(10, 3, 2)
    for use in (lambda m: m.fit(X, T), lambda m: m.predict_nested(X, T, X_test, [1])):
        with pytest.raises(
            DataError, match="alpha, the strength .*, must be a finite number >= 0, 'loo', 'gcv' or 'plain-gcv'; got"
        ):
            use(mlreduce.make("ridge", alpha=alpha))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sizes": []}, r"sizes must ascend within 1\.\.3, the number of columns; got \[\]"),
        ({"sizes": [0, 1]}, "sizes must ascend"),
        ({"sizes": [2, 2]}, "sizes must ascend"),
        ({"sizes": [1, 4]}, "sizes must ascend"),
        ({"T_train": np.zeros((4, 1))}, "the same number of rows"),
        ({"T_train": np.zeros(10)}, "must be tables"),
        ({"Z_test": np.zeros((4, 2))}, "the same columns"),
        ({"Z_test": np.full((4, 3), np.nan)}, "Z_test contains NaN in column 0"),
    ],
)
def test_impossible_nested_calls_fail_at_once(changes, message):
    X, T, X_test = problem(10, 3, 2)
    with pytest.raises(DataError, match=message):
        RidgeRegressor().predict_nested(**({"Z_train": X, "T_train": T, "Z_test": X_test, "sizes": [1]} | changes))


@pytest.mark.parametrize("shape", [(300, 150), (150, 300), (140, 64), (90, 30)])
@pytest.mark.parametrize("kind", ["full", "collinear", "constant", "sparse"])
def test_generalised_errors_without_eigenvectors(shape, kind, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape) * np.linspace(0.1, 3, shape[1])
    X[:, : shape[1] // 3] = {"collinear": X[:, -1:], "constant": 2.0}.get(kind, X[:, : shape[1] // 3])
    X = sp.csr_array(np.where(X > 1, X, 0)) if kind == "sparse" else X
    Y = X @ rng.standard_normal((shape[1], 3)) + 5 * rng.standard_normal((shape[0], 3))
    dense = X.toarray() if kind == "sparse" else X
    left, values, _ = np.linalg.svd(dense - dense.mean(axis=0), full_matrices=False)
    kept = values > 1e-12 * values[0]
    squares, along = np.square(values[kept]), left[:, kept].T @ Y
    outside = np.square(Y - Y.mean(axis=0) - left[:, kept] @ along).sum()
    before = mlreduce.RidgeRegressor("plain-gcv").fit(X, Y)
    monkeypatch.setattr("mlreduce.linalg.penalties._MANY", 1)
    found = mlreduce.RidgeRegressor("plain-gcv").fit(X, Y)
    np.testing.assert_allclose(found.penalties_, np.logspace(-10, 3, 53) * squares[0], rtol=1e-12)
    shares = found.penalties_[:, np.newaxis] / (squares + found.penalties_[:, np.newaxis])
    residual = np.square(shares) @ np.square(along).sum(axis=1) + outside
    trace = shares.sum(axis=1) + shape[0] - 1 - len(squares)
    errors = shape[0] * residual / np.square(trace) / Y.shape[1]
    # With the least penalties the condition number is up to 1e10.
    np.testing.assert_allclose(found.errors_[10:], errors[10:], rtol=1e-9)
    np.testing.assert_allclose(found.errors_, errors, rtol=1e-5)
    assert found.penalty_ == pytest.approx(before.penalty_, rel=1e-12)
    np.testing.assert_allclose(found.coef_, before.coef_, rtol=1e-8, atol=1e-10)


def test_generalised_errors_of_features_that_do_not_vary(monkeypatch):
    monkeypatch.setattr("mlreduce.linalg.penalties._MANY", 1)
    model = mlreduce.RidgeRegressor("gcv").fit(np.ones((5, 3)), np.arange(5.0))
    assert not model.coef_.any()


def test_without_a_penalty_many_features_fit_any_targets_which_a_warning_says(rng):
    X, Y = rng.normal(size=(200, 150)), rng.normal(size=(200, 1))
    Y += 2 * X[:, :1]
    with pytest.warns(DegenerateWarning, match="fit the targets of all 120 rows exactly; RidgeRegressor chooses"):
        linear = LinearRegressor().fit(X[:120], Y[:120])
    ridge = RidgeRegressor().fit(X[:120], Y[:120])
    np.testing.assert_allclose(linear.predict(X[:120]), Y[:120], atol=1e-8)
    linear_error, ridge_error = (np.square(model.predict(X[120:]) - Y[120:]).mean() for model in (linear, ridge))
    assert linear_error > 1.2 * ridge_error


@pytest.mark.parametrize("penalty", [0.0, 1e-10, 1e-7])
@pytest.mark.parametrize("kind", ["repeats", "decay", "scales", "constant"])
@pytest.mark.parametrize("wide", [True, False])
def test_badly_conditioned_features_have_the_digits_of_singular_values(wide, kind, penalty, monkeypatch):
    rng = np.random.default_rng(0)
    if kind == "repeats":
        X = sp.random(80, 500, density=0.02, random_state=1, format="csr")
        X = sp.vstack([X, X[:9]], format="csr")
    elif kind == "decay":
        bases = [np.linalg.qr(rng.standard_normal((size, 70)))[0] for size in (70, 200)]
        X = bases[0] * np.logspace(0, -7, 70) @ bases[1].T
    elif kind == "scales":
        X = np.logspace(0, -6, 60)[:, np.newaxis] * rng.standard_normal((60, 150))
    else:
        X = np.ones((9, 12))
    X = X if wide else X.T
    X = sp.csr_array(X) if kind == "repeats" else X
    dense = X.toarray() if kind == "repeats" else X
    centred = dense - dense.mean(axis=0) if kind != "constant" else np.zeros(X.shape)
    T = rng.standard_normal((X.shape[0], 3))
    left, values, right = np.linalg.svd(centred, full_matrices=False)
    kept = values > 1e-10 * values[0]
    left, values, right = left[:, kept], values[kept], right[kept]
    penalty *= values[0] ** 2 if kept.any() else 1.0
    coefficients = right.T @ ((values / (values**2 + penalty))[:, np.newaxis] * (left.T @ (T - T.mean(axis=0))))
    # Nothing as large as the features is decomposed, which took minutes for a thousand documents.
    monkeypatch.setattr("scipy.linalg.svd", None)
    monkeypatch.setattr("mlreduce.predictors.ridge._ILL_CONDITIONED", 1.0)
    found = RidgeRegressor(penalty).fit(X, T)
    size = np.abs(coefficients).max(initial=1e-300)
    np.testing.assert_allclose(found.coef_.T, coefficients, rtol=0, atol=(3e-8 if penalty == 0 else 1e-9) * size)
    spread = 1 - 1 / len(T) - np.square(left) @ (values**2 / (values**2 + penalty))
    left_out = found._fit_left_out(X, T)
    if spread.min() <= 1e-8:  # a row that the others leave nothing
        assert left_out is None
    else:
        fitted = T.mean(axis=0) + centred @ coefficients
        np.testing.assert_allclose((T - left_out) * spread[:, np.newaxis], T - fitted, rtol=0, atol=1e-6)
