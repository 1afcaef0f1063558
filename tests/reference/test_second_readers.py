"""Files of the published collections, read as by other packages; skipped where the files are not at hand."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import arff
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import mlreduce
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.datasets.readers.arff_syntax import read_table
from mlreduce.datasets.readers.svmlight import read_svmlight, read_xmc
from mlreduce.exceptions import DataError
from mlreduce.validation import as_dense

pytestmark = pytest.mark.slow

#: Instances, attributes and labels of the sets, as a description beside the files prints them.
SIZES = {
    **{"emotions": (593, 72, 6), "yeast": (2417, 103, 14), "scene": (2407, 294, 6), "enron": (1702, 1001, 53)},
    **{"medical": (978, 1449, 45), "genbase": (662, 1186, 27), "birds": (645, 260, 19), "corel5k": (5000, 499, 374)},
    **{"bibtex": (7395, 1836, 159), "cal500": (502, 68, 174), "flags": (194, 19, 7), "foodtruck": (407, 21, 12)},
    **{"delicious": (16105, 500, 983), "tmc2007-500": (28596, 500, 22), "20ng": (19300, 1006, 20)},
    **{"corel16k1": (13766, 500, 153), "rcv1s1": (6000, 944, 101), "languagelog": (1460, 1004, 75)},
    **{"image": (600, 294, 5), "eukaryote-go": (7766, 12689, 22), "chd49": (555, 49, 6)},
    **{"virus-go": (207, 749, 6), "gpositive-go": (519, 912, 4), "gnegative-go": (1392, 1717, 8)},
    **{"plant-go": (978, 3091, 12), "human-go": (3106, 9844, 14), "virus-pse-aac": (207, 440, 6)},
    **{"gpositive-pse-aac": (519, 440, 4), "gnegative-pse-aac": (1392, 440, 8), "plant-pse-aac": (978, 440, 12)},
    **{"human-pse-aac": (3106, 440, 14), "virus": (207, 1189, 6), "gpositive": (519, 1352, 4)},
    **{"gnegative": (1392, 2157, 8), "plant": (978, 3531, 12), "human": (3106, 10284, 14)},
}
ARFF = [name for name, entry in read_catalogue().items() if name in SIZES and entry.reader == "arff"]
MAT = [name for name, entry in read_catalogue().items() if name in SIZES and entry.reader == "mat"]
#: Those that scikit-multilearn reads: numeric or 0/1 attributes, one file.
PLAIN = {"emotions": 6, "yeast": 14, "enron": 53, "bibtex": 159, "cal500": 174, "tmc2007-500": 22}


def fetched(name: str, mirror: Path) -> list[Path]:
    entry = read_catalogue()[name]
    if not entry.is_at_hand(mirror):
        pytest.skip(f"{name} is not in {mirror}")
    return entry.fetch(mirror)


@pytest.mark.parametrize("name", SIZES)
def test_sets_have_the_printed_sizes_and_the_listed_statistics(name, mirror):
    fetched(name, mirror)
    data = mlreduce.load_dataset(name, mirror=mirror)  # compares what the catalogue has with the data
    listed = mlreduce.list_datasets().loc[name]
    assert tuple(listed[["instances", "attributes", "labels"]]) == SIZES[name]
    assert (len(data.Y), data.Y.shape[1]) == (SIZES[name][0], SIZES[name][2])
    found = data.describe()
    for key in ("cardinality", "density", "label_sets", "mean_imbalance"):
        assert listed[key] == pytest.approx(found[key], abs=1e-3), key
    entry = read_catalogue()[name]
    assert sum(path.stat().st_size for path in entry.fetch(mirror)) == entry.options["bytes"]


@pytest.mark.parametrize("name", ARFF)
def test_arff_files_are_read_as_by_liac_arff(name, mirror):
    for path in fetched(name, mirror):
        if path.suffix != ".arff":
            continue
        table = read_table(path)
        sparse = sp.issparse(table.values)
        with path.open(encoding="utf-8") as file:
            # liac-arff numbers the values of a list from 0, as read_table does.
            other = arff.load(file, encode_nominal=True, return_type=arff.LOD if sparse else arff.DENSE)
        # liac-arff keeps the backslash before a quote in a quoted name.
        names = [[name.replace("\\", "") for name, *_ in each] for each in (table.attributes, other["attributes"])]
        assert names[0] == names[1]
        if sparse:
            cells = [
                (row, column, value) for row, values in enumerate(other["data"]) for column, value in values.items()
            ]
            rows, columns, values = zip(*cells, strict=True)
            expected = sp.csr_array((np.array(values, dtype=float), (rows, columns)), shape=table.values.shape)
            assert abs(table.values - expected).max() == 0
        else:
            np.testing.assert_array_equal(table.values, np.array(other["data"], dtype=float))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # it leaves its files open
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", PLAIN)
def test_arff_files_are_read_as_by_scikit_multilearn(name, mirror):
    from skmultilearn.dataset import load_from_arff

    paths = fetched(name, mirror)
    n_labels = PLAIN[name]
    data = mlreduce.read(paths[0], labels={"last": n_labels})
    X, Y = load_from_arff(str(paths[0]), n_labels, label_location="end", load_sparse=sp.issparse(data.X))
    np.testing.assert_array_equal(data.X.toarray() if sp.issparse(data.X) else data.X, X.toarray())
    np.testing.assert_array_equal(data.Y, Y.toarray().astype(int))


@pytest.mark.parametrize("name", ["emotions", "enron", "bibtex", "flags"])
@pytest.mark.parametrize("first", [True, False])
def test_files_of_meka_made_of_those_of_mulan(name, first, mirror, tmp_path):
    """The attributes in Meka's order, which its option says, against those that Mulan's XML names."""
    paths = fetched(name, mirror)
    data = mlreduce.read(paths[0], labels=paths[-1])
    with paths[0].open(encoding="utf-8") as file:
        content = arff.load(file, return_type=arff.LOD if sp.issparse(data.X) else arff.DENSE)
    names = [attribute for attribute, _ in content["attributes"]]
    labels = [names.index(label) for label in data.label_names]
    features = sorted(set(range(len(names))) - set(labels))
    order = labels + features if first else features + labels
    content["attributes"] = [content["attributes"][index] for index in order]
    if sp.issparse(data.X):
        place = {old: new for new, old in enumerate(order)}
        content["data"] = [{place[old]: value for old, value in sorted(row.items())} for row in content["data"]]
    else:
        content["data"] = [[row[index] for index in order] for row in content["data"]]
    content["relation"] = f"{name}: -C {len(labels) if first else -len(labels)}"
    path = tmp_path / "meka.arff"
    with path.open("w", encoding="utf-8") as file:
        arff.dump(content, file)
    again = mlreduce.read(path)
    assert (list(again.label_names), list(again.feature_names)) == (list(data.label_names), list(data.feature_names))
    np.testing.assert_array_equal(again.Y, data.Y)
    difference = abs(again.X - data.X)
    assert (difference.max() if sp.issparse(difference) else np.nanmax(difference)) == 0


def test_mekas_option_in_a_file_that_weka_changed_is_not_believed(mirror, tmp_path):
    path = shutil.copy(fetched("medical", mirror)[0], tmp_path)  # away from the XML file
    with pytest.raises(DataError, match="has the option -C 45 of Meka's, but Weka removed or moved attributes since"):
        mlreduce.read(path)


@pytest.mark.parametrize("name", MAT)
def test_matlab_files_are_read_as_by_scipy(name, mirror):
    (path,) = fetched(name, mirror)
    variables = read_catalogue()[name].options.get("variables")
    own, other = mlreduce.read(path, variables=variables), scipy.io.loadmat(path)
    parts = [("data", "target")] if "data" in other else [(f"{k}_data", f"{k}_target") for k in ("train", "test")]
    if variables is not None:
        parts = [("X", "Y"), ("Xt", "Yt")]
        other |= {key: sp.csr_array(other[key]).toarray() for key in variables}
        other |= {labels: other[labels].T for _, labels in parts}
    X = np.vstack([other[features] for features, _ in parts])
    Y = np.hstack([other[labels] for _, labels in parts]).T
    np.testing.assert_array_equal(own.X.toarray() if sp.issparse(own.X) else own.X, X)
    np.testing.assert_array_equal(own.Y, Y == 1)
    if name == "languagelog":  # whose author took the last attributes of a file of Meka's for labels
        data = mlreduce.load_dataset(name, mirror=mirror)
        both = np.hstack([X, Y])
        np.testing.assert_array_equal(data.Y, both[:, :75])
        np.testing.assert_array_equal(data.X, both[:, 75:])


@pytest.mark.parametrize("name", ["virus", "gpositive", "gnegative", "plant", "human"])
def test_the_views_of_the_protein_sets_are_of_the_same_proteins(name, mirror):
    """Numbers of proteins in each place of the cell as published with the predictors Virus-mPLoc, Gpos-mPLoc, ..."""
    fetched(name, mirror)
    data = mlreduce.load_dataset(name, mirror=mirror)
    published = {
        "virus": [8, 33, 20, 87, 84, 20],
        "gpositive": [174, 18, 208, 123],
        "gnegative": [557, 124, 410, 133, 32, 12, 8, 180],
        "plant": [56, 32, 286, 182, 42, 22, 21, 150, 152, 21, 39, 52],
    }
    if name in published:
        assert data.Y.sum(axis=0).tolist() == published[name]
    for view in read_catalogue()[name].views():
        part = mlreduce.load_dataset(view.name, mirror=mirror)
        columns = [i for i, feature in enumerate(data.feature_names) if feature.startswith(f"{view.name} ")]
        assert abs(sp.csr_array(data.X[:, columns]) - sp.csr_array(part.X)).max() == 0
        np.testing.assert_array_equal(data.Y, part.Y)
        variance = as_dense(part.X).var(axis=0).sum()  # docs/deviations.md has them
        assert 6.5 < variance < 22.5 if view.name.endswith("-go") else 31.5 < variance < 43.5


@pytest.mark.parametrize("name", ["emotions", "bibtex", "delicious"])
def test_texts_made_of_published_data_are_read_as_by_scikit_learn(name, mirror, tmp_path):
    fetched(name, mirror)
    data = mlreduce.load_dataset(name, mirror=mirror)
    X, Y = sp.csr_array(data.X), sp.csr_array(data.Y)
    for matrix in (X, Y):  # scikit-learn writes no others
        matrix.indptr, matrix.indices = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    for zero_based, read in ((False, read_svmlight), (True, read_xmc)):
        buffer = io.BytesIO()
        dump_svmlight_file(X, Y, buffer, multilabel=True, zero_based=zero_based)
        head = f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}\n" if zero_based else ""
        path = tmp_path / "rows.txt"
        path.write_bytes(head.encode() + buffer.getvalue())
        other, labels = load_svmlight_file(
            io.BytesIO(buffer.getvalue()), n_features=X.shape[1], multilabel=True, zero_based=zero_based
        )
        own = read([path]) if zero_based else read([path], X.shape[1])
        assert abs(own.X - other).max() == 0
        assert abs(own.X - X).max() < 1e-12
        assert [tuple(np.flatnonzero(row)) for row in own.Y] == [tuple(map(int, row)) for row in labels]
        np.testing.assert_array_equal(own.Y, data.Y)
