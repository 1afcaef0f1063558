from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import orthogonal_mp_gram

import mlreduce
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.evaluation.fitted_arrays import fitted_arrays, restore
from mlreduce.exceptions import DataError
from mlreduce.labelspace.compressed_sensing import _sparsest


def few_labels(rng, n_samples, n_labels, most):
    """Draw labels of which every row has between none and so many."""
    Y = np.zeros((n_samples, n_labels), dtype=int)
    for row, many in enumerate(rng.integers(0, most + 1, n_samples)):
        Y[row, rng.permutation(n_labels)[:many]] = 1
    return Y


def coder(Y, **parameters):
    return mlreduce.CompressedSensing(**({"random_state": 0} | parameters)).fit(None, Y)


@given(seed=st.integers(0, 10_000), most=st.integers(1, 3))
def test_few_labels_come_back_from_a_short_code(seed, most):
    Y = few_labels(np.random.default_rng(seed), 20, 60, most)
    cs = coder(Y, n_components=45, n_nonzero=most, random_state=seed)
    sure = np.array([pursuit_is_sure_of(y, cs.components_) for y in Y])
    assert sure.mean() > 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # rows with fewer labels than allowed end the pursuit early, and silently
        np.testing.assert_array_equal(cs.decode(cs.encode(Y))[sure], Y[sure])
        np.testing.assert_allclose((cs.reconstruct(cs.encode(Y)) + cs.mean_)[sure], Y[sure], atol=1e-9)


def pursuit_is_sure_of(y, components):
    """Say whether orthogonal matching pursuit must find these labels: Tropp (2004), "Greed is good", theorem A."""
    has, atoms = y == 1, components / np.linalg.norm(components, axis=0)  # of norm one, as the pursuit compares them
    others = np.linalg.pinv(atoms[:, has]) @ atoms[:, ~has]
    return bool((np.abs(others).sum(axis=0) < 1).all())


def test_hadamard_directions_are_nested_rows_of_orthogonal_signs(rng):
    Y = few_labels(rng, 30, 8, 3)
    cs, short = (coder(Y, n_components=size, n_nonzero="largest", directions="hadamard") for size in (8, 3))
    signs = cs.components_ * np.sqrt(8)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    np.testing.assert_allclose(signs @ signs.T, 8 * np.eye(8))
    np.testing.assert_array_equal(short.components_, cs.components_[:3])
    assert cs.n_nonzero_ == Y.sum(axis=1).max()
    np.testing.assert_array_equal(cs.decode(cs.encode(Y)), Y)
    assert coder(few_labels(rng, 30, 11, 3), n_components=5, directions="hadamard").components_.shape == (5, 11)


def row_by_row(signals, directions, n_nonzero):
    """Decode with scikit-learn's orthogonal matching pursuit."""
    norms = np.linalg.norm(directions, axis=0)
    atoms = directions / norms
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Orthogonal matching pursuit ended prematurely", RuntimeWarning)
        found = orthogonal_mp_gram(atoms.T @ atoms, atoms.T @ signals.T, n_nonzero_coefs=n_nonzero)
    return np.reshape(found, (len(norms), len(signals))).T / norms


def assert_decodes_row_by_row(cs, codes, sizes):
    signals = codes + cs.components_ @ cs.mean_
    for size, centred in zip(sizes, cs.reconstruct_sizes(codes, sizes), strict=True):
        expected = row_by_row(signals[:, :size], cs.components_[:size], min(cs.n_nonzero_, size))
        np.testing.assert_allclose(centred + cs.mean_, expected, rtol=1e-9, atol=1e-9)


