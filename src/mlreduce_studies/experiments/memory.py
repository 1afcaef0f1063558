"""Memory of this process, as Linux counts it."""

from __future__ import annotations

import ctypes
from pathlib import Path

__all__ = ["begin_peak", "process_bytes"]

_PROCESS = Path("/proc/self")


def process_bytes(key: str) -> float:
    """Return bytes of this process, NaN where the system does not say.

    Parameters
    ----------
    key : str
        "VmRSS", now; "VmHWM", the peak; "VmSize", the address space.
    """
    try:
        lines = (_PROCESS / "status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return float("nan")
    return next((float(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:")), float("nan"))


def begin_peak() -> None:
    """Give back what is free, which would be taken again without a trace, and begin a new peak."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
        (_PROCESS / "clear_refs").write_text("5", encoding="ascii")
    except (OSError, AttributeError, TypeError):  # not Linux
        return
