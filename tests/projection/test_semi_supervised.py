"""Semi-supervised projections."""

from __future__ import annotations

import definitions
import numpy as np
import pandas as pd
import pytest
import scipy.linalg
import scipy.sparse as sp
from definitions._classes import PAIRWISE
from projection_problems import same_directions

import mlreduce
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.spectral import TrainingSet

NAMED = ["self", "ssfda", "ssmmc", "ssmfa", "ssdne", "sslfda", "ssdonpp", "ssmope"]
named = pytest.mark.parametrize("name", NAMED)
kinds = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


def make(name, weight=0.3, **more):
    """With the weight of the unsupervised part, whatever it is called."""
    return definitions.make(
        name, **{"smoothness" if name in ("ssfda", "ssmmc") else "unsupervised_weight": weight}, **more
    )


def parent(name):
    """The method of the labelled instances."""
    if name == "ssmope":
        return definitions.make("mope")
    return definitions.make("mesd-lfda" if name == "self" else name.replace("ss", "mesd-", 1))


def problem(seed=0, n=34, d=4, c=4, known=20):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, c)) < 0.4).astype(float)
    labelled = rng.permutation(n) < known
    first = np.flatnonzero(labelled)[:c]
    Y[first] = np.maximum(Y[first], np.eye(c))
    Y[np.flatnonzero(labelled)[-2:]] = 0
    X = rng.standard_normal((n, d)) + Y @ rng.standard_normal((c, d)) + rng.uniform(-5, 5, d)
    partial = Y.copy()
    partial[~labelled] = np.nan
    return X, Y, partial, labelled


@named
@pytest.mark.parametrize("all_known", [False, True], ids=["partly", "all"])
def test_weight_zero_is_the_supervised_part(name, all_known):
    X, Y, partial, labelled = problem()
    if all_known:
        partial, labelled = Y, np.ones(len(X), dtype=bool)
    same_directions(make(name, 0.0).fit(X, partial), parent(name).fit(X[labelled], Y[labelled]), atol=1e-6)


@named
def test_a_shared_training_set_is_the_same(name):
    X, Y, partial, labelled = problem()
    data = TrainingSet.partly_labelled(X, Y[labelled], labelled)
    same_directions(make(name).fit_training_set(data), make(name).fit(X, partial))
    complete = TrainingSet(X, Y)
    same_directions(make(name).fit_training_set(complete), make(name).fit(X, Y))


def centring(n):
    return np.eye(n) - np.ones((n, n)) / n


#: Pairs of which one, both or none are centred, and A and B of the first over the labelled instances.
PAIRS = {
    ("mddmp", "pca"): lambda X, Y: (4 * centring(len(X)) @ Y @ Y.T @ centring(len(X)), None),
    ("mddmp", "lsi"): lambda X, Y: (4 * centring(len(X)) @ Y @ Y.T @ centring(len(X)), None),
    ("opls", "lsi"): lambda X, Y: (centring(len(X)) @ Y @ Y.T @ centring(len(X)), centring(len(X))),
    ("mlsi", "pca"): lambda X, Y: (0.5 * X @ X.T + 0.5 * Y @ Y.T, np.eye(len(X))),
    ("mlsi", "lsi"): lambda X, Y: (0.5 * X @ X.T + 0.5 * Y @ Y.T, np.eye(len(X))),
    ("mvmd", "lsi"): lambda X, Y: (centring(len(X)) @ (0.5 * np.eye(len(X)) + 2 * Y @ Y.T) @ centring(len(X)), None),
}
pairs = pytest.mark.parametrize("pair", PAIRS, ids="-".join)


@pairs
@kinds
@pytest.mark.parametrize("constraint", ["identity", "combined", "supervised"])
@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
@pytest.mark.rotating
def test_any_pair_is_equations_44_and_45(pair, kind, constraint, weight):
    X, Y, partial, labelled = problem(known=24)
    Xl, n, identity = X[labelled], len(X), np.eye(4)
    A, B = PAIRS[pair](Xl, Y[labelled])
    A = Xl.T @ A @ Xl
    B = identity if B is None else Xl.T @ B @ Xl + (1.0 if pair[0] == "mlsi" else 0) * identity
    all_ = X.T @ (centring(n) if pair[1] == "pca" else np.eye(n)) @ X
    A = weight * all_ + (1 - weight) * A
    B = {"identity": identity, "combined": weight * identity + (1 - weight) * B, "supervised": B}[constraint]
    method = mlreduce.SemiSupervised(
        unsupervised_weight=weight, constraint=constraint, supervised_part=pair[0], unsupervised_part=pair[1]
    ).fit(kind(X), partial)
    expected = scipy.linalg.eigh(A, B)[0][::-1]
    expected = expected[expected > 1e-9 * expected[0]]
    np.testing.assert_allclose(method.eigenvalues_, expected, rtol=1e-7)
    P = method.components_
    np.testing.assert_allclose(P @ B @ P.T, np.eye(len(P)), atol=1e-8)
    np.testing.assert_allclose(P @ A @ P.T, np.diag(expected), atol=1e-8 * expected[0])


