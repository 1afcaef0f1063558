"""Comparisons within limits of time and memory: on as many instances as fit, in processes in which fits are ended."""

from __future__ import annotations

import math
import multiprocessing
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import joblib
import numpy as np
from joblib.externals.loky import ProcessPoolExecutor

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.compared import Method
from mlreduce.evaluation.jobs import Common, Job, factorise, progress_bar, run_job, warm_up, watch_parent
from mlreduce.evaluation.request import Request, stored_results, to_run
from mlreduce.evaluation.store import Store
from mlreduce.model_selection import iterative_stratification
from mlreduce.validation import memory_left, taken_memory
from mlreduce.validation.limits import MemoryLimitError, within_limits

# Instances of the first sample; how many times as many the next may have; of how many times as many one is drawn.
_FIRST, _STEP, _POOL = 250, 8, 10
# The share of the time left that a cross-validation on more instances is planned to take, and the power of their
# number by which it grows until that is measured.
_PLANNED, _GROWTH = 0.6, 1.5
# The share of the memory available that is the limit by default.
_MEMORY = 0.5
# Why there is no result.
_TIME, _SPACE, _LOST = "time", "memory", "lost"
_FORKS = "fork" in multiprocessing.get_all_start_methods()
# Seconds after which a process that does not end a job is ended.
_GRACE = 10.0 if _FORKS else 0.0
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def available_gigabytes() -> float:
    """Return the memory that this machine has available, or the limit of this process where that is less."""
    n_bytes = memory_left()[0]
    with suppress(OSError, ValueError, IndexError):  # not on Linux
        text = Path("/proc/meminfo").read_text(encoding="ascii")
        n_bytes = min(n_bytes, 1024.0 * int(text.split("MemAvailable:")[1].split()[0]))
    return n_bytes / 1e9


def default_gigabytes() -> float:
    """Return the limit of the memory of a comparison with a budget of time: half of what is available."""
    return _MEMORY * available_gigabytes()


def sampled(data: MultiLabelData, number: int, random_state: int) -> MultiLabelData:
    """Return a stratified sample of the instances, in their order; all of them where there are no more."""
    total = data.Y.shape[0]
    if number >= total:
        return data
    pool = np.random.default_rng(random_state % 2**32).permutation(total)[: _POOL * number]
    if number < len(pool):
        sizes, seed = [number, len(pool) - number], random_state % 2**32
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # labels too rare for the sample
            pool = pool[iterative_stratification(data.Y[pool], sizes, random_state=seed, rest=True) == 0]
    rows = np.sort(pool)
    return MultiLabelData(
        *(data.X[rows], data.Y[rows], data.feature_names, data.label_names, data.name), impute=data.impute
    )


@dataclass
class Outcome:
    """What came of a comparison within limits."""

    #: On the instances that were taken.
    request: Request
    #: Of the methods that are not left out.
    jobs: list[Job]
    #: By the keys of the jobs; some may be missing.
    results: dict[str, Any]
    #: Sentences on what was left out.
    notes: list[str] = field(default_factory=list)


@dataclass
class _Trial:
    """A cross-validation on some instances, of which the first fold is run."""

    request: Request
    jobs: list[Job]
    results: dict[str, Any]
    path: Path
    #: Of the jobs of the first fold, by method.
    seconds: dict[str, float] = field(default_factory=dict)
    #: Why there is no result of a method, and how one failed.
    over: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """Number of instances."""
        return int(self.request.data.Y.shape[0])

    def expected(self, n_processes: int, folds: int = 0) -> float:
        """Return how many seconds some folds take, all of them by default."""
        return (folds or len(self.request.splits)) * sum(self.seconds.values()) / n_processes


