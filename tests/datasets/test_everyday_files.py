"""Files as people have them: each kind is built here."""

from __future__ import annotations

import bz2
import gzip
import re
import zlib

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from weka import what_is_missing

import mlreduce
from mlreduce.exceptions import ConfigurationError, DataError, ProjectionWarning
from mlreduce.metrics import evaluate

NAN = np.nan
HEAD = "@relation 'x: -C 2'\n@attribute L1 {0,1}\n@attribute L2 {0,1}\n"
PLAIN = HEAD + "@attribute a real\n@data\n"
TWO = [[0, 1], [1, 0]]
MUSIC = "@relation 'm: -C 2'\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute x numeric\n@data\n?,?,1\n?,?,2\n"

#: Contents and Y by name.
ARFF = {
    "pm": (PLAIN.replace("L1 {0,1}", "L1 {-1,1}").replace("L2 {0,1}", "L2 {1,-1}") + "-1,1,2.5\n1,-1,3\n", TWO),
    "attr_nospace": (PLAIN.replace(" {", "{").replace("a real", "a\treal") + "0,1,2.5\n1,0,3\n", TWO),
    "spacesep": (PLAIN + "0 1 2.5\n1\t0\t3\n", TWO),
    "comment": (PLAIN.replace("L1 {0,1}", "L1 {0,1} % l") + "% c\n0,1,2.5\n\n1,0,3 % trailing, 'quote\n", TWO),
    "misslabel": (PLAIN.replace("a real", "a INTEGER [0,10]") + "0,?,2.5\n1,0,3\n", [[0, NAN], [1, 0]]),
    "weights": (PLAIN + "0,1,2.5,{2}\n1,0,3, {0.5}\n", TWO),
}


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def values(data):
    return data.X.toarray() if sp.issparse(data.X) else data.X


@pytest.mark.parametrize("name", ARFF)
def test_arff_in_the_forms_that_weka_takes(tmp_path, name):
    text, Y = ARFF[name]
    data = mlreduce.read(written(tmp_path, f"{name}.arff", text))
    np.testing.assert_array_equal(data.Y, Y)
    np.testing.assert_array_equal(data.X, [[2.5], [3]])
    assert data.Y.dtype == (np.float64 if np.isnan(Y).any() else np.int8)
    np.testing.assert_array_equal(data.sample_weight, [2, 0.5] if name == "weights" else None)


@pytest.mark.skipif(what_is_missing() is not None, reason=str(what_is_missing()))
@pytest.mark.parametrize(
    "text",
    [
        *(text for text, _ in ARFF.values()),
        HEAD + "@attribute a integer\n@attribute b INTEGER [0,10]\n@data\n0,1,2,3\n1,0,3,4\n",
        HEAD + "@attribute c { 'very low' \"b,c\" d}\n@data\n0,1,'very low'\n1,0,\"b,c\"\n1, 1 , d\n",
        PLAIN + "{1 1, 2 2.5}, {3}\n{0 1,2 3}\n",
    ],
)
def test_arff_is_read_as_by_weka(tmp_path, text):
    import jpype
    from weka import _java

    from mlreduce.datasets.readers.arff_syntax import read_table

    path = written(tmp_path, "w.arff", text)
    loader = _java("core.converters.ArffLoader")()
    loader.setFile(jpype.JClass("java.io.File")(str(path)))
    instances, table = loader.getDataSet(), read_table(path)
    assert [str(instances.attribute(i).name()) for i in range(instances.numAttributes())] == [
        attribute.name for attribute in table.attributes
    ]
    rows = table.values.toarray() if sp.issparse(table.values) else table.values
    for i in range(instances.numInstances()):
        np.testing.assert_array_equal(list(instances.instance(i).toDoubleArray()), rows[i])
        assert instances.instance(i).weight() == (1 if table.weights is None else table.weights[i])


@pytest.mark.parametrize("weight", ["{-1}", "{1e400}", "{x}"])
def test_weights_are_finite_and_not_negative(tmp_path, weight):
    with pytest.raises(DataError, match=r"w\.arff, line 6: "):
        mlreduce.read(written(tmp_path, "w.arff", PLAIN + f"0,1,2.5,{weight}\n"))


