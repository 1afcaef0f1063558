"""Files of every format read by us and by other packages, pandas, SciPy, liac-arff and so on: a part of `make fuzz`.

    python tests/differential.py --files 100000

A file is generated from its number, and some are damaged afterwards. Both read it equal, both refuse it, we refuse it
by a sentence that has a name in `RULES`, the other refuses what we read as it was generated, or it reads otherwise for
a reason in `why_otherwise`. Anything else is a difference without an explanation: it is printed with its number, and
the exit status is 1.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import csv
import io
import math
import random
import re
import shutil
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

import arff
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

import mlreduce
from mlreduce.datasets import MultiLabelData
from mlreduce.exceptions import MLReduceError

NAN = math.nan
#: Why we refuse what the other reads, and the sentence that says it.
RULES = {
    "infinite": r"infinite|all numbers finite|is too large",
    "texts": r"is not numeric|which is numeric|is of the type .* attributes are|attributes are numeric, string, date",
    "not a label": r"labels must be 0/1|labels are 0/1|mixes 0 and -1|label has two|other numbers than 0 and 1",
    "names": r"names must differ|share a name|has no name|no column has a name|declared in line|lists a value twice"
    r"|unprintable character|called ''|would be read as one without a name|lists \? or nothing",
    "first line of numbers": r"its first line has numbers",
    "separator": r"its first line has no|separates the cells too",
    "ambiguous thousands": r"may have three decimals or be thousands",
    "length of rows": r"cells under \d+ names|wrong number of values|cannot be read as a table: .*quote"
    r"|rows, .* has \d+; they must be the same|place or the row is cut off|is out of place",
    "empty line": r"the line is empty|empty lines at different places",
    "row names": r"number or name the rows differently|do not number the rows",
    "nothing": r"no rows|it is empty|no features, labels or instances|is left as a feature|no row has a feature"
    r"|no instances, features or labels|cannot take the (first|last)",
    "labels not said": r"(?:columns|attributes) are declared|are requested as labels|unknown attribute|"
    r"labels names no",
    "no table of labels": r"as many labels as instances|no side of the labels",
    "variables": r"differ in case only|is no matrix of real numbers|expected the variables|no variable|perhaps further",
    "damaged": r"not a complete|not a whole|is damaged|damaged or cut off|no longer has|"
    r"not well-formed|cannot be read as text",
    "version": r"not a MATLAB file of version 5 to 7",
    "encoding": r"text; name its encoding",
    "row of svmlight": r"a row is '1,5 3:2 17:1'",
    "layout of ARFF": r"laid out as ARFF|an attribute is '@attribute|a sparse row is in braces"
    r"|expected the place of|there is no attribute \d|has two values|not in the list of attribute"
    r"|is not a number, nor|out of place|one of its values",
    "what a format cannot hold": r"cannot hold|would be read otherwise|would be read as numbers|is a masked array"
    r"|no real numbers",
    "size": r"out of proportion",
}


class Read(NamedTuple):
    """What a reader made of a file."""

    X: np.ndarray
    Y: np.ndarray
    feature_names: list[str] | None = None
    label_names: list[str] | None = None
    texts: dict[str, list[str]] | None = None
    #: What we say of a file that we read.
    notes: list[str] | None = None


class Case(NamedTuple):
    """A file, perhaps with a second, and what is known of it."""

    #: By name; the first is read.
    files: dict[str, bytes]
    #: Arguments of `mlreduce.read`.
    options: dict[str, Any]
    #: The other reader, of a folder.
    judge: Callable[[Path], Read]
    #: What was generated; None of damaged files.
    truth: Read | None
    judge_name: str = ""
    #: The other reader's second parser, where it has one.
    second: Callable[[Path], Read] | None = None


class Refused(Exception):
    """The other reader cannot make a data set of the file."""


def dense(values: Any) -> np.ndarray:
    return np.asarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)


def same(one: Read, other: Read) -> bool:
    for a, b in zip(one, other, strict=True):
        if a is None or b is None:
            continue
        if isinstance(a, np.ndarray):
            if a.shape != b.shape or not np.array_equal(a, b, equal_nan=True):
                return False
        elif a != b:
            return False
    return True


def chance_of(number: int) -> random.Random:
    return random.Random(f"differential-{number}")


# --- values


def a_number(r: random.Random, missing: float = 0.1) -> float:
    if r.random() < missing:
        return NAN
    kind = r.randrange(7)
    if kind < 2:
        return float(r.randrange(-3, 4))
    if kind == 2:
        return round(r.uniform(-99, 99), r.randrange(1, 4))
    if kind == 3:
        return r.uniform(-1, 1) * 10.0 ** r.randrange(-12, 12)
    if kind == 4:
        return float(r.randrange(1000, 10_000_000))
    return r.choice([0.0, 1.0, 0.5, -0.0, 1e-300, 1.7e308, 5e-324, 2.0**53 + 2, 1e16, 0.1, 1.2, 1200.0, 1.2345])


def a_matrix(r: random.Random, n: int, d: int, missing: float = 0.1, zeros: float = 0.2) -> np.ndarray:
    return np.array([[0.0 if r.random() < zeros else a_number(r, missing) for _ in range(d)] for _ in range(n)])


def some_labels(r: random.Random, n: int, k: int, unknown: bool = False) -> np.ndarray:
    Y = np.array([[float(r.random() < 0.4) for _ in range(k)] for _ in range(n)])
    if unknown and r.random() < 0.3:
        Y[r.randrange(n), r.randrange(k)] = NAN
    return Y


def sizes(r: random.Random) -> tuple[int, int, int]:
    return r.choice([1, 2, 2, 3, 4, 5, 7, 12]), r.choice([1, 1, 2, 3, 5]), r.choice([1, 1, 2, 3])


def names_of(r: random.Random, size: int, odd: bool = True) -> list[str]:
    plain = [f"{r.choice('abcxyz')}{i}" for i in range(size)]
    if odd and r.random() < 0.2:
        others = [
            "two words",
            "it's",
            '"q"',
            "50%",
            "ünï",
            "a,b",
            "a;b",
            "{c}",
            "1.5",
            "7",
            "\\",
            "Label 1",
            " lead",
            "#",
        ]
        plain[r.randrange(size)] = r.choice(others)
    if odd and r.random() < 0.02 and size > 1:
        plain[-1] = plain[0]
    return plain


def damaged(r: random.Random, content: bytes, words: list[bytes]) -> bytes:
    """Change a text in one or two places."""
    for _ in range(r.choice([1, 1, 2])):
        place = r.randrange(len(content) + 1)
        end = min(len(content), place + r.choice([0, 0, 1, 1, 2, 8]))
        content = content[:place] + (r.choice(words) if r.random() < 0.7 else b"") + content[end:]
    return content


# --- tables

_NA = ["", "", "NA", "?", "nan", "NaN", "null", "N/A", "None", "<NA>", "#N/A", "na", "NULL"]
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0, "y": 1.0, "t": 1.0, "n": 0.0, "f": 0.0}
_PAIRS = [
    ("0", "1"),
    ("0", "1"),
    ("-1", "1"),
    ("0.0", "1.0"),
    ("False", "True"),
    ("no", "yes"),
    ("FALSE", "TRUE"),
    ("n", "y"),
]
_MIXED = [(("no", "NO", "false"), ("yes", "Yes", "TRUE")), (("False", "false"), ("True", "true"))]


def grouped(number: str, mark: str) -> str:
    sign, digits = number[: number[:1] == "-"], number.lstrip("-")
    integer, point, rest = digits.partition(".")
    if not integer.isdigit() or "e" in digits:
        return number
    return sign + f"{int(integer):,}".replace(",", mark) + point + rest


def csv_text(rows: list[list[str]], sep: str, end: str, quoting: int) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=sep, lineterminator=end, quoting=quoting)
    writer.writerows(rows)
    return text.getvalue()


def as_pandas(frame: pd.DataFrame, place: int, is_label: bool) -> np.ndarray:
    """Return a column as numbers; words count as 0 and 1."""
    column = frame.iloc[:, place]
    if column.dtype.kind in "biuf":
        return column.to_numpy(dtype=np.float64)
    made = []
    for value in column:
        if value is None or (isinstance(value, float) and math.isnan(value)) or value is pd.NA:
            made.append(NAN)
        elif isinstance(value, (bool, int, float, np.number)):
            made.append(float(value))
        else:
            word = str(value).strip().lower()
            number = _WORDS.get(word)
            if number is None and is_label:
                with contextlib.suppress(ValueError):
                    number = float(word)
            if number is None:
                raise Refused(f"the text {value!r}")
            made.append(number)
    return np.array(made)


def as_binary(Y: np.ndarray) -> np.ndarray:
    """Return labels in 0/1; those of a label in -1/1 or 0/1."""
    known = ~np.isnan(Y)
    if not np.isin(Y[known], (-1, 0, 1)).all() or ((Y == 0).any(axis=0) & (Y == -1).any(axis=0)).any():
        raise Refused("other numbers than labels")
    return np.where(known, np.where(known, Y, 0) == 1, NAN)


_TEXTS = [
    "a",
    "b",
    "c",
    "two words",
    "x, y",
    "x; y",
    'say "no"',
    "it's",
    "line\nbreak",
    "",
    "NA",
    "7",
    "-1.5",
    "yes",
    " pad ",
    "é",
    "|",
]


def categories(name: str, texts: list[str]) -> dict[str, np.ndarray]:
    """Return a column for each value, and one for two values of which the second is 1."""
    values = sorted({text for text in texts if text})
    missing = np.array([not text for text in texts])
    if len(values) == 2:
        low, high = two_values(values)
        return {name: np.where(missing, NAN, np.where([text == values[0] for text in texts], low, high))}
    if len(values) < 2:
        alone = _WORDS.get("".join(values).lower(), 0.0)
        return {name: np.where(missing, NAN, alone)}
    return {f"{name}={value}": np.where(missing, NAN, [float(text == value) for text in texts]) for value in values}


def csv_columns(
    r: random.Random, X: np.ndarray, Y: np.ndarray, decimal: str, thousands: str | None, missing: str
) -> list[list[str]]:
    """Return the cells of each column; one that is made of words is changed in X or Y too."""

    def cell(value: float) -> str:
        if value != value:
            return missing
        text = r.choice([repr(value), f"{value!r}".removesuffix(".0"), f"{value:.17g}"])
        if thousands is not None and r.random() < 0.5:
            text = grouped(text, "\0")
        return text.replace(".", decimal).replace("\0", thousands or "")

    (n, d), k = X.shape, Y.shape[1]
    columns = [[cell(value) for value in column] for column in X.T.tolist()]
    for column in Y.T.tolist():
        pair = r.choice(_PAIRS)
        columns.append([missing if value != value else pair[int(value)].replace(".", decimal) for value in column])
    if r.random() < 0.1:
        column, (none, some) = r.randrange(d + k), r.choice(_MIXED)
        both = np.array([float(r.random() < 0.5) for _ in range(n)])
        columns[column] = [r.choice(some if value else none) for value in both]
        (X if column < d else Y)[:, column if column < d else column - d] = both
    return columns


def csv_options(r: random.Random, names: list[str], k: int) -> tuple[dict[str, Any], list[str]]:
    """Return arguments of `mlreduce.read` for a file with or without a header, and the names that are read."""
    options: dict[str, Any] = {"labels": {"last": k}}
    if r.random() > 0.1:
        if r.random() < 0.5 and len(set(names)) == len(names):
            options["labels"] = names[-k:]
        if r.random() < 0.1:
            options["header"] = True
        return options, names
    if r.random() < 0.8:
        options["header"] = False
    return options, [str(place) for place in range(1, len(names) + 1)]


def with_blank_line(r: random.Random, text: str, end: str) -> str:
    """Return a text with an empty line somewhere or at its end, without its last line break, or as it is."""
    blank = r.random()
    if blank < 0.05:
        return text + end
    if blank < 0.1:
        lines = text.split(end)
        place = r.randrange(len(lines))
        return end.join([*lines[:place], "", *lines[place:]])
    return text.removesuffix(end) if blank < 0.15 else text


def csv_case(r: random.Random) -> Case:
    n, d, k = sizes(r)
    X, Y = a_matrix(r, n, d), some_labels(r, n, k, unknown=True)
    names = names_of(r, d + k)
    decimal = r.choice([".", ".", ".", ","])
    sep = r.choice([",", ",", ";", "\t", "|"])
    thousands = r.choice([None] * 6 + [",", ".", "'", " "])
    if thousands == decimal:
        thousands = None
    quoting = r.choice([csv.QUOTE_MINIMAL] * 3 + [csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    missing, pad = r.choice(_NA), r.choice([""] * 8 + [" "])
    columns = csv_columns(r, X, Y, decimal, thousands, missing)
    rows = [[pad + value for value in row] for row in zip(*columns, strict=True)]
    read, truth_names = csv_options(r, names, k)
    header = truth_names is names
    text = r.choice(["keep_text", "categories", "drop"]) if header and r.random() < 0.2 else None
    if text:
        cells = [r.choice(_TEXTS) for _ in range(n)]
        rows, names = [[one, *row] for one, row in zip(cells, rows, strict=True)], ["txt", *names]
        read[text] = ["txt"]
    index = r.choice([None] * 8 + ["numbers", "texts"]) if header else None
    if index:
        rows = [[str(i) if index == "numbers" else f"r{i}", *row] for i, row in enumerate(rows)]
        names = ["", *names]
    end = r.choice(["\n", "\n", "\n", "\r\n", "\r"])
    lines = with_blank_line(r, csv_text([names, *rows] if header else rows, sep, end, quoting), end)
    encoding = r.choice(["utf-8"] * 6 + ["utf-8-sig", "latin-1", "utf-16"])
    content = lines.encode(encoding)
    truth: Read | None = None if text else Read(X, Y, truth_names[:d], truth_names[d:])
    if r.random() < 0.3:
        content = damaged(
            r, content, [*b"\" , ; ' 1 . 0 - e x na inf _ \t 1e999".split(b" "), b"\n", b"\r", b" ", b'""', b"\n\n"]
        )
        truth = None
    if sep != "," or decimal == ",":
        read["sep"] = sep
    read |= {"decimal": decimal} if decimal != "." else {}
    read |= {"thousands": thousands} if thousands else {}
    read |= {"encoding": encoding} if encoding in ("latin-1", "utf-16") else {}

    def judge(folder: Path, engine: str = "c") -> Read:
        exact: dict[str, Any] = {"float_precision": "round_trip", "low_memory": False} if engine == "c" else {}
        frame = pd.read_csv(
            folder / "t.csv",
            sep=sep,
            decimal=decimal,
            thousands=thousands,
            header=None if read.get("header") is False else 0,
            encoding=encoding,
            keep_default_na=False,
            na_values=sorted({*_NA, "-nan", "<na>", "#na", "NONE", "nA", "n/a", "Nan"}),
            engine=engine,
            **exact,
        )
        return of_frame(frame, read, k, text)

    return Case({"t.csv": content}, read, judge, truth, "pandas", lambda folder: judge(folder, "python"))


def of_frame(frame: pd.DataFrame, read: dict[str, Any], k: int, text: str | None) -> Read:
    """Return features and labels of what pandas read; ``text`` is what becomes of the column txt."""
    if frame.columns.duplicated().any() or len(frame) == 0:
        raise Refused("no rows or names")
    names = [str(place + 1) if read.get("header") is False else str(name) for place, name in enumerate(frame.columns)]
    if names and re.fullmatch(r"Unnamed: 0", names[0]):
        frame, names = frame.iloc[:, 1:], names[1:]
    labels = read["labels"] if isinstance(read["labels"], list) else names[-k:]
    if not set(labels) <= set(names) or len(labels) >= len(names) or not labels:
        raise Refused("no such labels")
    columns: dict[str, np.ndarray] = {}
    texts: dict[str, list[str]] | None = None
    for place, name in enumerate(names):
        if not (text and name == "txt"):
            columns[name] = as_pandas(frame, place, name in labels)
            continue
        column = frame.iloc[:, place]
        if text != "drop" and column.dtype.kind in "biuf":
            raise Refused("no text")
        cells = ["" if pd.isna(value) else str(value).strip() for value in column]
        if text == "keep_text":
            texts = {"txt": cells}
        elif text == "categories":
            columns |= categories("txt", cells)
    features = [name for name in columns if name not in labels]
    if not features or not set(labels) <= set(columns):
        raise Refused("no features")
    X, Y = (np.column_stack([columns[name] for name in some]) for some in (features, labels))
    return Read(X, as_binary(Y), features, labels, texts)


def pair_case(r: random.Random) -> Case:
    """Features and labels in two tables, with empty lines."""
    n, d, k = sizes(r)
    n = max(n, 2)
    X, Y = a_matrix(r, n, d), some_labels(r, n, k)
    files = {}
    gaps = []
    for name, values in (("x.csv", X), ("y.csv", Y)):
        letter = name[0]
        lines = [",".join(f"{letter}{i}" for i in range(values.shape[1]))]
        lines += [",".join("" if v != v else f"{v!r}".removesuffix(".0") for v in row) for row in values.tolist()]
        if r.random() < 0.3:
            place = r.randrange(1, len(lines))
            lines[place : place + r.randrange(2)] = [""]
        gaps.append([i for i, line in enumerate(lines) if not line])
        files[name] = ("\n".join(lines) + r.choice(["", "\n", "\n\n"])).encode()

    def judge(folder: Path) -> Read:
        tables = [pd.read_csv(folder / name, skip_blank_lines=False, float_precision="round_trip") for name in files]
        X, Y = (table.to_numpy(dtype=np.float64) for table in tables)
        empty = np.isnan(X).all(axis=1)[: len(Y)] | np.isnan(Y).all(axis=1)[: len(X)] if len(X) == len(Y) else None
        if empty is None:
            raise Refused("other numbers of rows")
        # What pandas takes for a row of missing values we leave out of both, or refuse.
        keep = ~(np.isnan(X).all(axis=1) & np.isnan(Y).all(axis=1))
        return Read(X[keep], as_binary(Y[keep]), list(tables[0].columns), list(tables[1].columns))

    return Case(files, {"labels": "y.csv"}, judge, None)


# --- Parquet


_KINDS = [
    *(pa.float64(), pa.float64(), pa.float32(), pa.float16(), pa.int8(), pa.int64(), pa.uint32(), pa.bool_()),
    *(pa.string(), pa.large_string(), "dictionary", "numbers"),
    *(pa.null(), pa.decimal128(9, 2), pa.timestamp("s"), pa.list_(pa.int64())),
]


def parquet_column(r: random.Random, values: np.ndarray, is_label: bool) -> tuple[pa.Array, np.ndarray]:
    """Return a column of any type, of the labels or of other numbers, and what it holds."""
    n, kind = len(values), r.choice(_KINDS)
    if is_label and kind not in (pa.float64(), pa.int8(), pa.int64(), pa.bool_(), pa.string()):
        kind = pa.int8()
    holes = np.array([r.random() < 0.1 for _ in range(n)])
    if kind == pa.null():
        return pa.nulls(n), values
    small = np.array([float(r.randrange(0, 100)) for _ in range(n)])
    if is_label:
        small, holes = values, np.zeros(n, bool)
    if kind == pa.float64():
        return pa.array(values, mask=np.isnan(values) if r.random() < 0.5 else None), values
    if isinstance(kind, str) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        words = [r.choice(["yes", "no", "Yes", "true", "FALSE"]) for _ in range(n)]
        if is_label:
            words = [("no", "yes")[int(value)] for value in values]
        numbers = np.array([_WORDS[word.lower()] for word in words])
        array = pa.array(words, pa.string() if isinstance(kind, str) else kind, mask=holes)
        if kind == "numbers":
            numbers, array = small, pa.array(small.astype(int), mask=holes)
        return array.dictionary_encode() if isinstance(kind, str) else array, np.where(holes, NAN, numbers)
    if pa.types.is_timestamp(kind):
        return pa.array(small.astype(int)).cast(pa.int64()).cast(kind), small
    if pa.types.is_decimal(kind):
        return pa.array(small.astype(int), pa.int64()).cast(pa.decimal128(21, 2)), small
    if pa.types.is_list(kind):
        return pa.array([[int(value)] for value in small]), small
    if kind == pa.float16():
        return pa.array(small.astype(np.float16), mask=holes), np.where(holes, NAN, small)
    if kind == pa.bool_():
        true = small > (0 if is_label else 50)
        return pa.array(true, mask=holes), np.where(holes, NAN, true)
    return pa.array(small, mask=holes).cast(kind), np.where(holes, NAN, small)


def parquet_case(r: random.Random) -> Case:
    n, d, k = sizes(r)
    X, Y = a_matrix(r, n, d), some_labels(r, n, k)
    names = names_of(r, d + k)
    arrays = []
    for place in range(d + k):
        values = X[:, place] if place < d else Y[:, place - d]
        array, exact = parquet_column(r, values, place >= d)
        arrays.append(array)
        if place < d:
            X[:, place] = exact
    table = pa.Table.from_arrays(arrays, names=names)
    if r.random() < 0.2 and len(set(names)) == len(names):
        frame = table.to_pandas()
        frame.index = r.choice(
            [pd.RangeIndex(3, 3 + n, name="age"), pd.Index([f"r{i}" for i in range(n)], name="id"), pd.RangeIndex(n)]
        )
        with contextlib.suppress(pa.ArrowException):
            table = pa.Table.from_pandas(frame)
    buffer = io.BytesIO()
    pq.write_table(
        table,
        buffer,
        compression=r.choice(["none", "snappy", "gzip", "zstd", "brotli", "lz4"]),
        row_group_size=r.choice([None, 1, 2]),
        use_dictionary=r.random() < 0.5,
        data_page_version=r.choice(["1.0", "2.0"]),
        write_page_checksum=r.random() < 0.2,
        store_schema=r.random() < 0.8,
    )
    labels: Any = {"last": k} if r.random() < 0.5 else names[d:]

    def judge(folder: Path) -> Read:
        content = pq.read_table(folder / "t.parquet", use_threads=False)
        noted = (content.schema.pandas_metadata or {}).get("index_columns", [])
        names = [name for name in content.column_names if name not in noted]
        if len(set(names)) < len(names):
            raise Refused("names")
        wanted = labels if isinstance(labels, list) else names[-k:]
        if not set(wanted) <= set(names) or len(wanted) >= len(names):
            raise Refused("labels")
        values = {}
        for name in names:
            column = content.column(name)
            kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
            refused = (pa.types.is_null, pa.types.is_list, pa.types.is_temporal, pa.types.is_decimal)
            if any(is_kind(kind) for is_kind in refused):
                raise Refused(str(kind))
            values[name] = as_pandas(pd.DataFrame({name: column.to_pylist()}, dtype=object), 0, name in wanted)
        features = [name for name in names if name not in wanted]
        X = np.column_stack([values[name] for name in features])
        return Read(X, as_binary(np.column_stack([values[name] for name in wanted])), features, wanted)

    return Case({"t.parquet": buffer.getvalue()}, {"labels": labels}, judge, Read(X, Y, names[:d], names[d:]))


# --- ARFF


def arff_name(r: random.Random, name: str, quote: bool = False) -> str:
    if not quote and re.fullmatch(r"[A-Za-z][A-Za-z0-9_.]*|[0-9.]+", name) and r.random() < 0.8:
        return name
    mark = r.choice("'\"") if "'" not in name and '"' not in name else '"' if "'" in name else "'"
    return mark + name.replace("\\", "\\\\") + mark


_OF_LABELS = [["0", "1"], ["0", "1"], ["1", "0"], ["-1", "1"], ["no", "yes"], ["FALSE", "TRUE"]]
_OF_FEATURES = [
    *(None, None, None, ["0", "1"], ["a", "b"], ["NO", "YES"], ["true", "false"], ["u", "v", "w"]),
    *(["north", "far south", "x,y"], ["2", "5"], ["only"]),
]
#: Attributes with their values, None for numeric ones; and rows of cells, None for missing ones.
Attributes = list[tuple[str, list[str] | None]]
Cells = list[list[str | None]]


def arff_cells(r: random.Random, n: int, attributes: Attributes, integers: set[int]) -> Cells:
    cells: Cells = []
    for _ in range(n):
        row: list[str | None] = []
        for place, (_, values) in enumerate(attributes):
            if r.random() < 0.08:
                row.append(None)
            elif values is not None:
                row.append(r.choice(values))
            else:
                value = 0.0 if r.random() < 0.3 else float(r.randrange(50)) if place in integers else a_number(r, 0)
                row.append(r.choice([repr(value), repr(value).removesuffix(".0"), f"{value:.17g}"]))
        cells.append(row)
    return cells


def arff_header(r: random.Random, relation: str, attributes: Attributes, integers: set[int]) -> list[str]:
    def word(text: str) -> str:
        return text if r.random() < 0.5 else r.choice([text.upper(), text.lower()])

    names = [name for name, _ in attributes]
    lines = ["% a comment"] * (r.random() < 0.2) + [f"{word('@relation')} {relation}", ""]
    for name, values in attributes:
        if values is None:
            kind = word("integer" if names.index(name) in integers else r.choice(["numeric", "real"]))
        else:
            comma = r.choice([",", ", ", " , "])
            kind = comma.join(
                arff_name(r, value, not re.fullmatch(r"[A-Za-z0-9.-]+", value))
                if not re.fullmatch("-?[0-9]+", value)
                else value
                for value in values
            )
            kind = "{" + kind + "}"
        lines.append(f"{word('@attribute')}{r.choice([' '] * 30 + [chr(9), '  '])}{arff_name(r, name)} {kind}")
    return [*lines, "", word("@data")]


def arff_rows(r: random.Random, cells: Cells, attributes: Attributes, sparse: bool) -> list[str]:
    comma = r.choice([",", ",", ", ", " ,", ",\t"])
    quote_all, weighted = r.random() < 0.1, r.random() < 0.03
    lines = []
    for row in cells:
        pieces = []
        for place, (value, (_, values)) in enumerate(zip(row, attributes, strict=True)):
            if sparse:
                default = values[0] if values else None
                zero = values is None and value is not None and float(value) == 0
                if (zero or (values is not None and value == default)) and r.random() < 0.9:
                    continue
            shown = "?" if value is None else value
            if value is not None and values is not None and (quote_all or not re.fullmatch(r"[A-Za-z0-9.-]+", value)):
                shown = arff_name(r, value, True)
            pieces.append((f"{place} " if sparse else "") + shown)
        line = comma.join(pieces)
        line = "{" + line + "}" if sparse else line
        line += ",{2}" if weighted else ""
        lines.append(line + (" % note" if r.random() < 0.02 else ""))
        if r.random() < 0.05:
            lines.append(r.choice(["", "% between", "   "]))
    return lines


def arff_case(r: random.Random) -> Case:
    n, d, k = sizes(r)
    names = names_of(r, d + k)
    sparse = r.random() < 0.4
    first = r.random() < 0.5
    way = r.choice(["meka", "meka", "xml", "last"])
    is_label = [place < k for place in range(d + k)] if first else [place >= d for place in range(d + k)]
    attributes: Attributes = [
        (name, r.choice(_OF_LABELS if label else _OF_FEATURES)) for name, label in zip(names, is_label, strict=True)
    ]
    integers = {place for place in range(d + k) if r.random() < 0.1}
    cells = arff_cells(r, n, attributes, integers)
    end = r.choice(["\n", "\n", "\r\n"])
    option = f" -C {k if first else -k}" if way == "meka" else ""
    relation = f"'set:{option}'" if option or r.random() < 0.5 else r.choice(["set", "'a set'", '"s"'])
    lines = arff_header(r, relation, attributes, integers)
    lines += arff_rows(r, cells, attributes, sparse)
    content = (end.join(lines) + r.choice([end, end, "", end * 2])).encode()
    files = {"t.arff": content}
    options: dict[str, Any] = {}
    chosen = [name for name, label in zip(names, is_label, strict=True) if label]
    if way == "xml":
        listed = "".join(f"<label name={quoteattr(name)}/>" for name in chosen)
        files["t.xml"] = f"<labels>{listed}</labels>".encode()
    elif way == "last":
        options["labels"] = {"first" if first else "last": k}
    truth: Read | None = None
    with contextlib.suppress(Refused):  # two attributes of one name
        truth = arff_table(attributes, cells, chosen)
    if r.random() < 0.3:
        files["t.arff"] = damaged(
            r, content, [*b"' \" { } , % ? 1 0 \\ @data nan 1e999 _ x {0,1}".split(b" "), b"\n", b" ", b"\t", b"\n\n"]
        )
        truth = None

    def judge(folder: Path) -> Read:
        text = (folder / "t.arff").read_text(encoding="utf-8-sig")
        return of_liac_arff(text, sparse, way, k if first else -k, chosen)

    return Case(files, options, judge, truth, "liac-arff")


def of_liac_arff(text: str, sparse: bool, way: str, size: int, chosen: list[str]) -> Read:
    """Return what liac-arff makes of a text; ``size`` labels are the first, the last where it is negative."""
    decoded = arff.loads(text, return_type=arff.LOD if sparse else arff.DENSE)
    kinds = [(name, kind if isinstance(kind, list) else None) for name, kind in decoded["attributes"]]
    if any(
        not isinstance(kind, list) and kind not in ("NUMERIC", "REAL", "INTEGER") for _, kind in decoded["attributes"]
    ):
        raise Refused("texts")
    rows: list[list[Any]] = []
    for row in decoded["data"]:
        if sparse:
            row = [row.get(place, 0.0 if values is None else values[0]) for place, (_, values) in enumerate(kinds)]
        rows.append(
            [
                None if value is None else value if values is not None else repr(float(value))
                for value, (_, values) in zip(row, kinds, strict=True)
            ]
        )
    all_names = [name for name, _ in kinds]
    if way == "meka":
        option = re.search(r"-C\s+(-?[0-9]+)", decoded["relation"])
        if not option:
            raise Refused("no option")
        size = int(option[1])
    wanted = chosen if way == "xml" else all_names[:size] if size > 0 else all_names[size:]
    if not set(wanted) <= set(all_names) or not 0 < len(wanted) < len(all_names) or not rows:
        raise Refused("labels")
    return arff_table(kinds, rows, [name for name in all_names if name in wanted])


def arff_table(attributes: Attributes, cells: list[list[Any]], labels: list[str]) -> Read:
    """Return features and labels of a table by the rules that docs/data.md has for lists of values."""
    X, Y, feature_names, label_names = [], [], [], []
    for place, (name, values) in enumerate(attributes):
        column = [row[place] for row in cells]
        if values is None:
            numbers = np.array([NAN if value is None else float(value) for value in column])
        elif len(values) == 2:
            low, high = two_values(values)
            numbers = np.array([NAN if value is None else (low, high)[values.index(value)] for value in column])
        elif name in labels:
            raise Refused("a label has two values")
        elif len(values) == 1:
            numbers = np.array([NAN if value is None else 0.0 for value in column])
        else:
            for listed in values:
                X.append([NAN if value is None else float(value == listed) for value in column])
                feature_names.append(f"{name}={listed}")
            continue
        if name in labels:
            Y.append(numbers)
            label_names.append(name)
        else:
            X.append(numbers)
            feature_names.append(name)
    if np.isinf(np.concatenate([*map(np.asarray, X), *Y])).any() or not X:
        raise Refused("infinite")
    return Read(np.column_stack(X), as_binary(np.column_stack(Y)), feature_names, label_names)


def two_values(values: list[str]) -> tuple[float, float]:
    words = [value.strip().lower() for value in values]
    if (_WORDS.get(words[0]), _WORDS.get(words[1])) == (1.0, 0.0):
        return 1.0, 0.0
    try:
        numbers = float(words[0]), float(words[1])
    except ValueError:
        return 0.0, 1.0
    return numbers if all(map(math.isfinite, numbers)) else (0.0, 1.0)


# --- MATLAB

_DTYPES = ["f8", "f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]


def mat_case(r: random.Random) -> Case:
    n, d, k = sizes(r)
    X, Y = a_matrix(r, n, d, 0), some_labels(r, n, k)
    dtype = r.choice(_DTYPES)
    if dtype != "f8":
        X = np.array([[float(r.randrange(0, 2 if dtype == "?" else 100)) for _ in range(d)] for _ in range(n)])
    stored: Any = sp.csc_array(X) if r.random() < 0.3 else X.astype(dtype)
    target: Any = r.choice([Y, 2 * Y - 1])
    target = target.astype(r.choice(["f8", "i1", "u1" if (target >= 0).all() else "i4"]))
    if r.random() < 0.2 and (target >= 0).all():
        target = sp.csc_array(target.astype("f8"))
    transposed = r.random() < 0.5
    target = target.T if transposed else target
    names = r.choice([("data", "target"), ("X", "Y"), ("x", "y"), ("Features", "Labels"), ("D", "L")])
    variables = {names[0]: stored, names[1]: target}
    options: dict[str, Any] = {}
    if names[0] == "D" or r.random() < 0.3:
        options["variables"] = names
    if r.random() < 0.15:
        variables[r.choice([names[0].swapcase(), "note"])] = r.choice(
            [X + 1, "text", np.array([["a", 1.0]], dtype=object), {"f": 1.0}, X * 1j]
        )
    if n == k:
        options["labels_in"] = "rows" if transposed else "columns"
    if k != n and r.random() < 0.1:
        options["labels_in"] = "rows" if transposed else "columns"
    compressed = r.random() < 0.5
    buffer = io.BytesIO()
    old = r.random() < 0.03 and all(
        isinstance(value, np.ndarray) and value.dtype.kind in "f" for value in variables.values()
    )
    scipy.io.savemat(buffer, variables, do_compression=compressed, format="4" if old else "5")
    content = buffer.getvalue()
    truth: Read | None = Read(X, Y)
    if compressed and not old and r.random() < 0.4:
        spoilt = bytearray(content)
        spoilt[r.randrange(136, len(spoilt))] ^= 1 << r.randrange(8)  # where zlib's checksum guards SciPy
        content, truth = bytes(spoilt), None
    start = content[128:136]

    def judge(folder: Path) -> Read:
        if compressed and truth is None and int.from_bytes(start[:4], "little") != 15:
            raise Refused("SciPy may end the process")
        read = scipy.io.loadmat(folder / "t.mat", spmatrix=False)
        X, Y = (dense(read[name]) for name in names)
        if X.ndim != 2 or Y.ndim != 2:
            raise Refused("no matrices")
        return Read(X, as_binary(Y.T if transposed else Y))

    return Case({"t.mat": content}, options, judge, truth)


# --- svmlight and XMC


def svm_lines(r: random.Random, X: np.ndarray, Y: np.ndarray, codes: list[str], first: int) -> list[str]:
    lines = []
    for row, present in zip(X.tolist(), Y, strict=True):
        labels = ",".join(code for code, one in zip(codes, present, strict=True) if one)
        entries = [
            f"{i + first}:{r.choice([repr(float(v)), f'{v:.17g}'])}" for i, v in enumerate(row) if v or r.random() < 0.1
        ]
        line = " ".join([labels, *entries])
        lines.append(line + (" # note" if r.random() < 0.05 else ""))
    return lines


def svm_case(r: random.Random) -> Case:
    n, d, k = sizes(r)
    X, Y = a_matrix(r, n, d, 0, 0.4), some_labels(r, n, k)
    first = r.randrange(2)
    codes = sorted(r.sample(range(0, 30), k))
    texts = [str(code) for code in codes] if r.random() < 0.8 else [f"{code}.5" for code in codes]
    lines = svm_lines(r, X, Y, texts, first)
    if r.random() < 0.1:
        lines.insert(r.randrange(len(lines) + 1), r.choice(["", " ", "# alone"]))
    if r.random() < 0.1:
        lines.insert(0, f"# Column indices are {('zero', 'one')[first]}-based")
    content = ("\n".join(lines) + r.choice(["\n", "\n", "", "\n\n"])).encode()
    if r.random() < 0.1:
        content = content.replace(b"\n", b"\r\n")
    options: dict[str, Any] = {}
    if r.random() < 0.7:
        options["zero_based"] = not first
    if r.random() < 0.5:
        options["n_features"] = d
    if r.random() < 0.3:
        content = damaged(
            r, content, [*b": , # 1 0 - . e nan inf 1e999 _ qid:1 7:7 0:0".split(b" "), b" ", b"\n", b"\t", b"\n\n"]
        )

    def judge(folder: Path) -> Read:
        text = (folder / "t.svm").read_bytes()
        comment = re.search(rb"^# Column indices are (zero|one)-based[ \t\r]*$", text, re.MULTILINE)
        based = options.get("zero_based", comment[1] == b"zero" if comment else "auto")
        X, labels = load_svmlight_file(
            str(folder / "t.svm"), multilabel=True, zero_based=based, n_features=options.get("n_features")
        )
        if X.shape[0] == 0 or X.shape[1] == 0 or any(not math.isfinite(label) for row in labels for label in row):
            raise Refused("nothing")
        known = sorted({label + 0.0 for row in labels for label in row})
        Y = np.array([[float(label in row) for label in known] for row in labels]).reshape(len(labels), len(known))
        if not np.isfinite(X.data).all():
            raise Refused("infinite")
        return Read(dense(X), Y)

    return Case({"t.svm": content}, options, judge, None)


def xmc_case(r: random.Random) -> Case:
    n, d, k = sizes(r)
    X, Y = a_matrix(r, n, d, 0, 0.4), some_labels(r, n, k)
    for i in range(n):
        if not X[i].any() and not Y[i].any():
            X[i, 0] = 1.0
    content = (f"{n} {d} {k}\n" + "\n".join(svm_lines(r, X, Y, list(map(str, range(k))), 0)) + "\n").encode()
    truth: Read | None = Read(X, Y)
    if r.random() < 0.4:
        content = damaged(r, content, [*b": , 1 0 - . e nan 1e999 _ 7:7 0:0".split(b" "), b" ", b"\n"])
        truth = None

    def judge(folder: Path) -> Read:
        head, _, rest = (folder / "t.xmc").read_bytes().partition(b"\n")
        rows, width, n_labels = (int(number) for number in head.split())
        X, labels = load_svmlight_file(io.BytesIO(rest), multilabel=True, zero_based=True, n_features=width)
        Y = np.zeros((len(labels), n_labels))
        for row, present in enumerate(labels):
            for label in present:
                if label != int(label) or not 0 <= label < n_labels:
                    raise Refused("a label outside")
                Y[row, int(label)] = 1
        if X.shape[0] != rows or not np.isfinite(X.data).all() or not (rows and width and n_labels):
            raise Refused("rows")
        return Read(dense(X), Y)

    return Case({"t.xmc": content}, {}, judge, truth)


# --- NumPy, and what we save


def npz_case(r: random.Random) -> Case:
    n, d, k = sizes(r)
    X, Y = a_matrix(r, n, d), some_labels(r, n, k)
    dtype = r.choice([*_DTYPES, ">f8", ">i4", "f2"])
    if dtype not in ("f8", ">f8"):
        X = np.array([[float(r.randrange(0, 2 if dtype == "?" else 100)) for _ in range(d)] for _ in range(n)])
    arrays = {"X": X.astype(dtype), "Y": Y.astype(r.choice(["i1", "i8", "f8", "?", ">i2"]))}
    if r.random() < 0.1:
        arrays["Y"] = (2 * Y - 1).astype(int)
    if r.random() < 0.3:
        arrays["X"] = np.asfortranarray(arrays["X"])
    buffer = io.BytesIO()
    (np.savez if r.random() < 0.5 else np.savez_compressed)(buffer, **arrays)

    def judge(folder: Path) -> Read:
        with np.load(folder / "t.npz") as stored:
            return Read(dense(stored["X"]), as_binary(dense(stored["Y"])))

    return Case({"t.npz": buffer.getvalue()}, {}, judge, Read(X, Y))


SUFFIXES = (".npz", ".arff", ".csv", ".tsv", ".parquet", ".svm", ".xmc", ".csv.gz")
DTYPES = (
    "?",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    "f2",
    "f4",
    "f8",
    "longdouble",
    ">f8",
    ">f4",
    ">i4",
    ">i8",
    ">u2",
    "c16",
    "O",
)
LAYOUTS = ("C", "F", "CSR", "CSC", "COO", "strided", "list", "frame")


def in_layout(values: np.ndarray, layout: str) -> Any:
    if layout == "F":
        return np.asfortranarray(values)
    if layout in ("CSR", "CSC", "COO"):
        array = values if values.dtype.isnative and values.dtype.str[1:] in [*_DTYPES, "b1"] else values.astype("f8")
        return {"CSR": sp.csr_array, "CSC": sp.csc_array, "COO": sp.coo_array}[layout](array)
    if layout == "strided":
        wide = np.repeat(values, 2, axis=1)
        return wide[:, ::2]
    return values.tolist() if layout == "list" else pd.DataFrame(values) if layout == "frame" else values


def saved_case(
    r: random.Random, suffix: str | None = None, dtype: str | None = None, layout: str | None = None
) -> Case | None:
    """A data set of some type and layout that `save` writes; None where it refuses by a sentence with a name."""
    suffix, dtype, layout = suffix or r.choice(SUFFIXES), dtype or r.choice(DTYPES), layout or r.choice(LAYOUTS)
    n, d, k = sizes(r)
    X = a_matrix(r, n, d, 0.1 if r.random() < 0.3 else 0)
    if np.dtype(dtype).kind not in "fcO":
        X = np.array([[float(r.randrange(0, 2 if dtype == "?" else 100)) for _ in range(d)] for _ in range(n)])
    with np.errstate(over="ignore"):
        given = X.astype(dtype)
    Y = some_labels(r, n, k, unknown=r.random() < 0.2)
    coded = np.where(np.isnan(Y), NAN, 2 * Y - 1) if r.random() < 0.1 else Y
    coded = coded if np.isnan(Y).any() else coded.astype(r.choice(["i1", "i8", "f4", ">i4"]))
    names = [f"f{i}" for i in range(d)], [f"l{i}" for i in range(k)]
    texts = {
        "t": [
            r.choice(["a b", "x, y", "", "it's", '"q"', "NA", " pad", "7", "line\nbreak", "50%", "?"]) for _ in range(n)
        ]
    }
    data = MultiLabelData(
        in_layout(given, layout),
        in_layout(coded, r.choice(["C", "F", "strided"])),
        *names,
        "set",
        texts=texts if r.random() < 0.2 else {},
        sample_weight=np.arange(1.0, n + 1) if r.random() < 0.1 else None,
    )
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        path = Path(folder, f"t{suffix}")
        data.save(path)
        files = {path.name: path.read_bytes()}
    table = suffix in (".csv", ".tsv", ".parquet", ".csv.gz")
    options: dict[str, Any] = {"labels": names[1]} if table else {}
    if data.texts and suffix != ".npz":
        options["keep_text"] = ["t"]
    names = names if suffix not in (".svm", ".xmc") else (None, None)
    expected = Read(dense(np.asarray(given, dtype="f8")), dense(coded), *names, dict(data.texts) or None)

    def judge(folder: Path) -> Read:
        path = folder / f"t{suffix}"
        if suffix == ".npz":
            with np.load(path) as stored:
                if "X" in stored:
                    return Read(dense(stored["X"]), dense(stored["Y"]))
                parts = [stored[f"X_{part}"] for part in ("data", "indices", "indptr")]
                return Read(dense(sp.csr_array(tuple(parts), shape=stored["X_shape"])), dense(stored["Y"]))
        if suffix == ".arff":
            text = path.read_text()
            sparse = layout in ("CSR", "CSC", "COO")
            decoded = arff.loads(text, return_type=arff.LOD if sparse else arff.DENSE)
            width = d + k
            rows = [[row.get(place, 0) for place in range(width)] if sparse else row[:width] for row in decoded["data"]]
            if data.sample_weight is not None or data.texts:
                raise Refused("liac-arff has no weights")
            values = np.array([[NAN if value is None else float(value) for value in row] for row in rows])
            return Read(values[:, k:], values[:, :k], *names)
        if table:
            kind = {"sep": "\t"} if suffix == ".tsv" else {}
            frame = (
                pd.read_parquet(path)
                if suffix == ".parquet"
                else pd.read_csv(path, float_precision="round_trip", **kind)
            )
            return Read(frame[names[0]].to_numpy(dtype="f8"), frame[names[1]].to_numpy(dtype="f8"), *names)
        rest = path.read_bytes()
        rest = rest.partition(b"\n")[2] if suffix == ".xmc" else rest
        X, labels = load_svmlight_file(io.BytesIO(rest), multilabel=True, zero_based=True)
        return Read(dense(X), np.array([[float(place in row) for place in range(k)] for row in labels]))

    return Case(files, options, judge, expected)


GENERATORS: dict[str, Callable[[random.Random], Case | None]] = {
    "csv": csv_case,
    "two tables": pair_case,
    "parquet": parquet_case,
    "arff": arff_case,
    "mat": mat_case,
    "svmlight": svm_case,
    "xmc": xmc_case,
    "npz": npz_case,
    "saved": saved_case,
}
#: How often a kind is generated, of 20 files.
OFTEN = (
    ["csv"] * 5
    + ["two tables"]
    + ["parquet"] * 2
    + ["arff"] * 4
    + ["mat"] * 2
    + ["svmlight"] * 2
    + ["xmc"]
    + ["npz"]
    + ["saved"] * 2
)


def scratch() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def read_as(path: Path, options: dict[str, Any]) -> Read:
    data = mlreduce.read(path, **options)
    texts = {name: list(values) for name, values in data.texts.items()} or None
    return Read(dense(data.X), dense(data.Y), list(data.feature_names), list(data.label_names), texts, list(data.notes))


def rule_of(error: MLReduceError) -> str:
    return next((name for name, sentence in RULES.items() if re.search(sentence, str(error))), "")


def outcome(number: int, folder: Path, show: str = "DIFFERENT") -> tuple[str, str, str]:
    """Return the kind of a file, the class of what became of it, and where that is `show` all that is known."""
    r = chance_of(number)
    kind = r.choice(OFTEN)
    try:
        case = GENERATORS[kind](r)
    except MLReduceError as error:
        rule = rule_of(error)
        return kind, f"refused when saved: {rule}" if rule else "DIFFERENT", str(error)
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    options = dict(case.options)
    if isinstance(options.get("labels"), str):
        options["labels"] = folder / options["labels"]
    ours: Read | MLReduceError
    judged: Read | Exception
    try:
        ours = read_as(folder / next(iter(case.files)), options)
    except MLReduceError as error:
        ours = error
    except Exception:  # noqa: BLE001 (any is a mistake of ours)
        return kind, "DIFFERENT", f"we raise {traceback.format_exc()[-600:]}"
    try:
        judged = case.judge(folder)
    except Exception as error:  # noqa: BLE001 (others refuse in many ways)
        judged = error
    result = class_of(case, ours, judged, folder)
    for name in case.files:
        (folder / name).unlink()
    parts = {"ours": ours, "other": judged, "truth": case.truth, "options": case.options, "files": case.files}
    return kind, result, "".join(f"\n  {name} {part!r}" for name, part in parts.items()) if result == show else ""


def class_of(case: Case, ours: Read | MLReduceError, judged: Read | Exception, folder: Path) -> str:
    """Return the class of what two readers made of a file."""
    if isinstance(ours, MLReduceError):
        if isinstance(judged, Exception):
            return "both refuse"
        rule = rule_of(ours)
        return f"we refuse: {rule}" if rule else "DIFFERENT"
    if isinstance(judged, Exception):
        if case.truth is None:
            return "the other refuses a damaged file"
        if any("taken for names of columns" in note for note in ours.notes or ()):
            return "we say that the first line may be a row"
        return "the other refuses" if same(ours, case.truth) else "DIFFERENT"
    if same(ours, judged):
        return "equal"
    explained = why_otherwise(case, ours, judged, folder)
    return f"the other reads otherwise: {explained}" if explained else "DIFFERENT"


def why_otherwise(case: Case, ours: Read, judged: Read, folder: Path) -> str:
    """Return a fault of the other reader, which explains why it reads otherwise; "" if none does."""
    as_generated = case.truth is not None and same(ours, case.truth)
    numbers = same(ours, judged._replace(feature_names=None, label_names=None))
    if case.judge_name == "liac-arff" and numbers:
        bare = [
            [re.sub(r"[\\\"' ]", "", name) for names in (read.feature_names, read.label_names) for name in names or ()]
            for read in (ours, judged)
        ]
        if as_generated or bare[0] == bare[1]:
            return "liac-arff on quotes and blanks in names"
    if case.judge_name == "pandas" and "thousands" in case.options:
        close = [read._replace(X=None) for read in (ours, judged)]
        if same(*close) and ours.X.shape == judged.X.shape and np.allclose(ours.X, judged.X, 1e-15, 0, equal_nan=True):
            return "pandas rounds where thousands= is given"
    # Its C parser loses an empty first cell behind such a line: "a|b\n\r|1\n" has the row 1 and nothing.
    text = next(iter(case.files.values())).decode(case.options.get("encoding", "utf-8"), "replace")
    mixed = re.search("\n\r(?!\n)", text)
    if case.second is not None and mixed and same(ours, case.second(folder)):
        return "pandas on an empty line that ends in a carriage return alone"
    return ""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--files", type=int, default=100_000)
    options.add_argument("--start", type=int, default=0, help="number of the first file")
    options.add_argument("--show", default="DIFFERENT", help="a class of which files are printed")
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    folder = Path(tempfile.mkdtemp(prefix="mlreduce-differential-", dir=scratch()))
    try:
        for number in range(chosen.start, chosen.start + chosen.files):
            kind, result, shown = outcome(number, folder, chosen.show)
            counts[kind, result] += 1
            if result == chosen.show and counts[kind, result] <= 5:
                print(f"{number} {kind}: {result} {shown}", flush=True)
    finally:
        shutil.rmtree(folder)
    for (kind, result), count in sorted(counts.items()):
        print(f"{kind:12} {result:45} {count:8}")
    different = sum(count for (_, result), count in counts.items() if result == "DIFFERENT")
    print(f"{counts.total()} files, {different} unexplained differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
