from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.exceptions import DataError
from mlreduce.linalg.gram import GramDesign, factorise
from mlreduce.linalg.least_squares import Design

RCOND = 1e-10


def with_singular_values(rng, rows, columns, values):
    """Draw features whose design ``[1 X]`` has these singular values and the square root of the number of rows."""
    rank = len(values)
    left, _ = np.linalg.qr(np.c_[np.ones(rows), rng.standard_normal((rows, rank))])
    right, _ = np.linalg.qr(rng.standard_normal((columns, rank)))
    return np.sqrt(rows) * (left[:, 1:] * values) @ right.T


def assert_same(design, X, targets, tolerance=1e-9):
    """Compare with the singular value decomposition: rank, coefficients, predictions, explained Gram matrix."""
    expected = Design.factorise(X, RCOND)
    assert design.rank == expected.rank
    solution, reference = design.coefficients(targets), expected.coefficients(targets)
    np.testing.assert_allclose(solution, reference, rtol=0, atol=tolerance * max(1, np.abs(reference).max()))
    full = np.c_[np.ones(X.shape[0]), X.toarray() if sp.issparse(X) else X]
    np.testing.assert_allclose(full @ solution, full @ reference, rtol=0, atol=tolerance)
    explained = expected.explained_gram(targets)
    np.testing.assert_allclose(design.explained_gram(targets), explained, rtol=0, atol=tolerance * len(targets))


SHAPES = [(60, 20), (20, 60), (40, 39), (40, 40), (40, 41)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("lost", [0, 1, 5])
@pytest.mark.parametrize("smallest", [1.0, 1e-1, 1e-2, 1e-3])
def test_solutions_are_those_of_the_decomposition(shape, lost, smallest, rng):
    X = with_singular_values(rng, *shape, np.geomspace(1, smallest, min(shape) - 1 - lost))
    design = GramDesign.factorise(X, RCOND)
    assert design is not None
    assert_same(design, X, rng.standard_normal((shape[0], 3)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("lost", [0, 3])
def test_near_the_cut_off_the_rank_is_that_of_the_decomposition(shape, lost, rng):
    """One singular value far below the others, from well above the cut-off to rounding."""
    for exponent in range(4, 17):
        values = np.r_[np.geomspace(1, 0.1, min(shape) - 2 - lost), 10.0**-exponent]
        X = with_singular_values(rng, *shape, values)
        expected = Design.factorise(X, RCOND)
        assert factorise(X, RCOND).rank == expected.rank, exponent
        if 7 <= exponent <= 12:
            assert GramDesign.factorise(X, RCOND) is None
        if exponent >= 15:
            assert GramDesign.factorise(X, RCOND) is not None


@pytest.mark.parametrize("factor", [1.1, 1.5, 3.0])
@pytest.mark.parametrize("side", [-1, 1])
def test_just_beside_the_cut_off_the_rank_is_exact(factor, side, rng):
    values = np.r_[np.ones(10), RCOND * factor**side]
    X = with_singular_values(rng, 50, 30, values)
    assert factorise(X, RCOND).rank == 11 + (side > 0)


@pytest.mark.parametrize("rcond", [0.0, 1e-14, 1e-6, 1e-3, 0.05, 0.9])
def test_other_cut_offs(rcond, rng):
    """The last column is the sum of two others: its singular value is rounding, which only a cut-off of 0 counts."""
    X = with_singular_values(rng, 50, 12, np.geomspace(1, 0.01, 12))
    X = np.c_[X, X[:, 0] + X[:, 1]]
    assert factorise(X, rcond).rank == Design.factorise(X, rcond).rank


@given(seed=st.integers(0, 10_000), rows=st.integers(1, 40), columns=st.integers(1, 40), sparse=st.booleans())
@example(seed=367, rows=35, columns=35, sparse=False)  # solutions of 200 at a condition number of 3e4
def test_counts_with_equal_rows_and_columns(seed, rows, columns, sparse):
    """Small counts, with columns of zeros, equal columns, equal rows and columns of very different sizes."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, (rows, columns)).astype(float)
    X = X[rng.integers(rows, size=rows)][:, rng.integers(columns, size=columns)] * 10.0 ** rng.integers(-1, 2, columns)
    X = sp.csr_array(X) if sparse else X
    assert_same(factorise(X, RCOND), X, rng.standard_normal((rows, 2)))


def test_columns_of_very_different_sizes(rng):
    X = rng.standard_normal((80, 10)) * 10.0 ** np.linspace(-2, 2, 10)
    design = GramDesign.factorise(X, RCOND)
    assert design is not None
    assert_same(design, X, rng.standard_normal((80, 2)))


@pytest.mark.parametrize("shape", [(300, 60), (60, 300), (800, 300)])
def test_sparse_features_and_their_stored_form_do_not_matter(shape, rng):
    """Small features are multiplied as dense, large ones as sparse, whatever they come as."""
    X = sp.random_array(shape, density=0.05, rng=rng, format="csr")
    entries = sp.coo_array(X)
    halves = sp.csr_array(
        (np.repeat(entries.data / 2, 2), np.repeat(entries.col, 2), 2 * X.indptr), shape=shape
    )  # every entry in two parts
    targets = rng.standard_normal((shape[0], 2))
    solution = factorise(X.toarray(), RCOND).coefficients(targets)
    with_zeros = X.copy()
    with_zeros.data[::7] = 0.0
    np.testing.assert_array_equal(
        factorise(with_zeros, RCOND).coefficients(targets), factorise(with_zeros.toarray(), RCOND).coefficients(targets)
    )
    for form in (X, halves):
        np.testing.assert_array_equal(factorise(form, RCOND).coefficients(targets), solution)
        assert_same(factorise(form, RCOND), form, targets)
    assert not halves.has_canonical_format  # the caller's matrix stays as it is


@pytest.mark.parametrize("rcond", [-1e-3, 1.0, float("nan")])
def test_impossible_cut_offs_are_refused(rcond):
    with pytest.raises(DataError, match=r"rcond must lie in \[0, 1\)"):
        factorise(np.eye(3), rcond)


@pytest.mark.parametrize(
    "name",
    ["emotions", "yeast", *(pytest.param(name, marks=pytest.mark.slow) for name in ("genbase", "medical", "enron"))],
)
def test_published_data_take_the_short_way(name, mirror, rng):
    entry = read_catalogue()[name]
    data = entry.read(entry.fetch(mirror, None))
    rows = rng.permutation(data.X.shape[0])[: 2 * data.X.shape[0] // 3]
    X, Y = data.X[rows], np.asarray(data.Y, dtype=float)[rows]
    design = GramDesign.factorise(X, RCOND)
    assert design is not None
    assert_same(design, X, Y)
