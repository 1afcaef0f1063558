"""Published files: downloaded into a shared cache or read from a mirror, with checksums."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs
import requests
import urllib3
from tqdm import tqdm

from mlreduce.datasets.files import file_sha256, locked, replacing
from mlreduce.exceptions import FetchError, StorageError

__all__ = ["CACHE_VARIABLE", "MIRROR_VARIABLE", "FileEntry", "copy", "default_cache", "fetch", "mirror_folder"]

MIRROR_VARIABLE = "MLREDUCE_MIRROR"
CACHE_VARIABLE = "MLREDUCE_CACHE"

# Tries per address, and the increase of the wait between them.
_TRIES = 4
_WAIT_SECONDS = 1.0
# Limits on the silence of a server, its mean rate after a minute, and the size of a file, so that every download
# ends.
_SILENCE_SECONDS = 30.0
_GRACE_SECONDS = 60.0
_SLOWEST = 1000  # bytes a second
_LARGEST = 2**32  # bytes
# Status codes of 4xx after which a request is repeated.
_HOPEFUL = (408, 425, 429)


class FileEntry(NamedTuple):
    """One file of a data set.

    Attributes
    ----------
    folder, name : str
        The file is ``<folder>/<name>`` in the cache and in a mirror.
    addresses : tuple of str
        Addresses, tried in this order; none for a file that its holder gives to users, who put it there.
    sha256 : str or None
        Expected checksum; None only for a file that is not published.
    local : path or None
        A user's own file: used where it is.
    """

    folder: str
    name: str
    addresses: tuple[str, ...] = ()
    sha256: str | None = None
    local: Path | None = None

    def pinned(self) -> FileEntry:
        """Return the entry of a user's own file with the checksum that it has now; other entries as they are."""
        if self.local is None or not self.local.is_file():
            return self
        return self._replace(sha256=file_sha256(self.local))

    @classmethod
    def of(cls, addresses: Iterable[str] = (), local: str | None = None, **others: Any) -> FileEntry:
        """Return the entry whose fields were written as JSON."""
        return cls(**others, addresses=tuple(addresses), local=Path(local) if local else None)


def default_cache() -> Path:
    """Return the cache folder: MLREDUCE_CACHE, or the user's cache folder of the system."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("mlreduce"))


def _check(path: Path, sha256: str | None, advice: str) -> Path:
    if not path.is_file():
        raise FetchError(f"{path}: no such file; {advice}")
    if sha256 is not None and (found := file_sha256(path)) != sha256:
        raise FetchError(
            f"{path}: its SHA-256 is {found}, but the catalogue says {sha256}: damaged, or another version; {advice}"
        )
    return path


def mirror_folder(mirror: str | Path | None = None) -> Path | None:
    """Return the mirror folder: the one given, else MLREDUCE_MIRROR, else None."""
    folder = mirror or os.environ.get(MIRROR_VARIABLE)
    return Path(folder) if folder else None


def fetch(entry: FileEntry, mirror: str | Path | None = None, cache: str | Path | None = None) -> Path:
    """Return the path of a file after checking its checksum.

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
        If the file cannot be had or is not the one described; the message says which file, from where, and where
        to put it by hand.
    """
    if entry.local is not None:
        if entry.sha256 is not None and entry.local.is_file() and file_sha256(entry.local) != entry.sha256:
            raise FetchError(f"{entry.local}: it changed since this run began; run again to use what it is now")
        return _check(entry.local, None, f"the datasets file names it for {entry.folder!r}")
    mirrored = mirror_folder(mirror)
    place = (mirrored or Path(cache or default_cache())) / entry.folder / entry.name
    if not entry.addresses:
        return _check(place, entry.sha256, "it is not published; docs/add-data.md says how to supply it")
    if mirrored:
        return _check(place, entry.sha256, f"it is published at {' or '.join(entry.addresses)}")
    if not _is_right(place, entry):
        _into_cache(entry, place)
    return place


def copy(
    entry: FileEntry, place: str | Path, mirror: str | Path | None = None, cache: str | Path | None = None
) -> None:
    """Fetch a file and copy it, checking the checksum of the copy.

    Parameters
    ----------
    entry, mirror, cache
        As for `fetch`.
    place : path

    Raises
    ------
    FetchError
        As `fetch`; or if the file is gone before it is copied, or changes.
    """
    source = fetch(entry, mirror, cache)
    with replacing(place) as partial:
        try:
            shutil.copyfile(source, partial)
        except FileNotFoundError as error:
            if source.is_file():
                raise
            raise FetchError(f"{source}: it disappeared; is its folder being cleared? Run again") from error
        if entry.sha256 is not None and file_sha256(partial) != entry.sha256:
            raise FetchError(f"{source}: it changed while it was copied; run again")


def _is_right(place: Path, entry: FileEntry) -> bool:
    return place.is_file() and file_sha256(place) == entry.sha256


def _into_cache(entry: FileEntry, place: Path) -> None:
    """Download a file into the cache, once for concurrent processes."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place.with_name(f".{place.name}.lock")):
            if not _is_right(place, entry):
                _download_from_any(entry, place)
    except (OSError, StorageError) as error:
        raise FetchError(
            f"{entry.folder}/{entry.name} cannot be kept in the cache: {error}. Name another folder with "
            f"--config cache=FOLDER or {CACHE_VARIABLE}"
        ) from error


