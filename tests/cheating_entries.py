"""Classes that try to get at labels, to change what is measured, or to hang: entries of the leaderboard must not."""

from __future__ import annotations

import atexit
import collections
import contextlib
import ctypes
import gc
import itertools
import os
import resource
import signal
import socket
import stat
import sys
import threading
import time
from pathlib import Path

import numpy as np
from bad_entries import First


class Cheat(First):
    """Does what it must not in fit, and is honest otherwise.

    Parameters
    ----------
    place : str
        A file or folder of the scorer.
    """

    def __init__(self, place=""):
        self.place = place
        self.n_components = 2

    def fit(self, X, y=None):
        self.cheat(X, y)
        return super().fit(X, y)


def _leave(function):
    """Let a process in a new session do something that no parent waits for."""
    if not os.fork():
        os.setsid()
        if not os.fork():
            function()
        os._exit(0)


def _forever():
    while True:
        time.sleep(60)


class LeavesChild(Cheat):
    def cheat(self, X, y):
        _leave(_forever)


class LeavesAndWaits(Cheat):
    def cheat(self, X, y):
        _leave(_forever)
        _forever()


class LeavesBusyChild(Cheat):
    """Goes on in a process that refuses signals."""

    def cheat(self, X, y):
        def refuse():
            signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
            while True:
                pass

        _leave(refuse)


class HoldsOutput(Cheat):
    """Ends while a child holds all its files."""

    def cheat(self, X, y):
        if not os.fork():
            os.setsid()
            _forever()
        os._exit(0)


class LeavesMany(Cheat):
    def cheat(self, X, y):
        for _ in range(40):
            _leave(_forever)


class Bomb(Cheat):
    """Starts processes that start processes."""

    def cheat(self, X, y):
        while True:
            try:
                os.fork()
            except OSError:
                time.sleep(0.01)


class SearchesObjects(Cheat):
    """Takes arrays of labels of as many rows as are transformed, or more than it was given, from all objects."""

    def transform(self, X):
        values = [*gc.get_objects()]
        values += [value for part in gc.get_objects() if isinstance(part, dict) for value in part.values()]
        labels = [value for value in values if isinstance(value, np.ndarray) and value.shape == (len(X), 6)]
        raise LookupError(f"there are {len(labels)} arrays of labels")

    def cheat(self, X, y):
        pass


class WalksFrames(SearchesObjects):
    def transform(self, X):
        frame, labels = sys._getframe(), 0
        while frame is not None:
            values = [*frame.f_locals.values(), *frame.f_globals.values()]
            values += [inner for value in values if isinstance(value, dict) for inner in value.values()]
            labels += sum(isinstance(value, np.ndarray) and value.shape == (len(X), 6) for value in values)
            frame = frame.f_back
        raise LookupError(f"there are {labels} arrays of labels")


def _others():
    """Return the processes that are not known to be those of entries."""
    pids = {int(path.name) for path in Path("/proc").glob("[0-9]*")}
    return sorted(pids - {os.getpid(), os.getppid()}, reverse=True)


class ReadsMemory(Cheat):
    """Reads the memory of other processes, by their files and by a system call."""

    def cheat(self, X, y):
        read = 0
        for pid in _others():
            try:
                first = Path(f"/proc/{pid}/maps").read_text().partition("-")[0]
                with Path(f"/proc/{pid}/mem").open("rb") as file:
                    file.seek(int(first, 16))
                    read += bool(file.read(16))
            except (OSError, ValueError):
                pass
            buffer, address = ctypes.create_string_buffer(16), 0x400000
            vectors = [(ctypes.c_size_t * 2)(place, 16) for place in (ctypes.addressof(buffer), address)]
            read += ctypes.CDLL(None).process_vm_readv(pid, vectors[0], 1, vectors[1], 1, 0) > 0
            read += ctypes.CDLL(None).ptrace(16, pid, 0, 0) == 0
        raise LookupError(f"{read} processes can be read")


class KillsOthers(Cheat):
    """Kills its parent and what is above it."""

    def cheat(self, X, y):
        for pid in _others():
            try:
                os.kill(pid, 0)
                raise LookupError(f"{pid} can be killed")
            except OSError:
                pass
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(0.05)
        os._exit(0)


class KillsAll(Cheat):
    def cheat(self, X, y):
        os.kill(-1, signal.SIGKILL)


class ReadsFile(Cheat):
    def cheat(self, X, y):
        raise LookupError(f"it has {Path(self.place).read_bytes()!r}")


