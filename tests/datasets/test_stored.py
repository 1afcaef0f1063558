"""Reading ``.npz`` files that are damaged or hostile: one sentence, no pickle is run, memory is bounded."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mlreduce.datasets.data import MultiLabelData
from mlreduce.exceptions import DataError
from mlreduce.files import opened_arrays, read_arrays


def npy(array, **changes) -> bytes:
    """An array as NumPy writes it, with a header that says something else."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asanyarray(array))
    content = buffer.getvalue()
    for old, new in changes.values():
        assert old in content
        content = content.replace(old + b" " * (len(new) - len(old)), new).replace(old, new.ljust(len(old)))
    return content


def archive(path: Path, members: dict[str, bytes | np.ndarray]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(name, content if isinstance(content, bytes) else npy(content))
    return path


@pytest.mark.parametrize(
    "array",
    [
        np.asfortranarray(np.arange(6).reshape(3, 2)),
        np.float32(3),
        np.zeros((0, 3), dtype=bool),
        np.array(["a", "ä\0b"]),
        np.arange(3, dtype=">i4"),
        np.zeros((2, 1, 3, 1), dtype=np.uint16),
    ],
)
def test_arrays_are_read_as_numpy_reads_them(tmp_path, array):
    np.savez_compressed(tmp_path / "a.npz", one=array, two=array)
    with np.load(tmp_path / "a.npz") as expected, opened_arrays(tmp_path / "a.npz", "set") as stored:
        assert stored.files == expected.files == ["one", "two"]
        for name in stored.files:
            np.testing.assert_array_equal(stored[name], expected[name])
            assert stored[name].dtype == expected[name].dtype
            assert stored.shape(name) == expected[name].shape


def test_a_shape_is_read_without_the_array(tmp_path):
    array = np.random.default_rng(0).random((40, 1000))
    np.savez(tmp_path / "a.npz", one=array)
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[200_000] ^= 1  # a bit of a number
    (tmp_path / "a.npz").write_bytes(content)
    with opened_arrays(tmp_path / "a.npz", "set") as stored:
        assert stored.shape("one") == (40, 1000)
    with pytest.raises(DataError, match="not a complete set .*Bad CRC-32"):
        read_arrays(tmp_path / "a.npz", "set")
    with pytest.raises(DataError, match="two"), opened_arrays(tmp_path / "a.npz", "set") as stored:
        stored.shape("two")


class _Touching:
    """What makes a file where it is unpickled."""

    def __reduce__(self):
        return Path.touch, (Path("unpickled"),)


OBJECTS = io.BytesIO()
np.lib.format.write_array(OBJECTS, np.array([_Touching()], dtype=object))


@pytest.mark.parametrize(
    "content",
    [
        b"hello",
        b"",
        OBJECTS.getvalue(),
        npy(np.zeros(3), shape=(b"(3,), }", b"(99999999999,), }")),
        npy(np.zeros(3), shape=(b"(3,)", b"(2,)")),
        npy(np.zeros(3), kind=(b"'<f8'", b"'<i1'")),
        npy(np.array([""]), kind=(b"'<U1'", b"'<U0'"), shape=(b"(1,), }", b"(99999999999,), }")),
        npy(np.zeros(3), kind=(b"'<f8'", b"'<m8'")),
        npy(np.zeros(3))[:-1],
        npy(np.zeros(3)) + b"0",
        b"\x93NUMPY\x01\x00\x90\x01" + b"(" * 399 + b"\n",
        npy(np.zeros(1)).replace(b"NUMPY\x01", b"NUMPY\x03"),
        npy(np.zeros(3), shape=(b"(3,), }", b"([3: 1), }")),
    ],
)
def test_other_content_is_refused_and_not_unpickled(tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    path = archive(tmp_path / "a.npz", {"one.npy": np.zeros(2), "two.npy": content})
    with pytest.raises(DataError, match=r"a\.npz: not a complete .*'two' is not an array.*delete it and run"):
        read_arrays(path, "set of arrays")
    assert not Path("unpickled").exists()


def test_member_names_are_not_paths(tmp_path):
    folder = tmp_path / "deep" / "deeper"
    folder.mkdir(parents=True)
    names = ["../../slip.npy", f"{tmp_path}/absolute.npy", "link.npy", "a/b.npy"]
    path = archive(folder / "a.npz", {name: np.zeros(2) for name in names})
    with zipfile.ZipFile(path, "a") as opened:
        link = zipfile.ZipInfo("symbolic.npy")
        link.external_attr = 0o120777 << 16
        opened.writestr(link, npy(np.zeros(2)))
    arrays = read_arrays(path, "set of arrays")
    assert set(arrays) == {name.removesuffix(".npy") for name in [*names, "symbolic.npy"]}
    assert [found for found in tmp_path.rglob("*") if not found.is_dir()] == [path]


def test_unpacked_size_is_bounded_by_file_size(tmp_path, monkeypatch):
    monkeypatch.setattr("mlreduce.guards.FREE_BYTES", 2**20)
    large = np.zeros(2**18, dtype=np.int8)
    np.savez_compressed(tmp_path / "a.npz", *[large] * 4)
    assert (tmp_path / "a.npz").stat().st_size < 4000
    with pytest.raises(DataError, match=r"bytes that unpack to 1049\d\d\d, more than 100 times as much"):
        read_arrays(tmp_path / "a.npz", "set of arrays")
    np.savez(tmp_path / "stored.npz", *[large] * 5)
    assert len(read_arrays(tmp_path / "stored.npz", "set of arrays")) == 5  # a file as large as its arrays


def test_duplicate_members_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as opened:
        opened.writestr("one.npy", npy(np.zeros(2)))
        with pytest.warns(UserWarning, match="Duplicate name"):
            opened.writestr("one.npy", npy(np.zeros(2)))
    with pytest.raises(DataError, match="two arrays of one name"):
        read_arrays(tmp_path / "a.npz", "set of arrays")


SPARSE = {
    "X_data": np.ones(2),
    "X_indices": np.array([0, 1], dtype=np.int32),
    "X_indptr": np.array([0, 1, 2]),
    "X_shape": [2, 2],
}
DENSE = {"X": np.zeros((2, 2))}


@pytest.mark.parametrize(
    ("X", "changes"),
    [
        (SPARSE, {"X_indices": np.array([0, 2**30], dtype=np.int32)}),
        (SPARSE, {"X_indices": np.array([0, -1], dtype=np.int32)}),
        (SPARSE, {"X_indptr": np.array([0, 5, 2])}),
        (SPARSE, {"X_indptr": np.array([0, 1, 2**40])}),
        (SPARSE, {"X_shape": np.array([2])}),
        (SPARSE, {"X_shape": np.array([2, 2, 2])}),
        (SPARSE, {"X_data": np.array(["a", "b"])}),
        (SPARSE, {"X_data": np.ones(2, dtype=np.float32)}),
        (DENSE, {"X": np.zeros((2, 2), dtype=np.int64)}),
        (DENSE, {"X": np.zeros(2)}),
        (DENSE, {"Y": np.zeros((2, 1))}),
        (DENSE, {"Y": np.full((2, 1), 7, dtype=np.int8)}),
        (DENSE, {"Y": np.full((2, 1), -1, dtype=np.int8)}),
        (DENSE, {"feature_names": np.array(["a", "b"])}),
        (DENSE, {"feature_names": np.frombuffer(b"a\na\n", np.uint8)}),
        (DENSE, {"feature_names": np.frombuffer(b"a\n\xff\n", np.uint8)}),
        (DENSE, {"feature_names": np.frombuffer(b"a\n", np.uint8)}),
        (DENSE, {"name": np.frombuffer(b"", np.uint8)}),
    ],
)
def test_inconsistent_data_sets_are_refused(tmp_path, X, changes):
    whole = {
        **X,
        **{
            key: np.frombuffer(text, np.uint8)
            for key, text in {"feature_names": b"a\nb\n", "label_names": b"x\n"}.items()
        },
        **{"name": np.frombuffer(b"set\n", np.uint8), "dropped": np.zeros(0, np.uint8), "Y": np.ones((2, 1), np.int8)},
    }
    np.savez(tmp_path / "d.npz", **whole)
    assert MultiLabelData.load(tmp_path / "d.npz").feature_names == ["a", "b"]
    np.savez(tmp_path / "d.npz", **whole | changes)
    with pytest.raises(DataError):
        MultiLabelData.load(tmp_path / "d.npz")


def test_one_long_name_does_not_pad_all_others(tmp_path):
    names = ["a" * 900, *map(str, range(20_000))]
    data = MultiLabelData(np.zeros((2, 20_001)), np.ones((2, 1), dtype=np.int8), names, ["x"], "set", ["id"])
    data.save(tmp_path / "d.npz")
    with zipfile.ZipFile(tmp_path / "d.npz") as opened:
        assert opened.getinfo("feature_names.npy").file_size < 200_000  # as an array of texts, 72 MB
    back = MultiLabelData.load(tmp_path / "d.npz")
    assert (back.feature_names, back.label_names, back.name, back.dropped) == (names, ["x"], "set", ["id"])


def test_impossible_shapes_and_compressions_are_refused(tmp_path):
    shape = npy(np.zeros(0), shape=(b"(0,), }", b"(0, 9999999999999999999999999), }"))
    with pytest.raises(DataError, match="not a complete set"):
        read_arrays(archive(tmp_path / "a.npz", {"one.npy": shape}), "set")
    with zipfile.ZipFile(tmp_path / "b.npz", "w", zipfile.ZIP_BZIP2) as opened:  # unpacks in pieces of any size
        opened.writestr("one.npy", npy(np.zeros(2)))
    with pytest.raises(DataError, match="'one' has a compression that NumPy does not write"):
        read_arrays(tmp_path / "b.npz", "set")
