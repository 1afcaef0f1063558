"""Errors shown to users as one sentence."""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Iterable
from pathlib import Path

__all__ = [
    "ConfigurationError",
    "DataError",
    "FetchError",
    "MLReduceError",
    "MissingPackageError",
    "ProjectionWarning",
    "StorageError",
    "broken_module",
    "unknown_name",
]


class MLReduceError(ValueError):
    """Base of all errors that are shown to a user as one sentence, without a traceback."""


class DataError(MLReduceError):
    """A data file or an array is not what its description, or a method, needs."""


class FetchError(MLReduceError):
    """A published file is not available, or is not the file that the catalogue describes."""


class StorageError(MLReduceError):
    """A file could not be written: full disk, read-only or missing folder."""


class ConfigurationError(MLReduceError):
    """A configuration names something unknown or impossible."""


class MissingPackageError(MLReduceError, ImportError):
    """A package that only some uses need is not installed; the sentence names the extra that brings it."""


class ProjectionWarning(UserWarning):
    """A projection is usable but deviates from what was requested."""


def broken_module(error: ImportError | SyntaxError, path: str | Path) -> str:
    """Return a sentence about a Python file that cannot be parsed or imported.

    Parameters
    ----------
    error : ImportError or SyntaxError
    path : path
        The file.
    """
    if isinstance(error, SyntaxError):
        file, line = error.filename if error.filename not in (None, "<unknown>") else path, error.lineno
        return f"{file}, line {line}: {type(error).__name__}: {error.msg}"
    own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{path}{f', line {own[-1]}' if own else ''}: {type(error).__name__}: {error}"


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
        File and key where the name stands; put in front of the sentence.
    """
    names = sorted(known)
    nearest = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f"did you mean {nearest[0]!r}?" if nearest else f"known: {', '.join(names)}."
    prefix = f"{where}: " if where else ""
    return f"{prefix}unknown {kind} {str(name)!r}; {hint}"
