"""Proxies of the classes of entries, whose code runs in other processes: the scorer never imports it.

A process (`mlreduce_studies.leaderboard.confined`) serves one set of training rows. Each fit and each transform is a
fork of it; fit gets the training rows, transform gets new features and what fit pickled. The scorer reads numbers, and
checks them. Processes that a call starts are killed after it, whatever session or process group they are in.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from mlreduce.exceptions import ConfigurationError
from mlreduce.labelspace.base import LabelCoder
from mlreduce.validation import FloatArray, is_sparse
from mlreduce.validation.limits import MemoryLimitError, TimeLimitError, Waiting
from mlreduce_studies.leaderboard import confined
from mlreduce_studies.leaderboard.confined import prctl
from mlreduce_studies.leaderboard.entry import CODE
from mlreduce_studies.outside import AtMost

# Seconds in which a process must have imported and made a class, which is no part of a fit.
_START = 600.0

# Namespaces: of users, which needs no rights, processes, files that are mounted, networks and messages. With the first
# process of a namespace all others in it end.
_NAMESPACES = ("--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc", "--net", "--ipc")

_AT_MOST = f"{AtMost.__module__}.{AtMost.__name__}"

# Columns of an image, which the scorer copies.
_MOST = 10_000

# Characters of messages by code of others.
_LENGTH = 200


class EntryError(Exception):
    """The code of an entry raised, ended its process, or returned what it must not."""


@cache
def _unshare() -> tuple[str, ...]:
    """Return the command that starts a process in namespaces; empty where the system does not permit it."""
    program = shutil.which("unshare")
    command = (str(program), *_NAMESPACES)
    done = program and subprocess.run([*command, "true"], capture_output=True, check=False, timeout=60).returncode == 0
    return command if done else ()


def _parents() -> dict[int, int]:
    """Return all processes of the system with their parents."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            text = path.read_text(encoding="utf-8", errors="replace")
            parents[int(path.parent.name)] = int(text.rpartition(")")[2].split()[1])
    return parents


def _descendants(process: int, but: Sequence[int] = ()) -> list[int]:
    """Return the processes that a process and its descendants have started, without some and those of these."""
    parents = _parents()
    descendants, last = [], [process]
    while last:
        last = [child for child, parent in parents.items() if parent in last and child not in but]
        descendants += last
    return descendants


def _array_file(arrays: Mapping[str, Any]) -> IO[bytes]:
    """Return a file without a name that has arrays, those of a CSR array by its parts."""
    plain: dict[str, Any] = {}
    for name, value in arrays.items():
        if is_sparse(value):
            parts = {part: getattr(value, part) for part in ("data", "indices", "indptr", "shape")}
            plain |= {f"{name}.{part}": array for part, array in parts.items()}
        else:
            plain[name] = value
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    np.savez(file, **plain)
    file.seek(0)
    return file


