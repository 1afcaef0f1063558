"""Column subset selection by its definition, and its draws."""

from __future__ import annotations

import numpy as np
import pytest

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.labelspace import CodedClassifier


def labels(rng, n=80, q=8):
    return (rng.standard_normal((n, 3)) @ rng.standard_normal((3, q)) + rng.standard_normal((n, q)) > 0.7).astype(int)


@pytest.mark.parametrize("selection", ["random", "greedy"])
@pytest.mark.parametrize("size", [1, 3, 8])
def test_decoding_is_the_pseudo_inverse_of_the_chosen_labels(selection, size, rng):
    Y = labels(rng)
    coder = mlreduce.CSSP(size, selection, random_state=3).fit(None, Y)
    Z = Y - Y.mean(axis=0)
    assert len(set(coder.chosen_)) == size
    codes = coder.encode(Y)
    np.testing.assert_allclose(codes, Z[:, coder.chosen_], atol=1e-12)
    for m in range(1, size + 1):
        C = Z[:, coder.chosen_[:m]]
        decoder = np.linalg.pinv(C) @ Z
        np.testing.assert_allclose(coder.reconstruct(codes[:, :m]), C @ decoder, atol=1e-9)
        some = rng.standard_normal((5, m))
        np.testing.assert_allclose(coder.reconstruct(some), some @ decoder, atol=1e-9)
    explained = np.sum(Z**2) - np.sum((Z - C @ decoder) ** 2)
    assert coder.eigenvalues_.sum() == pytest.approx(explained)


def test_leverage_and_pivots_by_the_singular_vectors(rng):
    Y = labels(rng)
    V = np.linalg.svd(Y - Y.mean(axis=0))[2][:3].T
    coder = mlreduce.CSSP(3, "greedy").fit(None, Y)
    np.testing.assert_allclose(coder.leverage_, [np.sum(row**2) / 3 for row in V], atol=1e-12)
    chosen, rest = [], V.T.copy()
    for _ in range(3):  # the longest column, then its direction is taken from all
        best = int(np.argmax(np.linalg.norm(rest, axis=0)))
        unit = rest[:, best] / np.linalg.norm(rest[:, best])
        rest -= np.outer(unit, unit @ rest)
        chosen.append(best)
    np.testing.assert_array_equal(coder.chosen_, chosen)


@pytest.mark.parametrize("size", [5, 8])
def test_rounding_chooses_no_label(size, rng):
    """All columns of a square orthogonal matrix are equally long, as are those of copies of a label."""
    Y = labels(rng, q=5 if size == 5 else 8)
    full = [mlreduce.CSSP(None, "greedy").fit(None, Y[rows]).chosen_ for rows in (rng.permutation(80), np.arange(70))]
    np.testing.assert_array_equal(full, [np.arange(size)] * 2)
    twice = np.repeat(Y, 2, axis=1)
    few, of_copies = (mlreduce.CSSP(3, "greedy").fit(None, own).chosen_ for own in (Y, twice))
    np.testing.assert_array_equal(of_copies, 2 * few)


def test_repeated_and_constant_labels(rng):
    Y = labels(rng, q=4)
    Y = np.column_stack([Y[:, [0, 0, 0]], Y, np.zeros(80, int), np.ones(80, int)])
    for selection in ("random", "greedy"):
        few = mlreduce.CSSP(4, selection, random_state=0).fit(None, Y)
        assert not {7, 8} & set(few.chosen_)  # no leverage
        coder = mlreduce.CSSP(None, selection, random_state=0).fit(None, Y)
        np.testing.assert_array_equal(coder.decode(coder.encode(Y)), Y)
        assert np.count_nonzero(coder.eigenvalues_) == 4
    X = rng.standard_normal((80, 5))
    expected = CodedClassifier(mlreduce.BR()).fit(X, Y).decision_function(X)
    found = CodedClassifier(coder).fit(X, Y).decision_function(X)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"selection": "gready"}, "selection must be 'greedy' or 'random'; got 'gready'"),
        ({"n_components": 9}, "n_components must be between 1 and 8, the number of labels; got 9"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message, rng):
    with pytest.raises(DataError, match=message):
        mlreduce.CSSP(**parameters).fit(None, labels(rng))
