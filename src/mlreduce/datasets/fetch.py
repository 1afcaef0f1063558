"""Published files: downloaded into a shared cache or read from a mirror, with checksums."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from mlreduce.exceptions import FetchError, StorageError, from_extra
from mlreduce.files import file_sha256, locked, replacing

MIRROR_VARIABLE = "MLREDUCE_MIRROR"
CACHE_VARIABLE = "MLREDUCE_CACHE"


class FileEntry(NamedTuple):
    """One file of a data set, ``<folder>/<name>`` in the cache and in a mirror."""

    folder: str
    name: str
    #: Tried in this order; none for a file that its holder gives to users, who put it there.
    addresses: tuple[str, ...] = ()
    #: Expected checksum; None only for a file that is not published.
    sha256: str | None = None
    #: A file of the user: used where it is.
    local: Path | None = None

    def pinned(self) -> FileEntry:
        """Return the entry of a user's file with the checksum that it has now; other entries as they are."""
        if self.local is None or not self.local.is_file():
            return self
        return self._replace(sha256=file_sha256(self.local))

    @classmethod
    def from_fields(cls, addresses: Iterable[str] = (), local: str | None = None, **others: Any) -> FileEntry:
        """Return the entry whose fields were written as JSON."""
        return cls(**others, addresses=tuple(addresses), local=Path(local) if local else None)


def default_cache() -> Path:
    """Return the cache folder: MLREDUCE_CACHE, or the user's cache folder of the system."""
    if folder := os.environ.get(CACHE_VARIABLE):
        return Path(folder)
    with from_extra("data", "downloads"):
        import platformdirs

    return Path(platformdirs.user_cache_dir("mlreduce"))


def _check(path: Path, sha256: str | None, advice: str) -> Path:
    if not path.is_file():
        raise FetchError(f"{path}: no such file; {advice}")
    if sha256 is not None and (digest := file_sha256(path)) != sha256:
        raise FetchError(
            f"{path}: its SHA-256 is {digest}, but the catalogue has {sha256}: damaged, or another version; {advice}"
        )
    return path


def mirror_folder(mirror: str | Path | None = None) -> Path | None:
    """Return the mirror folder: the one given, else MLREDUCE_MIRROR, else None."""
    folder = mirror or os.environ.get(MIRROR_VARIABLE)
    return Path(folder) if folder else None


def fetch(entry: FileEntry, mirror: str | Path | None = None, cache: str | Path | None = None) -> Path:
    """Return the path of a file after checking its checksum.

    A file of the user is used where it is. With a mirror, given or in MLREDUCE_MIRROR, the file is read from
    ``mirror/<folder>/<name>``. Otherwise it comes from the cache, into which it is downloaded when it is missing or
    damaged: every address in turn, several tries each, to a temporary file that is moved into place only when its
    checksum is right. A cache of None is `default_cache`.

    Raises FetchError if the file is not available or not the one described; the message names the file, its sources,
    and where to put it by hand.
    """
    if entry.local is not None:
        if entry.sha256 is not None and entry.local.is_file() and file_sha256(entry.local) != entry.sha256:
            raise FetchError(f"{entry.local}: it changed since this run began; run again to use what it is now")
        return _check(entry.local, None, f"the datasets file names it for {entry.folder!r}")
    mirrored = mirror_folder(mirror)
    place = (mirrored or Path(cache or default_cache())) / entry.folder / entry.name
    if not entry.addresses:
        return _check(place, entry.sha256, "it is not published; see docs/add-data.md for how to supply it")
    if mirrored:
        return _check(place, entry.sha256, f"it is published at {' or '.join(entry.addresses)}")
    if not _is_right(place, entry):
        _into_cache(entry, place)
    return place


def copy(
    entry: FileEntry, place: str | Path, mirror: str | Path | None = None, cache: str | Path | None = None
) -> None:
    """Fetch a file as `fetch` does and copy it, checking the checksum of the copy.

    Raises FetchError as `fetch`, or if the file is deleted or changed before it is copied.
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
    from mlreduce.datasets.download import download

    failures = []
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place.with_name(f".{place.name}.lock")):
            if not _is_right(place, entry):
                failures = download(entry.addresses, place, entry.sha256)
    except (OSError, StorageError) as error:
        raise FetchError(
            f"{entry.folder}/{entry.name} cannot be stored in the cache: {error}. Name another folder with "
            f"--config cache=FOLDER or {CACHE_VARIABLE}"
        ) from error
    if failures:
        raise FetchError(
            f"{entry.folder}/{entry.name} could not be fetched from {'; '.join(failures)}. Put the file at "
            f"{place} by hand, or name a folder that holds {entry.folder}/{entry.name} with "
            f"--config mirror=FOLDER or {MIRROR_VARIABLE}"
        )
