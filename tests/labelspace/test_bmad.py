"""Boolean matrix decomposition by the Asso algorithm, in loops."""

from __future__ import annotations

import numpy as np
import pytest
from definitions.mlc_bmad import asso

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.labelspace import CodedClassifier


def labels(rng, n=40, q=6):
    """Unions of three sets of labels, with noise."""
    sets = rng.random((3, q)) < 0.5
    Y = np.array([(sets[rng.random(3) < 0.5]).any(axis=0) for _ in range(n)])
    return (Y ^ (rng.random((n, q)) < 0.1)).astype(int)


def boolean_product(T, B):
    return np.array([[int(any(t and b for t, b in zip(row, column, strict=True))) for column in B.T] for row in T])


@pytest.mark.parametrize("tau", [0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("size", [1, 3, 6])
def test_decomposition_is_that_of_the_algorithm(tau, size, rng):
    Y = labels(rng)
    coder = mlreduce.MLCBMaD(size, min_confidence=tau).fit(None, Y)
    T, B, gains = asso(Y, size, tau)
    np.testing.assert_array_equal(coder.codes_, T)
    np.testing.assert_array_equal(coder.components_, B)
    np.testing.assert_array_equal(coder.eigenvalues_, gains)
    product = boolean_product(T, B)
    np.testing.assert_array_equal(coder.decode(coder.codes_), product)
    wrong = np.count_nonzero(product != Y)
    assert coder.eigenvalues_.sum() == np.count_nonzero(Y) - wrong
    assert (np.diff(coder.eigenvalues_) <= 0).all()


def test_planted_sets_are_found(rng):
    sets = np.array([[1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1]])
    T = rng.random((100, 3)) < 0.3
    Y = ((T @ sets) > 0).astype(int)
    coder = mlreduce.MLCBMaD(3, min_confidence=0.9).fit(None, Y)
    assert {tuple(row) for row in coder.components_} == {tuple(row) for row in sets}
    np.testing.assert_array_equal(coder.decode(coder.codes_), Y)
    X = T @ rng.standard_normal((3, 5))
    np.testing.assert_array_equal(CodedClassifier(coder).fit(X, Y).predict(X), Y)


def test_nothing_left_to_cover_leaves_zeros():
    Y = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 0]])
    coder = mlreduce.MLCBMaD().fit(None, Y)
    np.testing.assert_array_equal(coder.components_, [[1, 1, 0], [0, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(coder.eigenvalues_, [4, 0, 0])
    none = mlreduce.MLCBMaD().fit(None, 0 * Y)
    assert not none.decode(none.encode(0 * Y)).any()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_confidence": 1.5}, r"min_confidence must be a number in \[0, 1\]; got 1.5"),
        ({"min_confidence": "half"}, "min_confidence must be a number"),
        ({"n_components": 7}, "n_components must be between 1 and 6, the number of labels; got 7"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message, rng):
    with pytest.raises(DataError, match=message):
        mlreduce.MLCBMaD(**parameters).fit(None, labels(rng))
