"""Selectors against selection_by_the_book.py, scikit-learn, and answers by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
import selection_by_the_book as book
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_selection import f_classif

from mlreduce.selection import GMBA, MLFS, MLRF, SPEC
from mlreduce.selection.gmba import _Slopes
from mlreduce.selection.label_graph import label_similarity

FEATURES = {
    "continuous": lambda rng, n, d: rng.standard_normal((n, d)),
    "few levels": lambda rng, n, d: rng.integers(-2, 3, (n, d)).astype(float),
    "many levels": lambda rng, n, d: rng.integers(-20, 6, (n, d)).astype(float),
    "binary": lambda rng, n, d: (rng.random((n, d)) < rng.uniform(0.1, 0.6, d)).astype(float),
    "rows repeated": lambda rng, n, d: rng.integers(-3, 4, (3, d)).astype(float)[rng.integers(3, size=n)],
    "all rows alike": lambda rng, n, d: np.tile(rng.integers(-3, 4, d).astype(float), (n, 1)),
    "some constant": lambda rng, n, d: rng.integers(0, 4, (n, d)) * (rng.random(d) < 0.5) + rng.integers(-1, 2, d) / 4,
    "large mean": lambda rng, n, d: 1000.0 + rng.integers(0, 5, (n, d)),
}
LABELS = {
    "any": lambda rng, n, q: rng.random((n, q)) < rng.uniform(0, 0.8, q),
    "few sets": lambda rng, n, q: (rng.random((3, q)) < 0.5)[rng.integers(3, size=n)],
    "rare": lambda rng, n, q: rng.random((n, q)) < 0.1,
    "one each": lambda rng, n, q: np.eye(q)[rng.integers(q, size=n)],
    "some of nobody, some of all": lambda rng, n, q: rng.random((n, q)) < rng.integers(0, 3, q) / 2,
    "none": lambda rng, n, q: np.zeros((n, q)),
}
VARIANTS = ("equations", "published-code")
FORMS = {"dense": np.asarray, "sparse": sp.csr_array}

variants = pytest.mark.parametrize("variant", VARIANTS)
problems = {
    "features": st.sampled_from(sorted(FEATURES)),
    "labels": st.sampled_from(sorted(LABELS)),
    "n": st.integers(1, 16),
    "d": st.integers(1, 6),
    "q": st.integers(1, 5),
    "seed": st.integers(0, 10**6),
    "variant": st.sampled_from(VARIANTS),
    "form": st.sampled_from(sorted(FORMS)),
}


def problem(features="continuous", labels="any", n=40, d=6, q=4, seed=0):
    rng = np.random.default_rng(seed)
    return FEATURES[features](rng, n, d), LABELS[labels](rng, n, q).astype(int)


def slopes_of(X, Y, n_neighbors=3, s_min=1.0, miss_weight=1.0, variant="equations"):
    slopes = _Slopes(X, Y.astype(float), n_neighbors, s_min, miss_weight, variant == VARIANTS[1])
    return np.concatenate(list(slopes.in_order(np.arange(len(Y)))))


# The label graph


def test_the_graph_of_figure_1():
    """One instance with l1, two with l2, one with both, two with none: l1 weighs 2, l2 weighs 3."""
    Y = np.array([[1, 0], [0, 1], [0, 1], [1, 1], [0, 0], [0, 0]])
    expected = np.zeros((6, 6))
    expected[1, 2] = 3 / 3  # the same label
    expected[0, 3] = 2 / (2 + 3)
    expected[1, 3] = expected[2, 3] = 3 / (2 + 3)
    np.testing.assert_array_equal(label_similarity(Y), expected + expected.T)


@given(problems["labels"], problems["n"], problems["q"], problems["seed"])
def test_the_graph_is_the_normalised_clique_expansion(labels, n, q, seed):
    _, Y = problem("binary", labels, n, 1, q, seed)
    A = label_similarity(Y)
    np.testing.assert_array_equal(A, book.label_similarity(Y))
    hyperedges = [set(np.flatnonzero(column)) for column in Y.T]  # equations 4 and 5: a hyperedge weighs its size
    for i, j in combinations(range(n), 2):
        shared = sum(len(edge) for edge in hyperedges if i in edge and j in edge)
        either = sum(len(edge) for edge in hyperedges if i in edge or j in edge)
        assert A[i, j] == A[j, i] == (shared / either if either else 0)
    assert np.all(np.diag(A) == 0)


# Equal to the book


@given(
    **problems, n_neighbors=st.integers(1, 4), s_min=st.sampled_from([1.0, 0.5, 0.3]),
    miss_weight=st.sampled_from([0, 0.5, 1, 3]),
)  # fmt: skip
def test_gradients_of_gmba_match_the_reference(
    features, labels, n, d, q, seed, variant, form, n_neighbors, s_min, miss_weight
):
    X, Y = problem(features, labels, n, d, q, seed)
    ours = slopes_of(FORMS[form](X), Y, n_neighbors, s_min, miss_weight, variant)
    s, unit = book.label_similarity(Y), book.unit_of(X)
    parameters = {"n_neighbors": n_neighbors, "s_min": s_min, "miss_weight": miss_weight, "variant": variant}
    theirs = np.array([book.slope(X, s, i, unit, **parameters) for i in range(n)])
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * (1 + np.abs(theirs).max()))
    assert np.all(ours[np.all(theirs == 0, axis=1)] == 0)  # a step has a fixed length, however short the gradient


def scored(X, ours, theirs, **tolerances):
    """Features that vary have the scores of the reference; the others have none above them."""
    varying = (X[0] != X).any(axis=0)
    if varying.any():
        np.testing.assert_allclose(ours[varying], theirs[varying], **tolerances)
        assert (ours[~varying] <= ours[varying].min()).all()
    else:
        np.testing.assert_allclose(ours, theirs, **tolerances)


@given(
    **problems, n_neighbors=st.integers(1, 3), s_min=st.sampled_from([1.0, 0.5]), step=st.sampled_from([0.9, 0.1]),
    max_iter=st.sampled_from([None, 1, 5, 40]), n_orders=st.integers(1, 3),
)  # fmt: skip
def test_gmba_matches_the_reference(
    features, labels, n, d, q, seed, variant, form, n_neighbors, s_min, step, max_iter, n_orders
):
    X, Y = problem(features, labels, n, d, q, seed)
    parameters = {"n_neighbors": n_neighbors, "s_min": s_min, "variant": variant}
    parameters |= {"step": step, "max_iter": max_iter, "n_orders": n_orders, "random_state": seed}
    ours = GMBA(visits="position", **parameters).fit(FORMS[form](X), Y)
    # Steps of a fixed length across a valley enlarge rounding errors.
    scored(X, ours.scores_, book.gmba(X, Y, **parameters), rtol=1e-5, atol=1e-5)
    if max_iter is None:
        assert ours.n_skipped_ == book.skipped(X, Y, n_neighbors, s_min)


@given(**problems)
def test_spec_matches_the_reference(features, labels, n, d, q, seed, variant, form):
    X, Y = problem(features, labels, n, d, q, seed)
    ours = SPEC(variant=variant).fit(FORMS[form](X), Y).scores_
    scored(X, ours, book.spec(X, Y, variant), rtol=1e-9, atol=1e-9)
    assert np.all((ours >= -2 - 1e-12) & (ours <= 1e-12))


@given(**problems)
def test_mlfs_matches_the_reference(features, labels, n, d, q, seed, variant, form):
    X, Y = problem(features, labels, n, d, q, seed)
    ours = MLFS(variant=variant).fit(FORMS[form](X), Y).scores_
    scored(X, ours, book.mlfs(X, Y, variant), rtol=1e-9, atol=1e-12)


@given(**problems, n_neighbors=st.integers(1, 4))
def test_mlrf_matches_the_reference(features, labels, n, d, q, seed, variant, form, n_neighbors):
    X, Y = problem(features, labels, n, d, q, seed)
    ours = MLRF(n_neighbors=n_neighbors, variant=variant, random_state=seed).fit(FORMS[form](X), Y).scores_
    theirs = book.mlrf(X, Y, n_neighbors, variant, seed)
    scored(X, ours, theirs, rtol=1e-9, atol=1e-11 * (1 + np.abs(X).max()))
    assert variant == "published-code" or np.all(np.abs(ours) <= 1 + 1e-12)


@given(**{name: own for name, own in problems.items() if name != "variant"}, n_neighbors=st.integers(1, 4))
def test_mlrf_of_pairs_matches_the_reference(features, labels, n, d, q, seed, form, n_neighbors):
    X, Y = problem(features, labels, n, d, q, seed)
    ours = MLRF(n_neighbors=n_neighbors, variant="pairs").fit(FORMS[form](X), Y).scores_
    theirs = book.mlrf(X, Y, n_neighbors, "pairs")
    scored(X, ours, theirs, rtol=1e-9, atol=1e-11 * (1 + np.abs(X).max()))


def test_mlrf_of_pairs_of_two_classes_is_relieff():
    X, Y = problem(labels="any", n=60, d=5, q=2, seed=1)
    Y[:, 1] = 1 - Y[:, 0]
    X /= X.max(axis=0) - X.min(axis=0)
    expected = relieff(X, Y[:, 1], 3)
    np.testing.assert_allclose(MLRF(variant="pairs").fit(X, Y).scores_, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_neighbors", [1, 2, 7, 25, 1000])
def test_lists_of_neighbours_of_any_length(n_neighbors):
    """Most distances tie: the lower row number wins."""
    X, Y = problem("few levels", "any", n=70, d=3, q=4, seed=5)
    expected = book.mlrf(X, Y, n_neighbors)
    np.testing.assert_allclose(MLRF(n_neighbors=n_neighbors).fit(X, Y).scores_, expected, rtol=1e-9, atol=1e-12)


@variants
def test_block_size_does_not_matter(monkeypatch, variant):
    X, Y = problem("few levels", "few sets", n=50)
    selectors = [GMBA(n_orders=1, variant=variant, random_state=0), GMBA(variant=variant, n_orders=2, random_state=0)]
    selectors += [SPEC(variant=variant), MLRF(variant=variant, random_state=0), MLRF(variant="pairs")]
    whole = [selector.fit(X, Y).scores_ for selector in selectors]
    monkeypatch.setattr("mlreduce.linalg.distances._BLOCK_BYTES", 8 * 50 * 7)
    for selector, expected in zip(selectors, whole, strict=True):
        np.testing.assert_allclose(selector.fit(X, Y).scores_, expected, rtol=1e-9, atol=1e-12)


# GMBA


def loss(omega, X, s, neighbours, active, margin, i, miss_weight):
    """Equation 13 of one instance, with the neighbours, the misses that count and the margin given."""

    def norm(j):
        return np.sum((omega * (X[i] - X[j])) ** 2)

    total = sum(s[i, h] * norm(h) for h in neighbours)
    for h, misses in zip(neighbours, active, strict=True):
        total += miss_weight * sum((s[i, h] - s[i, j]) * (margin + norm(h) - norm(j)) for j in misses)
    return total


@pytest.mark.parametrize("s_min", [1.0, 0.4])
@pytest.mark.parametrize("miss_weight", [0.0, 0.7, 1.0])
def test_the_gradient_is_that_of_the_loss(s_min, miss_weight):
    X, Y = problem(labels="few sets", n=30, d=5, q=4, seed=3)
    s, rng, step = label_similarity(Y), np.random.default_rng(2), 1e-4
    ours = slopes_of(X, Y, 3, s_min, miss_weight)
    seen = 0
    for i in range(len(X)):
        squared = np.sum((X - X[i]) ** 2, axis=1)
        similar = [j for j in np.argsort(squared) if j != i and s[i, j] >= s_min]
        dissimilar = [j for j in np.argsort(squared) if j != i and s[i, j] < s_min]
        if min(len(similar), len(dissimilar)) < 3:
            assert not ours[i].any()
            continue
        seen += 1
        neighbours, margin = similar[:3], abs(squared[similar[0]] - squared[dissimilar[0]])
        tie = 1e-8  # the nearest miss lies on the edge, where it counts
        active = [[j for j in dissimilar if squared[j] <= margin + squared[h] + tie] for h in neighbours]
        given = (X, s, neighbours, active, margin, i, miss_weight)
        for omega in (np.ones(5), rng.uniform(-1, 2, 5)):
            shifts = step * np.eye(5)
            slope = [(loss(omega + e, *given) - loss(omega - e, *given)) / (2 * step) for e in shifts]
            np.testing.assert_allclose(omega * ours[i], slope, rtol=1e-6, atol=1e-6)
    assert seen > 10


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@variants
def test_no_step_among_equal_rows(form, variant):
    """A step has a fixed length: what rounding leaves of a gradient of zero would be as long as any other."""
    X, Y = problem("binary", "few sets", n=60, seed=20)
    X[::2] = X[0] / 10
    s, unit = book.label_similarity(Y), book.unit_of(X)
    flat = [i for i in range(60) if not book.slope(X, s, i, unit, variant=variant).any()]
    assert len(flat) > 20
    assert not slopes_of(form(X), Y, variant=variant)[flat].any()


def test_a_nearest_miss_on_the_edge_counts_in_the_equations_only():
    """Two groups on a line, 1 within and 10 between: of the misses only the nearest lies on the edge of the margin."""
    X, Y = np.array([[0.0], [1.0], [10.0], [20.0]]), np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    # Instance 0: its hit is 1 away (squared), its nearest miss 100: m = 99, and 100 <= 99 + 1.
    assert slopes_of(X, Y, n_neighbors=1)[0] == 2 * (1 + (1 - 100))
    # The published code looks the similarity of the hit up in the first column, which is the instance itself: 0.
    assert slopes_of(X, Y, n_neighbors=1, variant="published-code")[0] == 0
    assert slopes_of(X, Y, n_neighbors=1, variant="published-code")[1] == 2 * 1


def test_instances_with_too_few_hits_or_misses_are_skipped():
    X, Y = problem(n=7, q=2, seed=6)
    Y[:] = [[1, 0]] * 5 + [[0, 1]] * 2
    few = GMBA(n_neighbors=2, random_state=0).fit(X, Y)
    assert few.n_skipped_ == 2  # the two with one hit each
    assert not slopes_of(X, Y, 2)[5:].any()
    assert slopes_of(X, Y, 2)[:5].any(axis=1).all()
    nobody = GMBA(random_state=0).fit(X, Y)  # of three misses there are two
    assert nobody.n_skipped_ == 7
    np.testing.assert_array_equal(nobody.scores_, 1)
    np.testing.assert_array_equal(nobody.ranking_, np.arange(1, 7))


def test_orders_are_averaged_and_drawn_one_after_the_other():
    X, Y = problem(labels="few sets", seed=7)
    one, three = np.random.RandomState(5), GMBA(n_orders=3, random_state=5).fit(X, Y)
    single = [GMBA(n_orders=1, random_state=one).fit(X, Y).scores_ for _ in range(3)]
    np.testing.assert_allclose(three.scores_, np.mean(single, axis=0), rtol=1e-9)
    np.testing.assert_allclose(single[0], GMBA(n_orders=1, random_state=5).fit(X, Y).scores_)
    assert not np.allclose(single[0], single[1])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_seed_of_gmba_draws_the_same_instances_wherever_they_are(form):
    X, Y = problem("rows repeated", n=30, seed=7)
    X[::2], Y[::2] = problem(n=15, seed=8)
    order, columns, labels = (np.random.default_rng(0).permutation(size) for size in (30, 6, 4))
    expected = GMBA(n_neighbors=2, n_orders=2, random_state=3).fit(form(X), Y).scores_
    again = GMBA(n_neighbors=2, n_orders=2, random_state=3).fit(1024 * form(X)[order], Y[order][:, labels])
    np.testing.assert_allclose(again.scores_, expected, rtol=1e-9)
    turned = GMBA(n_neighbors=2, n_orders=2, random_state=3).fit(form(X[::2][:, columns]), Y[::2]).scores_
    np.testing.assert_allclose(
        turned, GMBA(n_neighbors=2, n_orders=2, random_state=3).fit(X[::2], Y[::2]).scores_[columns]
    )
    by_row = GMBA(n_neighbors=2, visits="position", random_state=3)
    assert not np.allclose(by_row.fit(X[order], Y[order]).scores_, clone(by_row).fit(X, Y).scores_)


def test_more_steps_than_instances_begin_another_order():
    X, Y = problem(labels="few sets", n=12, seed=8)
    slopes, random, omega = slopes_of(X, Y, 2), np.random.RandomState(1), np.ones(6)
    for i in [*random.permutation(12), *random.permutation(12)[:8]]:
        gradient = omega * slopes[i]
        omega -= 0.1 * gradient / (np.linalg.norm(gradient) or 1)
    scores = GMBA(n_neighbors=2, step=0.1, max_iter=20, n_orders=1, visits="position", random_state=1).fit(X, Y).scores_
    np.testing.assert_allclose(scores, omega)


# SPEC


def test_spec_of_an_eigenvector_is_its_eigenvalue():
    _, Y = problem(n=30, q=5, seed=9)
    Y = Y[Y.any(axis=1)]
    A = label_similarity(Y)
    degrees = A.sum(axis=1)
    assert degrees.min() > 0
    values, vectors = np.linalg.eigh(np.eye(len(A)) - A / np.sqrt(np.outer(degrees, degrees)))
    scores = SPEC().fit(vectors / np.sqrt(degrees)[:, np.newaxis], Y).scores_
    np.testing.assert_allclose(-scores, values, atol=1e-12)


def test_spec_at_its_bounds():
    """A constant is as smooth as can be; on two groups of a bipartite graph the opposite signs are as rough."""
    X = np.array([[1.0, 1, 0], [1, -1, 0], [0, 0, 5]])
    Y = np.array([[1, 0], [1, 0], [0, 1]])  # the third has no neighbour
    np.testing.assert_allclose(SPEC().fit(X, Y).scores_, [0, -2, -2], atol=1e-15)


@pytest.mark.parametrize("variant", ["equations", "published-code"])
def test_spec_stays_in_its_range(variant, rng):
    X = np.column_stack([rng.standard_normal(31), np.outer(np.ones(31), rng.standard_normal(40))])
    Y = np.column_stack([np.ones(31), rng.random((31, 4)) < 0.4]).astype(int)
    scores = SPEC(variant=variant).fit(X, Y).scores_
    assert ((scores >= -2) & (scores <= 0)).all()
    np.testing.assert_array_equal(scores[1:], scores[0])  # a constant is as smooth as can be, and tells nothing


def test_features_that_the_graph_does_not_see():
    X, Y = problem("few levels", "one each", n=20, d=3, q=2)
    Y[:4] = 0
    X[4:, 0] = 0  # lives on instances without labels only
    assert SPEC().fit(X, Y).scores_[0] == -2
    published = SPEC(variant="published-code").fit(X, Y).scores_
    # Degree 0.01 there, and no entry in A: as rough as a feature alone, 1.
    np.testing.assert_allclose(published[0], -1)


# MLFS


@pytest.mark.parametrize("features", ["continuous", "few levels", "binary"])
def test_mlfs_of_one_label_each_is_the_f_statistic(features):
    X, Y = problem(features, "one each", n=60, q=4, seed=10)
    np.testing.assert_allclose(MLFS().fit(X, Y).scores_, f_classif(X, Y.argmax(axis=1))[0], rtol=1e-9)
    with_unused = np.insert(Y, 2, 0, axis=1)
    np.testing.assert_allclose(MLFS().fit(X, with_unused).scores_, f_classif(X, Y.argmax(axis=1))[0], rtol=1e-9)


def test_mlfs_is_the_f_statistic_of_copies():
    """An instance with several labels is so many instances with one."""
    X, Y = problem(n=50, q=4, seed=11)
    rows, classes = np.nonzero(Y)
    np.testing.assert_allclose(MLFS().fit(X, Y).scores_, f_classif(X[rows], classes)[0], rtol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_mlfs_where_nothing_varies_within_the_labels(scale, mean):
    Y = np.repeat(np.eye(3, dtype=int), [3, 7, 11], axis=0)
    X = np.c_[Y[:, 0] / 3, np.full(21, 0.1), np.zeros(21), np.r_[0.5, np.zeros(20)]]
    X = scale * (X + mean / 7)
    scores = MLFS().fit(X, Y).scores_
    np.testing.assert_array_equal(scores[:3], [np.inf, 0, 0])
    assert 0 < scores[3] < 10
    published = MLFS(variant="published-code").fit(X, Y).scores_
    np.testing.assert_array_equal(published[:3], 0)


# MLRF


def relieff(X, classes, n_neighbors):
    """Kononenko's ReliefF of several classes over all instances, features in units of their range."""
    X = X / np.ptp(X, axis=0)
    distances = np.sum((X - X[:, np.newaxis]) ** 2, axis=2)
    np.fill_diagonal(distances, np.inf)
    priors = np.bincount(classes) / len(classes)
    weights = np.zeros(X.shape[1])
    for i, own in enumerate(classes):
        for c in range(len(priors)):
            members = np.setdiff1d(np.flatnonzero(classes == c), i)
            nearest = members[np.argsort(distances[i, members])[:n_neighbors]]
            difference = np.abs(X[i] - X[nearest]).mean(axis=0) / len(X)
            weights += -difference if c == own else priors[c] / (1 - priors[own]) * difference
    return weights


@pytest.mark.parametrize("n_neighbors", [1, 3, 10])
def test_mlrf_of_one_label_each_is_relieff(n_neighbors):
    X, Y = problem(labels="one each", n=70, q=4, seed=12)
    X = X / np.ptp(X, axis=0)
    expected = relieff(X, Y.argmax(axis=1), n_neighbors)
    np.testing.assert_allclose(MLRF(n_neighbors=n_neighbors).fit(X, Y).scores_, expected, rtol=1e-9, atol=1e-12)


def test_mlrf_by_hand():
    X, Y = np.array([[0.0], [1.0], [5.0], [10.0]]), np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
    # Instance 0, p: hit 1 (0.1), miss with q and without p: 2 (0.5). Instance 1 has both, and no misses: hit 0 for p
    # (0.1), hit 2 for q (0.4). Instance 2, q: hit 1 (0.4), miss with p and without q: 0 (0.5). M = 4.
    expected = (-0.1 + 0.5 - 0.1 - 0.4 - 0.4 + 0.5) / 4
    np.testing.assert_allclose(MLRF(n_neighbors=1).fit(X, Y).scores_, [expected])