def test_texts_and_dates_are_left_out_by_name_kept_or_refused_with_that_remedy(tmp_path):
    head = HEAD + "@attribute t string\n@attribute day date 'yyyy-MM-dd'\n@attribute a real\n@data\n"
    path = written(tmp_path, "t.arff", head + "0,1,'x,1','2020-01-02',2\n1,0,\"y z\",?,3\n")
    with pytest.raises(DataError, match=r"the column 't' .*drop=\['t'\].*keep_text=\['t'\].*categories=\['t'\]"):
        mlreduce.read(path)
    data = mlreduce.read(path, drop=["day"], keep_text=["t"])
    assert (data.texts, data.feature_names) == ({"t": ["x,1", "y z"]}, ["a"])
    many = mlreduce.read([path, path], drop=["t", "day"])
    np.testing.assert_array_equal(many.X.ravel(), [2, 3, 2, 3])
    kinds = mlreduce.read(path, drop=["day"], categories=["t"])
    assert kinds.feature_names == ["t", "a"]
    np.testing.assert_array_equal(kinds.X, [[0, 2], [1, 3]])  # of two values the second in order is 1
    with pytest.raises(DataError, match=r"unknown attribute of t\.arff 'tt'"):
        mlreduce.read(path, drop=["tt"])
    with pytest.raises(ConfigurationError, match="drop is a list of names; got the text 'day'"):
        mlreduce.read(path, drop="day")
    for option in ("keep_text", "ngrams"):
        with pytest.raises(DataError, match=f"{option} names 'a', which is numeric"):
            mlreduce.read(path, drop=["day", "t"], **{option: ["a"]})


def test_texts_become_counts_of_hashed_ngrams(tmp_path):
    path = written(tmp_path, "s.csv", "smiles,w,toxic\nCCO,2,1\nOCC,3,\n,4,0\n")
    data = mlreduce.read(path, 1, ngrams=["smiles"], keep_text=["smiles"])
    assert data.feature_names == ["w", *(f"smiles n-gram {place}" for place in range(1024))]
    assert data.texts == {"smiles": ["CCO", "OCC", ""]}
    np.testing.assert_array_equal(data.Y[:, 0], [1, NAN, 0])
    assert data.X[:, [0]].toarray().ravel().tolist() == [2, 3, 4]
    counts = data.X[:, 1:].toarray()
    assert counts.sum(axis=1).tolist() == [6, 6, 0]  # C C O, CC CO, CCO
    both = np.minimum(*counts[:2])
    assert both.sum() == 4  # C C O, CC
    assert mlreduce.read(path, 1, ngrams=["smiles"], drop=["w"]).X.shape == (3, 1024)


def test_parts_with_other_texts_are_one_set(tmp_path):
    head = HEAD + "@attribute t string\n@data\n"
    parts = [written(tmp_path, f"{name}.arff", f"{head}0,1,{name}\n1,0,x\n") for name in "ab"]
    data = mlreduce.read(parts, categories=["t"])
    assert data.feature_names == ["t=a", "t=b", "t=x"]
    np.testing.assert_array_equal(data.X, [[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1]])


def test_nothing_vanishes_in_silence(tmp_path):
    three = HEAD + "@attribute c { 'very low', \"b,c\", d}\n@data\n0,1,'very low'\n1,0,\"b,c\"\n1, 1 , d\n"
    data = mlreduce.read(written(tmp_path, "n.arff", three))
    assert data.feature_names == ["c=very low", "c=b,c", "c=d"]
    np.testing.assert_array_equal(data.X, np.eye(3))
    names = [f"n{i}" for i in range(12)]
    rows = "".join(f"{i % 2},1,{name},{i}\n" for i, name in enumerate(names))
    path = written(tmp_path, "i.arff", HEAD + f"@attribute id {{{','.join(names)}}}\n@attribute k real\n@data\n" + rows)
    with pytest.warns(ProjectionWarning) as caught:
        data = mlreduce.read(path)
    assert (data.dropped, data.feature_names) == (["id"], ["k"])
    sentences = [str(warning.message) for warning in caught]
    assert "the attribute 'id' differs in every row" in sentences[0]
    assert "keep_identifiers=True" in sentences[0]
    assert "the column 'k' counts the rows" in sentences[1]
    assert "drop=['k']" in sentences[1]


