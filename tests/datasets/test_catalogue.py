from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import yaml
from scipy.io import savemat

import mlreduce
from mlreduce.configuration import validate
from mlreduce.datasets import catalogue as catalogue_module
from mlreduce.datasets.catalogue import Dataset, read_catalogue
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.embedded import DIGIT_ATTRIBUTES, documents, planted
from mlreduce.datasets.readers.tables import read_tables
from mlreduce.exceptions import ConfigurationError, DataError, FetchError
from mlreduce.files import file_sha256

BUILT_IN, FURTHER = (
    Path(mlreduce.__file__).parent / "datasets" / name for name in ("datasets.toml", "further-datasets.toml")
)
PUBLISHED = {
    "emotions",
    "yeast",
    "scene",
    "enron",
    "medical",
    "genbase",
    "birds",
    "corel5k",
    "bibtex",
    "eukaryote-go",
    "mediamill",
    "reuters",
    "reuters-copies",
}


@pytest.fixture
def own(tmp_path):
    """A user's datasets file, with two tables beside it."""

    def write(entry, features=None, labels=None):
        features = pd.DataFrame({"a": [1.0, 2, 3], "b": [0.5, None, 1]}) if features is None else features
        labels = pd.DataFrame({"x": [1, 0, 1], "y": [0, 1, 1]}) if labels is None else labels
        features.to_csv(tmp_path / "f.csv", index=False)
        labels.to_parquet(tmp_path / "l.parquet")
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.yaml"
        path.write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
        return path

    return write


TABLES = {"reader": "tables", "features": "f.csv", "labels": "l.parquet"}


def test_built_in_catalogue_is_complete():
    catalogue = read_catalogue()
    assert set(catalogue) >= PUBLISHED | {"digits", "planted"}
    generated = {"digits", "digits-300", "planted", "planted-300", "mediamill-shape", "eep-shape", "eep"}
    assert len(set(catalogue) - generated) == 92
    places = {}
    for name, dataset in catalogue.items():
        assert {"title", "domain", "citation", "licence", "expect"} <= set(dataset.options)
        assert ("bytes" in dataset.options) == (name not in generated)
        for entry in (e for entries in dataset.files.values() for e in entries):
            if name == "eep":
                continue
            assert len(entry.sha256) == 64
            assert entry.addresses
            assert places.setdefault((entry.folder, entry.name), entry.sha256) == entry.sha256
            for address in entry.addresses:
                assert address.startswith("https://")
                assert address.rpartition("/")[2].replace("-", "").lower() == entry.name.replace("-", "").lower()
                assert re.search("/[0-9a-f]{40}/", address)  # a commit


def test_digits_have_documented_labels():
    data = mlreduce.load_dataset("digits")
    assert data.X.shape == (1797, 64)
    assert data.label_names == list(DIGIT_ATTRIBUTES)
    patterns = {tuple(row) for row in data.Y}
    assert len(patterns) == 10  # every digit has a pattern of its own
    assert "1797 instances, 64 dense features, 8 labels" in repr(data)


def test_planted_labels_depend_on_the_planted_subspace_only():
    data, subspace, learnable = planted(n_samples=20_000, noise=0.1, random_state=1)
    np.testing.assert_allclose(subspace.T @ subspace, np.eye(3), atol=1e-12)
    covariance = (data.X - data.X.mean(0)).T @ (data.Y - data.Y.mean(0)) / len(data.Y)
    outside = covariance - subspace @ (subspace.T @ covariance)
    assert np.linalg.norm(outside[:, learnable]) < 0.1 * np.linalg.norm(covariance[:, learnable])
    assert np.linalg.norm(covariance[:, ~learnable], axis=0).max() < 0.1
    assert (planted(random_state=5).data.Y == planted(random_state=5).data.Y).all()
    with pytest.raises(DataError, match="n_latent <= n_features"):
        planted(n_features=2, n_latent=3)
    with pytest.raises(DataError, match="0 < share < 1"):
        planted(share=1.0)
    few = planted(n_samples=20_000, n_distractors=0, share=0.1).data.Y
    np.testing.assert_allclose(few.mean(axis=0), 0.1, atol=0.01)


