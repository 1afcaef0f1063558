"""Errors shown to users as one sentence."""

from __future__ import annotations

import difflib
import sys
import traceback
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "ConfigurationError",
    "DataError",
    "DegenerateWarning",
    "FetchError",
    "MLReduceError",
    "MissingPackageError",
    "OutOfMemoryError",
    "ProjectionWarning",
    "StorageError",
    "broken_module",
    "from_extra",
    "install_line",
    "nearest",
    "unknown_name",
    "warn",
]


# Packages whose frames are not the caller's.
_NOT_THE_CALLER = ("mlreduce", "sklearn", "numba")


class MLReduceError(ValueError):
    """Base of all errors that are shown to a user as one sentence, without a traceback.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.exceptions import MLReduceError
    >>> try:
    ...     mlreduce.PCA(n_components=0).fit([[0.0, 1.0], [2.0, 0.0]])
    ... except MLReduceError as error:
    ...     print(error)
    n_components must be between 1 and 2, the number of features; got 0
    """


class DataError(MLReduceError):
    """A data file or an array is not what its description, or a method, needs.

    Examples
    --------
    >>> import mlreduce
    >>> mlreduce.PCA().fit([[0.0, float("nan")]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    mlreduce.exceptions.DataError: X contains NaN in column 1, row 0, ...: impute or drop them first ...
    """


class OutOfMemoryError(DataError, MemoryError):
    """The memory ran out in a comparison or a command; it is a ``MemoryError`` too.

    Examples
    --------
    >>> from mlreduce.exceptions import DataError, OutOfMemoryError
    >>> issubclass(OutOfMemoryError, MemoryError), issubclass(OutOfMemoryError, DataError)
    (True, True)
    """


class FetchError(MLReduceError):
    """A published file is not available, or is not the file that the catalogue describes.

    Examples
    --------
    >>> import mlreduce
    >>> mlreduce.load_dataset("yeast", mirror="no-such-folder")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    mlreduce.exceptions.FetchError: no-such-folder/yeast/yeast.arff: no such file; it is published at ...
    """


class StorageError(MLReduceError):
    """A file could not be written: full disk, read-only or missing folder.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from mlreduce.files import replacing
    >>> file = pathlib.Path(tempfile.mkdtemp(), "notes.txt")
    >>> _ = file.write_text("not a folder")
    >>> with replacing(file / "scores.csv"):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
        ...
    mlreduce.exceptions.StorageError: ...scores.csv could not be written: ...
    """


class ConfigurationError(MLReduceError):
    """A configuration names something unknown or impossible.

    Examples
    --------
    >>> import mlreduce
    >>> mlreduce.make("cplts")
    Traceback (most recent call last):
        ...
    mlreduce.exceptions.ConfigurationError: unknown method 'cplts'; did you mean 'cplst'?
    """


class MissingPackageError(MLReduceError, ImportError):
    """A package that only some uses need is not installed; the sentence names the extra that brings it.

    Examples
    --------
    >>> from mlreduce.exceptions import from_extra
    >>> with from_extra("plot", "figures"):
    ...     import gone
    Traceback (most recent call last):
        ...
    mlreduce.exceptions.MissingPackageError: figures need gone, which is not installed: pip install 'mlreduce[plot]'
    """


class ProjectionWarning(UserWarning):
    """A projection is usable but deviates from what was requested.

    Examples
    --------
    >>> import mlreduce, warnings
    >>> data = mlreduce.load_dataset("planted-300")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = mlreduce.PLS(n_components=20).fit(data.X, data.Y)
    >>> print(caught[0].message)
    PLS has 9 positive eigenvalues: n_components_ is 9, not 20
    """


class DegenerateWarning(UserWarning):
    """A fit used little of the data; the message names what was left out and what to do.

    Examples
    --------
    >>> import mlreduce, warnings
    >>> data = mlreduce.load_dataset("planted-300")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     method = mlreduce.PPTChi2().fit(data.X, data.Y)
    >>> print(caught[0].message)  # doctest: +NORMALIZE_WHITESPACE
    PPTChi2 leaves out 207 of 300 instances, whose label sets occur less often than min_count=6; a smaller min_count
    keeps more of them
    >>> method.n_pruned_
    207
    """


