"""Published files: downloaded once into a cache that checkouts share, or read from a mirror; never used unchecked."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

import pooch
import requests

from mlreduce.exceptions import FetchError
from mlreduce.files import file_sha256

__all__ = ["CACHE_VARIABLE", "MIRROR_VARIABLE", "FileEntry", "default_cache", "fetch", "mirror_folder"]

MIRROR_VARIABLE = "MLREDUCE_MIRROR"
CACHE_VARIABLE = "MLREDUCE_CACHE"

# Tries per address; pooch waits one second longer before each.
_RETRIES = 3
_TIMEOUT_SECONDS = 30


class FileEntry(NamedTuple):
    """One file of a data set.

    Attributes
    ----------
    folder, name : str
        The file is ``<folder>/<name>`` in the cache and in a mirror.
    addresses : tuple of str
        Where it is published, tried in this order; none for a file that its holder gives to users, who put it there.
    sha256 : str or None
        What it must be; None only for a file that is not published.
    local : path or None
        A user's own file: used where it is.
    """

    folder: str
    name: str
    addresses: tuple[str, ...] = ()
    sha256: str | None = None
    local: Path | None = None


def default_cache() -> Path:
    """Return the cache folder: MLREDUCE_CACHE, or the user's cache folder of the system."""
    return Path(os.environ.get(CACHE_VARIABLE) or pooch.os_cache("mlreduce"))


def _check(path: Path, sha256: str | None, advice: str) -> Path:
    if not path.is_file():
        raise FetchError(f"{path}: no such file; {advice}")
    if sha256 is not None and (found := file_sha256(path)) != sha256:
        raise FetchError(
            f"{path}: its SHA-256 is {found}, but the catalogue says {sha256}: damaged, or another version; {advice}"
        )
    return path


def mirror_folder(mirror: str | Path | None = None) -> Path | None:
    """Return the folder that stands for the network: the one given, else what MLREDUCE_MIRROR says, else none."""
    folder = mirror or os.environ.get(MIRROR_VARIABLE)
    return Path(folder) if folder else None


def fetch(entry: FileEntry, mirror: str | Path | None = None, cache: str | Path | None = None) -> Path:
    """Return the path of a file whose checksum has just been checked.

    A user's own file is used where it is. With a mirror the file is read from ``mirror/<folder>/<name>``. Else it
    comes from the cache, into which it is downloaded when it is missing or damaged: every address in turn, several
    tries each, to a temporary file that is moved into place only when its checksum is right.

    Parameters
    ----------
    entry : FileEntry
    mirror : path or None, default=None
        None looks at MLREDUCE_MIRROR too.
    cache : path or None, default=None
        None is `default_cache`.

    Raises
    ------
    FetchError
        If the file cannot be had or is not the one described; the sentence says which file, from where, and where
        to put it by hand.
    """
    if entry.local is not None:
        return _check(entry.local, entry.sha256, f"the datasets file names it for {entry.folder!r}")
    mirrored = mirror_folder(mirror)
    folder = (mirrored or Path(cache or default_cache())) / entry.folder
    if not entry.addresses:
        return _check(folder / entry.name, entry.sha256, "it is not published; docs/add-data.md says how to supply it")
    if mirrored:
        return _check(folder / entry.name, entry.sha256, f"it is published at {' or '.join(entry.addresses)}")
    failures = []
    for address in entry.addresses:
        files = pooch.create(
            path=folder,
            base_url="",
            registry={entry.name: f"sha256:{entry.sha256}"},
            urls={entry.name: address},
            retry_if_failed=_RETRIES,
        )
        downloader = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=_TIMEOUT_SECONDS)
        try:
            return Path(files.fetch(entry.name, downloader=downloader))
        except (requests.RequestException, OSError, ValueError) as error:
            failures.append(f"{address}: {_why(error)}")
    raise FetchError(
        f"{entry.folder}/{entry.name} could not be fetched from {'; '.join(failures)}. Put the file at "
        f"{folder / entry.name} by hand, or name a folder that holds {entry.folder}/{entry.name} with "
        f"--config mirror=FOLDER or {MIRROR_VARIABLE}"
    )


def _why(error: Exception) -> str:
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"HTTP status {error.response.status_code}"
    if isinstance(error, requests.Timeout):
        return f"no answer within {_TIMEOUT_SECONDS} s"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    if isinstance(error, PermissionError):
        return f"the cache folder cannot be written ({error})"
    if isinstance(error, ValueError):
        return "what came is not the published file (its SHA-256 differs)"
    return str(error)
