"""Files that would be read as other data without a word: each is read right, or refused; each remedy is followed."""

from __future__ import annotations

import os
import random
import shutil
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse as sp

import mlreduce
from mlreduce.datasets import MultiLabelData
from mlreduce.datasets.readers.parquet_pages import declared_sizes
from mlreduce.exceptions import ConfigurationError, DataError, MLReduceError, ProjectionWarning

NAN = np.nan


def written(folder, name, text):
    (folder / name).write_bytes(text.encode())
    return folder / name


# --- MATLAB


@pytest.mark.parametrize("order", [("X", "Y", "x", "y"), ("x", "y", "X", "Y")])
def test_variables_that_differ_in_case_only(tmp_path, order):
    values = {"X": [[1.0], [2.0]], "Y": [[1], [0]], "x": [[3.0], [4.0]], "y": [[0], [1]]}
    scipy.io.savemat(tmp_path / "c.mat", {name: values[name] for name in order})
    with pytest.raises(DataError, match=r"variables X and x differ in case only; name those to read exactly"):
        mlreduce.read(tmp_path / "c.mat")
    for names in (("X", "Y"), ("x", "y"), ("x", "Y")):
        data = mlreduce.read(tmp_path / "c.mat", variables=names)
        np.testing.assert_array_equal(data.X, values[names[0]])
        np.testing.assert_array_equal(data.Y, values[names[1]])
    scipy.io.savemat(tmp_path / "d.mat", {"data": values["X"], "Target": values["Y"], "TARGET": values["y"]})
    for variables in (None, ("data", "target")):
        with pytest.raises(DataError, match="variables TARGET and Target differ in case only"):
            mlreduce.read(tmp_path / "d.mat", variables=variables)
    assert mlreduce.read(tmp_path / "d.mat", variables=("DATA", "Target")).Y.tolist() == [[1], [0]]


def test_a_name_twice_in_a_file_of_matlab_is_refused(tmp_path):
    scipy.io.savemat(tmp_path / "c.mat", {"X": [[1.0], [2.0]], "Y": [[1], [0]]})
    content = (tmp_path / "c.mat").read_bytes()
    (tmp_path / "c.mat").write_bytes(content + content[128:])
    with pytest.raises(DataError, match="two variables are called 'X'"):
        mlreduce.read(tmp_path / "c.mat")


def test_the_end_of_a_compressed_stream_is_checked(tmp_path):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 5, (9, 4)).astype(float), rng.integers(0, 2, (9, 3))
    path = tmp_path / "c.mat"
    scipy.io.savemat(path, {"data": X, "target": Y.T}, do_compression=True)
    content = path.read_bytes()
    refused = 0
    for place in range(128, len(content)):
        for bit in (0, 5):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            path.write_bytes(changed)
            try:
                data = mlreduce.read(path)
            except DataError:
                refused += 1
            else:
                np.testing.assert_array_equal(data.X, X)
                np.testing.assert_array_equal(data.Y, Y)
    assert refused > len(content) - 128


# --- tables


@pytest.mark.parametrize("how", [{}, {"keep_text": ["t"]}, {"drop": ["t"]}, {"categories": ["t"]}])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,y,t\n1,0,ok\n2,1,"open\n3,0,c\n4,1,d\n', 3),
        ('a,y,t\n1,0,"open\n2,1,c\n3,0,"d"\n', 2),
        ('a,y,t\n1,0,"a"b\n', 2),
    ],
)
def test_a_quote_that_does_not_end_is_refused_with_its_line(tmp_path, text, line, how):
    with pytest.raises(DataError, match=rf"q\.csv, line {line}: cannot be read as a table: .* A cell that beg"):
        mlreduce.read(written(tmp_path, "q.csv", text), ["y"], **how)


def test_quotes_that_end_are_data(tmp_path):
    path = written(tmp_path, "q.csv", 'a,y,t\n1,0,"two\nlines, ""q"""\n2,1,5" disk\n')
    assert mlreduce.read(path, ["y"], keep_text=["t"]).texts == {"t": ['two\nlines, "q"', '5" disk']}


