"""Process that runs the code of an entry, without access to the files and the processes of the scorer.

``python -m mlreduce_studies.leaderboard.confined SPECIFICATION`` is started by `mlreduce_studies.leaderboard.apart`.
The process first gives up rights, and only then imports the class. Each fit and each transform runs in a fork, which
reads arrays from one file and writes numbers or bytes to another.
"""

from __future__ import annotations

import ctypes
import json
import os
import pickle  # noqa: TID251 - loaded where the code that it runs may do nothing more
import platform
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlreduce import registry
from mlreduce.evaluation.ratings import ratings
from mlreduce.evaluation.seeds import set_seed

# Bytes of a file that is written, processes where a namespace counts them, and characters of an error.
_FILE, _PROCESSES, _LENGTH = 1_000_000_000, 500, 500

# Of Linux: <linux/prctl.h> and <linux/landlock.h>; system calls have these numbers on all processors.
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
# Rights on files by version of Landlock; all other changes of files are among them.
_RIGHTS = {1: 13, 2: 14, 3: 15}
# From version 6 on: no signals to processes outside, and no sockets without a name in the file system.
_SCOPED, _SCOPES = 6, 3

# Of <linux/mount.h> and <linux/keyctl.h>; the number of the last call is that of x86 or of newer processors.
_MS_BIND, _MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _RDONLY = 4096, 442, -100, 0x8000, 1
_KEYCTL, _JOIN_SESSION_KEYRING = (250 if platform.machine() == "x86_64" else 219), 1
# Of <linux/capability.h>.
_CAPABILITY_VERSION = 0x20080522

