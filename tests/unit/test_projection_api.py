"""How many directions, which parameters, and what an estimator remembers."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from projection_problems import (
    ALL,
    EXTENSIONS,
    PARAMETERS,
    POSITIVE,
    SHAPES,
    SIGNED,
    SUPERVISED,
    data,
    make,
    same_directions,
)
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import mlreduce
from mlreduce.exceptions import DataError, ProjectionWarning
from mlreduce.projection.base import energy_size

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


@pytest.mark.parametrize(
    ("eigenvalues", "threshold", "size"),
    [
        ([1, 1, 1, 1], 0.5, 2),
        ([1, 1, 1, 1], 0.5001, 3),
        ([1, 1, 1, 1], 0.25, 1),
        ([1, 1, 1, 1], 0.9999, 4),
        ([6, 3, 1], 0.6, 1),
        ([6, 3, 1], 0.61, 2),
        ([6, 3, 1], 0.9, 2),
        ([6, 3, 1], 0.95, 3),
        ([0.1] * 10, 0.3, 3),  # 0.1 + 0.1 + 0.1 > 0.3 in floating point
        ([0.1] * 10, 0.7, 7),  # and seven of them are less than 0.7
        ([0.1] * 10, 0.8, 8),
        ([1 / 3] * 3, 2 / 3, 2),
        ([5], 0.01, 1),
        ([1, 1e-20], 0.999999, 1),
    ],
)
def test_energy_takes_the_fewest_that_hold_the_share(eigenvalues, threshold, size):
    assert energy_size(np.array(eigenvalues, dtype=float), threshold) == size


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 0.7, 1.1, 1e-7, 123.0])
def test_energy_of_equal_eigenvalues_counts_them(value, rng):
    for m in range(2, 50):
        equal = value * np.sort(1 + 4e-16 * rng.integers(-2, 3, m))[::-1]  # as a solver leaves them
        for k in range(1, m):
            assert energy_size(np.full(m, value), k / m) == k
            assert energy_size(equal, k / m) == k
            assert energy_size(equal, (k + 0.5) / m) == k + 1


@settings(max_examples=60)
@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30), st.floats(0.01, 0.99))
def test_energy_is_equation_15(eigenvalues, threshold):
    values = np.sort(eigenvalues)[::-1]
    size = energy_size(values, threshold)
    assert values[:size].sum() >= threshold * values.sum() * (1 - 1e-11)
    assert values[: size - 1].sum() < threshold * values.sum() * (1 + 1e-11)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@both
def test_directions_are_nested(name, shape, kind, rng):
    """The first k of all, whatever is asked for; one direction of many features is the subset driver's."""
    X, Y = data(rng, *shape)
    X, full = kind(X), make(name).fit(kind(X), Y)
    for k in range(1, full.n_components_ + 1):
        few = make(name, n_components=k).fit(X, Y)
        np.testing.assert_allclose(
            few.eigenvalues_, full.eigenvalues_[:k], rtol=1e-8, atol=1e-10 * np.abs(full.eigenvalues_).max()
        )
        np.testing.assert_allclose(few.components_, full.components_[:k], atol=1e-7)
        np.testing.assert_allclose(few.transform(X), full.transform(X)[:, :k], atol=1e-6)
    for threshold in (0.3, 0.8, 0.99) if name in POSITIVE else ():
        some = make(name, n_components=threshold, select="energy").fit(X, Y)
        assert some.n_components_ == energy_size(full.eigenvalues_, threshold)
        np.testing.assert_array_equal(some.components_, full.components_[: some.n_components_])


@pytest.mark.parametrize("name", ALL)
def test_sizes(name, rng):
    X, Y = data(rng, 60, 20, 12)
    assert make(name, n_components=3).fit(X, Y).n_components_ == 3
    assert make(name, n_components=np.int64(3)).fit(X, Y).n_components_ == 3
    assert make(name, n_components=0.29).fit(X, Y).n_components_ == 5  # 5.8 rounded down
    method = make(name, n_components=1e-3).fit(X, Y)
    assert method.n_components_ == 1
    assert method.components_.shape == (1, 20)
    assert method.eigenvalues_.shape == (1,)
    assert method.mean_.shape == (20,)
    assert method.transform(X[:7]).shape == (7, 1)
    np.testing.assert_allclose(method.transform(X), (X - method.mean_) @ method.components_.T, atol=1e-10)


