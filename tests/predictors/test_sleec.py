"""SLEEC: convergence of the embedding, full rank, clusters and learners, and choices by folds."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.predictors import BinaryRelevanceKNN
from mlreduce.predictors.sleec import embed_labels, neighbour_pairs


def problem(rng, n=90, d=6, q=8):
    X = rng.standard_normal((n, d))
    Y = (X @ rng.standard_normal((d, 4)) @ rng.standard_normal((4, q)) + rng.standard_normal((n, q)) > 1).astype(float)
    return X, Y


def stored(pairs):
    """Mask of the pairs: products of zero are stored too."""
    mask = pairs.copy()
    mask.data[:] = 1
    return mask.toarray() > 0


def projected_steps(Y, known, rank, rounds):
    """Singular value projection with whole eigendecompositions."""
    G = Y @ Y.T

    def nearest_of_rank(M):
        values, vectors = np.linalg.eigh(M)
        values, vectors = values[-rank:], vectors[:, -rank:]
        return (vectors * np.maximum(values, 0)) @ vectors.T

    M = nearest_of_rank(G)
    for _ in range(rounds):
        M = nearest_of_rank(np.where(known, G, M))
    return M, np.sum(((G - M) * known) ** 2) / 2


@pytest.mark.parametrize("rank", [2, 4])
def test_embedding_keeps_products_as_well_as_whole_projections(rank, rng):
    _, Y = problem(rng)
    pairs = neighbour_pairs(Y, 4)
    Z, history = embed_labels(Y, pairs, rank, 600, 0.0)
    assert Z.shape == (90, rank)
    assert (np.diff(history) <= 1e-12 * history[0]).all()
    own = np.sum(((Y @ Y.T - Z @ Z.T) * stored(pairs)) ** 2) / 2
    assert history[-1] == pytest.approx(own)
    _, expected = projected_steps(Y, stored(pairs), rank, 400)
    assert history[0] > 1.2 * own
    assert own <= expected * 1.05
    start, _ = embed_labels(Y, pairs, rank, 0, 0.0)
    slopes = [np.linalg.norm(((Y @ Y.T - part @ part.T) * stored(pairs)) @ part) for part in (start, Z)]
    assert slopes[1] < 0.05 * slopes[0]  # stationary


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_at_full_rank_it_votes_by_predicted_labels(form, rng):
    X, Y = problem(rng)
    model = mlreduce.SLEEC(None, n_neighbors=5, alpha=2.0).fit(form(X), Y)
    ridge = mlreduce.RidgeRegressor(alpha=2.0).fit(X, Y)
    votes = BinaryRelevanceKNN(5, pseudocount=0).fit(ridge.predict(X), Y)
    new = rng.standard_normal((20, 6))
    np.testing.assert_allclose(model.predict_scores(form(new)), votes.predict_proba(ridge.predict(new)), atol=1e-12)
    np.testing.assert_array_equal(model.predict(form(new)), votes.predict(ridge.predict(new)))
    np.testing.assert_array_equal(model.predict(new), model.decision_function(new) > 0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_clusters_are_models_of_their_own_and_learners_are_averaged(form, rng):
    X, Y = problem(rng)
    options = {"n_components": 3, "alpha": 1.0, "n_neighbors": 4}
    model = mlreduce.SLEEC(**options, n_clusters=3, n_estimators=2, random_state=7).fit(form(X), Y)
    seeds = np.random.RandomState(7)
    new, total = rng.standard_normal((8, 6)), np.zeros((8, 8))
    for _ in range(2):
        partition = KMeans(3, n_init=1, random_state=seeds.randint(2**31 - 1)).fit(form(X))
        for row, x in enumerate(new):
            cluster = partition.predict(form(x[None]))[0]
            own = partition.labels_ == cluster
            alone = mlreduce.SLEEC(**options).fit(X[own], Y[own])
            total[row] += alone.predict_scores(x[None])[0] / 2
    np.testing.assert_allclose(model.predict_scores(form(new)), total, atol=1e-12)
    assert [len(clusters) for clusters in model.objective_] == [3, 3]


def test_clusters_smaller_than_their_neighbours(rng):
    X, Y = problem(rng, n=12)
    model = mlreduce.SLEEC(n_clusters=6, random_state=0).fit(X, Y)
    assert np.isfinite(model.predict_scores(X)).all()


def test_default_sizes(rng, monkeypatch):
    X, Y = problem(rng)
    monkeypatch.setattr("mlreduce.predictors.sleec._CLUSTER", 40)
    monkeypatch.setattr("mlreduce.predictors.sleec._RANK", 5)
    model = mlreduce.SLEEC(n_components=None, random_state=0).fit(X, Y)
    assert (model.n_clusters_, model.n_components_) == (3, 5)
    assert mlreduce.SLEEC(n_components=7, random_state=0).fit(X, Y).n_components_ == 7


def test_features_and_labels_that_do_not_vary(rng):
    X, Y = problem(rng)
    Y = np.column_stack([Y, np.zeros(90), np.ones(90)])
    predicted = mlreduce.SLEEC(n_components=4).fit(X, Y).predict(X)
    assert not predicted[:, 8].any()
    assert predicted[:, 9].all()
    assert len(np.unique(mlreduce.SLEEC(n_components=4).fit(np.ones_like(X), Y).predict(X), axis=0)) == 1
    assert not mlreduce.SLEEC().fit(X, 0 * Y).predict(X).any()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors, if not 'cv', must be an integer >= 1; got 0"),
        ({"n_label_neighbors": 1.5}, "n_label_neighbors must be an integer >= 1; got 1.5"),
        ({"n_estimators": 0}, "n_estimators must be an integer >= 1"),
        ({"n_clusters": 91}, "n_clusters must be between 1 and 90, the number of rows; got 91"),
        ({"n_components": 9}, "n_components must be between 1 and 8, the number of labels; got 9"),
        ({"tol": -1}, "tol must be a number >= 0"),
        ({"alpha": -1}, "alpha"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message, rng):
    with pytest.raises(DataError, match=message):
        mlreduce.SLEEC(**parameters).fit(*problem(rng))


def test_shape_is_chosen_by_folds(monkeypatch, rng):
    X, Y = problem(rng)
    asked = []

    def second_best(scores, features, labels):
        asked.append([each.shape for each in scores(np.arange(60), np.arange(60, 90))])
        return 3

    monkeypatch.setattr("mlreduce.predictors.sleec.best_candidate", second_best)
    model = mlreduce.SLEEC().fit(X, Y)
    assert asked == [[(30, 8)] * 6]  # all labels, half and a quarter of their number, by 10 and 30 neighbours
    assert (model.n_components_, model.n_neighbors_) == (4, 30)
    np.testing.assert_array_equal(model.predict_scores(X), mlreduce.SLEEC(4, 30).fit(X, Y).predict_scores(X))


def test_it_says_where_the_embedding_has_not_converged(rng):
    X, Y = problem(rng)
    with pytest.warns(ConvergenceWarning, match="1 of 1 clusters still improved .* max_iter=2"):
        model = mlreduce.SLEEC(3, max_iter=2, tol=1e-6).fit(X, Y)
    assert model.not_converged_ == 1
    assert mlreduce.SLEEC(3, tol=1e-5).fit(X, Y).not_converged_ == 0


@pytest.mark.slow
def test_it_says_where_the_tolerance_ended_the_embedding_too_soon():
    data = mlreduce.load_dataset("planted-300")
    with pytest.warns(ConvergenceWarning, match=r"tol=0.001 ended the embedding of 1 of 1 clusters .* by 27%"):
        model = mlreduce.SLEEC(4).fit(data.X, data.Y)
    assert model.not_converged_ == 1
    reached = model.objective_[0][0][-1]
    with pytest.warns(ConvergenceWarning, match="still improved"):
        more = mlreduce.SLEEC(4, tol=1e-5).fit(data.X, data.Y)
    assert more.objective_[0][0][-1] < 0.73 * reached


def test_labels_that_few_neighbours_have_tie_in_most_rows():
    """Why the order of the labels is that of their numbers among these."""
    data = mlreduce.load_dataset("digits-300")
    model = mlreduce.SLEEC(n_components="50%", n_neighbors=10, alpha=1.0, random_state=0).fit(
        data.X[:200], data.Y[:200]
    )
    scores = model.predict_scores(data.X[200:])
    assert np.mean([len(np.unique(row)) < len(row) for row in scores]) > 0.9
