from __future__ import annotations

import pytest
import scipy.sparse as sp

from mlreduce.datasets.readers.svmlight import read_svmlight
from mlreduce.exceptions import DataError


@pytest.fixture
def write(tmp_path):
    def do(content, name="a.svmlight"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return do


def test_parts_are_stacked_with_all_their_labels(write):
    train = write(b"# made by hand\n10,2 1:3 4:0.5\n2\n")
    test = write(b" 4:1 # no label\n7 2:2e1\n", "b.svmlight")
    data = read_svmlight([train, test], 5, "set")
    assert isinstance(data.X, sp.csr_array)
    assert data.X.toarray().tolist() == [[3, 0, 0, 0.5, 0], [0] * 5, [0, 0, 0, 1, 0], [0, 20, 0, 0, 0]]
    assert data.Y.tolist() == [[1, 0, 1], [1, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert (data.feature_names, data.label_names, data.name) == (["1", "2", "3", "4", "5"], ["2", "7", "10"], "set")


@pytest.mark.parametrize(
    "row",
    ["1 0:1", "1 6:1", "1 3:1 2:1", "1 2:1 2:1", "1 2:x", "x 2:1", "1 2:1 3", "1,,2 2:1", "1 99999999999999999999:1"],
)
def test_bad_rows_are_named_with_their_line(write, row):
    with pytest.raises(
        DataError, match=r"a\.svmlight, line 2: a row is '1,5 3:2 17:1', features ascending from 1 to 5"
    ):
        read_svmlight([write(f"1 1:1\n{row}\n".encode())], 5)


@pytest.mark.parametrize(
    "row", ["nan 1:1", "inf 1:1", "1 1:1e400", "1 1:nan", "1e999 1:1", "1 qid:3 1:1", "1_0 1:1", "1 1:1_0", "1 1:0x1"]
)
def test_numbers_are_finite_and_written_plainly(write, row):
    with pytest.raises(DataError, match=r"a\.svmlight, line 2: a row is .* all numbers finite"):
        read_svmlight([write(f"1 1:1\n{row}\n".encode())], 5)


def test_words_in_comments_are_no_rows(write):
    assert read_svmlight([write(b"# nan qid:1 1_0\n1 1:1 # inf_q\n")], 5).X.nnz == 1


def test_labels_have_names_of_their_own(write):
    labels = b"1000001,1000002,-0,0,1.5,12345678901234567890\n"
    data = read_svmlight([write(labels)], 5)
    assert data.label_names == ["0", "1.5", "1000001", "1000002", "1.2345678901234567e+19"]


def test_files_without_rows(write, tmp_path):
    with pytest.raises(DataError, match="no rows"):
        read_svmlight([write(b"\n# nothing\n")], 5)
    with pytest.raises(DataError, match="none.svmlight: no such file"):
        read_svmlight([tmp_path / "none.svmlight"], 5)
