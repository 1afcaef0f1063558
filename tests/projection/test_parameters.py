"""Number of directions, checks of parameters, and names."""

from __future__ import annotations

import importlib
import inspect
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from definitions import make
from hypothesis import given
from hypothesis import strategies as st
from projection_problems import (
    CENTRED,
    EVERY,
    POSITIVE,
    REPRESENTATIVES,
    SHAPES,
    SIGNED,
    SUPERVISED,
    data,
    same_directions,
)
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import mlreduce
from mlreduce.exceptions import DataError, ProjectionWarning
from mlreduce.methods.facts import sections
from mlreduce.projection.base import energy_size


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 0.7, 1.1, 1e-7, 123.0])
def test_energy_of_equal_eigenvalues_counts_them(value, rng):
    for m in range(2, 50):
        equal = value * np.sort(1 + 4e-16 * rng.integers(-2, 3, m))[::-1]  # as a solver leaves them
        for k in range(1, m):
            assert energy_size(np.full(m, value), k / m) == k
            assert energy_size(equal, k / m) == k
            assert energy_size(equal, (k + 0.5) / m) == k + 1


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30), st.floats(0.01, 0.99))
def test_energy_is_equation_15(eigenvalues, threshold):
    values = np.sort(eigenvalues)[::-1]
    size = energy_size(values, threshold)
    assert values[:size].sum() >= threshold * values.sum() * (1 - 1e-11)
    assert values[: size - 1].sum() < threshold * values.sum() * (1 + 1e-11)


@pytest.mark.parametrize("name", REPRESENTATIVES)
@pytest.mark.parametrize(("shape", "kind"), [("tall", sp.csr_array), ("wide, many labels", np.asarray)])
def test_directions_are_nested(name, shape, kind, rng):
    X, Y = data(rng, *SHAPES[shape])
    X, full = kind(X), make(name).fit(kind(X), Y)
    for k in {1, 2, full.n_components_ - 1, full.n_components_} - {0}:
        few = make(name, n_components=k).fit(X, Y)
        np.testing.assert_allclose(
            few.eigenvalues_, full.eigenvalues_[:k], rtol=1e-8, atol=1e-10 * np.abs(full.eigenvalues_).max()
        )
        np.testing.assert_allclose(few.components_, full.components_[:k], atol=1e-7)
        np.testing.assert_allclose(few.transform(X), full.transform(X)[:, :k], atol=1e-6)
    for threshold in (0.3, 0.8, 0.99) if name in POSITIVE else ():
        some = make(name, n_components=threshold).fit(X, Y)
        assert some.n_components_ == energy_size(full.eigenvalues_, threshold)
        np.testing.assert_array_equal(some.components_, full.components_[: some.n_components_])


@pytest.mark.parametrize("name", REPRESENTATIVES)
@pytest.mark.filterwarnings("ignore::mlreduce.exceptions.DegenerateWarning")  # one direction of little variance
def test_sizes(name, rng):
    X, Y = data(rng, 60, 20, 12)
    assert make(name, n_components=3).fit(X, Y).n_components_ == 3
    assert make(name, n_components=np.int64(3)).fit(X, Y).n_components_ == 3
    assert make(name, n_components="29%").fit(X, Y).n_components_ == 5  # 5.8 rounded down
    method = make(name, n_components="0.1%").fit(X, Y)
    assert method.n_components_ == 1
    assert method.components_.shape == (1, 20)
    assert method.eigenvalues_.shape == (1,)
    assert method.mean_.shape == (20,)
    assert method.transform(X[:7]).shape == (7, 1)
    np.testing.assert_allclose(method.transform(X), (X - method.mean_) @ method.components_.T, atol=1e-10)