@contextmanager
def from_extra(extra: str, use: str) -> Iterator[None]:
    """Import packages of an extra, in a ``with`` block; if one is missing, name the extra to install.

    Parameters
    ----------
    extra : {"data", "plot", "completion", "workflow", "onnx"}
        Which extra has the packages that the block imports.
    use : str
        What needs them, in the plural: "downloads".

    Yields
    ------
    None

    Raises
    ------
    MissingPackageError
        If a package is not installed.

    Examples
    --------
    >>> from mlreduce.exceptions import from_extra
    >>> with from_extra("data", "data sets"):
    ...     import requests
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = str(error.name).partition(".")[0]
        raise MissingPackageError(f"{use} need {name}, which is not installed: {install_line(extra)}") from error


def install_line(extra: str) -> str:
    """Return the command that adds an extra to the installed package, for which no index needs to have mlreduce.

    Parameters
    ----------
    extra : {"data", "plot", "completion", "workflow", "onnx"}
        Which extra.

    Returns
    -------
    str
        A command of a shell.

    Examples
    --------
    >>> from mlreduce.exceptions import install_line
    >>> install_line("plot")
    "pip install 'mlreduce[plot]'"
    """
    return f"pip install 'mlreduce[{extra}]'"


def broken_module(error: ImportError | SyntaxError, path: str | Path) -> str:
    """Return a sentence about a Python file that cannot be parsed or imported.

    Parameters
    ----------
    error : ImportError or SyntaxError
        What the import raised.
    path : path
        The file.

    Returns
    -------
    str
        The file, the line where it is known, and what is wrong there.

    Examples
    --------
    >>> from mlreduce.exceptions import broken_module
    >>> broken_module(ImportError("No module named 'torch'"), "mine.py")
    "mine.py: ImportError: No module named 'torch'"
    """
    if isinstance(error, SyntaxError):
        file, line = error.filename if error.filename not in (None, "<unknown>") else path, error.lineno
        return f"{file}, line {line}: {type(error).__name__}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{path}{f', line {lines[-1]}' if lines else ''}: {type(error).__name__}: {error}"


def unknown_name(kind: str, name: object, known: Iterable[str], where: str = "") -> str:
    """Return a message about an unknown name, with the nearest known one.

    Parameters
    ----------
    kind : str
        What is named: "method", "data set", "measure", "key".
    name : object
        The name as given.
    known : iterable of str
        All names that would be right.
    where : str, default=""
        File and key of the name; put in front of the sentence.

    Returns
    -------
    str
        One sentence.

    Examples
    --------
    >>> from mlreduce.exceptions import unknown_name
    >>> unknown_name("method", "mvdm", ["mvmd", "pca"])
    "unknown method 'mvdm'; did you mean 'mvmd'?"
    """
    names = sorted(known)
    hint = nearest(name, names) or f"; known: {', '.join(names)}."
    prefix = f"{where}: " if where else ""
    return f"{prefix}unknown {kind} {str(name)!r}{hint}"


def check_known_name(
    kind: str, name: object, known: Collection[str], where: str = "", error: type[Exception] = ConfigurationError
) -> None:
    """Raise an error with the sentence of `unknown_name` if a name is not among the known ones."""
    if name not in known:
        raise error(unknown_name(kind, name, known, where))


def nearest(name: object, known: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" for the known name nearest to another, or nothing if none is near.

    Parameters
    ----------
    name : object
        The name as given.
    known : iterable of str
        All names that would be right.

    Returns
    -------
    str
        The end of a sentence.

    Examples
    --------
    >>> from mlreduce.exceptions import nearest
    >>> nearest("mvdm", ["mvmd", "pca"])
    "; did you mean 'mvmd'?"
    """
    lower = {other.lower(): other for other in sorted(known)}
    matches = difflib.get_close_matches(str(name).lower(), lower, n=1, cutoff=0.5)
    return f"; did you mean {lower[matches[0]]!r}?" if matches else ""


def warn(message: str | Warning, category: type[Warning]) -> None:
    """Warn at the line that called the library, through whichever of its functions, and scikit-learn's around them.

    Parameters
    ----------
    message : str or Warning
        One sentence.
    category : type of Warning
        Such as `ProjectionWarning`.

    Examples
    --------
    >>> import warnings
    >>> from mlreduce.exceptions import ProjectionWarning, warn
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("fewer directions than requested", ProjectionWarning)
    >>> caught[0].category.__name__
    'ProjectionWarning'
    """
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_THE_CALLER:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth)
