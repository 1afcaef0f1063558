from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import numpy as np
import pytest

from mlreduce.datasets.readers.arff import read_arff
from mlreduce.datasets.readers.mulan import read_label_names
from mlreduce.datasets.readers.reuters import read_reuters
from mlreduce.datasets.readers.sgml import read_sgml
from mlreduce.datasets.readers.svmlight import read_svmlight
from mlreduce.datasets.readers.tables import read_tables
from mlreduce.exceptions import DataError
from mlreduce.guards import FREE_BYTES, LONGEST_NAME, check_memory, check_names, limited

CONTENT = b"@relation x\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n1,0\n"


def tar(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, kind, link in (
            ("../../slip", tarfile.REGTYPE, ""),
            ("out", tarfile.SYMTYPE, "/"),
            ("d", tarfile.CHRTYPE, ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.size = kind, link, len(content) if kind == tarfile.REGTYPE else 0
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../../slip", content)
        archive.writestr("/absolute", content)
    return buffer.getvalue()


PACKED = {
    "a zip archive": zipped(CONTENT),
    "a tar archive": tar(CONTENT),
    "a rar archive": b"Rar!\x1a\x07\x01\x00" + bytes(40),
    "a 7z archive": b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(40),
    "compressed twice": gzip.compress(bz2.compress(CONTENT)),
    "compressed by xz": lzma.compress(CONTENT),
    "compressed by zstd": b"\x28\xb5\x2f\xfd" + bytes(40),
}
READ = {
    "a.arff": lambda path: read_arff([path], 1),
    "a.xml": read_label_names,
    "a.sgm": read_sgml,
    "a.svmlight": lambda path: read_svmlight([path], 3),
    "a.csv": lambda path: read_tables(path, path),
    "a.parquet": lambda path: read_tables(path, path),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [*(("a.csv", kind) for kind in PACKED), *((name, "a zip archive") for name in READ if name != "a.csv")],
)
def test_archives_are_refused_and_nothing_is_unpacked(tmp_path, name, kind):
    folder = tmp_path / "deep" / "deeper"
    folder.mkdir(parents=True)
    path = folder / name
    path.write_bytes(PACKED[kind])
    with pytest.raises(DataError, match=f"{name}: is {kind}; unpack it"):
        READ[name](path)
    assert [found for found in tmp_path.rglob("*") if found.is_file()] == [path]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_compressed_files_are_read_under_the_same_limits(tmp_path, monkeypatch, compress):
    path = tmp_path / "a.csv"
    path.write_bytes(compress(b"a,b\n1,0\n0,1\n"))
    assert read_tables(path, path).X.tolist() == [[1, 0], [0, 1]]
    path.write_bytes(compress(b"a,b\n1,0\n0,1\n")[:-9])
    with pytest.raises(DataError, match="the compressed file is damaged or cut off"):
        read_tables(path, path)
    monkeypatch.setattr("mlreduce.guards.FREE_BYTES", 2**16)
    bomb = b"a,b\n" + b"1,0\n" * 2**16
    path.write_bytes(compress(bomb))
    with pytest.raises(DataError, match=r"a\.csv: unpacks to more than .* max_bytes="):
        read_tables(path, path)
    with limited(2**21):
        assert read_tables(path, path).X.shape == (2**16, 2)


@pytest.mark.parametrize("name", READ)
def test_missing_files_and_folders_are_refused(tmp_path, name):
    with pytest.raises(DataError, match=f"{name}: no such file"):
        READ[name](tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(DataError, match=f"{name}: cannot be read: Is a directory"):
        READ[name](tmp_path / name)


def test_memory_is_in_proportion_to_the_files(tmp_path):
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(b"1")
    large.write_bytes(bytes(3 * 2**20))
    check_memory(FREE_BYTES, [small], "anything")
    check_memory(300 * 2**20, [small, large], "anything")
    with pytest.raises(DataError, match=r"small: 3 rows would need 256 MB, out of proportion to 0\.00 MB of files"):
        check_memory(FREE_BYTES + 1, [small], "3 rows")
    with pytest.raises(DataError, match=r"small: 3 rows would need 301 MB, out of proportion to 3\.00 MB"):
        check_memory(301 * 2**20, [small, large], "3 rows")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "a"], "here: two labels are called 'a'; names must differ"),
        (["a", "b\0"], r"here: the name of a label contains an unprintable character: 'b\\x00'"),
        (["a", "b\nc"], r"unprintable character: 'b\\nc'"),
        (["a", "\x85"], r"unprintable character: '\\x85'"),
        (["a", "\u2028"], r"unprintable character: '\\u2028'"),
        (["a", "\ud800"], r"unprintable character: '\\ud800'"),
        (["a", "b" * (LONGEST_NAME + 1)], f"here: the name '{'b' * 40}'... of a label is longer than 1000 characters"),
    ],
)
def test_names_that_cannot_be_told_apart_or_shown(names, message):
    with pytest.raises(DataError, match=message):
        check_names(names, "label", "here")