def test_a_generated_set_has_the_name_of_its_entry(own):
    entry = {"reader": "planted", "parameters": {"n_samples": 30, "n_features": 4, "n_labels": 6}}
    assert mlreduce.load_dataset("mine", catalogue=own(entry)).name == "mine"


def test_generated_documents_are_as_described():
    data = documents(n_samples=1000, n_features=50_000, n_labels=60, n_words=2000)
    assert sp.issparse(data.X)
    assert data.X.has_sorted_indices
    assert data.X.indices.dtype == np.int32
    assert (data.X.data >= 1).all()
    assert data.X.data.dtype == np.float64
    assert abs(data.X.sum() / 1000 - 2000) < 100
    assert (data.X.data == np.round(data.X.data)).all()
    numbers = data.Y.sum(axis=1)
    assert (numbers == 1).mean() == 0.04
    assert numbers.min() == 1
    assert 12 < numbers.max() <= 17
    sizes = data.Y.sum(axis=0, dtype=int)
    np.testing.assert_allclose(sizes[:5] / 1000, [0.34, 0.31, 0.28, 0.26, 0.25], atol=0.02)
    np.testing.assert_allclose(sizes[5:] / 1000, np.geomspace(0.14, 0.0015, 55), atol=0.012)
    assert sizes.min() >= 1
    frequency = np.sort(data.X.sum(axis=0))[::-1]
    np.testing.assert_allclose(frequency[9] / frequency[99], 10, rtol=0.4)  # Zipf's law
    again = documents(n_samples=1000, n_features=50_000, n_labels=60, n_words=2000)
    assert (data.X != again.X).nnz == 0
    with pytest.raises(DataError, match="documents needs .* 30 labels .*; got n_samples=400, .* n_labels=29"):
        documents(n_samples=400, n_labels=29)


def test_own_tables_by_one_entry(own):
    data = mlreduce.load_dataset("mine", catalogue=own(TABLES))
    np.testing.assert_array_equal(data.X, [[1, 0.5], [2, np.nan], [3, 1]])
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 1], [1, 1]])
    assert (data.feature_names, data.label_names, data.name) == (["a", "b"], ["x", "y"], "mine")


def test_files_of_one_name_in_two_folders_keep_apart(tmp_path):
    for folder, column in (("f", "a"), ("l", "x")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "data.csv").write_text(f"{column}\n1\n0\n")
    entry = {"reader": "tables", "features": "f/data.csv", "labels": "l/data.csv"}
    (tmp_path / "my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    dataset = read_catalogue(tmp_path / "my.yaml")["mine"]
    copies = dataset.copies(tmp_path / "raw")
    (tmp_path / "raw").mkdir()
    for path, copy in zip(dataset.fetch(), copies, strict=True):
        copy.write_bytes(path.read_bytes())
    data = dataset.read(copies)
    assert (data.feature_names, data.label_names) == (["a"], ["x"])


@pytest.mark.parametrize("content", [None, "a,b\n1,0.5\n2,\n9,1\n"])
def test_copies_that_are_damaged_are_not_read(own, tmp_path, content):
    dataset = Dataset.from_json(read_catalogue(own(TABLES))["mine"].to_json())
    dataset.copy(tmp_path / "raw")
    assert dataset.read_copies(tmp_path / "raw").X[2, 0] == 3
    path = tmp_path / "raw" / "0-f.csv"
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(DataError, match=r"raw/0-f\.csv: not the file that was fetched; delete the folder .*/raw and"):
        dataset.read_copies(tmp_path / "raw")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (TABLES | {"expect": {"instances": 4}}, "mine: expected 4 instances, got 3; is a file truncated"),
        (TABLES | {"expect": {"cardinality": 1.0}}, "expected 1.0 cardinality, got 1.333"),
    ],
)
def test_data_unlike_its_entry_are_refused(own, entry, message):
    with pytest.raises(DataError, match=message):
        mlreduce.load_dataset("mine", catalogue=own(entry))