@given(seed=st.integers(0, 10_000), n_labels=st.integers(1, 30), noise=st.sampled_from([0.0, 0.3]))
def test_decoding_is_that_of_a_pursuit_row_by_row(seed, n_labels, noise):
    rng = np.random.default_rng(seed)
    Y = few_labels(rng, 20, n_labels, n_labels)
    cs = coder(Y, n_nonzero=int(rng.integers(1, min(n_labels, 6) + 1)), random_state=seed)
    codes = cs.encode(Y) + noise * rng.standard_normal(Y.shape)
    assert_decodes_row_by_row(cs, codes, sorted({1, 2, n_labels // 2, n_labels} & set(range(1, n_labels + 1))))


@pytest.mark.parametrize("name", ["emotions", "medical", "enron"])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_decoding_of_published_labels_is_that_of_a_pursuit_row_by_row(name, noise, mirror, rng):
    entry = read_catalogue()[name]
    Y = np.asarray(entry.read(entry.fetch(mirror, None)).Y)
    cs = coder(Y)
    codes = cs.encode(Y[:150]) + noise * rng.standard_normal((150, Y.shape[1]))
    assert_decodes_row_by_row(cs, codes, [1, 3, Y.shape[1] // 2, Y.shape[1]])


def test_equal_and_dependent_atoms_are_picked_as_row_by_row():
    """Two pairs of equal atoms, and one that is the sum of others: ties go to the first, and the pursuit ends early."""
    directions = np.array([[1.0, 1, 0, 0, 1, 0, -1], [0, 0, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 0]])
    signals = np.array([[1.0, 1, 0], [3, 2, 1], [1, 1, 1], [0, 0, 0], [0, -1, 0], [-2, 2, 0], [0, 1, 1]])
    for n_nonzero in (1, 2, 3):
        found = _sparsest(signals, directions, n_nonzero)
        np.testing.assert_allclose(found, row_by_row(signals, directions, n_nonzero), atol=1e-12)
    assert np.flatnonzero(_sparsest(signals, directions, 1)[4]).tolist() == [2]


@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_one_non_zero_is_the_best_there_is(size, rng):
    Y = few_labels(rng, 30, 8, 3)
    cs = coder(Y, n_nonzero=1)
    codes = rng.standard_normal((30, size))
    V = cs.components_[:size]
    found = cs.reconstruct(codes) + cs.mean_
    for code, y in zip(codes + V @ cs.mean_, found, strict=True):
        fits = [np.linalg.lstsq(V[:, [label]], code, rcond=None) for label in range(8)]
        best = int(np.argmin([fit[1][0] for fit in fits]))
        assert np.flatnonzero(y).tolist() == [best]
        assert y[best] == pytest.approx(fits[best][0][0])


def test_each_choice_is_fitted_by_least_squares(rng):
    Y = few_labels(rng, 30, 8, 3)
    cs = coder(Y, n_nonzero=3)
    codes = rng.standard_normal((30, 6))
    V = cs.components_[:6]
    for code, y in zip(codes + V @ cs.mean_, cs.reconstruct(codes) + cs.mean_, strict=True):
        picked = np.flatnonzero(y)
        assert len(picked) == 3
        np.testing.assert_allclose(y[picked], np.linalg.lstsq(V[:, picked], code, rcond=None)[0])


def test_at_full_size_all_labels_are_solved_for(rng):
    Y = few_labels(rng, 30, 6, 6)
    cs = coder(Y, n_nonzero=6)
    scores = rng.random((10, 6))
    np.testing.assert_allclose(cs.reconstruct(cs.project(scores)) + cs.mean_, scores, atol=1e-6)


def test_directions_are_drawn_with_the_stated_variance():
    V = coder(few_labels(np.random.default_rng(0), 50, 200, 3)).components_
    assert V.shape == (200, 200)
    assert np.square(V).sum(axis=0).mean() == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(
    ("Y", "expected"),
    [
        ([[1, 1, 0], [1, 0, 0]], 2),  # 1.5, rounded up
        ([[1, 1, 0], [1, 0, 1]], 2),
        ([[0, 0, 0], [0, 0, 0]], 1),  # at least one
        ([[1, 1, 1], [1, 1, 1]], 3),
    ],
)
def test_labels_of_an_instance_are_as_many_as_in_training(Y, expected):
    assert coder(Y).n_nonzero_ == expected
    assert coder(Y, n_nonzero=1).n_nonzero_ == 1


def test_a_whole_mean_is_not_rounded_up():
    """Ten labels of a tenth of the rows each: the means add up to a little less or more than one."""
    assert coder(np.eye(10, dtype=int)).n_nonzero_ == 1
    assert coder(np.tile(np.eye(49, dtype=int), (3, 1))).n_nonzero_ == 1


def test_eigenvalues_are_sums_of_squares_of_codes(rng):
    Y = few_labels(rng, 30, 6, 3)
    cs = coder(Y, n_components=4)
    np.testing.assert_allclose(cs.eigenvalues_, np.square(cs.encode(Y)).sum(axis=0))


def test_a_stored_coder_decodes_the_same(rng):
    Y = few_labels(rng, 30, 6, 3)
    cs = coder(Y, n_nonzero=2)
    stored = restore(mlreduce.CompressedSensing(), fitted_arrays(cs))
    codes = rng.standard_normal((5, 6))
    np.testing.assert_array_equal(stored.decode(codes), cs.decode(codes))


@pytest.mark.parametrize("value", [0, 7, -1, True, 1.0, "two"])
def test_impossible_numbers_of_labels_are_refused(value, rng):
    with pytest.raises(DataError, match=r"n_nonzero must be an integer of 1\.\.6"):
        coder(few_labels(rng, 10, 6, 3), n_nonzero=value)


def test_a_size_beyond_the_code_is_refused(rng):
    cs = coder(few_labels(rng, 10, 6, 3))
    with pytest.raises(DataError, match="the code is 3 long"):
        next(cs.reconstruct_sizes(np.zeros((2, 3)), [4]))
