"""Labels given sparse are checked by their entries, and memory is asked for before it is taken."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlreduce.exceptions import DataError
from mlreduce.validation import check_known_labels, check_labels, check_memory, memory, memory_left

DENSE = np.array([[1, 0, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0]])
FORMATS = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_array, sp.dok_array]
# Larger than any machine as a dense matrix.
HUGE = sp.csr_array(
    (np.ones(3, dtype=np.int8), [7, 600_000_000, 2], np.minimum(np.arange(10**6 + 1), 3)), shape=(10**6, 10**9)
)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", [np.int8, bool, np.float64, np.uint8])
def test_any_sparse_form_is_what_the_dense_one_is(form, kind):
    given = form(DENSE.astype(kind))
    stored = check_labels(given, 4, sparse=True)
    assert isinstance(stored, sp.csr_array)
    assert stored.dtype == np.float64
    np.testing.assert_array_equal(stored.toarray(), DENSE)
    np.testing.assert_array_equal(check_labels(given, 4), DENSE)


def test_labels_are_not_made_dense():
    stored, known = check_known_labels(HUGE, HUGE.shape[0], sparse=True)
    assert known is None
    assert stored.nnz == 3
    with pytest.raises(
        DataError, match=r"dense matrix of the labels needs about 8e\+06 GB .* of 1000000000 labels fit"
    ):
        check_labels(HUGE)


def test_stored_zeros_and_duplicates():
    zeros = sp.csr_array((np.array([1, 0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 3))
    assert check_labels(zeros, sparse=True).nnz == 1
    assert zeros.nnz == 2  # what was given stays
    twice = sp.coo_array(([1, 1], ([0, 1], [2, 2])), shape=(2, 3))
    assert check_labels(twice, sparse=True).nnz == 2
    added = sp.coo_array((np.ones(2), ([0, 0], [2, 2])), shape=(2, 3))
    with pytest.raises(DataError, match=r"y holds 2 in column 2, row 0; labels must be"):
        check_labels(added, sparse=True)
    np.testing.assert_array_equal(check_labels(added.astype(bool)), [[0, 0, 1], [0, 0, 0]])


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (-1, r"y mixes 0 and -1; .* it stores -1 in column 2, row 1"),
        (3, r"y holds 3 in column 2, row 1; labels must be 0/1 or -1/1"),
        (0.5, r"y is continuous: y holds 0.5 in column 2, row 1"),
        (np.inf, r"y holds inf in column 2, row 1"),
        (np.nan, r"y is NaN in column 2, row 1: all labels have to be known here"),
    ],
)
def test_what_is_no_label_is_named(value, sentence, sparse):
    Y = sp.csr_array(DENSE.astype(np.float64))
    Y[1, 2] = value
    with pytest.raises(DataError, match=sentence):
        check_labels(Y, sparse=sparse)


@pytest.mark.parametrize("sparse", [True, False])
def test_signs_stored_throughout(sparse):
    found = check_labels(sp.csr_array(2 * DENSE - 1), sparse=sparse)
    np.testing.assert_array_equal(found.toarray() if sparse else found, DENSE)


def test_stored_nan_are_unknown():
    Y = sp.csr_array(DENSE.astype(np.float64))
    Y[1, 2] = np.nan
    labels, known = check_known_labels(Y, sparse=True)
    np.testing.assert_array_equal(np.argwhere(~known), [[1, 2]])
    assert labels[1, 2] == 0
    huge = HUGE.astype(np.float64)
    huge.data[1] = np.nan
    with pytest.raises(DataError, match="of which some cells are NaN, needs about"):
        check_known_labels(huge, sparse=True)


def test_a_frame_of_many_sparse_columns_stays_sparse(monkeypatch):
    frame = pd.DataFrame.sparse.from_spmatrix(sp.csr_array(DENSE))
    monkeypatch.setattr("mlreduce.validation.labels.DENSE_CELLS", 12)
    monkeypatch.setattr(pd.DataFrame, "__array__", None)
    np.testing.assert_array_equal(check_labels(frame, sparse=True).toarray(), DENSE)


def test_the_least_limit_counts(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "machine_memory", lambda: 8e9)
    monkeypatch.setattr(memory, "taken_memory", lambda: (3e9, 1e9))
    monkeypatch.setattr(memory, "_group_memory", lambda: float("inf"))
    monkeypatch.setattr(memory, "_address_space", lambda: float("inf"))
    assert memory_left() == (7e9, "this machine")
    monkeypatch.setattr(memory, "_group_memory", lambda: 4e9)
    assert memory_left() == (3e9, "the control group of this process")
    monkeypatch.setattr(memory, "_address_space", lambda: 5e9)
    assert memory_left() == (2e9, "ulimit -v")
    check_memory(1.6e9, "a matrix", "")
    with pytest.raises(
        DataError, match=r"a matrix needs about 3.2 GB of memory, and 2 GB are left by .* \(about 50 of"
    ):
        check_memory(3.2e9, "a matrix", "fewer columns", (100, "columns"))


def test_limits_of_control_groups(tmp_path):
    groups = tmp_path / "cgroup"
    groups.write_text("4:cpu,memory:/job/step\n0::/slice/unit\n")
    for folder, name, limit in [
        ("memory", "memory.limit_in_bytes", 9223372036854771712),
        ("memory/job", "memory.limit_in_bytes", 5000),
        ("slice/unit", "memory.max", "max"),
    ]:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / name).write_text(f"{limit}\n")
    assert memory._group_memory(groups, tmp_path) == 5000
    (tmp_path / "slice/memory.max").write_text("4000\n")
    memory._group_memory.cache_clear()
    assert memory._group_memory(groups, tmp_path) == 4000
    assert memory._group_memory(tmp_path / "none", tmp_path) == float("inf")
