"""Folders of output that are written completely or not at all, in which the files of users stay."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from mlreduce.exceptions import ConfigurationError, StorageError
from mlreduce.files import file_sha256, is_full, make_folder, not_written, replacing

#: File of an output folder that lists the others with their SHA-256: what a later output may replace or delete.
LIST = ".mlreduce-files.json"

# Of Linux' header files.
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


@contextmanager
def replacing_folder(folder: str | Path, *, force: bool = False) -> Iterator[Path]:
    """Give a temporary folder to write to, and put it in the place of ``folder`` when the block succeeds.

    Until then the old folder is untouched, whatever happens. Those of its files go that its list names and that are
    still as they were written; all others stay. With ``force`` take a folder without a list too, and replace files of
    others that have the name of a new one.

    Raises ConfigurationError if the folder holds files but no list, or a file of others in the place of a new one, or
    cannot be replaced, and StorageError if a file cannot be written.
    """
    folder = Path(os.path.realpath(folder))  # a link to a folder stays one
    _check_place(folder)
    if _is_filled(folder) and not _listed(folder) and not force:
        raise ConfigurationError(
            f"{folder}: this folder holds other files, and no list of an earlier output ({LIST}); name a new or an "
            "empty one"
        )
    new = folder.with_name(f".partial-{os.getpid()}-{time.time_ns()}-{folder.name}")
    linked = True  # whatever is in the temporary folder is new, or is in the other one too
    try:
        make_folder(folder.parent, folder)
        new.mkdir()
        yield new
        files = [path for path in new.rglob("*") if path.is_file()]
        with replacing(new / LIST) as path:
            _write_list(path, {file.relative_to(new).as_posix(): file_sha256(file) for file in files})
        if folder.is_dir():
            _take_over(folder, new, force)
            shutil.copymode(folder, new)
        if _is_filled(folder):
            _exchange(new, folder)
            linked = False
            _take_over(new, folder, force)  # files that appeared in the meantime
            linked = True
        else:
            new.replace(folder)
    except StorageError as error:
        raise StorageError(str(error).replace(str(new), str(folder))) from error
    except OSError as error:
        path = Path(os.fsdecode(error.filename)) if error.filename else folder
        if path.is_relative_to(new):
            path = folder / path.relative_to(new)
        elif not is_full(error) and not (error.filename and path.is_relative_to(folder)):
            raise  # about something that the block read
        raise not_written(path, error) from error
    finally:
        if linked:
            _delete(new)


def check_replaceable(folder: Path, names: Iterable[str]) -> None:
    """Raise if files of these names differ from those in the list of an earlier output."""
    listed = _listed(folder)
    for name in names:
        if os.path.lexists(folder / name) and not _is_listed(folder / name, listed.get(name)):
            raise _taken(folder / name)


@contextmanager
def replacing_files(folder: Path, names: Sequence[str], *, force: bool = False) -> Iterator[list[Path]]:
    """Yield temporary paths of some files of a folder, and move all into place when the block succeeds; others stay.

    Unless ``force`` is true, files of others are not replaced, see `check_replaceable`.
    """
    if not force:
        check_replaceable(folder, names)
    with ExitStack() as stack:
        paths = {name: stack.enter_context(replacing(folder / name)) for name in [*names, LIST]}
        yield [paths[name] for name in names]
        _write_list(paths.pop(LIST), _listed(folder) | {name: file_sha256(path) for name, path in paths.items()})


def _write_list(path: Path, digests: Mapping[str, str]) -> None:
    path.write_text(json.dumps(digests, sort_keys=True, indent=0) + "\n", encoding="utf-8")


def _listed(folder: Path) -> dict[str, str]:
    """Return the files that the list of a folder names with their SHA-256; none without a complete list."""
    try:
        digests = json.loads((folder / LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return digests if isinstance(digests, dict) else {}


def _is_listed(path: Path, sha256: str | None) -> bool:
    return path.is_file() and not path.is_symlink() and file_sha256(path) == sha256


def _is_filled(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _taken(path: Path) -> ConfigurationError:
    return ConfigurationError(
        f"{path}: not a file of an earlier output, or changed since, and a new one would take its place; move it, name "
        "another folder, or replace it by --force where the command has that"
    )


def _check_place(folder: Path) -> None:
    """Refuse what cannot change places with another folder."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise ConfigurationError(f"{folder}: this is a file; name a folder")
    if folder.is_dir() and (os.path.ismount(folder) or Path.cwd().is_relative_to(folder)):
        raise ConfigurationError(
            f"{folder}: the current folder, one above it, or a mounted disk, none of which can be replaced; name a "
            f"folder in it, as {folder / 'site'}"
        )
    if folder.is_dir() and not os.access(folder, os.W_OK):
        raise StorageError(f"{folder} could not be written: it is read-only")


def _take_over(old: Path, new: Path, force: bool) -> None:
    """Link what the list of the old folder does not name into the new one.

    Raises ConfigurationError if a new file, or a folder of one, has the same name.
    """

    def unreadable(error: OSError) -> None:
        raise error

    listed, made = _listed(old), []
    for place, folders, files in os.walk(old, onerror=unreadable):
        for name in [*files, *folders]:
            source = Path(place, name)
            relative = source.relative_to(old)
            target, is_folder = new / relative, _is_real_folder(source)
            if is_folder and any(source.iterdir()):
                continue  # as its files are
            if relative.as_posix() == LIST or _is_listed(source, listed.get(relative.as_posix())):
                continue
            if os.path.lexists(target):
                both = is_folder and _is_real_folder(target)
                replaced = force and not is_folder and not _is_real_folder(target)
                if not (both or replaced or os.path.samestat(source.lstat(), target.lstat())):
                    raise _taken(source)
                continue
            for needed in reversed([target, *target.parents] if is_folder else target.parents):
                if os.path.lexists(needed) and not _is_real_folder(needed):
                    raise _taken(source)
                if not needed.is_dir():
                    needed.mkdir()
                    made.append(needed)
            if not is_folder:
                os.link(source, target, follow_symlinks=False)
    for needed in reversed(made):
        shutil.copystat(old / needed.relative_to(new), needed)


def _exchange(one: Path, other: Path) -> None:
    """Let two folders change places, at once where the system can."""
    with suppress(AttributeError, TypeError):  # the C library has none
        rename = ctypes.CDLL(None).renameat2
        if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
            return
    aside = one.with_name(f"{one.name}-old")
    other.rename(aside)
    try:
        one.rename(other)
    except OSError:
        aside.rename(other)
        raise
    aside.rename(one)


def _delete(folder: Path) -> None:
    """Delete a folder with all that is in it, also what is read-only."""
    for place, _, _ in os.walk(folder):
        with suppress(OSError):
            Path(place).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