@pytest.mark.parametrize("name", ["mddmp", "mddmf", "pls", "opls", "cca", "rcca"])
def test_fewer_directions_than_wanted_give_a_warning(name, rng):
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
    ("size", "sentence"),
    [
        (0, "n_components must be between 1 and 5, the number of features; got 0"),
        (-1, "n_components must be between 1 and 5"),
        (6, "n_components must be between 1 and 5"),
        (1.5, r"n_components as a share must be a number in \(0, 1\); got 1.5"),
        (1.0, "n_components as a share"),
        (0.0, "n_components as a share"),
        (-0.5, "n_components as a share"),
        (np.nan, "n_components as a share"),
        ("two", "n_components must be a number, a percentage such as '50%', above 0 and up to 100, or None; got 'two'"),
        ("0%", "a percentage such as '50%', above 0"),
        ("101%", "and up to 100"),
        ("half%", "a percentage such as '50%'"),
        ("0.5", "a percentage such as '50%'"),
        (True, "n_components must be a number, a percentage such as '50%' or None; got True"),
        ([2], r"n_components must be a number, a percentage such as '50%' or None; got \[2\]"),
        (2 + 0j, "n_components must be a number, a percentage"),
    ],
)
def test_impossible_sizes_are_refused(size, sentence, rng):
    X, Y = data(rng, 20, 5, 3)
    with pytest.raises(DataError, match=sentence):
        make("pca", n_components=size).fit(X, Y)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95, 0.999])
def test_shares_of_the_variance_are_scikit_learns(share):
    X = load_digits().data
    theirs = PCA(n_components=share, svd_solver="full").fit(X)
    ours = mlreduce.PCA(n_components=share).fit(X)
    assert ours.n_components_ == theirs.n_components_
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-12)
    assert ours.explained_variance_ratio_.sum() >= share


def test_shares_of_the_features():
    X = load_digits().data[:50, :30]
    sizes = {"50%": 15, "7%": 2, "100%": 24, "1e-3%": 1, " 12.5 % ": 3}
    with pytest.warns(ProjectionWarning, match="24 positive eigenvalues: n_components_ is 24, not 30"):
        found = {size: mlreduce.PCA(n_components=size).fit(X).n_components_ for size in sizes}
    assert found == sizes


@pytest.mark.parametrize("name", SIGNED)
def test_signed_eigenvalues_have_no_shares(name, rng):
    X, Y = data(rng, 20, 5, 3)
    with pytest.raises(
        DataError, match="has eigenvalues below zero, which have no shares: n_components must be an integer"
    ):
        make(name, n_components=0.9).fit(X, Y)


#: Of parameters whose ranges differ, what is no number; `STATED` has the others.
OUT_OF_RANGE = [
    *(("coding", value) for value in ("one-hot", None, 2)),
    *((name, value) for name in ("beta", "repulsion") for value in ("half", None, np.nan, True)),
    *(("scatter_weight", value) for value in ("half", np.nan, True)),
    *(("ridge", value) for value in (-1, "some", "-1%", "x%", np.nan, np.inf, True)),
    *(("gamma", value) for value in (np.nan, np.inf, False)),
    ("centred", "no"),
    ("centred", None),
    *(("n_neighbors", value) for value in (0, 1.5, None, True)),
    *(("constraint", value) for value in ("none", None)),
    *(("proximity", value) for value in ("gaussian", 3)),
    *(("n_others", value) for value in (0, "five")),
    *(("n_pairs", value) for value in (0, 2.5)),
    ("within_weight", None),
    *(("reg", value) for value in (0, -1, "small")),
    ("weighted", "yes"),
    ("on", "X"),
]
#: Values outside of a range that a docstring states.
STATED = {">= 0": (-1e-9, -0.1), "> 0": (0, -0.1), "in [0, 1": (-0.1, 1.1)}


@pytest.mark.parametrize("name", EVERY)
def test_parameters_out_of_range_are_refused(name, rng):
    X, Y = data(rng, 20, 5, 3)
    cls = type(make(name))
    documented = sections(inspect.getdoc(cls))["Parameters"] + "\n"
    for parameter in set(inspect.signature(cls).parameters) - {"n_components"}:
        entry = re.search(rf"^(?:\w+, )*{parameter}\b.*\n(?: .*\n)*", documented, re.MULTILINE)[0]
        first = min(STATED, key=lambda text, entry=entry: (entry + text).index(text))
        values = [value for known, value in OUT_OF_RANGE if known == parameter]
        for value in [*values, *(STATED[first] if first in entry else ())]:
            if value is not None or "None" not in entry:
                assert_refused(cls, parameter, value, X, Y)