@pytest.mark.parametrize("name", ["mddmp", "mddmf", "pls", "opls", "cca", "rcca"])
def test_fewer_directions_than_asked_for_are_warned_of(name, rng):
    X, Y = data(rng, 50, 12, 4)
    cls = type(make(name)).__name__
    with pytest.warns(
        ProjectionWarning, match=f"{cls} has 4 positive eigenvalues: n_components_ is 4, not 10"
    ) as record:
        method = make(name, n_components=10).fit(X, Y)
    assert method.n_components_ == 4
    assert record[0].filename == __file__  # the warning points at the call
    same_directions(make(name).fit(X, Y), method)  # None asks for no number, and warns of none


@pytest.mark.parametrize(
    ("name", "rank"), [("pca", 6), ("mvmd", 6), ("lsi", 7), ("mlsi", 7), ("lda-copy", 2), ("mlda", 2)]
)
def test_as_many_directions_as_the_data_have(name, rank, rng):
    X, Y = data(rng, 7, 15, 3)
    with pytest.warns(ProjectionWarning, match=f"has {rank} positive"):
        assert make(name, n_components=9).fit(X, Y).n_components_ == rank


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        (0, "n_components must be between 1 and 5, the number of features; got 0"),
        (-1, "n_components must be between 1 and 5"),
        (6, "n_components must be between 1 and 5"),
        (1.5, "n_components as a fraction must lie between 0 and 1; got 1.5"),
        (1.0, "n_components as a fraction"),
        (0.0, "n_components as a fraction"),
        (-0.5, "n_components as a fraction"),
        (np.nan, "n_components as a fraction"),
        ("two", "n_components must be a number or None; got 'two'"),
        (True, "n_components must be a number or None; got True"),
        ([2], r"n_components must be a number or None; got \[2\]"),
        (2 + 0j, "n_components must be a number or None"),
    ],
)
def test_impossible_sizes_are_refused(name, size, sentence, rng):
    X, Y = data(rng, 20, 5, 3)
    with pytest.raises(DataError, match=sentence):
        make(name, n_components=size).fit(X, Y)


@pytest.mark.parametrize("name", SIGNED)
def test_eigenvalues_below_zero_have_no_shares(name, rng):
    X, Y = data(rng, 20, 5, 3)
    with pytest.raises(DataError, match="has eigenvalues below zero: select must be 'size'"):
        make(name, n_components=0.9, select="energy").fit(X, Y)


@pytest.mark.parametrize("name", POSITIVE)
@pytest.mark.parametrize("size", [None, 0, 1, 3, 0.0, 1.0, 1.5, "0.9", True, np.nan])
def test_energy_takes_a_share_only(name, size, rng):
    X, Y = data(rng, 20, 5, 3)
    with pytest.raises(DataError, match="n_components (must be a number in|as the share)"):
        make(name, n_components=size, select="energy").fit(X, Y)


OUT_OF_RANGE = [
    *(("select", value) for value in ("Size", None, 1)),
    *(("coding", value) for value in ("one-hot", None, 2)),
    *(("beta", value) for value in (-0.1, 1.1, "half", None, np.nan, True)),
    *(("ridge", value) for value in (-1, "some", np.nan, np.inf, True)),
    *(("gamma", value) for value in (-1e-9, None, np.nan, np.inf, False)),
    ("centred", "no"),
    ("centred", None),
    *(("n_neighbors", value) for value in (0, 1.5, None, True)),
    *(("constraint", value) for value in ("none", None)),
    *(("proximity", value) for value in ("gaussian", 3)),
]
#: What is in range for these: features may take away any share, a repulsion may weigh anything, a width has a
#: default, all pairs may be joined.
IN_RANGE = [
    *((name, "beta", 1.1) for name in ("mope", *EXTENSIONS)),
    *((name, "gamma", None) for name in ("mddm-kernel", "sfehs")),
    ("mope", "n_neighbors", None),
]


@pytest.mark.parametrize("name", ALL)
def test_parameters_out_of_range_are_refused_by_name(name, rng):
    X, Y = data(rng, 20, 5, 3)
    known = inspect.signature(type(make(name))).parameters
    for parameter, value in OUT_OF_RANGE:
        if parameter in known and (name, parameter, value) not in IN_RANGE:
            with pytest.raises(DataError, match=f"^{parameter} must be"):
                mlreduce.make(name, **{parameter: value}).fit(X, Y)


@pytest.mark.parametrize("beta", [0, 1])
def test_parameters_are_checked_where_they_do_not_matter(beta, rng):
    X, Y = data(rng, 20, 5, 3)
    for name in ("mvmd", "mddmf", "mlsi"):
        with pytest.raises(DataError, match="coding must be"):
            make(name, beta=beta, coding="nonsense").fit(X, Y)