def test_names_of_any_language_may_stay():
    check_names(["ä", "名", "a b", "<script>", "=1+1", "", "b" * LONGEST_NAME], "label", "here")
    check_names([], "label", "here")


# A few bytes that stand for gigabytes; each is refused before the memory is asked for.
def rows(number: int) -> str:
    return "{}\n" * number


def attributes(number: int) -> str:
    return "".join(f"@attribute a{i} {{0,1}}\n" for i in range(number))


def test_labels_of_empty_rows(tmp_path):
    (tmp_path / "b.arff").write_text(f"@relation b\n{attributes(6501)}@data\n{rows(5000)}")
    with pytest.raises(DataError, match=r"b\.arff: 6500 labels of 5000 rows would need 279 MB, out of proportion"):
        read_arff([tmp_path / "b.arff"], 6500)
    (tmp_path / "b.arff").write_text(f"@relation b\n{attributes(8001)}@data\n{rows(4999)}{{5 ?}}\n")
    with pytest.raises(DataError, match=r"b\.arff: 8000 labels of 5000 rows would need 343 MB, out of proportion"):
        read_arff([tmp_path / "b.arff"], {"first": 8000})
    (tmp_path / "b.arff").write_text(f"@relation b\n{attributes(8001)}@data\n{rows(5000)}")
    data, _ = read_arff([tmp_path / "b.arff"], 8000)  # more than 2**25: kept sparse
    assert (data.Y.shape, data.Y.nnz, data.Y.dtype) == ((5000, 8000), 0, np.int8)


def test_a_column_for_each_of_many_values(tmp_path):
    values = ",".join(f"v{i}" for i in range(7000))
    head = f"@relation b\n@attribute many {{{values}}}\n@attribute l {{0,1}}\n@data\n"
    (tmp_path / "d.arff").write_text(head + "v1,0\n" * 5000)
    with pytest.raises(DataError, match=r"d\.arff: a column for each value of the attributes to 'many' and 5000 rows"):
        read_arff([tmp_path / "d.arff"], 1)
    (tmp_path / "s.arff").write_text(head + "{0 ?}\n" * 5000)
    with pytest.raises(DataError, match=r"s\.arff: a column for each value .* would need 267 MB"):
        read_arff([tmp_path / "s.arff"], 1)
    (tmp_path / "s.arff").write_text(head + "{0 v3}\n" * 5000)  # a sparse file has one entry per row
    assert read_arff([tmp_path / "s.arff"], 1)[0].X.nnz == 5000


def test_a_label_for_each_row(tmp_path):
    (tmp_path / "b.svmlight").write_text("".join(f"{i}\n" for i in range(17_000)))
    labels = read_svmlight([tmp_path / "b.svmlight"], 3).Y
    assert (labels.shape, labels.nnz, labels.dtype) == ((17_000, 17_000), 17_000, np.int8)


def test_features_that_no_row_has(tmp_path):
    (tmp_path / "b.svmlight").write_text("1 1:1\n")
    with pytest.raises(DataError, match="the names of 10000000 features would need 1,144 MB"):
        read_svmlight([tmp_path / "b.svmlight"], 10_000_000)


def test_copies_of_a_document_with_many_categories(tmp_path):
    from hostile_readers import sgml_document

    topics = "".join(f"<D>{i}</D>" for i in range(6000))
    words = " ".join(map(str, range(6000)))
    (tmp_path / "b.sgm").write_text(sgml_document(topics, words))
    with pytest.raises(DataError, match=r"b\.sgm: 6000 copies of 1 documents would need"):
        read_reuters([tmp_path / "b.sgm"], {"top": 6000}, copies=True)


def test_a_table_of_one_value(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.array([1] * 1_000_000, pa.int8())
    pq.write_table(pa.table({f"c{i}": column for i in range(40)}), tmp_path / "b.parquet")
    assert (tmp_path / "b.parquet").stat().st_size < 150_000
    with pytest.raises(DataError, match=r"b\.parquet: 40 columns of 1000000 rows would need 305 MB"):
        read_tables(tmp_path / "b.parquet", tmp_path / "b.parquet")