class _Process:
    """A process that runs the code of an entry, for one set of training rows.

    ``limits`` has ``seconds`` of the wall of a call, and ``gigabytes`` of each process; ``paths`` are folders of
    packages. The files of the entry, such as its module, are copied, since its folder cannot be read.
    """

    def __init__(self, limits: Mapping[str, float], paths: Sequence[str], files: Sequence[str]) -> None:
        if sys.platform != "linux":
            raise ConfigurationError("entries of the leaderboard are run on Linux, which ends all that they start")
        self._seconds = limits.get("seconds", math.inf)
        self._made: set[str] = set()
        self._folder = tempfile.TemporaryDirectory(prefix="entry-")
        code = Path(self._folder.name, CODE)
        for file in map(Path, files):
            code.mkdir(parents=True, exist_ok=True)
            shutil.copytree(file, code / file.name) if file.is_dir() else shutil.copy(file, code)
        self._others = _descendants(os.getpid())
        self._attributes(subreaper=1, dumpable=0)
        self._socket, given = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        namespaces = _unshare()
        specification = {
            "socket": given.fileno(),
            "gigabytes": limits.get("gigabytes", 1e6),
            "namespaces": bool(namespaces),
            "folder": self._folder.name,
            "paths": [str(code.parent), *paths],
        }
        self._process = subprocess.Popen(
            [*namespaces, sys.executable, "-s", "-m", confined.__name__, json.dumps(specification)],
            pass_fds=[given.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env=self._environment(),
            start_new_session=True,
            preexec_fn=lambda: prctl(confined.PR_SET_PDEATHSIG, signal.SIGKILL),  # it ends with the scorer
        )
        given.close()
        try:
            self.protections = [*map(bool, self._answer(_START))]
        except BaseException:
            self.end()
            raise

    def _environment(self) -> dict[str, str]:
        """Return a new environment: that of the scorer says where data are."""
        folder = self._folder.name
        threads = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")
        return {
            **{name: os.environ[name] for name in ("PATH", "LANG", "OPENBLAS_CORETYPE") if name in os.environ},
            **dict.fromkeys(("HOME", "TMPDIR", "NUMBA_CACHE_DIR", "MPLCONFIGDIR"), folder),
            **{f"{name}_NUM_THREADS": "1" for name in threads},
            **{"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
            "NUMBA_THREADING_LAYER": "workqueue",  # the one whose processes can be forked
            "PYTHONPATH": str(Path(confined.__file__).parents[2]),
        }

    @staticmethod
    def _attributes(subreaper: int, dumpable: int) -> None:
        """Say whether this process adopts orphans, and whether others of its user may read its memory."""
        prctl(confined.PR_SET_CHILD_SUBREAPER, subreaper)
        prctl(confined.PR_SET_DUMPABLE, dumpable)

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None and self._socket.fileno() >= 0

    def _answer(self, seconds: float) -> Any:
        """Return what it answers within a time of the wall; otherwise end it, and raise."""
        self._socket.settimeout(None if math.isinf(seconds) else seconds)
        try:
            text = self._socket.recv(1 << 16)
            if text:
                return json.loads(text)
        except TimeoutError as error:
            self.end()
            raise TimeLimitError(f"took more than {seconds:g} s, the limit of the study") from error
        except (OSError, ValueError, RecursionError):  # the code of others can send anything
            pass
        except BaseException:  # another answer would be taken for that of the next call
            self.end()
            raise
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self.end()
        raise EntryError(f"ended the process that runs its calls (status {self._process.returncode})")

    def make(self, family: str, method: str) -> None:
        """Import the class of a method (JSON), and make it."""
        if method in self._made:
            return
        self._send({"make": method, "family": family})
        error = self._answer(_START)
        if error:
            _raise_error(str(error))
        self._made.add(method)

    def call(self, verb: str, method: str, seed: int | None, arrays: Mapping[str, Any], more: Any = None) -> bytes:
        """Return what a call writes, and end all that it started."""
        request = {
            **{"verb": verb, "method": method, "seed": seed, "named": [*json.loads(method)], "more": more},
            "sparse": [name for name, value in arrays.items() if is_sparse(value)],
        }
        with ExitStack() as stack:
            files = [stack.enter_context(_array_file(arrays))]
            files += [stack.enter_context(tempfile.TemporaryFile()) for _ in range(2)]
            began = time.monotonic()
            try:
                self._send(request, [file.fileno() for file in files])
                status = self._answer(self._seconds)
            finally:
                Waiting.seconds += time.monotonic() - began
                if len(_descendants(os.getpid(), self._others)) > 1 + bool(_unshare()):
                    self.end()
            result, report = _read(files[1]), _read(files[2], 2 * _LENGTH)
        if report:
            _raise_error(report.decode(errors="replace"))
        if status != 0:
            raise EntryError(
                f"ended its process by signal {-status}"
                if isinstance(status, int) and status < 0
                else "ended its process"
            )
        if not result:
            raise EntryError("ended its process before it had a result")
        return result

    def _send(self, request: Mapping[str, Any], files: Sequence[int] = ()) -> None:
        with suppress(OSError):  # where it has ended, there is no answer either
            socket.send_fds(self._socket, [json.dumps(request).encode()], files)

    def end(self) -> None:
        """End it, with all that it has started, and remove its folder."""
        self._socket.close()
        self._process.kill()
        self._process.wait()
        # What has lost its parent is a child of this process by now. It may go on to start others while it is ended.
        while left := _descendants(os.getpid(), self._others):
            for process in left:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            for process in left:
                with suppress(ChildProcessError):
                    os.waitpid(process, os.WNOHANG)
            time.sleep(0.002)
        self._attributes(subreaper=0, dumpable=1)
        shutil.rmtree(self._folder.name, ignore_errors=True)  # also what has been made unreadable
        self._folder.cleanup()


class _Current:
    """The process that serves calls, and what it belongs to."""

    key: Any = None
    process: _Process | None = None


_current = _Current()


@atexit.register
def close() -> None:
    """End the process that runs the code of an entry, if there is one."""
    if _current.process is not None and _current.process.is_running:
        _current.process.end()
    _current.process = None


@cache
def _protections(_: Sequence[str]) -> list[bool]:
    """Return what a process that is started by a command reports."""
    process = _Process({}, [], [])
    process.end()
    return process.protections


def refuses_files() -> bool:
    """Return whether this system can refuse a process files and the memory of others, by Landlock."""
    return _protections(_unshare())[0]


def refuses_attributes() -> bool:
    """Return whether this system can refuse a process changes of dates, modes and attributes, by its namespace."""
    return _protections(_unshare())[1]


def missing_protections() -> list[str]:
    """Return sentences on what this system does not keep from the code of entries; none where it keeps all."""
    missing = []
    if not _unshare():
        missing.append("this user may make no namespaces: an entry can send signals and use the network")
    if not refuses_files():
        missing.append("the system has no Landlock: an entry can read and write the files of the user")
    if not refuses_attributes():
        missing.append("no mount can be made read-only: an entry can change dates and modes of the files of the user")
    return missing


def _read(file: IO[bytes], most: int = -1) -> bytes:
    file.seek(0)
    return file.read(most)


def _raise_error(text: str) -> None:
    if text == "MemoryError":
        raise MemoryLimitError("took more memory than the limit of the study")
    raise EntryError(" ".join(text.split())[:_LENGTH])


def _digest(*arrays: Any) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array.toarray() if is_sparse(array) else array).tobytes())
    return digest.hexdigest()


