"""One verb for all formats: `mlreduce.read`."""

from __future__ import annotations

import gzip
import hashlib
import inspect
import json
import socket

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import mlreduce
from mlreduce.datasets import MultiLabelData
from mlreduce.datasets.readers.openml import read_openml
from mlreduce.datasets.reading import FORMATS
from mlreduce.exceptions import ConfigurationError, DataError, FetchError

XML = '<labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'


@pytest.fixture(scope="module")
def digits():
    data = mlreduce.load_dataset("digits-300")
    return MultiLabelData(data.X[:40], data.Y[:40], data.feature_names, data.label_names, "digits")


def arff(data, relation, first):
    labels = [f"@attribute {name} {{0,1}}" for name in data.label_names]
    features = [f"@attribute {name} numeric" for name in data.feature_names]
    both = (data.Y, data.X) if first else (data.X, data.Y)
    rows = [",".join(f"{value:g}" for value in row) for row in np.hstack(both)]
    attributes = labels + features if first else features + labels
    return "\n".join([f"@relation '{relation}'", *attributes, "@data", *rows, ""])


def svmlight(data, path, zero_based, head=""):
    with path.open("wb") as file:
        file.write(head.encode())
        dump_svmlight_file(data.X, sp.csr_array(data.Y), file, multilabel=True, zero_based=zero_based)
    return path


@pytest.fixture(scope="module")
def files(digits, tmp_path_factory):
    """The same data in every format, and what is said of them beside the path."""
    folder = tmp_path_factory.mktemp("formats")

    def text(name, content):
        (folder / name).write_text(content)
        return folder / name

    table = pd.DataFrame(np.hstack([digits.X, digits.Y]), columns=[*digits.feature_names, *digits.label_names])
    table.to_csv(folder / "one.csv", index=False)
    table.to_parquet(folder / "one.parquet")
    table[digits.feature_names].to_csv(folder / "x.csv", index=False)
    table[digits.label_names].to_csv(folder / "y.tsv", index=False, sep="\t")
    scipy.io.savemat(folder / "d.mat", {"data": digits.X, "target": digits.Y.T})
    (folder / "matlab").write_bytes((folder / "d.mat").read_bytes())
    (folder / "columns").write_bytes((folder / "one.parquet").read_bytes())
    digits.save(folder / "d.npz")
    text("mulan.xml", XML.format("".join(f'<label name="{name}"/>' for name in digits.label_names)))
    text("mulan.arff", arff(digits, "digits", first=True))
    head = f"{len(digits.X)} {digits.X.shape[1]} {digits.Y.shape[1]}\n"
    n, names = digits.Y.shape[1], digits.label_names
    return [
        (folder / "mulan.arff", {}),
        (text("meka.arff", arff(digits, f"digits: -C {n}", first=True)), {}),
        (text("back.arff", arff(digits, f"digits: -C -{n}", first=False)), {}),
        (text("weka", arff(digits, "digits", first=True)), {"labels": "first", "n_labels": n}),
        (text("plain.arff", arff(digits, "digits", first=False)), {"labels": {"last": n}}),
        (text("named.arff", arff(digits, "digits", first=False)), {"labels": names}),
        (folder / "one.csv", {"labels": names}),
        (folder / "one.parquet", {"labels": "last", "n_labels": n}),
        (folder / "columns", {"labels": n}),
        (folder / "x.csv", {"labels": folder / "y.tsv"}),
        (folder / "d.mat", {}),
        (folder / "matlab", {}),
        (folder / "d.npz", {}),
        (svmlight(digits, folder / "d.svm", zero_based=False), {"n_features": 64}),
        (svmlight(digits, folder / "rows.txt", zero_based=False), {"n_features": 64}),
        (svmlight(digits, folder / "xmc.txt", zero_based=True, head=head), {}),
        (svmlight(digits, folder / "d.xmc", zero_based=True, head=head), {}),
        (svmlight(digits, folder / "xmc.csv", zero_based=True, head=head), {"format": "xmc"}),
    ]


def test_the_same_data_in_every_format(digits, files):
    for path, said in files:
        data = mlreduce.read(path, **said)
        dense = data.X.toarray() if sp.issparse(data.X) else data.X
        np.testing.assert_array_equal(dense, digits.X, err_msg=path.name)
        np.testing.assert_array_equal(data.Y, digits.Y, err_msg=path.name)
        assert data.name == ("digits" if path.suffix == ".npz" else path.stem), path.name
        if path.suffix in (".arff", ".csv", ".parquet", ".npz") and "format" not in said:
            assert (list(data.feature_names), list(data.label_names)) == (digits.feature_names, digits.label_names)


def test_forms_of_what_is_read(digits, files):
    path, said = files[0]
    X, Y = mlreduce.read(path, **said, return_X_y=True)
    np.testing.assert_array_equal(X, digits.X)
    features, labels = mlreduce.read(path, **said, as_frame=True)
    assert (list(features.columns), list(labels.columns)) == (digits.feature_names, digits.label_names)
    np.testing.assert_array_equal(Y, labels)
    assert mlreduce.read(path, name="mine").name == "mine"
    parts = mlreduce.read([path, path])
    assert len(parts.Y) == 2 * len(digits.Y)


