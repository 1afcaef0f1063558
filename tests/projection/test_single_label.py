"""Projections for single-label data and their multi-label extensions by sample duplication (MESD)."""

from __future__ import annotations

from dataclasses import replace

import definitions
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from definitions._classes import PAIRWISE, forms_by_copying
from projection_problems import same_directions, signed
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.linalg.features import Coordinates
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.proximity import Proximity

#: With parameters with which each term of a form has an effect.
METHODS = {
    name: definitions.load(name).PARAMETERS
    for name in ("fda", "lfda", "mfa", "mmc", "dla", "dne", "olpp-r", "sonpp", "donpp", "onpp-r")
}
methods = pytest.mark.parametrize("name", METHODS)
kinds = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
weightings = pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])


def make(name, **parameters):
    return mlreduce.make(name, **(METHODS[name.removeprefix("mesd-")] | parameters))


def classes(rng, n=30, d=5, c=4):
    """Instances of overlapping classes, the last with one instance only."""
    y = np.r_[rng.integers(c - 1, size=n - 1), c - 1]
    return rng.standard_normal((n, d)) + 1.5 * rng.standard_normal((c, d))[y], y


def several(rng, n=26, d=4, c=5, share=0.35):
    """Instances with several labels, some without; a label of one instance and one of none."""
    Y = (rng.random((n, c)) < share).astype(int)
    Y[: c - 2, : c - 2] |= np.eye(c - 2, dtype=int)
    Y[3] = 0
    Y[:, c - 2] = np.arange(n) == 7
    Y[:, c - 1] = 0
    return rng.standard_normal((n, d)) + Y @ rng.standard_normal((c, d)), Y