class _Process:
    """A process that runs jobs, each in a fork of itself, which ends with the time of the job.

    It has one thread: those of OpenMP would be missing in its forks. Where there are no forks, as on Windows, it is
    ended itself and another one started.
    """

    def __init__(self, gigabytes: float) -> None:
        self._gigabytes = gigabytes
        self._pool: Any = None

    def start(self, common: Common, methods: Sequence[Method], seconds: float) -> bool:
        """Start the process, unless it runs or that takes too long; return whether it runs."""
        try:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(1, env=_ONE_THREAD)
                self._pool.submit(_prepare, common, methods).result(_timeout(seconds))
        except (TimeoutError, BrokenExecutor):
            self.end()
        return self._pool is not None

    def run(self, job: Job, common: Common, path: Path, seconds: float) -> tuple[Any, float]:
        """Return what comes of a job in some seconds, or why nothing does, and how many it took."""
        began = time.monotonic()
        try:
            made = self._pool.submit(_run_forked, job, common, path, self._gigabytes, seconds)
            made = made.result(_timeout(seconds + _GRACE))
        except TimeoutError:
            self.end()
            made = _TIME
        except BrokenExecutor:
            self.end()
            made = _LOST
        return made, time.monotonic() - began

    def end(self) -> None:
        """End the process, and what runs in it."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(kill_workers=True)


def _timeout(seconds: float) -> float | None:
    return None if math.isinf(seconds) else seconds


def _prepare(common: Common, methods: Sequence[Method]) -> None:
    """Import what the jobs need, and load or compile functions by small jobs, once for all forks."""
    if _FORKS:
        watch_parent(common.owner)
    common.register()
    for label, entry in common.settings["predictors"].items():
        registry.make_entry(label, entry)
    for method in methods:
        registry.make_entry(method.label, method.entry)
        warm_up(method, common)


def _run_forked(job: Job, common: Common, path: Path, gigabytes: float, seconds: float) -> Any:
    """Run a job in a fork of this process; return its result, an error, or why there is none."""
    if not _FORKS:
        return _run_limited(job, common, path, gigabytes)
    forks = multiprocessing.get_context("fork")
    receiver, sender = forks.Pipe(duplex=False)
    fork = forks.Process(target=_send, args=(sender, os.getpid(), job, common, path, gigabytes), daemon=True)
    fork.start()
    sender.close()
    try:
        if not receiver.poll(_timeout(seconds)):
            return _TIME
        made = receiver.recv()
    except EOFError:
        return _LOST
    finally:
        fork.kill()
        fork.join()
    if isinstance(made, Exception):
        raise made
    return made


def _send(sender: Any, parent: int, *arguments: Any) -> None:
    """Send what comes of a job, to the process that this one is a fork of, and end with it."""
    watch_parent(parent)
    try:
        made: Any = _run_limited(*arguments)
    except Exception as error:  # noqa: BLE001 - raised by the receiver
        made = error
    sender.send(made)


def _run_limited(job: Job, common: Common, path: Path, gigabytes: float) -> Any:
    """Return the result of a job, or that it needs too much memory."""
    try:
        with within_limits({"gigabytes": max(gigabytes - taken_memory()[1] / 1e9, 0.01)}):
            data = joblib.load(path, mmap_mode="r")  # noqa: TID251 - in a folder of this call alone
            coded = job.method.family == "labelspace"
            design = factorise(data, common.settings["scaling"]) if coded else None
            return run_job(job, replace(common, data=data, design=design))[1]
    except (MemoryError, MemoryLimitError):
        return _SPACE


class Limited:
    """A comparison within limits.

    The first fold is run on few instances, then on as many more as the time and the memory are expected to suffice for,
    and the other folds on the most on which no method was over its limits. ``make`` returns a `Request` on a number of
    instances, of which ``most`` are all; fewer may be taken with ``samples`` alone. The deadline is as of
    ``time.monotonic`` and may be infinite; the gigabytes are those of all ``n_jobs`` processes together.
    """

    def __init__(
        self,
        make: Callable[[int], Request],
        most: int,
        samples: bool,
        deadline: float,
        gigabytes: float,
        n_jobs: int,
        cache: Store,
    ) -> None:
        self._make, self._most, self._deadline, self._cache = make, most, deadline, cache
        self._first = _FIRST if samples and most > 2 * _FIRST else most
        self._gigabytes, self._n_jobs, self._budget = gigabytes / n_jobs, n_jobs, deadline - time.monotonic()
        self._notes: list[str] = []
        self._out: set[str] = set()

    def run(self, progress: bool) -> Outcome:
        """Return what comes of it by the deadline; a bar shows the progress of the last cross-validation."""
        processes: SimpleQueue[_Process] = SimpleQueue()
        every = [_Process(self._gigabytes) for _ in range(self._n_jobs)]
        for process in every:
            processes.put(process)
        with tempfile.TemporaryDirectory(prefix="mlreduce-") as folder:
            self._folder, self._free, self._threads = Path(folder), processes, ThreadPoolExecutor(self._n_jobs)
            try:
                trial = self._largest()
                self._finish(trial, progress)
            finally:
                self._deadline = -math.inf  # no thread begins another job
                for process in every:
                    process.end()
                self._threads.shutdown(cancel_futures=True)
        return Outcome(trial.request, self._within(trial), trial.results, self._notes)

    def _left(self) -> float:
        return self._deadline - time.monotonic()

    def _within(self, trial: _Trial) -> list[Job]:
        """Return the jobs of the methods that are not left out."""
        return [job for job in trial.jobs if job.method.label not in self._out]

    def _largest(self) -> _Trial:
        """Return the trial on the most instances on which no method was over its limits."""
        trial = self._trial(self._first)
        share = min(self._n_jobs / len(trial.request.splits), 0.5 if len(trial.request.methods) > 1 else 1.0)
        self._run_first(trial, lambda: share * self._left())
        self._leave_out(trial)
        growth, reason = _GROWTH, f"all are expected to take longer than {self._budget:.3g} s"
        while trial.number < self._most and (number := self._next(trial, growth)):
            larger = self._trial(number)
            # What is left over by then suffices for the other folds on fewer instances.
            end = self._deadline - 1.2 * trial.expected(self._n_jobs, len(trial.request.splits) - 1)
            self._run_first(larger, lambda end=end: end - time.monotonic())  # type: ignore[misc]
            larger.over |= {label: text for label, text in larger.failed.items() if label not in trial.failed}
            if larger.over or not larger.results:
                label, why = next(iter(larger.over.items()), ("the first method", _TIME))
                reason = f"{label} {self._in_words(why, end - time.monotonic())} on {number:,}"
                break
            ratio = sum(larger.seconds.values()) / max(sum(trial.seconds.values()), 1e-9)
            growth = float(np.clip(math.log(max(ratio, 1)) / math.log(larger.number / trial.number), 1, 3))
            trial = larger
        if trial.number < self._most and trial.results:
            self._notes.append(
                f"compared on a stratified sample of {trial.number:,} of the {self._most:,} instances: {reason}"
            )
        return trial

    def _trial(self, number: int) -> _Trial:
        request = self._make(number)
        path = self._folder / str(number)
        joblib.dump(request.data, path)
        jobs = request.jobs()
        return _Trial(request, jobs, stored_results(self._cache, jobs), path)

    def _next(self, trial: _Trial, growth: float) -> int:
        """Return on how many instances the first fold is run next; 0 where the time suffices for hardly any more."""
        time_for = _PLANNED * max(self._left(), 0.0) / max(trial.expected(self._n_jobs), 1e-9)
        ratio = min(time_for ** (1 / growth), _STEP)
        if ratio * trial.number > 0.9 * self._most:
            return self._most
        return int(ratio * trial.number) if ratio >= 1.5 else 0

    def _run_first(self, trial: _Trial, allowed: Callable[[], float]) -> None:
        """Run the first fold, and record its seconds and which methods were over their limits."""
        first = [job for job in self._within(trial) if job.fold == 0]
        for job, made, seconds in self._run_each(trial, first, allowed):
            label = job.method.label
            if made is None:  # the time is over
                continue
            trial.seconds[label] = seconds
            if isinstance(made, str):
                trial.over[label] = made
            elif made["failures"]:
                trial.failed[label] = f"failed ({made['failures'][0][-1]})"

    def _finish(self, trial: _Trial, progress: bool) -> None:
        """Run the folds that are left, until the deadline."""
        left = self._within(trial)
        with progress_bar(len(left), progress) as bar:
            for job, made, _ in self._run_each(trial, left, self._left):
                if isinstance(made, str) and made != _TIME:
                    self._out.add(job.method.label)
                    self._notes.append(f"{job.method.label} is left out: it {self._in_words(made)}")
                if bar is not None:
                    bar.set_postfix_str(f"{job.method.label}, fold {job.fold + 1}")
                    bar.update()

    def _run_each(
        self, trial: _Trial, jobs: Sequence[Job], allowed: Callable[[], float]
    ) -> Iterator[tuple[Job, Any, float]]:
        """Yield the jobs that have no result yet, what comes of them and their seconds, as they end."""
        common = replace(trial.request.common(), data=None)  # type: ignore[arg-type]  # read from a file by each process

        def run(job: Job) -> tuple[Job, Any, float]:
            process = self._free.get()
            try:
                # What a process takes to start is no method's time.
                started = self._left() > 0 and process.start(common, trial.request.methods, self._left())
                if not started:
                    return job, None, 0.0
                seconds = min(allowed(), self._left())
                made = process.run(job, common, trial.path, seconds) if seconds > 0 else (_TIME, 0.0)
            finally:
                self._free.put(process)
            return job, *made

        for future in as_completed([self._threads.submit(run, job) for job in to_run(jobs, trial.results)]):
            job, made, seconds = future.result()
            if isinstance(made, dict):
                self._cache.write(job.key, made)
                trial.results[job.key] = made
            yield job, made, seconds

    def _leave_out(self, trial: _Trial) -> None:
        """Leave out methods that are over their limits on the fewest instances, or too slow for a second fold."""
        for label, why in trial.over.items():
            self._drop(trial, label, self._in_words(why, trial.seconds[label]))
        while len(trial.seconds) > 1 and trial.expected(self._n_jobs, 1) > self._left():
            slowest = max(trial.seconds, key=lambda label: trial.seconds[label])
            self._drop(trial, slowest, f"took {trial.seconds[slowest]:.2g} s")

    def _drop(self, trial: _Trial, label: str, why: str) -> None:
        del trial.seconds[label]
        self._out.add(label)
        self._notes.append(
            f"{label} is left out: with the predictors it {why} on {trial.number:,} instances and one fold"
        )

    def _in_words(self, why: str, seconds: float = 0.0) -> str:
        return {
            _TIME: f"took more than {seconds:.2g} s",
            _SPACE: f"needs more than {self._gigabytes:.2g} GB",
            _LOST: "lost its process, most often since memory ran out",
        }.get(why, why)