def test_labels_without_instances(own):
    labels = pd.DataFrame({"x": [1, 0, 1], "nobody": [0, 0, 0]})
    with pytest.raises(DataError, match="mine: no instance has the label.*'nobody'.*empty_labels: keep"):
        mlreduce.load_dataset("mine", catalogue=own(TABLES, labels=labels))
    kept = mlreduce.load_dataset("mine", catalogue=own(TABLES | {"empty_labels": "keep"}, labels=labels))
    assert kept.Y.shape == (3, 2)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"reader": "tabels"}, "datasets.mine.reader: unknown value 'tabels'; did you mean 'tables'"),
        ({"reader": "tables", "features": "f.csv"}, "datasets.mine: the key 'labels' is missing"),
        (TABLES | {"lables": 1}, "unknown key 'lables'; did you mean 'labels'"),
        (TABLES | {"features": {"name": "f.csv", "sources": ["mulen"], "sha256": "0" * 64}}, "unknown source 'mulen'"),
        (TABLES | {"expect": {"instances": "many"}}, "expected integer, got 'many'"),
        (
            {"reader": "sgml", "data": ["f.sgm"], "parameters": {"categories": {"tip": 10}}},
            "parameters.categories: the key 'top' is missing",
        ),
        (
            {"reader": "sgml", "data": ["f.sgm"], "parameters": {"categories": ["a"], "min_fd": 2}},
            "datasets.mine.parameters: unknown key 'min_fd'; did you mean 'min_df'",
        ),
        (
            {"reader": "svmlight", "data": ["f"], "parameters": {"n": 9}},
            "parameters: unknown key 'n'; known: n_features",
        ),
        ({"reader": "xmc"}, "datasets.mine: the key 'data' is missing"),
        (TABLES | {"features": {"name": "f.csv", "sources": ["mulan"]}}, "'sha256' is a dependency of 'sources'"),
        (TABLES | {"features": {"name": "../f.csv"}}, "features.name: '../f.csv' does not match"),
        (TABLES | {"features": {"name": "f.csv\n"}}, r"features.name: 'f.csv\\n' does not match"),
        (TABLES | {"folder": ".."}, r"folder: '\.\.' does not match"),
        ({"reader": "planted", "parameters": {"n_samples": 3.0}}, "n_samples: expected integer, got 3.0"),
        ({"reader": "views"}, "datasets.mine: the key 'views' is missing"),
        (TABLES | {"views": ["a", "b"]}, "datasets.mine: the reader tables takes no views"),
    ],
)
def test_bad_entries_are_named(own, entry, message):
    path = own(entry)
    with pytest.raises(ConfigurationError, match=message) as caught:
        read_catalogue(path)
    assert str(path) in str(caught.value) or "source" in message


@pytest.mark.parametrize(
    "address",
    ["https://x/{dataset.__class__}", "https://x/{file:>999999999999}", "https://x/{0}", "https://x/{", "ftp://x"],
)
def test_an_address_is_filled_in_and_nothing_else(own, address):
    path = own(TABLES)
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"sources": {"web": address}}))
    with pytest.raises(ConfigurationError, match=r"sources.web: .* does not match"):
        read_catalogue(path)
    good = {"web": "https://x/{dataset}/{file}?{file}"}
    files = {"name": "f.csv", "sources": ["web"], "sha256": "0" * 64}
    path = own(TABLES | {"features": files})
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"sources": good}))
    (entry,) = read_catalogue(path)["mine"].files["features"]
    assert entry.addresses == ("https://x/mine/f.csv?f.csv",)


@pytest.fixture
def two_views(own):
    """A datasets file with two views of three instances, and one of both side by side."""
    other = {"reader": "tables", "features": "g.csv", "labels": "m.csv"}

    def write(labels, entry=None, **keys):
        path = own(TABLES)
        pd.DataFrame({"a": [7.0, 8, 9]}).to_csv(path.parent / "g.csv", index=False)
        pd.DataFrame(labels).to_csv(path.parent / "m.csv", index=False)
        both = {"reader": "views", "views": ["mine", "other"], **keys}
        path.write_text(yaml.safe_dump({"datasets": {"mine": TABLES, "other": entry or other, "both": both}}))
        return path

    return write


