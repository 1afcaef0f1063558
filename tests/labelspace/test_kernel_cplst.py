from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import rbf_kernel

import mlreduce
from mlreduce.evaluation.label_space import LabelSpaceStrategy
from mlreduce.evaluation.splitting import random_orders, split_rows
from mlreduce.exceptions import DataError
from mlreduce.labelspace.kernel_cplst import KernelCPLST, KernelOCCA
from mlreduce.linalg.kernels import kernel_ridge


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_the_default_width_is_the_mean_distance(kind, example):
    X, Y = example
    coder = KernelCPLST().fit(kind(X), Y)
    assert coder.gamma_ == pytest.approx(1 / np.square(pdist(X)).mean(), rel=1e-12)
    given = KernelCPLST(gamma=coder.gamma_).fit(X, Y)
    np.testing.assert_allclose(coder.components_, given.components_, atol=1e-8)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_codes_of_kernel_occa_are_those_predicted_best(alpha, size, example, rng):
    """The error that `kernel-ridge` leaves on the training rows; the eigenvalues are its parts."""
    X, Y = example
    coder = KernelOCCA(size, gamma=0.2, alpha=alpha).fit(X, Y)

    def error(V):
        codes = (Y - Y.mean(axis=0)) @ V.T
        return np.sum((mlreduce.KernelRidgeRegressor(gamma=0.2, alpha=alpha).fit(X, codes).predict(X) - codes) ** 2)

    assert error(coder.components_) == pytest.approx(-coder.eigenvalues_.sum(), rel=1e-6)
    others = KernelCPLST(size, gamma=0.2, alpha=alpha), mlreduce.PLST(size)
    rivals = [other.fit(X, Y).components_ for other in others]
    rivals += [scipy.linalg.qr(rng.standard_normal((Y.shape[1], Y.shape[1])))[0][:size] for _ in range(5)]
    assert all(error(coder.components_) <= error(V) * (1 + 1e-9) for V in rivals)


@given(st.integers(0, 10_000), st.integers(1, 4), st.floats(1e-2, 10), st.floats(1e-2, 10))
def test_no_random_orthonormal_code_beats_it(seed, size, gamma, alpha):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((25, 3)), (rng.random((25, 4)) < 0.4).astype(float)
    K, Z = rbf_kernel(X, gamma=gamma), Y - Y.mean(axis=0)

    def errors(V):
        return np.sum((Z - Z @ V.T @ V) ** 2) + np.sum(kernel_ridge(K, alpha, Z @ V.T).residual ** 2)

    own = KernelCPLST(size, gamma=gamma, alpha=alpha).fit(X, Y).components_
    assert errors(own) <= errors(scipy.linalg.qr(rng.standard_normal((4, 4)))[0][:size]) + 1e-9


@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf, "much", False])
@pytest.mark.parametrize("name", ["gamma", "alpha"])
@pytest.mark.parametrize("cls", [KernelCPLST, KernelOCCA])
def test_impossible_parameters(cls, value, name, example):
    with pytest.raises(DataError, match=f"{name} must be a number > 0; got"):
        cls(**{name: value}).fit(*example)


def test_studies_fit_it_with_the_parameters_chosen_per_split():
    data = mlreduce.load_dataset("digits")
    rows = np.arange(120)
    data = mlreduce.datasets.MultiLabelData(data.X[rows], data.Y[rows], data.feature_names, data.label_names, data.name)
    splits = {i: split_rows(order, 0.5) for i, order in enumerate(random_orders(120, 2, 0, "digits"))}
    methods = {"plst": {}, "cplst": {}, "wide": {"method": "kernel-cplst", "gamma": 0.01}}
    chosen = {("1", label): {"gamma": 2.0, "alpha": 0.25} for label in methods}
    fitted = dict(LabelSpaceStrategy(data).fit(splits, methods, chosen=chosen))
    for number, gamma, alpha in ((0, 0.01, "loo"), (1, 2.0, 0.25)):
        train = splits[number].train
        expected = KernelCPLST(gamma=gamma, alpha=alpha).fit(data.X[train], data.Y[train])
        np.testing.assert_array_equal(fitted[str(number), "wide"]["components_"], expected.components_)
    without = dict(LabelSpaceStrategy(data).fit(splits, methods))
    for label in ("plst", "cplst"):
        np.testing.assert_array_equal(fitted["1", label]["components_"], without["1", label]["components_"])


def test_a_kernel_beyond_memory_is_refused(monkeypatch):
    monkeypatch.setattr("os.sysconf", lambda name: 1000)
    for method in (KernelCPLST(), KernelOCCA(), mlreduce.make("kernel-ridge")):
        with pytest.raises(DataError, match=r"GB of memory .*300 rows|300 rows .*GB of memory"):
            method.fit(np.eye(300, 2), np.eye(300, 3))
