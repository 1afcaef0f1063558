"""Files of multi-label data in any format that the library reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, overload

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.guards import opened
from mlreduce.datasets.readers.arff import Labels, counted_labels
from mlreduce.exceptions import ConfigurationError, DataError, unknown_name

__all__ = ["FORMATS", "read"]

#: Formats with the suffixes of their files. What is called .txt, or otherwise, is told by its first line.
FORMATS = {
    "arff": (".arff",),
    "mat": (".mat",),
    "table": (".csv", ".tsv", ".parquet", ".pq"),
    "svmlight": (".svmlight", ".svm", ".libsvm"),
    "xmc": (".xmc",),
    "npz": (".npz",),
    "openml": (),
}
#: Arguments of `read` that a format takes.
_TAKES = {
    "arff": ("labels", "n_labels", "keep_identifiers"),
    "mat": ("labels", "n_labels"),
    "table": ("labels", "n_labels"),
    "svmlight": ("n_features",),
    "openml": ("labels", "n_labels", "version"),
}
_SINGLE = ("table", "npz", "openml")
# Bytes in which the first line is looked for.
_HEAD = 4096


@overload
def read(
    path: str | Path | Sequence[str | Path],
    labels: Labels = ...,
    *,
    n_labels: int | None = ...,
    format: str | None = ...,
    name: str | None = ...,
    n_features: int | None = ...,
    keep_identifiers: bool | None = ...,
    version: int | str | None = ...,
    as_frame: Literal[False] = ...,
    return_X_y: Literal[False] = ...,
) -> MultiLabelData: ...


@overload
def read(
    path: str | Path | Sequence[str | Path],
    labels: Labels = ...,
    *,
    n_labels: int | None = ...,
    format: str | None = ...,
    name: str | None = ...,
    n_features: int | None = ...,
    keep_identifiers: bool | None = ...,
    version: int | str | None = ...,
    as_frame: bool = ...,
    return_X_y: bool = ...,
) -> Any: ...


def read(
    path: str | Path | Sequence[str | Path],
    labels: Labels = None,
    *,
    n_labels: int | None = None,
    format: str | None = None,
    name: str | None = None,
    n_features: int | None = None,
    keep_identifiers: bool | None = None,
    version: int | str | None = None,
    as_frame: bool = False,
    return_X_y: bool = False,
) -> MultiLabelData | tuple[Any, Any]:
    r"""Read multi-label data from files, in the format that suffix or contents tell.

    ========== ================================ ============================================================
    format     files                            labels
    ========== ================================ ============================================================
    arff       Weka's .arff, dense or sparse    Mulan's XML file beside it, Meka's ``-C n``, or ``labels``
    table      .csv, .tsv, .parquet             a second table, or columns of the one: ``labels``
    mat        MATLAB 5 to 7                    ``target`` beside ``data``, ``Y`` beside ``X`` and the like
    svmlight   rows ``1,5 3:2 17:1``            in the row; features are numbered from 1
    xmc        the same after a line ``n d L``  in the row; labels and features are numbered from 0
    npz        from `MultiLabelData.save`       in the file
    openml     none: ``path`` is OpenML's name  OpenML's default targets, or ``labels``
    ========== ================================ ============================================================

    Parameters
    ----------
    path : path or sequence of paths
        The file; or parts of one data set, stacked in this order (not of tables). For OpenML the name.
    labels : path, int, dict, sequence of str or None, default=None
        Which attributes or columns are labels: ``{"first": n}`` or ``{"last": n}``; n for the last; "first" or "last"
        with ``n_labels``; their names; for ARFF also Mulan's XML file, for tables the table of labels. None: what the
        file says; for ARFF an XML file of the same name beside it, or else Meka's option.
    n_labels : int or None, default=None
        How many are labels, where ``labels`` is "first" or "last".
    format : {"arff", "table", "mat", "svmlight", "xmc", "npz", "openml"} or None, default=None
        None goes by the suffix, of other files by the first line.
    name : str or None, default=None
        Name of the data set; None takes the file's, without suffix.
    n_features : int or None, default=None
        Of svmlight files, the number of features; None takes the largest that a row has.
    keep_identifiers : bool or None, default=None
        ARFF only: keep nominal attributes whose value differs in every row; None does not.
    version : int or "active" or None, default=None
        OpenML only; None is "active".
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
        If a file is damaged or not as its format is, nothing says which are labels, or arrays would be out of
        proportion to the file; the sentence names file, line where there are lines, and a remedy.
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
    """
    paths = [path] if isinstance(path, (str, Path)) else list(path)
    if not paths:
        raise ConfigurationError("path names no file")
    kind = _format(Path(paths[0])) if format is None else format
    if kind not in FORMATS:
        raise ConfigurationError(unknown_name("format", kind, FORMATS))
    if kind in _SINGLE and len(paths) > 1:
        raise ConfigurationError(f"{paths[0]}: of the format {kind} one file is read; stack the parts before")
    given = {
        "labels": labels,
        "n_labels": n_labels,
        "n_features": n_features,
        "keep_identifiers": keep_identifiers,
        "version": version,
    }
    for argument, value in given.items():
        if value is not None and argument not in _TAKES.get(kind, ()):
            raise ConfigurationError(f"{paths[0]}: the format {kind} takes no {argument}; got {value!r}")
    data = _read(kind, paths, given, name or "")
    if as_frame:
        return data.as_frame()
    return (data.X, data.Y) if return_X_y else data


def _read(kind: str, paths: Sequence[str | Path], given: dict[str, Any], name: str) -> MultiLabelData:
    # Readers are imported when used.
    labels = given["labels"]
    if kind == "arff":
        from mlreduce.datasets.readers.arff import read_arff

        beside = Path(paths[0]).with_suffix(".xml")
        if labels is None and beside.is_file():
            labels = beside
        return read_arff(paths, labels, name, bool(given["keep_identifiers"]), n_labels=given["n_labels"])[0]
    labels = counted_labels(labels, given["n_labels"], paths[0])
    if isinstance(labels, int):
        labels = {"last": labels}
    if kind == "table":
        from mlreduce.datasets.readers.tables import read_tables

        if labels is None:
            raise DataError(
                f"{paths[0]}: nothing says which columns are labels; give their names, how many are the last "
                '(labels={"last": 6}), or the table of labels'
            )
        return read_tables(paths[0], labels, name)
    if kind == "mat":
        from mlreduce.datasets.readers.matlab import read_mat

        return read_mat(paths, name, labels)
    if kind == "svmlight":
        from mlreduce.datasets.readers.svmlight import read_svmlight

        return read_svmlight(paths, given["n_features"], name)
    if kind == "xmc":
        from mlreduce.datasets.readers.svmlight import read_xmc

        return read_xmc(paths, name)
    if kind == "openml":
        from mlreduce.datasets.readers.openml import read_openml

        return read_openml(str(paths[0]), labels, given["version"] or "active")
    return MultiLabelData.load(paths[0])


def _format(path: Path) -> str:
    """Return the format of a file by its suffix, of others by the first line."""
    by_suffix = next((kind for kind, suffixes in FORMATS.items() if path.suffix.lower() in suffixes), None)
    if by_suffix:
        return by_suffix
    from mlreduce.datasets.readers.svmlight import XMC_HEADER, is_row  # imports scikit-learn

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
    if XMC_HEADER.fullmatch(first):
        return "xmc"
    # A line that is cut off here is no row.
    if len(lines) > 1 and is_row(first) and b":" in b"".join(lines[:-1]):
        return "svmlight"
    raise DataError(
        f"{path}: neither its suffix nor its first line tells its format; say format=, one of {', '.join(FORMATS)}"
    )
