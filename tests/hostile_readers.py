"""Every reader of files that others may have made, with files to begin from: for property tests and for `make fuzz`."""

from __future__ import annotations

import io
import math
import time
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

from mlreduce import datasets
from mlreduce.configuration import read_yaml, validate
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.readers.arff import read_arff
from mlreduce.datasets.readers.matlab import read_mat
from mlreduce.datasets.readers.mulan import read_label_names
from mlreduce.datasets.readers.reuters import read_reuters
from mlreduce.datasets.readers.svmlight import read_svmlight, read_xmc
from mlreduce.datasets.readers.tables import read_tables
from mlreduce.evaluation.fitted_arrays import StoredArrays
from mlreduce.exceptions import MLReduceError
from mlreduce_studies.provenance import manifest
from mlreduce_studies.study import load_study
from mlreduce_studies.verdicts.reading import Known, read_claims

#: Seconds of the processor that reading a small file may take.
SECONDS = 1.0

_SGML_HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
_SGML = """<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="{}">
<DATE>26-FEB-1987</DATE>
<TOPICS><D>{}</D><D>grain</D></TOPICS><PLACES><D>usa</D></PLACES><PEOPLE></PEOPLE><ORGS></ORGS>
<EXCHANGES></EXCHANGES><COMPANIES></COMPANIES>
<UNKNOWN>&#5;&#5;C T</UNKNOWN>
<TEXT>&#2;<TITLE>COCOA &lt;X> REVIEW</TITLE><DATELINE>SALVADOR - </DATELINE><BODY>Showers continued &amp;c. &#3;</BODY>
</TEXT>
</REUTERS>
"""
_ARFF = """% a comment
@relation 'a set'
@attribute id {p1,p2,p3}
@attribute 'two words' REAL
@attribute place {north, 'far south', east}
@attribute "Swainson\\'s" {YES, NO}
@attribute l1 {0,1}
@attribute l2 {1,0}
@data
p1, 1.5, north, YES, 0, 1
p2, -2e3, 'far south', NO, 1, 0
p3, ?, ?, NO, 1, 0
"""
_SPARSE_ARFF = """@RELATION words
@ATTRIBUTE a {0,1}
@ATTRIBUTE b NUMERIC
@ATTRIBUTE c {x,y,z}
@ATTRIBUTE l1 {0,1}
@ATTRIBUTE l2 {0,1}
@DATA
{0 1, 1 2.5, 3 1}
{}
{ 1 ?, 2 'z', 4 1 }
"""
_XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels"><label name="a"><label name="b &amp; c"></label></label></labels>
"""
_CATALOGUE = """sources:
  web: https://example.org/{dataset}/{file}
datasets:
  shop:
    reader: tables
    features: f.csv
    labels: f.csv
    empty_labels: keep
  songs:
    reader: arff
    data: [s.arff, {name: s.arff, sources: [web], sha256: "SHA"}]
    labels: {last: 2}
    keep_identifiers: true
    expect: {instances: 3, cardinality: 1.5}
  papers: {reader: svmlight, data: [p.svmlight], parameters: {n_features: 9}}
  gold: {reader: sgml, data: [g.sgm], parameters: {categories: {top: 2}, marks: ["YES"], min_df: 1, copies: true}}
  made: {reader: planted, parameters: {n_samples: 30, n_features: 4, n_labels: 6}}
""".replace("SHA", "0" * 64)
_STUDY = """title: A study
protocols: {ten-fold: {folds: 10, sampled: {planted: {train_rows: 20, test: 0.1}}}}
scales:
  demo: {datasets: [planted], splits: 2, fewer_splits: {codes: {default: 1}}}
  paper: {datasets: [planted], splits: 20, optional: [eep], curves: [planted]}
methods:
  codes: {br: &own {}, plst: *own, cs: {draws: 2}}
groups:
  codes: {choose: {folds: 2, log2_gamma: {default: [-3, 3]}, log2_alpha: {default: [-3, 3, 2]}}}
