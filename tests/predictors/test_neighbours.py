"""Votes of nearest neighbours against scikit-learn, ties, nested sizes and orders of chains."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier

from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import above_half
from mlreduce.predictors import MLKNN, BinaryRelevanceKNN, ClassifierChainKNN, ml_knn

BOTH = (BinaryRelevanceKNN, ClassifierChainKNN)
FEATURES = {
    "continuous": lambda rng, n, d: rng.standard_normal((n, d)),
    "few levels": lambda rng, n, d: rng.integers(-2, 3, (n, d)).astype(float),
    "binary": lambda rng, n, d: (rng.random((n, d)) < 0.4).astype(float),
    "all rows alike": lambda rng, n, d: np.ones((n, d)) / 7,
    "large mean": lambda rng, n, d: 1000.0 + rng.integers(0, 3, (n, d)),
    "tiny": lambda rng, n, d: 1e-6 * rng.standard_normal((n, d)),
}

both = pytest.mark.parametrize("cls", BOTH)


def problem(features="continuous", n=60, d=5, q=4, n_new=30, seed=0):
    rng = np.random.default_rng(seed)
    X = FEATURES[features](rng, n + n_new, d)
    Y = (X @ rng.standard_normal((d, q)) + rng.standard_normal((n + n_new, q)) > rng.uniform(-1, 1, q)).astype(int)
    return X[:n], Y[:n], X[n:], Y[n:]


@pytest.mark.parametrize("n_neighbors", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("seed", range(3))
def test_binary_relevance_matches_scikit_learn(n_neighbors, seed):
    X, Y, X_new, _ = problem(seed=seed)
    ours = BinaryRelevanceKNN(n_neighbors=n_neighbors, pseudocount=0).fit(X, Y)
    theirs = MultiOutputClassifier(KNeighborsClassifier(n_neighbors)).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X_new), theirs.predict(X_new))
    shares = np.column_stack([label[:, 1] for label in theirs.predict_proba(X_new)])
    np.testing.assert_allclose(ours.predict_proba(X_new), shares)


@pytest.mark.parametrize("order", [None, [2, 0, 3, 1]])
@pytest.mark.parametrize("n_neighbors", [1, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_the_chain_matches_scikit_learn(n_neighbors, seed, order):
    X, Y, X_new, _ = problem(seed=seed)
    ours = ClassifierChainKNN(n_neighbors=n_neighbors, order=order, pseudocount=0).fit(X, Y)
    theirs = ClassifierChain(KNeighborsClassifier(n_neighbors), order=order).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X_new), theirs.predict(X_new))
    np.testing.assert_allclose(ours.predict_proba(X_new), theirs.predict_proba(X_new))


def test_of_rows_equally_far_away_the_first_vote():
    X, Y = np.zeros((5, 1)), np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    for cls in BOTH:
        np.testing.assert_array_equal(cls().fit(X, Y).predict([[3.0]]), [[1, 0]])
    mirrored = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    np.testing.assert_array_equal(BinaryRelevanceKNN(1).fit(mirrored, [1, 0, 0, 0]).predict([[0.0]]), [1])


def test_an_even_number_of_neighbours_may_tie_and_votes_no():
    X, Y = np.array([[0.0], [1.0], [9.0]]), np.array([[1], [0], [1]])
    for cls in BOTH:
        model = cls(n_neighbors=2, pseudocount=0).fit(X, Y)
        np.testing.assert_array_equal(model.predict([[0.4]]), [[0]])
        np.testing.assert_array_equal(model.predict_proba([[0.4]]), [[0.5]])


@pytest.mark.parametrize("n_neighbors", [3, 4])
@pytest.mark.parametrize("cls", BOTH[:2])
def test_frequencies_order_labels_with_as_many_votes(cls, n_neighbors):
    X, Y, X_new, _ = problem()
    tied, ordered = (cls(n_neighbors, pseudocount=count).fit(X, Y) for count in (0, 0.25))
    np.testing.assert_array_equal(ordered.predict(X_new), tied.predict(X_new))
    votes = n_neighbors * tied.predict_proba(X_new)
    expected = (votes + 0.25 * Y.mean(axis=0)) / (n_neighbors + 0.5)
    np.testing.assert_allclose(ordered.predict_scores(X_new), expected)


@pytest.mark.parametrize("cls", BOTH[:2])
def test_votes_are_no_ranking(cls):
    """A label that one neighbour has comes before a frequent one that none has: why their precision is low."""
    X = np.array([0, 0.1, 0.2, *range(5, 105)])[:, np.newaxis]
    Y = np.column_stack([X[:, 0] == 0, X[:, 0] > 1]).astype(int)
    rare, frequent = cls().fit(X, Y).predict_scores([[0.1]])[0]
    assert rare > 0.25 > 0.1 > frequent
    rare, frequent = MLKNN(3).fit(X, Y).predict_scores([[0.1]])[0]
    assert rare < frequent


def test_predictions_move_the_neighbours_of_the_next_label():
    """The first label is predicted absent: that brings the row 1.2 away without it before the one 1.1 away with it."""
    X = np.array([[0.0], [0.0], [1.1], [1.2]])
    Y = np.array([[0, 0], [0, 1], [1, 0], [0, 1]])
    for cls, second in ((BinaryRelevanceKNN, 0), (ClassifierChainKNN, 1)):
        np.testing.assert_array_equal(cls().fit(X, Y).predict([[0.0]]), [[0, second]])


@both
@pytest.mark.parametrize("features", sorted(FEATURES))
@pytest.mark.parametrize("n_neighbors", [1, 2])
def test_nested_sizes_are_each_size_alone(cls, features, n_neighbors):
    X, Y, X_new, _ = problem(features, d=9, seed=2)
    model = cls(n_neighbors=n_neighbors)
    for sizes in ([1, 2, 5, 9], [3], list(range(1, 10))):
        nested = list(model.predict_nested(X, Y.astype(float), X_new, sizes))
        assert len(nested) == len(sizes)
        for size, predicted in zip(sizes, nested, strict=True):
            alone = clone(model).fit(X[:, :size], Y).predict(X_new[:, :size])
            np.testing.assert_array_equal(above_half(predicted), alone)


@both
def test_block_size_does_not_matter(cls, monkeypatch):
    X, Y, X_new, _ = problem("few levels")
    model = cls().fit(X, Y)
    whole, nested = model.predict(X_new), list(model.predict_nested(X, Y.astype(float), X_new, [2, 5]))
    monkeypatch.setattr("mlreduce.linalg.distances._BLOCK_BYTES", 8 * 60 * 7)
    np.testing.assert_array_equal(model.predict(X_new), whole)
    np.testing.assert_array_equal(list(model.predict_nested(X, Y.astype(float), X_new, [2, 5])), nested)


@both
@pytest.mark.parametrize("n_neighbors", [0, -1, 1.5, "3", True, None])
def test_numbers_of_neighbours_out_of_range_are_refused(cls, n_neighbors):
    X, Y, *_ = problem()
    with pytest.raises(DataError, match="n_neighbors must be an integer >= 1"):
        cls(n_neighbors=n_neighbors).fit(X, Y)


@both
def test_wrong_data_are_refused(cls):
    X, Y, X_new, _ = problem()
    with pytest.raises(DataError, match="n_samples=2"):
        cls().fit(X[:2], Y[:2])
    with pytest.raises(DataError, match="n_samples=2"):
        next(cls().predict_nested(X[:2], Y[:2].astype(float), X_new, [1]))
    with pytest.raises(DataError, match="y is continuous"):
        cls().fit(X, Y / 2)
    X[1, 2] = np.nan
    with pytest.raises(DataError, match="X contains NaN in column 2, row 1"):
        cls().fit(X, Y)
    with pytest.raises(DataError, match="X contains NaN in column 0, row 0"):
        cls().fit(X_new, Y[:30]).predict([[np.nan] * 5])


@pytest.mark.parametrize("seed", range(4))
def test_a_shuffled_chain_is_the_chain_in_that_order(seed):
    X, Y, X_new, _ = problem("few levels", d=9, q=6)
    order = np.random.RandomState(seed).permutation(6)
    shuffled = ClassifierChainKNN(order="shuffled", random_state=seed)
    given_order = ClassifierChainKNN(order=order.tolist())
    expected = given_order.fit(X, Y).predict(X_new)
    np.testing.assert_array_equal(shuffled.fit(X, Y).predict(X_new), expected)
    assert not np.array_equal(expected, ClassifierChainKNN().fit(X, Y).predict(X_new))
    for one, other in zip(
        *(model.predict_nested(X, Y.astype(float), X_new, [2, 5, 9]) for model in (shuffled, given_order)), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_one_order_is_drawn_for_all_blocks_and_sizes(monkeypatch):
    X, Y, X_new, _ = problem("few levels", d=9, q=6)
    orders = []
    shuffled = ClassifierChainKNN(order="shuffled", random_state=np.random.RandomState(0))
    monkeypatch.setattr("mlreduce.linalg.distances._BLOCK_BYTES", 8 * 60 * 7)
    monkeypatch.setattr(
        ClassifierChainKNN, "_votes", lambda self, *_, order, **__: (orders.append(order), np.zeros((1, 6), int))[1]
    )
    model = shuffled.fit(X, Y)
    model.predict(X_new)
    assert len(orders) > 1
    assert len({tuple(order) for order in orders}) == 1
    model.predict(X_new)
    assert len({tuple(order) for order in orders}) == 1
    orders.clear()
    list(shuffled.predict_nested(X, Y.astype(float), X_new, [2, 5, 9]))
    assert len(orders) == 3
    assert len({tuple(order) for order in orders}) == 1


def test_an_unknown_order_is_refused():
    X, Y, *_ = problem()
    with pytest.raises(DataError, match="unknown order 'shufled'; did you mean 'shuffled'"):
        ClassifierChainKNN(order="shufled").fit(X, Y)


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 1, 2, 2], [1, 2, 3, 4]])
def test_wrong_orders_are_refused(order):
    X, Y, *_ = problem()
    with pytest.raises(DataError, match="order must hold each of 0..3, the labels, once"):
        ClassifierChainKNN(order=order).fit(X, Y)


def left_out_likelihood(X, Y, number):
    """Log-likelihood of the labels, each row left out of frequencies and counts: by a fit of votes, row by row."""
    order = np.argsort(
        ((X[:, None] - X[None]) ** 2).sum(axis=-1) + np.diag(np.full(len(X), np.inf)), axis=1, kind="stable"
    )
    votes = Y[order[:, :number]].sum(axis=1)
    total = 0.0
    for row in range(len(X)):
        rest = np.arange(len(X)) != row
        for label in range(Y.shape[1]):
            has = Y[rest, label] == 1
            counts = [np.bincount(votes[rest, label][side], minlength=number + 1) for side in (has, ~has)]
            prior = (1 + has.sum()) / (2 + rest.sum())
            yes, no = ((1 + count[votes[row, label]]) / (number + 1 + count.sum()) for count in counts)
            share = prior * yes / (prior * yes + (1 - prior) * no)
            total += np.log(share if Y[row, label] else 1 - share)
    return total


@pytest.mark.parametrize("n_samples", [4, 9, 30, 70])
def test_ml_knn_chooses_the_number_of_neighbours_with_the_largest_likelihood(n_samples, rng):
    X = rng.normal(size=(n_samples, 3))
    Y = (X @ rng.normal(size=(3, 4)) + rng.normal(size=(n_samples, 4)) > 0).astype(int)
    numbers = [number for number in (5, 10, 20, 40) if number < n_samples] or [n_samples - 1]
    values = [left_out_likelihood(X, Y, number) for number in numbers]
    model, X_new = MLKNN(n_neighbors="loo").fit(X, Y), rng.normal(size=(20, 3))
    assert model.n_neighbors_ == numbers[int(np.argmax(values))]
    fixed = MLKNN(n_neighbors=model.n_neighbors_).fit(X, Y)
    assert fixed.n_neighbors_ == model.n_neighbors_
    np.testing.assert_array_equal(model.predict_proba(X_new), fixed.predict_proba(X_new))
    np.testing.assert_array_equal(model.predict(X_new), fixed.predict(X_new))


def test_ml_knn_chooses_for_each_number_of_columns_and_in_all_forms(rng):
    X, X_new = rng.normal(size=(60, 5)), rng.normal(size=(9, 5))
    Y = (X[:, :4] + rng.normal(size=(60, 4)) > 0.4).astype(int)
    chosen = []
    for size, (among, beyond) in zip((1, 5), MLKNN("loo")._nested_left_out(X, Y * 1.0, X_new, [1, 5]), strict=True):
        model = MLKNN(n_neighbors="loo").fit(X[:, :size], Y)
        chosen.append(model.n_neighbors_)
        np.testing.assert_allclose(beyond, model.predict_scores(X_new[:, :size]), atol=1e-12)
        sparse = MLKNN(n_neighbors="loo").fit(X[:, :size], sp.csr_array(Y))
        assert sparse.n_neighbors_ == model.n_neighbors_
        np.testing.assert_allclose(among, model._left_out_scores(model._votes_in_blocks(None, None, chosen[-1]), Y))
    for size, nested in zip((1, 5), MLKNN("loo").predict_nested(X, Y * 1.0, X_new, [1, 5]), strict=True):
        np.testing.assert_allclose(nested, MLKNN("loo").fit(X[:, :size], Y).predict_scores(X_new[:, :size]), atol=1e-12)


def test_ml_knn_chooses_among_as_many_as_know_a_label(rng):
    X = rng.normal(size=(50, 3))
    Y = (X > 0).astype(float)
    Y[8:, 1] = np.nan
    assert MLKNN(n_neighbors="loo").fit(X, Y).n_neighbors_ == 5
    with pytest.raises(DataError, match="needs another row"):
        MLKNN(n_neighbors="loo").fit(X[:1], np.ones((1, 3)))


@pytest.mark.parametrize("kind", ["dense", "partly known", "sparse"])
def test_votes_of_several_numbers_are_those_of_each(kind):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 3, (60, 4)).astype(float), (rng.random((60, 5)) < 0.4).astype(float)
    if kind == "partly known":
        Y[rng.random(Y.shape) < 0.2] = -1
    labels = sp.csr_array(Y) if kind == "sparse" else Y
    model = MLKNN(n_neighbors=9)
    model._fit(X, labels)
    numbers = [1, 4, 9]
    found = model._votes_of_numbers(partial(model._map_blocks, None), model._present, numbers)
    for number in numbers:
        expected = model._votes_in_blocks(None, None, number)
        assert (found[number] != expected).sum() == 0


@pytest.mark.parametrize("kind", ["known", "partly known", "sparse"])
@pytest.mark.parametrize("seed", range(3))
def test_the_likelihood_by_counts_is_that_of_the_left_out_rows(kind, seed):
    rng = np.random.default_rng(seed)
    votes, labels = rng.integers(0, 6, (40, 7)), (rng.random((40, 7)) < 0.3).astype(int)
    labels[:, 0] = 0
    if kind == "partly known":
        labels[rng.random(labels.shape) < 0.2] = -1
    given = [sp.csr_array(part) for part in (votes, labels)] if kind == "sparse" else [votes, labels]
    counts = ml_knn._Counts.of(*given, 5, 1.0)
    left_out = counts.left_out(*given)
    rows = np.log(np.where(labels > 0, left_out, 1 - left_out)[labels >= 0])
    np.testing.assert_allclose(counts.log_likelihood(), rows.sum(), rtol=1e-12)
    for row, label in [(0, 0), (3, 2), (11, 5)]:  # of the counts of the others, by the definition
        if labels[row, label] >= 0:
            others = np.arange(40) != row
            alone = ml_knn._Counts.of(votes[others], labels[others], 5, 1.0).rates.posterior(votes[[row]])
            np.testing.assert_allclose(left_out[row, label], alone[0, label], rtol=1e-12)