def test_an_empty_line_in_a_table_of_one_column_is_no_row_left_out(tmp_path):
    X, Y = written(tmp_path, "X.csv", "a\n1\n\n3\n4\n"), written(tmp_path, "Y.csv", "y\n0\n1\n\n1\n")
    with pytest.raises(DataError, match=r"X\.csv, line 3: the line is empty; write NA where a cell is missing"):
        mlreduce.read(X, Y)
    X.write_text(X.read_text().replace("\n\n", "\nNA\n"))
    with pytest.raises(DataError, match=r"Y\.csv, line 4: the line is empty"):
        mlreduce.read(X, Y)
    Y.write_text(Y.read_text().replace("\n\n", "\nNA\n"))
    data = mlreduce.read(X, Y)
    np.testing.assert_array_equal(data.X[:, 0], [1, NAN, 3, 4])
    np.testing.assert_array_equal(data.Y[:, 0], [0, 1, NAN, 1])
    Y.write_text("y\n0\n1\n0\n1\n\n\n")  # behind the last row
    assert mlreduce.read(X, Y).Y.ravel().tolist() == [0, 1, 0, 1]


def test_two_tables_with_empty_lines_at_different_places_are_not_paired(tmp_path):
    X, Y = written(tmp_path, "X.csv", "a,b\n1,1\n\n3,3\n4,4\n"), written(tmp_path, "Y.csv", "y,z\n0,0\n1,1\n\n1,1\n")
    with pytest.raises(DataError, match="empty lines at different places"):
        mlreduce.read(X, Y)
    Y.write_text("y,z\n0,1\n\n1,1\n0,0\n")
    assert mlreduce.read(X, Y).Y.tolist() == [[0, 1], [1, 1], [0, 0]]


def test_two_tables_whose_indices_differ_are_not_paired(tmp_path):
    X = pd.DataFrame({"a": [1.0, 2, 3]}, index=["p", "q", "r"])
    Y = pd.DataFrame({"y": [0, 1, 1]}, index=["p", "r", "q"])
    X.to_csv(tmp_path / "X.csv")
    Y.to_csv(tmp_path / "Y.csv")
    with pytest.raises(DataError, match="their first columns number or name the rows differently"):
        mlreduce.read(tmp_path / "X.csv", tmp_path / "Y.csv")
    Y.loc[X.index].to_csv(tmp_path / "Y.csv")
    with pytest.warns(ProjectionWarning) as caught:
        assert mlreduce.read(tmp_path / "X.csv", tmp_path / "Y.csv").Y.ravel().tolist() == [0, 1, 1]
    assert [Path(str(warning.message).split(":")[0]).name for warning in caught] == ["X.csv", "Y.csv"]


@pytest.mark.parametrize(
    ("text", "how", "sentence", "remedy", "expected"),
    [
        ("a;y\n1.200;0\n3.400;1\n", {"sep": ";", "decimal": ","},
         r"'1\.200'\. .*thousands='\.' with decimal=',' reads 1200",
         {"thousands": "."}, [1200, 3400]),
        ('a,y\n"1,200",0\n"3,400",1\n', {},
         r"'1,200'\. .*thousands=',' reads 1200\. .*decimal=',' reads them, as 1\.200",
         {"thousands": ","}, [1200, 3400]),
        ("a;y\n1,200;0\n3,400;1\n", {"sep": ";", "decimal": ","}, r"decimal=',' with thousands='\.' reads 1\.200",
         {"thousands": "."}, [1.2, 3.4]),
        ("a;y\n1,200;0\n3,400;1\n", {"sep": ";"}, r"thousands=',' reads 1200", {"thousands": ","}, [1200, 3400]),
        ("a;y\n0,5;0\n3,400;1\n", {"sep": ";"}, r"decimal=',' reads them, as 0\.5", {"decimal": ","}, [0.5, 3.4]),
        ('a,y\n"0,5",0\n"3,40",1\n', {"decimal": ","},
         r"sep=',' where the numbers are in quotes", {"sep": ","}, [0.5, 3.4]),
        ("a;y\n1.234,5;0\n-2.000.000,25;1\n", {"sep": ";", "decimal": ","},
         r"is not numeric", {"thousands": "."},
         [1234.5, -2000000.25]),
        ("a;y\n1 234;0\n2;1\n", {"sep": ";"}, "is not numeric", {"thousands": " "}, [1234, 2]),
    ],
)  # fmt: skip
def test_marks_of_thousands_and_decimals(tmp_path, text, how, sentence, remedy, expected):
    path = written(tmp_path, "n.csv", text)
    with pytest.raises(DataError, match=sentence):
        mlreduce.read(path, 1, **how)
    np.testing.assert_array_equal(mlreduce.read(path, 1, **how, **remedy).X[:, 0], expected)