def _download_from_any(entry: FileEntry, place: Path) -> None:
    failures = []
    for address in entry.addresses:
        for attempt in range(_TRIES):
            time.sleep(attempt * _WAIT_SECONDS)
            try:
                with replacing(place) as partial:
                    _download(address, partial)
                    if not _is_right(partial, entry):
                        raise _WrongContent("what came is not the published file (its SHA-256 differs)")
                return
            except (requests.RequestException, urllib3.exceptions.HTTPError, _WrongContent) as error:
                failure = f"{address}: {_why(error)}"
                if _is_hopeless(error):
                    break
        failures.append(failure)
    raise FetchError(
        f"{entry.folder}/{entry.name} could not be fetched from {'; '.join(failures)}. Put the file at "
        f"{place} by hand, or name a folder that holds {entry.folder}/{entry.name} with "
        f"--config mirror=FOLDER or {MIRROR_VARIABLE}"
    )


class _WrongContent(Exception):
    """A server sends wrong content."""


def _download(address: str, path: Path) -> None:
    """Download an address to a file, in bounded time and size."""
    started, received = time.monotonic(), 0
    with requests.get(address, stream=True, timeout=_SILENCE_SECONDS) as answer, path.open("wb") as file:
        answer.raise_for_status()
        announced = answer.headers.get("Content-Length", "")
        total = int(announced) if announced.isdecimal() else None
        with tqdm(total=total, unit="B", unit_scale=True, disable=not sys.stderr.isatty()) as bar:
            # Read as data arrives: waiting for a full block would let a slow server hold the connection for hours.
            while piece := answer.raw.read1(2**16, decode_content=True):
                file.write(piece)
                bar.update(len(piece))
                received += len(piece)
                if received > _LARGEST:
                    raise _WrongContent(f"it sent more than {received:,} bytes")
                if time.monotonic() - started > _GRACE_SECONDS + received / _SLOWEST:
                    raise _WrongContent(f"it sent {received:,} bytes in {time.monotonic() - started:.0f} s: too slow")


def _status(error: Exception) -> int | None:
    return getattr(getattr(error, "response", None), "status_code", None)


def _is_hopeless(error: Exception) -> bool:
    """Whether trying again would fail in the same way."""
    status = _status(error)
    refused = status is not None and 400 <= status < 500 and status not in _HOPEFUL
    return refused or isinstance(error, requests.TooManyRedirects | ValueError)  # or not a valid address


def _why(error: Exception) -> str:
    if isinstance(error, requests.HTTPError):
        return f"HTTP status {_status(error)}"
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return f"no answer within {_SILENCE_SECONDS:g} s"
    if isinstance(error, requests.TooManyRedirects):
        return "it redirects without end"
    if isinstance(error, urllib3.exceptions.ProtocolError):
        return "it broke off before the end"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return str(error)