def assert_refused(cls, parameter, value, X, Y):
    written = f"{cls.__name__}({parameter}={value!r})"
    try:
        cls(**{parameter: value}).fit(X, Y)
    except (ArithmeticError, TypeError, ValueError) as error:
        wrong = f"{written} ends with {type(error).__name__}: {error}"
        refused = isinstance(error, DataError) and str(error).startswith(f"{parameter} must be")
    else:
        wrong, refused = f"{written} is fitted", False
    assert refused, (
        f"{wrong}; `_check_parameters` should raise a DataError that begins with '{parameter} must be', as "
        "`check_range` of mlreduce.validation does"
    )


@pytest.mark.parametrize("name", ["rcca", "lda-copy", "mlsi", "mddmf", "mvmd", "hsl1"])
def test_ends_of_ranges_are_allowed(name, rng):
    X, Y = data(rng, 30, 5, 3)
    for parameter, values in {"ridge": (0, 1e9), "beta": (0, 1), "scatter_weight": (0, 1)}.items():
        if parameter in inspect.signature(type(make(name))).parameters:
            for value in values:
                assert mlreduce.make(name, **{parameter: value}).fit(X, Y).n_components_ >= 1
    if name == "rcca":
        same_directions(make(name, ridge=0).fit(X, Y), make("cca").fit(X, Y))
    if name == "mddmf":
        mddm, opls = make(name, scatter_weight=1).fit(X, Y), make("opls").fit(X, Y)
        np.testing.assert_allclose(mddm.eigenvalues_, 4 * opls.eigenvalues_)
        np.testing.assert_allclose(mddm.components_, opls.components_, atol=1e-9)


@pytest.mark.parametrize("name", ["lda-copy", "mlda", "dmlda"])
def test_a_ridge_may_be_a_share_of_the_scatter(name, rng):
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
    same_directions(mlreduce.make(name, ridge="0.1%").fit(X, Y), make(name, ridge=ridge).fit(X, Y))


def weights_of_mlda(Y):
    sizes = Y.sum(axis=0)
    cosines = Y.T @ Y / np.sqrt(np.outer(sizes, sizes))
    return (Y @ cosines) / np.maximum(Y.sum(axis=1), 1)[:, None]


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


@pytest.mark.parametrize("name", ["pca", "lsi", "olpp", "lpp", "onpp", "npp", "random-projection"])
def test_unsupervised_methods_ignore_labels(name, rng):
    X, Y = data(rng, 30, 5, 3)
    same_directions(make(name).fit(X), make(name).fit(X, Y), rtol=0, atol=0)
    same_directions(make(name).fit(X), make(name).fit(X, ["anything"]), rtol=0, atol=0)


@pytest.mark.parametrize("name", CENTRED)
def test_one_instance_is_refused(name):
    with pytest.raises(DataError, match="instances that differ; got n_samples=1"):
        make(name).fit([[1.0, 2, 3]], [[1, 0]])


@pytest.mark.parametrize("kind", ["projection", "embedding", "propagation"])
def test_classes_are_attributes_of_their_package(kind):
    package = importlib.import_module(f"mlreduce.{kind}")
    classes = {type(mlreduce.make(name)) for name in mlreduce.registry.method_names(kind)}
    assert {getattr(package, cls.__name__) for cls in classes} == classes
    assert {cls.__name__ for cls in classes} <= set(dir(package))


def test_plain_arrays_are_checked_as_scikit_learn_does(rng):
    """They take a short way, which must forget names, and leave errors and warnings to the long one."""
    X = rng.standard_normal((30, 4))
    named = mlreduce.PCA(n_components=2).fit(pd.DataFrame(X, columns=list("abcd")))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        np.testing.assert_allclose(named.transform(X), mlreduce.PCA(n_components=2).fit(X).transform(X), atol=1e-12)
    named.fit(X[:, :3])
    assert not hasattr(named, "feature_names_in_")
    assert named.n_features_in_ == 3
    with pytest.raises(ValueError, match="X has 4 features, but PCA is expecting 3 features as input"):
        named.transform(X)
    for wrong, message in ((X[:0], "0 sample"), (X[:, :0], "0 feature"), (X[0], "1D array"), (X[None], "dim 3")):
        with pytest.raises(ValueError, match=message):
            named.fit(wrong)
    with pytest.raises(DataError, match="NaN in column 1"):
        named.fit(np.where(np.arange(4) == 1, np.nan, X))
