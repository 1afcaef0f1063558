from __future__ import annotations

from itertools import product

import m5p_by_the_book as book
import matplotlib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.predictors import M5PRegressor
from mlreduce.predictors._tree_growth import _QUICK_ERROR, _Buffers, _quick_weights
from mlreduce.predictors._tree_models import _eliminate

matplotlib.use("Agg")

FEATURES = {
    "continuous": lambda rng, n, d: rng.standard_normal((n, d)),
    "few levels": lambda rng, n, d: rng.integers(-2, 3, (n, d)).astype(float),
    "many levels": lambda rng, n, d: rng.integers(-20, 6, (n, d)).astype(float),
    "binary": lambda rng, n, d: (rng.random((n, d)) < rng.uniform(0.1, 0.6, d)).astype(float),
    "sparse": lambda rng, n, d: rng.standard_normal((n, d)).round(1) * (rng.random((n, d)) < 0.5),
}
TARGETS = {
    "smooth": lambda rng, X: (
        np.abs(X[:, 0]) + X[:, -1] * (X[:, 1 % X.shape[1]] > 0) + 0.1 * rng.standard_normal(len(X))
    ),
    "noise": lambda rng, X: 1e3 + rng.standard_normal(len(X)),
    "0/1": lambda rng, X: (X[:, 0] + 0.5 * rng.standard_normal(len(X)) > 0.4).astype(float),
    "few levels": lambda rng, X: rng.integers(0, 4, len(X)) * (X[:, -1] > 0) / 7,
    "mostly one": lambda rng, X: (rng.random(len(X)) < 0.08) * 1.5 - 0.7,
}


