from __future__ import annotations

import io
import zlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from mlreduce.datasets.readers.matlab import read_mat
from mlreduce.exceptions import DataError

X = np.array([[1.5, 0, -3, 1], [0, 2, 0, 1], [0, 0, 1e9, 1]])
Y = np.array([[1, 0], [0, 1], [1, 1]])


@pytest.fixture
def save(tmp_path):
    def do(variables, name="a.mat", **options):
        scipy.io.savemat(tmp_path / name, variables, **options)
        return tmp_path / name

    return do


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    "labels", [Y.T, Y, 2.0 * Y.T - 1, (2 * Y - 1).astype(np.int8), sp.csc_array(Y.T.astype(float))]
)
@pytest.mark.parametrize("names", [("data", "target"), ("X", "Y"), ("Features", "Labels")])
def test_variables_of_public_collections(save, names, labels, compressed):
    path = save(dict(zip(names, (X, labels), strict=True)) | {"name": "some text"}, do_compression=compressed)
    data = read_mat([path])
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.Y, Y)
    assert (data.feature_names, data.label_names, data.name) == (["1", "2", "3", "4"], ["1", "2"], "a")


def test_training_and_test_instances_are_stacked(save):
    parts = {"train_data": X, "train_target": 2 * Y.T - 1, "test_data": X[:2] + 1, "test_target": Y[:2].T}
    data = read_mat([save(parts)])
    np.testing.assert_array_equal(data.X, np.vstack([X, X[:2] + 1]))
    np.testing.assert_array_equal(data.Y, np.vstack([Y, Y[:2]]))
    twice = read_mat([save(parts), save({"x": X, "y": Y}, "b.mat")], "both")
    assert (len(twice.Y), twice.name) == (8, "both")


def test_sparse_features_stay_sparse(save):
    data = read_mat([save({"data": sp.csc_array(X), "target": Y.T})] * 2)
    assert isinstance(data.X, sp.csr_array)
    np.testing.assert_array_equal(data.X.toarray(), np.vstack([X, X]))


def test_labels_that_stand_among_the_features(save):
    """As in a published file whose author took the last attributes of a file of Meka's for its labels."""
    both = np.hstack([Y, X])
    path = save({"data": both[:, :4], "target": np.abs(both[:, 4:]).T > 0})
    data = read_mat([path], labels={"first": 2})
    np.testing.assert_array_equal(data.Y, Y)
    np.testing.assert_array_equal(data.X, np.hstack([X[:, :2], np.abs(X[:, 2:]) > 0]))
    with pytest.raises(DataError, match=r"a\.mat, labels={.first.: 3}: the label .3. is 1.5"):
        read_mat([path], labels={"first": 3})


def test_the_other_byte_order(tmp_path):
    """Bytes by hand: SciPy does not write them."""

    def element(kind, content):
        return kind.to_bytes(4, "big") + len(content).to_bytes(4, "big") + content + b"\0" * (-len(content) % 8)

    def matrix(name, values):
        flags = (6).to_bytes(4, "big") + bytes(4)
        shape = np.array(values.shape, dtype=">i4").tobytes()
        parts = element(6, flags) + element(5, shape) + element(1, name) + element(9, values.T.astype(">f8").tobytes())
        return element(14, parts)

    content = b"MATLAB 5.0".ljust(124) + b"\x01\x00MI" + matrix(b"data", X) + matrix(b"target", Y.T)
    assert (scipy.io.loadmat(io.BytesIO(content))["data"] == X).all()
    (tmp_path / "big.mat").write_bytes(content)
    data = read_mat([tmp_path / "big.mat"])
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.Y, Y)


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        (
            {"data": X, "labels": Y},
            "expected the variables data and target, .* it holds data 3 x 4, labels 3 x 2",
        ),
        ({}, "it holds none"),
        ({"data": X.T, "target": Y}, "4 x 3 features, but 3 x 2 labels: no side of the labels .* is one transposed"),
        ({"data": X[:2], "target": np.array([[1, 0], [1, 1]])}, "as many labels as instances, 2, so that rows and col"),
        ({"data": X, "target": 3 * Y.T}, r"a\.mat, target: the label .1. is 3"),
        ({"data": np.where(X == 0, np.inf, X), "target": Y.T}, r"a\.mat: data holds a number that is infinite"),
        ({"data": X * 1j, "target": Y.T}, "the variable data is no matrix of real numbers"),
        ({"data": X, "target": "words"}, "the variable target is no matrix of real numbers"),
        ({"data": X[np.newaxis], "target": Y.T}, "the variable data is no matrix of real numbers"),
        ({"data": np.empty((3, 0)), "target": Y.T}, "no features, labels or instances"),
    ],
)
def test_variables_that_are_no_data_set(save, variables, sentence):
    with pytest.raises(DataError, match=sentence):
        read_mat([save(variables)])