def _numbers(result: bytes, shape: tuple[int, ...]) -> FloatArray:
    """Return the numbers of a result, in a shape with at most one -1 for what is not known.

    Raises EntryError if there are too few or too many.
    """
    number = len(result) // 8
    known = math.prod(length for length in shape if length >= 0)
    if len(result) % 8 or (number % known if -1 in shape else number != known):
        raise EntryError(f"returned {len(result)} bytes, which are no numbers of the shape {shape}")
    return np.frombuffer(result, dtype=np.float64).reshape(shape)


def _finite(numbers: FloatArray) -> FloatArray:
    if not np.isfinite(numbers).all():
        raise EntryError("returned numbers that are not finite")
    return numbers


class _Apart:
    """What the stand-ins have in common.

    ``transformer`` has the class, by its import path under ``path``, and its parameters. ``limits`` has ``seconds`` of
    the wall of a call, and ``gigabytes`` of a process. ``paths`` are folders of packages, and ``files`` those of the
    entry, such as its module or its program. ``size`` and ``parameter`` are as of `mlreduce_studies.outside.AtMost`.
    ``random_state`` is given to a class that has such a parameter, where it has none.
    """

    _family = ""

    def __init__(
        self,
        transformer: Mapping[str, Any],
        limits: Mapping[str, float],
        paths: Sequence[str] = (),
        files: Sequence[str] = (),
        size: int | None = None,
        parameter: str | None = None,
        random_state: int | None = None,
    ) -> None:
        self.transformer = transformer
        self.limits = limits
        self.paths = paths
        self.files = files
        self.size = size
        self.parameter = parameter
        self.random_state = random_state

    def _call(self, key: str, verb: str, arrays: Mapping[str, Any], more: Any = None) -> bytes:
        """Return what a call writes, in the process of a set of training rows."""
        inner = {"class": self.transformer["path"], **{k: v for k, v in self.transformer.items() if k != "path"}}
        sized = {"class": _AT_MOST, "transformer": inner, "parameter": self.parameter, "size": self.size}
        method = json.dumps(inner if self.size is None else sized)
        place = (key, json.dumps([self.limits, [*self.paths], [*self.files]]))
        if _current.process is None or _current.key != place or not _current.process.is_running:
            close()
            _current.key, _current.process = place, _Process(self.limits, self.paths, self.files)
        _current.process.make(self._family, method)
        return _current.process.call(verb, method, self.random_state, arrays, more)