SUPERVISED = [
    name
    for name in mlreduce.registry.method_names("projection")
    if mlreduce.make(name).supervised
    and name not in NAMED
    and name != "semi-supervised"
    and f"mesd-{name}" not in mlreduce.registry.method_names("projection")
]


@pytest.mark.parametrize("name", SUPERVISED)
def test_every_supervised_projection_may_be_a_part(name):
    X, Y, partial, labelled = problem(known=26)
    method = mlreduce.SemiSupervised(unsupervised_weight=0.0, constraint="supervised", supervised_part=name).fit(
        X, partial
    )
    alone = mlreduce.make(name).fit(X[labelled], Y[labelled])
    same_directions(method, alone, atol=1e-6)
    with_others = mlreduce.SemiSupervised(unsupervised_weight=0.5, constraint="combined", supervised_part=name).fit(
        X, partial
    )
    assert np.isfinite(with_others.components_).all()
    assert with_others.transform(X).shape == (34, 4)


@pytest.mark.parametrize("name", ["pca", "lsi", "olpp", "onpp", "lpp", "npp"])
def test_every_unsupervised_projection_may_be_a_part(name):
    X, _, partial, _ = problem()
    method = mlreduce.SemiSupervised(unsupervised_weight=1.0, constraint="combined", unsupervised_part=name).fit(
        X, partial
    )
    same_directions(method, mlreduce.make(name).fit(X), atol=1e-6)
    half = mlreduce.SemiSupervised(unsupervised_weight=0.5, constraint="combined", unsupervised_part=name).fit(
        X, partial
    )
    assert half.n_components_ == 4


def test_parts_as_estimators():
    X, _, partial, _ = problem()
    by_name = mlreduce.SemiSupervised(
        supervised_part="mvmd", supervised_parameters={"beta": 0.9}, unsupervised_parameters={"proximity": PAIRWISE}
    ).fit(X, partial)
    given = mlreduce.MVMD(beta=0.2)
    made = mlreduce.SemiSupervised(
        supervised_part=given, unsupervised_part=mlreduce.OLPP(proximity=PAIRWISE), supervised_parameters={"beta": 0.9}
    ).fit(X, partial)
    same_directions(made, by_name)
    assert given.beta == 0.2
    assert not hasattr(given, "components_")
    nested = mlreduce.SemiSupervised(supervised_part=mlreduce.MVMD(beta=0.1)).set_params(supervised_part__beta=0.9)
    same_directions(nested.set_params(unsupervised_part=mlreduce.OLPP(proximity=PAIRWISE)).fit(X, partial), by_name)


def test_select_energy():
    X, _, partial, _ = problem()
    for method in (mlreduce.SELFProjection, mlreduce.SSFDA):
        some = method(n_components=0.8).fit(X, partial)
        assert 1 <= some.n_components_ < 4
    with pytest.raises(DataError, match="SSMFA has eigenvalues below zero, which have no shares"):
        mlreduce.SSMFA(n_components=0.8).fit(X, partial)
    mlreduce.SSMFA(n_components=0.8, unsupervised_weight=0.0).fit(X, partial)


def test_class_vectors():
    X, _, _, labelled = problem()
    classes = np.array(["b", "a", "c"])[np.arange(34) % 3].astype(object)
    given = classes.copy()
    given[~labelled] = None
    method = mlreduce.SemiSupervised(unsupervised_weight=0.0, supervised_part="mmc").fit(X, given)
    same_directions(method, mlreduce.MMC().fit(X[labelled], classes[labelled]), atol=1e-7)
    np.testing.assert_array_equal(method.classes_, ["a", "b", "c"])
    numbers = np.where(labelled, np.arange(34) % 3, np.nan)
    np.testing.assert_array_equal(method.fit(X, numbers).classes_, [0, 1, 2])
    indicator = np.where(labelled[:, None], np.eye(3)[np.arange(34) % 3], np.nan)
    expected = method.components_
    np.testing.assert_allclose(method.fit(X, indicator).components_, expected, atol=1e-9)
    assert not hasattr(method, "classes_")


