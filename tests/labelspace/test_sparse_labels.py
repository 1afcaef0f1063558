"""Sparse labels: the same numbers as of dense ones, without a table of all labels where a method needs none."""

from __future__ import annotations

import os
from pathlib import Path

import definitions
import numpy as np
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.labelspace import CodedClassifier, LabelStatistics
from mlreduce.validation import as_dense

CODERS = mlreduce.registry.method_names("labelspace")
WITHOUT_PAIRS = ["br", "cplst", "cs", "cssp", "kernel-cplst", "pbr", "plst"]
LEADING = ["cplst", "cssp", "kernel-cplst", "plst"]


def make(name, **parameters):
    if name in ("cs", "cssp", "pbr"):
        parameters.setdefault("random_state", 0)
    return mlreduce.make(name, **parameters)


def problem(n, d, q, share=0.2):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, q)) + rng.standard_normal((n, q))
    return X, (scores > np.quantile(scores, 1 - share, axis=0)).astype(float)


@pytest.fixture
def memory(monkeypatch):
    """Have the machine report so many bytes beyond those that this process holds."""
    page = os.sysconf("SC_PAGE_SIZE")
    held = int(Path("/proc/self/statm").read_text().split()[1]) * page

    def report(n_bytes):
        pages = {"SC_PHYS_PAGES": (held + n_bytes) // page if n_bytes else 1, "SC_PAGE_SIZE": page}
        monkeypatch.setattr(os, "sysconf", pages.__getitem__)

    return report


@pytest.mark.parametrize("name", CODERS)
def test_sparse_labels_have_the_codes_of_dense_ones(name):
    X, Y = problem(90, 6, 12)
    size = {} if name == "br" else {"n_components": 5}
    for features in (X, sp.csr_array(X)):
        coder, sparse = make(name, **size).fit(features, Y), make(name, **size).fit(features, sp.csr_array(Y))
        for attribute in ("components_", "eigenvalues_", "mean_"):
            np.testing.assert_allclose(
                as_dense(getattr(sparse, attribute)), getattr(coder, attribute), atol=1e-9, err_msg=attribute
            )
        codes = coder.training_codes(Y)
        np.testing.assert_allclose(sparse.training_codes(sp.csr_array(Y)), codes, atol=1e-9)
        np.testing.assert_allclose(sparse.encode(sp.csr_array(Y)), coder.encode(Y), atol=1e-9)
        np.testing.assert_allclose(sparse.encode(Y), coder.encode(Y), atol=1e-9)
        decoded = sparse.decode(codes)
        assert sp.issparse(decoded)
        assert decoded.format == "csr"
        assert decoded.dtype == np.int8
        np.testing.assert_array_equal(decoded.toarray(), coder.decode(codes))
        dense, model = (CodedClassifier(make(name, **size)).fit(features, labels) for labels in (Y, sp.csr_array(Y)))
        np.testing.assert_array_equal(as_dense(model.predict(features)), dense.predict(features))


@pytest.mark.parametrize("name", LEADING)
def test_leading_directions_of_many_labels_are_those_of_the_decomposition(name, monkeypatch):
    X, Y = problem(150, 8, 48)
    expected = make(name, n_components=5).fit(X, Y)
    monkeypatch.setattr("mlreduce.labelspace.statistics._MANY_LABELS", 40)
    monkeypatch.setattr(LabelStatistics, "gram", None)  # Z'Z is not formed
    for labels in (Y, sp.csr_array(Y)):
        coder = make(name, n_components=5).fit(X, labels)
        np.testing.assert_allclose(as_dense(coder.components_), expected.components_, atol=1e-9)
        np.testing.assert_allclose(coder.eigenvalues_, expected.eigenvalues_, rtol=1e-9)


def test_multiple_eigenvalues_of_many_labels_are_found(monkeypatch):
    monkeypatch.setattr("mlreduce.labelspace.statistics._MANY_LABELS", 40)
    counts = np.repeat([9, 2, 1], [20, 10, 66])  # rows of each label; no row has two
    Y = np.repeat(np.eye(len(counts)), counts, axis=0)
    scatter = np.cov(Y.T, bias=True) * len(Y)
    for size in (12, 5):
        coder = mlreduce.PLST(n_components=size).fit(None, sp.csr_array(Y))
        np.testing.assert_allclose(coder.eigenvalues_, np.linalg.eigvalsh(scatter)[::-1][:size])
        np.testing.assert_allclose(coder.components_ @ coder.components_.T, np.eye(size), atol=1e-9)
        directions = coder.components_
        np.testing.assert_allclose(
            directions @ scatter @ directions.T, np.diag(coder.eigenvalues_), atol=1e-9 * scatter.max()
        )


def test_more_directions_than_many_labels_vary_in_are_orthonormal(monkeypatch):
    monkeypatch.setattr("mlreduce.labelspace.statistics._MANY_LABELS", 40)
    Y = problem(4, 2, 80, share=0.5)[1]
    for name in ("plst", "cssp"):
        coder = make(name, n_components=10).fit(None, sp.csr_array(Y))
        V = as_dense(coder.components_)
        np.testing.assert_allclose(V @ V.T, np.eye(10), atol=1e-9)
        assert np.count_nonzero(coder.eigenvalues_ > 1e-9) == 3
        np.testing.assert_array_equal(coder.decode(coder.encode(Y)).toarray(), Y)


def test_compressed_sensing_decodes_without_pairs_of_labels(monkeypatch):
    _, Y = problem(60, 4, 30, share=0.1)
    coder = make("cs", n_components=20).fit(None, Y)
    codes = coder.encode(Y)
    expected = coder.reconstruct(codes)
    monkeypatch.setattr("mlreduce.labelspace.compressed_sensing._MANY_LABELS", 10)
    np.testing.assert_allclose(coder.reconstruct(codes), expected, atol=1e-9)


@pytest.mark.parametrize("name", CODERS)
def test_what_there_is_no_memory_for_is_refused(name, memory):
    X, Y = problem(30, 3, 12)
    memory(0)
    with pytest.raises(DataError, match=r"needs .* GB of memory"):
        make(name).fit(X, sp.csr_array(Y)).encode(sp.csr_array(Y))


@pytest.mark.parametrize("name", CODERS)
def test_pairs_of_labels_are_needed_by_some(name, memory):
    X, Y = problem(20, 3, 8)
    Y = sp.csr_array(sp.hstack([sp.csr_array(Y), sp.csr_array((20, 7992))]))  # 512 MB for one matrix of all pairs
    memory(2**28)
    size = {} if name == "br" else {"n_components": 4}
    if name in (*WITHOUT_PAIRS, "faie"):  # of faie a matrix of the rows is as good
        coder = make(name, **size).fit(X, Y)
        assert coder.decode(coder.training_codes(Y)).shape == Y.shape
    else:
        with pytest.raises(DataError, match=r"8,?000 labels"):
            make(name, **size).fit(X, Y)


def test_held_out_scores_come_in_blocks(monkeypatch):
    X, Y = problem(90, 6, 12)
    model = CodedClassifier(mlreduce.PLST(n_components=4))
    expected = model._fit_left_out(X, Y)
    monkeypatch.setattr("mlreduce.linalg.distances._BLOCK_BYTES", 8 * 12 * 20)
    blocks = model._fit_held_out_blocks(X, sp.csr_array(Y))
    for _ in range(2):
        parts = list(blocks())
        assert [rows for rows, _ in parts] == [slice(0, 20), slice(20, 40), slice(40, 60), slice(60, 80), slice(80, 90)]
        np.testing.assert_allclose(np.vstack([scores for _, scores in parts]), expected, atol=1e-9)


def test_unknown_labels_are_filled_in_once_from_one_factor(monkeypatch):
    from mlreduce.labelspace import completion

    factors, completions = [], []
    complete = completion.complete_labels

    class Factor:
        @staticmethod
        def from_matrix(matrix):
            factors.append(matrix.shape)
            return factorise(matrix)

    factorise = completion._Factor.from_matrix
    monkeypatch.setattr(completion, "_Factor", Factor)
    monkeypatch.setattr(completion, "complete_labels", lambda *given: completions.append(1) or complete(*given))
    X, Y = definitions.problem("cells", 40, 6, 4)
    CodedClassifier(mlreduce.PLST(), decision="half").fit(X, Y)
    assert completions == [1]
    assert factors == [(6, 6)]