predictors: {kernel-ridge: {}}
sizes: [10, 50]
measures: [hamming-loss]
tables:
  table3: {caption: Loss, measure: hamming-loss, predictor: kernel-ridge, methods: [br, plst]}
figures:
  figure1: {caption: Loss, measures: [hamming-loss], predictor: kernel-ridge, methods: [br, plst], labels: {br: BR}}
"""
_KNOWN = Known(
    ["plst", "br", "cplst"], ["linear"], ["as-printed"], ["emotions"], ["hamming-loss"], ["table3", "figure1"]
)
_CLAIMS = """\
- id: better
  claim: The one is better than the other
  where: section 4
  kind: better
  method: plst
  than: &others [br, cplst]
  quantity: hamming-loss
  select: {protocol: as-printed, predictor: linear, sizes: [50]}
  wording: counted
  holds: {at_least: 1}
  printed_effect: 0.03
  printed_in: Table 3
  group: one
  shown_in: [table3]
  open: the measure
  settings:
    - {name: one, margin: 0.01, margin_because: the sentence says so}
    - {name: two, kind: ratio, about: 2.0, factor: 1.5}
    - {name: three, shown: true}
- {id: again, claim: Again, where: "5", datasets: [emotions], kind: bound, at_most: labels, quantity: directions,
   methods: *others, select: {protocol: as-printed}, wording: named, own: true}
- {id: proof, claim: A proof, where: "5", proved: By algebra., test: test_it}
- {id: none, claim: None, where: "6", unchecked: no number}
"""
_MANIFEST = """{
 "study": "s", "scale": "demo", "protocols": {"p": {"train": 0.9}}, "splits": 3, "seed": 7, "datasets": ["one"],
 "methods": {"plst": {}}, "sizes": [20], "energies": [0.5], "measures": ["hamming-loss"], "groups": {"g": {}},
 "predictors": {"linear": {}}, "code": {"g": "0123456789abcdef"},
 "inputs": {"one": {"files": [{"name": "a", "sha256": "SHA", "addresses": ["https://example.org/a"]}],
  "prepared_sha256": "SHA"}},
 "outputs": {"manifest.json": "SHA", "table3.csv": "SHA"}, "digest": "SHA",
 "run": {"source": {"state": "clean", "commit": null, "code_sha256": "SHA"}, "python": "3.11.9",
  "packages": {"numpy": "2.0"}, "not_as_locked": {}, "machine": {"system": "a", "processor": "b", "cores": 2},
  "started": null, "ended": "2026-11-21T10:00:00+00:00", "outputs": {"times.csv": "SHA"},
  "cost": {"rules": {}, "total":
   {"jobs": 0, "measured": 0, "seconds": 1.5, "cpu_seconds": 0, "peak_mb": null, "threads": 1}}}
}
""".replace("SHA", "0" * 64)
_CONFIG = """scale: demo
studies: [cplst-2012]
results: results
seed: 2012
splits_per_job: 100
threads_per_job: 1
bundle: true
keep_fitted: true
retry_failed: false
figure_formats: [svg]
run_on: [emotions, yeast]
mirror: /data
"""


def sgml_document(topics: str, body: str) -> str:
    """Return a file of Reuters-21578 with one document."""
    document = _SGML.format(1, "TOPIC").replace("<D>TOPIC</D><D>grain</D>", topics)
    return _SGML_HEAD + document.replace("Showers continued", body)


class Reader(NamedTuple):
    """A reader, and what to try it on.

    Attributes
    ----------
    suffix : str
        Of its files.
    read : callable
        Reads the file at a path.
    seeds : callable
        Returns files that it can read.
    words : sequence of bytes
        What has a meaning in them, or once had an unwanted one.
    """

    suffix: str
    read: Callable[[Path], Any]
    seeds: Callable[[], list[bytes]]
    words: tuple[bytes, ...]


def attempt(reader: Reader, content: bytes, folder: Path) -> Any:
    """Read some bytes; what is not refused by a sentence, or takes too long, is a mistake of the reader."""
    path = folder / f"hostile{reader.suffix}"
    path.write_bytes(content)
    started = time.process_time()
    try:
        result = reader.read(path)
    except MLReduceError as error:
        result = error
        assert str(error).isprintable() or "\n" in str(error), repr(error)
        assert len(str(error)) < 100_000
    taken = time.process_time() - started
    assert taken < SECONDS, f"{taken:.2f} s"
    return result


def _tables(make: Callable[[pd.DataFrame], bytes]) -> list[bytes]:
    plain = pd.DataFrame({"a": [1, 0, 1], "b c": [0, 1, 1]})
    return [
        make(plain),
        make(plain.assign(b=True, c=[0.5, None, -1e3])),
        make(plain.set_index(pd.Index(["x", "y", "z"]))),
    ]


def _csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False).encode()


def _parquet(table: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    return buffer.getvalue()


def _mats() -> list[bytes]:
    X, Y = np.diag([1.0, 0, 2]), np.eye(3, 2, dtype=np.int8)
    made = []
    for variables, compressed in (
        ({"data": X, "target": Y.T, "name": "abc"}, False),
        ({"train_data": sp.csc_array(X), "train_target": Y.T, "test_data": sp.csc_array(X), "test_target": Y.T}, False),
        ({"X": X.astype("u1"), "Y": 2 * Y - 1}, True),
    ):
        buffer = io.BytesIO()
        scipy.io.savemat(buffer, variables, do_compression=compressed)
        made.append(buffer.getvalue())
    return made


def _prepared() -> list[bytes]:
    Y = np.eye(3, 2, dtype=np.int8)
    saved = []
    for X in (np.arange(6.0).reshape(3, 2), sp.csr_array(np.diag([1.0, 0, 2])[:, :2])):
        path = Path(scratch()) / "seed.npz"
        MultiLabelData(X, Y, ["a", "ä"], ["x", "y"], "set", ["id"]).save(path)
        saved.append(path.read_bytes())
    return saved


@cache
def scratch() -> str:
    """Return a folder for what is written to be read again, in memory where there is one."""
    import tempfile

    shared = Path("/dev/shm")
    return tempfile.mkdtemp(prefix="mlreduce-hostile-", dir=shared if shared.is_dir() else None)


_BREAK = b"\n|=|\n"


def _members(archive: bytes) -> bytes:
    """Write an archive's members one after another: each may be changed and still have the right checksum."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return _BREAK.join(piece for name in opened.namelist() for piece in (name.encode(), opened.read(name)))


