"""What the profiles ask a cluster for, and a run by the profile for submit commands through a queue of shell."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from project import BUNDLED, SEPARATE, STUDY

PROFILES = Path(__file__).parents[2] / "workflow" / "profiles"

# `submit RULE MB MINUTES SCRIPT` starts a script with its number in the environment and prints the number, as qsub
# does; the second job is killed at once. `known NUMBER` succeeds while it runs.
QUEUE = """#!/bin/sh
if [ "$1" = known ]; then exec grep -q "^State:.[^Z]" "/proc/$2/status"; fi
echo "$2 $3 $4" >> asked
script=$5
if [ "$(wc -l < asked)" = 2 ]; then script=/bin/false; fi
sh -c 'export JOB_ID=$$; exec "$0"' "$script" > /dev/null 2>&1 &
echo $!
"""
SUBMIT = "workflow/profiles/generic/submit.sh ./queue.sh submit {rule} {resources.mem_mb} {resources.runtime}"
OPTIONS = (
    *("--profile=workflow/profiles/generic", "--seconds-between-status-checks=1", "--latency-wait=5"),
    f"--cluster-generic-submit-cmd={SUBMIT}",
    "--cluster-generic-status-cmd=workflow/profiles/generic/status.sh './queue.sh known'",
)


@pytest.mark.parametrize("profile", ["slurm", "generic"])
def test_profiles_name_no_site_and_cut_jobs_to_size(profile):
    settings = yaml.safe_load((PROFILES / profile / "config.yaml").read_text())
    assert not {"default-resources", "cluster-generic-submit-cmd", "cluster-generic-status-cmd"} & set(settings)
    assert settings["config"] == ["minutes_per_job=30"]
    assert settings["set-threads"] == {"time": 1, "cost": 1}  # of all cores that a machine alone gives what is timed


def test_what_is_timed_has_a_node_of_slurm_to_itself():
    settings = yaml.safe_load((PROFILES / "slurm" / "config.yaml").read_text())
    assert settings["set-resources"] == {name: {"slurm_extra": "'--exclusive'"} for name in ("time", "cost")}


@pytest.fixture
def no_sleep(tmp_path_factory, monkeypatch):
    """What status.sh waits for is there at once, or never."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "sleep").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.slow
@pytest.mark.usefixtures("no_sleep")
def test_a_queue_gives_the_same_and_a_job_that_it_kills_is_tried_again(project, finished):
    queue = project.path("queue.sh")
    queue.write_text(QUEUE)
    queue.chmod(0o755)
    assert "Trying to restart" in project.run(*OPTIONS, *BUNDLED)
    assert project.results() == finished.results()
    jobs = [line.split() for line in project.path("asked").read_text().splitlines()]
    asked = {rule: [(int(mb), int(minutes)) for name, mb, minutes in jobs if name == rule] for rule, *_ in jobs}
    assert asked.keys() == {"prepare", "time", "choose", "fit", "predict"}  # the rest is made here
    killed = asked.pop(jobs[1][0])
    assert killed == [killed[0], (2 * killed[0][0], 2 * killed[0][1])]
    assert all(len(own) == 1 and own[0] >= (2000, 10) for own in asked.values())