def test_parts_must_agree(save):
    with pytest.raises(
        DataError, match=r"b\.mat, x and y: 3 features and 2 labels, but 4 and 2 in .*a\.mat, data and ta"
    ):
        read_mat([save({"data": X, "target": Y.T}), save({"x": X[:, :3], "y": Y}, "b.mat")])


def test_other_versions_name_the_remedy(save, tmp_path):
    old = save({"data": X, "target": Y.T}, format="4")
    with pytest.raises(DataError, match=r"a\.mat: not a MATLAB file of version 5 to 7; save it in MATLAB by save"):
        read_mat([old])
    new = tmp_path / "new.mat"
    new.write_bytes(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM" + bytes(400) + b"\x89HDF")
    with pytest.raises(DataError, match=r"new\.mat: a MATLAB file of version 7.3 \(HDF5\); save it"):
        read_mat([new])


def test_damaged_files(save, tmp_path):
    whole = save({"data": X, "target": Y.T}).read_bytes()
    for cut in (len(whole) - 1, len(whole) - 30, 200, 130):
        (tmp_path / "c.mat").write_bytes(whole[:cut])
        with pytest.raises(DataError, match=r"c\.mat: (not a complete MATLAB file|expected the variables)"):
            read_mat([tmp_path / "c.mat"])


def test_a_small_file_that_unpacks_to_much_is_refused(save, tmp_path):
    """300 MB of zeros in one; and a shape of a sparse matrix that nothing fills."""
    path = save({"data": np.zeros((40, 4)), "target": np.eye(40, 3)})
    plain = path.read_bytes()
    packer = zlib.compressobj(1)
    length = 300 * 2**20
    start = plain[128 : 128 + 8 + 40]  # tag, flags, shape and name of data
    packed = packer.compress(start[:4] + length.to_bytes(4, "little") + start[8:])
    packed += packer.compress((9).to_bytes(4, "little") + (length - 100).to_bytes(4, "little"))
    packed += b"".join(packer.compress(bytes(2**20)) for _ in range(length // 2**20)) + packer.flush()
    bomb = plain[:128] + (15).to_bytes(4, "little") + len(packed).to_bytes(4, "little") + packed
    path.write_bytes(bomb + plain[128 + 8 + int.from_bytes(plain[132:136], "little") :])
    with pytest.raises(DataError, match=r"the variable data unpacks to more than 256 MB, .* max_bytes= allows more"):
        read_mat([path])
    wide = save({"data": sp.csc_array((2**31 - 1, 3)), "target": np.eye(2, 3)}, "w.mat")
    with pytest.raises(DataError, match="out of proportion"):
        read_mat([wide])


@pytest.mark.parametrize(
    ("place", "indptr"),
    [(1, [0, 2**20, 0, 0]), (1, [0, 9, 9, 9]), (1, [1, 1, 1, 1]), (1, [0, 1, 0, 1]), (0, [3]), (0, [-1])],
)
def test_sparse_matrices_that_point_outside_are_refused(save, place, indptr):
    """SciPy's check of a matrix lets an indptr pass that ends with 0, and its sorting then ends the process."""
    path = save({"data": sp.csc_array(([1.0], ([1], [0])), shape=(3, 3)), "target": np.eye(3, 2)})
    content = path.read_bytes()
    good = [[1], [0, 1, 1, 1]][place]
    found = content.index(np.array(good, dtype="<i4").tobytes(), 128 + 56)
    path.write_bytes(content[:found] + np.array(indptr, dtype="<i4").tobytes() + content[found + 4 * len(good) :])
    with pytest.raises(DataError, match="the sparse variable data does not fit together|small element|not a complete"):
        read_mat([path])
