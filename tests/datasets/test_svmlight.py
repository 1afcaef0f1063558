from __future__ import annotations

import pytest
import scipy.sparse as sp

from mlreduce.datasets.readers.svmlight import read_svmlight, read_xmc
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
        read_svmlight([write(f"1 1:1\n{row}\n".encode())], 5, zero_based=False)


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


def test_the_number_of_features_is_the_largest_unless_it_is_said(write):
    parts = [write(b"1 2:1\n"), write(b"2 7:1\n", "b.svmlight")]
    assert read_svmlight(parts).X.toarray().tolist() == [[0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1]]
    assert read_svmlight(parts, 9).X.shape == (2, 9)
    with pytest.raises(DataError, match=r"a\.svmlight, line 2: a row is .* features ascending from 1 and all numbers"):
        read_svmlight([write(b"1 2:1\n1 0:1\n")], zero_based=False)
    with pytest.raises(DataError, match="the names of 2000000000 features would need"):
        read_svmlight([write(b"1 2000000000:1\n")])
    with pytest.raises(DataError, match="line 1: a row is"):
        read_svmlight([write(b"1 999999999999:1\n")])
    with pytest.raises(DataError, match="no row has a feature"):
        read_svmlight([write(b"1\n2\n")])


XMC = b"4 6 3\n0,2 0:1.5 5:2\n 3:1\n1 1:-2e1\n2\n"


def test_xmc_counts_from_zero(write):
    data = read_xmc([write(XMC, "a.txt")])
    assert isinstance(data.X, sp.csr_array)
    assert data.X.toarray().tolist() == [[1.5, 0, 0, 0, 0, 2], [0, 0, 0, 1, 0, 0], [0, -20, 0, 0, 0, 0], [0] * 6]
    assert data.Y.tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert (data.feature_names, data.label_names, data.name) == (list("012345"), list("012"), "a")
    both = read_xmc([write(XMC, "a.txt"), write(b"1 6 3\n1 2:1\n", "b.txt")], "both")
    assert (both.X.shape, both.Y.sum()) == ((5, 6), 5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (XMC[6:], r"a\.txt, line 1: an XMC file begins with its numbers of rows, features and labels, as in '6 30 4'"),
        (b"", "line 1: an XMC file begins"),
        (b"4 0 3\n", "line 1: an XMC file begins"),
        (b"9" * 5000, "line 1: an XMC file begins"),
        (b"1 99999999999 3\n0 1:1\n", "line 1: 99999999999 features are more than 2147483647"),
        (b"1 2000000000 3\n0 1:1\n", "2000000000 features, 3 labels would need .* out of proportion"),
        (b"1 3 2000000000\n0 1:1\n", "out of proportion"),
        (XMC.replace(b"4 6", b"5 6"), "its header declares 5 rows, and it has 4; is it truncated"),
        (
            XMC.replace(b"5:2", b"6:2"),
            r"line 2: a row is '1,5 3:2 17:1', labels from 0 to 2, features ascending from 0 to 5",
        ),
        (XMC.replace(b"0,2", b"0,3"), r"line 2: .* labels from 0 to 2.*; got '0,3 0:1.5 5:2'"),
        (XMC.replace(b"\n1 1:", b"\n0.5 1:"), "line 4: .* labels from 0 to 2"),
        (XMC.replace(b"\n1 1:", b"\n-1 1:"), "line 4: .* labels from 0 to 2"),
        (XMC.replace(b"-2e1", b"nan"), "line 4: .* all numbers finite"),
        (XMC.replace(b"-2e1", b"1_0"), "line 4: .* all numbers finite"),
        (XMC.replace(b"\n2\n", b"\n2 x\n"), "line 5"),
    ],
)
def test_bad_xmc_files_are_named_with_their_line(write, text, sentence):
    with pytest.raises(DataError, match=sentence):
        read_xmc([write(text, "a.txt")])


def test_parts_of_xmc_must_agree(write):
    with pytest.raises(DataError, match=r"b\.txt, line 1: 7 features and 3 labels, but .*a\.txt has 6 and 3"):
        read_xmc([write(XMC, "a.txt"), write(b"1 7 3\n1 2:1\n", "b.txt")])
