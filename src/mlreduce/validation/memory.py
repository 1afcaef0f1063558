"""How much memory this process may still take, and errors where an array or a fit needs more."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mlreduce.complexity import Complexity, Sizes
from mlreduce.exceptions import DataError, OutOfMemoryError

#: Share of the memory that is left that an array may take.
MEMORY_SHARE = 0.8

#: Number of cells beyond which labels and targets are stored as a sparse matrix where they are one, or it is smaller.
DENSE_CELLS = 2**25

#: Bytes up to which an array needs no check: the system's files, which say how much is left, take longer to read than
#: a row takes to predict.
SMALL_BYTES = 2**24

_PAGE = 4096 if not hasattr(os, "sysconf") else os.sysconf("SC_PAGE_SIZE")


def machine_memory() -> int | None:
    """Return the bytes of memory of this machine; None where the system does not report them."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * _PAGE
    except (AttributeError, ValueError, OSError):  # not on Windows
        return None


def memory_left() -> tuple[float, str]:
    """Return the bytes that this process may still take, and by whose limit; infinity where the system reports none.

    The least of the machine's memory and the limit of the control group (containers, Slurm), less what the process
    holds, and of the limit of the address space (``ulimit -v``), less what the process has of it.
    """
    space, held = taken_memory()
    limits = [
        (float(machine_memory() or "inf") - held, "this machine"),
        (_group_memory() - held, "the control group of this process"),
        (_address_space() - space, "ulimit -v"),
    ]
    return max(min(limits), (0.0, ""))[0], min(limits)[1]


def check_memory(n_bytes: float, what: str, advice: str, of: tuple[int, str] | None = None, power: int = 1) -> None:
    """Refuse what needs more than `SMALL_BYTES` and than four fifths of `memory_left`.

    Parameters
    ----------
    n_bytes : float
    what : str
        What needs them, the subject of the sentence.
    advice : str
        What would fit.
    of : (int, str) or None, default=None
        The number to which the bytes are proportional and what it counts, ``(30_938, "labels")``: how many would fit is
        added.
    power : int, default=1
        The power of this number to which they are, 2 for all pairs.

    Raises
    ------
    DataError
        With both numbers, whose limit it is, and the advice.
    """
    if n_bytes <= SMALL_BYTES:
        return
    left, whose = memory_left()
    if n_bytes > MEMORY_SHARE * left:
        share = (MEMORY_SHARE * left / n_bytes) ** (1.0 / power)
        fitting = "" if of is None else f" (about {int(share * of[0])} of {of[0]} {of[1]} fit)"
        raise DataError(
            f"{what} needs about {n_bytes / 1e9:.3g} GB of memory, and {left / 1e9:.3g} GB are left by the limit of "
            f"{whose}: {advice}{fitting}"
        )


def out_of_memory(error: MemoryError, what: str) -> OutOfMemoryError:
    """Return the error of a method or command that ran out of memory: NumPy's sentence, and how much is left.

    Parameters
    ----------
    error : MemoryError
    what : str
        What ran out of memory, the subject of the sentence.
    """
    if isinstance(error, OutOfMemoryError):
        return error
    left, whose = memory_left()
    reason = f": {error}" if str(error) else ""
    remains = f"{left / 1e9:.3g} GB are left by the limit of {whose}"
    return OutOfMemoryError(f"{what} ran out of memory{reason}; {remains}: give less data at once")


def check_fit_memory(estimator: Any, X: Any, y: Any = None) -> None:
    """Refuse a fit for which the memory does not suffice, by the complexity that the class of the estimator declares.

    Raises
    ------
    DataError
        With the bytes, what is left, and how many rows, features or labels would fit.
    """
    complexity = getattr(type(estimator), "complexity", None)
    lengths: list[tuple[int, ...]] = [getattr(table, "shape", ()) for table in (X, y)]
    if not isinstance(complexity, Complexity) or not any(lengths):
        return
    n = lengths[0][0] if lengths[0] else lengths[1][0]
    d, q = (
        0 if table is None else shape[1] if len(shape) == 2 else 1 for table, shape in zip((X, y), lengths, strict=True)
    )
    sparse = hasattr(X, "nnz")
    wanted = getattr(estimator, "n_components", getattr(estimator, "k", 1))
    k = wanted if isinstance(wanted, (int, np.integer)) else 1
    sizes = Sizes(n, d, q, int(X.nnz) if sparse else n * d, int(k), _present(y, n * q))
    if complexity.iterates(sizes, sparse):
        return
    left, whose = memory_left()
    room = MEMORY_SHARE * left

    def needed(sizes: Sizes) -> float:
        return complexity.least_bytes * complexity.numbers(sizes)

    if needed(sizes) <= room:
        return
    fitting = {
        "rows": _largest(n, lambda part: needed(_scaled(sizes, part, "n", "s", "p")) <= room),
        "features": _largest(d, lambda part: needed(_scaled(sizes, part, "d", "s")) <= room),
        "labels": _largest(q, lambda part: needed(_scaled(sizes, part, "q", "p")) <= room),
    }
    would = " or ".join(f"{number:,} {what}" for what, number in fitting.items() if number)
    raise DataError(
        f"{type(estimator).__name__} needs {needed(sizes) / 1e9:.3g} GB of memory at least for {_counted(n, d, q)}, "
        f"and {left / 1e9:.3g} GB are left by the limit of {whose}"
        + (
            f": with the other numbers as they are, about {would} would fit"
            if would
            else ": take a smaller part of them"
        )
    )


def _present(y: Any, most: int) -> int:
    if hasattr(y, "nnz"):
        return int(y.nnz)
    return int(np.count_nonzero(y)) if isinstance(y, np.ndarray) and y.dtype.kind in "biuf" else most


def _scaled(sizes: Sizes, share: float, *names: str) -> Sizes:
    return replace(sizes, **{name: int(getattr(sizes, name) * share) for name in names})


def _largest(number: int, fits: Callable[[float], bool]) -> int:
    """Return how many of a number fit, by bisection."""
    low, high = 0, number
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle / number) else (low, middle)
    return low


def _counted(n: int, d: int, q: int) -> str:
    parts = [f"{number:,} {what}" for number, what in ((n, "rows"), (d, "features"), (q, "labels")) if number]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def taken_memory() -> tuple[int, int]:
    """Return the bytes of address space and of memory that this process has; 0 if the system does not report them."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
    except OSError:  # not on Linux
        return 0, 0
    return int(pages[0]) * _PAGE, int(pages[1]) * _PAGE


def _address_space() -> float:
    try:
        import resource
    except ImportError:  # on Windows
        return float("inf")
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return float("inf") if soft == resource.RLIM_INFINITY else float(soft)


@cache
def _group_memory(groups: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> float:
    """Return the least limit of the control groups that this process is in, of version 1 or 2, and of their parents."""
    try:
        lines = groups.read_text(encoding="utf-8").splitlines()
    except OSError:
        return float("inf")
    limits = [float("inf")]
    for _, controllers, group in (line.split(":", 2) for line in lines if line.count(":") >= 2):
        if controllers and "memory" not in controllers.split(","):
            continue
        base, name = (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        folder = base / group.lstrip("/")
        for place in (folder, *folder.parents):
            if not place.is_relative_to(base):
                break
            try:
                limits.append(float((place / name).read_text(encoding="ascii").strip().replace("max", "inf")))
            except (OSError, ValueError):  # in a container the group of the host is not there
                continue
    return min(limits)