def test_labels_have_the_order_of_the_file(tmp_path):
    path = written(
        tmp_path, "o.arff", "@relation r\n@attribute x real\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n5,1,0\n"
    )
    written(tmp_path, "o.xml", '<labels><label name="b"/><label name="a"/></labels>')
    data = mlreduce.read(path)
    assert (data.label_names, data.Y.tolist()) == (["a", "b"], [[1, 0]])
    listed = mlreduce.read(path, label_order="list")
    assert (listed.label_names, listed.Y.tolist()) == (["b", "a"], [[0, 1]])


def test_encodings_are_named_and_read(tmp_path):
    arff = written(tmp_path, "l.arff", PLAIN.replace("L1", "mañana").encode("latin-1") + b"0,1,2.5\n")
    table = written(tmp_path, "l.csv", "xé,l1\n0.5,1\n".encode("latin-1"))
    for path, said in ((arff, {}), (table, {"labels": ["l1"]})):
        with pytest.raises(DataError, match=r"not UTF-8 text; name its encoding, as in encoding='latin-1'"):
            mlreduce.read(path, **said)
        data = mlreduce.read(path, encoding="latin-1", **said)
        assert "mañana" in data.label_names or "xé" in data.feature_names
        with pytest.raises(DataError, match="encoding='zip' is not the name of an encoding of text"):
            mlreduce.read(path, encoding="zip", **said)


CSV = {
    "semi": ("x;y;l1;l2\n0,5;1;0;1\n0,7;3;1;0\n", {"sep": ";", "decimal": ","}, TWO),
    "bool": ("x,y,l1,l2\n0.5,1,True,False\n0.7,3,False,True\n", {}, [[1, 0], [0, 1]]),
    "words": ("x,y,l1,l2\n0.5,1,yes,NO\n0.7,3,no,Yes\n", {}, [[1, 0], [0, 1]]),
    "signs": ("x,y,l1,l2\n0.5,1,-1,1\n0.7,3,1,-1\n", {}, TWO),
    "misslab": ("x,y,l1,l2\n0.5,1,,1\n0.7,3,1,NA\n", {}, [[NAN, 1], [1, NAN]]),
    "other": ("x,y,l1,l2\n0.5,1,off,on\n0.7,3,on,off\n", {"label_values": ["off", "on"]}, TWO),
    "ones": ("x,y,l1,l2\n0.5,1,1,2\n0.7,3,2,1\n", {"label_values": [1, 2]}, TWO),
    "columns": ("id,x,sex,y,l1,l2\nq7,0.5,f,1,0,1\nq9,0.7,m,3,1,0\n", {"drop": ["id", "sex"]}, TWO),
}


@pytest.mark.parametrize("name", CSV)
def test_tables_that_spreadsheets_write(tmp_path, name):
    text, said, Y = CSV[name]
    data = mlreduce.read(written(tmp_path, "t.csv", text), {"last": 2}, **said)
    np.testing.assert_array_equal(data.X, [[0.5, 1], [0.7, 3]])
    np.testing.assert_array_equal(data.Y, Y)


@pytest.mark.parametrize(
    ("name", "said", "sentence"),
    [
        ("semi", {}, r"no ','; are the cells separated by ';'\? Give sep=';', and decimal=','"),
        ("semi", {"sep": ";"}, r"the column 'x' is not numeric.*'0,5'\. Are these .* decimal=',' reads them"),
        ("semi", {"decimal": ","}, "decimal=',' separates the cells too; give sep="),
        ("columns", {}, r"the column 'id' is not numeric, .* 'q7'\. Leave it out with drop=\['id'\]"),
        ("other", {}, r"the label 'l1' has the value 'off'; .* label_values=\['no word', 'yes word'\]"),
        ("ones", {}, r"the label 'l2' is 2 in data row 1; .* label_values=\[1, 2\]"),
        ("bool", {"labels": [2, 3]}, r"labels are names of columns, or how many.*; got 2 among the names"),
    ],
)
def test_the_refusal_names_the_argument_that_helps(tmp_path, name, said, sentence):
    with pytest.raises(DataError, match=sentence):
        mlreduce.read(written(tmp_path, "t.csv", CSV[name][0]), **{"labels": {"last": 2}} | said)


