"""Costs and images of proximities: what figures of the study of embeddings are made from."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

import mlreduce
from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.splitting import Split
from mlreduce.exceptions import DataError
from mlreduce_studies.experiments.costs import COST_COLUMNS, measure_costs
from mlreduce_studies.experiments.proximities import IMAGE_COLUMNS, label_order, proximity_images

SPACE = {"scaling": "none", "relation": "euclidean"}


@pytest.fixture(scope="module")
def data():
    return planted(n_samples=60, n_features=8, n_labels=4, n_latent=2, n_distractors=1).data


def test_neighbours_in_the_order_have_labels_that_are_alike(rng):
    labels = (rng.random((80, 6)) < 0.3).astype(float)
    order = label_order(labels)
    assert sorted(order) == list(range(80))

    def length(rows):
        ordered = labels[rows].astype(bool)
        either = (ordered[1:] | ordered[:-1]).sum(axis=1)
        return 1 - ((ordered[1:] & ordered[:-1]).sum(axis=1) / np.maximum(either, 1)).mean()

    drawn = [length(rng.permutation(80)) for _ in range(20)]
    assert length(order) < 0.6 * min(drawn)


def test_instances_with_the_same_labels_stay_in_their_order():
    labels = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [1, 1], [1, 0]], dtype=float)
    order = label_order(labels).tolist()
    assert [i for i in order if i in (0, 2, 5)] == [0, 2, 5]
    assert abs(order.index(0) - order.index(5)) == 2
    assert label_order(labels[[0, 1, 0]]).tolist() in ([0, 2, 1], [1, 0, 2])


def test_a_pixel_is_the_mean_of_a_block_of_pairs(data):
    split = Split(np.arange(50), np.arange(50, 60))
    methods = {"pls": {}, "graph": {"method": "olpp", "proximity": {"n_neighbors": 3}}}
    images = proximity_images(data, split, {"methods": methods, "space": SPACE, "side": 7})
    assert tuple(images.columns) == IMAGE_COLUMNS
    labels = data.Y[:50].astype(float)
    order = label_order(labels)
    centred = labels - labels.mean(axis=0)  # as the features of both methods are
    matrix = (centred @ centred.T)[np.ix_(order, order)]
    np.fill_diagonal(matrix, np.nan)
    edges = np.append(np.unique(np.linspace(0, 50, 7, endpoint=False).astype(int)), 50)
    image = images[images["method"] == "pls"].pivot(index="row", columns="column", values="value").to_numpy()
    for (i, rows), (j, columns) in itertools.product(enumerate(itertools.pairwise(edges)), repeat=2):
        assert image[i, j] == pytest.approx(np.nanmean(matrix[slice(*rows), slice(*columns)]))
    graph = images[images["method"] == "graph"].pivot(index="row", columns="column", values="value").to_numpy()
    np.testing.assert_allclose(graph, graph.T)
    assert (graph >= -1e-12).all()


@pytest.mark.parametrize("entry", [{}, {"n_neighbors": 2}, {"n_neighbors": 2, "edges": "constant", "laplacian": True}])
def test_proximities_by_labels_are_drawn_before_neighbours(entry, data):
    methods = {"mine": {"method": "mope", "scheme": 1, "index": "jaccard", "combine": "labels", **entry}}
    split = Split(np.arange(30), np.arange(30, 60))
    images = proximity_images(data, split, {"methods": methods, "space": SPACE})
    image = images.pivot(index="row", columns="column", values="value").to_numpy()
    labels = data.Y[:30][label_order(data.Y[:30].astype(float))].astype(bool)
    shared = (labels[:, None] & labels).sum(axis=2)
    G = shared / np.maximum((labels[:, None] | labels).sum(axis=2), 1)
    np.testing.assert_allclose(image, G - np.diag(np.diag(G)), atol=1e-9)


def test_more_pixels_than_pairs_show_each_pair(data):
    split = Split(np.arange(9), np.arange(9, 60))
    images = proximity_images(data, split, {"methods": {"pls": {}}, "space": SPACE})
    assert len(images) == 81
    assert images.loc[images["row"] == images["column"], "value"].eq(0).all()


COSTS = {"methods": {"pca": {}, "cca": {}}, "rows": [20, 1000], "features": [3, 8], "prototypes": [5]}


def test_costs_are_measured_at_every_size_in_turn(data):
    table = measure_costs(data, COSTS, SPACE, seed=1)
    assert tuple(table.columns) == COST_COLUMNS
    sizes = table[table["method"] == "pca"][["swept", "space", "rows", "features", "prototypes"]]
    assert sizes.to_numpy().tolist() == [
        *[["rows", "original", 20, 8, 0], ["rows", "relation", 20, 8, 20]],
        *[["rows", "original", 60, 8, 0], ["rows", "relation", 60, 8, 60]],
        *[["features", "original", 60, 3, 0], ["features", "relation", 60, 3, 60]],
        *[["features", "original", 60, 8, 0], ["features", "relation", 60, 8, 60]],
        ["prototypes", "relation", 60, 8, 5],
    ]
    assert (table["seconds"] > 0).all()
    assert table["gigabytes"].between(0.01, 20).all()


def test_a_fit_that_dies_is_an_error_and_not_a_hang(data, monkeypatch):
    methods = {"mine": {"method": "pca", "n_components": 0}}  # refused in the other process
    with pytest.raises(DataError, match="fitting 'mine' to 20 rows: DataError: n_components must be"):
        measure_costs(data, COSTS | {"methods": methods}, SPACE, seed=1)
    monkeypatch.setattr("mlreduce_studies.experiments.costs.make_reduction", lambda *_: os._exit(9))
    with pytest.raises(DataError, match="fitting 'mine' to 20 rows ended without a result"):
        measure_costs(data, COSTS | {"methods": methods}, SPACE, seed=1)


def test_random_directions_are_orthonormal_and_all_alike():
    X = np.random.default_rng(0).standard_normal((10, 4))
    method = mlreduce.RandomProjection(n_components=2, random_state=1).fit(X)
    np.testing.assert_allclose(method.components_ @ method.components_.T, np.eye(2), atol=1e-12)
    drawn = [mlreduce.RandomProjection(random_state=seed).fit(X).components_[0] for seed in range(1000)]
    np.testing.assert_allclose(np.mean(np.square(drawn), axis=0), 0.25, atol=0.03)  # no axis is preferred


def test_majority_labels_are_those_of_more_than_half():
    Y = np.array([[1, 0, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]])
    predicted = mlreduce.MajorityLabels().fit(np.zeros((4, 2)), Y).predict(np.ones((3, 2)))
    assert predicted.tolist() == [[1, 0, 0]] * 3
