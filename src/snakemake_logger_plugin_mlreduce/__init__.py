"""Snakemake logger plugin ``mlreduce``: a line per finished job, first tables, short errors, a plan for dry runs.

Selected by ``logger: mlreduce`` in the profile or ``--logger mlreduce``. Snakemake discovers it by the module's name.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from logging import DEBUG, INFO, LogRecord
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_mlreduce import progress, text

__all__ = ["LogHandler"]

_MANY = 200  # jobs; runs of more print about a hundred lines
_LINES = 10  # of an error
_MINUTE = 60.0  # seconds after which a run says how far it is
_UNKNOWN = "The job gave no reason; Snakemake's log in .snakemake/log may say more."


class Job(NamedTuple):
    """A job as the log describes it."""

    step: str
    study: str
    dataset: str
    others: str
    output: tuple[str, ...]

    @classmethod
    def from_record(cls, record: LogRecord) -> Job:
        """Return the job of a record of the events JOB_INFO and JOB_ERROR (which has no wildcards)."""
        given: dict[str, Any] = dict(getattr(record, "wildcards", None) or {})
        rule: str = getattr(record, "rule_name", "")
        output = tuple(getattr(record, "output", None) or ())
        study, dataset = str(given.pop("study", "")) or text.study_of(output), str(given.pop("dataset", ""))
        return cls(text.step_of(rule), study, dataset, " ".join(map(str, given.values())), output)

    @property
    def name(self) -> str:
        """Study, data set, step and further wildcards, which together are unique: ``gmba-2016  digits  fit  spec``."""
        return "  ".join(filter(None, [self.study, self.dataset, self.step, self.others]))

    @property
    def words(self) -> str:
        """The name with single spaces."""
        return " ".join(self.name.split())


class LogHandler(LogHandlerBase):
    """Print the log of a run for a person to read."""

    writes_to_stream = True  # replaces Snakemake's output on the screen; its file in .snakemake/log is still written
    writes_to_file = False
    has_filter = True  # jobs must be seen whatever --quiet says: their results are named later
    has_formatter = False  # Snakemake's, for --verbose and --debug-dag
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Start the clock and read the settings, which the base class has stored."""
        quiet = {str(level).rpartition(".")[2].lower() for level in self.common_settings.quiet or ()}
        self.dryrun: bool = self.common_settings.dryrun
        self.silent = "all" in quiet and not self.dryrun
        self.no_progress = bool(quiet & {"all", "progress"})
        self.no_reasons = "reason" in quiet
        self.stream: TextIO = sys.stdout if self.common_settings.stdout else sys.stderr
        self.terminal = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.started = time.monotonic()
        self.jobs: dict[int, Job] = {}
        self.running: dict[int, Job] = {}
        self.group: tuple[int, ...] = ()  # the jobs whose records come next, which are submitted as one
        self.failed: dict[int, Job] = {}
        self.plan: dict[tuple[str, str], Counter[str]] = {}
        self.targets: list[str] = []
        self.page: Callable[[], str | None] = lambda: None
        self.expected: Callable[[], tuple[dict[int, tuple[str, float]], int]] | None = None
        self.state: str | None = None  # the file that has the state of the run
        self.course: progress.Progress | None = None  # known when jobs are planned
        self.over = threading.Event()
        self.done = self.total = self.printed = 0
        self.shown: set[str] = set()  # studies whose first table was printed, messages and reasons
        self.reports: list[str] = []
        self.tables: list[str] = []
        self.interrupted = self.idle = self.ended = self.status = False
        self.ending = ""  # how the job ended whose error comes next

    def emit(self, record: LogRecord) -> None:
        """Print the lines for a record."""
        try:
            self._handle(record)
        except BrokenPipeError:
            raise
        except Exception:  # noqa: BLE001 - as logging does: an error of the log must not end the run
            self.handleError(record)

    def close(self) -> None:
        """Print the summary of the run."""
        if not self.ended:
            self.ended = True
            self.over.set()
            self._end()
            self._write_state()
        super().close()

    def _handle(self, record: LogRecord) -> None:
        event, settings = getattr(record, "event", None), self.common_settings
        # A Snakefile may name its targets, and the page of the results, which it knows when the jobs are planned.
        self.targets = list(getattr(record, "targets", self.targets))
        self.page = getattr(record, "page", self.page)
        self.expected = getattr(record, "expected", self.expected)
        self.state = getattr(record, "state", self.state)
        self.idle = self.idle or str(record.msg).startswith("Nothing to be done")
        handlers = {
            LogEvent.GROUP_INFO: self._group,
            LogEvent.JOB_INFO: self._job,
            LogEvent.JOB_FINISHED: self._finished,
            LogEvent.PROGRESS: self._progressed,
            LogEvent.RUN_INFO: self._stats,
            LogEvent.JOB_ERROR: self._job_error,
            LogEvent.ERROR: self._error,
        }
        if settings.verbose:  # every message of Snakemake, unchanged
            self._say(self.format(record))
        elif event in handlers:
            handlers[event](record)
        elif event == LogEvent.DEBUG_DAG and settings.debug_dag:
            self._say(self.format(record))
        elif event == LogEvent.SHELLCMD and settings.printshellcmds:
            self._say(str(getattr(record, "shellcmd", None) or record.msg))
        elif event is None and record.levelno > DEBUG:
            self._message(record)

    def _group(self, record: LogRecord) -> None:
        self.group = tuple(job.jobid for job in getattr(record, "jobs", None) or ())

    def _job(self, record: LogRecord) -> None:
        job, number = Job.from_record(record), getattr(record, "jobid", -1)
        self.jobs[number] = job
        if self.dryrun:
            why = "" if self.no_reasons else text.reason_of(getattr(record, "reason", ""))
            self.plan.setdefault((job.step, job.study), Counter())[why] += 1
        else:
            self.running[number] = job
            if self.course is not None:
                self.course.begin(number, time.monotonic(), self.group if number in self.group else ())
            self._progress()

    def _progressed(self, record: LogRecord) -> None:
        self.total = getattr(record, "total", self.total)
        self._progress()

    def _finished(self, record: LogRecord) -> None:
        number: int = getattr(record, "job_id", -1)
        self.running.pop(number, None)
        self.failed.pop(number, None)
        job = self.jobs.get(number)
        self.done += 1
        if self.course is not None:
            self.course.end(number, time.monotonic())
        if job is None or not job.output:  # a target: nothing was done
            return
        tables = [path for path in job.output if path.endswith(".md")] if job.step in ("table", "tables") else []
        self.tables += tables
        due = self.total <= _MANY or self.done * 100 // self.total > self.printed
        if not self.no_progress and (due or job.step in ("tables", "figures", "report")):
            self.printed = self.done * 100 // max(self.total, 1)
            self._say(f"[{self._count()}] {job.name}")
        if tables and job.study not in self.shown:
            self.shown.add(job.study)
            self._say(*text.first_table(tables[0], self._width()))

    def _stats(self, record: LogRecord) -> None:
        stats: dict[str, int] = dict(getattr(record, "stats", {}))
        self.total = stats.pop("total", self.total)
        if not self.dryrun:
            self.done = 0
            self._begin()
        elif self.plan:
            self._say(*text.plan_lines(self.plan, self._width()))
        elif self.no_progress:  # with --quiet, Snakemake stops here
            for rule, number in stats.items():
                self.plan.setdefault((text.step_of(rule), ""), Counter())[""] += number
            self._say(*text.plan_lines(self.plan, self._width()))

    def _begin(self) -> None:
        """Say how long the run is expected to take, and look at it each minute; once."""
        if self.expected is None or self.course is not None or not self.total:
            return
        self.course = progress.Progress(*self.expected())
        if not self.no_progress:
            self._say(f"{self.total} jobs, {progress.in_words(self.course.left(time.monotonic()))}")
        self._write_state()
        threading.Thread(target=self._look, name="mlreduce-progress", daemon=True).start()

    def _look(self) -> None:
        while not self.over.wait(_MINUTE):
            self.acquire()
            try:
                if not (self.interrupted or self.ended):
                    self._write_state()
                    if not (self.no_progress or self.terminal):
                        names = [job.words for job in self.running.values()]
                        more = ", ..." * (len(names) > 2)
                        self._say(f"[{self._count()}] {self._left()}; running: {', '.join(names[:2])}{more}")
            except OSError:  # of a full disk, or a closed stream: the run goes on
                pass
            finally:
                self.release()

    def _left(self) -> str:
        left = "" if self.course is None else progress.in_words(self.course.left(time.monotonic()))
        return f"{left} left" if left else ""

    def _write_state(self) -> None:
        if self.state is None or self.course is None:
            return
        now = time.monotonic()
        left = 0.0 if self.ended else round(self.course.left(now), 1)
        state: dict[str, Any] = {"jobs": self.total, "finished": self.done, "failed": len(self.failed)}
        state |= {"ended": self.ended, "seconds": round(now - self.started, 1), "seconds_left": left}
        state |= {"running": [job.words for job in self.running.values()]}
        state |= {"updated": datetime.now(UTC).isoformat(timespec="seconds")}
        from mlreduce.exceptions import StorageError  # not at the top: Snakemake imports all loggers at its start
        from mlreduce.files import write_text

        with contextlib.suppress(StorageError):  # the run is not worth less for it
            write_text(self.state, json.dumps(state, indent=1) + "\n")

    def _job_error(self, record: LogRecord) -> None:
        number = getattr(record, "jobid", -1)
        job = self.jobs.get(number, Job.from_record(record))
        self.running.pop(number, None)
        ending, self.ending = self.ending, ""
        if self.interrupted:
            return
        self.failed[number] = job
        logs = [str(path) for path in getattr(record, "log", None) or ()]
        from_cluster = text.cluster_reasons(getattr(record, "rule_msg", None))
        reasons = [*from_cluster, *text.last_words(logs)]
        lines = [f"Failed: {job.name}" if job.study else f"Failed: {job.name} ({', '.join(job.output[:1])})"]
        reason = "\n".join(reasons)
        if from_cluster and reason in self.shown:  # a queue that refuses a job refuses the next attempt too
            self._say(f"{lines[0]}, for the same reason as before")
            return
        self.shown.add(reason)
        lines += [f"  {line}" for line in reasons or [ending or _UNKNOWN]]
        written = [path for path in logs if Path(path).exists()]
        self._say(*lines[: _LINES - 1], *(f"  log: {path}" for path in written[:1]))

    def _error(self, record: LogRecord) -> None:
        message = str(record.msg)
        if "SIGINT" in message or "exit status 130" in message:
            self.interrupted = True
        elif "CalledProcessError" in message:
            self.ending = text.ending_of(message)
        elif "At least one job did not complete" not in message:
            lines = text.short_error(message, str(getattr(record, "exception", "")), self.targets)[:_LINES]
            self.ending = " ".join(lines)
            self._say(*lines)

    def _message(self, record: LogRecord) -> None:
        message = str(record.msg or "").strip()
        if message.startswith("Terminating processes on user request"):
            self.interrupted = True
            self._say("Stopping the running jobs.")
        elif message and message != "None" and not text.is_noise(message) and message not in self.shown:
            self.shown.add(message)
            lines = message.splitlines()
            self._say(*(lines if record.levelno <= INFO else lines[:_LINES]))

    def _count(self) -> str:
        total = str(self.total)
        return f"{self.done:>{len(total)}}/{total} {time.monotonic() - self.started:5.0f} s"

    def _width(self) -> int:
        return shutil.get_terminal_size((120, 24)).columns - 1 if self.terminal else 120

    def _progress(self) -> None:
        if self.terminal and not (self.dryrun or self.no_progress or self.interrupted):
            names = ", ".join(job.words for job in self.running.values())
            left = f", {self._left()}" if self.course is not None and self.done else ""
            line = f"[{self._count()}{left}] {names or '...'}"
            self.stream.write(f"\r\033[K{line[: self._width()]}")
            self.stream.flush()
            self.status = True

    def _say(self, *lines: str) -> None:
        if self.silent:
            return
        self.stream.write("\r\033[K" * self.status + "".join(f"{line}\n" for line in lines))
        self.stream.flush()
        self.status = False
        if self.running:
            self._progress()

    def _end(self) -> None:
        self.running.clear()
        if self.dryrun or not (self.total or self.idle):
            return
        finished = self.idle or self.done >= self.total
        page = self.page() if finished else None
        named = [f"The report: {page}"] if page else []
        if self.idle:
            self._say(*named)
            return
        seconds = time.monotonic() - self.started
        came = f"{self.done} of {self.total} jobs in {seconds:.0f} s"
        if self.no_progress:  # with --quiet progress, Snakemake does not tell which jobs have ended
            came = f"ended after {seconds:.0f} s"
        stopped = f"Interrupted: {came}; the same command resumes."
        lines = [stopped if self.interrupted else f"{came.capitalize()}."]
        if self.failed:
            names = "; ".join(job.words for job in list(self.failed.values())[:3])
            lines += [f"{len(self.failed)} failed: {names}{'; ...' * (len(self.failed) > 3)}"]
        if self.tables and not page:
            named = [f"Tables: {', '.join(self.tables[:3])}{', ...' * (len(self.tables) > 3)}"]
        self._say(*lines, *named)
