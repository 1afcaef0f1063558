"""Runs that are killed, files that are damaged, disks that are full: the same bytes in the end, or a sentence."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress

import psutil
import pytest
from project import BUNDLED, SEPARATE, STUDY

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kills", [20, pytest.param(3, marks=pytest.mark.promise)])
def test_killed_at_any_moment_it_ends_in_the_same_bytes(project, undisturbed, kills):
    """Each kill is of a run that has something left to do: one that has ended begins from nothing again."""
    moments, done = random.Random(0), 0
    while done < kills:
        run = project.start(*SEPARATE)
        with suppress(subprocess.TimeoutExpired):
            run.wait(timeout=moments.uniform(2, 8))
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            done += 1
        output, _ = run.communicate()
        assert run.returncode in (0, -signal.SIGKILL), output
        if run.returncode == 0:
            assert project.results() == undisturbed.results()
            shutil.rmtree(project.path("results"))
        else:
            project.run("--unlock", *SEPARATE)
    project.run(*SEPARATE)
    assert project.results() == undisturbed.results()
    assert project.plan(*SEPARATE) == {}


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip(content: bytes) -> bytes:
    place = len(content) // 4  # of tables among the values, not in the footer
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


FILES = (
    "results/data/planted-300.npz",
    f"{STUDY}/choices/planted-300/halves.searched/000-000.parquet",
    f"{STUDY}/fitted/planted-300/halves.plain/000-000.npz",
    f"{STUDY}/details/planted-300/halves.plain/000-000.parquet",
    f"{STUDY}/scores/planted-300/halves.plain/ridge/000-000.parquet",
    f"{STUDY}/summary.parquet",
)
TABLES = [name for name in FILES if name.endswith(".parquet") and "summary" not in name]


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        pytest.param(name, damage, marks=[pytest.mark.promise] if (name, damage) == (FILES[2], flip) else [])
        for name in FILES
        for damage in (cut, flip)
    ],
    ids=lambda value: value.rsplit("/")[2 if "data/" in value else 3] if isinstance(value, str) else value.__name__,
)
def test_a_damaged_file_is_not_used_and_is_named(apart, undisturbed, name, damage):
    path = apart.path(name)
    path.write_bytes(damage(path.read_bytes()))
    again = damage is cut and name in TABLES  # seen before jobs are planned: the job runs again
    output = apart.run(*SEPARATE, fails=not again)
    assert any(f"{name}: not a {word}" in output for word in ("complete", "whole"))
    if not again:
        assert "delete it and run again" in output
        path.unlink()
        apart.run(*SEPARATE)
    assert apart.results() == undisturbed.results()


def test_a_full_disk_ends_in_a_sentence_and_the_run_goes_on(project, undisturbed, small_disk):
    project.path("results").symlink_to(small_disk.folder)
    output = project.run(*SEPARATE, fails=True)
    assert "mlreduce: results/data/planted-300.npz could not be written: No space left on device; make room" in output
    assert not list(small_disk.folder.rglob(".partial*"))
    small_disk.remount("size=64m")
    project.run(*SEPARATE)
    assert project.results() == undisturbed.results()


def test_a_site_that_finds_no_room_leaves_the_old_one(apart):
    """The disk has room for the pages, but not for the largest script; it is the site's job alone that fails."""
    site = apart.path(f"{STUDY}/../site").resolve()
    before = {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
    limit = '__import__("resource").setrlimit(__import__("resource").RLIMIT_FSIZE, (400_000, -1))'
    apart.edit("workflow/scripts/site.py", "    write_site(", f"    {limit}\n    write_site(")
    output = apart.run(*SEPARATE, "--forcerun", "site", fails=True)
    assert "/site/assets/vega.js could not be written: File too large; make room and run again" in output
    assert {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("raise MemoryError('4 GiB')", "mlreduce: prepare ran out of memory (4 GiB). Run fewer jobs at once"),
        ("raise ZeroDivisionError", "ZeroDivisionError"),
        ("import os; os._exit(7)", "The job ended with exit status 7 before it wrote a reason"),
        ("import os; os.kill(os.getpid(), 11)", "The job was ended by SIGSEGV before it wrote a reason"),
        (
            "import resource; resource.setrlimit(resource.RLIMIT_AS, (1, 1)); bytearray(2**30)",
            "prepare ran out of memory",
        ),
    ],
)
def test_a_job_that_dies_says_why(project, fault, sentence):
    project.edit("workflow/scripts/prepare.py", "    data = ", f"    {fault}\n    data = ")
    output = project.run(*SEPARATE, fails=True)
    assert sentence in output
    assert len(output.splitlines()) <= 10
    assert "no reason" not in output
    assert not project.path("results/data/planted-300.npz").exists()


def test_a_killed_job_stops_no_other(project):
    fault = 'if snakemake.wildcards.unit == "halves.own":\n        __import__("os").kill(__import__("os").getpid(), 9)'
    project.edit("workflow/scripts/fit.py", "    choices = ", f"    {fault}\n    choices = ")
    output = project.run(*SEPARATE, "methods=pca,mine", "name=demo", fails=True)
    assert "mlreduce: a job was killed, most often by the operating system because memory ran out" in output
    made = {path.parent.parent.name for path in project.path(f"{STUDY}/scores").rglob("*.parquet")}
    assert made == {"halves.plain"}
    assert not list(project.path(f"{STUDY}/fitted").rglob("halves.own/*.npz"))


@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["run", "group"])
def test_a_closed_terminal_ends_the_run_and_its_jobs(project, send):
    run = project.start_and_hold(*BUNDLED, "methods=mine")
    jobs = psutil.Process(run.pid).children(recursive=True)
    assert jobs
    send(run.pid, signal.SIGHUP)
    time.sleep(1)
    project.path("wait").unlink()  # as after SIGTERM, a job that did not get the signal ends its work
    output, _ = run.communicate(timeout=120)
    assert run.returncode == 1, output
    assert not [job for job in jobs if job.is_running() and job.status() != psutil.STATUS_ZOMBIE]
    assert project.plan(*BUNDLED, "methods=mine")["predict"] == 1  # not locked


def test_two_runs_in_one_folder_are_refused(project):
    first = project.start_and_hold(*SEPARATE)
    assert "cannot be locked" in project.run(*SEPARATE, fails=True)
    project.path("wait").unlink()
    first.communicate(timeout=300)
    assert first.returncode == 0
