"""How fast this machine is, in units of the one on which fits were measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import numpy as np
import threadpoolctl

#: Processor seconds of each kind of work on the machine of docs/scale/fits.csv.
REFERENCE = {"decompose": 0.0123, "pass_over": 0.0082, "call": 0.0093}
# Times that each is done; the fastest counts.
_TIMES = 5


@cache
def machine_factor() -> float:
    """Return how many times as many processor seconds work takes here, by a measurement of a fraction of a second.

    The median of three kinds of work: a product with its eigenvalues, passes over arrays, and many small calls. It is
    measured once in a process.

    Examples
    --------
    >>> from mlreduce.methods.calibration import machine_factor
    >>> machine_factor() == machine_factor()
    True
    """
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        ratios = [_least_seconds(work) / REFERENCE[name] for name, work in _WORK.items()]
    return float(np.median(ratios))


def _least_seconds(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(_TIMES):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return max(min(seconds), 1e-6)


def _decompose() -> None:
    values = np.random.default_rng(0).standard_normal((700, 450))
    np.linalg.eigh(values.T @ values)


def _pass_over() -> None:
    values = np.random.default_rng(0).random(1_000_000)
    np.sort(np.exp(values)).cumsum()


def _call() -> None:
    row = np.ones(5)
    for _ in range(15_000):
        row = np.abs(row * 0.5 + 0.5)


_WORK = {"decompose": _decompose, "pass_over": _pass_over, "call": _call}