def on_a_grid(rng, X):
    """Few values and repeated rows: distances are equal, many of them zero."""
    X = rng.integers(0, 3, X.shape).astype(float)
    X[len(X) // 2 :: 3] = X[0]
    return X


def proximities(data):
    return Proximity(**PAIRWISE).matrix(data)


def matrices(method, data):
    """Objective and constraint over the instances, the latter without its ridge."""
    instances = Coordinates(data.X.shape[0])
    constraint = method._constraint(data)
    within = None if constraint is None else replace(constraint, ridge=0.0).matrix(instances)
    return method._objective(data).matrix(instances), within


def assert_same_matrices(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        if theirs is None:
            assert ours is None
        else:
            np.testing.assert_allclose(ours, theirs, atol=1e-10 * max(1, np.abs(theirs).max()))


@methods
@kinds
@weightings
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.rotating
def test_forms_of_several_labels(name, kind, weighted, ties, rng):
    X, Y = several(rng)
    X = on_a_grid(rng, X) if ties else X
    data = TrainingSet(kind(X), sp.csr_array(Y, dtype=float))
    expected = forms_by_copying(definitions.load(name).forms, X, Y, proximities(data), METHODS[name], weighted)
    assert_same_matrices(matrices(make(f"mesd-{name}", weighted=weighted), data), expected)


@pytest.mark.parametrize("name", ["lfda", "olpp-r", "onpp-r"])
@weightings
def test_proximities_of_a_sparse_graph(name, weighted, rng):
    X, Y = several(rng)
    data = TrainingSet(X, Y.astype(float))
    W = Proximity(n_neighbors=3).matrix(data)
    assert sp.issparse(W)
    method = make(f"mesd-{name}", weighted=weighted, proximity={"n_neighbors": 3})
    expected = forms_by_copying(definitions.load(name).forms, X, Y, W.toarray(), METHODS[name], weighted)
    assert_same_matrices(matrices(method, data), expected)
    if name != "lfda":
        assert sp.issparse(method._objective(data).graph)


@methods
def test_more_neighbours_than_there_are(name, rng):
    X, Y = several(rng, n=10)
    data, many = TrainingSet(X, Y.astype(float)), {}
    for parameter in ("n_neighbors", "n_others", "n_pairs"):
        if parameter in METHODS[name]:
            many[parameter] = 10_000
    expected = forms_by_copying(definitions.load(name).forms, X, Y, proximities(data), METHODS[name] | many, False)
    assert_same_matrices(matrices(make(f"mesd-{name}", **many), data), expected)


@methods
@kinds
@weightings
def test_extension_of_single_labels_is_the_method(name, kind, weighted, rng):
    X, y = classes(rng)
    single = make(name).fit(kind(X), y)
    extended = make(f"mesd-{name}", weighted=weighted).fit(kind(X), np.eye(4, dtype=int)[y])
    for attribute in ("components_", "eigenvalues_", "mean_"):
        np.testing.assert_array_equal(getattr(extended, attribute), getattr(single, attribute))


@methods
def test_extension_has_the_methods_parameters(name):
    extended, single = mlreduce.make(f"mesd-{name}"), mlreduce.make(name)
    assert extended.get_params() == single.get_params() | {"weighted": False}
    changed = {"n_components": 3} | METHODS[name]
    assert mlreduce.make(f"mesd-{name}", weighted=True, **changed).get_params().items() >= changed.items()


def test_fda_is_scikit_learns(rng):
    X, y = classes(rng, n=80)
    y[-1] = 0
    ours, theirs = make("fda", ridge=0).fit(X, y), LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    ours, theirs = (
        signed(rows / np.linalg.norm(rows, axis=1, keepdims=True))
        for rows in (ours.components_, theirs.scalings_.T[:2])
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-8)


@methods
def test_names_and_order_of_classes(name, rng):
    X, y = classes(rng)
    expected = make(name).fit(X, y)
    np.testing.assert_array_equal(expected.classes_, [0, 1, 2, 3])
    words = np.array(["pear", "apple", "cherry", "fig"])
    for renamed in (-y, words[y], list(words[y]), pd.Series(words[y], dtype=object), y[:, None], y + 0.0):
        method = make(name).fit(X, renamed)
        np.testing.assert_allclose(method.eigenvalues_, expected.eigenvalues_, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(method.components_, expected.components_, atol=1e-8)
        np.testing.assert_array_equal(method.classes_, np.unique(renamed))
    indicator = make(name).fit(X, pd.DataFrame(np.eye(4, dtype=int)[y], columns=list("abcd")))
    np.testing.assert_array_equal(indicator.components_, expected.components_)
    assert indicator.label_names_ == list("abcd")
    assert not hasattr(indicator, "classes_")
    assert not hasattr(indicator.fit(X, pd.DataFrame({"kind": words[y]})), "label_names_")
    np.testing.assert_array_equal(indicator.classes_, np.unique(words))
    assert not hasattr(indicator.fit(X, np.eye(4)[y]), "classes_")


@methods
@weightings
@kinds
@pytest.mark.rotating
def test_empty_rows_and_labels_have_no_effect(name, weighted, kind, rng):
    X, Y = several(rng)
    rows, labels = Y.any(axis=1), Y.any(axis=0)
    assert not rows.all()
    assert not labels.all()
    for storage in (np.asarray, sp.csr_array):
        whole = make(f"mesd-{name}", weighted=weighted).fit(kind(X), storage(Y))
        part = make(f"mesd-{name}", weighted=weighted).fit(kind(X[rows]), storage(Y[rows][:, labels]))
        np.testing.assert_allclose(whole.eigenvalues_, part.eigenvalues_, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(whole.components_, part.components_, atol=1e-8)
        np.testing.assert_allclose(whole.mean_, part.mean_, atol=1e-12)


@methods
def test_weighted_and_unweighted_means(name, rng):
    X, Y = several(rng)
    counts = Y.sum(axis=1)
    once, copied = (make(f"mesd-{name}", weighted=weighted).fit(X, Y).mean_ for weighted in (True, False))
    np.testing.assert_allclose(once, X[counts > 0].mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(copied, np.average(X, axis=0, weights=counts), atol=1e-12)


@methods
def test_several_labels_are_refused(name, rng):
    X, Y = several(rng)
    Y[3] = 1
    Y[:3, :] = np.eye(5)[:3]
    cls = type(make(name)).__name__
    with pytest.raises(DataError, match=rf"{cls} takes one label per instance: row 3 has 5 .*; MESD{cls} takes any"):
        make(name).fit(X, Y)
    Y[3] = 0
    with pytest.raises(
        DataError, match=rf"{cls} takes one label per instance: row 3 has 0 \(rows with another number: \d+\)"
    ):
        make(name).fit(X, sp.csr_array(Y))
    with pytest.raises(DataError, match=f"MESD{cls}"):
        make(name).fit_training_set(TrainingSet(X, Y.astype(float)))


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([0, 1, 0.5, 1], "y holds 0.5 in row 2: classes must be integers or strings"),
        ([0, 1, np.nan, 1], "y holds nan in row 2"),
        (["a", 1, None, "a"], "y mixes types that cannot be ordered"),
        ([0, 1, 1], "inconsistent numbers of samples: X has 4 rows, y has 3"),
        ([2, 2, 2, 2], "needs two classes at least: only one label occurs"),
        (None, "requires y to be passed"),
    ],
)
@methods
def test_class_vectors_are_checked(name, y, sentence, rng):
    y = np.array(y, dtype=object) if y is not None and "a" in y else y
    with pytest.raises(DataError, match=sentence):
        make(name).fit(rng.standard_normal((4, 2)), y)


@methods
def test_extension_needs_two_labels(name, rng):
    X, Y = several(rng)
    for labels, sentence in ((0 * Y, "no instance has a label"), (Y * [1, 0, 0, 0, 0], "only one label occurs")):
        with pytest.raises(DataError, match=sentence):
            make(f"mesd-{name}").fit(X, labels)
    with pytest.raises(DataError, match="weighted must be True or False; got 'yes'"):
        make(f"mesd-{name}", weighted="yes").fit(X, Y)


def test_pairs_of_duplicates_only_are_refused(rng):
    X, Y = several(rng, share=0.8)
    with pytest.raises(DataError, match="all of the 1 nearest pairs of each class are duplicates of the same instance"):
        make("mesd-mfa", n_pairs=1).fit(X, Y)
    assert make("mesd-mfa", n_pairs=None).fit(X, Y).n_components_ == 4


@methods
@kinds
def test_equal_instances(name, kind):
    X = np.ones((8, 3))
    with pytest.raises(DataError, match="the features do not vary"):
        make(name).fit(kind(X), np.arange(8) % 2)
    X[0] = 0
    if name == "mfa":  # as many pairs across at distance zero
        return
    assert np.isfinite(make(name).fit(kind(X), np.arange(8) % 2).components_).all()


@methods
def test_mesd_of_a_base_is_the_named_extension(name, rng):
    X, Y = several(rng)
    expected = make(f"mesd-{name}", n_components=2, weighted=True).fit(X, Y)
    by_name = mlreduce.MESD(n_components=2, base=name, parameters=METHODS[name], weighted=True)
    by_object = mlreduce.MESD(n_components=2, base=mlreduce.make(name), weighted=True)
    by_object.set_params(**{f"base__{key}": value for key, value in METHODS[name].items()})
    for method in (by_name, by_object):
        np.testing.assert_array_equal(method.fit(X, Y).components_, expected.components_)
        np.testing.assert_array_equal(method.mean_, expected.mean_)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"base": "pca"}, "base must be a projection for single-label data, or its registry name; got 'pca'"),
        ({"base": 3}, "base must be"),
        ({"parameters": {"rigde": 1}}, "unknown parameter of parameters 'rigde'; did you mean 'ridge'"),
        ({"parameters": {"n_components": 1}}, "unknown parameter of parameters 'n_components'"),
        ({"parameters": {"ridge": -1}}, "ridge must be"),
        ({"weighted": None}, "weighted must be True or False"),
        ({"base": "mmc", "n_components": 0.8}, "MESD has eigenvalues below zero"),
    ],
)
def test_wrong_parameters_of_mesd_are_refused(parameters, sentence, rng):
    with pytest.raises(DataError, match=sentence):
        mlreduce.MESD(**parameters).fit(*several(rng))


def test_docstrings_of_named_extensions():
    for name in METHODS:
        cls = type(mlreduce.make(f"mesd-{name}"))
        documented = cls.__doc__.partition("Parameters\n")[2]
        assert all(parameter in documented for parameter in cls().get_params())


def test_named_extensions_may_be_subclassed(rng):
    class Weighted(mlreduce.MESDFDA):
        def __init__(self, ridge=0.7, weighted=True):
            super().__init__(ridge=ridge, weighted=weighted)

    X, Y = several(rng)
    same_directions(Weighted().fit(X, Y), make("mesd-fda", weighted=True).fit(X, Y), rtol=0, atol=0)
