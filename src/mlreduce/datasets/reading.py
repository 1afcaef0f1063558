"""Files of multi-label data in any format that the library reads."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Literal, TypedDict, Unpack, cast, overload

import scipy.sparse as sp

from mlreduce.datasets.data import MultiLabelData
from mlreduce.exceptions import ConfigurationError, DataError, ProjectionWarning, check_known_name, warn
from mlreduce.guards import limited, opened, stem, uncompressed
from mlreduce.validation import check_memory, is_sparse

#: Formats with the suffixes of their files. That of .txt and other files follows from the first line.
FORMATS = {
    "arff": (".arff",),
    "mat": (".mat",),
    "table": (".csv", ".tsv", ".parquet", ".pq"),
    "svmlight": (".svmlight", ".svm", ".libsvm"),
    "xmc": (".xmc",),
    "npz": (".npz",),
    "openml": (),
}
_COLUMNS = ("drop", "keep_text", "categories", "ngrams", "label_values", "label_sep", "keep_identifiers")
#: Arguments of `read` that a format takes, in addition to ``name`` and ``max_bytes``.
TAKES = {
    "arff": ("labels", "n_labels", "encoding", "label_order", *_COLUMNS),
    "mat": ("labels", "n_labels", "variables", "labels_in"),
    "table": ("labels", "n_labels", "encoding", "sep", "decimal", "thousands", "header", *_COLUMNS[:-1]),
    "svmlight": ("n_features", "zero_based"),
    "xmc": ("labels",),
    "npz": (),
    "openml": ("labels", "n_labels", "version", *_COLUMNS),
}
_ARGUMENTS = tuple(dict.fromkeys(argument for arguments in TAKES.values() for argument in arguments))
# Formats of one file.
_SINGLE = ("table", "npz", "openml")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
# Bytes that are searched for the first line.
_HEAD = 4096


class _Options(TypedDict, total=False):
    n_labels: int | None
    format: str | None
    name: str | None
    encoding: str | None
    sep: str | None
    decimal: str | None
    thousands: str | None
    header: bool | None
    drop: Sequence[str] | None
    keep_text: Sequence[str] | None
    categories: Sequence[str] | None
    ngrams: Sequence[str] | None
    label_values: Sequence[str | float] | None
    label_sep: str | None
    keep_identifiers: bool | None
    label_order: str | None
    n_features: int | None
    zero_based: bool | str | None
    variables: Sequence[str] | None
    labels_in: str | None
    version: int | str | None
    max_bytes: int | None
    sparse_labels: bool | None


@overload
def read(
    path: str | Path | IO[Any] | Sequence[str | Path],
    labels: str | Path | int | Mapping[str, int] | Sequence[str] | None = ...,
    *,
    as_frame: Literal[False] = ...,
    return_X_y: Literal[False] = ...,
    **options: Unpack[_Options],
) -> MultiLabelData: ...


@overload
def read(
    path: str | Path | IO[Any] | Sequence[str | Path],
    labels: str | Path | int | Mapping[str, int] | Sequence[str] | None = ...,
    *,
    as_frame: bool = ...,
    return_X_y: bool = ...,
    **options: Unpack[_Options],
) -> Any: ...


def read(
    path: str | Path | IO[Any] | Sequence[str | Path],
    labels: str | Path | int | Mapping[str, int] | Sequence[str] | None = None,
    *,
    n_labels: int | None = None,
    format: str | None = None,
    name: str | None = None,
    encoding: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | None = None,
    drop: Sequence[str] | None = None,
    keep_text: Sequence[str] | None = None,
    categories: Sequence[str] | None = None,
    ngrams: Sequence[str] | None = None,
    label_values: Sequence[str | float] | None = None,
    label_sep: str | None = None,
    keep_identifiers: bool | None = None,
    label_order: str | None = None,
    n_features: int | None = None,
    zero_based: bool | str | None = None,
    variables: Sequence[str] | None = None,
    labels_in: str | None = None,
    version: int | str | None = None,
    max_bytes: int | None = None,
    sparse_labels: bool | None = None,
    as_frame: bool = False,
    return_X_y: bool = False,
) -> MultiLabelData | tuple[Any, Any]:
    r"""Read multi-label data from files, in the format of their suffix or contents.

    ========== ================================ ============================================================
    format     files                            labels
    ========== ================================ ============================================================
    arff       Weka's .arff, dense or sparse    an XML file next to it, Meka's ``-C n``, or ``labels``
    table      .csv, .tsv, .parquet             a second table, or columns of the one: ``labels``
    mat        MATLAB 5 to 7                    ``target`` with ``data``, ``Y`` with ``X`` and the like
    svmlight   rows ``1,5 3:2 17:1``            in the row; features are numbered from 1
    xmc        the same after a line ``n d L``  in the row; labels and features are numbered from 0
    npz        from `MultiLabelData.save`, or X in the file: Y
               and Y from ``numpy.savez``
    openml     none: ``path`` is OpenML's name  OpenML's default targets, or ``labels``
    ========== ================================ ============================================================

    Parameters
    ----------
    path : path, open file or sequence of paths
        The file; or parts of one data set, stacked in this order (not of tables). For OpenML the name. An open file or
        buffer without a name may need ``format``.
    labels : path, int, dict, sequence of str or None, default=None
        Which attributes or columns are labels: ``{"first": n}`` or ``{"last": n}``; n for the last; "first" or "last"
        with ``n_labels``; their names; for ARFF also Mulan's XML file, for tables and xmc the file of labels. A column
        of lists in Parquet is one of labels, by name or number. None: what the file declares; for ARFF an XML file of
        the same name, or else KEEL's or Meka's declaration.
    n_labels : int or None, default=None
        How many are labels, where ``labels`` is "first" or "last".
    format : {"arff", "table", "mat", "svmlight", "xmc", "npz", "openml"} or None, default=None
        None goes by the suffix, of other files by the first line.
    name : str or None, default=None
        Name of the data set; None takes the file's, without suffix.
    encoding : str or None, default=None
        Of ARFF and CSV, as "latin-1"; None is UTF-8.
    sep : str or None, default=None
        Of CSV, what separates cells; None is a comma, a tab in .tsv files.
    decimal : {".", ","} or None, default=None
        Of CSV, what separates decimals; None is ".".
    thousands : str or None, default=None
        Of CSV, what separates groups of three digits, as "." in 1.200; None is nothing.
    header : bool or None, default=None
        Of CSV, whether the first line has the names of the columns; False numbers them from 1. None is True, but a
        first line of numbers alone is refused unless ``labels`` are names in it.
    drop, keep_text, categories, ngrams : sequence of str or None, default=None
        Names of attributes or columns of ARFF files, tables and OpenML: to leave out; to keep as text, in
        ``data.texts``; texts to make 0/1 columns of, one for each value; texts to count the runs of one to three
        characters of, hashed into 1,024 columns. Columns of text are refused otherwise, but for no/yes and false/true.
        Labels that are counted are counted without those left out.
    label_values : sequence of two or None, default=None
        Of the same files, the value of a label that means 0 and the one that means 1, as ``["absent", "present"]``.
        None takes 0/1, -1/1, no/yes, false/true, and of two values listed in ARFF the second as 1.
    label_sep : str or None, default=None
        Of the same files, what separates the labels in a cell, as ";" in a;b; "<>" reads <a><b>, and "[]" the lists
        ['a', 'b'] of Python and JSON. The labels are the names that occur; an empty cell has none.
    keep_identifiers : bool or None, default=None
        Of ARFF and OpenML, keep nominal attributes whose value differs in each of more than ten rows; None does not.
    label_order : {"file", "list"} or None, default=None
        Of ARFF with an XML file: labels in the order of the attributes, as Mulan takes them, or of the XML file. None
        is "file".
    n_features : int or None, default=None
        Of svmlight files, the number of features; None takes the largest that a row has.
    zero_based : bool, "auto" or None, default=None
        Of svmlight files, whether features are numbered from 0. "auto", and None, take it so where a row has a feature
        0 or a comment declares it.
    variables : sequence of str or None, default=None
        Of MATLAB files, names of features and labels, perhaps of several parts: ``("X", "Y", "Xt", "Yt")``; or one
        name, of a matrix that ``labels`` divides.
    labels_in : {"rows", "columns"} or None, default=None
        Of MATLAB files, where a label is; None goes by the number of instances.
    version : int or "active" or None, default=None
        OpenML only; None is "active".
    max_bytes : int or None, default=None
        Bytes of arrays that a file may make; None allows 256 MB, and of a large file a hundred times its size.
    sparse_labels : bool or None, default=None
        Whether Y is a CSR array; None where there are more than 2**25 cells, most of them 0.
    as_frame : bool, default=False
        Return features and labels, as DataFrames with their names.
    return_X_y : bool, default=False
        Return features and labels only.

    Returns
    -------
    MultiLabelData
        With ``X``, ``Y``, ``feature_names``, ``label_names`` and ``describe()``; or a pair of X and Y. X is sparse
        where the file is.

    Raises
    ------
    DataError
        If a file is damaged or not as its format is, no labels are declared, or arrays would be out of
        proportion to the file; the message names file, line where there are lines, and a remedy.
    ConfigurationError
        If the format is unknown, or takes no such argument.
    FetchError
        If OpenML cannot be reached.

    Examples
    --------
    >>> import mlreduce, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "songs.csv")
    >>> _ = path.write_text("tempo,loudness,calm,happy\n90,0.2,1,0\n140,0.8,0,1\n120,0.5,1,1\n")
    >>> mlreduce.read(path, labels=["calm", "happy"])
    MultiLabelData('songs': 3 instances, 2 dense features, 2 labels, cardinality 1.333)
    >>> import io
    >>> tags = io.StringIO("tempo,tags\n90,calm;slow\n140,happy\n")
    >>> mlreduce.read(tags, labels=["tags"], label_sep=";", format="table").label_names
    ['calm', 'happy', 'slow']
    """
    arguments = locals()
    data = _read_buffer(arguments) if hasattr(path, "read") else _read_paths(path, arguments)
    for note in data.notes:
        warn(note, ProjectionWarning)
    if as_frame:
        return data.as_frame()
    return (data.X, data.Y) if return_X_y else data


def _read_buffer(arguments: Mapping[str, Any]) -> MultiLabelData:
    """Read an open file from a copy on the disk: readers go through a file several times."""
    buffer = arguments["path"]
    content = buffer.read()
    if isinstance(content, str):
        content = content.encode(arguments["encoding"] or "utf-8")
    name = Path(str(getattr(buffer, "name", "data"))).name
    if arguments["format"] == "table" and not Path(name).suffix:
        name += ".csv"
    with TemporaryDirectory() as folder:
        copy, shown = Path(folder, name), f"{folder}{os.sep}"
        copy.write_bytes(content)
        try:
            data = _read_paths(copy, arguments)
        except DataError as error:
            raise DataError(str(error).replace(shown, "")) from error
    return replace(data, notes=[note.replace(shown, "") for note in data.notes])


def _read_paths(path: str | Path | Sequence[str | Path], arguments: Mapping[str, Any]) -> MultiLabelData:
    """Read files by the arguments of `read`."""
    paths, labels, kind = (
        [path] if isinstance(path, (str, Path)) else list(path),
        arguments["labels"],
        arguments["format"],
    )
    if not paths:
        raise ConfigurationError("path names no file")
    if any("\0" in str(each) for each in (*paths, labels)):
        raise ConfigurationError("path, or labels, holds a NUL character, which no name of a file has")
    if address := next((str(each) for each in (*paths, labels) if _ADDRESS.match(str(each))), None):
        copy = address.rsplit("/", 1)[-1]
        how = f", as by urllib.request.urlretrieve({address!r}, {copy!r})" if address.startswith("http") else ""
        raise DataError(
            f"{address}: is an address, and files are read from disk; download it first{how}, and read the copy"
        )
    with limited(arguments["max_bytes"]):
        kind = _format(Path(paths[0])) if kind is None else kind
        check_known_name("format", kind, FORMATS)
        if kind in _SINGLE and len(paths) > 1:
            raise ConfigurationError(f"{paths[0]}: of the format {kind} one file is read; stack the parts before")
        options = {name: arguments[name] for name in _ARGUMENTS if arguments[name] is not None}
        for argument, value in options.items():
            if argument not in TAKES[kind]:
                raise ConfigurationError(f"{paths[0]}: the format {kind} takes no {argument}; got {value!r}")
        if kind == "arff" and labels is None and Path(paths[0]).is_file():
            xml = uncompressed(paths[0]).with_suffix(".xml")
            options |= {"labels": xml} if xml.is_file() else {}
        data, _ = read_files(kind, paths, options, arguments["name"] or "")
        return keep_labels(data, arguments["sparse_labels"])


def keep_labels(data: MultiLabelData, sparse: bool | None) -> MultiLabelData:
    """Return a data set whose labels are a CSR array or not; None leaves them."""
    if sparse is None or sparse == is_sparse(data.Y):
        return data
    if sparse and data.has_unknown_labels:
        raise DataError(f"{data.name}: some labels are unknown (NaN), which a sparse matrix does not keep")
    if sparse:
        return replace(data, Y=sp.csr_array(data.Y))
    check_memory(data.Y.shape[0] * data.Y.shape[1], f"a dense matrix of the labels of {data.name}", "keep them sparse")
    return replace(data, Y=data.Y.toarray())


def read_files(
    kind: str, paths: Sequence[str | Path], options: Mapping[str, Any], name: str = ""
) -> tuple[MultiLabelData, int]:
    """Read files of a format by the ``options`` of `read` that it takes, none of them None.

    Also return the number of features as published, identifiers included. The name "" takes the file's.
    """
    # Readers are imported when used.
    from mlreduce.datasets.readers.columns import counted_labels

    others = {argument: value for argument, value in options.items() if argument not in ("labels", "n_labels")}
    labels = counted_labels(options.get("labels"), options.get("n_labels"), paths[0])
    if kind == "arff":
        from mlreduce.datasets.readers.arff import read_arff

        return read_arff(paths, labels, name, **others)
    if isinstance(labels, int):
        labels = {"last": labels}
    if kind == "table":
        from mlreduce.datasets.readers.tables import read_tables

        if labels is None:
            with opened(paths[0]):  # which refuses a file that is not there
                raise DataError(
                    f"{paths[0]}: no columns are declared as labels; give their names, how many are the last "
                    '(labels={"last": 6}), or the table of labels'
                )
        data = read_tables(paths[0], labels, name, **others)
    elif kind == "mat":
        from mlreduce.datasets.readers.matlab import read_mat

        data = read_mat(paths, name, labels, **others)
    elif kind == "svmlight":
        from mlreduce.datasets.readers.svmlight import read_svmlight

        data = read_svmlight(paths, name=name, **others)
    elif kind == "xmc":
        from mlreduce.datasets.readers.svmlight import read_xmc

        data = read_xmc(paths, name, cast(Any, labels))
    elif kind == "openml":
        from mlreduce.datasets.readers.openml import read_openml

        data = read_openml(str(paths[0]), cast(Any, labels), **others)
    else:
        data = MultiLabelData.load(paths[0])
        data = replace(data, name=name) if name else data
    return data, data.X.shape[1]


def _format(path: Path) -> str:
    """Return the format of a file by its suffix, of others by the first line."""
    suffix = uncompressed(path).suffix.lower()
    for kind, suffixes in FORMATS.items():
        if suffix in suffixes:
            return kind
    from mlreduce.datasets.readers.svmlight import XMC_HEADER, XMC_SHAPE, is_row  # imports scikit-learn

    with opened(path) as file:
        head = file.read(_HEAD)
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]
    first = lines[0] if lines else b""
    if head.startswith(b"MATLAB"):
        return "mat"
    if head.startswith(b"PAR1"):
        return "table"
    if first.lstrip().startswith(b"%") or first.lstrip().lower().startswith(b"@relation"):
        return "arff"
    if XMC_HEADER.fullmatch(first) or (XMC_SHAPE.fullmatch(first) and b":" in b"".join(lines[1:])):
        return "xmc"
    if first.lstrip().startswith((b"{", b"[")):
        raise DataError(
            f"{path}: is JSON; pandas.read_json({path.name!r}, lines={first.lstrip().startswith(b'{')})"
            f".to_parquet({stem(path) + '.parquet'!r}) writes a table, whose column of lists may be the labels"
        )
    # A line that is cut off here is no row.
    if len(lines) > 1 and is_row(first) and b":" in b"".join(lines[:-1]):
        return "svmlight"
    raise DataError(
        f"{path}: neither its suffix nor its first line shows its format; give format=, one of {', '.join(FORMATS)}"
    )
