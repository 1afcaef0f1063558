"""How much memory this process may still take, and the refusal of what needs more."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from mlreduce.exceptions import DataError

__all__ = ["MEMORY_SHARE", "check_memory", "machine_memory", "memory_left"]

#: Share of the memory that is left that an array may take.
MEMORY_SHARE = 0.8

_PAGE = 4096 if not hasattr(os, "sysconf") else os.sysconf("SC_PAGE_SIZE")


def machine_memory() -> int | None:
    """Return the bytes of memory of this machine; None where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * _PAGE
    except (AttributeError, ValueError, OSError):  # not on Windows
        return None


def memory_left() -> tuple[float, str]:
    """Return the bytes that this process may still take, and by whose limit; infinity where the system does not say.

    The least of the machine's memory and the limit of the control group (containers, Slurm), less what the process
    holds, and of the limit of the address space (``ulimit -v``), less what the process has of it.
    """
    space, held = _taken()
    limits = [
        (float(machine_memory() or "inf") - held, "this machine"),
        (_group_memory() - held, "the control group of this process"),
        (_address_space() - space, "ulimit -v"),
    ]
    return max(min(limits), (0.0, ""))[0], min(limits)[1]


def check_memory(n_bytes: float, what: str, advice: str, of: tuple[int, str] | None = None) -> None:
    """Refuse what needs more than four fifths of `memory_left`.

    Parameters
    ----------
    n_bytes : float
    what : str
        What needs them, the subject of the sentence.
    advice : str
        What would fit.
    of : (int, str) or None, default=None
        The number to which the bytes are proportional and what it counts, ``(30_938, "labels")``: how many would fit is
        said too.

    Raises
    ------
    DataError
        With both numbers, whose limit it is, and the advice.
    """
    left, whose = memory_left()
    if n_bytes > MEMORY_SHARE * left:
        fitting = "" if of is None else f" (about {int(MEMORY_SHARE * left / n_bytes * of[0])} of {of[0]} {of[1]} fit)"
        raise DataError(
            f"{what} needs about {n_bytes / 1e9:.3g} GB of memory, and {left / 1e9:.3g} GB are left by the limit of "
            f"{whose}: {advice}{fitting}"
        )


def _taken() -> tuple[int, int]:
    """Return the bytes of address space and of memory that this process has; 0 where the system does not say."""
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