@pytest.mark.parametrize("name", ["rcca", "lda-copy", "mlda", "dmlda", "mlsi", "mddmf", "mvmd", "hsl1", "hsl2", "hsl3"])
def test_ends_of_ranges_are_allowed(name, rng):
    X, Y = data(rng, 30, 5, 3)
    for parameter, values in {"ridge": (0, 1e9), "gamma": (0, 1e9), "beta": (0, 1)}.items():
        if parameter in inspect.signature(type(make(name))).parameters:
            for value in values:
                assert mlreduce.make(name, **{parameter: value}).fit(X, Y).n_components_ >= 1
    if name == "rcca":
        same_directions(make(name, ridge=0).fit(X, Y), make("cca").fit(X, Y))
    if name == "mddmf":
        mddm, opls = make(name, beta=1).fit(X, Y), make("opls").fit(X, Y)
        np.testing.assert_allclose(mddm.eigenvalues_, 4 * opls.eigenvalues_)
        np.testing.assert_allclose(mddm.components_, opls.components_, atol=1e-9)


@pytest.mark.parametrize("name", ["lda-copy", "mlda", "dmlda"])
def test_the_ridge_of_discriminant_analysis_is_relative_to_its_scatter(name, rng):
    X, Y = data(rng, 40, 6, 3)
    P = make(name, ridge=0).fit(X, Y).components_
    if name == "dmlda":  # as many directions as features: the constraint says what the scatter is
        within = np.linalg.inv(P.T @ P)
    else:
        within, Z = np.zeros((6, 6)), Y if name == "lda-copy" else weights_of_mlda(Y)
        for z in Z.T:
            difference = X - np.average(X, axis=0, weights=z)
            within += difference.T @ (z[:, None] * difference)
        np.testing.assert_allclose(P @ within @ P.T, np.eye(2), atol=1e-8)
    ridge = 1e-3 * np.trace(within) / 6
    same_directions(mlreduce.make(name).fit(X, Y), make(name, ridge=ridge).fit(X, Y))


def weights_of_mlda(Y):
    sizes = Y.sum(axis=0)
    cosines = Y.T @ Y / np.sqrt(np.outer(sizes, sizes))
    return (Y @ cosines) / np.maximum(Y.sum(axis=1), 1)[:, None]


@pytest.mark.parametrize("name", ALL)
def test_a_projection_is_cloned_pickled_and_fitted_again(name, rng):
    X, Y = data(rng, 30, 6, 3)
    other, labels = data(rng, 25, 4, 2)
    method = make(name, n_components=2)
    assert clone(method).get_params() == method.get_params()
    with pytest.raises(NotFittedError):
        method.transform(X)
    assert method.fit(X, Y) is method
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(method)).transform(X), method.transform(X))
    assert not hasattr(clone(method), "components_")
    method.set_params(n_components=1).fit(other, labels)
    same_directions(method, make(name, n_components=1).fit(other, labels), rtol=0, atol=0)
    assert method.n_features_in_ == 4
    with pytest.raises(ValueError, match="6 features, but .* is expecting 4"):
        method.transform(X)


@pytest.mark.parametrize("name", SUPERVISED)
def test_names_are_kept_and_forgotten(name, rng):
    X, Y = data(rng, 30, 4, 3)
    table, labels = pd.DataFrame(X).add_prefix("f"), pd.DataFrame(Y).add_prefix("label")
    method = make(name, n_components=2).fit(table, labels)
    assert list(method.feature_names_in_) == ["f0", "f1", "f2", "f3"]
    assert method.label_names_ == ["label0", "label1", "label2"]
    prefix = type(method).__name__.lower()
    assert list(method.get_feature_names_out()) == [f"{prefix}0", f"{prefix}1"]
    projected = method.set_output(transform="pandas").transform(table)
    assert list(projected.columns) == [f"{prefix}0", f"{prefix}1"]
    with pytest.raises(ValueError, match="feature names should match"):
        method.transform(table[table.columns[::-1]])
    method.fit(X, Y)
    assert not hasattr(method, "label_names_")
    assert not hasattr(method, "feature_names_in_")


@pytest.mark.parametrize("name", sorted(set(ALL) - set(SUPERVISED)))
def test_unsupervised_methods_ignore_labels(name, rng):
    X, Y = data(rng, 30, 5, 3)
    same_directions(make(name).fit(X), make(name).fit(X, Y), rtol=0, atol=0)
    same_directions(make(name).fit(X), make(name).fit(X, ["anything"]), rtol=0, atol=0)


def test_every_method_has_parameters_here():
    assert set(PARAMETERS) == set(ALL)
