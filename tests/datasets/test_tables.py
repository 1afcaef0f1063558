from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mlreduce.datasets.readers.tables import read_tables
from mlreduce.exceptions import DataError


@pytest.fixture
def read(tmp_path):
    """Read a text, or a table of Arrow, as features and labels alike."""

    def do(content, suffix=".csv"):
        path = tmp_path / f"t{suffix}"
        if isinstance(content, pa.Table):
            pq.write_table(content, tmp_path / "t.parquet")
            path = tmp_path / "t.parquet"
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
        return read_tables(path, path)

    return do


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,a\n1,0\n", r"t\.csv: two columns are called 'a'; names must differ"),
        ("a,b\n1,0\n\n1\n", r"t\.csv, line 4: 1 cells under 2 names of columns; is the row cut off"),
        ("a,b\n1,0,1\n0,1,1\n", r"t\.csv, line 2: 3 cells under 2 names of columns"),
        ("a,b\n1,0,0\n2,1,1\n", r"t\.csv, line 2: 3 cells under 2"),
        ("a,b\n1,0\n1,0,1\n", r"t\.csv, line 3: 3 cells under 2"),
        ("a\n1e400\n", "infinite or too large"),
        ("a\n-inf\n", "infinite or too large"),
        ("a\n" + "9" * 400 + "\n", "infinite or too large"),
        ("a\n1_000\n", "the column 'a' is not numeric"),
        ("a\n1+2j\n", "the column 'a' is not numeric"),
        ("a\n2001-01-01\n", "the column 'a' is not numeric"),
        ('"a\nb",c\n1,0\n', r"the name of a column contains an unprintable character: 'a\\nb'"),
        ("a\0,b\n1,0\n", "unprintable character"),
        ("a" * 1001 + "\n1\n", "longer than 1000 characters"),
        ("a\n", "no rows"),
        ("\n\n", "cannot be read as a table"),
        ('a\n"' + "1" * 140_000 + '"\n', "cannot be read as a table: field larger"),
        ("a,b\n1,0\n".encode("utf-16"), r"t\.csv: not UTF-8 text; name its encoding"),
        ("ä\n1\n".encode("latin-1"), r"t\.csv: not UTF-8 text; name its encoding"),
    ],
)
def test_tables_that_only_look_right(read, text, message):
    with pytest.raises(DataError, match=message):
        read(text)


@pytest.mark.parametrize(
    "text",
    ["a,b\n1,0\n0,1\n", "\ufeffa,b\r\n1,0\r\n0,1\r\n", '"a","b"\r1,0\r0,1', "\n\na,b\n1,0\n\n0,1\n\n"],
)
def test_line_ends_and_marks_do_not_matter(read, text):
    data = read(text)
    assert data.feature_names == ["a", "b"]
    np.testing.assert_array_equal(data.X, [[1, 0], [0, 1]])


def test_empty_cells_are_missing(tmp_path):
    (tmp_path / "f.csv").write_text("a,b\n1,\n,\n0.5,2\n")
    (tmp_path / "l.tsv").write_text("x\ty\n1\t-1\n-1\t-1\n1\t1\n")
    data = read_tables(tmp_path / "f.csv", tmp_path / "l.tsv")
    np.testing.assert_array_equal(data.X, [[1, np.nan], [np.nan, np.nan], [0.5, 2]])
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 0], [1, 1]])


def test_pandas_metadata_are_ignored(read):
    frame = pd.DataFrame({"a.b": [1, 0], "c": [True, False]}, index=["x", "y"])
    table = pa.Table.from_pandas(frame)
    assert "__index_level_0__" in table.column_names
    data = read(table)
    assert data.feature_names == ["a.b", "c"]
    np.testing.assert_array_equal(data.X, [[1, 1], [0, 0]])
    for noted in ("[]", '{"index_columns": 5}', '{"index_columns": [{"kind": "range"}, 5]}'):
        plain = pa.table({"a": [1, 0]}).replace_schema_metadata({"pandas": noted})
        assert read(plain).feature_names == ["a"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.Table.from_arrays([pa.array([1]), pa.array([0])], names=["a", "a"]), "two columns are called 'a'"),
        (pa.table({"a": pa.array(["1"] * 3)}), "the column 'a' is not numeric"),
        (pa.table({"a": pa.array(["1"] * 3).dictionary_encode()}), "the column 'a' is not numeric"),
        (pa.table({"a": pa.array([[1], [0]])}), "the column 'a' holds lists"),
        (pa.table({"a": pa.array([1], pa.timestamp("s"))}), "the column 'a' is not numeric"),
        (pa.table({"a": pa.array([None], pa.null())}), "the column 'a' is not numeric"),
        (pa.table({"a": [1.0, np.inf]}), "infinite or too large"),
        (pa.table({}), "no rows"),
        (pa.table({"a": [1]}).replace_schema_metadata({"pandas": "{"}), "cannot be read as a table"),
        (pa.table({"a\n": [1]}), "unprintable character"),
    ],
)
def test_parquet_that_only_looks_right(read, table, message):
    with pytest.raises(DataError, match=rf"t\.parquet: .*{message}"):
        read(table)