@pytest.mark.parametrize("said", [{"label_values": ["a"]}, {"label_values": "ab"}, {"sep": ",,"}, {"max_bytes": 0}])
def test_arguments_that_are_none(tmp_path, said):
    with pytest.raises(ConfigurationError):
        mlreduce.read(written(tmp_path, "t.csv", CSV["bool"][0]), {"last": 2}, **said)


def test_categories_become_columns_as_by_pandas(tmp_path):
    frame = pd.DataFrame({"k": ["b", "a", None, "c", "a"], "x": [1.0, 2, 3, 4, 5], "l": [0, 1, 1, 0, 1]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    expected = pd.get_dummies(frame["k"], prefix="k", prefix_sep="=", dtype=float)
    expected[frame["k"].isna()] = NAN
    for name in ("t.csv", "t.parquet"):
        data = mlreduce.read(tmp_path / name, ["l"], categories=["k"])
        assert data.feature_names == [*expected.columns, "x"]
        np.testing.assert_array_equal(data.X[:, :3], expected)
        assert mlreduce.read(tmp_path / name, ["l"], keep_text=["k"]).texts == {"k": ["b", "a", "", "c", "a"]}


@pytest.mark.parametrize("index", [[0, 1, 2], [7, 3, 5], ["p", "q", "r"]])
def test_an_index_is_no_feature_and_that_is_said(tmp_path, index):
    frame = pd.DataFrame({"x": [0.5, 0.7, 0.1], "l": [0, 1, 1]}, index=index)
    frame.to_csv(tmp_path / "t.csv")
    again = pd.read_csv(tmp_path / "t.csv")  # whose first column is called Unnamed: 0
    again.to_csv(tmp_path / "again.csv", index=False)
    for name, shown in (("t.csv", "which has no name"), ("again.csv", "Unnamed: 0")):
        with pytest.warns(ProjectionWarning, match=f"the first column, {shown}, numbers or names the rows"):
            data = mlreduce.read(tmp_path / name, ["l"])
        np.testing.assert_array_equal(data.X, frame[["x"]])


def test_columns_without_a_name_are_refused(tmp_path):
    for text, sentence in ((",x,l\n1,1,0\n1,2,1\n", "column 1 has no name"), ("x,,l\n1,1,0\n", "column 2 has no name")):
        with pytest.raises(DataError, match=sentence):
            mlreduce.read(written(tmp_path, "t.csv", text), ["l"])


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("first_used", [True, False])
def test_svmlight_as_scikit_learn_writes_it(tmp_path, zero_based, first_used):
    rng = np.random.default_rng(0)
    X = sp.random_array((20, 30), density=0.3, rng=rng, format="csr") * 4
    X = sp.csr_array(X @ sp.diags_array([float(first_used), *[1.0] * 29]))
    X.eliminate_zeros()
    Y = rng.integers(0, 2, (20, 6))
    path = tmp_path / "s.svm"
    dump_svmlight_file(X, sp.csr_array(Y), str(path), multilabel=True, zero_based=zero_based)
    judge, _ = load_svmlight_file(str(path), multilabel=True, zero_based=zero_based, n_features=30)
    for said in ({"zero_based": zero_based, "n_features": 30}, {"zero_based": "auto"}):
        data = mlreduce.read(path, **said)
        np.testing.assert_array_equal(data.Y, Y)
        lost = 30 - data.X.shape[1]  # only "auto" cannot know of a first feature that no row has
        assert lost == int(zero_based and not first_used and said["zero_based"] == "auto")
        np.testing.assert_array_equal(data.X.toarray(), judge.toarray()[:, lost:])
    dump_svmlight_file(X, sp.csr_array(Y), str(path), multilabel=True, zero_based=zero_based, comment="as it says")
    assert mlreduce.read(path, n_features=30).feature_names[0] == str(int(not zero_based))
    with pytest.raises(ConfigurationError, match="zero_based must be 'auto', True or False; got 'no'"):
        mlreduce.read(path, zero_based="no")


def test_the_refusal_of_a_feature_0_names_the_argument(tmp_path):
    with pytest.raises(DataError, match=r"line 1: .* zero_based=True reads features from 0"):
        mlreduce.read(written(tmp_path, "s.svm", "1 0:1 2:3\n"), zero_based=False)


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_compressed_files(tmp_path, suffix, compress):
    arff = written(tmp_path, f"g.arff{suffix}", compress((PLAIN + "0,1,2.5\n1,0,3\n").encode()))
    table = written(tmp_path, f"g.csv{suffix}", compress(b"x,y,l1\n0.5,1,1\n"))
    rows = written(tmp_path, f"g.svm{suffix}", compress(b"1 0:1 2:3\n"))
    for path, said, shape in ((arff, {}, (2, 1)), (table, {"labels": 1}, (1, 2)), (rows, {}, (1, 3))):
        data = mlreduce.read(path, **said)
        assert (data.X.shape, data.name) == (shape, "g")


X, Y = np.arange(12.0).reshape(4, 3), np.array([[1, 0], [0, 1], [1, 1], [0, 0]])


@pytest.mark.parametrize(
    ("content", "said", "features", "labels", "sentence"),
    [
        ({"dataset": X, "class": Y.T}, {"variables": ("dataset", "class")}, X, Y, "class 2 x 4, dataset 4 x 3"),
        (
            {"X": X, "Y": Y, "Xt": X[:2], "Yt": Y[:2]},
            {"variables": ("X", "Y", "Xt", "Yt")},
            np.vstack([X, X[:2]]),
            np.vstack([Y, Y[:2]]),
            r"it also holds Xt and Yt, perhaps further instances .*variables=\('X', 'Y', 'Xt', 'Yt'\)",
        ),
        (
            {"data_train": sp.csc_array(X), "label_train": sp.csc_array(Y), "data_test": X[:2], "label_test": Y[:2]},
            {"variables": ("data_train", "label_train")},
            X,
            Y,
            "data_train 4 x 3, label_test 2 x 2, label_train 4 x 2",
        ),
        ({"D": np.hstack([Y, X]), "L": 2}, {"variables": ("D",), "labels": {"first": 2}}, X, Y, "D 4 x 5, L 1 x 1"),
        ({"data": X[:2], "target": [[1, 0], [1, 1]]}, {"labels_in": "rows"}, X[:2], [[1, 1], [0, 1]], "labels_in="),
        ({"data": X, "target": np.where(Y, 1.0, NAN)}, {}, X, np.where(Y, 1.0, NAN), None),
    ],
)
def test_matlab_variables_by_name(tmp_path, content, said, features, labels, sentence):
    path = tmp_path / "m.mat"
    scipy.io.savemat(path, content)
    if sentence is not None:
        with pytest.raises(DataError, match=sentence):
            mlreduce.read(path)
    data = mlreduce.read(path, **said)
    np.testing.assert_array_equal(values(data), features)
    np.testing.assert_array_equal(data.Y, labels)


def test_other_labels_of_the_same_instances_are_named(tmp_path):
    scipy.io.savemat(tmp_path / "m.mat", {"data": X, "target": Y.T, "partial": Y[::-1].T, "mean": X[:1]})
    with pytest.warns(ProjectionWarning, match="partial, of the same shape, was left out") as caught:
        np.testing.assert_array_equal(mlreduce.read(tmp_path / "m.mat").Y, Y)
    variables = re.search(r"variables=(\(.*\))", str(caught[0].message))[1]
    np.testing.assert_array_equal(mlreduce.read(tmp_path / "m.mat", variables=eval(variables)).Y, Y[::-1])


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"variables": ("data", "targets")}, "no variable 'targets'; it holds data 4 x 3, target 4 x 2"),
        ({"variables": "data"}, "variables are names"),
        ({"variables": ("data", "target", "more")}, "variables are names"),
        ({"variables": ("data",)}, "labels={'last': n} divides it"),
        ({"labels_in": "cells"}, "labels_in must be 'rows' or 'columns'"),
        ({"labels_in": "rows"}, "no side of the labels is the number of rows"),
    ],
)
def test_matlab_variables_that_are_not_there(tmp_path, said, sentence):
    scipy.io.savemat(tmp_path / "m.mat", {"data": X, "target": Y})
    with pytest.raises((ConfigurationError, DataError), match=sentence):
        mlreduce.read(tmp_path / "m.mat", **said)


