"""Votes of nearest neighbours: beside scikit-learn's, scikit-multilearn's and the book (selection_by_the_book.py)."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import selection_by_the_book as book
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.predictors import BinaryRelevanceKNN, ClassifierChainKNN

BOTH = (BinaryRelevanceKNN, ClassifierChainKNN)
VOTES = {BinaryRelevanceKNN: book.binary_relevance, ClassifierChainKNN: book.chain}
FEATURES = {
    "continuous": lambda rng, n, d: rng.standard_normal((n, d)),
    "few levels": lambda rng, n, d: rng.integers(-2, 3, (n, d)).astype(float),
    "binary": lambda rng, n, d: (rng.random((n, d)) < 0.4).astype(float),
    "all rows alike": lambda rng, n, d: np.ones((n, d)) / 7,
    "large mean": lambda rng, n, d: 1000.0 + rng.integers(0, 3, (n, d)),
    "tiny": lambda rng, n, d: 1e-6 * rng.standard_normal((n, d)),
}
FORMS = {"dense": np.asarray, "sparse": sp.csr_array}

both = pytest.mark.parametrize("cls", BOTH)


def problem(features="continuous", n=60, d=5, q=4, n_new=30, seed=0):
    rng = np.random.default_rng(seed)
    X = FEATURES[features](rng, n + n_new, d)
    Y = (X @ rng.standard_normal((d, q)) + rng.standard_normal((n + n_new, q)) > rng.uniform(-1, 1, q)).astype(int)
    return X[:n], Y[:n], X[n:], Y[n:]


def same_votes(model, X, Y, X_new):
    votes = VOTES[type(model)](X, Y, X_new, **model.get_params())
    np.testing.assert_array_equal(model.predict_proba(X_new), votes / model.n_neighbors)
    np.testing.assert_array_equal(model.predict(X_new), 2 * votes > model.n_neighbors)


@pytest.mark.parametrize("n_neighbors", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("seed", range(3))
def test_binary_relevance_is_scikit_learns(n_neighbors, seed):
    X, Y, X_new, _ = problem(seed=seed)
    ours = BinaryRelevanceKNN(n_neighbors=n_neighbors).fit(X, Y)
    theirs = MultiOutputClassifier(KNeighborsClassifier(n_neighbors)).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X_new), theirs.predict(X_new))
    shares = np.column_stack([label[:, 1] for label in theirs.predict_proba(X_new)])
    np.testing.assert_allclose(ours.predict_proba(X_new), shares)


@pytest.mark.parametrize("order", [None, [2, 0, 3, 1]])
@pytest.mark.parametrize("n_neighbors", [1, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_the_chain_is_scikit_learns(n_neighbors, seed, order):
    X, Y, X_new, _ = problem(seed=seed)
    ours = ClassifierChainKNN(n_neighbors=n_neighbors, order=order).fit(X, Y)
    theirs = ClassifierChain(KNeighborsClassifier(n_neighbors), order=order).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X_new), theirs.predict(X_new))
    np.testing.assert_allclose(ours.predict_proba(X_new), theirs.predict_proba(X_new))


def test_both_are_scikit_multilearns():
    from skmultilearn.problem_transform import BinaryRelevance
    from skmultilearn.problem_transform import ClassifierChain as Chain

    X, Y, X_new, _ = problem(n=100)
    for cls, theirs in ((BinaryRelevanceKNN, BinaryRelevance), (ClassifierChainKNN, Chain)):
        model = theirs(KNeighborsClassifier(3), require_dense=[True, True]).fit(X, Y)
        np.testing.assert_array_equal(cls().fit(X, Y).predict(X_new), model.predict(X_new).toarray())


@given(
    st.sampled_from(BOTH), st.sampled_from(sorted(FEATURES)), st.sampled_from(sorted(FORMS)), st.integers(1, 20),
    st.integers(1, 5), st.integers(1, 5), st.integers(1, 5), st.integers(0, 10**6),
)  # fmt: skip
@settings(max_examples=150)
def test_votes_are_the_books(cls, features, form, n, d, q, n_neighbors, seed):
    X, Y, X_new, _ = problem(features, n, d, q, 6, seed)
    model = cls(n_neighbors=min(n_neighbors, n)).fit(FORMS[form](X), Y)
    if isinstance(model, ClassifierChainKNN):
        model.set_params(order=np.random.default_rng(seed).permutation(q).tolist()).fit(FORMS[form](X), Y)
    same_votes(model, X, Y, X_new)
    np.testing.assert_array_equal(model.predict(FORMS[form](X_new)), model.predict(X_new))


def test_of_rows_equally_far_away_the_first_vote():
    X, Y = np.zeros((5, 1)), np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    for cls in BOTH:
        np.testing.assert_array_equal(cls().fit(X, Y).predict([[3.0]]), [[1, 0]])
    mirrored = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    np.testing.assert_array_equal(BinaryRelevanceKNN(1).fit(mirrored, [1, 0, 0, 0]).predict([[0.0]]), [1])


def test_an_even_number_of_neighbours_may_tie_and_votes_no():
    X, Y = np.array([[0.0], [1.0], [9.0]]), np.array([[1], [0], [1]])
    for cls in BOTH:
        model = cls(n_neighbors=2).fit(X, Y)
        np.testing.assert_array_equal(model.predict([[0.4]]), [[0]])
        np.testing.assert_array_equal(model.predict_proba([[0.4]]), [[0.5]])


def test_what_is_predicted_moves_the_neighbours_of_the_next_label():
    """The first label is predicted absent: that brings the row 1.2 away without it before the one 1.1 away with it."""
    X = np.array([[0.0], [0.0], [1.1], [1.2]])
    Y = np.array([[0, 0], [0, 1], [1, 0], [0, 1]])
    for cls, second in ((BinaryRelevanceKNN, 0), (ClassifierChainKNN, 1)):
        np.testing.assert_array_equal(cls().fit(X, Y).predict([[0.0]]), [[0, second]])


@both
@pytest.mark.parametrize("features", sorted(FEATURES))
@pytest.mark.parametrize("n_neighbors", [1, 2, 3])
def test_predictions_from_the_first_features_of_every_size(cls, features, n_neighbors):
    X, Y, X_new, _ = problem(features, d=9, seed=2)
    model = cls(n_neighbors=n_neighbors)
    for sizes in ([1, 2, 5, 9], [3], list(range(1, 10))):
        nested = list(model.predict_nested(X, Y.astype(float), X_new, sizes))
        assert len(nested) == len(sizes)
        for size, predicted in zip(sizes, nested, strict=True):
            alone = clone(model).fit(X[:, :size], Y).predict(X_new[:, :size])
            np.testing.assert_array_equal(predicted, alone)


@both
def test_nested_predictions_leave_the_features_as_they_are(cls):
    X, Y, X_new, _ = problem()
    before = X.copy(), X_new.copy()
    list(cls().predict_nested(X, Y.astype(float), X_new, [2, 5]))
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(X_new, before[1])


@both
def test_blocks_of_rows_do_not_show(cls, monkeypatch):
    X, Y, X_new, _ = problem("few levels")
    model = cls().fit(X, Y)
    whole, nested = model.predict(X_new), list(model.predict_nested(X, Y.astype(float), X_new, [2, 5]))
    for limit in ("_BLOCK_BYTES", "_CACHED_BYTES"):
        monkeypatch.setattr(f"mlreduce.linalg.distances.{limit}", 8 * 60 * 7)
    np.testing.assert_array_equal(model.predict(X_new), whole)
    np.testing.assert_array_equal(list(model.predict_nested(X, Y.astype(float), X_new, [2, 5])), nested)


@both
def test_shapes_of_labels(cls):
    X, Y, X_new, _ = problem()
    assert cls().fit(X, Y).predict(X_new).shape == (30, 4)
    column = cls().fit(X, Y[:, [0]])
    assert column.predict(X_new).shape == (30, 1)
    line = cls().fit(X, Y[:, 0])
    assert line.predict(X_new).shape == (30,)
    np.testing.assert_array_equal(line.predict(X_new), column.predict(X_new)[:, 0])
    for form in (2 * Y - 1, Y.astype(bool), sp.csr_array(Y), pd.DataFrame(Y)):
        np.testing.assert_array_equal(cls().fit(X, form).predict(X_new), cls().fit(X, Y).predict(X_new))
    assert set(np.unique(cls().fit(X, 2 * Y - 1).predict(X_new))) <= {0, 1}


@both
def test_conventions(cls):
    X, Y, X_new, Y_new = problem()
    model = cls(n_neighbors=5)
    assert model.get_params()["n_neighbors"] == 5
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        model.predict(X_new)
    assert model.fit(X, Y) is model
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X_new), model.predict(X_new))
    assert model.n_features_in_ == 5
    with pytest.raises(ValueError, match="4 features, but .* is expecting 5"):
        model.predict(X_new[:, :4])
    search = GridSearchCV(cls(), {"n_neighbors": [1, 3, 9]}, cv=3).fit(X, Y)
    assert 0 <= search.score(X_new, Y_new) <= 1
    assert f1_score(Y_new, model.predict(X_new), average="micro") > 0.4


@both
def test_names_are_kept_and_forgotten(cls):
    X, Y, X_new, _ = problem()
    table, labels = pd.DataFrame(X).add_prefix("f"), pd.DataFrame(Y).add_prefix("label")
    model = cls().fit(table, labels)
    assert list(model.feature_names_in_) == list(table.columns)
    assert model.label_names_ == list(labels.columns)
    new = pd.DataFrame(X_new, columns=table.columns)
    np.testing.assert_array_equal(model.predict(new), cls().fit(X, Y).predict(X_new))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(new[new.columns[::-1]])
    assert not hasattr(model.fit(X, Y), "label_names_")


@both
@pytest.mark.parametrize("n_neighbors", [0, -1, 1.5, "3", True, None])
def test_numbers_of_neighbours_out_of_range_are_refused(cls, n_neighbors):
    X, Y, *_ = problem()
    with pytest.raises(DataError, match="n_neighbors must be an integer >= 1"):
        cls(n_neighbors=n_neighbors).fit(X, Y)


@both
def test_data_that_are_no_data_are_refused(cls):
    X, Y, X_new, _ = problem()
    with pytest.raises(DataError, match="n_samples=2"):
        cls().fit(X[:2], Y[:2])
    with pytest.raises(DataError, match="n_samples=2"):
        next(cls().predict_nested(X[:2], Y[:2].astype(float), X_new, [1]))
    with pytest.raises(DataError, match="Y is continuous"):
        cls().fit(X, Y / 2)
    X[1, 2] = np.nan
    with pytest.raises(DataError, match="X contains NaN in column 2, row 1"):
        cls().fit(X, Y)
    with pytest.raises(DataError, match="X contains NaN in column 0, row 0"):
        cls().fit(X_new, Y[:30]).predict([[np.nan] * 5])


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 1, 2, 2], [1, 2, 3, 4]])
def test_orders_that_are_no_orders_are_refused(order):
    X, Y, *_ = problem()
    with pytest.raises(DataError, match="order must hold each of 0..3, the labels, once"):
        ClassifierChainKNN(order=order).fit(X, Y)


def test_made_by_name():
    assert isinstance(mlreduce.make("br-knn", n_neighbors=5), BinaryRelevanceKNN)
    assert isinstance(mlreduce.make("cc-knn"), ClassifierChainKNN)