# Folders that a program needs from the system; entries can read these and their packages, and no other files.
_SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc", "/proc", "/sys", "/dev")


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process."""
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _restrict_files(readable: Sequence[str], writable: Sequence[str]) -> bool:
    """Deny this process and its children access to all other files, by Landlock; return False where it is missing.

    Landlock denies access to the memory of processes outside too.
    """
    call = ctypes.CDLL(None, use_errno=True).syscall
    version = call(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    rights = (1 << _RIGHTS.get(version, max(_RIGHTS.values()))) - 1
    attributes = np.array([rights, 0, _SCOPES if version >= _SCOPED else 0], dtype=np.uint64)
    size = attributes.nbytes if version >= _SCOPED else 8
    ruleset = call(_CREATE_RULESET, attributes.ctypes.data_as(ctypes.c_void_p), size, 0)
    reading = _EXECUTE | _READ_FILE | _READ_DIR
    for paths, allowed in ((readable, reading), (writable, rights), (["/dev/null"], _READ_FILE | _WRITE_FILE)):
        for path in paths:
            with suppress(OSError):
                folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
                of_file = _EXECUTE | _WRITE_FILE | _READ_FILE
                rights_here = allowed if os.path.isdir(path) else allowed & of_file  # noqa: PTH112
                rule = np.array([rights_here], dtype=np.uint64).tobytes() + np.array([folder], dtype=np.int32).tobytes()
                call(_ADD_RULE, ruleset, 1, rule, 0)
                os.close(folder)
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    return bool(call(_RESTRICT_SELF, ruleset, 0) == 0)


def _restrict_attributes(folder: str) -> bool:
    """Make everything but a folder read-only in this namespace, for good; return False where it cannot be.

    Landlock does not deny changes of dates, modes and extended attributes, which can hold labels.
    """
    libc, name = ctypes.CDLL(None), os.fsencode(folder)
    mounts = (ctypes.c_uint64 * 4)(_RDONLY, 0, 0, 0), (ctypes.c_uint64 * 4)(0, _RDONLY, 0, 0)
    done = libc.mount(name, name, None, ctypes.c_ulong(_MS_BIND), None) == 0
    for path, flags, attributes in ((b"/", _AT_RECURSIVE, mounts[0]), (name, 0, mounts[1])):
        done = done and libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, path, flags, ctypes.byref(attributes), 32) == 0
    os.chdir(folder)
    header, nothing = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    return libc.capset(ctypes.byref(header), ctypes.byref(nothing)) == 0 and done


def _give_up_rights(specification: Mapping[str, Any]) -> tuple[bool, bool]:
    """Set limits that cannot be raised again; return whether access to files, and to their attributes, is denied."""
    import resource  # not on Windows

    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - nothing of pathlib is needed here
        held = int(file.read().split()[0]) * resource.getpagesize()
    memory = int(held + 1e9 * specification["gigabytes"])
    limits = {resource.RLIMIT_AS: memory, resource.RLIMIT_FSIZE: _FILE, resource.RLIMIT_CORE: 0}
    if specification["namespaces"]:  # otherwise those of the user are counted
        limits[resource.RLIMIT_NPROC] = _PROCESSES
    for limit, value in limits.items():
        _, hard = resource.getrlimit(limit)
        lower = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (lower, lower))
    prctl(_PR_SET_NO_NEW_PRIVS, 1)  # sudo has no effect
    # Keys outlive processes, and the keyring of the session is that of the scorer.
    ctypes.CDLL(None).syscall(_KEYCTL, _JOIN_SESSION_KEYRING, None)
    attributes = bool(specification["namespaces"]) and _restrict_attributes(specification["folder"])
    readable = [*_SYSTEM, sys.prefix, sys.base_prefix, *filter(None, sys.path), *specification["paths"]]
    return _restrict_files(readable, [specification["folder"]]), attributes


def _make(family: str, method: Mapping[str, Any]) -> Any:
    """Return the estimator of an entry; raise TypeError if it lacks the methods of its family."""
    registry.check_entry("entry", method)
    estimator = registry.make_entry("entry", method)
    name = method["class"]
    transformer = getattr(estimator, "transformer", estimator)
    if family == "projection" and not callable(getattr(transformer, "transform", None)):
        raise TypeError(f"{name} cannot be a method that reduces features: it has no transform")
    if family == "labelspace":
        from mlreduce.labelspace.base import LabelCoder

        if not isinstance(estimator, LabelCoder):
            raise TypeError(f"{name} is no label coder; it derives from mlreduce.labelspace.LabelCoder")
    return estimator


def _fit(estimator: Any, arrays: Mapping[str, Any], _: Any) -> bytes:
    estimator.fit(arrays["X"], arrays["Y"])
    return pickle.dumps(estimator)


def _fitted(arrays: Mapping[str, Any]) -> Any:
    return pickle.loads(arrays["state"].tobytes())  # noqa: S301 - as above


def _transform(_: Any, arrays: Mapping[str, Any], __: Any) -> bytes:
    image = _fitted(arrays).transform(arrays["X"])
    dense = np.asarray(image.toarray() if hasattr(image, "toarray") else image, dtype=np.float64)
    if dense.ndim != 2 or len(dense) != arrays["X"].shape[0]:
        raise ValueError(f"transform returned {dense.shape} for {arrays['X'].shape[0]} rows")
    return dense.tobytes()


def _rate(estimator: Any, arrays: Mapping[str, Any], _: Any) -> bytes:
    estimator.fit(arrays["X"], arrays["Y"])
    return ratings(estimator, arrays["X"].shape[1]).tobytes()


def _code(_: Any, arrays: Mapping[str, Any], __: Any) -> bytes:
    coder = _fitted(arrays)
    return np.asarray(coder.training_codes(arrays["Y"], arrays["X"]), dtype=np.float64).tobytes()


def _decode(_: Any, arrays: Mapping[str, Any], sizes: Sequence[int]) -> bytes:
    """Return the columns of scores, then those of labels, at each size."""
    coder = _fitted(arrays)
    decoded = [
        np.hstack([coder.scores(centred, size), coder.round(centred, size)])
        for size, centred in zip(sizes, coder.reconstruct_sizes(arrays["codes"], sizes), strict=True)
    ]
    return np.asarray(decoded, dtype=np.float64).tobytes()


_VERBS: Mapping[str, Callable[[Any, Mapping[str, Any], Any], bytes]] = {
    "fit": _fit,
    "transform": _transform,
    "rate": _rate,
    "code": _code,
    "decode": _decode,
}


def _call(request: Mapping[str, Any], estimator: Any, files: Sequence[int]) -> None:
    """Run one call in a fork, and write what it returns, or the error."""
    given, result, report = files
    try:
        with os.fdopen(given, "rb") as file, np.load(file, allow_pickle=False) as stored:  # noqa: TID251
            arrays = {name: stored[name] for name in stored.files}
        for name in request["sparse"]:
            parts = tuple(arrays.pop(f"{name}.{part}") for part in ("data", "indices", "indptr"))
            arrays[name] = sp.csr_array(parts, shape=tuple(arrays.pop(f"{name}.shape")))
        np.random.seed()  # noqa: NPY002 - forks have the state of their parent
        set_seed(estimator, request["named"], request["seed"])
        returned = _VERBS[request["verb"]](estimator, arrays, request["more"])
        with os.fdopen(result, "wb") as output:
            output.write(returned)
    except BaseException as error:  # noqa: BLE001 - whatever the code of others raises
        os.write(report, _sentence(error).encode()[:_LENGTH])


def _sentence(error: BaseException) -> str:
    return "MemoryError" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"


def _serve(connection: socket.socket) -> None:
    """Process requests until the connection is closed."""
    made: dict[str, Any] = {}
    while True:
        text, files, *_ = socket.recv_fds(connection, 1 << 20, 3)
        if not text:
            return
        request = json.loads(text)
        if "make" in request:
            try:
                made[request["make"]] = _make(request["family"], json.loads(request["make"]))
                answer = ""
            except BaseException as error:  # noqa: BLE001 - as above
                answer = _sentence(error)
            connection.send(json.dumps(answer[:_LENGTH]).encode())
            continue
        child = os.fork()
        if not child:
            try:
                connection.close()
                _call(request, made[request["method"]], files)
            finally:
                os._exit(0)
        for file in files:
            os.close(file)
        _, status = os.waitpid(child, 0)
        with suppress(ChildProcessError):  # those whose parent has ended
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        connection.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())


def main(arguments: Sequence[str]) -> int:
    """Give up rights, report which of them, and serve requests."""
    specification = json.loads(arguments[0])
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    connection = socket.socket(fileno=specification["socket"])
    protections = _give_up_rights(specification)
    connection.send(json.dumps(protections).encode())
    sys.path[:0] = specification["paths"]
    _serve(connection)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