class Transformer(TransformerMixin, _Apart, BaseEstimator):
    """A transformer whose code runs in other processes; parameters are as of the base."""

    _family = "projection"

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to X of shape (n_samples, n_features) and labels of shape (n_samples, n_labels)."""
        self._key = _digest(X, y)
        self._state = self._call(self._key, "fit", {"X": X, "Y": y})
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the image of X, shape (n_samples, n_components)."""
        state = np.frombuffer(self._state, dtype=np.uint8)
        image = _numbers(self._call(self._key, "transform", {"X": X, "state": state}), (X.shape[0], -1))
        if image.shape[1] > _MOST:
            raise EntryError(f"transform returned {image.shape[1]} columns, more than {_MOST}")
        return _finite(image)


class Ratings(_Apart, BaseEstimator):
    """An estimator that rates features, whose code runs in other processes; parameters are as of the base.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
    """

    _family = "selection"

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to X of shape (n_samples, n_features) and labels of shape (n_samples, n_labels)."""
        self.scores_ = _numbers(self._call(_digest(X, y), "rate", {"X": X, "Y": y}), (X.shape[1],))
        return self


class Coder(_Apart, LabelCoder):
    """A label coder whose code runs in other processes; parameters are as of the base, attributes as of `LabelCoder`.

    What it reconstructs has the scores of all labels, then the labels that it decodes.
    """

    _family = "labelspace"
    linear = False

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]
        """Fit to X of shape (n_samples, n_features) and labels of shape (n_samples, n_labels)."""
        key = _digest(X, y)
        self.key_ = np.array(key)
        self.state_ = np.frombuffer(self._call(key, "fit", {"X": X, "Y": y}), dtype=np.uint8)
        result = self._call(key, "code", {"X": X, "Y": y, "state": self.state_})
        self.codes_ = _finite(_numbers(result, (y.shape[0], -1)))
        self.n_components_, self.n_labels_, self.mean_ = self.codes_.shape[1], y.shape[1], y.mean(axis=0)
        return self

    def training_codes(self, labels: Any, features: Any = None) -> FloatArray:
        """Return the codes of the training rows."""
        return self.codes_

    def project(self, scores: Any) -> FloatArray:
        """Return zeros: labels of others are not shown to an entry, and errors of codes are not measured."""
        return np.zeros((scores.shape[0], self.n_components_))

    def reconstruct_sizes(self, codes: FloatArray, sizes: Sequence[int]) -> Iterator[FloatArray]:
        """Yield scores and labels at each size, shape (n_samples, 2 * n_labels)."""
        arrays = {"codes": np.asarray(codes), "state": self.state_}
        result = self._call(str(self.key_), "decode", arrays, list(sizes))
        yield from _finite(_numbers(result, (len(sizes), len(codes), 2 * self.n_labels_)))

    def scores(self, centred: FloatArray, size: int) -> FloatArray:
        """Return the scores among what was reconstructed."""
        return centred[:, : self.n_labels_]

    def round(self, centred: FloatArray, size: int) -> Any:
        """Return the labels among what was reconstructed."""
        return (centred[:, self.n_labels_ :] > 0.5).astype(np.int8)


_STAND_INS = {cls._family: cls for cls in (Transformer, Ratings, Coder)}


def set_apart(
    family: str,
    method: Mapping[str, Any],
    limits: Mapping[str, float],
    paths: Sequence[str] = (),
    files: Sequence[Path] = (),
) -> dict[str, Any]:
    """Return the entry of a study file that names the stand-in of a class.

    ``method`` is one of `mlreduce_studies.leaderboard.entry.Entry.methods`; others are as of `Transformer`.
    """
    inner = {key: value for key, value in method.items() if key != "search"}
    search, size = method.get("search", {}), {}
    if method["class"] == _AT_MOST:
        size = {key: inner[key] for key in ("size", "parameter")}
        inner = dict(inner["transformer"])
    else:
        search = {f"transformer.{name}": values for name, values in search.items()}
    return {
        "class": f"{__name__}.{_STAND_INS[family].__name__}",
        "transformer": {"path": inner.pop("class"), **inner},
        **{"limits": dict(limits), "paths": [str(Path(path).resolve()) for path in paths]},
        "files": [str(file.resolve()) for file in files],
        **size,
        **({"search": search} if search else {}),
    }
