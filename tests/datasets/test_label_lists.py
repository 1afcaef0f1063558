"""Columns whose cells have several labels: lists of Parquet, and texts that a separator divides."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mlreduce
from mlreduce.exceptions import ConfigurationError, DataError, ProjectionWarning

X = [0.1, 0.2, 0.3]
Y = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]


def written(folder, lists, kind=None, **more):
    path = folder / "l.parquet"
    pq.write_table(pa.table({"x": X, "labels": pa.array(lists, kind), **more}), path)
    return path


@pytest.mark.parametrize(
    ("lists", "kind", "names"),
    [
        ([["a", "c"], ["b"], []], None, ["a", "b", "c"]),
        ([["c", "a", "a"], ["b"], [""]], pa.large_list(pa.large_string()), ["a", "b", "c"]),
        ([["a", "c"], ["b"], []], pa.list_(pa.dictionary(pa.int8(), pa.string())), ["a", "b", "c"]),
        ([["9", "11"], ["10"], []], None, ["9", "10", "11"]),
        ([[9, 11], [10], []], None, ["9", "10", "11"]),
        ([[9.0, 11.0], [10.0], []], None, ["9", "10", "11"]),
    ],
)
def test_lists_are_columns_for_each_label(tmp_path, lists, kind, names):
    path = written(tmp_path, lists, kind, z=X)
    data = mlreduce.read(path, ["labels"])
    assert (data.label_names, data.Y.tolist(), data.feature_names) == (names, Y, ["x", "z"])
    assert mlreduce.read(path, {"last": 1}, drop=["z"]).Y.tolist() == Y
    with pytest.raises(DataError, match=r"'labels' holds lists.*labels=\['labels'\].*drop=\['labels'\]"):
        mlreduce.read(path, ["z"])
    assert mlreduce.read(path, ["z"], drop=["labels"], label_sep=";").label_names == ["0.1", "0.2", "0.3"]


@pytest.mark.parametrize(
    "feature",
    [
        {"feature": {"names": list("pqrs"), "_type": "ClassLabel"}, "_type": "Sequence"},
        [{"names": list("pqrs"), "_type": "ClassLabel"}],
    ],
)
def test_classes_of_hugging_face_have_their_names(tmp_path, feature):
    table = pa.table({"x": X, "labels": [[0, 2], [1], []]})
    info = {"info": {"features": {"x": {"dtype": "float64", "_type": "Value"}, "labels": feature}}}
    pq.write_table(table.replace_schema_metadata({"huggingface": json.dumps(info)}), tmp_path / "h.parquet")
    data = mlreduce.read(tmp_path / "h.parquet", ["labels"])
    assert (data.label_names, data.Y.tolist()) == (list("pqrs"), [[*row, 0] for row in Y])
    table = pa.table({"x": X, "labels": [[0, 2], [4], []]})
    pq.write_table(table.replace_schema_metadata({"huggingface": json.dumps(info)}), tmp_path / "h.parquet")
    with pytest.raises(DataError, match="has the number 4; numbers of labels are from 0 to 3"):
        mlreduce.read(tmp_path / "h.parquet", ["labels"])


@pytest.mark.parametrize("metadata", ["", "[1]", '{"info": 3}', '{"info": {"features": {"labels": []}}}', "[" * 9999])
def test_damaged_names_of_classes_are_none(tmp_path, metadata):
    table = pa.table({"x": X, "labels": [[0, 2], [1], []]}).replace_schema_metadata({"huggingface": metadata})
    pq.write_table(table, tmp_path / "h.parquet")
    assert mlreduce.read(tmp_path / "h.parquet", ["labels"]).label_names == ["0", "1", "2"]


@pytest.mark.parametrize("kind", [pa.list_(pa.int64()), pa.list_(pa.float32(), 3), pa.list_(pa.bool_())])
def test_lists_of_a_value_for_every_label(tmp_path, kind):
    values = [[bool(value) for value in row] for row in Y] if pa.types.is_boolean(kind.value_type) else Y
    with pytest.warns(ProjectionWarning, match="all have 3 values 0 or 1"):
        data = mlreduce.read(written(tmp_path, values, kind), ["labels"])
    assert (data.label_names, data.Y.tolist()) == (["1", "2", "3"], Y)


@pytest.mark.parametrize(
    ("lists", "sentence"),
    [
        ([["a", None], ["b"], []], "has a missing value"),
        ([[0.5], [1.0], []], "has the number 0.5; numbers of labels are integers"),
        ([[np.nan], [1.0], []], "has the number nan"),
        ([[], [], None], "not numeric|has a label"),
        ([{"a": 1}] * 3, r"'labels' is not numeric, it is of the type struct.*drop=\['labels'\]"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_lists_that_are_no_labels_are_refused_and_the_remedy_works(tmp_path, lists, sentence):
    path = written(tmp_path, lists, y=[0, 1, 0])
    with pytest.raises(DataError, match=sentence):
        mlreduce.read(path, ["labels"])
    assert mlreduce.read(path, ["y"], drop=["labels"]).feature_names == ["x"]


def test_lists_next_to_columns_of_labels_and_rows_without_a_list(tmp_path):
    with pytest.warns(ProjectionWarning, match="1 rows have nothing in the column 'labels'"):
        data = mlreduce.read(written(tmp_path, [["a"], ["b"], None], y=[0, 1, 1]), ["y", "labels"])
    assert (data.label_names, data.Y.tolist()) == (["y", "a", "b"], [[0, 1, 0], [1, 0, 1], [1, 0, 0]])


def test_lists_of_a_second_table(tmp_path):
    path = written(tmp_path, [["a", "c"], ["b"], []])
    pq.write_table(pq.read_table(path, columns=["x"]), tmp_path / "x.parquet")
    pq.write_table(pq.read_table(path, columns=["labels"]), tmp_path / "y.parquet")
    assert mlreduce.read(tmp_path / "x.parquet", tmp_path / "y.parquet").Y.tolist() == Y


def test_a_few_bytes_of_long_lists_are_refused(tmp_path):
    lists = pa.ListArray.from_arrays([0, 3_000_000, 3_000_000, 3_000_000], pa.array(np.zeros(3_000_000, np.int32)))
    path = written(tmp_path, lists)
    assert path.stat().st_size < 10_000
    with pytest.raises(DataError, match="lists with 3000005 values would need 275 MB"):
        mlreduce.read(path, ["labels"])


@pytest.mark.parametrize(
    ("cells", "sep"),
    [
        (["a;c", "b", ""], ";"),
        (["|a|c|", "|b|", ""], "|"),
        (["c, a, a", "b", ","], ","),
        (["<a><c>", "<b>", ""], "<>"),
        (["['a', 'c']", "['b']", "[]"], "[]"),
        (['["a","c"]', '["b"]', "[]"], "[]"),
        (["[a, c]", "[b]", " [ ] "], "[]"),
    ],
)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("suffix", ["csv", "parquet", "arff"])
def test_tags_in_one_column(tmp_path, cells, sep, suffix):
    table, path = pd.DataFrame({"x": X, "tags": cells}), tmp_path / f"t.{suffix}"
    if suffix == "arff":
        rows = "\n".join(
            f'{x},"{cell}"' for x, cell in zip(X, [cell.replace('"', r"\"") for cell in cells], strict=True)
        )
        path.write_text(f"@relation t\n@attribute x real\n@attribute tags string\n@data\n{rows}\n")
    else:
        getattr(table, f"to_{suffix}")(path, index=False)
    data = mlreduce.read(path, ["tags"], label_sep=sep)
    assert (data.label_names, data.Y.tolist()) == (["a", "b", "c"], Y)


def test_names_of_tags_are_as_python_and_json_write_them(tmp_path):
    names = ["it's", 'a "b"', "é\\n", "x, y]"]
    for lists in (map(str, [names, []]), map(json.dumps, [names, []])):
        pd.DataFrame({"x": [1, 2], "tags": list(lists)}).to_csv(tmp_path / "t.csv", index=False)
        assert mlreduce.read(tmp_path / "t.csv", ["tags"], label_sep="[]").label_names == sorted(names)


@pytest.mark.parametrize("cell", ["<a><b", "a", "<>", "['a', 'b'", "[[a]]", "[New York]", "['\\x']"])
def test_cells_of_another_layout_are_refused(tmp_path, cell):
    pd.DataFrame({"x": [1.0], "tags": [cell]}).to_csv(tmp_path / "t.csv", index=False)
    for sep in ("<>", "[]"):
        with pytest.raises(DataError, match="the column 'tags' has the cell .*cells are like "):
            mlreduce.read(tmp_path / "t.csv", ["tags"], label_sep=sep)


def test_the_refusal_of_tags_names_the_argument(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,tags\n1,a;c\n2,b\n3,\n")
    with pytest.raises(DataError, match="label_sep=';' reads cells of several labels"):
        mlreduce.read(path, ["tags"])
    with pytest.warns(
        ProjectionWarning, match="1 rows have nothing in the column 'tags' and were read as rows without"
    ):
        assert mlreduce.read(path, ["tags"], label_sep=";").Y.tolist() == Y
    for how in ({"label_sep": ""}, {"label_sep": ";", "label_values": ["no", "yes"]}):
        with pytest.raises(ConfigurationError, match="label_sep"):
            mlreduce.read(path, ["tags"], **how)