def test_what_says_no_format_is_refused_with_the_formats(tmp_path):
    for name, content in (
        ("a", b""),
        ("b.txt", b"words of a text\nand more\n"),
        ("c.dat", b"1 2\n3 4\n"),
        ("d", b"\0" * 9),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(
            DataError, match=rf"{name}: neither its suffix nor its first line shows .*, one of arff, mat"
        ):
            mlreduce.read(tmp_path / name)
    with pytest.raises(DataError, match="nothing.here: no such file"):
        mlreduce.read(tmp_path / "nothing.here")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"format": "weka"}, "unknown format 'weka'; known: arff, .*xmc"),
        ({"format": "arf"}, "unknown format 'arf'; did you mean 'arff'"),
        ({"n_features": 3}, "the format table takes no n_features; got 3"),
        ({"version": 1}, "the format table takes no version"),
        ({"format": "svmlight", "labels": ["a"]}, r"the format svmlight takes no labels; got \['a'\]"),
    ],
)
def test_what_a_format_does_not_take(tmp_path, said, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        mlreduce.read(tmp_path / "a.csv", **said)


def test_parts_of_tables_are_not_stacked(tmp_path):
    with pytest.raises(ConfigurationError, match="of the format table one file is read"):
        mlreduce.read([tmp_path / "a.csv", tmp_path / "b.csv"], labels=["x"])
    with pytest.raises(ConfigurationError, match="names no file"):
        mlreduce.read([])


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (None, r"t\.csv: no columns are declared as labels; give their names"),
        (["y", "z"], r"unknown attribute of t\.csv 'z'; .*: a, b, x, y"),
        (["y", "y"], "two labels are called 'y'"),
        ([], "labels names no attribute"),
        ({"last": 4}, "cannot take the last 4 of 4"),
        (["a", "b", "x", "y"], "no attribute or column is left as a feature"),
        (["b"], r"t\.csv: .*label 'b' is 2.5 in data row 1; labels must be 0/1 or -1/1, or name the values"),
        ("first", "go together"),
    ],
)
def test_which_columns_of_a_table_are_labels(tmp_path, labels, sentence):
    path = tmp_path / "t.csv"
    path.write_text("a,b,x,y\n1,2.5,0,1\n2,3.5,1,1\n")
    with pytest.raises(DataError, match=sentence):
        mlreduce.read(path, labels=labels)


OPENML = """@relation songs
@attribute tempo numeric
@attribute key {c,d,e}
@attribute calm {FALSE,TRUE}
@attribute happy {FALSE,TRUE}
@data
90,c,TRUE,FALSE
?,e,FALSE,TRUE
120,?,TRUE,TRUE
100,c,FALSE,FALSE
"""


@pytest.fixture
def openml(tmp_path):
    """OpenML's answers for a data set as scikit-learn keeps them, so that it asks for none."""

    def keep(path, content):
        place = tmp_path / "openml" / "openml.org" / f"{path}.gz"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(gzip.compress(content if isinstance(content, bytes) else json.dumps(content).encode()))

    def feature(index, name, values=None):
        kind = {"data_type": "nominal", "nominal_value": values} if values else {"data_type": "numeric"}
        flags = {"is_target": str(index > 1).lower(), "is_ignore": "false", "is_row_identifier": "false"}
        return {"index": str(index), "name": name, "number_of_missing_values": "0", **kind, **flags}

    def store(text=OPENML):
        described = {"id": "7", "name": "songs", "version": "1", "status": "active", "format": "ARFF", "file_id": "9"}
        described |= {"url": "https://www.openml.org/data/v1/download/9/songs.arff", "description": "Some songs"}
        described |= {"md5_checksum": hashlib.md5(OPENML.encode()).hexdigest()}
        listed = {"data": {"dataset": [{"did": 7, "name": "songs", "version": 1, "status": "active"}]}}
        keep("api/v1/json/data/list/data_name/songs/limit/2/status/active/", listed)
        keep("api/v1/json/data/list/data_name/songs/limit/2/data_version/1", listed)
        keep("api/v1/json/data/7", {"data_set_description": described})
        two = ["FALSE", "TRUE"]
        columns = [("tempo",), ("key", ["c", "d", "e"]), ("calm", two), ("happy", two)]
        features = [feature(index, *column) for index, column in enumerate(columns)]
        keep("api/v1/json/data/features/7", {"data_features": {"feature": features}})
        qualities = [{"name": "NumberOfInstances", "value": "4"}]
        keep("api/v1/json/data/qualities/7", {"data_qualities": {"quality": qualities}})
        for asked in ("data/v1/download/9/songs.arff", "data/v1/download/9"):  # the second by scikit-learn 1.6
            keep(asked, text.encode())
        return tmp_path

    return store


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_, **__):
        raise OSError("Network is unreachable")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_a_data_set_of_openml(openml, no_network, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(openml()))
    data = mlreduce.read("songs", format="openml")
    assert data.feature_names == ["tempo", "key=c", "key=d", "key=e"]
    nan = np.nan
    np.testing.assert_array_equal(data.X, [[90, 1, 0, 0], [nan, 0, 0, 1], [120, nan, nan, nan], [100, 1, 0, 0]])
    assert data.label_names == ["calm", "happy"]
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 1], [1, 1], [0, 0]])
    other = mlreduce.read("songs", format="openml", labels=["happy"], version=1)
    assert (other.label_names, other.feature_names[-1]) == (["happy"], "calm")
    with pytest.raises(DataError, match="OpenML, songs: the label 'key' has 3 values"):
        mlreduce.read("songs", labels=["key"], format="openml")


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore:Invalid cache, redownloading:RuntimeWarning")
def test_openml_without_a_connection(tmp_path, no_network):
    with pytest.raises(FetchError, match="OpenML, yeast: could not be fetched: .*unreachable.* It needs a connection"):
        read_openml("yeast", cache=tmp_path)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore:Invalid cache, redownloading:RuntimeWarning")
def test_a_damaged_file_of_openml_is_not_read(openml, no_network):
    with pytest.raises(FetchError, match="OpenML, songs: "):
        read_openml("songs", cache=openml(OPENML.replace("120", "121")))


def test_every_format_is_in_the_documentation_of_read():
    assert all(f"\n{kind}  " in inspect.getdoc(mlreduce.read) for kind in FORMATS)