@pytest.mark.parametrize(
    ("parameters", "error", "sentence"),
    [
        ({"unsupervised_weight": 1.1}, DataError, r"unsupervised_weight must be a number in \[0, 1\]; got 1.1"),
        ({"unsupervised_weight": "half"}, DataError, "unsupervised_weight must be a number"),
        ({"constraint": "both"}, DataError, "constraint must be 'identity', 'combined' or 'supervised'; got 'both'"),
        ({"supervised_part": "olpp"}, DataError, "supervised_part must be a projection that needs labels"),
        ({"unsupervised_part": "mope"}, DataError, "unsupervised_part must be a projection that needs no labels"),
        ({"supervised_part": "plst"}, DataError, "supervised_part must be a projection that needs labels"),
        ({"supervised_part": 3}, DataError, "supervised_part must be a projection that needs labels.* got 3"),
        ({"supervised_part": "mop"}, ConfigurationError, "unknown method 'mop'; did you mean"),
        ({"supervised_parameters": {"betta": 1}}, DataError, "unknown parameter of supervised_parameters 'betta'"),
        ({"supervised_parameters": "beta"}, DataError, "supervised_parameters must be a dict of parameters of MOPE"),
        ({"supervised_parameters": {"beta": -1}}, DataError, "beta must be"),
        ({"unsupervised_parameters": {"proximity": 3}}, DataError, "proximity must be"),
        (
            {"unsupervised_parameters": {"proximity": {"tau": 0}}, "unsupervised_weight": 0.0},
            DataError,
            "tau must be a number > 0",
        ),
        ({"n_components": 9}, DataError, "n_components must be between 1 and 4"),
    ],
)
def test_what_is_refused(parameters, error, sentence):
    X, _, partial, _ = problem()
    with pytest.raises(error, match=sentence):
        mlreduce.SemiSupervised(**parameters).fit(X, partial)


@pytest.mark.parametrize("value", [-0.1, "one"])
@pytest.mark.parametrize(
    ("name", "parameter"),
    [("ssfda", "smoothness"), ("ssfda", "ridge"), ("ssmmc", "smoothness"), ("ssmmc", "within_weight")],
)
def test_negative_weights_are_refused(name, parameter, value):
    X, _, partial, _ = problem()
    with pytest.raises(DataError, match=f"{parameter} must be a number >= 0"):
        mlreduce.make(name, **{parameter: value}).fit(X, partial)


@named
def test_partly_missing_labels_are_refused(name):
    X, _, partial, labelled = problem()
    with pytest.raises(DataError, match="no row of y is labelled"):
        make(name).fit(X, np.full_like(partial, np.nan))
    partial[np.flatnonzero(labelled)[2], 1] = np.nan
    with pytest.raises(DataError, match="is NaN in part"):
        make(name).fit(X, partial)


CELLS = ["mddmp", "mddmf", "mvmd", "pls", "opls"]


def pair_with(part, **more):
    rest = {"unsupervised_part": "pca", "constraint": "combined"}
    return mlreduce.SemiSupervised(supervised_part=part, **{**rest, **more})


def test_these_parts_take_unknown_cells():
    methods = {name: mlreduce.make(name) for name in mlreduce.registry.method_names("projection")}
    assert [name for name, m in methods.items() if m.supervised and m.takes_unknown_cells] == sorted(CELLS)
    text = mlreduce.SemiSupervised.__doc__
    assert all(f"`{type(methods[name]).__name__}`" in text for name in CELLS)


@pytest.mark.parametrize("part", CELLS)
def test_unknown_cells_are_those_of_the_supervised_part(part, rng):
    X, Y, partial, _ = problem(n=60, known=40)
    partial[rng.random(Y.shape) < 0.2] = np.nan
    rows = ~np.isnan(partial).all(axis=1)
    assert np.isnan(partial[rows]).any()
    alone = mlreduce.make(part).fit(X[rows], partial[rows])
    same = pair_with(part, unsupervised_weight=0.0).fit(X, partial)
    np.testing.assert_allclose(same.eigenvalues_, alone.eigenvalues_, rtol=1e-9)
    same_directions(same, alone)
    order = rng.permutation(len(X))
    half, shuffled = pair_with(part).fit(X, partial), pair_with(part).fit(X[order], partial[order])
    np.testing.assert_allclose(half.eigenvalues_, shuffled.eigenvalues_, rtol=1e-9)
    assert not np.allclose(half.eigenvalues_[:3], pair_with(part).fit(X, Y).eigenvalues_[:3], rtol=1e-3)


def test_unknown_cells_by_loops(rng):
    X, _, partial, _ = problem(n=30, known=20)
    partial[rng.random(partial.shape) < 0.2] = np.nan
    rows = np.flatnonzero(~np.isnan(partial).all(axis=1))
    cross = np.zeros((4, 4))
    for label in range(4):
        known = [i for i in rows if not np.isnan(partial[i, label])]
        mean = sum(partial[i, label] for i in known) / len(known)
        for i in known:
            cross[label] += (partial[i, label] - mean) * (X[i] - X[rows].mean(axis=0)) * len(rows) / len(known)
    spread = sum(np.outer(x, x) for x in X - X.mean(axis=0))
    A = 0.3 * spread + 0.7 * cross.T @ cross
    method = pair_with("pls", unsupervised_weight=0.3).fit(X, pd.DataFrame(partial, columns=list("abcd")))
    np.testing.assert_allclose(method.eigenvalues_, np.linalg.eigvalsh(A)[::-1], rtol=1e-9)
    assert method.label_names_ == list("abcd")
