"""What a family promises of every method, whatever its equations are."""

from __future__ import annotations

import numpy as np

from mlreduce.linalg.utilities import above_half


def signs(rows):
    """Of the entry of largest magnitude of each row, of equal ones the first."""
    magnitudes = np.abs(rows)
    first = (magnitudes > magnitudes.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
    return np.sign(rows[np.arange(len(rows)), first])


def signs_are_decided(rows):
    assert (signs(rows) >= 0).all(), "the largest entry of a direction is negative"


def sizes(fitted, number):
    asked = fitted.n_components
    assert fitted.n_components_ == number
    assert not isinstance(asked, int) or number <= asked
    assert fitted.eigenvalues_.shape == (number,)
    assert (np.diff(fitted.eigenvalues_) <= 1e-12 * np.abs(fitted.eigenvalues_).max()).all()


def projection(X, Y, fitted):
    P = fitted.components_
    assert P.shape[1] == X.shape[1]
    sizes(fitted, len(P))
    signs_are_decided(P)
    np.testing.assert_allclose(fitted.transform(X), (X - fitted.mean_) @ P.T, rtol=1e-9, atol=1e-9)


def embedding(X, Y, fitted):
    assert len(fitted.embedding_) == len(X)
    sizes(fitted, fitted.embedding_.shape[1])
    signs_are_decided(fitted.embedding_.T)


def propagation(X, Y, fitted):
    known = ~np.isnan(Y)
    np.testing.assert_array_equal(fitted.transduction_[known], Y[known])
    assert set(np.unique(fitted.transduction_)) <= {0, 1}
    assert fitted.embedding_.shape == Y.shape


def labelspace(X, Y, fitted):
    assert fitted.components_.shape == (fitted.n_components_, Y.shape[1])
    assert fitted.eigenvalues_.shape == (fitted.n_components_,)
    asked = Y.shape[1] if fitted.n_components is None else fitted.n_components
    assert not isinstance(asked, int) or fitted.n_components_ == asked
    np.testing.assert_allclose(fitted.mean_, Y.mean(axis=0), rtol=1e-12)
    codes = fitted.encode(Y)
    assert codes.shape == (len(Y), fitted.n_components_)
    for size in range(1, fitted.n_components_ + 1):
        centred = fitted.reconstruct(codes[:, :size])
        np.testing.assert_array_equal(fitted.decode(codes[:, :size]), fitted.round(centred, size))


def selection(X, Y, fitted):
    ranking, scores = fitted.ranking_, fitted.scores_
    np.testing.assert_array_equal(np.sort(ranking), np.arange(1, X.shape[1] + 1))
    assert (np.diff(scores[np.argsort(ranking)]) <= 0).all(), "the ranking is not by the scores"
    selected = fitted.get_support()
    number = {None: X.shape[1], 0.5: X.shape[1] // 2}.get(fitted.k, fitted.k)
    assert not isinstance(number, int) or selected.sum() == number
    np.testing.assert_array_equal(selected, ranking <= selected.sum())
    np.testing.assert_array_equal(fitted.transform(X), X[:, selected])


def predictors(X, Y, fitted):
    predicted = np.asarray(fitted.predict(X))
    assert predicted.shape == Y.shape
    if hasattr(fitted, "classes_"):
        assert set(np.unique(predicted)) <= {0, 1}
    if hasattr(fitted, "predict_scores"):
        np.testing.assert_array_equal(predicted, above_half(fitted.predict_scores(X)))
    if hasattr(fitted, "predict_proba"):
        np.testing.assert_array_equal(predicted, above_half(np.asarray(fitted.predict_proba(X))))
    if hasattr(fitted, "decision_function"):
        np.testing.assert_array_equal(predicted, np.asarray(fitted.decision_function(X)) > 0)
