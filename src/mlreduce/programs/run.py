"""How a program in another language is run: the files that it reads and writes, its limits, and its end."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from sklearn.utils import check_random_state

from mlreduce.exceptions import ConfigurationError, DataError, check_known_name
from mlreduce.files import file_sha256
from mlreduce.validation import FloatArray, as_dense, is_sparse
from mlreduce.validation.limits import MemoryLimitError, TimeLimitError, Waiting

# Bytes of a variable in MATLAB's version 5, and of a file that a program writes.
_LARGEST, _LARGEST_FILE = 2**31 - 1, 2**34
# Lines and characters of what a failed program printed, and what says there that memory was missing.
_LINES, _LENGTH, _NO_MEMORY = 3, 400, ("out of memory", "cannot allocate", "bad_alloc", "memoryerror")
# Marks the processes that a program starts, in their environment.
_MARK = "MLREDUCE_PROGRAM"
# What prctl takes on Linux: the signal that a process gets when its parent ends.
_PARENT_DEATH_SIGNAL = 1


class Program(TypedDict, total=False):
    """What is run in the place of a method, and within which limits; a dict, of which ``command`` must be there.

    Attributes
    ----------
    command : str
        What is run in a new folder, without a shell: ``"octave --no-gui select.m"``. ``{folder}`` stands for the path
        of the folder, as a container may need it.
    files : list of str, default=[]
        Files and folders that are copied to the new folder before, such as the script of the command.
    exchange : {"mat", "csv", "parquet"}, default="mat"
        In which arrays are exchanged: ``input.mat`` and ``output.mat`` of MATLAB's version 5, in which sparse features
        stay sparse, or a file per array, such as ``X.csv``, without a header.
    numbers : dict of str to float, default={}
        Parameters of the program: it reads them under their names, as it reads the arrays.
    seconds : float or None, default=3600
        Of the wall, after which it is ended with all that it has started; None is no limit.
    gigabytes : float or None, default=None
        Of the address space of each of its processes, on Linux; None is no limit.
    version : str
        A command that prints the version of what is run, for the manifest of a study.
    digest : str
        The SHA-256 that the files must have, see `digest_of_files`; a study adds it.

    Examples
    --------
    >>> import mlreduce
    >>> program = mlreduce.Program(command="Rscript select.R", files=["select.R"], exchange="csv", seconds=60)
    >>> mlreduce.ProgramSelector(program, k=10).k
    10
    """

    command: str
    files: Sequence[str]
    exchange: str
    numbers: Mapping[str, float]
    seconds: float | None
    gigabytes: float | None
    version: str
    digest: str


class ProgramError(Exception):
    """A program failed, or wrote what is no result.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.ProgramSelector("false").fit(data.X, data.Y)
    Traceback (most recent call last):
    mlreduce.programs.run.ProgramError: the program 'false' ended with status 1 and printed nothing
    """


def digest_of_files(files: Iterable[str | Path]) -> str:
    """Return the SHA-256 of files, those of folders included, with their names.

    Parameters
    ----------
    files : iterable of path
        Files and folders.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    ConfigurationError
        If one does not exist.

    Examples
    --------
    >>> from mlreduce.programs import digest_of_files
    >>> digest_of_files([])[:8]
    'e3b0c442'
    """
    digest = hashlib.sha256()
    for file in map(Path, files):
        if not file.exists():
            raise ConfigurationError(f"files: there is no {file}; a program's files are named from the current folder")
        inside = sorted(path for path in file.rglob("*") if path.is_file()) if file.is_dir() else [file]
        for path in inside:
            digest.update(f"{path.relative_to(file.parent).as_posix()}\0{file_sha256(path)}\0".encode())
    return digest.hexdigest()


def with_digest(program: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return a program as a dict that has the digest of its files: other files are another method.

    Parameters
    ----------
    program : str or dict
        The command, or a `Program`.

    Raises
    ------
    ConfigurationError
        If one of the files does not exist.

    Examples
    --------
    >>> from mlreduce.programs import with_digest
    >>> sorted(with_digest("octave --no-gui select.m"))
    ['command', 'digest']
    """
    given = {"command": program} if isinstance(program, str) else dict(program)
    return given | {"digest": digest_of_files(given.get("files", []))}


