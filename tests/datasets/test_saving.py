"""`MultiLabelData.save`: what is written is read back equal."""

from __future__ import annotations

from dataclasses import replace

import arff
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file
from weka import what_is_missing

import mlreduce
from mlreduce.datasets import MultiLabelData
from mlreduce.datasets.readers.arff_syntax import read_table
from mlreduce.exceptions import ConfigurationError, DataError

NAN = np.nan


@pytest.fixture
def songs():
    X = np.array([[0.5, 1.0], [2.0, NAN], [1 / 3, -1e-300]])
    Y = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.int8)
    return MultiLabelData(X, Y, ["tempo", "n"], ["calm", "it's"], "songs")


def equal(one, other):
    assert type(one.X) is type(other.X)
    dense = [data.X.toarray() if sp.issparse(data.X) else data.X for data in (one, other)]
    np.testing.assert_array_equal(*dense)
    np.testing.assert_array_equal(one.Y, other.Y)
    np.testing.assert_array_equal(one.sample_weight, other.sample_weight)
    assert one.Y.dtype == other.Y.dtype
    assert list(one.feature_names) == list(other.feature_names)
    assert list(one.label_names) == list(other.label_names)
    assert {name: list(texts) for name, texts in one.texts.items()} == dict(other.texts)


_NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=8)
_NUMBERS = st.one_of(st.floats(allow_infinity=False), st.sampled_from([0.0, 1.0, -0.0, 5e-324, 1.7976931348623157e308]))


@st.composite
def _sets(draw):
    names = draw(st.lists(_NAMES, min_size=3, max_size=5, unique=True))
    n_rows, n_features = draw(st.integers(1, 4)), len(names) - 2
    X = np.array([draw(st.lists(_NUMBERS, min_size=n_features, max_size=n_features)) for _ in range(n_rows)])
    cells = st.sampled_from([0, 1, NAN] if draw(st.booleans()) else [0, 1])
    Y = np.array([draw(st.lists(cells, min_size=2, max_size=2)) for _ in range(n_rows)])
    weights = draw(st.one_of(st.none(), st.lists(st.floats(0, 1e9), min_size=n_rows, max_size=n_rows)))
    return MultiLabelData(
        sp.csr_array(X) if draw(st.booleans()) else X,
        Y if np.isnan(Y).any() else Y.astype(np.int8),
        names[2:],
        names[:2],
        "set",
        sample_weight=None if weights is None or not any(weights) else np.array(weights),
    )


@settings(max_examples=80, deadline=None)
@given(data=_sets(), layout=st.sampled_from(["meka", "mulan"]))
def test_arff_round_trips(tmp_path_factory, data, layout):
    path = tmp_path_factory.mktemp("w") / "w.arff"
    data.save(path, layout=layout)
    back = mlreduce.read(path)
    equal(back, data)
    replace(back, name=data.name).save(path.with_name("w2.arff"), layout=layout)
    assert path.with_name("w2.arff").read_bytes() == path.read_bytes()


def test_small_weights_come_back(tmp_path, songs):
    data = replace(songs, sample_weight=np.array([0.0, 5e-324, 2e-307]))
    data.save(tmp_path / "w.npz")
    equal(mlreduce.read(tmp_path / "w.npz"), data)


@pytest.mark.parametrize("layout", ["meka", "mulan"])
@pytest.mark.parametrize("sparse", [True, False])
def test_arff_is_what_others_read(tmp_path, songs, layout, sparse):
    data = replace(songs, X=sp.csr_array(songs.X)) if sparse else songs
    data.save(tmp_path / "s.arff", layout=layout)
    text = (tmp_path / "s.arff").read_text()
    assert text.startswith("@relation 'songs: -C 2'\n" if layout == "meka" else "@relation 'songs'\n")
    assert (tmp_path / "s.xml").exists() == (layout == "mulan")
    expected = arff.ArffDecoder().decode(text, encode_nominal=True, return_type=arff.LOD if sparse else arff.DENSE)
    columns = np.hstack([data.Y, songs.X])
    for row, other in zip(columns, expected["data"], strict=True):
        cells = [other.get(place, 0) for place in range(4)] if sparse else other
        np.testing.assert_array_equal(row, np.array(cells, dtype=float))


