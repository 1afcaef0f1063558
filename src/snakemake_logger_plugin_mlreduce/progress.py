"""How much of a run is left: from the expected seconds of its jobs, and what those that have ended took."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

# Seconds by which expectations count as much as what jobs of this run took.
_PRIOR = 30.0
# Seconds of a job of which nothing is expected.
_UNKNOWN = 3.0


class Progress:
    """The time that is left of a run.

    Parameters
    ----------
    expected : dict of int to float
        Seconds of each job by its number, as jobs like it took on another machine.
    cores : int
        Jobs that may run at once.

    Examples
    --------
    >>> from snakemake_logger_plugin_mlreduce.progress import Progress
    >>> run = Progress({1: 60.0, 2: 60.0, 3: 120.0}, cores=2)
    >>> run.left(0.0)
    120.0
    >>> run.begin(1, 0.0)
    >>> run.end(1, 120.0)  # this machine is slower
    >>> round(run.left(120.0))
    153
    """

    def __init__(self, expected: Mapping[int, float], cores: int) -> None:
        self._expected, self._cores = dict(expected), max(1, cores)
        self._began: dict[int, float] = {}
        self._ended: set[int] = set()
        self._taken = self._foreseen = 0.0

    def begin(self, job: int, now: float) -> None:
        """Note that a job has begun."""
        self._began[job] = now

    def end(self, job: int, now: float) -> None:
        """Note that a job has ended."""
        began = self._began.pop(job, None)
        if job in self._ended or job not in self._expected:
            return
        self._ended.add(job)
        if began is not None:
            self._taken += now - began
            self._foreseen += self._expected[job]

    def left(self, now: float) -> float:
        """Return the seconds that are left: those of all jobs over the cores, and of the longest at least."""
        slower = (self._taken + _PRIOR) / (self._foreseen + _PRIOR)
        each = []
        for job, seconds in self._expected.items():
            if job not in self._ended:
                there = now - self._began[job] if job in self._began else 0.0
                # What has taken longer than expected goes on for a while.
                each.append(max(slower * seconds - there, 0.2 * there))
        return max(sum(each) / self._cores, max(each, default=0.0))


def in_words(seconds: float) -> str:
    """Return a duration in words: ``about 12 min``."""
    if seconds < 45:
        return "less than a minute"
    if seconds < 5400:
        return f"about {max(1, round(seconds / 60))} min"
    return f"about {seconds / 3600:.1f} h"


def write(path: str | os.PathLike[str], state: Mapping[str, Any], running: Iterable[str]) -> None:
    """Write the state of a run to a file, which is there whole or as it was."""
    file = Path(path)
    content = {**state, "running": list(running), "updated": datetime.now(UTC).isoformat(timespec="seconds")}
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    temporary.replace(file)
