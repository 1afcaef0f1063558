"""Degenerate data: a finite result or an error with its reason."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from definitions import make
from projection_problems import (
    CENTRED,
    REPRESENTATIVES,
    SIGNED,
    SUPERVISED,
    data,
    random_labels,
    same_directions,
    signed,
    stored,
)

import mlreduce
from mlreduce.exceptions import DataError, ProjectionWarning

KINDS = {"dense": np.asarray, "sparse": sp.csr_array, "all stored": stored}
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def base(seed=3, n=24, d=5, c=3):
    return data(np.random.default_rng(seed), n, d, c)


def labelled(**changes):
    X, Y = base()
    for column, values in changes.items():
        Y[:, int(column[1:])] = values
    return X, Y


def sane_fit(name, X, Y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ProjectionWarning)
        method = mlreduce.make(name, **parameters).fit(X, Y)
        Z = method.transform(X)
    for array in (method.components_, method.eigenvalues_, method.mean_, Z):
        assert np.isfinite(array).all()
    assert (np.diff(method.eigenvalues_) <= 0).all()
    assert (method.eigenvalues_ > 0).all() or name in SIGNED
    assert Z.shape == (X.shape[0], method.n_components_)
    return method


def awkward():
    X, Y = base()
    zero_row = X.copy()
    zero_row[3] = 0
    half = Y.copy()
    half[::2] = 0
    yield "duplicated and dependent columns", np.c_[X, X[:, 0], X[:, 1] + X[:, 2], 3 * X[:, 4]], Y
    yield "more features than instances", *base(n=7, d=18)
    yield "more labels than features", *base(d=3, c=7)
    yield "more of all than instances", *base(n=5, d=12, c=9)
    yield "one feature", X[:, :1], Y
    yield "a label without positives", *labelled(c1=0)
    yield "a label of all", *labelled(c1=1)
    yield "instances without labels", X, half
    yield "two identical labels", X, np.c_[Y, Y[:, 0]]
    yield "complementary labels", X, np.c_[Y[:, 0], 1 - Y[:, 0]]
    yield "a row of zeros", zero_row, Y
    yield "integers", (5 * X).round().astype(int), Y
    yield "small numbers", 1e-9 * X, Y
    yield "very small numbers", 1e-100 * X, Y
    yield "large numbers", 1e60 * X, Y
    for value in (0.0, 0.1, 1e8):
        yield f"features constant at {value}", np.c_[np.full(24, value), X, np.full(24, value)], Y
        yield f"wide, constant at {value}", np.c_[base(n=7, d=18)[0], np.full((7, 2), value)], base(n=7, d=18)[1]


#: Raw features: costs are zero along constant features and combinations of them.
CONSTANT_FIRST = [name for name in SIGNED if name not in CENTRED]
AWKWARD = {name: problem for name, *problem in awkward()}


@pytest.mark.parametrize("name", REPRESENTATIVES)
@pytest.mark.parametrize("problem", AWKWARD.values(), ids=AWKWARD)
@pytest.mark.rotating
def test_awkward_data_in_every_storage(name, problem):
    X, Y = problem
    dense = sane_fit(name, X, Y)
    for kind in (stored,):
        sparse = sane_fit(name, kind(X), sp.csr_array(Y))
        assert sparse.n_components_ == dense.n_components_
        if name in CONSTANT_FIRST and np.abs(X).max() == 1e8:
            continue  # rounding error exceeds all other costs
        np.testing.assert_allclose(
            sparse.eigenvalues_, dense.eigenvalues_, rtol=1e-6, atol=1e-9 * np.abs(dense.eigenvalues_).max()
        )


@pytest.mark.parametrize("name", CENTRED)
@pytest.mark.parametrize(("value", "shape"), [(0.1, (24, 5, 3)), (1e8, (7, 18, 3))], ids=["tall", "wide"])
@kinds
def test_constant_features_have_no_effect(name, value, shape, kind, rng):
    X, Y = data(rng, *shape)
    more = np.c_[np.full(len(X), value), X]
    with_, without = (make(name).fit(kind(features), Y) for features in (more, X))
    np.testing.assert_allclose(with_.eigenvalues_, without.eigenvalues_, rtol=1e-7)
    np.testing.assert_allclose(with_.components_[:, 1:], without.components_, atol=1e-7)
    np.testing.assert_array_equal(with_.components_[:, 0], 0)
    assert with_.mean_[0] == value


@pytest.mark.parametrize("name", CENTRED)
@pytest.mark.parametrize(("value", "shape"), [(1 / 3, (24, 5)), (1e8, (5, 24))], ids=["tall", "wide"])
@kinds
def test_features_that_do_not_vary_are_refused(name, value, shape, kind, rng):
    with pytest.raises(DataError, match="positive eigenvalue: the features do not vary"):
        make(name).fit(kind(np.full(shape, value)), random_labels(rng, shape[0], 3))


@pytest.mark.parametrize("name", ["mddmp", "cca", "mddm-kernel", "lda-copy", "mesd-fda"])
@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize(("c", "shape"), [(1, (24, 5)), (3, (6, 13))], ids=["tall", "wide"])
@kinds
def test_labels_that_do_not_vary_are_refused(name, value, c, shape, kind, rng):
    X = rng.standard_normal(shape) + 30
    with pytest.raises(DataError, match="no instance has a label|only one label occurs|labels do not vary"):
        make(name).fit(kind(X), np.full((len(X), c), value))


@pytest.mark.parametrize("name", SUPERVISED)
@kinds
def test_one_label(name, kind):
    X, Y = base()
    y = np.c_[Y[:, 0], np.zeros(24, int)]  # the second has no instance
    if name in ("lda-copy", "mesd-lfda", "mesd-dne"):
        with pytest.raises(DataError, match="needs two classes at least: only one label occurs"):
            make(name).fit(kind(X), y)
        both = sane_fit(name, kind(X), np.c_[1 - Y[:, 0], Y[:, 0]])  # of a vector two classes
        same_directions(sane_fit(name, kind(X), Y[:, 0]), both)
        return
    method = sane_fit(name, kind(X), y[:, 0])
    same_directions(sane_fit(name, kind(X), y), method)
    if name in ("mddmp", "pls"):
        direction = (X - X.mean(axis=0)).T @ y[:, 0]
        np.testing.assert_allclose(method.components_, signed(direction[None] / np.linalg.norm(direction)))


@pytest.mark.parametrize("name", ["cca", "opls"])
@kinds
def test_dependent_features_have_the_shortest_directions(name, kind, rng):
    X, Y = data(rng, 50, 5, 3)
    new = data(rng, 11, 5, 1)[0]
    mix = np.c_[np.eye(5), np.eye(5)[:, 0], 2 * np.eye(5)[:, 1], rng.standard_normal((5, 2))]
    plain = make(name).fit(X, Y)
    with pytest.warns(ProjectionWarning, match="rank 5 of 9 features that vary"):
        singular = make(name).fit(kind(X @ mix), Y)
    np.testing.assert_allclose(singular.eigenvalues_, plain.eigenvalues_, rtol=1e-7)
    # New data obey the same dependence: so the projected data differ in signs only.
    Z, expected = singular.transform(new @ mix), plain.transform(new)
    turn = np.sign((Z * expected).sum(axis=0))
    np.testing.assert_allclose(Z * turn, expected, atol=1e-7)
    # Shortest: the pseudo-inverse's directions, which have no part where the training features do not vary.
    shortest = np.linalg.pinv(mix) @ plain.components_.T
    np.testing.assert_allclose(singular.components_.T * turn, shortest, atol=1e-7)


def test_directions_avoid_the_kernel_of_the_scatter(rng):
    y = rng.integers(3, size=40)
    Y, X = np.eye(3, dtype=int)[y], rng.standard_normal((40, 4))
    X = np.c_[X, X[:, 0] + y]  # the difference of two features is the class: inside classes it does not vary
    A, B = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0)), np.zeros((5, 5))
    for k in range(3):
        B += (X[y == k] - X[y == k].mean(axis=0)).T @ (X[y == k] - X[y == k].mean(axis=0))
    basis = scipy.linalg.orth(B, rcond=1e-10)
    expected = scipy.linalg.eigh(basis.T @ (A - B) @ basis, basis.T @ B @ basis, eigvals_only=True)[::-1][:2]
    with pytest.warns(ProjectionWarning, match="rank 4 of 5"):
        method = make("lda-copy", ridge=0).fit(X, Y)
    np.testing.assert_allclose(method.eigenvalues_, expected, rtol=1e-8)
    P = method.components_
    np.testing.assert_allclose(P @ B @ P.T, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(P @ basis @ basis.T, P, atol=1e-9)


@pytest.mark.parametrize("name", SUPERVISED)
def test_redundant_labels_have_no_effect(name, rng):
    X, Y = data(rng, 30, 6, 3)
    plain = make(name).fit(X, Y)
    same_directions(make(name).fit(X, np.c_[Y, np.zeros(30, int)]), plain)
    if name in ("cca", "rcca"):
        same_directions(make(name).fit(X, np.c_[Y, Y[:, 0], 1 - Y[:, 1], np.ones(30, int)]), plain)
    if name in ("mddmp", "pls", "opls"):  # a complement counts as much as a copy
        first, second = (make(name).fit(X, np.c_[Y, more]) for more in (Y[:, 0], 1 - Y[:, 0]))
        same_directions(first, second)


@pytest.mark.parametrize("name", ["lda-copy", "mlda"])
def test_instances_without_labels_take_no_part(name, rng):
    X, Y = data(rng, 30, 5, 3)
    Y[::3] = 0
    used = Y.any(axis=1)
    all_, some = make(name).fit(X, Y), make(name).fit(X[used], Y[used])
    same_directions(all_, some)
    np.testing.assert_allclose(all_.mean_, some.mean_)