def test_views_of_the_same_instances_stand_side_by_side(two_views, tmp_path):
    path = two_views({"x": [1, 0, 1], "y": [0, 1, 1]}, impute="mean", expect={"instances": 3, "attributes": 3})
    both = read_catalogue(path)["both"]
    data = both.read(both.fetch())
    np.testing.assert_array_equal(data.X, [[1, 0.5, 7], [2, np.nan, 8], [3, 1, 9]])
    assert (data.feature_names, data.label_names) == (["mine a", "mine b", "other a"], ["x", "y"])
    assert (data.name, data.impute) == ("both", "mean")
    assert read_catalogue(path).views_of(["both", "emotions"]) == {"mine", "other"}
    again = Dataset.from_json(both.to_json())
    again.copy(tmp_path / "raw")
    np.testing.assert_array_equal(again.read_copies(tmp_path / "raw").X, data.X)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"x": [1, 0, 1], "y": [0, 1, 0]}, "both: mine and other have other labels in 1 rows, first in row 3"),
        ({"x": [1, None, 1], "y": [0, 1, 1]}, "other labels in 1 rows, first in row 2"),
        ({"x": [1, 0, 1], "z": [0, 1, 1]}, "or labels of other names; views are of the same instances"),
        ({"x": [1, 0, 1]}, "mine has 3 instances of 2 labels, other 3 of 1"),
    ],
)
def test_views_of_other_instances_are_refused(two_views, labels, message):
    with pytest.raises(DataError, match=message):
        mlreduce.load_dataset("both", catalogue=two_views(labels))


def test_views_are_entries_that_are_read_from_files(two_views):
    with pytest.raises(ConfigurationError, match="data set 'both': its view 'other' is not read from files"):
        read_catalogue(two_views({"x": [1]}, {"reader": "digits"}))
    with pytest.raises(ConfigurationError, match="views of the data set 'both': unknown data set 'othre'; did"):
        read_catalogue(two_views({"x": [1]}, views=["mine", "othre"]))


def test_paths_that_no_file_has(own):
    with pytest.raises(ConfigurationError, match=r"data set 'mine': '.*'\.\.\. can be no path: File name too long"):
        read_catalogue(own(TABLES | {"features": "f" * 5000}))


@pytest.mark.slow
def test_a_set_that_is_not_published_is_supplied_by_hand(tmp_path, monkeypatch):
    monkeypatch.delenv("MLREDUCE_MIRROR", raising=False)
    monkeypatch.setenv("MLREDUCE_CACHE", str(tmp_path / "cache"))
    eep = read_catalogue()["eep"]
    assert not eep.is_at_hand()
    with pytest.raises(
        FetchError, match=r"eep-train\.svmlight: no such file; it is not published; see docs/add-data\.md for"
    ):
        mlreduce.load_dataset("eep")
    for where, mirror in ((tmp_path / "cache", None), (tmp_path / "mirror", tmp_path / "mirror")):
        (where / "eep").mkdir(parents=True)
        for part in ("train", "test"):
            (where / "eep" / f"eep-{part}.svmlight").write_text("1,2 1:3 1721881:1\n")
        assert eep.is_at_hand(mirror)
        with pytest.raises(DataError, match="eep: expected 2149 instances, got 2"):
            mlreduce.load_dataset("eep", mirror=mirror)


def test_published_files_may_lie_in_a_folder_of_another_name():
    reuters = read_catalogue()["reuters"]
    assert len(reuters.files["data"]) == 22
    assert {entry.folder for entry in reuters.files["data"]} == {"reuters21578"}


def test_unknown_data_set_names_the_nearest():
    with pytest.raises(ConfigurationError, match="unknown data set 'emotion'; did you mean 'emotions'"):
        mlreduce.load_dataset("emotion")


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        ("a\nred\n", "x\n1\n", "column 'a' is not numeric"),
        ("a\n1\n2\n", "x\n1\n", "has 2 rows, .* has 1"),
        ("a\n", "x\n", "no rows"),
        ("a\n1\n", "x\n3\n", "labels must be 0/1"),
        ("", "x\n1\n", "cannot be read as a table"),
    ],
)
def test_bad_tables(tmp_path, features, labels, message):
    (tmp_path / "f.csv").write_text(features)
    (tmp_path / "l.csv").write_text(labels)
    with pytest.raises(DataError, match=message):
        read_tables(tmp_path / "f.csv", tmp_path / "l.csv")


