"""Finished jobs that are taken from a folder: no fits, the same bytes; what is damaged or other is run."""

from __future__ import annotations

import shutil

import pytest
from project import BUNDLED, STUDY, Project

pytestmark = pytest.mark.slow

STORE = (*BUNDLED, "finished=finished")
#: Rules whose jobs travel; the study has one job of each.
RULES = ["choose", "fit", "predict", "time"]


def logs(project, words):
    """Return the rules of the jobs whose log has some words."""
    folder = project.path(f"{STUDY}/logs")
    return sorted(path.relative_to(folder).parts[0] for path in folder.rglob("*.log") if words in path.read_text())


def stored(project):
    return {path: path.read_bytes() for path in project.path("finished").rglob("*") if path.is_file()}


def every(project):
    """Return the bytes of all results, those that hold times too; pages that count the jobs left out."""
    files = [path for path in project.path(STUDY).iterdir() if path.is_file() and path.suffix != ".json"]
    return {path.name: path.read_bytes() for path in files if path.name != "jobs.csv"}


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """A run that has written its jobs: do not edit."""
    project = Project(tmp_path_factory.mktemp("origin"))
    project.path("finished").mkdir()
    project.run(*STORE)
    assert logs(project, "taken from") == []
    assert len(stored(project)) == len(RULES)
    return project


@pytest.fixture
def other(origin, tmp_path):
    """Another machine, with the same folder of jobs and no results."""
    project = Project(tmp_path)
    shutil.copytree(origin.path("finished"), project.path("finished"))
    return project


@pytest.mark.promise
def test_another_machine_fits_nothing_and_has_the_same_bytes(origin, other):
    other.path("wait").touch()  # a fit would wait for ever
    other.run(*STORE)
    other.path("wait").unlink()
    assert logs(other, "taken from") == RULES
    assert every(other) == every(origin)
    assert '"taken": 4' in other.path(f"{STUDY}/manifest.json").read_text()
    assert other.plan(*STORE) == other.plan(*BUNDLED) == {}

    # Fitted arrays do not travel: predict alone fits again.
    (log,) = other.path(f"{STUDY}/logs/predict").rglob("*.log")
    other.path(log.read_text().splitlines()[0].removeprefix("taken from ")).unlink()
    shutil.rmtree(other.path(f"{STUDY}/scores"))
    other.run(*STORE)
    assert logs(other, "taken from") == ["choose", "fit", "time"]
    assert every(other) == every(origin)
    assert len(stored(other)) == len(RULES)


def test_a_job_with_a_flipped_byte_runs_again_and_says_so(origin, other):
    for path, text in stored(other).items():
        path.chmod(0o644)
        path.write_bytes(text[:-20] + bytes([text[-20] ^ 1]) + text[-19:])
    damaged = stored(other)
    output = other.run(*STORE)
    assert output.count("damaged or no finished job: its SHA-256 differs; delete it. The job is run") == len(RULES)
    assert logs(other, "The job is run") == RULES
    assert other.results() == origin.results()
    assert stored(other) == damaged


def test_of_other_code_nothing_is_taken_and_a_failed_cell_does_not_travel(other):
    before = stored(other)
    other.edit("src/mlreduce/projection/mine.py", "time.sleep(0.1)", "time.sleep(0.2)")
    other.mark(0)
    other.run(*STORE, fails=True)
    assert logs(other, "taken from") == []
    assert before.items() <= stored(other).items()
    other.path("marker").unlink()
    other.run(*STORE)
    assert "fit" not in logs(other, "taken from")
    assert len(stored(other)) == 2 * len(RULES)