def queued(project, *arguments, fails=False):
    """Run a study whose tasks share jobs through the queue; return what is said, and the rules of the jobs."""
    queue = project.path("queue.sh")
    if not queue.exists():
        queue.write_text(QUEUE)
        queue.chmod(0o755)
    project.path("asked").write_text("")
    said = project.run(*OPTIONS, *SEPARATE, "minutes_per_job=30", *arguments, fails=fails)
    return said, [line.split()[0] for line in project.path("asked").read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.usefixtures("no_sleep")
def test_tasks_that_share_a_job_give_the_same_also_where_it_is_killed_or_cells_fail(project, finished):
    project.mark(0)
    said, jobs = queued(project, fails=True)
    # Tasks of both splits are in a job, those that time fits in another; the queue kills one of them.
    assert len(jobs) == 4
    assert jobs.count("prepare") == 1
    assert "Trying to restart" in said
    assert "cells failed" in said or "failed" in said
    project.path("marker").unlink()
    project.path("asked").unlink()
    fitted = {path: path.stat().st_mtime_ns for path in project.path(f"{STUDY}/details").rglob("*.parquet")}
    _, jobs = queued(project)
    assert len(jobs) <= 3  # killed once more
    again = {path.parent.name for path, changed in fitted.items() if path.stat().st_mtime_ns != changed}
    assert again == {"halves.own"}
    assert project.results() == finished.results()


@pytest.mark.usefixtures("no_sleep")
def test_status_of_jobs(tmp_path):
    status = PROFILES / "generic" / "status.sh"
    left = tmp_path / ".snakemake" / "cluster"
    left.mkdir(parents=True)

    def ask(known: str) -> str:
        command = ["sh", str(status), known, "7"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()

    assert ask("true") == "running"
    for code, said in ((0, "success"), (1, "failed"), (137, "failed")):
        (left / "7").write_text(f"{code}\n")
        assert ask("true") == said
    assert not (left / "7").exists()  # numbers come again
    assert ask("false") == "failed"


# What queues say of a job that they do not know, and where they cannot be asked: exit code and text.
GONE = {
    "SGE": (1, "Following jobs do not exist: \n7"),
    "PBS": (153, "qstat: Unknown Job Id 7.server"),
    "PBS, ended": (35, "qstat: 7.server Job has finished, use -x or -H to obtain historical job information"),
    "LSF": (1, "Job <7> is not found"),
    "Slurm": (1, "slurm_load_jobs error: Invalid job id specified"),
    "silent": (1, ""),
}
UNANSWERED = {
    "SGE": (1, "error: commlib error: got select error (Connection refused)\nerror: unable to contact qmaster"),
    "PBS": (111, "Connection refused\nqstat: cannot connect to server pbs (errno=15010)"),
    "LSF": (255, "LSF is down. Please wait ..."),
    "Slurm": (1, "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"),
    "no command": (127, "sh: 1: qstat: not found"),
}


@pytest.fixture
def status(tmp_path, no_sleep):
    """Ask for the status of job 7 by a queue of which each question has the next answer, and the last for ever."""
    asked = tmp_path / "asked"
    (tmp_path / ".snakemake" / "cluster").mkdir(parents=True)

    def ask(*answers: tuple[int, str]) -> tuple[str, int]:
        asked.write_text("")
        for number, (code, text) in enumerate(answers, start=1):
            (tmp_path / f"answer-{number}").write_text(f"printf '%s' {shlex.quote(text)} >&2; exit {code}")
        (tmp_path / "queue.sh").write_text(
            f"echo >> asked; n=$(wc -l < asked); [ $n -gt {len(answers)} ] && n={len(answers)}; . ./answer-$n"
        )
        command = ["sh", str(PROFILES / "generic" / "status.sh"), "sh queue.sh", "7"]
        said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return said.stdout.strip(), len(asked.read_text())

    return ask


@pytest.mark.parametrize("answer", UNANSWERED.values(), ids=UNANSWERED)
def test_a_queue_that_does_not_answer_has_lost_no_job(status, answer):
    assert status(answer, (0, "")) == ("running", 2)
    assert status(answer) == ("running", 3)
    gone = next(iter(GONE.values()))
    assert status(answer, answer, gone)[0] == "failed"


@pytest.mark.parametrize("answer", GONE.values(), ids=GONE)
def test_a_job_that_a_queue_does_not_know_has_failed_when_it_says_so_each_time(status, answer):
    assert status(answer, (0, "")) == ("running", 2)
    assert status(answer) == ("failed", 10)


def test_a_submission_prints_the_number_or_the_reason(tmp_path):
    def submit(script: str) -> tuple[int, str, str]:
        (tmp_path / "queue").write_text(script)
        command = ["sh", str(PROFILES / "generic" / "submit.sh"), "sh", "queue", "-q", "long", "job.sh"]
        said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return said.returncode, said.stdout, said.stderr

    assert submit("echo 7.server; echo warned >&2") == (0, "7.server\n", "warned\n")
    assert submit("echo 'Job <7> is submitted to queue <long>.'") == (0, "7\n", "")
    assert submit("echo 'No such project' >&2; exit 255")[:2] == (255, "\nNo such project\n")
    assert submit("exit 0")[:2] == (1, "\nsh printed no number\n")
