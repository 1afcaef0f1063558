"""The fuzzer finds the mistakes of a faulty reader."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("atheris", reason="needs atheris")
pytestmark = [pytest.mark.fuzz, pytest.mark.slow]

TESTS = Path(__file__).parents[1]
READER = """
import sys, time
from pathlib import Path
sys.path[:0] = [{tests!r}, {fuzz!r}]
import hostile_readers
from mlreduce.exceptions import DataError
import fuzz_readers

hostile_readers.SECONDS = 0.1

def read(path):
    content = path.read_bytes()
    if b"raise" in content:
        raise KeyError("no sentence")
    if b"forever" in content:
        end = time.process_time() + 1.2 * hostile_readers.SECONDS
        while time.process_time() < end:
            pass
    if b"gigabyte" in content:
        return len(bytearray(1200 * 2**20))
    if b"bad" in content:
        raise DataError("one sentence")
    return content

words = tuple({words!r}.encode().split())
hostile_readers.READERS["arff"] = hostile_readers.Reader(".txt", read, lambda: [{seed!r}.encode()], words)
fuzz_readers.run_reader("arff", 300, Path({folder!r}))
"""


def search(folder, words, seed="one two three"):
    names = {"tests": str(TESTS), "fuzz": str(TESTS / "fuzz"), "folder": str(folder)}
    code = READER.format(**names, words=words, seed=seed)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def run(folder, words):
    done = search(folder, words)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "arff.json").read_text())


@pytest.mark.parametrize(
    ("word", "mistake"),
    [("raise", "KeyError: 'no sentence'"), ("forever", "AssertionError: 0.1"), ("gigabyte", "MemoryError")],
)
def test_mistakes_are_found_and_kept(tmp_path, word, mistake):
    record = run(tmp_path, word)
    (content,) = [path for path in (tmp_path / "findings").iterdir() if path.suffix != ".txt"]
    assert word.encode() in content.read_bytes()
    assert mistake in content.with_suffix(".txt").read_text()
    assert record["inputs"] == 300
    assert record["megabytes"] < 1200


def test_sentences_are_no_mistakes_and_a_run_goes_on_where_it_was(tmp_path):
    record = run(tmp_path, "bad good")
    assert list((tmp_path / "findings").iterdir()) == []
    assert 0 < record["read"] < record["inputs"] == 300
    assert run(tmp_path, "bad good")["inputs"] == 600


def test_a_search_that_begins_with_what_cannot_be_read_ends(tmp_path):
    done = search(tmp_path, "good", seed="bad")
    assert done.returncode == 1
    assert "what to begin from cannot be read: one sentence" in done.stderr
