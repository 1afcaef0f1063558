"""Memory of this process, as Linux counts it."""

from __future__ import annotations

import ctypes
from pathlib import Path

_PROCESS = Path("/proc/self")
_M_ARENA_MAX = -8  # of mallopt(3)


def process_bytes(key: str) -> float:
    """Return bytes of this process, NaN where the system does not say.

    The key is "VmRSS", now; "VmHWM", the peak; "VmSize", the address space.
    """
    try:
        lines = (_PROCESS / "status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return float("nan")
    return next((float(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:")), float("nan"))


def allocate_in_one_arena() -> None:
    """Let all memory come from the main arena, whose free end `begin_peak` can give back.

    Without it glibc moves a thread for good to another arena where the main one is refused memory, as by the
    limit of a fit; what is free at the end of that stays with the process, and a later fit takes it without a trace.
    """
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
    except (OSError, AttributeError, TypeError):  # not glibc
        return


def begin_peak() -> None:
    """Give back what is free, which would be taken again without a trace, and begin a new peak."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
        (_PROCESS / "clear_refs").write_text("5", encoding="ascii")
    except (OSError, AttributeError, TypeError):  # not Linux
        return
