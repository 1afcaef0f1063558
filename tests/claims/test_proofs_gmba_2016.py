"""What papers/gmba-2016/claims.yaml proves or calls false by algebra, computed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from mlreduce import GMBA, SPEC
from mlreduce.selection.label_graph import label_similarity

# The example of section 2.2: label 1, label 2 twice, both, none twice.
EXAMPLE = np.array([[1, 0], [0, 1], [0, 1], [1, 1], [0, 0], [0, 0]])


@pytest.fixture
def labels():
    return (np.random.default_rng(0).random((40, 5)) < 0.3).astype(int)


def powerset_similarity(Y):
    """Equation (1), where each set of labels is a class."""
    _, classes, sizes = np.unique(Y, axis=0, return_inverse=True, return_counts=True)
    joined = classes[:, np.newaxis] == classes
    np.fill_diagonal(joined, False)
    return joined / sizes[classes]


def test_gmba_ranks_alike_before_any_learner(labels):
    X = np.random.default_rng(1).standard_normal((40, 8))
    alone = GMBA(k=3, random_state=0).fit(X, labels).ranking_
    for learner in (KNeighborsClassifier(3), DecisionTreeClassifier(random_state=0)):
        fitted = make_pipeline(GMBA(k=3, random_state=0), learner).fit(X, labels)
        np.testing.assert_array_equal(fitted[0].ranking_, alone)


def test_the_graph_is_the_normalised_clique_expansion_of_the_hypergraph(labels):
    hyperedges = [set(np.flatnonzero(column)) for column in labels.T]
    similarity = label_similarity(labels)
    for i, j in combinations(range(len(labels)), 2):
        both = sum(len(edge) for edge in hyperedges if i in edge and j in edge)
        either = sum(len(edge) for edge in hyperedges if i in edge or j in edge)
        assert similarity[i, j] == (both / either if either else 0)


def test_the_example_graph_has_weights_of_two_and_three_fifths():
    assert label_similarity(EXAMPLE)[3, :3].tolist() == [2 / 5, 3 / 5, 3 / 5]


def test_the_powerset_graph_of_the_example_has_four_parts():
    assert connected_components(powerset_similarity(EXAMPLE))[0] == 4


def test_the_graph_joins_overlapping_label_sets_that_the_powerset_graph_does_not(labels):
    ours, theirs = label_similarity(labels), powerset_similarity(labels)
    shared = labels @ labels.T
    alike = (labels[:, np.newaxis] == labels).all(axis=2)
    np.fill_diagonal(shared, 0)
    overlap = (shared > 0) & ~alike
    assert overlap.any()
    assert ((ours[overlap] > 0) & (ours[overlap] < 1)).all()
    assert not theirs[overlap].any()
    assert (ours[(shared > 0) & alike] == 1).all()
    assert not ours[shared == 0].any()
    labelled = labels.any(axis=1)
    assert (ours[np.ix_(labelled, labelled)] > 0)[theirs[np.ix_(labelled, labelled)] > 0].all()


def test_the_penalty_grows_as_a_dissimilar_instance_comes_nearer():
    """Equations (9) and (10) along a line on which one instance with other labels comes nearer."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        hit, neighbour, nearest_other = rng.random(3)  # squared distances
        near_by = np.linspace(0, 2, 201)
        margins = np.abs(hit - np.minimum(near_by, nearest_other))
        room = np.maximum(0, margins + neighbour - near_by)
        similarity, below = 1.0, np.linspace(0, 0.99, 100)
        penalties = np.multiply.outer(similarity - below, room)
        assert (np.diff(penalties, axis=1) <= 1e-12).all()
        assert (np.diff(penalties, axis=0) <= 0).all()
        assert (np.diff(penalties[:, room > 0], axis=0) < 0).all()


@pytest.mark.parametrize("equal_degrees", [True, False])
def test_equation_17_counts_every_pair_twice(equal_degrees):
    rng = np.random.default_rng(0)
    Y = np.eye(3, dtype=int)[np.repeat([0, 1, 2], 4)] if equal_degrees else 1 - np.eye(12, 4, dtype=int)
    X = rng.standard_normal((12, 5))
    similarity = label_similarity(Y)
    degrees = similarity.sum(axis=1)
    assert (np.ptp(degrees) < 1e-12) == equal_degrees
    a = similarity / np.sqrt(np.outer(degrees, degrees))
    for feature, form in zip(X.T, -SPEC().fit(X, Y).scores_, strict=True):
        x = np.sqrt(degrees) * feature
        x /= np.linalg.norm(x)
        assert form == pytest.approx(x @ (np.eye(12) - a) @ x, rel=1e-9)
        total = (a * np.square(np.subtract.outer(x, x))).sum()
        assert total == pytest.approx(2 * form + 2 * np.square(x) @ (a.sum(axis=1) - 1), rel=1e-9)
        assert (total == pytest.approx(2 * form, rel=1e-9)) == equal_degrees
        assert abs(total - form) > 0.1