def test_a_limit_can_be_raised_where_the_refusal_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("mlreduce.guards.FREE_BYTES", 2**12)
    zeros = np.zeros((200, 300))
    zeros[::7, ::5] = 1
    scipy.io.savemat(tmp_path / "z.mat", {"data": zeros, "target": np.eye(200, 2)}, do_compression=True)
    assert (tmp_path / "z.mat").stat().st_size * 100 < zeros.nbytes
    with pytest.raises(DataError, match=rf"out of proportion .* max_bytes={zeros.nbytes + 3200}"):
        mlreduce.read(tmp_path / "z.mat")
    np.testing.assert_array_equal(mlreduce.read(tmp_path / "z.mat", max_bytes=zeros.nbytes + 3200).X, zeros)


def test_all_labels_unknown(tmp_path):
    data = mlreduce.read(written(tmp_path, "m.arff", MUSIC))
    assert np.isnan(data.Y).all()
    described = data.describe()
    assert described["unknown"] == 1
    assert (data.cardinality, described["label_sets"]) == (0, 0)
    assert np.isnan([described["unlabelled"], described["mean_imbalance"]]).all()


def test_what_takes_unknown_labels_says_so(tmp_path):
    text = "x,y,a,b\n" + "".join(f"{i / 7:.2f},{i % 3},{i % 2},{'' if i == 3 else (i // 2) % 2}\n" for i in range(12))
    data = mlreduce.read(written(tmp_path, "p.csv", text), 2)
    described = data.describe()
    known = ~np.isnan(data.Y)
    assert described["unknown"] == 1 / 24
    assert described["cardinality"] == pytest.approx(data.Y[:, 0].mean() + data.Y[known[:, 1], 1].mean())
    whole = data.Y[known.all(axis=1)]
    assert described["label_sets"] == len(np.unique(whole, axis=0))
    assert described["unlabelled"] == (np.nansum(data.Y, axis=1) == 0).mean()
    shares = np.nanmean(data.Y, axis=0)
    assert described["mean_imbalance"] == pytest.approx((shares.max() / shares).mean())
    assert "1 of 24 labels are unknown (4.17%)" in data.check()
    assert evaluate("hamming-loss", data.Y, np.zeros(data.Y.shape)) == np.nansum(data.Y) / 23
    for refuse in (
        lambda: mlreduce.make("rcca").fit(data.X, data.Y),
        lambda: mlreduce.make("lasso-multitask").fit(data.X, data.Y),
    ):
        with pytest.raises(DataError, match=r"(?s)y is NaN in column 1.*row 3: all labels have to be known here"):
            refuse()
    assert mlreduce.make("mddmp", n_components=1).fit(data.X, data.Y).transform(data.X).shape == (12, 1)
    assert mlreduce.make("mrmr", k=1).fit(data.X, data.Y).transform(data.X).shape == (12, 1)