def run_program(
    program: str | Program, arrays: Mapping[str, Any], wanted: Mapping[str, bool], random_state: Any = None
) -> dict[str, FloatArray]:
    """Run a program in a new folder, and return what it writes.

    Parameters
    ----------
    program : str or dict
        The command, or a `Program`.
    arrays : dict of str to array, sparse matrix or number
        What it reads; None is left out.
    wanted : dict of str to bool
        Names of what it may write, with True for what must be there.
    random_state : int, RandomState instance or None, default=None
        Of the number ``seed`` that it reads.

    Returns
    -------
    dict of str to ndarray
        Real, finite numbers in two dimensions, by name.

    Raises
    ------
    ProgramError
        If the program ends with a status that is not 0, or writes what is no result.
    TimeLimitError, MemoryLimitError
        If it takes more than ``seconds``, or says that ``gigabytes`` were not enough.
    ConfigurationError
        If there is no such program, file, key or format, or the files have changed.

    Examples
    --------
    >>> from mlreduce.programs import run_program
    >>> run_program({"command": "cp k.csv scores.csv", "exchange": "csv"}, {"k": 3}, {"scores": True})
    {'scores': array([[3.]])}
    """
    given = _complete(program)
    write, read = _FORMATS[given["exchange"]]
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    with tempfile.TemporaryDirectory(prefix="mlreduce-program-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for file in map(Path, given["files"]):
            shutil.copytree(file, folder / file.name) if file.is_dir() else shutil.copy(file, folder)
        numbers = {**arrays, "seed": seed, **given["numbers"]}
        write(folder, {key: value for key, value in numbers.items() if value is not None})
        _call(given, folder)
        try:
            written = {key: _numbers(key, value) for key, value in read(folder, [*wanted]).items()}
        except ProgramError as error:
            raise ProgramError(f"the program {given['command']!r}: {error}") from error.__cause__
    for key, must in wanted.items():
        if must and key not in written:
            there = f"; it wrote {', '.join(written)}" if written else ""
            raise ProgramError(f"the program {given['command']!r} wrote no {key}{there}")
    return written


def _complete(program: str | Program) -> dict[str, Any]:
    """Return a program with all keys, checked."""
    given: dict[str, Any] = {"command": program} if isinstance(program, str) else dict(program)
    for key in given:
        check_known_name("key of a program", key, Program.__annotations__)
    if not isinstance(given.get("command"), str) or not given["command"].strip():
        raise ConfigurationError(f"a program needs its command, a text; got {given.get('command')!r}")
    given = {"files": [], "exchange": "mat", "numbers": {}, "seconds": 3600.0, "gigabytes": None, **given}
    check_known_name("format", given["exchange"], _FORMATS, "exchange")
    digest = digest_of_files(given["files"])  # which refuses files that do not exist
    if given.get("digest", digest) != digest:
        raise ConfigurationError(f"the files of {given['command']!r} have changed since the study was planned")
    return given


def _numbers(name: str, value: Any) -> FloatArray:
    """Return real, finite numbers of what was written."""
    dense = as_dense(value) if is_sparse(value) else np.asarray(value)
    if np.iscomplexobj(dense) and not dense.imag.any():
        dense = dense.real
    if dense.dtype.kind not in "biuf":
        raise ProgramError(f"{name} holds {'complex numbers' if dense.dtype.kind == 'c' else 'no numbers'}")
    numbers: FloatArray = np.atleast_2d(np.asarray(dense, dtype=np.float64))
    bad = int((~np.isfinite(numbers)).sum())
    if bad:
        raise ProgramError(f"{name} holds {bad} numbers that are not finite")
    return numbers


def check_shape(name: str, value: FloatArray, rows: int, columns: int, least: int | None = None) -> FloatArray:
    """Return a matrix that a program wrote under a name; raise ProgramError if its shape is not right.

    Where ``least`` is given, so many columns suffice, and columns in excess are cut off.
    """
    few, many = value.shape[1] < (columns if least is None else least), least is None and value.shape[1] > columns
    if value.shape[0] != rows or few or many:
        raise ProgramError(
            f"the program wrote {name} of shape {value.shape[0]} x {value.shape[1]}; it must be {rows} x {columns}"
        )
    return value[:, :columns]


def _call(given: Mapping[str, Any], folder: Path) -> None:
    """Run the command in a folder; end it, and all that it started, when it is done or at its limits."""
    words = [word.replace("{folder}", str(folder)) for word in shlex.split(given["command"])]
    mark, began = uuid.uuid4().hex, time.monotonic()
    with (folder / "output.txt").open("wb") as output:
        try:
            process = subprocess.Popen(
                words,
                cwd=folder,
                env={**os.environ, _MARK: mark},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_limiter(given["gigabytes"]) if sys.platform == "linux" else None,
            )
        except (FileNotFoundError, PermissionError) as error:
            raise ConfigurationError(
                f"the program {words[0]!r} cannot be run ({error.strerror}): install it, or give its path"
            ) from error
        try:
            process.wait(given["seconds"])
        except subprocess.TimeoutExpired as error:
            raise TimeLimitError(f"{given['command']!r} took more than {given['seconds']:g} s") from error
        finally:
            _end(process, mark)
            Waiting.seconds += time.monotonic() - began
    if process.returncode:
        if shutil.disk_usage(folder).free < 4096:  # no fault of the program, whose message may not fit either
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
        _fail(given, process.returncode, _printed(folder / "output.txt"))


def _fail(given: Mapping[str, Any], status: int, printed: str) -> None:
    if given["gigabytes"] is not None and any(words in printed.lower() for words in _NO_MEMORY):
        raise MemoryLimitError(f"{given['command']!r} took more than {given['gigabytes']:g} GB: {printed}")
    how = f"was ended by {_signal_name(-status)}" if status < 0 else f"ended with status {status}"
    raise ProgramError(f"the program {given['command']!r} {how} and printed {printed or 'nothing'}")


def _limiter(gigabytes: float | None) -> Callable[[], None]:
    """Return what the child does before it becomes the program: limits, and an end with its parent."""
    import ctypes
    import resource

    prctl = ctypes.CDLL(None).prctl
    wanted = {resource.RLIMIT_FSIZE: _LARGEST_FILE}
    if gigabytes is not None:
        wanted[resource.RLIMIT_AS] = int(gigabytes * 1e9)

    def limit() -> None:
        prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        for kind, value in wanted.items():
            _, hard = resource.getrlimit(kind)
            lower = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (lower, lower))

    return limit


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End a program and what it has started: its group, and on Linux those that have its mark."""
    while True:
        marked = list(_marked(mark))
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        for other in marked:
            with suppress(OSError):
                os.kill(other, signal.SIGKILL)
        process.wait()
        if not marked:
            return
        time.sleep(0.002)


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes that have a mark in their environment, without those that have ended."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"{_MARK}={mark}".encode() in path.read_bytes():
                yield int(path.parent.name)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _printed(path: Path) -> str:
    """Return the first of the last lines that speaks of an error with those after it, or the last ones, in one line."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 10 * _LENGTH))
        text = "".join(c if c.isprintable() or c == "\n" else " " for c in file.read().decode(errors="replace"))
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    errors = [number for number, line in enumerate(lines) if re.search("error|exception", line, re.IGNORECASE)]
    first = errors[0] if errors else len(lines) - _LINES
    return " | ".join(lines[max(0, first) :][:_LINES])[:_LENGTH]