def _load(path: Path) -> Any:
    try:
        return MultiLabelData.load(path)
    finally:
        with StoredArrays(path) as arrays:
            assert all(isinstance(value, np.ndarray) for key in arrays for value in arrays[key].values())


def _load_members(path: Path) -> Any:
    pieces = path.read_bytes().split(_BREAK)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in dict(zip(pieces[::2], pieces[1::2], strict=False)).items():
            archive.writestr(name.decode("latin-1").replace("\0", "") or "nothing", content)
    return _load(path)


def _read_catalogue(path: Path) -> Any:
    """Read a catalogue, and those of its data sets whose files are at hand."""
    folder = path.parent
    for name, content in (("f.csv", "a,b\n1,0\n0,1\n1,1\n"), ("s.arff", _ARFF), ("p.svmlight", "1,2 3:4\n2 1:1\n")):
        (folder / name).write_text(content)
    (folder / "g.sgm").write_text(_SGML_HEAD + _SGML.format(1, "cocoa"))
    (folder / "none.toml").write_text('[datasets.none]\nreader = "digits"\n')
    with mock.patch.multiple(datasets.catalogue, BUILT_IN=folder / "none.toml", FURTHER=None):  # which take a while
        catalogue = read_catalogue(path)
    errors = []
    for dataset in catalogue.values():
        assert isinstance(dataset.is_at_hand(folder), bool)
        assert all(path.parent == folder for path in dataset.copies(folder))
        numbers = [value for value in dataset.options.get("parameters", {}).values() if isinstance(value, int)]
        try:
            paths = dataset.fetch(mirror=folder)
            if paths or (dataset.reader == "planted" and math.prod(map(abs, numbers)) < 10**6):
                dataset.read(paths)
        except MLReduceError as error:
            errors.append(error)
    return catalogue, errors