@pytest.mark.parametrize("features", [[["a", 1], ["c", 2]], pd.DataFrame({"x": [1, 2], "sex": ["f", "m"]})])
def test_texts_among_the_features_are_named(features):
    with pytest.raises(DataError, match=r"X holds the text '[af]' in column [01]( \('sex'\))?; features are numbers"):
        mlreduce.make("pca", n_components=1).fit(features)


OWN = """datasets:
  market:
    reader: tables
    features: market.csv
    labels: {last: 2}
    sep: ";"
    decimal: ","
    encoding: latin-1
    drop: [id]
    categories: [region]
    label_values: ["off", "on"]
  songs: {reader: arff, data: [songs.arff.gz], labels: songs.xml, keep_text: [t], label_order: list}
  rows: {reader: svmlight, data: [rows.svm], zero_based: true, n_features: 4}
  pictures: {reader: mat, data: [p.mat], variables: [X, Y, Xt, Yt], max_bytes: 1000000}
"""


@pytest.fixture
def own(tmp_path):
    written(tmp_path, "market.csv", "id;prix é;region;a;b\nq;0,5;n;off;on\nr;1,5;s;on;off\n".encode("latin-1"))
    songs = PLAIN.replace("@data", "@attribute t string\n@data").replace(": -C 2", "") + "0,1,2.5,'x y'\n1,0,3,z\n"
    written(tmp_path, "songs.arff.gz", gzip.compress(songs.encode()))
    written(tmp_path, "songs.xml", '<labels><label name="L2"/><label name="L1"/></labels>')
    written(tmp_path, "rows.svm", "1 1:2\n2 2:1\n")
    scipy.io.savemat(tmp_path / "p.mat", {"X": X, "Y": Y, "Xt": X[:2], "Yt": Y[:2]})
    return written(tmp_path, "own.yaml", OWN)


