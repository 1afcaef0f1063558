"""Seconds of calls, for several benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable


def best_of(function: Callable[[], object], seconds: float = 2.0) -> float:
    """Shortest of several runs, as many as fit into some seconds, two at least."""
    times: list[float] = []
    while len(times) < 2 or (sum(times) < seconds and len(times) < 20):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)
