"""Limits on a call of an estimator: it fails as by any other error, and nothing of the limit stays."""

from __future__ import annotations

import resource
import signal
import threading

import numpy as np
import pytest

from mlreduce.evaluation.failures import FailedCellWarning, Failures
from mlreduce.validation.limits import OVER, MemoryLimitError, TimeLimitError, within_limits


def never_ends():
    while True:
        pass


def large():
    return np.ones(3 * 10**8)


def state():
    return (
        resource.getrlimit(resource.RLIMIT_AS),
        signal.getitimer(signal.ITIMER_PROF),
        signal.getsignal(signal.SIGPROF),
    )


@pytest.mark.parametrize(
    ("limits", "work", "error", "said"),
    [
        ({"seconds": 0.02}, never_ends, TimeLimitError, "took more than 0.02 s, the limit of the study"),
        ({"gigabytes": 1.5}, large, MemoryLimitError, "took more than 1.5 GB, the limit of the study"),
        ({"seconds": 60, "gigabytes": 1.5}, large, MemoryLimitError, "took more than 1.5 GB"),
    ],
)
def test_what_takes_more_ends(limits, work, error, said):
    before = state()
    with pytest.raises(error, match=said), within_limits(limits):
        work()
    assert state() == before


def test_what_takes_less_is_left_alone():
    before = state()
    with within_limits({"seconds": 60, "gigabytes": 1.5}):
        assert np.ones(10**6).sum() == 10**6
    assert state() == before


def test_other_threads_have_no_limits():
    found = []

    def work():
        with within_limits({"seconds": 1e-6}):
            found.append(sum(range(10**5)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [sum(range(10**5))]


def test_a_cell_beyond_its_limits_has_failed():
    failures = Failures("reduce", limits={"seconds": 0.02})
    with pytest.warns(FailedCellWarning):
        assert failures.attempt(0, "slow", never_ends) is None
    assert failures.attempt(0, "quick", int, "3") == 3
    (row,) = failures.table(study="s", protocol="p", dataset="d", group="g").to_dict("records")
    assert (row["method"], row["error"]) == ("slow", "TimeLimitError")
    assert OVER[row["error"]] == "time"


def test_memory_that_the_machine_does_not_have_is_no_failure_of_a_method():
    """Beyond a limit that was there before, the job ends as it did."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
        held = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + 10**9, hard))
    try:
        with pytest.raises(MemoryError), within_limits({"gigabytes": 2.0}):
            large()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
