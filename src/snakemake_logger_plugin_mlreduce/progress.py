"""How much of a run is left: from the expected seconds of its jobs, and what those that have ended took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from heapq import heapify, heappop

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
        self._groups: dict[int, tuple[int, ...]] = {}
        self._ended: set[int] = set()
        # By step: the seconds that the jobs which have ended took, those that were expected of them, those expected of
        # the others, and the jobs with the longest first, from which those that have begun or ended are taken when met.
        self._taken: dict[str, float] = defaultdict(float)
        self._foreseen: dict[str, float] = defaultdict(float)
        self._open: dict[str, float] = defaultdict(float)
        self._longest: dict[str, list[tuple[float, int]]] = defaultdict(list)
        for job, (step, seconds) in self._expected.items():
            self._open[step] += seconds
            self._longest[step].append((-seconds, job))
        for jobs in self._longest.values():
            heapify(jobs)

    def begin(self, job: int, now: float, group: tuple[int, ...] = ()) -> None:
        """Note that a job has begun, or that the group has in which it is run after others."""
        if job in self._expected:
            self._began[job] = now
            self._groups[job] = tuple(other for other in group if other in self._expected) or (job,)

    def end(self, job: int, now: float) -> None:
        """Note that a job has ended."""
        began = self._began.pop(job, None)
        if job in self._ended or job not in self._expected:
            return
        self._ended.add(job)
        step, seconds = self._expected[job]
        self._open[step] -= seconds
        if began is not None:  # jobs of a group end together, and each has its share of the seconds
            together = sum(self._expected[other][1] for other in self._groups[job])
            self._taken[step] += (now - began) * seconds / together
            self._foreseen[step] += seconds

    def left(self, now: float) -> float:
        """Return the seconds that are left: all jobs over the cores, and half of the longest, which may be last.

        Jobs of a step take longer than expected in the ratio of those that have ended, as far as these are many;
        otherwise in the ratio of all steps.
        """
        slower = (sum(self._taken.values()) + _PRIOR) / (sum(self._foreseen.values()) + _PRIOR)
        ratios = {
            step: (self._taken[step] + slower * _PRIOR) / (self._foreseen[step] + _PRIOR) for step in self._longest
        }
        waiting = dict(self._open)
        longest, total = 0.0, 0.0
        running: dict[tuple[int, ...], float] = defaultdict(float)
        for job in self._began:
            step, seconds = self._expected[job]
            running[self._groups[job]] += ratios[step] * seconds
            waiting[step] -= seconds
        for group, seconds in running.items():
            there = now - max(self._began.get(job, 0.0) for job in group)
            # What has taken longer than expected goes on for a while.
            left = max(seconds - there, 0.2 * there)
            longest, total = max(longest, left), total + left
        for step, jobs in self._longest.items():
            while jobs and (jobs[0][1] in self._ended or jobs[0][1] in self._began):
                heappop(jobs)
            total += ratios[step] * max(waiting[step], 0.0)
            longest = max(longest, ratios[step] * -jobs[0][0] if jobs else 0.0)
        return max(longest, total / self._cores + 0.5 * (1 - 1 / self._cores) * longest)


def in_words(seconds: float) -> str:
    """Return a duration in words: ``about 12 min``."""
    if seconds < 45:
        return "less than a minute"
    if seconds < 5400:
        return f"about {max(1, round(seconds / 60))} min"
    return f"about {seconds / 3600:.1f} h"