def _read_manifest(path: Path) -> Any:
    """Check the files that a manifest names; who makes one makes its digest right."""
    path.rename(path.with_name("manifest.json"))
    with mock.patch.object(manifest, "_digest", return_value="0" * 64):
        return manifest.file_faults(path.parent)


# What has a meaning in a file, or once had one that it should not have. Words with spaces stand apart.
_NUMBERS = (*b"1e400 -1e999 nan inf -Infinity 1_000 0x10 -0 1e-400 1+2j".split(), b"9" * 25, b"9" * 5000)
_SPECIAL = (
    *(b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\r\n", b"\r", b"\t", b"\xc2\x85", b"\xe2\x80\xa8", b"\xed\xa0\x80"),
    b"=1+1",
)
_YAML_WORDS = (
    *b"{ } [ ] : , - ? ~ # | > ' & * ! .nan .inf 2001-99-99 1:1:1:1.5 0b_ 0x_ YES null 2.0 {dataset.x} .. ../x".split(),
    *(b"&a ", b"*a", b"<<: ", b"!!int ", b"!!python/object/apply:os.system ", b"- ", b": ", b"%YAML 9.9\n", b"---\n"),
    *(b'"\\ud800"', b"- [" * 20, b"{a: " * 20),
    *_SPECIAL,
)

READERS = {
    "arff": Reader(
        ".arff",
        lambda path: read_arff([path], 2, keep_text=["t"] if b" t string" in path.read_bytes() else []),
        lambda: [
            *(_ARFF.encode(), _SPARSE_ARFF.encode(), _SPARSE_ARFF.encode() + b"{}\n" * 30),
            b"@relation r\n@attribute t string\n@attribute a real % c\n@attribute l{0,1}\n@attribute m {-1 1}\n@data\n"
            b"'x\\n',1,0,-1,{2}\nz 2 ? 1\n",
        ],
        (
            *b"@attribute @data @relation {0,1} numeric string ? ' \" \\ { } , % {a, {0".split(),
            *(
                b"{0 1}\n",
                b"{-1 1}\n",
                b"{99999999999999999999 1}",
                b"a," * 30,
                b"\n@attribute x {a,b,c}\n",
                b"{}\n" * 20,
            ),
            *_NUMBERS,
            *_SPECIAL,
        ),
    ),
    "mulan-xml": Reader(
        ".xml",
        read_label_names,
        lambda: [_XML.encode(), _XML.replace("utf-8", "utf-16").encode("utf-16")],
        (
            *b"<label> </label> <labels> </labels> name= &a; <!ENTITY <![CDATA[ ]]> <? ?> &#0; <!-- -->".split(),
            *b"&#xD800; xmlns:x= encoding='utf-7' encoding='utf-32' encoding='none'".split(),
            *(b"<label name='a'/>", b"<!DOCTYPE x [<!ENTITY a 'aaaa'>]>", b"SYSTEM 'file:///etc/passwd'", b"<a>" * 50),
            *_SPECIAL,
        ),
    ),
    "sgml": Reader(
        ".sgm",
        lambda path: read_reuters([path], {"top": 3}, copies=True),
        lambda: [(_SGML_HEAD + _SGML.format(1, "cocoa") + _SGML.format(2, "gold")).encode()],
        (
            *b"</REUTERS> <TOPICS> </TOPICS> <D> </D> <TEXT> </TEXT> <TITLE> <BODY> </BODY> <!DOCTYPE".split(),
            *b'NEWID="2" NEWID="99999999999" &lt; &#255; &#256; &#99999; & < > ="'.split(),
            *(b"<REUTERS ", b"[<!ENTITY a 'b'>]", b"<D>x</D>" * 20, b"ayayayayay" * 9),
            *_SPECIAL,
        ),
    ),
    "svmlight": Reader(
        ".svmlight",
        lambda path: read_svmlight([path], 9),
        lambda: [b"# by hand\n10,2 1:3 4:0.5\n2\n 4:1 # none\n7 2:2e1\n", b"1\n2\n3\n4\n5\n6\n"],
        (
            *b"1 : , # 2:3 - qid:1 0:1 10:1 -1:1 1.5 1:1".split(),
            *(b" ", b"\n", b"1:1 1:1", b"1" * 3000, b"1:" * 9),
            *_NUMBERS,
            *_SPECIAL,
        ),
    ),
    "xmc": Reader(
        ".txt",
        lambda path: read_xmc([path]),
        lambda: [b"3 9 4\n1,2 0:3 4:0.5\n 4:1\n0 2:2e1\n", b"2 1 1\n0\n0 0:1\n"],
        (
            *b"1 : , 2:3 - 0:1 9:1 -1:1 1.5 1:1 9999999999 2147483647 1,1".split(),
            *(b" ", b"\n", b"3 9 4", b"1 1 1\n", b"1:" * 9),
            *_NUMBERS,
            *_SPECIAL,
        ),
    ),
    "mat": Reader(
        ".mat",
        lambda path: read_mat([path]),
        _mats,
        (
            *b"MATLAB data target X Y IM MI train_data".split(),
            *(number.to_bytes(4, "little") for number in (1, 5, 6, 9, 14, 15, 2**31 - 1, 2**32 - 1, 0x0800, 0x10001)),
            b"x\x9c",
        ),
    ),
    "csv": Reader(
        ".csv",
        lambda path: read_tables(path, path),
        lambda: [*_tables(_csv), b",a,b\n0,yes,1\n1,no,\n"],
        (*b', " "" ; True no NA 2001-01-01 \\ 1,0'.split(), b"\n", b"a,a\n", *_NUMBERS, *_SPECIAL),
    ),
    "parquet": Reader(
        ".parquet",
        lambda path: read_tables(path, path),
        lambda: _tables(_parquet),
        (b"PAR1", b"pandas", b"index_columns", b"\xff\xff\xff\x7f"),
    ),
    "npz": Reader(".npz", _load, _prepared, (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\x93NUMPY", b".npy")),
    "npz-members": Reader(
        ".npz",
        _load_members,
        lambda: [_members(archive) for archive in _prepared()],
        (
            *b"'<f8' '|O' '<U9' '<U0' '|i1' (3,) () True X_data.npy X_indices.npy ../../x.npy /x.npy Y.npy".split(),
            *(_BREAK, b"\x93NUMPY\x01\x00", b"(99999999999, 9)", b"(" * 40),
        ),
    ),
    "yaml": Reader(".yaml", read_yaml, lambda: [_STUDY.encode(), _CLAIMS.encode()], _YAML_WORDS),
    "catalogue": Reader(
        ".yaml", _read_catalogue, lambda: [_CATALOGUE.encode()], (*_YAML_WORDS, b"reader: ", b"sgml", b"planted")
    ),
    "study": Reader(
        ".yaml",
        lambda path: load_study(path, "demo", read_catalogue()),
        lambda: [_STUDY.encode()],
        (*_YAML_WORDS, b"search: ", b"energies: ", b"draws: ", b"kind: "),
    ),
    "claims": Reader(
        ".yaml",
        lambda path: read_claims(path, _KNOWN),
        lambda: [_CLAIMS.encode()],
        (*_YAML_WORDS, b"kind: ", b"at_least: ", b"table: ", b"methods_hold: "),
    ),
    "manifest": Reader(
        ".json",
        _read_manifest,
        lambda: [_MANIFEST.encode()],
        (
            *b'{ } [ ] : , null true NaN Infinity "outputs" "../x" "/etc/passwd" "\\u0000" "\\ud800" "\\n"'.split(),
            *(b"[" * 30, b'{"":' * 15, *_NUMBERS, *_SPECIAL),
        ),
    ),
    "config": Reader(
        ".yaml",
        lambda path: validate(read_yaml(path), "config", str(path)),
        lambda: [_CONFIG.encode()],
        (*_YAML_WORDS, b"datasets: ", b"cache: "),
    ),
}