@pytest.mark.skipif(what_is_missing() is not None, reason=str(what_is_missing()))
@pytest.mark.parametrize("sparse", [True, False])
def test_arff_is_what_weka_reads(tmp_path, songs, sparse):
    import jpype
    from weka import _java

    names = ["'q'", "50% \\ x", '"', "a,b {c}", "ünï", "  "]
    X = np.random.default_rng(0).standard_normal((3, 6)) * (np.arange(6) % 2)
    data = replace(
        songs, X=sp.csr_array(X) if sparse else X, feature_names=names, sample_weight=np.array([0.5, 1.0, 3.0])
    )
    data.save(tmp_path / "w.arff")
    loader = _java("core.converters.ArffLoader")()
    loader.setFile(jpype.JClass("java.io.File")(str(tmp_path / "w.arff")))
    instances, table = loader.getDataSet(), read_table(tmp_path / "w.arff")
    rows = table.values.toarray() if sparse else table.values
    for i in range(3):
        np.testing.assert_array_equal(list(instances.instance(i).toDoubleArray()), rows[i])
        assert instances.instance(i).weight() == data.sample_weight[i]
    assert str(instances.relationName()) == "songs: -C 2"
    found = [str(instances.attribute(i).name()) for i in range(2, 8)]
    assert [name for name in found if name.isascii()] == [name for name in names if name.isascii()]


def test_texts_are_kept_in_arff(tmp_path, songs):
    data = replace(songs, texts={"what is it": ["a 'b'", 'c, "d"\n\\n', "% {e}\t"]})
    for X in (data.X, sp.csr_array(data.X)):
        one = replace(data, X=X)
        one.save(tmp_path / "t.arff")
        equal(mlreduce.read(tmp_path / "t.arff", keep_text=["what is it"]), one)


def test_names_that_look_like_options_are_no_options(tmp_path, songs):
    for name in ("x -C 3", "a: -c -1 weka.filters.unsupervised.attribute.Remove"):
        replace(songs, name=name).save(tmp_path / "o.arff")
        equal(mlreduce.read(tmp_path / "o.arff"), songs)


def test_csv_is_csv(tmp_path, songs):
    songs.save(tmp_path / "s.csv")
    frame = pd.read_csv(tmp_path / "s.csv")
    assert list(frame.columns) == ["tempo", "n", "calm", "it's"]
    np.testing.assert_allclose(frame.to_numpy(), np.hstack([songs.X, songs.Y]), rtol=1e-15)
    sparse = replace(songs, X=sp.csr_array(np.nan_to_num(songs.X)))
    sparse.save(tmp_path / "d.csv")
    np.testing.assert_array_equal(mlreduce.read(tmp_path / "d.csv", 2).X, sparse.X.toarray())


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("sparse", [True, False])
def test_svmlight_is_what_scikit_learn_reads(tmp_path, songs, first, sparse):
    X = np.nan_to_num(songs.X)
    names = [str(index + first) for index in range(2)]
    data = replace(songs, X=sp.csr_array(X) if sparse else X, feature_names=names, label_names=["2", "7"])
    data.save(tmp_path / "s.svm")
    read, labels = load_svmlight_file(str(tmp_path / "s.svm"), multilabel=True, zero_based=not first)
    np.testing.assert_array_equal(read.toarray(), X)
    assert labels == [(2.0,), (7.0,), (2.0, 7.0)]
    back = mlreduce.read(tmp_path / "s.svm")
    equal(back, replace(data, X=sp.csr_array(X)))
    songs = replace(songs, X=X)
    songs.save(tmp_path / "n.svm")
    assert mlreduce.read(tmp_path / "n.svm").label_names == ["0", "1"]


@pytest.mark.parametrize(
    ("change", "name", "kind", "sentence"),
    [
        ({}, "s.xlsx", ConfigurationError, r"is written to \.npz, \.arff, \.csv, .*; got \.xlsx"),
        ({}, "s", ConfigurationError, "got no suffix"),
        ({"sample_weight": np.ones(3)}, "s.csv", DataError, r"has weights of the instances, which \.csv cannot hold"),
        ({"Y": np.array([[1, 0], [0, NAN], [1, 1]])}, "s.svm", DataError, "has unknown labels"),
        ({"texts": {"t": ["a"] * 3}}, "s.svm", DataError, "has texts"),
        ({"label_names": ["tempo", "x"]}, "s.csv", DataError, "share a name"),
        ({"label_names": ["tempo", "x"]}, "s.arff", DataError, "share a name"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_and_nothing_is_lost(tmp_path, songs, change, name, kind, sentence):
    (tmp_path / name).write_text("mine")
    with pytest.raises(kind, match=sentence):
        replace(songs, **change).save(tmp_path / name)
    assert (tmp_path / name).read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1


def test_layouts(tmp_path, songs):
    songs.save(tmp_path / "s.arff", layout="mulan")
    with pytest.raises(DataError, match=r"s\.xml in its folder would be taken for its labels"):
        songs.save(tmp_path / "s.arff")
    with pytest.raises(ValueError, match="layout"):
        songs.save(tmp_path / "s.arff", layout="weka")
