"""ML-KNN and naive Bayes: against scikit-learn, nested sizes, and labels without two values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import above_half
from mlreduce.metrics import Outcome, find_measure
from mlreduce.predictors import MLKNN, MLNB, BinaryRelevanceKNN

FEATURES = {
    "continuous": lambda rng, n, d: rng.standard_normal((n, d)),
    "few levels": lambda rng, n, d: rng.integers(-2, 3, (n, d)).astype(float),
    "some constant": lambda rng, n, d: rng.standard_normal((n, d)) * (np.arange(d) % 2),
}
both = pytest.mark.parametrize("model", [MLKNN(n_neighbors=3), MLNB()], ids=["ml-knn", "mlnb"])


def problem(features="continuous", n=60, d=5, q=4, n_new=20, seed=0):
    rng = np.random.default_rng(seed)
    X = FEATURES[features](rng, n + n_new, d)
    Y = (X @ rng.standard_normal((d, q)) + rng.standard_normal((n + n_new, q)) > rng.uniform(-1, 1, q)).astype(int)
    return X[:n], Y[:n], X[n:], Y[n:]


@pytest.mark.parametrize("seed", range(3))
def test_naive_bayes_is_scikit_learns_a_label(seed):
    X, Y, X_new, _ = problem(n=200, seed=seed)
    fitted = MLNB(pseudocount=0, variance_floor=1e-9, feature_weight=1.0).fit(X, Y)
    for label, y in enumerate(Y.T):
        theirs = GaussianNB(var_smoothing=0).fit(X, y)
        np.testing.assert_allclose(fitted.predict_proba(X_new)[:, label], theirs.predict_proba(X_new)[:, 1], rtol=1e-9)
        np.testing.assert_allclose(fitted.means_[:, label], theirs.theta_)
        np.testing.assert_allclose(fitted.variances_[:, label], theirs.var_)
        np.testing.assert_allclose(fitted.prior_[label], theirs.class_prior_[1])
    smoothed = MLNB().fit(X, Y)
    np.testing.assert_allclose(smoothed.prior_, (1 + Y.sum(axis=0)) / 202)


def test_the_floor_of_variances_is_chosen():
    data = mlreduce.load_dataset("digits")
    X, X_new, Y, Y_new = data.X[:600], data.X[600:], data.Y[:600], data.Y[600:]
    precision = find_measure("average-precision")
    fitted = MLNB(feature_weight=1.0).fit(X, Y)
    assert fitted.variance_floor_ == 1.0
    assert precision(Outcome(Y_new, fitted.predict(X_new), scores=fitted.predict_scores(X_new))) > 0.86
    bare = MLNB(variance_floor=1e-9, feature_weight=1.0).fit(
        X, Y
    )  # pixels that hardly vary among the few with a label decide alone
    assert precision(Outcome(Y_new, bare.predict(X_new), scores=bare.predict_scores(X_new))) < 0.8
    assert MLNB().fit(X[:1], Y[:1]).variance_floor_ == 0.1  # one row has no folds


def test_features_that_repeat_are_weighted_less():
    """Thirty copies of a feature count as one where the weight is chosen, and outweigh frequencies where it is 1."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((300, 3)), 30, axis=1)
    Y = (0.5 * X[:, [0, 30, 60, 0, 30]] + rng.standard_normal((300, 5)) > [1.5, 1, 0.5, -0.5, -1]).astype(np.int8)
    precision = find_measure("average-precision")
    chosen, full = (model.fit(X[:200], Y[:200]) for model in (MLNB(), MLNB(feature_weight=1.0)))
    values = [precision(Outcome(Y[200:], Y[200:], scores=model.predict_scores(X[200:]))) for model in (chosen, full)]
    assert values[0] > values[1] + 0.02
    assert chosen.feature_weight_ < 0.2
    assert full.edge_ is None
    frequent = MLNB(feature_weight=0.0).fit(X, Y)
    np.testing.assert_allclose(frequent.predict_proba(X), np.tile((1 + Y.sum(axis=0)) / 302, (300, 1)))


def test_permutations_and_units_change_no_choice():
    X, Y, X_new, _ = problem(n=90, d=6)
    rng = np.random.default_rng(1)
    rows, columns, labels = rng.permutation(90), rng.permutation(6), rng.permutation(Y.shape[1])
    one = MLNB().fit(X, Y)
    other = MLNB().fit(1024 * X[rows][:, columns], Y[rows][:, labels])
    assert (one.variance_floor_, one.feature_weight_) == (other.variance_floor_, other.feature_weight_)
    np.testing.assert_allclose(other.predict_scores(1024 * X_new[:, columns]), one.predict_scores(X_new)[:, labels])


def test_without_smoothing_to_speak_of_one_neighbour_is_followed():
    X, Y, X_new, _ = problem(n=200, seed=1)
    X = np.repeat(X, 2, axis=0)
    Y = np.repeat(Y, 2, axis=0)
    fitted = MLKNN(1, pseudocount=1e-9).fit(X, Y)
    np.testing.assert_array_equal(fitted.predict(X_new), BinaryRelevanceKNN(1).fit(X, Y).predict(X_new))