class ReadsEnvironment(Cheat):
    def cheat(self, X, y):
        raise LookupError(f"it has {sorted(name for name in os.environ if 'MLREDUCE' in name)}, {[*Path().iterdir()]}")


class WritesFile(Cheat):
    def cheat(self, X, y):
        Path(self.place).write_text("0.999")


class ChangesScorer(Cheat):
    """Sets functions of NumPy and of the scorer, in fit and when what it pickled is loaded."""

    def cheat(self, X, y):
        _forge()

    def __reduce__(self):
        return _forged, (self.place, dict(vars(self)))


def _forge():
    sys.modules["mlreduce.evaluation.measuring"] = None
    np.isfinite = lambda values: np.ones(np.shape(values), dtype=bool)
    os.environ["CHEATED"] = "yes"


def _forged(place, attributes):
    _forge()
    estimator = ChangesScorer(place)
    vars(estimator).update(attributes)
    return estimator


class Sleeps(Cheat):
    def cheat(self, X, y):
        time.sleep(0.3)


class BusyInC(Cheat):
    def cheat(self, X, y):
        collections.deque(itertools.count(), maxlen=0)


class Prints(Cheat):
    def cheat(self, X, y):
        while True:
            os.write(1, b"0.999\n" * 1000)
            print("0.999", file=sys.stderr)


class Stops(Cheat):
    def cheat(self, X, y):
        os.kill(os.getpid(), signal.SIGSTOP)


class Exits(Cheat):
    def cheat(self, X, y):
        os._exit(0)


class ClosesFiles(Cheat):
    def cheat(self, X, y):
        os.closerange(0, 1000)


class DeletesInput(Cheat):
    def cheat(self, X, y):
        for path in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                os.ftruncate(int(path.name), 0)


class Calls(Cheat):
    def cheat(self, X, y):
        socket.create_connection(("127.0.0.1", int(self.place)), timeout=0.2)


class Objects(Cheat):
    def cheat(self, X, y):
        pass

    def transform(self, X):
        return np.array([[object()]] * len(X))


class FewRows(Objects):
    def transform(self, X):
        return np.ones((1, 2))


class Huge(Objects):
    def transform(self, X):
        return np.ones((len(X), 10**9))


class KnowsShape(Objects):
    """Is honest on the rows that were once those of the checks."""

    def transform(self, X):
        return super(Cheat, self).transform(X) if len(X) in (7, 100) else X[:, :2] - X[:, :2].mean(axis=0)


class PassesOn(Cheat):
    """Writes the labels of training rows for what is fitted to other rows."""

    def cheat(self, X, y):
        there = 0
        for folder in ("/tmp", "/dev/shm", "/var/tmp", self.place, os.environ["HOME"]):
            path = Path(folder, "labels-of-others")
            try:
                there += path.exists()
                np.save(path.with_suffix(".npy"), y)
                path.touch()
            except OSError:
                pass
        self.there_ = there

    def transform(self, X):
        return np.full((len(X), 1), float(self.there_))


class Answers(Cheat):
    """Answers from the process that waits for its forks, before the call has a result."""

    def __init__(self, place=""):
        super().__init__(place)
        for path in Path("/proc/self/fd").iterdir() if place else ():
            with contextlib.suppress(OSError):
                if stat.S_ISSOCK(os.fstat(int(path.name)).st_mode):
                    connection = socket.socket(fileno=os.dup(int(path.name)))
                    os.fork() or (time.sleep(0.2), connection.send(place.encode()), os._exit(0))

    def cheat(self, X, y):
        time.sleep(1)


class PassesOnAttributes(Cheat):
    """Writes labels into the date, the mode or the attributes of a file of the scorer, or of a package."""

    def cheat(self, X, y):
        changed = 0
        for path in (self.place, np.__file__):
            for change in (
                lambda path: os.utime(path, (1, 1)),
                lambda path: Path(path).chmod(0o600),
                lambda path: os.setxattr(path, "user.labels", b"1"),
                lambda path: os.chown(path, -1, -1),
            ):
                with contextlib.suppress(OSError):
                    change(path)
                    changed += 1
        raise LookupError(f"{changed} attributes are changed")


