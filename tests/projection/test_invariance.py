"""Invariance of projections to offsets, the coding of labels and columns of zeros."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from definitions import make
from hypothesis import given, settings
from hypothesis import strategies as st
from projection_problems import CENTRED, data, same_directions, same_values

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.linalg.features import Features
from mlreduce.spectral import TrainingSet

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
TALL, WIDE = (40, 7, 4), (12, 25, 4)
shapes = pytest.mark.parametrize("shape", [TALL, WIDE], ids=["tall", "wide"])


def fit(name, X, Y, **parameters):
    return make(name, **parameters).fit(X, Y)


@pytest.mark.parametrize("name", CENTRED)
@pytest.mark.parametrize(("offset", "tolerance"), [(-3.7, 1e-9), (1e8, 1e-5)])
@shapes
@both
def test_offset(name, offset, tolerance, shape, kind, rng):
    X, Y = data(rng, *shape)
    shift = offset * rng.uniform(0.5, 1, X.shape[1])
    moved, still = fit(name, kind(X + shift), Y), fit(name, kind(X), Y)
    assert moved.n_components_ == still.n_components_
    same_values(moved, still, rtol=tolerance, atol=tolerance * still.eigenvalues_[0])
    k = min(3, still.n_components_)
    assert_close = np.testing.assert_allclose
    assert_close(
        moved.transform(X + shift)[:, :k],
        still.transform(X)[:, :k],
        atol=30 * tolerance * np.abs(still.transform(X)).max(),
    )
    assert_close(moved.mean_, still.mean_ + shift, rtol=1e-12)


@shapes
@both
def test_mlsi_with_centred_features(shape, kind, rng):
    X, Y = data(rng, *shape)
    moved, still = (fit("mlsi", kind(features), Y, centred=True) for features in (X + 40, X))
    same_directions(moved, still)
    np.testing.assert_allclose(still.mean_, X.mean(axis=0))
    centred = X - X.mean(axis=0)
    Yc = Y - Y.mean(axis=0)
    A = centred.T @ (0.6 * centred @ centred.T + 0.4 * Yc @ Yc.T) @ centred
    B = centred.T @ centred + 0.6 * np.eye(X.shape[1])
    P = still.components_
    np.testing.assert_allclose(P @ B @ P.T, np.eye(len(P)), atol=1e-8)
    np.testing.assert_allclose(P @ A @ P.T, np.diag(still.eigenvalues_), atol=1e-8 * still.eigenvalues_[0])


@pytest.mark.parametrize("name", ["mlsi", "mvmd", "mddmp", "mddmf"])
@pytest.mark.parametrize("centred", [False, True])
def test_coding_of_the_labels(name, centred, rng):
    X, Y = data(rng, *TALL)
    more = {"centred": centred} if name == "mlsi" else {}
    for coding in ("signed", "binary"):
        same_directions(
            fit(name, X, 2 * Y - 1, coding=coding, **more), fit(name, X, Y, coding=coding, **more), rtol=1e-12
        )
    signed_, binary = (fit(name, X, Y, coding=coding, **more).eigenvalues_ for coding in ("signed", "binary"))
    if name.startswith("mddm"):
        np.testing.assert_allclose(signed_, 4 * binary)
    elif name == "mvmd":
        signed_, binary = fit(name, X, Y, beta=0.5), fit(name, X, Y, beta=0.8, coding="binary")
        np.testing.assert_allclose(signed_.components_, binary.components_, atol=1e-8)
    elif not centred:
        S = 2 * Y - 1
        A = X.T @ (0.6 * X @ X.T + 0.4 * S @ S.T) @ X
        trace = np.trace(np.linalg.solve(X.T @ X + 0.6 * np.eye(7), A))
        assert signed_.sum() == pytest.approx(trace)
    else:
        assert signed_.sum() > binary.sum()


@pytest.mark.parametrize("name", mlreduce.list_methods("projection", single_label=False, control=False).index)
@settings(max_examples=2)
@given(places=st.lists(st.integers(0, 7), min_size=1, max_size=40), kind=st.sampled_from([np.asarray, sp.csr_array]))
@pytest.mark.rotating
def test_columns_of_zeros_change_nothing(name, kind, places):
    X, Y = data(np.random.default_rng(5), *TALL)
    more = np.insert(X, places, 0.0, axis=1)
    zero = ~more.any(axis=0)
    alone, beside = (mlreduce.make(name, n_components=3).fit(kind(rows), Y) for rows in (X, more))
    same_values(beside, alone, rtol=1e-8)
    np.testing.assert_allclose(beside.components_[:, ~zero], alone.components_, atol=1e-7)
    np.testing.assert_allclose(beside.components_[:, zero], 0, atol=1e-10)


def test_a_ridge_may_count_all_columns(rng):
    """As mvmd-2016 has it: a thousandth of the mean over all columns, those of zeros included."""
    X, Y = data(rng, *TALL)
    more = np.hstack([X, np.zeros((40, 14))])  # a third of the columns
    old = mlreduce.MLDA(ridge="all-columns").fit(more, Y)
    trace = np.trace(mlreduce.MLDA()._within(TrainingSet(X, Y.astype(float))).matrix(Features(X, centred=True)))
    number = mlreduce.MLDA(ridge=1e-3 * trace / 21).fit(more, Y)
    np.testing.assert_allclose(old.components_, number.components_, atol=1e-9)
    whole, none = (mlreduce.MLDA(ridge=ridge).fit(X, Y) for ridge in ("all-columns", "0.1%"))
    np.testing.assert_array_equal(whole.components_, none.components_)
    with pytest.raises(DataError, match="ridge must be a number >= 0"):
        mlreduce.MLDA(ridge="all").fit(X, Y)


@pytest.mark.parametrize("name", ["mesd-dne", "mesd-mfa", "ssdne", "ssmfa"])
def test_the_order_of_labels_and_rows_changes_nothing_where_duplicates_tie(name, rng):
    X, Y = data(rng, 40, 7, 5)
    method = mlreduce.make(name, n_components=3).fit(X, Y)
    rows, labels = rng.permutation(40), rng.permutation(5)
    same_directions(mlreduce.make(name, n_components=3).fit(X[rows], Y[rows][:, labels]), method)
