"""Directions from a random sketch are those of the eigendecomposition where the spectrum decays."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.evaluation.label_space import LabelSpaceStrategy
from mlreduce.evaluation.splitting import split_rows
from mlreduce.exceptions import DataError
from mlreduce.validation import as_dense

both = pytest.mark.parametrize("name", ["plst", "cplst"])


def problem(rng, n=300):
    """Labels of four groups of unequal size: four eigenvalues are far above the others."""
    X = rng.standard_normal((n, 10))
    groups = X[:, :4] > [0.0, 0.3, 0.6, 0.9]
    members = np.repeat(np.arange(4), [19, 11, 7, 3])  # 40 labels
    return X, (groups[:, members] ^ (rng.random((n, 40)) < 0.02)).astype(int)


@both
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_leading_directions_agree_where_eigenvalues_decay(name, form, rng):
    X, Y = problem(rng)
    exact = mlreduce.make(name, n_components=4).fit(form(X), form(Y))
    sketch = mlreduce.make(name, n_components=4, solver="randomized", random_state=0).fit(form(X), form(Y))
    np.testing.assert_allclose(sketch.eigenvalues_, exact.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(sketch.components_, exact.components_, atol=1e-7)
    np.testing.assert_array_equal(*(as_dense(coder.decode(coder.encode(Y))) for coder in (sketch, exact)))


@both
def test_a_sketch_of_full_width_is_exact(name, rng):
    X, Y = problem(rng)
    Y = Y[:, 15:27]
    exact = mlreduce.make(name).fit(X, Y)
    sketch = mlreduce.make(name, solver="randomized", random_state=0).fit(X, Y)
    np.testing.assert_allclose(sketch.eigenvalues_, exact.eigenvalues_, atol=1e-8)
    np.testing.assert_allclose(sketch.components_ @ sketch.components_.T, np.eye(12), atol=1e-10)


@both
def test_eigenvalues_of_a_sketch_are_never_above_the_exact_ones(name, rng):
    X, Y = rng.standard_normal((200, 30)), (rng.random((200, 60)) < 0.2).astype(int)  # nothing decays
    exact = mlreduce.make(name).fit(X, Y).eigenvalues_[:5]
    found = mlreduce.make(name, n_components=5, solver="randomized", random_state=0).fit(X, Y).eigenvalues_
    assert (found <= exact * (1 + 1e-9)).all()
    assert (found > 0.8 * exact).all()


@both
def test_seeds_give_the_same_bytes(name, rng):
    X, Y = problem(rng)
    fits = [mlreduce.make(name, n_components=6, solver="randomized", random_state=seed).fit(X, Y) for seed in (1, 1, 2)]
    assert pickle.dumps(fits[0]) == pickle.dumps(fits[1])
    assert (fits[0].components_ != fits[2].components_).any()


def test_studies_sketch_too(rng):
    X, Y = problem(rng)
    data = mlreduce.datasets.MultiLabelData(X, Y, [f"x{i}" for i in range(10)], [f"y{i}" for i in range(40)], "mine")
    entry = {"n_components": 6, "solver": "randomized", "random_state": 5}
    split = split_rows(rng.permutation(300), 0.8)
    arrays = dict(LabelSpaceStrategy(data).fit({0: split}, {"cplst": entry}))["0", "cplst"]
    expected = mlreduce.CPLST(**entry).fit(X[split.train], Y[split.train])
    np.testing.assert_array_equal(arrays["components_"], expected.components_)


@both
def test_unknown_solvers_are_refused(name, rng):
    with pytest.raises(DataError, match="solver must be 'exact' or 'randomized'; got 'randomised'"):
        mlreduce.make(name, solver="randomised").fit(*problem(rng))
