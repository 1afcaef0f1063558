"""Files of other repositories, open files, and what is no file; each remedy of a refusal is followed."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mlreduce
from mlreduce.exceptions import DataError, ProjectionWarning

KEEL = """@relation emotions
@attribute a real [0.0, 1.0]
@attribute b {x,y}
@attribute L1 {0,1}
@attribute L2{0,1}
@inputs a, b
@outputs L2, L1
@data
0.5, x, 0, 1
0.2, y, 1, 0
"""


@pytest.mark.parametrize("name", ["k.dat", "k.arff"])
@pytest.mark.parametrize("ending", ["s", ""])
def test_the_outputs_of_keel_are_labels(tmp_path, name, ending):
    path = tmp_path / name
    path.write_text(KEEL.replace("puts ", f"put{ending} "))
    for paths in (path, [path, path]):
        data = mlreduce.read(paths)
        assert (data.feature_names, data.label_names) == (["a", "b"], ["L2", "L1"])
        assert data.Y[:2].tolist() == [[1, 0], [0, 1]]
    assert mlreduce.read(path, {"last": 1}).label_names == ["L2"]


def test_a_missing_value_of_keel(tmp_path):
    (tmp_path / "k.dat").write_text(KEEL + "<null>, <null>, 1, <null>\n")
    data = mlreduce.read(tmp_path / "k.dat")
    assert np.isnan(data.X[2]).all()
    np.testing.assert_array_equal(data.Y[2], [np.nan, 1])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("@outputs L2, L1", "@outputs L2, L3"), r"line 7: @outputs are names of attributes, .*got 'L3'"),
        (("@outputs L2, L1", "@outputs"), "line 7: @outputs are names of attributes"),
        (("@inputs a, b", "@inputs a"), "line 7: the attribute 'b' is in neither @inputs nor @outputs"),
        (("@attribute a", "@inputs b\n@attribute a"), "line 2: .*expected @ATTRIBUTE, got '@inputs b'"),
    ],
)
def test_outputs_of_keel_that_are_wrong_are_refused(tmp_path, change, sentence):
    (tmp_path / "k.dat").write_text(KEEL.replace(*change))
    with pytest.raises(DataError, match=rf"k\.dat, {sentence}"):
        mlreduce.read(tmp_path / "k.dat")


FEATURES, LABELS = "4 3\n0:1.5 2:1\n1:2\n\n0:1 1:0\n", "4 5\n0:1 4:1\n\n1:1\n2:1.0\n"
X = [[1.5, 0, 1], [0, 2, 0], [0, 0, 0], [1, 0, 0]]
Y = [[1, 0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]]


def matrices(folder, features=FEATURES, labels=LABELS):
    for name, text in (("trn_X_Xf.txt", features), ("trn_X_Y.txt", labels)):
        (folder / name).write_text(text)
    return folder / "trn_X_Xf.txt", folder / "trn_X_Y.txt"


def test_labels_in_a_file_of_their_own(tmp_path):
    features, labels = matrices(tmp_path)
    data = mlreduce.read(features, labels)
    assert (data.X.toarray().tolist(), np.asarray(data.Y).tolist(), data.X.nnz) == (X, Y, 4)
    both = mlreduce.read([features, features], [str(labels), str(labels)])
    assert np.asarray(both.Y).tolist() == Y + Y
    with pytest.raises(DataError, match=r"features alone, .*labels='trn_X_Y\.txt'"):
        mlreduce.read(features)
    (tmp_path / "own.yaml").write_text("datasets:\n  lf: {reader: xmc, data: [trn_X_Xf.txt], labels: trn_X_Y.txt}\n")
    text = (tmp_path / "own.yaml").read_text().replace("xmc,", "xmc, empty_labels: keep,")
    (tmp_path / "own.yaml").write_text(text)
    assert np.asarray(mlreduce.load_dataset("lf", catalogue=tmp_path / "own.yaml").Y).tolist() == Y


@pytest.mark.parametrize(
    ("features", "labels", "sentence"),
    [
        (FEATURES, LABELS.replace("4 5", "3 5"), "declares 3 rows, and it has 4"),
        (FEATURES, "3 5\n0:1\n1:1\n2:1\n", "Xf.txt has 4 rows, .*Y.txt has 3; they must be the same instances"),
        (FEATURES, LABELS.replace("2:1.0", "2:0.5"), "the label '2' is 0.5 in data row 4"),
        (FEATURES, LABELS.replace("2:1.0", "5:1"), r"line 5: a row is '3:2 17:1', columns ascending from 0 to 4"),
        (FEATURES.replace("1:2", "1,2 1:2"), LABELS, "line 3: a row is '3:2 17:1'"),
        (
            FEATURES.replace("4 3", "4 3 5"),
            LABELS,
            "line 1: a file of a matrix begins with its numbers of rows and columns",
        ),
        (FEATURES.replace("4 3", "4 9999999"), LABELS, "the names of 9999999 columns would need"),
    ],
)
def test_matrices_that_are_wrong_are_refused(tmp_path, features, labels, sentence):
    with pytest.raises(DataError, match=sentence):
        mlreduce.read(*matrices(tmp_path, features, labels), format="xmc")


def test_parts_of_matrices_agree(tmp_path):
    features, labels = matrices(tmp_path)
    (tmp_path / "tst.txt").write_text("1 2\n0:1\n")
    with pytest.raises(DataError, match=r"tst\.txt, line 1: 2 columns, but .* has 3"):
        mlreduce.read([features, tmp_path / "tst.txt"], [labels, labels])
    with pytest.raises(DataError, match="1 files of features and 2 of labels"):
        mlreduce.read(features, [labels, labels])
    for wrong in (5, {"last": 1}):
        with pytest.raises(DataError, match="labels are files of the format xmc"):
            mlreduce.read(features, wrong)


def test_lines_of_json_are_refused_and_the_remedy_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = '{"title": "ab", "target_ind": [0, 2]}\n{"title": "cd", "target_ind": [1]}\n'
    array = "[" + lines.replace("}\n{", "},\n{") + "]"
    for name, text in (("trn.json", lines), ("all.json", array)):
        Path(name).write_text(text)
        with pytest.raises(DataError, match="is JSON") as refused:
            mlreduce.read(name)
        eval(re.search(r"pandas\.read_json\(.*?\)\.to_parquet\(.*?\)", str(refused.value))[0], {"pandas": pd})
        data = mlreduce.read(Path(name).with_suffix(".parquet"), ["target_ind"], ngrams=["title"])
        assert data.Y.tolist() == [[1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("address", ["https://example.org/data/x.csv", "HTTP://example.org/x.csv", "s3://bucket/x.csv"])
def test_addresses_are_refused_and_the_remedy_works(tmp_path, monkeypatch, address):
    with pytest.raises(DataError, match=f"{address}: is an address, .*download it first") as refused:
        mlreduce.read(address, ["y"])
    with pytest.raises(DataError, match="is an address"):
        mlreduce.read("x.csv", address)
    if "urlretrieve" in str(refused.value):
        monkeypatch.chdir(tmp_path)
        Path("there.csv").write_text("x,y\n1,0\n2,1\n")
        call = re.search(r"urllib\.request\.urlretrieve\(.*?\)", str(refused.value))[0]
        eval(call.replace(address, Path("there.csv").resolve().as_uri()), {"urllib": __import__("urllib.request")})
        assert mlreduce.read("x.csv", ["y"]).X.tolist() == [[1], [2]]


def test_open_files_and_buffers(tmp_path):
    text, path = ",x,y\n0,1,0\n1,2,1\n", tmp_path / "d.csv"
    path.write_text(text)
    (tmp_path / "d.csv.gz").write_bytes(gzip.compress(text.encode()))
    content = text.encode()
    with path.open() as words, path.open("rb") as file, (tmp_path / "d.csv.gz").open("rb") as packed:
        for source in (words, file, packed, io.BytesIO(content), io.StringIO(text)):
            with pytest.warns(ProjectionWarning, match=r"^(d|data)\.csv(\.gz)?: the first column"):
                data = mlreduce.read(source, ["y"], format="table")
            assert (data.X.tolist(), data.Y.tolist()) == ([[1], [2]], [[0], [1]])
    parquet = io.BytesIO()
    pd.DataFrame({"x": [1.0, 2], "y": [0, 1]}).to_parquet(parquet)
    parquet.seek(0)
    assert mlreduce.read(parquet, ["y"], name="mine").name == "mine"
    with pytest.raises(DataError, match=r"^data: neither its suffix nor its first line .*format="):
        mlreduce.read(io.StringIO(text), ["y"])
    with pytest.raises(DataError, match=r"^data, line 2: "):
        mlreduce.read(io.BytesIO(b"@relation x\n@wrong"))
