from __future__ import annotations

import ast
import io
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mlreduce.datasets.archive import ArrayArchive
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.files import read_arrays
from mlreduce.exceptions import DataError

PROJECT = Path(__file__).parents[2]


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
        np.arange(6.0).reshape(3, 2),
        np.asfortranarray(np.arange(6).reshape(3, 2)),
        np.float32(3),
        np.array([], dtype=np.int8),
        np.zeros((0, 3), dtype=bool),
        np.array(["a", "ä\0b"]),
        np.array("text"),
        np.arange(3, dtype=">i4"),
        np.zeros((2, 1, 3, 1), dtype=np.uint16),
    ],
)
def test_arrays_come_back_as_numpy_reads_them(tmp_path, array):
    np.savez_compressed(tmp_path / "a.npz", one=array, two=array)
    with np.load(tmp_path / "a.npz") as expected, (tmp_path / "a.npz").open("rb") as file:
        stored = ArrayArchive(file)
        assert stored.files == expected.files == ["one", "two"]
        for name in stored.files:
            np.testing.assert_array_equal(stored[name], expected[name])
            assert stored[name].dtype == expected[name].dtype
            assert stored[name].flags.writeable
            assert stored.shape(name) == expected[name].shape


def test_a_shape_is_known_without_the_array(tmp_path):
    array = np.random.default_rng(0).random((40, 1000))
    np.savez(tmp_path / "a.npz", one=array)
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[200_000] ^= 1  # a bit of a number
    (tmp_path / "a.npz").write_bytes(content)
    with (tmp_path / "a.npz").open("rb") as file:
        stored = ArrayArchive(file)
        assert stored.shape("one") == (40, 1000)
        with pytest.raises(ValueError, match="Bad CRC-32"):
            stored["one"]
        with pytest.raises(ValueError, match="two"):
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
    ],
)
def test_what_is_no_array_of_numbers_or_texts_is_not_read(tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    path = archive(tmp_path / "a.npz", {"one.npy": np.zeros(2), "two.npy": content})
    with pytest.raises(DataError, match=r"a\.npz: not a whole set of arrays \('two' is no array .* delete it and run"):
        read_arrays(path, "set of arrays")
    with path.open("rb") as file, pytest.raises(ValueError, match="'two' is no array of numbers or texts"):
        ArrayArchive(file).shape("two")
    assert not Path("unpickled").exists()


def test_nothing_is_written_whatever_members_are_called(tmp_path):
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


def test_an_archive_unpacks_to_no_more_than_its_size_accounts_for(tmp_path, monkeypatch):
    monkeypatch.setattr("mlreduce.datasets.archive.FREE_BYTES", 2**20)
    large = np.zeros(2**18, dtype=np.int8)
    np.savez_compressed(tmp_path / "a.npz", *[large] * 4)
    assert (tmp_path / "a.npz").stat().st_size < 4000
    with pytest.raises(DataError, match=r"bytes that unpack to 1049\d\d\d, more than 100 times as much"):
        read_arrays(tmp_path / "a.npz", "set of arrays")
    np.savez(tmp_path / "stored.npz", *[large] * 5)
    assert len(read_arrays(tmp_path / "stored.npz", "set of arrays")) == 5  # a file as large as its arrays


def test_members_of_one_name(tmp_path):
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
def test_arrays_that_are_no_data_set(tmp_path, X, changes):
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


def test_one_long_name_does_not_cost_as_much_as_all(tmp_path):
    names = ["a" * 900, *map(str, range(20_000))]
    data = MultiLabelData(np.zeros((2, 20_001)), np.ones((2, 1), dtype=np.int8), names, ["x"], "set", ["id"])
    data.save(tmp_path / "d.npz")
    with zipfile.ZipFile(tmp_path / "d.npz") as opened:
        assert opened.getinfo("feature_names.npy").file_size < 200_000  # as an array of texts, 72 MB
    back = MultiLabelData.load(tmp_path / "d.npz")
    assert (back.feature_names, back.label_names, back.name, back.dropped) == (names, ["x"], "set", ["id"])


# What runs code that stands in a file, or writes where a file says.
FORBIDDEN = {
    *("pickle", "cPickle", "_pickle", "dill", "cloudpickle", "shelve", "marshal", "torch", "jsonpickle", "tarfile"),
    *("eval", "exec", "compile", "__import__", "unsafe_load", "full_load", "load_all", "UnsafeLoader", "FullLoader"),
    *(
        "extractall",
        "extract",
        "unpack_archive",
        "Unzip",
        "Untar",
        "Decompress",
        "read_pickle",
        "to_pickle",
        "fromregex",
    ),
}
# The modules of these names that are no such thing.
ALLOWED = {("re", "compile")}


def calls(tree: ast.AST):
    """Give (object, name, keywords) of every call, and (None, name, {}) of every import and name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            yield from ((None, part, {}) for part in module.split("."))
            yield from ((None, part, {}) for alias in node.names for part in alias.name.split("."))
        elif isinstance(node, ast.Call):
            keywords = {word.arg: word.value for word in node.keywords}
            if isinstance(node.func, ast.Attribute):
                yield getattr(node.func.value, "id", ""), node.func.attr, keywords
            elif isinstance(node.func, ast.Name):
                yield None, node.func.id, keywords


def dangers(source: str) -> list[str]:
    found = []
    for owner, name, keywords in calls(ast.parse(source)):
        if (name in FORBIDDEN and (owner, name) not in ALLOWED) or (owner in ("yaml", "joblib") and name == "load"):
            found.append(name)
        allowed = keywords.get("allow_pickle", ast.Constant(False))
        if not (isinstance(allowed, ast.Constant) and allowed.value is False):
            found.append("allow_pickle")
        if (owner in ("np", "numpy") and name in ("load", "fromfile", "memmap")) or "shell" in keywords:
            found.append(f"{owner}.{name}")
    return found


SOURCES = sorted(
    path
    for folder in ("src", "workflow", "docs", "benchmarks")
    for pattern in ("*.py", "*.smk")
    for path in (PROJECT / folder).rglob(pattern)
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_nothing_in_a_file_is_run(path):
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".smk":  # Python within a language of rules: its words are looked for
        assert not set(re.findall(r"\w+(?=\()", source)) & (FORBIDDEN - {"compile"})
        assert "allow_pickle" not in source
    else:
        assert dangers(source) == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from os import path, pickle",
        "import joblib\njoblib.load(path)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "np.lib.format.read_array(file, allow_pickle=anything)",
        "yaml.load(text, Loader=yaml.Loader)",
        "yaml.unsafe_load(text)",
        "eval(text)",
        "exec(text)",
        "archive.extractall(folder)",
        "pd.read_pickle(path)",
        "subprocess.run(text, shell=True)",
        "import torch.serialization",
    ],
)
def test_the_search_finds_what_it_is_for(source):
    assert dangers(source)


def test_the_search_covers_the_library():
    assert len(SOURCES) > 150
