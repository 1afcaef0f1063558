"""Tables with nominal values, as readers of files make them, and what their cells mean."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import DataError

#: Numbers; Python's other notations of them, such as 1_000, are refused.
NUMBER = re.compile(r"[-+]?(?:(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?|nan)", re.IGNORECASE)
#: What R, pandas and spreadsheets write for a missing value, in lower case.
MISSING = {"", "?", "na", "n/a", "nan", "-nan", "null", "none", "<na>", "<null>", "#n/a", "#na"}
#: What means infinity, in lower case.
INFINITE = {"inf", "-inf", "+inf", "infinity", "-infinity", "+infinity"}
#: Key of the checksum in the metadata of the file.
PARQUET_KEY = b"mlreduce.crc32"
# What pandas calls a first column without a name when it reads and writes it again.
_INDEX = re.compile("Unnamed: [0-9]+")


class Attribute(NamedTuple):
    """A declared attribute."""

    name: str
    #: The values of a nominal attribute, each with its place in the list; None for a numeric attribute.
    places: dict[str, float] | None
    #: Whether the values were not declared but collected from the rows, as of strings and dates.
    text: bool = False


class Table(NamedTuple):
    """A file's attributes and rows: nominal values as positions in their lists, missing values as NaN."""

    attributes: list[Attribute]
    #: ndarray or csr_array of shape (n_rows, n_attributes), float64.
    values: Any
    #: The rest of the line @RELATION.
    relation: str = ""
    #: Of the rows; None if none has one.
    weights: NDArray[np.float64] | None = None
    #: Columns of lists of labels, by name: a table with a 0/1 column for every label. In ``values`` they are NaN.
    lists: Mapping[str, Any] = MappingProxyType({})
    #: Names of the labels, where the file declares them.
    outputs: Sequence[str] = ()


@contextmanager
def encoding_named(path: Path, encoding: str | None) -> Iterator[str]:
    """Give the encoding of a file, UTF-8 for None, and raise what decoding raises as a `DataError`."""
    try:
        yield encoding or "utf-8-sig"
    except UnicodeError as error:
        raise DataError(
            f"{path}: not {encoding or 'UTF-8'} text; name its encoding, as in encoding='latin-1'"
        ) from error
    except LookupError as error:
        raise DataError(f"{path}: encoding={encoding!r} is not the name of an encoding of text") from error


def is_missing_cell(text: str) -> bool:
    """Whether a cell is a missing value."""
    return text.strip().lower() in MISSING


def is_number_cell(text: str) -> bool:
    """Whether a cell is a number or a missing value."""
    text = text.strip().lower()
    return text in MISSING or text in INFINITE or NUMBER.fullmatch(text) is not None


def is_index_name(name: str) -> bool:
    """Whether a first column of this name is left out where it numbers the rows."""
    return not name or _INDEX.fullmatch(name) is not None


def table_checksum(table: Table) -> bytes:
    """Return the checksum of the names and values of a table, which does not depend on how its file is laid out."""
    crc = 0
    for place, attribute in enumerate(table.attributes):
        column = table.values[:, place]
        if attribute.places is not None:
            sums = np.array([zlib.crc32(text.encode()) for text in attribute.places], dtype=np.float64)
            column = np.where(np.isnan(column), np.nan, sums[np.nan_to_num(column).astype(np.int64)])
        crc = zlib.crc32(f"{attribute.name}\0".encode(), crc)
        crc = zlib.crc32(np.where(np.isnan(column), np.nan, column).tobytes(), crc)
    return f"{crc:08x}".encode()
