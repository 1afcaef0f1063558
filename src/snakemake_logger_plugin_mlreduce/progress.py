"""How much of a run is left: from the expected seconds of its jobs, and what those that have ended took."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

# Seconds by which expectations of a step count as much as what its jobs took, and those of all steps.
_PRIOR = 30.0


class Progress:
    """The time that is left of a run.

    Parameters
    ----------
    expected : dict of int to (str, float)
        By the number of a job its step, and the seconds that jobs like it took on another machine.
    cores : int
        Jobs that may run at once.

    Examples
    --------
    >>> from snakemake_logger_plugin_mlreduce.progress import Progress
    >>> run = Progress({1: ("fit", 60.0), 2: ("fit", 60.0), 3: ("fit", 120.0)}, cores=2)
    >>> run.left(0.0)
    150.0
    >>> run.begin(1, 0.0)
    >>> run.end(1, 120.0)  # this machine is slower
    >>> round(run.left(120.0))
    227
    """

    def __init__(self, expected: Mapping[int, tuple[str, float]], cores: int) -> None:
        self._expected, self._cores = dict(expected), max(1, cores)
        self._began: dict[int, float] = {}
        self._ended: set[int] = set()
        # Of the jobs of each step that have ended: the seconds that they took, and those that were expected.
        self._taken: dict[str, float] = defaultdict(float)
        self._foreseen: dict[str, float] = defaultdict(float)

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
            step, seconds = self._expected[job]
            self._taken[step] += now - began
            self._foreseen[step] += seconds

    def left(self, now: float) -> float:
        """Return the seconds that are left: all jobs over the cores, and half of the longest, which may be last.

        Jobs of a step take longer than expected in the ratio of those that have ended, as far as these are many;
        otherwise in the ratio of all steps.
        """
        slower = (sum(self._taken.values()) + _PRIOR) / (sum(self._foreseen.values()) + _PRIOR)
        each = []
        for job, (step, seconds) in self._expected.items():
            if job not in self._ended:
                ratio = (self._taken[step] + slower * _PRIOR) / (self._foreseen[step] + _PRIOR)
                there = now - self._began[job] if job in self._began else 0.0
                # What has taken longer than expected goes on for a while.
                each.append(max(ratio * seconds - there, 0.2 * there))
        longest = max(each, default=0.0)
        return max(longest, sum(each) / self._cores + 0.5 * (1 - 1 / self._cores) * longest)


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
