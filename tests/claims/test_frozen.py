"""Claims, studies and procedure are those that were frozen before the confirmatory run, or the change is entered."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from mlreduce.configuration import read_yaml

PROJECT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(PROJECT / "docs" / "update_frozen.py"))
FROZEN = read_yaml(PROJECT / "papers" / "frozen.yaml")


#: Those that were there at the freeze, and modules that an amendment adds.
FILES = sorted({*FROZEN["files"], *(own["file"] for own in FROZEN["amendments"])})


def test_all_that_judges_is_frozen():
    assert sorted(SCRIPT["frozen_files"]()) == FILES
    assert read_yaml(PROJECT / "config" / "paper.yaml")["seed"] == FROZEN["seed"]


@pytest.mark.parametrize("file", FILES)
def test_a_file_is_as_frozen_or_its_last_change_is_entered(file):
    changes = [own["digest"] for own in FROZEN["amendments"] if own["file"] == file]
    expected = changes[-1] if changes else FROZEN["files"].get(file)
    assert SCRIPT["digest"](file) == expected, f"{file} was changed: python docs/update_frozen.py {file} 'what and why'"


def test_an_amendment_says_why():
    assert all(own["why"].strip() and own["date"] >= FROZEN["frozen"][:10] for own in FROZEN["amendments"])


def test_the_digest_of_a_module_is_of_its_statements(tmp_path, monkeypatch):
    digest = SCRIPT["digest"]
    monkeypatch.setitem(digest.__globals__, "PROJECT", tmp_path)
    same = ['"""A."""\nx = 1  # one\n', '"""B, longer."""\n\nx = 1\n']
    digests = []
    for text in (*same, '"""A."""\nx = 2\n'):
        (tmp_path / "a.py").write_text(text)
        digests.append(digest("a.py"))
    assert digests[0] == digests[1] != digests[2]
