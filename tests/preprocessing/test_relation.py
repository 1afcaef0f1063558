from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from projection_problems import data, same_directions
from sklearn.metrics import pairwise
from sklearn.pipeline import make_pipeline

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.linalg import distances
from mlreduce.preprocessing.relation import RelationFeatures

THEIRS = {
    "euclidean": pairwise.euclidean_distances,
    "cosine": pairwise.cosine_similarity,
    "rbf": lambda X, Y: pairwise.rbf_kernel(X, Y, gamma=0.3),
    "linear": pairwise.linear_kernel,
}
both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
metrics = pytest.mark.parametrize("metric", THEIRS)


@metrics
@both
@pytest.mark.parametrize("other", [np.asarray, sp.csr_array], ids=["to dense", "to sparse"])
def test_relations_match_scikit_learn(metric, kind, other, rng, monkeypatch):
    monkeypatch.setattr(distances, "_BLOCK_BYTES", 8 * 30 * 7)  # several blocks of rows
    X, _ = data(rng, 30, 6, 1, density=0.6)
    X[4] = 0
    new = rng.standard_normal((11, 6))
    new[3] = 0
    method = RelationFeatures(metric, gamma=0.3).fit(kind(X))
    np.testing.assert_array_equal(method.prototype_indices_, np.arange(30))
    np.testing.assert_allclose(method.transform(other(new)), THEIRS[metric](new, X), atol=1e-10)
    related = method.fit_transform(kind(X))
    np.testing.assert_allclose(related, THEIRS[metric](X, X), atol=1e-7 if metric == "euclidean" else 1e-10)
    assert isinstance(related, np.ndarray)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@both
def test_rows_that_coincide_have_no_distance(offset, kind, rng):
    X = rng.standard_normal((20, 300)) + (0 if kind is sp.csr_array else offset)
    X[7] = X[3]
    related = RelationFeatures().fit_transform(kind(X))
    assert np.count_nonzero(related == 0) == 22
    assert related[3, 7] == related[7, 3] == 0
    np.testing.assert_allclose(RelationFeatures("cosine").fit_transform(kind(X)).max(), 1)


@metrics
@pytest.mark.parametrize("selection", ["random", "k-means++"])
@both
def test_prototypes_are_columns_of_all_relations(metric, selection, kind, rng):
    X = kind(data(rng, 40, 5, 1)[0])
    all_ = RelationFeatures(metric).fit_transform(X)
    method = RelationFeatures(metric, n_prototypes=9, selection=selection, random_state=1).fit(X)
    chosen = method.prototype_indices_
    assert len(set(chosen)) == 9
    assert (np.diff(chosen) > 0).all()
    np.testing.assert_allclose(method.transform(X), all_[:, chosen], atol=1e-7)
    again = RelationFeatures(metric, n_prototypes=9, selection=selection, random_state=1).fit(X)
    np.testing.assert_array_equal(again.prototype_indices_, chosen)
    others = RelationFeatures(metric, n_prototypes=9, selection=selection, random_state=2).fit(X)
    assert (others.prototype_indices_ != chosen).any()
    assert RelationFeatures(n_prototypes=0.1).fit_transform(X).shape == (40, 4)
    assert list(method.get_feature_names_out()[:2]) == ["relationfeatures0", "relationfeatures1"]


def test_drawn_prototypes_lie_apart(rng):
    X = np.repeat(100 * np.eye(5), 20, axis=0) + rng.standard_normal((100, 5))
    chosen = RelationFeatures(n_prototypes=5, selection="k-means++", random_state=0).fit(X).prototype_indices_
    np.testing.assert_array_equal(chosen // 20, np.arange(5))


def test_prototypes_are_chosen_from_rows_that_coincide():
    X = np.repeat([[0.0, 1], [5, 5]], 6, axis=0)
    for seed in range(10):
        method = RelationFeatures(n_prototypes=5, selection="k-means++", random_state=seed).fit(X)
        assert len(set(method.prototype_indices_)) == 5
        assert len(np.unique(method.prototypes_, axis=0)) == 2


@both
def test_callable_metrics(kind, rng):
    X, _ = data(rng, 12, 4, 1)
    method = RelationFeatures(lambda rows, prototypes: (rows @ prototypes.T) * 2).fit(kind(X))
    np.testing.assert_allclose(method.transform(kind(X)), 2 * X @ X.T)
    with pytest.raises(DataError, match=r"metric must return an array of shape \(12, 12\); got \(12, 3\)"):
        RelationFeatures(lambda rows, _: np.ones((rows.shape[0], 3))).fit_transform(kind(X))
    with pytest.raises(DataError, match="the result of metric contains NaN in column 0, row 0"):
        RelationFeatures(lambda rows, others: np.full((rows.shape[0], others.shape[0]), np.nan)).fit_transform(kind(X))


@both
def test_memory_is_the_result_and_a_block(kind, rng, monkeypatch):
    monkeypatch.setattr(distances, "_BLOCK_BYTES", 2**18)
    X = kind(rng.standard_normal((1500, 3)))
    for metric in THEIRS:
        method = RelationFeatures(metric).fit(X)
        tracemalloc.start()
        related = method.transform(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < related.nbytes + 5 * 2**20


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"metric": "cosin"}, "unknown metric 'cosin'; did you mean 'cosine'"),
        ({"selection": "kmeans", "n_prototypes": 2}, "unknown selection 'kmeans'"),
        ({"gamma": 0}, "gamma must be a number > 0; got 0"),
        ({"n_prototypes": 13}, "n_prototypes must be between 1 and 12, the number of instances; got 13"),
        ({"n_prototypes": 1.5}, "n_prototypes as a fraction"),
    ],
)
def test_impossible_parameters_are_refused(parameters, sentence, rng):
    with pytest.raises(DataError, match=sentence):
        RelationFeatures(**parameters).fit(data(rng, 12, 4, 1)[0])


def turned(Z, like):
    """Columns with the signs of others: the rule of signs sees other entries where features are others."""
    return Z * np.sign((Z * like).sum(axis=0))


@pytest.mark.parametrize("name", ["cca", "opls"])
@pytest.mark.filterwarnings("ignore::mlreduce.exceptions.ProjectionWarning")
def test_the_kernel_form_of_inner_products_is_the_linear_one(name, rng):
    """B = K'HK: what is maximised over is the space of the features either way."""
    X, Y = data(rng, 50, 6, 4)
    linear = mlreduce.make(name).fit(X, Y)
    kernel = make_pipeline(RelationFeatures("linear"), mlreduce.make(name)).fit(X, Y)
    np.testing.assert_allclose(kernel[-1].eigenvalues_, linear.eigenvalues_, rtol=1e-6)
    new = data(rng, 9, 6, 1)[0]
    for rows in (X, new):
        Z = linear.transform(rows)
        np.testing.assert_allclose(turned(kernel.transform(rows), Z), Z, atol=1e-6)


def test_the_kernel_form_is_equation_46(rng):
    X, Y = data(rng, 25, 4, 3)
    K = pairwise.rbf_kernel(X, gamma=0.2)
    pipeline = make_pipeline(RelationFeatures("rbf", gamma=0.2), mlreduce.MDDMp()).fit(X, Y)
    same_directions(pipeline[-1], mlreduce.MDDMp().fit(K, Y), atol=1e-6)
    H = np.eye(25) - 1 / 25
    A = K.T @ H @ (2 * Y - 1) @ (2 * Y - 1).T @ H @ K
    P = pipeline[-1].components_
    np.testing.assert_allclose(P @ A @ P.T, np.diag(np.linalg.eigvalsh(A)[::-1][:3]), atol=1e-7)
