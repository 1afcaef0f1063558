"""Tests in forked processes: each is run once, and what is found in any process is reported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not forked safely")

# Each process waits in its first file until the other one has a file too.
TESTS = """
import multiprocessing, os, time
from pathlib import Path
import pytest

HERE, OTHER = "{here}", "{other}"

def test_first():
    Path(HERE).write_text(str(os.getpid()))
    for _ in range(6000):
        if Path(OTHER).exists():
            break
        time.sleep(0.01)
    assert Path(OTHER).exists()

@pytest.mark.parametrize("number", range(3))
def test_output_is_of_the_test(number, capfd):
    print(HERE, number)
    assert capfd.readouterr().out == f"{{HERE}} {{number}}\\n"
    with open("ran", "a") as file:
        file.write(f"{{HERE}} {{number}}\\n")
"""
FAILURES = """
def test_fails():
    print("as it is printed")
    assert 1 == 2

def test_skips():
    pytest.skip("no reason")

@pytest.fixture
def broken():
    yield
    raise RuntimeError("after the test")

def test_broken(broken):
    pass
"""
ENDS = """
def test_ends():
    if multiprocessing.parent_process():
        os._exit(3)
"""


def run(folder, more):
    for here, other in (("a", "b"), ("b", "a")):
        (folder / f"test_{here}.py").write_text(TESTS.format(here=here, other=other) + more)
    (folder / "pytest.ini").write_text("[pytest]")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-m", "pytest", "-p", "forks", "--forks", "2", "-p", "no:cacheprovider"]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout


def test_what_other_processes_find_is_reported(tmp_path):
    status, said = run(tmp_path, FAILURES)
    assert status == 1
    assert "2 failed, 10 passed, 2 skipped, 2 errors in" in said
    assert set(re.findall(r"^(?:FAILED|ERROR) \S+", said, re.MULTILINE)) == {
        f"{kind} test_{file}.py::test_{name}"
        for kind, name in (("FAILED", "fails"), ("ERROR", "broken"))
        for file in "ab"
    }
    assert said.count("as it is printed") >= 2
    assert sorted((tmp_path / "ran").read_text().splitlines()) == [f"{f} {n}" for f in "ab" for n in range(3)]
    assert (tmp_path / "a").read_text() != (tmp_path / "b").read_text()


def test_a_process_that_ends_is_no_success(tmp_path):
    status, said = run(tmp_path, ENDS)
    assert status == 1
    assert re.search(r"a process ended with status 3 in test_[ab]\.py", said)