def problem(features="continuous", targets="smooth", n=60, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = FEATURES[features](rng, n, d)
    return X, TARGETS[targets](rng, X)


def outline(node):
    """Return features and thresholds of the book's tree in preorder, as ours keeps them."""
    if node.is_leaf:
        return [(-1, 0.0)]
    return [(node.feature, node.threshold), *outline(node.left), *outline(node.right)]


def our_tests(model, output=0):
    tree = model.trees_[output]
    return list(zip(tree.feature.tolist(), tree.threshold.tolist(), strict=True))


def assert_by_the_book(X, y, X_new, rtol=1e-9, **parameters):
    expected = book.fit(X, y, **parameters)
    close = {"rtol": rtol, "atol": rtol * (np.ptp(y) + 1e-300)}
    for form in (np.asarray, sp.csr_matrix):
        model = M5PRegressor(**parameters).fit(form(X), y)
        assert our_tests(model) == outline(expected)
        assert model.n_leaves_ == [book.leaves(expected)]
        np.testing.assert_allclose(model.predict(form(X_new)), book.predict(expected, X_new), **close)


# Equal to the book


@given(
    st.sampled_from(sorted(FEATURES)), st.sampled_from(sorted(TARGETS)), st.integers(1, 30), st.integers(1, 8),
    st.integers(0, 10**6), st.booleans(), st.booleans(), st.integers(1, 12),
)  # fmt: skip
@example("continuous", "smooth", 25, 1, 2153, False, False, 1)
def test_equals_the_reference_on_any_problem(features, targets, n, d, seed, pruning, smoothing, min_samples_split):
    X, y = problem(features, targets, n, d, seed)
    # Near-collinear columns of so few rows multiply the rounding errors of both.
    assert_by_the_book(X, y, X, 1e-6, pruning=pruning, smoothing=smoothing, min_samples_split=min_samples_split)


def test_approximate_weights_of_boundaries_are_within_their_bound():
    n, rng = 2_001, np.random.default_rng(0)
    left, right = np.arange(1, n), np.arange(n - 1, 0, -1)
    reciprocal = np.append(0, 1 / np.arange(1, n + 1))
    quick, guess = np.zeros((2, 2 * n), np.float32)
    errors = []
    for height in np.geomspace(1, 300, 50):  # the variances of most rows are so many shares of that of all
        y = rng.normal(size=n)
        y[-20:] *= height
        y -= y.mean()
        sums, squares, total = np.cumsum(y)[:-1], np.cumsum(y**2)[:-1], np.sum(y**2)
        low = squares / left - (sums / left) ** 2
        high = (total - squares) / right - (sums / right) ** 2
        exact = left * np.fmax(low * n / total, 0) ** 0.2 + right * np.fmax(high * n / total, 0) ** 0.2
        ranks = np.zeros(n, np.int64)
        buffers = _Buffers(sums, squares, ranks, reciprocal, quick, guess, quick.view(np.int32), guess.view(np.int32))
        lowest = _quick_weights(sums, squares, 1, (0.0, total), n, buffers)
        assert lowest == quick[: n - 1].min()
        errors.append(np.abs(quick[: n - 1] / exact - 1)[1:-1].max())  # a side of one row is pure but for rounding
    assert 0.7 * _QUICK_ERROR < max(errors) < _QUICK_ERROR


# Known answers


def test_a_broken_line_is_found_with_its_pieces():
    x = np.linspace(-1, 1, 101)[:, np.newaxis]
    y = np.where(x[:, 0] < 0.2, 3 + x[:, 0], -5 - 2 * x[:, 0])
    model = M5PRegressor(smoothing=False).fit(x, y)
    (tree,) = model.trees_
    assert tree.feature.tolist() == [0, -1, -1]
    assert abs(tree.threshold[0] - 0.2) < 0.011
    np.testing.assert_allclose(tree.intercept[1:], [3, -5], rtol=1e-6)
    np.testing.assert_allclose(tree.coefficients, [1, -2], rtol=1e-6)
    np.testing.assert_allclose(model.predict(x), y, atol=1e-6)


@pytest.mark.parametrize("name", ["X", "y"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_numbers_whose_squares_overflow_are_refused(name, storage):
    X, y = np.eye(8), np.arange(8.0)
    (X if name == "X" else y)[3] *= 1e160
    with pytest.raises(DataError, match=rf"{name} holds \de\+160 in column \d, row 3, and 0 more such value"):
        M5PRegressor().fit(storage(X), y)


@pytest.mark.parametrize("value", [0.0, -7.25, 0.1, 1e70, 1e-300])
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_a_constant_target_is_one_constant(n, value):
    X, _ = problem(n=n)
    model = M5PRegressor().fit(X, np.full(n, value))
    assert model.n_leaves_ == [1]
    np.testing.assert_allclose(model.predict(X), value, rtol=1e-12)


@pytest.mark.parametrize(("n", "sizes"), [(4, {2}), (5, {2, 3})])
def test_the_smallest_nodes_that_split(n, sizes):
    X, y = problem(n=n, targets="noise")
    tree = M5PRegressor(pruning=False).fit(X, y).trees_[0]
    assert tree.feature.tolist() == [tree.feature[0], -1, -1]
    assert set(tree.n_samples[1:]) == sizes
    assert M5PRegressor(n + 1, pruning=False).fit(X, y).n_leaves_ == [1]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_more_features_than_rows(form):
    X, y = problem(n=12, d=400)
    X_new = problem(n=30, d=400, seed=1)[0]
    expected = book.fit(X, y)
    predicted = M5PRegressor().fit(form(X), y).predict(form(X_new))
    np.testing.assert_allclose(predicted, book.predict(expected, X_new), rtol=1e-9)


def test_of_equal_columns_the_first_is_used():
    X, y = problem("many levels", n=80, d=3)
    for copies in ([0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 2, 2]):
        first = np.unique(copies, return_index=True)[1]
        model, once = M5PRegressor(pruning=False).fit(X[:, copies], y), M5PRegressor(pruning=False).fit(X, y)
        assert set(model.trees_[0].feature) - {-1} <= set(first)
        assert set(model.trees_[0].model_features) <= set(first)
        np.testing.assert_allclose(model.predict(X[:, copies]), once.predict(X), rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("value", [0.0, 3.0, -1e-11])
def test_a_column_within_a_ten_billionth_is_never_split(form, value):
    X, y = problem(n=50, d=2)
    nearly = value + 4e-11 * (np.arange(50) % 2)
    model = M5PRegressor(pruning=False).fit(form(np.c_[nearly, X]), y + 5 * (np.arange(50) % 2))
    assert 0 not in model.trees_[0].feature
    alone = M5PRegressor().fit(form(nearly[:, np.newaxis]), np.arange(50) % 2)
    assert alone.n_leaves_ == [1]
    assert len(alone.trees_[0].coefficients) == 0


def test_a_threshold_lies_halfway_and_belongs_to_the_left():
    X = np.repeat([[-1.0], [2.0]], 10, axis=0)
    model = M5PRegressor(pruning=False, smoothing=False).fit(X, X[:, 0])
    assert our_tests(model) == [(0, 0.5), (-1, 0.0), (-1, 0.0)]
    assert model.predict([[0.5], [0.5000001]]).tolist() == [-1.0, 2.0]
    assert model.apply([[0.5], [0.5000001]]).tolist() == [1, 2]


def test_a_side_has_more_than_a_fifth_of_the_rows():
    x = np.arange(20.0)[:, np.newaxis]
    for ones, left in ((4, 15), (5, 15), (6, 14)):  # 4 rows are a fifth: one more is the least
        model = M5PRegressor(pruning=False).fit(x, (np.arange(20) >= 20 - ones).astype(float))
        assert model.trees_[0].n_samples[1] == left


# Invariances


@pytest.mark.parametrize(
    ("features", "targets", "n", "d", "seed", "min_samples_split"),
    [
        ("few levels", "few levels", 184, 13, 593164906, 3),
        ("binary", "0/1", 135, 6, 881738981, 12),
        ("binary", "0/1", 123, 22, 3218265, 5),
    ],
)
def test_row_order_does_not_decide_ties_of_the_elimination(features, targets, n, d, seed, min_samples_split):
    """Nodes of eight or twelve rows in which a model without a feature is exactly as good as one with it."""
    X, y = problem(features, targets, n, d, seed)
    parameters = {"min_samples_split": min_samples_split, "pruning": False}
    assert_by_the_book(X, y, X, **parameters)
    model = M5PRegressor(**parameters).fit(X, y)
    for shuffle in range(10):
        order = np.random.default_rng(shuffle).permutation(n)
        permuted = M5PRegressor(**parameters).fit(X[order], y[order])
        np.testing.assert_allclose(permuted.predict(X), model.predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("power", [-8, 40, 200])
def test_the_scale_of_the_target_is_that_of_the_predictions(power):
    """Not of very small targets: that a later feature must be better by 1e-6 is absolute."""
    X, y = problem(n=150)
    model, scaled = M5PRegressor().fit(X, y), M5PRegressor().fit(X, y * 2.0**power)
    np.testing.assert_array_equal(scaled.trees_[0].feature, model.trees_[0].feature)
    np.testing.assert_allclose(scaled.predict(X), model.predict(X) * 2.0**power, rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_several_targets_are_each_alone_bit_by_bit(form, n_jobs):
    X, _ = problem("sparse", n=120)
    T = np.column_stack([problem("sparse", name, n=120)[1] for name in TARGETS])
    model = M5PRegressor(n_jobs=n_jobs).fit(form(X), T)
    assert model.predict(X).shape == model.apply(X).shape == T.shape
    for output in range(T.shape[1]):
        alone = M5PRegressor().fit(form(X), T[:, output])
        np.testing.assert_array_equal(model.predict(form(X))[:, output], alone.predict(form(X)))
        np.testing.assert_array_equal(model.apply(form(X))[:, output], alone.apply(form(X)))
        assert model.n_leaves_[output] == alone.n_leaves_[0]
        for ours, theirs in zip(model.trees_[output], alone.trees_[0], strict=True):
            np.testing.assert_array_equal(ours, theirs)


# Effects of the parameters


def test_smoothing_moves_leaves_towards_the_models_above():
    X, y = problem(n=100)
    y = y + 5 * (X[:, 0] > 0.2)
    smooth, rough = (M5PRegressor(60, smoothing=flag).fit(X, y) for flag in (True, False))
    root = book.fit(X, y, min_samples_split=60)
    assert our_tests(smooth) == outline(root)
    assert not root.is_leaf
    assert root.left.is_leaf
    assert root.right.is_leaf
    above = root.model[1] + sum(value * X[:, feature] for feature, value in root.model[0].items())
    n = smooth.trees_[0].n_samples[smooth.apply(X)]
    expected = (n * rough.predict(X) + 15 * above) / (n + 15)
    np.testing.assert_allclose(smooth.predict(X), expected, rtol=1e-9)


# Splits and models


def elimination(X, y):
    """Return predictions, features kept and squared error of the fast elimination on standardised features."""
    S, t = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1), y - y.mean()
    kept, b, error = _eliminate(S.T @ S, S.T @ t, t @ t, len(y), np.arange(X.shape[1]))
    return y.mean() + S[:, kept] @ b, set(kept.tolist()), error


def refitted(X, y):
    coefficients, intercept, error = book.linear_model(X, y, np.arange(len(y)), range(X.shape[1]))
    kept = sorted(coefficients)
    return intercept + X[:, kept] @ [coefficients[k] for k in kept], set(kept), error


@pytest.mark.parametrize("shape", [(30, 3), (60, 25), (200, 60), (80, 39)])
def test_the_elimination_is_that_of_refitting(shape):
    for seed in range(5):
        X, y = problem(targets="noise", n=shape[0], d=shape[1], seed=seed)
        y = y + X[:, :5].sum(axis=1)
        (ours, kept, error), (theirs, expected, squares) = elimination(X, y), refitted(X, y)
        assert kept == expected
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
        assert error == pytest.approx(squares, rel=1e-6)


@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("scaled", [False, True])
def test_the_elimination_of_collinear_columns_is_refitting(noise, scaled):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        base = rng.standard_normal((80, 8))
        X = np.c_[base, base[:, :5], base @ rng.standard_normal((8, 12))] + noise * rng.standard_normal((80, 25))
        y = base[:, :3].sum(axis=1) + rng.standard_normal(80)
        X = X * 10.0 ** rng.integers(-6, 7, 25) if scaled else X
        (ours, _, error), (theirs, _, squares) = elimination(X, y), refitted(X, y)
        # Both solve a system of trace n d with the ridge 1e-8, and lose as many digits.
        rounding = np.finfo(float).eps * X.size / 1e-8
        np.testing.assert_allclose(ours, theirs, atol=rounding * y.std())
        assert error == pytest.approx(squares, rel=1e-5)


# Refusals


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_missing_values_are_named(bad, form):
    X, y = problem(n=10)
    model = M5PRegressor().fit(X, y)
    broken, targets = X.copy(), y.copy()
    broken[3, 1] = targets[2] = bad
    for use in (lambda: M5PRegressor().fit(form(broken), y), lambda: model.predict(form(broken))):
        with pytest.raises(DataError, match=r"X contains (NaN|infinity) in column 1"):
            use()
    if np.isnan(bad):  # an unknown target
        others = M5PRegressor().fit(np.delete(X, 2, axis=0), np.delete(y, 2))
        np.testing.assert_array_equal(M5PRegressor().fit(X, targets).predict(X), others.predict(X))
    else:
        with pytest.raises(ValueError, match="y contains infinity"):
            M5PRegressor().fit(X, targets)


@pytest.mark.parametrize("value", [0, -3, 2.5, 4.0, True, "4", None, np.nan])
def test_impossible_min_instances(value):
    X, y = problem(n=10)
    with pytest.raises(DataError, match="min_samples_split, the rows that a node needs .* must be an integer >= 1"):
        mlreduce.make("m5p", min_samples_split=value).fit(X, y)


@pytest.mark.parametrize("use", ["export_text", "plot"])
def test_impossible_outputs_and_names(use):
    X, y = problem(n=20)
    model = M5PRegressor().fit(X, np.c_[y, -y])
    for output in (2, -1):
        with pytest.raises(DataError, match=r"output must be one of 0\.\.1, the targets of fit; got"):
            getattr(model, use)(output)
    with pytest.raises(DataError, match="feature_names has 2 names, but the trees were grown on 5"):
        getattr(model, use)(feature_names=["a", "b"])


def test_other_features_than_those_of_fit():
    X, y = problem(n=20)
    for use in ("predict", "apply"):
        with pytest.raises(ValueError, match="X has 4 features, but M5PRegressor is expecting 5"):
            getattr(M5PRegressor().fit(X, y), use)(X[:, :4])


# Text, picture, and what scikit-learn expects


def grid():
    points = pd.DataFrame(list(product(range(4), repeat=2)), columns=["width", "height"], dtype=float)
    high = np.where(points["height"] < 2, 10 + points["width"], 20 + points["height"])
    return points, np.where(points["width"] < 2, 0.0, high)


def test_text_of_a_tree():
    X, y = grid()
    model = M5PRegressor(smoothing=False).fit(X, np.c_[y, np.full(16, 1 / 3)])
    assert model.export_text().splitlines() == [
        "width <= 1.5: model 1 (8 rows)",
        "width > 1.5",
        "|   height <= 1.5: model 2 (4 rows)",
        "|   height > 1.5: model 3 (4 rows)",
        "",
        "model 1: 0",
        "model 2: 10 + 1 width",
        "model 3: 20 + 1 height",
    ]
    assert model.export_text(1, digits=2) == "model 1 (16 rows)\n\nmodel 1: 0.33"
    assert model.export_text(feature_names=["a", "b"]).startswith("a <= 1.5: model 1")
    assert M5PRegressor().fit(X.to_numpy(), y).export_text().startswith("x0 <= 1.5: model 1")
    assert M5PRegressor().fit(X.to_numpy()[:1], y[:1]).export_text() == "model 1 (1 row)\n\nmodel 1: 0"


def test_negative_coefficients_are_subtracted():
    x = np.arange(20.0)[:, np.newaxis]
    assert M5PRegressor().fit(x, 3 - 2 * x[:, 0]).export_text() == "model 1 (20 rows)\n\nmodel 1: 3 - 2 x0"


def test_picture_of_a_tree():
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y = grid()
    model = M5PRegressor(smoothing=False).fit(X, y)
    axes = model.plot()
    signs = ["≤", ">"]
    leaves = ["8 rows\n0 coefficients", "4 rows\n1 coefficient", "4 rows\n1 coefficient"]
    assert sorted(text.get_text() for text in axes.texts) == sorted(
        ["width\n1.5", "height\n1.5", *leaves, *signs, *signs]
    )
    _, given_axes = plt.subplots()
    assert model.plot(max_depth=1, ax=given_axes, feature_names=["a", "b"]) is given_axes
    assert sorted(text.get_text() for text in given_axes.texts) == sorted(
        ["a\n1.5", leaves[0], "8 rows\n2 leaves", *signs]
    )
    _, single = plt.subplots()
    assert [text.get_text() for text in model.plot(max_depth=0, ax=single).texts] == ["16 rows\n3 leaves"]
    plt.close("all")
