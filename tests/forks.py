"""Tests in several processes that have what was imported and collected in common: the option ``--forks``.

With pytest-xdist each process imports and collects everything by itself, and sends a report of each phase of a test:
for thousands of tests of milliseconds that is a tenth of all work. Here a session that has collected is forked. Each
process takes the next file when it has ended one, and the first process reports what the others found.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import sys
import threading
from contextlib import suppress
from itertools import groupby

import pytest


def pytest_addoption(parser):
    parser.addoption("--forks", default="1", help="processes that run tests, a file in one of them; auto: one per core")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    config = session.config
    asked = config.option.forks
    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    number = usable if asked == "auto" else int(asked)
    if number < 2 or config.option.collectonly or session.testsfailed:
        return None
    files = [list(items) for _, items in groupby(session.items, lambda item: item.path)]
    files.sort(key=len, reverse=True)  # the last ones are short
    config._tmp_path_factory.getbasetemp()  # of all
    fork, found, others = multiprocessing.get_context("fork"), queue.SimpleQueue(), []
    taken = fork.Value("i", 0)
    try:
        for _ in range(min(number, len(files)) - 1):
            others.append(_Other(fork, (session, files, taken), found))
        for other in others:
            other.start()
        for item, after in _turns(files, taken):
            config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            _report(config, found)
            if session.shouldfail or session.shouldstop:
                raise session.Failed(session.shouldfail or session.shouldstop)
        for other in others:
            other.join()
            other.process.join()
            _report(config, found)
            if other.process.exitcode:
                session.shouldfail = f"a process ended with status {other.process.exitcode} in {other.file}"
                raise session.Failed(session.shouldfail)
    finally:
        for other in others:
            other.process.kill()
    return True


class _Other(threading.Thread):
    """Another process, and the thread that receives what it sends: the file it is in, and reports."""

    def __init__(self, fork, arguments, found):
        super().__init__(daemon=True)
        self.found, self.file = found, "no file"
        self.received, sent = fork.Pipe(duplex=False)
        self.process = fork.Process(target=_work, args=(*arguments, sent))
        self.process.start()
        sent.close()

    def run(self):
        with suppress(EOFError):
            while True:
                own = self.received.recv()
                if isinstance(own, str):
                    self.file = own
                else:
                    self.found.put(own)


def _turns(files, taken):
    """Yield tests of files that no other process has taken, each with the one after it."""

    def items():
        while True:
            with taken.get_lock():
                place = taken.value
                taken.value += 1
            if place >= len(files):
                return
            yield from files[place]

    left = items()
    item = next(left, None)
    while item is not None:
        after = next(left, None)
        yield item, after
        item = after


class _Sender:
    """Sends reports: of a phase that passed no more than is counted, and of no phase around a test that passed."""

    def __init__(self, config, sent):
        self.config, self.sent = config, sent

    def pytest_runtest_logreport(self, report):
        if not report.passed:
            self.sent.send(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))
        elif report.when == "call":
            self.sent.send((report.nodeid, report.location, report.duration))


def _work(session, files, taken, sent):
    """Run tests in a process of its own."""
    plugins = session.config.pluginmanager
    capture = plugins.getplugin("capturemanager")
    capture.stop_global_capturing()  # into files that the first process has open too
    capture.start_global_capturing()
    plugins.unregister(plugins.getplugin("terminalreporter"))
    plugins.register(_Sender(session.config, sent))
    file = None
    for item, after in _turns(files, taken):
        if item.path != file:
            file = item.path
            sent.send(item.nodeid.partition("::")[0])
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=after)


def _report(config, found):
    """Report what other processes have found by now."""
    while not found.empty():
        own = found.get()
        if isinstance(own, dict):
            report = config.hook.pytest_report_from_serializable(config=config, data=own)
        else:
            nodeid, location, duration = own
            report = pytest.TestReport(nodeid, location, {}, "passed", None, "call", duration=duration)
        config.hook.pytest_runtest_logreport(report=report)