def test_files_that_are_not_tables(tmp_path):
    (tmp_path / "l.csv").write_text("x\n1\n")
    with pytest.raises(DataError, match="no such file"):
        read_tables(tmp_path / "f.csv", tmp_path / "l.csv")
    (tmp_path / "f.xls").write_bytes(b"not a table")
    with pytest.raises(DataError, match=r"a table is \.csv, \.tsv or \.parquet; got \.xls"):
        read_tables(tmp_path / "f.xls", tmp_path / "l.csv")
    (tmp_path / "f.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(DataError, match="cannot be read as a table"):
        read_tables(tmp_path / "f.parquet", tmp_path / "l.csv")


@pytest.mark.parametrize("X", [np.arange(6.0).reshape(3, 2), sp.csr_array(np.diag([1.0, 0, 2]))])
def test_data_survive_their_file(tmp_path, X):
    names = [f"ä{i}" for i in range(X.shape[1])]
    data = MultiLabelData(X, np.eye(3, 2, dtype=np.int8), names, ["a", "b"], "set", ["id"])
    data.save(tmp_path / "d.npz")
    back = MultiLabelData.load(tmp_path / "d.npz")
    assert sp.issparse(back.X) == sp.issparse(X)
    assert (abs(back.X - X)).sum() == 0
    np.testing.assert_array_equal(back.Y, data.Y)
    assert (back.feature_names, back.label_names, back.name, back.dropped) == (names, ["a", "b"], "set", ["id"])
    whole = (tmp_path / "d.npz").read_bytes()
    for broken in (whole[: len(whole) // 2], b"", b"nonsense"):
        (tmp_path / "d.npz").write_bytes(broken)
        with pytest.raises(DataError, match="not a complete prepared data set"):
            MultiLabelData.load(tmp_path / "d.npz")


def test_a_sparse_matrix_that_reads_outside_of_its_arrays_is_refused(tmp_path):
    data = MultiLabelData(sp.csr_array((3, 2)), np.eye(3, 2, dtype=np.int8), ["p", "q"], ["a", "b"], "set")
    data.X.indptr[:] = [0, 2**20, 0, 0]
    with pytest.raises(DataError, match=r"X is a damaged sparse matrix: X_indptr descends"):
        data.save(tmp_path / "d.npz")
    np.savez(tmp_path / "d.npz", **data.arrays())
    with pytest.raises(DataError, match=r"not a complete prepared data set \(X_indptr descends\)"):
        MultiLabelData.load(tmp_path / "d.npz")


def test_entries_go_through_text_whole(tmp_path):
    catalogue = read_catalogue(None)
    for dataset in catalogue.values():
        assert Dataset.from_json(dataset.to_json()) == dataset
    (tmp_path / "f.csv").write_text("a\n1\n")
    (tmp_path / "l.csv").write_text("x\n1\n")
    entry = {"reader": "tables", "features": "f.csv", "labels": "l.csv"}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({"datasets": {"own": entry}}))
    own = read_catalogue(tmp_path / "own.yaml")["own"]
    text = own.to_json()
    pinned = Dataset.from_json(text)
    assert pinned.files["features"][0].local == tmp_path / "f.csv"
    assert pinned.files["features"][0].sha256 == file_sha256(tmp_path / "f.csv")
    (tmp_path / "f.csv").write_text("a\n2\n")
    assert own.to_json() != text


def test_further_sets_are_read_when_they_are_asked_for(own, monkeypatch):
    catalogue = read_catalogue(own(TABLES))
    first, *_ = further = set(read_catalogue()) - set(tomllib.loads(BUILT_IN.read_text())["datasets"])
    assert len(further) > 45
    asked = []
    entries = catalogue_module._entries
    monkeypatch.setattr(catalogue_module, "_entries", lambda file: asked.append(file) or entries(file))
    assert "mine" in catalogue
    assert catalogue["emotions"].name == "emotions"
    assert not asked
    assert catalogue[first].name == first
    assert len(catalogue) == len(read_catalogue()) + 1
    assert asked == [FURTHER]


@pytest.mark.parametrize("file", [BUILT_IN, FURTHER])
def test_the_built_in_catalogue_is_what_a_user_may_write(file):
    """It is read without a check."""
    validate(tomllib.loads(file.read_text(encoding="utf-8")), "datasets", file.name)


def test_own_sets_take_precedence(own):
    path = own(TABLES)
    path.write_text(yaml.safe_dump({"datasets": {"cal500": TABLES}}))
    assert read_catalogue(path)["cal500"].reader == "tables"
    assert mlreduce.list_datasets(path).loc["cal500", "domain"] == ""


@pytest.mark.parametrize(
    ("entry", "files"),
    [
        ({"reader": "xmc", "data": ["d"]}, {"d": "3 2 2\n0 0:1 1:0.5\n1 0:2\n0,1 0:3 1:1\n"}),
        ({"reader": "svmlight", "data": ["d"]}, {"d": "1 1:1 2:0.5\n2 1:2\n1,2 1:3 2:1\n"}),
        (
            {"reader": "tables", "features": "d.csv", "labels": {"names": ["x", "y"]}},
            {"d.csv": "x,a,y,b\n1,1,0,.5\n0,2,1,0\n1,3,1,1\n"},
        ),
        (
            {"reader": "tables", "features": "d.csv", "labels": {"last": 2}},
            {"d.csv": "a,b,x,y\n1,.5,1,0\n2,0,0,1\n3,1,1,1\n"},
        ),
        (
            {"reader": "arff", "data": ["d.arff"], "labels": {"names": ["x", "y"]}},
            {
                "d.arff": "@relation r\n"
                + "".join(f"@attribute {n} numeric\n" for n in "xayb")
                + "@data\n1,1,0,.5\n0,2,1,0\n1,3,1,1\n"
            },
        ),
    ],
)
def test_own_data_in_every_format(tmp_path, entry, files):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    X, Y = mlreduce.load_dataset("mine", catalogue=tmp_path / "my.yaml", return_X_y=True)
    np.testing.assert_array_equal(X.toarray() if sp.issparse(X) else X, [[1, 0.5], [2, 0], [3, 1]])
    np.testing.assert_array_equal(Y, [[1, 0], [0, 1], [1, 1]])


def test_a_datasets_file_is_read_again_where_it_was_edited_or_the_folder_is_another(tmp_path, monkeypatch):
    def samples(folder, number):
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        entry = {"reader": "planted", "parameters": {"n_samples": number, "n_features": 4, "n_labels": 6}}
        Path("my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
        return len(mlreduce.load_dataset("mine", catalogue="my.yaml").Y)

    assert [samples(tmp_path / "a", 30), samples(tmp_path / "a", 40), samples(tmp_path / "b", 50)] == [30, 40, 50]


def test_own_matlab_files(tmp_path):
    savemat(tmp_path / "d.mat", {"data": np.arange(6.0).reshape(3, 2), "target": [[1, 0, 1], [0, 1, 1]]})
    for labels, names in ((None, ["1", "2"]), ({"last": 1}, ["1"])):
        entry = {"reader": "mat", "data": ["d.mat"]} | ({"labels": labels} if labels else {})
        path = tmp_path / "my.yaml"
        path.write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
        assert mlreduce.load_dataset("mine", catalogue=path).label_names == names


def test_the_list_costs_no_download_and_has_what_was_computed(monkeypatch):
    monkeypatch.setattr("mlreduce.datasets.catalogue.fetch", None)
    table = mlreduce.list_datasets()
    assert table.loc["cal500", ["instances", "attributes", "labels", "files"]].tolist() == [502, 68, 174, 2]
    assert table.loc["emotions", ["density", "mean_imbalance"]].tolist() == pytest.approx([0.311, 1.478], abs=1e-3)
    unseen = table[table["instances"].isna()]
    assert len(unseen) == 36
    assert unseen[["cardinality", "density", "label_sets", "mean_imbalance", "attributes"]].isna().all(axis=None)
    assert set(table["domain"]) >= {"text", "images", "music", "biology", "video", "audio"}
    assert str(table.dtypes["bytes"]) == "Int64"