@pytest.mark.parametrize("cell", ["1,2", "12,00", "1,2345", "0,123,4", ",200", "1,200,"])
def test_what_is_no_group_of_three_digits_is_no_number(tmp_path, cell):
    with pytest.raises(DataError, match="is not numeric"):
        mlreduce.read(written(tmp_path, "n.csv", f"a;y\n{cell};1\n"), 1, sep=";", thousands=",")


@pytest.mark.parametrize(
    "how", [{"thousands": "x"}, {"thousands": "."}, {"thousands": ",", "decimal": ","}, {"header": "no"}]
)
def test_arguments_of_tables_that_are_none(tmp_path, how):
    with pytest.raises(ConfigurationError):
        mlreduce.read(written(tmp_path, "n.csv", "a,y\n1,0\n"), 1, **how)


@pytest.mark.parametrize(
    "text", ["1.5,2,0\n2.5,3,1\n3.5,4,0\n", "\n1.5,2,0\n2.5,3,1\n3.5,4,0\n", "NA,2,0\n2.5,3,1\n1,4,0\n"]
)
def test_a_table_without_a_header_loses_no_row(tmp_path, text):
    path = written(tmp_path, "h.csv", text)
    with pytest.raises(DataError, match=r"first line has numbers, .* header=False reads it as a row, header=True"):
        mlreduce.read(path, 1)
    data = mlreduce.read(path, 1, header=False)
    assert data.X.shape == (3, 2)
    assert (data.feature_names, data.label_names) == (["1", "2"], ["3"])
    expected = pd.read_csv(path, header=None).to_numpy()
    np.testing.assert_array_equal(np.hstack([data.X, data.Y]), expected)
    assert mlreduce.read(path, ["3"], header=False).label_names == ["3"]


def test_a_header_of_numbers_is_read_by_header_or_by_names(tmp_path):
    path = written(tmp_path, "h.csv", "400,500,0\n1,2,1\n3,4,0\n")
    for labels, how in ((1, {"header": True}), (["0"], {})):
        data = mlreduce.read(path, labels, **how)
        assert (data.feature_names, data.label_names, data.X.tolist()) == (["400", "500"], ["0"], [[1, 2], [3, 4]])
    mixed = written(tmp_path, "m.csv", "q7,5.1,0\n1,2,1\n3,4,0\n")
    with pytest.warns(ProjectionWarning, match=r"taken for names of columns, though it has the number 5\.1; header"):
        mlreduce.read(mixed, 1)


def test_words_for_truth_in_any_spelling_are_one_feature(tmp_path):
    data = mlreduce.read(written(tmp_path, "w.csv", "a,y\nyes,1\nYES,0\nno,1\n,0\nTrue,1\n"), 1)
    np.testing.assert_array_equal(data.X[:, 0], [1, 1, 0, NAN, 1])


def test_an_encoding_without_its_mark_is_refused(tmp_path):
    (tmp_path / "u.csv").write_bytes("a,y\n1,0\n".encode("utf-16-be"))
    with pytest.raises(DataError, match="not utf-16 text; name its encoding"):
        mlreduce.read(tmp_path / "u.csv", 1, encoding="utf-16")