def _write_mat(folder: Path, arrays: Mapping[str, Any]) -> None:
    from scipy.io import savemat
    from scipy.sparse import csc_matrix

    given = {}
    for name, value in arrays.items():
        size = value.nnz * 16 if is_sparse(value) else np.asarray(value).nbytes
        if size > _LARGEST:
            raise DataError(
                f"{name} takes {size / 1e9:.1f} GB, and a variable of MATLAB's version 5 has 2.1 at most; "
                "exchange='parquet' has no such limit"
            )
        given[name] = csc_matrix(value) if is_sparse(value) else np.asarray(value, dtype=np.float64)
    savemat(folder / "input.mat", given, format="5", oned_as="column")


def _read_mat(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    from scipy.io import loadmat

    path = folder / "output.mat"
    if not path.is_file():
        raise ProgramError("it wrote no output.mat")
    try:
        return {name: value for name, value in loadmat(path).items() if name in names}
    except Exception as error:
        raise ProgramError(
            f"output.mat is not in MATLAB's version 5 or 4 ({_first_line(error)}); save it by save('-v6', "
            "'output.mat', ...) in Octave, by save('output.mat', ..., '-v6') in MATLAB"
        ) from error


def _write_csv(folder: Path, arrays: Mapping[str, Any]) -> None:
    for name, value in _dense(arrays):
        np.savetxt(folder / f"{name}.csv", value, fmt="%.17g", delimiter=",")


def _read_csv(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    found = {}
    for name in names:
        path = folder / f"{name}.csv"
        if path.is_file():
            try:
                found[name] = np.loadtxt(path, delimiter=",", ndmin=2)
            except ValueError as error:
                raise ProgramError(
                    f"{path.name} is no table of numbers with commas between them ({_first_line(error)}); write it "
                    "without a header and without names of rows"
                ) from error
    return found


def _write_parquet(folder: Path, arrays: Mapping[str, Any]) -> None:
    import pandas as pd

    for name, value in _dense(arrays):
        columns = [f"c{number}" for number in range(1, value.shape[1] + 1)]
        pd.DataFrame(value, columns=columns).to_parquet(folder / f"{name}.parquet", index=False)


def _read_parquet(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    import pandas as pd

    found = {}
    for name in names:
        path = folder / f"{name}.parquet"
        if path.is_file():
            try:
                found[name] = pd.read_parquet(path).to_numpy()
            except Exception as error:
                raise ProgramError(f"{path.name} is no Parquet file ({_first_line(error)})") from error
    return found


def _dense(arrays: Mapping[str, Any]) -> Iterator[tuple[str, FloatArray]]:
    for name, value in arrays.items():
        yield name, np.atleast_2d(np.asarray(as_dense(value) if is_sparse(value) else value, dtype=np.float64))


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)[:_LENGTH]


# What writes and reads arrays, by format.
_FORMATS: Mapping[str, tuple[Callable[..., None], Callable[..., dict[str, Any]]]] = {
    "mat": (_write_mat, _read_mat),
    "csv": (_write_csv, _read_csv),
    "parquet": (_write_parquet, _read_parquet),
}
