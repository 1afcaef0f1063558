"""Distances and neighbours are those of a training set's points, not of its features."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from projection_problems import data

import mlreduce
from mlreduce.spectral import TrainingSet

#: Methods whose M depends on distances or neighbours only.
BY_NEIGHBOURS = [
    *("lpp", "olpp", "npp", "onpp", "mope"),
    *(f"mesd-{name}" for name in ("lfda", "mfa", "dla", "dne", "olpp-r", "sonpp", "donpp", "onpp-r")),
    *("sslfda", "ssmfa", "ssdne", "ssdonpp", "ssmope"),
]
EMBEDDINGS = ["usc", "le", "symmetric-spectral", "isomap", "lle", "mope-embedding"]
kinds = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


def problem(rng, kind):
    """Points, independent features, and labels of which every third is unknown."""
    X, Y = data(rng, 30, 5, 3)
    Y[~Y.any(axis=1), 0] = 1
    labelled = np.arange(30) % 3 > 0
    return kind(X), rng.standard_normal((30, 8)), Y.astype(float), labelled


def matrices(name, training):
    """M of the objective and, but for its ridge, of the constraint."""
    method = mlreduce.make(name)
    if not name.startswith("ss"):
        training = TrainingSet(training.X, training.labels, points=training._points)
    forms = method.objective(training), method._constraint(method._usable(training))
    identity = np.eye(30)
    return [None if form is None else form.dot(training.raw, identity) for form in forms]


@pytest.mark.parametrize("name", BY_NEIGHBOURS)
@kinds
def test_neighbours_are_those_of_the_points(name, kind, rng):
    X, others, Y, labelled = problem(rng, kind)
    expected = matrices(name, TrainingSet(X, Y, labelled))
    of_points = matrices(name, TrainingSet(others, Y, labelled, points=X))
    of_others = matrices(name, TrainingSet(others, Y, labelled))
    for found, right in zip(of_points, expected, strict=True):
        assert (found is None) == (right is None)
        if right is not None:
            np.testing.assert_allclose(found, right, atol=1e-12 * np.abs(right).max())
    assert np.abs(of_others[0] - expected[0]).max() > 0.01 * np.abs(expected[0]).max()


@pytest.mark.parametrize("name", EMBEDDINGS)
@kinds
def test_embeddings_of_graphs_are_those_of_the_points(name, kind, rng):
    X, others, Y, _ = problem(rng, kind)
    expected = mlreduce.make(name).fit_training_set(TrainingSet(X, Y)).embedding_
    found = mlreduce.make(name).fit_training_set(TrainingSet(others, Y, points=X)).embedding_
    np.testing.assert_allclose(found, expected, atol=1e-9)