@pytest.mark.parametrize(
    "index", [pd.RangeIndex(30, 60, 10, name="age"), pd.Index(["p", "q", "r"], name="age"), pd.RangeIndex(5, 8)]
)
def test_an_index_of_pandas_in_parquet_is_reported(tmp_path, index):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "y": [0, 1, 0]}, index=index)
    frame.to_parquet(tmp_path / "i.parquet")
    with pytest.warns(ProjectionWarning, match=r"is the index of the table, .* was left out; reset_index\(\)"):
        assert mlreduce.read(tmp_path / "i.parquet", ["y"]).feature_names == ["a"]
    frame.reset_index().to_parquet(tmp_path / "i.parquet")
    how = {"keep_text": ["age"]} if index.dtype.kind == "O" or isinstance(index[0], str) else {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(?s).*counts the rows")
        data = mlreduce.read(tmp_path / "i.parquet", ["y"], **how)
    assert len(data.feature_names) + len(data.texts) == 2
    frame.reset_index(drop=True).to_parquet(tmp_path / "i.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an index that counts from 0 holds nothing
        mlreduce.read(tmp_path / "i.parquet", ["y"])


# --- svmlight


@pytest.mark.parametrize("line", ["", " "])
def test_an_empty_line_of_svmlight_is_refused_and_the_remedy_works(tmp_path, line):
    path = written(tmp_path, "s.svm", f"1 1:1\n{line}\n2 2:1\n\n")
    with pytest.raises(DataError, match=r"s\.svm, line 2: the line is empty; an instance without .* is ' 1:0', remove"):
        mlreduce.read(path)
    path.write_text("1 1:1\n 1:0\n2 2:1\n\n")
    assert mlreduce.read(path).Y.tolist() == [[1, 0], [0, 0], [0, 1]]


# --- other files


def test_two_matrices_of_numpy_are_data(tmp_path):
    X, Y = np.arange(6).reshape(3, 2), np.array([[1, -1], [-1, -1], [1, 1]])
    np.savez(tmp_path / "m.npz", X=X, Y=Y)
    data = mlreduce.read(tmp_path / "m.npz")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.Y, Y > 0)
    assert (data.X.dtype, data.Y.dtype, data.name) == (np.float64, np.int8, "m")
    assert (data.feature_names, data.label_names) == (["x0", "x1"], ["y0", "y1"])
    for arrays, sentence in (
        ({"A": X}, r"holds A \(3, 2\); the matrices X and Y are read, as numpy\.savez\(path, X=X, Y=Y\) writes"),
        ({"X": X, "Y": Y[:, 0]}, r"holds X \(3, 2\), Y \(3,\)"),
        ({"X": X, "Y": 3 * Y}, "labels must be 0/1 or -1/1"),
        ({"X": X * 1j, "Y": Y}, "not an array of numbers"),
        ({"X": X, "Y": Y.astype(str)}, "Y holds <U"),
    ):
        np.savez(tmp_path / "m.npz", **arrays)
        with pytest.raises(DataError, match=sentence) as caught:
            mlreduce.read(tmp_path / "m.npz")
        assert str(caught.value).count("delete") == (sentence == "not an array of numbers")


def test_a_data_set_of_two_arrays():
    data = MultiLabelData([[0.5, 1], [2, 0]], [[1], [0]])
    assert (data.feature_names, data.label_names, data.name) == (["x0", "x1"], ["y0"], "data")
    assert data.describe()["labels"] == 1
    with pytest.raises(DataError, match=r"Y has the shape \(2,\); it is a matrix"):
        MultiLabelData(np.eye(2), np.ones(2))


@pytest.mark.parametrize("name", ["b.xlsx", "b.xls", "b.ods", "b.csv", "b.arff"])
def test_a_spreadsheet_is_called_one_and_the_remedy_works(tmp_path, monkeypatch, name):
    path = tmp_path / name
    if name == "b.xls":
        path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    else:
        with zipfile.ZipFile(path, "w") as archive:
            if name == "b.ods":
                archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
            else:
                archive.writestr("[Content_Types].xml", "<Types/>")
                archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(DataError, match=r"is a spreadsheet of Excel or OpenDocument; save its sheet as CSV") as refused:
        mlreduce.read(path, 1)
    frame = pd.DataFrame({"x": [0.5, 1.5], "y": [1, 0]})
    # In place of the packages that read spreadsheets, which the project does not need.
    monkeypatch.setattr(pd, "read_excel", lambda sheet: frame if sheet == str(path) else None)
    exec("\n".join(str(refused.value).splitlines()[1:]))
    assert mlreduce.read(tmp_path / "b-sheet.csv", 1).X.ravel().tolist() == [0.5, 1.5]
    # What the program that wrote it saves as "CSV UTF-8", of a European locale too.
    written(tmp_path, "data.csv", "\ufeffx,y\r\n0.5,1\r\n1.5,0\r\n")
    assert mlreduce.read(tmp_path / "data.csv", 1).X.ravel().tolist() == [0.5, 1.5]
    path = written(tmp_path, "data.csv", "\ufeffx;y\r\n0,5;1\r\n1,5;0\r\n")
    with pytest.raises(DataError, match=r"Give sep=';', and decimal=','"):
        mlreduce.read(path, 1)
    assert mlreduce.read(path, 1, sep=";", decimal=",").X.ravel().tolist() == [0.5, 1.5]


@pytest.mark.parametrize("kind", ["arff", "table", "mat", "svmlight", "xmc", "npz", None])
@pytest.mark.parametrize("path", ["pipe", "/dev/zero", "."])
def test_pipes_devices_and_folders_are_refused_at_once(tmp_path, monkeypatch, kind, path):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(DataError, match="is a pipe or a device, not a file on a disk|Is a directory"):
        mlreduce.read(path, 1 if kind == "table" else None, format=kind)


def test_pipes_as_second_files_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    table = written(tmp_path, "t.csv", "a\n1\n")
    arff = written(tmp_path, "t.arff", "@relation r\n@attribute a numeric\n@attribute y {0,1}\n@data\n1,0\n")
    catalogue = tmp_path / "pipe"
    for read in (
        lambda: mlreduce.read(table, tmp_path / "pipe", sep=","),
        lambda: mlreduce.read(arff, tmp_path / "pipe"),
        lambda: mlreduce.load_dataset("one", catalogue=catalogue),
    ):
        with pytest.raises(MLReduceError, match="is a pipe or a device"):
            read()


# --- limits


def peak_of(text):
    """Return the largest resident memory of a process that reads a file, above that of reading a small one, in MB."""
    import subprocess
    import sys

    program = (
        "import sys, mlreduce\ntry: mlreduce.read(*eval(sys.argv[1]))\n"
        "except mlreduce.exceptions.DataError: pass\n"
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    done = subprocess.run([sys.executable, "-c", program, repr(text)], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


@pytest.mark.slow
def test_a_few_bytes_take_no_more_than_the_limit(tmp_path):
    number = 150
    big = pa.DictionaryArray.from_arrays(pa.array([0] * number, pa.int32()), pa.array(["a" * 10**7]))
    numbers = {"x": pa.array([0.0] * number), "y": pa.array([0] * number)}
    pq.write_table(pa.table(numbers | {"t": big}), tmp_path / "a.parquet", compression="zstd", store_schema=False)
    assert (tmp_path / "a.parquet").stat().st_size < 2000  # 1.5 GB where each row has a copy of the text
    long = pa.array(["a" * 3 * 10**8], pa.large_string())
    pq.write_table(
        pa.table({"x": [0.0], "y": [0], "t": long}), tmp_path / "b.parquet", compression="zstd", use_dictionary=False
    )
    with pytest.raises(DataError, match="its pages, unpacked, would need 286 MB, out of proportion"):
        mlreduce.read(tmp_path / "b.parquet", ["y"])
    pq.write_table(pa.table({"x": [0.0], "y": [0]}), tmp_path / "c.parquet")
    small = peak_of((str(tmp_path / "c.parquet"), ["y"]))
    assert peak_of((str(tmp_path / "a.parquet"), ["y"])) - small < 256
    written(tmp_path, "c.xmc", "1 3 3\n0 0:1\n")
    written(tmp_path, "a.xmc", "1 2200000 3\n0 0:1\n")
    written(tmp_path, "b.xmc", "1 2300000 3\n0 0:1\n")
    with pytest.raises(DataError, match="names of 2300000 features, 3 labels would need 263 MB"):
        mlreduce.read(tmp_path / "b.xmc")
    assert peak_of((str(tmp_path / "a.xmc"),)) - peak_of((str(tmp_path / "c.xmc"),)) < 256


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_the_sizes_of_pages_are_those_that_arrow_wrote(tmp_path, compression, version):
    texts = [f"text {i % 7}" for i in range(3000)]
    table = pa.table({"a": np.arange(3000.0), "b": [None, *range(2999)], "t": texts, "l": [[1, 2]] * 3000})
    path = tmp_path / "p.parquet"
    pq.write_table(
        table, path, compression=compression, data_page_version=version, row_group_size=1000, data_page_size=999
    )
    metadata = pq.read_metadata(path)
    columns = [metadata.row_group(i).column(j) for i in range(3) for j in range(metadata.num_columns)]
    with path.open("rb") as file:
        rows, size, values = declared_sizes(file)
    assert (rows, size) == (3000, sum(column.total_uncompressed_size for column in columns))
    assert values == 5 * 3000
    # The sizes in the metadata may lie, those of the pages count too.
    content = path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    with (tmp_path / "q.parquet").open("wb+") as file:
        file.write(content[: -8 - length] + _without_sizes(content[-8 - length : -8], columns))
        file.write((file.tell() - len(content) + 8 + length).to_bytes(4, "little") + b"PAR1")
        rows, less, values = declared_sizes(file)
    assert (rows, values) == (3000, 5 * 3000)
    assert 0.9 * size < less < size  # without the headers of the pages


def _without_sizes(metadata, columns):
    """Return metadata whose columns say that they unpack to no byte, of the same length."""
    for size in {column.total_uncompressed_size for column in columns}:
        zigzag, encoded = 2 * size, b""
        while True:
            encoded += bytes([zigzag & 0x7F | (0x80 if zigzag > 0x7F else 0)])
            zigzag >>= 7
            if not zigzag:
                break
        metadata = metadata.replace(
            b"\x16" + encoded + b"\x16", b"\x16" + b"\x80" * (len(encoded) - 1) + b"\0" + b"\x16"
        )
    return metadata


# --- what is saved


@pytest.fixture
def saved(tmp_path):
    """Save a data set in a format, and return its file and how it is read."""

    def do(suffix):
        rng = np.random.default_rng(0)
        X, Y = np.round(rng.standard_normal((20, 4)), 2), (rng.random((20, 3)) < 0.5).astype(np.int8)
        texts = {} if suffix.startswith(".svm") else {"t": [f"text {i % 5}" for i in range(20)]}
        data = MultiLabelData(X, Y, list("abcd"), list("xyz"), "songs", texts=texts)
        path = tmp_path / f"k{suffix}"
        data.save(path)
        how = {"labels": list("xyz")} if suffix in (".parquet", ".csv.gz") else {}
        return path, how | ({"keep_text": ["t"]} if texts and suffix != ".npz" else {})

    return do


def content_of(data):
    return data.X.tolist() if isinstance(data.X, np.ndarray) else data.X.toarray().tolist(), data.Y.tolist(), data.texts


@pytest.mark.parametrize("suffix", [".npz", ".arff", ".svm", ".parquet", ".arff.gz", ".svm.gz", ".csv.gz"])
def test_a_flipped_bit_is_noticed(saved, suffix):
    path, how = saved(suffix)
    content, expected = path.read_bytes(), content_of(mlreduce.read(path, **how))
    chance, refused = random.Random(0), 0
    for _ in range(150):
        changed = bytearray(content)
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        try:
            data = mlreduce.read(path, **how)
        except DataError:
            refused += 1
        else:
            assert content_of(data) == expected
    assert refused > 75


@pytest.mark.parametrize("suffix", [".arff", ".svm"])
def test_a_text_that_lost_rows_is_noticed_and_the_remedies_work(saved, suffix):
    path, how = saved(suffix)
    expected, lines = content_of(mlreduce.read(path, **how)), path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))
    with pytest.raises(DataError, match=r"line 2: the file was saved with 20 rows and a checksum that it no lo"):
        mlreduce.read(path, **how)
    path.write_bytes(b"".join(line for line in lines[:-2] if b"mlreduce:" not in line))
    assert mlreduce.read(path, **how).X.shape[0] == 18
    path.write_bytes(b"\r\n".join(b"".join(lines).split(b"\n")))  # as git may change them
    assert content_of(mlreduce.read(path, **how)) == expected


def test_a_table_of_parquet_that_another_program_wrote_anew_has_no_checksum(saved, tmp_path):
    path, how = saved(".parquet")
    expected = content_of(mlreduce.read(path, **how))
    assert pq.read_metadata(path).metadata[b"mlreduce.crc32"]
    pd.read_parquet(path).to_parquet(path)
    assert content_of(mlreduce.read(path, **how)) == expected


@pytest.mark.parametrize(
    ("change", "suffix", "sentence"),
    [
        (
            {"Y": 2 * np.eye(3, 2) - 1},
            ".npz",
            r"other numbers than 0 and 1; .* dataclasses\.replace\(data, Y=",
        ),
        ({"Y": 2 * np.eye(3, 2)}, ".svm", "other numbers than 0 and 1"),
        ({"X": np.full((3, 2), np.inf)}, ".csv", r"has infinite numbers, which \.csv cannot hold; save as \.npz"),
        ({"X": np.full((3, 2), NAN)}, ".svm", r"has missing values, which \.svm cannot hold"),
        ({"X": np.full((3, 2), 2**53 + 1)}, ".npz", "a number that float64 cannot hold exactly"),
        ({"X": np.full((3, 2), np.longdouble(1) / 3)}, ".npz", "a number that float64 cannot hold exactly"),
        ({"X": np.full((3, 2), 1j)}, ".npz", "holds complex128, no real numbers"),
        ({"X": np.full((3, 2), "1")}, ".csv", "holds <U1, no real numbers"),
        ({"X": np.ma.masked_equal(np.eye(3, 2), 1)}, ".arff", r"is a masked array; its filled\(numpy\.nan\)"),
        ({"Y": np.ma.masked_equal(np.eye(3, 2, dtype=np.int8), 1)}, ".npz", "Y is a masked array"),
        ({"Y": np.zeros((3, 2), int)}, ".svm", r"labels that no instance has, .* save as \.xmc, \.npz or \.arff"),
        ({"sample_weight": np.array([1, -1, 1])}, ".arff", "is no row of finite numbers >= 0"),
        ({"texts": {"t": ["a", "NA", "b"]}}, ".csv", "the text 'NA' of 't' in row 2 would be read otherwise"),
        ({"texts": {"t": ["a", " b", "b"]}}, ".tsv", "the text ' b' of 't' in row 2 would be read otherwise"),
        ({"texts": {"t": ["1", "2", ""]}}, ".csv", "the texts of 't' are all numbers or empty"),
        ({"texts": {"t": ["?", "2", ""]}}, ".arff", r"the text '\?' of 't' in row 1 would be read otherwise"),
        ({"texts": {"t": ["a", "\ud800", ""]}}, ".arff", "in row 2 would be read otherwise"),
        ({"feature_names": ["Unnamed: 0", "b"]}, ".csv", "'Unnamed: 0' would be read as one without a name"),
        ({"feature_names": ["a", ""]}, ".parquet", "'' would be read as one without a name"),
        ({"X": np.zeros((3, 0)), "feature_names": []}, ".csv", r"no instances, features or labels; only \.npz"),
    ],
)
def test_what_would_be_read_otherwise_is_refused_when_it_is_saved(tmp_path, change, suffix, sentence):
    complete = {
        "X": np.eye(3, 2),
        "Y": np.eye(3, 2, dtype=np.int8),
        "feature_names": ["a", "b"],
        "label_names": ["y", "z"],
    }
    with pytest.raises(DataError, match=sentence):
        MultiLabelData(**complete | change).save(tmp_path / f"s{suffix}")
    assert not list(tmp_path.iterdir())


def test_the_remedy_for_labels_of_signs_works(tmp_path):
    from dataclasses import replace

    data = MultiLabelData(np.eye(3, 2), 2 * np.eye(3, 2) - 1)
    replace(data, Y=(data.Y > 0).astype("int8")).save(tmp_path / "s.npz")
    np.testing.assert_array_equal(mlreduce.read(tmp_path / "s.npz").Y, np.eye(3, 2))


def test_a_feature_that_no_row_has_is_kept_in_svmlight(tmp_path):
    data = MultiLabelData(np.array([[1.0, 0, 0], [0, 0, 0]]), np.eye(2, dtype=np.int8))
    for name in ("s.svm", "s.xmc", "s.svm.gz"):
        data.save(tmp_path / name)
        np.testing.assert_array_equal(mlreduce.read(tmp_path / name).X.toarray(), data.X)


def test_texts_are_saved_compressed_by_the_suffix(tmp_path):
    data = MultiLabelData(np.eye(3, 2), np.eye(3, 2, dtype=np.int8))
    for name in ("s.csv.gz", "s.tsv.gz", "s.arff.gz", "s.xmc.gz"):
        data.save(tmp_path / name)
        assert (tmp_path / name).read_bytes()[:2] == b"\x1f\x8b"
        back = mlreduce.read(tmp_path / name, **({"labels": ["y0", "y1"]} if name[2] in "ct" else {}))
        assert (np.asarray(back.Y).tolist(), back.X.shape) == (data.Y.tolist(), (3, 2))
    data.save(tmp_path / "m.arff.gz", layout="mulan")
    assert mlreduce.read(tmp_path / "m.arff.gz").label_names == ["y0", "y1"]
    for name in ("s.npz.gz", "s.parquet.gz", "s.gz"):
        with pytest.raises(ConfigurationError, match=r"is written to .*; got \.gz"):
            data.save(tmp_path / name)


# --- the files of ../shared/cases

CASES = next((path for parent in Path(__file__).parents if (path := parent.parent / "shared" / "cases").is_dir()), None)


@pytest.mark.skipif(CASES is None, reason="needs the folder ../shared/cases")
@pytest.mark.parametrize(
    ("name", "labels", "how", "expected"),
    [
        ("case_names.mat", None, {}, "differ in case only"),
        ("case_names.mat", None, {"variables": ("X", "Y")}, [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]),
        *(("unclosed_quote.csv", ["y"], {how: ["title"]}, "line 3: ") for how in ("keep_text", "drop", "categories")),
        ("misaligned_X.csv", "misaligned_Y.csv", {}, "line 3: the line is empty"),
        ("thousands_point.csv", 1, {"sep": ";", "decimal": ","}, "thousands="),
        ("thousands_point.csv", 1, {"sep": ";", "decimal": ",", "thousands": "."}, [[1200], [3400]]),
        ("c20_no_header.csv", 1, {}, "header=False"),
        ("c20_no_header.csv", 1, {"header": False}, [[1.5, 2], [2.5, 3], [3.5, 4]]),
    ],
)
def test_files_that_people_have(tmp_path, name, labels, how, expected):
    shutil.copytree(CASES, tmp_path / "cases")
    labels = tmp_path / "cases" / labels if isinstance(labels, str) else labels
    if isinstance(expected, str):
        with pytest.raises(DataError, match=expected):
            mlreduce.read(tmp_path / "cases" / name, labels, **how)
    else:
        assert mlreduce.read(tmp_path / "cases" / name, labels, **how).X.tolist() == expected


def test_a_bomb_in_a_stream_that_does_not_end_is_refused(tmp_path):
    """A stream that is cut off where its values are complete has no checksum to compare."""
    scipy.io.savemat(tmp_path / "c.mat", {"data": np.eye(3), "target": np.eye(3, 2).T}, do_compression=True)
    content = (tmp_path / "c.mat").read_bytes()
    size = int.from_bytes(content[132:136], "little")
    packer = zlib.compressobj()
    body = packer.compress(zlib.decompress(content[136 : 136 + size])) + packer.flush(zlib.Z_SYNC_FLUSH)
    (tmp_path / "c.mat").write_bytes(content[:132] + len(body).to_bytes(4, "little") + body + content[136 + size :])
    with pytest.raises(DataError, match="the compressed variable data does not end where its"):
        mlreduce.read(tmp_path / "c.mat")


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array, sp.bsr_array])
@pytest.mark.parametrize("changed", ["indptr", "indices"])
def test_a_sparse_matrix_that_points_outside_is_refused_when_it_is_saved(tmp_path, make, changed):
    X = make(np.eye(3))
    getattr(X, changed)[1] = 2**20
    with pytest.raises(DataError, match="X is a damaged sparse matrix"):
        MultiLabelData(X, np.eye(3, dtype=np.int8)).save(tmp_path / "s.svm")
    assert not list(tmp_path.iterdir())


def test_what_the_workflow_prepares_has_the_bytes_of_its_arrays(tmp_path):
    """Digests of prepared data sets are among the committed results."""
    rows = sp.csr_array((np.array([1.0, 2, 0, 4]), np.array([2, 0, 1, 1]), np.array([0, 2, 3, 4])), shape=(3, 3))
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    for X in (rows, np.asfortranarray(np.arange(6.0).reshape(3, 2))):
        data = MultiLabelData(X, np.eye(3, 2, dtype=np.int8))
        data.save(tmp_path / "d.npz")
        with np.load(tmp_path / "d.npz") as stored:
            for name, array in data.arrays().items():
                assert (stored[name].dtype, stored[name].tobytes("A")) == (array.dtype, array.tobytes("A")), name
