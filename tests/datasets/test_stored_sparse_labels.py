"""Data sets whose labels are a CSR array: the same as with dense labels, in every format, and never made dense."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import mlreduce
from mlreduce.datasets import MultiLabelData
from mlreduce.exceptions import ConfigurationError, DataError

ROWS, FEATURES, LABELS = 40, 6, 9


@pytest.fixture
def many(monkeypatch):
    """Count 20 cells as many."""
    for module in ("validation.labels", "datasets.arrays"):
        monkeypatch.setattr(f"mlreduce.{module}.DENSE_CELLS", 20)


def _made(sparse_features=True):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((ROWS, FEATURES)) < 0.3, rng.integers(1, 9, (ROWS, FEATURES)) / 4, 0.0)
    Y = (rng.random((ROWS, LABELS)) < 0.08).astype(np.int8)
    X[3], Y[3] = 0, 0  # a row of nothing
    Y[0] = X[0] = 1
    names = [f"x{i}" for i in range(FEATURES)], [f"l{i}" for i in range(LABELS)]
    return MultiLabelData(sp.csr_array(X) if sparse_features else X, Y, *names, "made")


@pytest.fixture(params=[True, False], ids=["sparse X", "dense X"])
def dense(request):
    return _made(request.param)


@pytest.fixture
def stored(dense):
    return replace(dense, Y=sp.csr_array(dense.Y))


def _same(found, Y):
    assert isinstance(found, sp.csr_array)
    assert found.dtype == np.int8
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), Y)


def test_statistics_and_checks_are_those_of_dense_labels(dense, stored):
    assert stored.describe() == dense.describe()
    assert stored.check() == dense.check()
    assert repr(stored) == repr(dense)
    assert not stored.has_unknown_labels
    _, labels = stored.as_frame()
    assert labels.sparse.density == stored.Y.nnz / (ROWS * LABELS)
    np.testing.assert_array_equal(labels, dense.Y)


@pytest.mark.parametrize("form", [sp.csc_matrix, sp.coo_array, sp.csr_matrix])
def test_any_sparse_labels_become_ones(dense, form):
    given = form(dense.Y.astype(np.float64))
    _same(replace(dense, Y=given).Y, dense.Y)
    doubled = sp.csr_array(dense.Y)
    doubled.data = 2 * doubled.data
    with pytest.raises(DataError, match="y holds 2 in column 0, row 0"):
        replace(dense, Y=doubled)


FILES = ["d.npz", "d.arff", "d.csv", "d.parquet", "d.svm", "d.xmc"]


@pytest.mark.parametrize("name", FILES)
def test_files_are_written_and_read_without_dense_labels(dense, stored, tmp_path, many, monkeypatch, name):
    plain, path = tmp_path / f"plain-{name}", tmp_path / name
    dense.save(plain)
    labels = {"labels": {"last": LABELS}} if name.endswith(("csv", "parquet")) else {}
    table = bool(labels)
    with monkeypatch.context() as patched:
        if not table:
            patched.setattr(sp.csr_array, "toarray", None)  # X neither
            patched.setattr(sp.csc_array, "toarray", None)
        stored.save(path)
        if name != "d.npz":
            assert path.read_bytes() == plain.read_bytes()
        data = mlreduce.read(path, **labels)
    _same(data.Y, dense.Y)
    assert data.label_names == (dense.label_names if name not in ("d.svm", "d.xmc") else list(map(str, range(LABELS))))
    np.testing.assert_array_equal(data.as_frame()[0], dense.as_frame()[0])
    assert not sp.issparse(mlreduce.read(path, sparse_labels=False, **labels).Y)


def test_matlab_labels_stay_sparse(tmp_path, many):
    data = _made()
    for target in (data.Y, data.Y.T):
        scipy.io.savemat(tmp_path / "m.mat", {"data": data.X, "target": sp.csc_array(target.astype(float))})
        _same(mlreduce.read(tmp_path / "m.mat").Y, data.Y)
    full = {"labels": {"last": LABELS}, "variables": ["both"]}
    scipy.io.savemat(tmp_path / "m.mat", {"both": sp.csc_array(np.hstack([data.X.toarray(), data.Y]))})
    _same(mlreduce.read(tmp_path / "m.mat", **full).Y, data.Y)


HEAD = (
    "@relation 'r: -C 3'\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute c numeric\n@attribute x numeric\n@data\n"
)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("{2 3}\n{2 2}", r"'c' is 3 in data row 1; labels must be 0/1 or -1/1, or name the values for 0 and 1"),
        ("{0 1}\n{2 0.5}\n{0 1,2 7}", r"the label 'c' is 0.5 in data row 2"),
        ("{2 -1}\n{2 1}", r"the label 'c' mixes 0 and -1; is one of them unknown"),
    ],
)
def test_errors_are_those_of_dense_labels(tmp_path, many, monkeypatch, rows, sentence):
    path = tmp_path / "a.arff"
    path.write_text(HEAD + rows + "\n" + "{3 1}\n" * 7)
    with pytest.raises(DataError, match=sentence) as sparse:
        mlreduce.read(path)
    monkeypatch.setattr("mlreduce.datasets.arrays.DENSE_CELLS", 2**25)
    with pytest.raises(DataError, match=sentence) as dense:
        mlreduce.read(path)
    assert str(sparse.value) == str(dense.value)


def test_signs_and_what_is_left_out(tmp_path, many):
    signs = HEAD.replace("a {0,1}", "a {1,0}")  # a row that leaves the label out has it
    (tmp_path / "a.arff").write_text(signs + "{2 -1}\n" * 8 + "{0 0,2 1}\n")
    expected = [[1, 0, 0]] * 8 + [[0, 0, 1]]
    np.testing.assert_array_equal(mlreduce.read(tmp_path / "a.arff").Y, expected)
    names = "".join(f"@attribute l{i} {{0,1}}\n" for i in range(20))
    head = HEAD.replace("-C 3", "-C 23").replace("@attribute x", f"{names}@attribute x")
    (tmp_path / "a.arff").write_text(head + "{2 -1}\n" * 8 + "{0 1,2 1}\n")
    _same(mlreduce.read(tmp_path / "a.arff").Y[:, :3], [[0, 0, 0]] * 8 + [[1, 0, 1]])
    (tmp_path / "a.arff").write_text(HEAD + "{2 ?}\n" * 8 + "{0 1,2 1}\n")
    assert np.isnan(mlreduce.read(tmp_path / "a.arff").Y[:8, 2]).all()


def test_kept_as_is_said(tmp_path):
    _made().save(tmp_path / "d.arff")
    assert isinstance(mlreduce.read(tmp_path / "d.arff").Y, np.ndarray)
    _same(mlreduce.read(tmp_path / "d.arff", sparse_labels=True).Y, _made().Y)
    _same(mlreduce.load_dataset("digits-300", sparse_labels=True).Y, mlreduce.load_dataset("digits-300").Y)
    unknown = _made().Y.astype(float)
    unknown[2, 2] = np.nan
    replace(_made(), Y=unknown).save(tmp_path / "d.arff")
    with pytest.raises(DataError, match=r"some labels are unknown \(NaN\)"):
        mlreduce.read(tmp_path / "d.arff", sparse_labels=True)


@pytest.mark.parametrize(
    "change",
    [
        {"Y_indices": np.array([99] * 3, dtype=np.int32)},
        {"Y_indptr": np.array([0, 3, 1, *[3] * (ROWS - 2)], dtype=np.int32)},
        {"Y_indices": np.array([2, 1, 1], dtype=np.int32)},
        {"Y_shape": np.array([ROWS, 10**15])},
        {"Y_indptr": np.zeros(3)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_damaged_labels_are_refused(tmp_path, change):
    labels = sp.csr_array((np.ones(3, np.int8), [0, 1, 2], [0, 3, *[3] * (ROWS - 1)]), shape=(ROWS, LABELS))
    arrays = replace(_made(), Y=labels).arrays()
    assert "Y_data" not in arrays
    np.savez_compressed(tmp_path / "d.npz", **arrays | change)
    with pytest.raises(DataError, match="not a complete prepared data set|do not match"):
        mlreduce.read(tmp_path / "d.npz")


@pytest.mark.parametrize("rows", [1, 3, 7])
def test_blocks_of_a_file_are_one_data_set(tmp_path, monkeypatch, rows):
    path = tmp_path / "d.svm"
    _made().save(path)
    whole = mlreduce.read(path)
    monkeypatch.setattr("mlreduce.datasets.readers.svmlight._BLOCK", 15 * rows)
    parts = mlreduce.read(path)
    assert (parts.X != whole.X).nnz == 0
    np.testing.assert_array_equal(parts.Y, whole.Y)
    unmarked = [line for line in path.read_text().splitlines() if "CRC-32" not in line]
    path.write_text("\n".join([*unmarked, "1 3:x\n"]))
    with pytest.raises(DataError, match=rf"d.svm, line {ROWS + 2}: a row is"):
        mlreduce.read(path)


def test_many_numbers_are_no_reason_to_refuse(tmp_path):
    path = tmp_path / "d.xmc"
    path.write_text("34 4 1000000\n0,999999 1:1\n" + "7 2:1\n" * 33)
    data = mlreduce.read(path)
    assert (data.Y.shape, data.Y.nnz, data.label_names[-1]) == ((34, 1_000_000), 35, "999999")
    with pytest.raises(ConfigurationError, match="takes no sep"):
        mlreduce.read(path, sep=";")