class Unlocks(Cheat):
    """Makes what is read-only writable again, in its namespace, in a new one and in that of others."""

    def cheat(self, X, y):
        libc, done = ctypes.CDLL(None), []
        clear = (ctypes.c_uint64 * 4)(0, 1, 0, 0)

        def again(name):
            result = libc.syscall(442, -100, b"/", 0x8000, ctypes.byref(clear), 32)
            done.extend([name] * (result == 0))
            done.extend([name] * (libc.mount(b"none", b"/", None, ctypes.c_ulong(4096 | 32), None) == 0))

        again("here")
        for path in Path("/proc").glob("[0-9]*/ns/mnt"):
            with contextlib.suppress(OSError):
                file = os.open(path, os.O_RDONLY)
                done.extend(["another"] * (libc.setns(file, 0) == 0))
        if libc.unshare(0x10000000 | 0x20000) == 0:
            again("a new one")
        raise LookupError(f"it is writable in {done}")


class PassesOnKeys(Cheat):
    """Leaves labels in the keyrings of the kernel, and in shared memory that has no file."""

    def cheat(self, X, y):
        libc = ctypes.CDLL(None)
        add, request = (248, 249) if os.uname().machine == "x86_64" else (217, 218)
        self.there_ = libc.syscall(request, b"user", b"labels-of-others", None, 0) > 0
        self.there_ += libc.shmget(4711, 100, 0o600) >= 0
        for ring in (-3, -4, -5):  # of the session, of the user, and of the session of the user
            libc.syscall(add, b"user", b"labels-of-others", b"1", 1, ring)
        libc.shmget(4711, 100, 0o1600)

    def transform(self, X):
        return np.full((len(X), 1), float(self.there_))


class ReadsInherited(Cheat):
    """Reads all files that are open in its process, after it has its rows."""

    def transform(self, X):
        held = []
        for path in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                held.append(os.pread(int(path.name), 1 << 20, 0))
        raise LookupError(f"it holds {sum(self.place.encode() in text for text in held)} files of others")

    def cheat(self, X, y):
        pass


class AtExit(Cheat):
    """Writes when its process ends, however it ends."""

    def cheat(self, X, y):
        atexit.register(self._write)
        threading.Thread(target=self._later, daemon=True).start()

    def _later(self):
        time.sleep(0.2)
        self._write()

    def _write(self):
        Path(self.place).write_text("0.999")


class ChangesPackages(Cheat):
    """Changes the code that is imported next, and the compiled loops that Numba loads."""

    def cheat(self, X, y):
        changed = 0
        for folder in {*filter(None, sys.path), str(Path(np.__file__).parent), self.place, os.environ["HOME"]}:
            for name in ("sitecustomize.py", "numpy.py", "ridge.nbi", "usercustomize.py"):
                with contextlib.suppress(OSError):
                    Path(folder, name).write_text("raise SystemExit('cheated')")
                    changed += not Path(folder).samefile(os.environ["HOME"])
        raise LookupError(f"{changed} files outside of its folder are changed")


class LeavesLinks(Cheat):
    """Leaves links to files of the scorer in its folder, which is deleted afterwards."""

    def cheat(self, X, y):
        for number, target in enumerate((self.place, Path(self.place).parent)):
            Path(f"link-{number}").symlink_to(target)
        Path("closed").mkdir(mode=0)


class RaisesLimits(Cheat):
    """Raises its limits of memory, files and processes."""

    def cheat(self, X, y):
        raised = 0
        for limit in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                raised += limit != resource.RLIMIT_NPROC or os.getpid() < 100
        raise LookupError(f"{raised} limits are raised")


class NotFinite(Objects):
    def transform(self, X):
        return np.full((len(X), 2), float(self.place))


class _Lies(np.ndarray):
    """Says that it has other bytes, numbers and rows than it has."""

    def __array__(self, dtype=None, copy=None):
        return np.zeros((3, 1))

    def __len__(self):
        return 19

    def tobytes(self, order="C"):
        return b"0.999"

    def toarray(self):
        return self


class Lies(Objects):
    def transform(self, X):
        return np.full((7, 2), 0.999).view(_Lies)


class Wide(Objects):
    """Writes more columns than it has memory for, as a file that is empty on the disk."""

    def transform(self, X):
        _own_files()[0].truncate(8 * len(X) * 5_000_000)
        os._exit(0)


class LongReport(Objects):
    def transform(self, X):
        _own_files()[1].truncate(900_000_000)
        os._exit(0)


def _own_files():
    """Return the files for the result and for the report of an error."""
    files = []
    for path in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            files += [int(path.name)] * ("(deleted)" in str(path.readlink()))
    return [os.fdopen(file, "wb") for file in sorted(files)]
