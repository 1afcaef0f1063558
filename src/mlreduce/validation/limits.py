"""Limits on the processor time and the memory of one call of an estimator, which then fails as any other error does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from mlreduce.validation import taken_memory


class TimeLimitError(Exception):
    """An estimator took more processor time than its study allows."""


class MemoryLimitError(Exception):
    """An estimator took more memory than its study allows."""


#: What was over its limit, by the name of the error, which a table of failures has.
OVER = {TimeLimitError.__name__: "time", MemoryLimitError.__name__: "memory"}


class Waiting:
    """How long this process has waited, in seconds of the wall, for methods that run in other processes."""

    seconds: ClassVar[float] = 0.0


@contextmanager
def within_limits(limits: Mapping[str, float]) -> Iterator[None]:
    """Within the block, raise where more processor time or memory is taken than allowed.

    ``limits`` perhaps has ``seconds``, of the processor, ``wall_seconds``, of the clock, and ``gigabytes``, in addition
    to what the process has before. A call into compiled code ends before its time is looked at. Nothing is limited in
    other threads than the main one, whose signals these are, nor on systems without them. Raises TimeLimitError or
    MemoryLimitError if one of them is exceeded.

    Examples
    --------
    >>> from mlreduce.validation.limits import within_limits
    >>> with within_limits({"seconds": 0.1}):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    mlreduce.validation.limits.TimeLimitError: took more than 0.1 s, the limit of the study
    """
    if not limits or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGPROF"):
        yield
        return
    clock = _limit_time(limits.get("wall_seconds"), signal.SIGALRM, signal.ITIMER_REAL, again=1.0)
    processor = _limit_time(limits.get("seconds"), signal.SIGPROF, signal.ITIMER_PROF)
    with _limit_memory(limits.get("gigabytes")), clock, processor:
        yield


@contextmanager
def _limit_time(seconds: float | None, number: int, timer: int, again: float = 0.0) -> Iterator[None]:
    """Raise after some seconds, and again where that was ignored, as in callbacks of compiled code."""
    if seconds is None:
        yield
        return

    def over(*_: Any) -> None:
        raise TimeLimitError(f"took more than {seconds:g} s, the limit of the study")

    former = signal.signal(number, over)
    signal.setitimer(timer, seconds, again)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, former)


@contextmanager
def _limit_memory(gigabytes: float | None) -> Iterator[None]:
    held, _ = (0, 0) if gigabytes is None else taken_memory()
    if not held or gigabytes is None:
        yield
        return
    import resource  # not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = held + int(gigabytes * 1e9)
    allowed = min((bound for bound in (wanted, soft, hard) if bound != resource.RLIM_INFINITY), default=wanted)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    try:
        yield
    except MemoryError as error:
        if allowed < wanted:
            raise
        raise MemoryLimitError(f"took more than {gigabytes:g} GB, the limit of the study") from error
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