def test_the_arguments_are_keys_of_an_entry(own):
    market = mlreduce.load_dataset("market", catalogue=own)
    assert market.feature_names == ["prix é", "region"]
    np.testing.assert_array_equal(market.X, [[0.5, 0], [1.5, 1]])
    np.testing.assert_array_equal(market.Y, TWO)
    songs = mlreduce.load_dataset("songs", catalogue=own)
    assert (songs.label_names, songs.texts) == (["L2", "L1"], {"t": ["x y", "z"]})
    assert mlreduce.load_dataset("rows", catalogue=own).X.toarray().tolist() == [[0, 2, 0, 0], [0, 0, 1, 0]]
    assert mlreduce.load_dataset("pictures", catalogue=own).X.shape == (6, 3)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("zero_based: true", "sep: ','"), "datasets.rows: the reader svmlight takes no sep"),
        (("label_order: list", "label_order: xml"), "label_order"),
        (("max_bytes: 1000000", "max_bytes: 0"), "max_bytes"),
        (("drop: [id]", "drop: []"), "drop"),
    ],
)
def test_a_key_that_the_reader_does_not_take_is_refused(own, change, sentence):
    own.write_text(OWN.replace(*change))
    with pytest.raises(ConfigurationError, match=sentence):
        mlreduce.load_dataset("rows", catalogue=own)


def test_what_was_left_out_is_said_of_own_data(own):
    written(own.parent, "market.csv", ";id;prix;region;a;b\n0;q;0,5;n;off;on\n1;r;1,5;s;on;off\n")
    with pytest.warns(ProjectionWarning, match="the first column, which has no name"):
        mlreduce.load_dataset("market", catalogue=own)


@pytest.mark.slow
def test_a_table_of_very_many_columns(tmp_path):
    """A million took 44 s and 2.4 GB when pandas read them."""
    import resource
    import time

    n = 300_000
    names = ",".join(f"f{i}" for i in range(n))
    path = written(tmp_path, "wide.csv", f"{names},l\n" + "".join(f"{'0.5,' * n}{row % 2}\n" for row in range(3)))
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    assert mlreduce.read(path, 1).X.shape == (3, n)
    assert time.process_time() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024


def test_gzip_bombs_are_refused_soon(tmp_path):
    packer = zlib.compressobj(9, wbits=31)
    packed = b"".join(packer.compress(b"0," * 2**19) for _ in range(100)) + packer.flush()
    with pytest.raises(DataError, match="unpacks to more than 64 MB, out of proportion"):
        mlreduce.read(written(tmp_path, "b.csv.gz", packed), 1)