@both
@pytest.mark.parametrize("features", sorted(FEATURES))
def test_nested_sizes_are_each_size_alone(model, features, monkeypatch):
    X, Y, X_new, _ = problem(features, d=9, seed=2)
    monkeypatch.setattr("mlreduce.linalg.distances._BLOCK_BYTES", 8 * len(X) * 7)  # blocks of seven rows
    for sizes in ([1, 2, 5, 9], [3], list(range(1, 10))):
        nested = list(model.predict_nested(X, Y.astype(float), X_new, sizes))
        assert len(nested) == len(sizes)
        for size, scores in zip(sizes, nested, strict=True):
            alone = clone(model).set_params(decision="half").fit(X[:, :size], Y)
            np.testing.assert_allclose(scores, alone.predict_scores(X_new[:, :size]), rtol=1e-9, atol=1e-9)
            np.testing.assert_array_equal(above_half(scores), alone.predict(X_new[:, :size]))


@both
def test_scores_are_in_the_order_of_the_probabilities(model):
    X, Y, X_new, _ = problem(d=2)
    fitted = model.fit(X, Y)
    scores, probability = fitted.predict_scores(X_new), fitted.predict_proba(X_new)
    by_score = np.argsort(scores, axis=None)
    assert (np.diff(probability.ravel()[by_score]) >= 0).all()
    np.testing.assert_array_equal(scores > 0.5, probability > 0.5)
    assert model.ranks
    assert ((probability >= 0) & (probability <= 1)).all()


def test_scores_differ_where_probabilities_are_one():
    X = np.repeat(np.arange(2.0), 50)[:, np.newaxis] + np.random.default_rng(0).normal(0, 0.01, (100, 60))
    Y = np.c_[X[:, 0] > 0.5, X[:, 1] > 0.5].astype(int)
    Y[0, 1] = 1
    fitted = MLNB().fit(X, Y)
    new = np.full((1, 60), 1.0)
    assert (fitted.predict_proba(new) == 1).all()
    first, second = fitted.predict_scores(new)[0]
    assert first != second


@both
@pytest.mark.parametrize("constant", [0, 1])
def test_a_label_of_all_or_of_nobody(model, constant):
    X, Y, X_new, _ = problem()
    Y[:, 1] = constant
    fitted = model.fit(X, Y)
    assert (fitted.predict(X_new)[:, 1] == constant).all()
    assert np.isfinite(fitted.predict_scores(X_new)).all()
    alone = MLNB(pseudocount=0).fit(X, Y).predict_proba(X_new)[:, 1]
    np.testing.assert_array_equal(alone, constant)


def test_impossible_parameters_are_refused():
    X, Y, X_new, _ = problem(n=10)
    for pseudocount in (0, -1, None, np.nan):
        with pytest.raises(DataError, match="^pseudocount must be"):
            MLKNN(3, pseudocount).fit(X, Y)
    for n_neighbors in (0, 1.5, None):
        with pytest.raises(DataError, match="^n_neighbors must be"):
            MLKNN(n_neighbors).fit(X, Y)
    with pytest.raises(DataError, match="10 neighbours of a training row need one row more; got n_samples=10"):
        MLKNN().fit(X, Y)
    with pytest.raises(DataError, match="11 neighbours need as many training rows"):
        list(MLKNN(11).predict_nested(X, Y.astype(float), X_new, [1]))
    for floor in (0, -1, "1"):
        with pytest.raises(DataError, match="^variance_floor, if not 'cv', must be a number > 0"):
            MLNB(variance_floor=floor).fit(X, Y)
    with pytest.raises(DataError, match="^pseudocount must be"):
        MLNB(pseudocount=-1).fit(X, Y)


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("parameters", [{}, {"variance_floor": 0.01, "feature_weight": 1.0}])
def test_naive_bayes_of_sparse_features_is_that_of_dense_ones(parameters, unknown):
    X, Y, X_new, _ = problem("few levels", n=200, d=12, q=5)
    X[:, 3], X[:, 4] = 2.7, 0.0
    X[:, 5] = np.where(X[:, 5] > 0, X[:, 5] + 100, 0)
    if unknown:
        Y = np.where(np.random.default_rng(1).random(Y.shape) < 0.2, np.nan, Y)
    dense, sparse = (clone(MLNB(**parameters)).fit(form(X), Y) for form in (np.asarray, sp.csr_array))
    for name in ("prior_", "means_", "variances_", "variance_floor_", "feature_weight_"):
        np.testing.assert_allclose(getattr(sparse, name), getattr(dense, name), rtol=1e-9, atol=1e-12)
    for model in (dense, sparse):
        scores = model.predict_scores(sp.csr_array(X_new))
        np.testing.assert_allclose(scores, dense.predict_scores(X_new), rtol=1e-9, atol=1e-9)
    rare = MLNB(**parameters).fit(sp.csr_array(X), sp.csr_array(np.nan_to_num(Y)))
    expected = MLNB(**parameters).fit(X, np.nan_to_num(Y)).predict_scores(X_new)
    np.testing.assert_allclose(rare.predict_scores(X_new), expected, rtol=1e-9, atol=1e-9)
