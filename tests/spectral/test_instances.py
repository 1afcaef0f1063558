"""Wide features: systems over the instances, coordinates by a Cholesky factor or by eigenvectors, and their memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from definitions import make
from projection_problems import data, random_labels, same_directions

from mlreduce.exceptions import DataError
from mlreduce.linalg import features as module
from mlreduce.linalg.features import Features
from mlreduce.spectral import Form, solver
from mlreduce.spectral.instances import RowSpace, inverse_times, row_space

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])

THIN = {
    "opls": {},
    "cca": {},
    "rcca": {"ridge": 3.0},
    "hsl1": {"ridge": None},
    "hsl3": {"ridge": 0.0},
    "mddmf": {"scatter_weight": 0.3},
    "lda-copy": {"ridge": "1%"},
    "mlda": {"ridge": None},
    "wmlda": {"ridge": 2.0},
    "sir": {"ridge": 0.5},
    "mesd-fda": {"ridge": 1.0, "weighted": True},
}


@pytest.fixture
def wide(rng):
    """Thirty-six rows of 90 features, of which two occur twice and some have no label."""
    X, Y = data(rng, 36, 90, 5, density=0.4)
    X[7], X[30] = X[8], X[9]
    Y[[3, 12, 20]] = 0
    return X, Y


@pytest.mark.parametrize("name", THIN)
@both
def test_systems_over_the_instances_agree_with_matrices_over_the_row_space(name, kind, wide, monkeypatch):
    X, Y = wide
    direct = make(name, **THIN[name]).fit(kind(X), Y)
    others = {key: strategy for key, strategy in solver.STRATEGIES.items() if key != "least squares"}
    monkeypatch.setattr(solver, "STRATEGIES", others)
    same_directions(direct, make(name, **THIN[name]).fit(kind(X), Y), rtol=1e-9, atol=1e-9)
    monkeypatch.setattr(RowSpace, "of_cholesky", lambda features: None)
    same_directions(direct, make(name, **THIN[name]).fit(kind(X), Y), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["mlsi", "morp", "dmlda", "mesd-mmc"])
@both
def test_coordinates_do_not_matter(name, kind, wide, monkeypatch):
    X, Y = wide
    first = make(name).fit(kind(X), Y)
    monkeypatch.setattr(RowSpace, "of_cholesky", lambda features: None)
    same_directions(first, make(name).fit(kind(X), Y), rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("centred", [False, True])
@both
def test_a_row_space_is_spanned_by_an_orthonormal_basis(centred, kind, wide):
    features = Features(kind(wide[0]), centred)
    expected = features.dense()
    for space in (RowSpace.of_cholesky(features), RowSpace.of_eigenvectors(features)):
        basis = space.times(features, np.eye(space.coordinates.shape[1]))
        assert basis.shape == (90, 34 - centred)
        np.testing.assert_allclose(basis.T @ basis, np.eye(34 - centred), atol=1e-10)
        np.testing.assert_allclose(space.coordinates.X @ basis.T, expected, atol=1e-10)


def test_ill_conditioned_rows_are_left_to_eigenvectors(wide, rng):
    X = wide[0].copy()
    X[7] += 1e-4 * rng.standard_normal(90)
    features = Features(X, centred=False)
    assert RowSpace.of_cholesky(features) is None
    space = row_space(features)
    basis = space.times(features, np.eye(35))
    np.testing.assert_allclose(basis.T @ basis, np.eye(35), atol=1e-9)
    np.testing.assert_allclose(space.coordinates.X @ basis.T, X, atol=1e-9)


@pytest.mark.parametrize("weights", ["common", "different"])
@pytest.mark.parametrize("factor", [False, True], ids=["scatter", "within classes"])
@both
def test_the_inverse_of_a_constraint(weights, factor, kind, wide, rng):
    X, Y = wide
    Y[:, 0] = Y.sum(axis=1) == 0
    counts = 2.5 if weights == "common" else Y.sum(axis=1).astype(float)
    features, targets = Features(kind(X), centred=True), rng.standard_normal((36, 3))
    targets -= targets.mean(axis=0)
    constraint = Form(weights=counts, ridge=0.7)
    if factor:
        constraint = constraint + Form(factor=sp.csr_array(Y), middle=-np.diag(0.5 / Y.sum(axis=0)))
    expected = np.linalg.solve(constraint.matrix(features), features.transposed_dot(targets))
    np.testing.assert_allclose(inverse_times(features, constraint, targets), expected, rtol=1e-9, atol=1e-11)


def test_the_inverse_of_a_scatter_is_that_on_the_row_space(wide, rng):
    features, targets = Features(wide[0], centred=True), rng.standard_normal((36, 3))
    expected = np.linalg.pinv(features.dense()) @ targets
    np.testing.assert_allclose(inverse_times(features, Form(weights=1.0), targets), expected, atol=1e-11)


def test_constraints_that_need_another_way(wide):
    X, Y = wide
    features, counts = Features(X, centred=True), Y.sum(axis=1).astype(float)
    assert inverse_times(features, Form(weights=counts, ridge=1.0), np.eye(36)) is None  # of rows without weight
    assert inverse_times(features, Form(ridge=1.0), np.eye(36)) is None
    assert inverse_times(features, Form(weights=1.0, ridge=1e-8), np.eye(36)) is None  # ill-conditioned
    inside = Form(weights=counts, factor=Y, middle=-np.diag(1.0 / Y.sum(axis=0)))
    assert inverse_times(features, inside, Y) is None  # singular without a ridge


@pytest.mark.parametrize("name", ["opls", "rcca", "hsl3", "lda-copy", "mesd-fda", "sir"])
@pytest.mark.filterwarnings("ignore::mlreduce.exceptions.DegenerateWarning")
def test_no_array_of_the_shape_of_wide_features(name, rng):
    n, d = 250, 40_000
    X = sp.random_array((n, d), density=0.002, rng=rng, format="csr")
    Y = sp.csr_array(random_labels(rng, n, 4))
    make(name).fit(X[:, :300], Y)
    tracemalloc.start()
    make(name).fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * n * d * 8


@pytest.mark.parametrize(
    ("name", "parameters", "fits"),
    [("pca", {}, False), ("pca", {"n_components": 3}, True), ("rcca", {"ridge": 1.0}, True), ("mlsi", {}, False)],
)
def test_what_does_not_fit_is_refused_by_its_bytes(name, parameters, fits, rng, monkeypatch):
    """As many directions as rows are a table of 240 MB; as few as labels, or a few wanted, are not."""
    X = sp.random_array((300, 100_000), density=1e-4, rng=rng, format="csr")
    Y = random_labels(rng, 300, 4)
    monkeypatch.setattr("mlreduce.validation.memory.memory_left", lambda: (1e8, "ulimit -v"))
    method = make(name, **parameters)
    if fits:
        assert method.fit(X, Y).n_components_ > 0
        return
    monkeypatch.setattr(Features, "new_gram", None)  # before the work
    refusal = r"300 rows and 100000 features needs about 0.2\d+ GB .* request fewer directions"
    with pytest.raises(DataError, match=refusal):
        method.fit(X, Y)


def test_products_of_rows_in_a_loop_are_those_of_scipy(rng, monkeypatch):
    X = sp.random_array((40, 70), density=0.2, rng=rng, format="csr")
    expected = module.row_products(X)
    monkeypatch.setattr(module, "_MANY_PRODUCTS", 0)
    np.testing.assert_allclose(module.row_products(X), expected, rtol=1e-14)
    X.sort_indices()
    wide_integers = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
    np.testing.assert_array_equal(module.row_products(wide_integers), module.row_products(X))
