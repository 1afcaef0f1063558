"""Classes that try to get at labels, to change what is measured, or to hang: entries of the leaderboard must not."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import gc
import itertools
import os
import signal
import socket
import stat
import sys
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
