"""What the profiles ask a cluster for, and runs through a queue of this machine, by the profile for submit commands."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml
from project import TINY

PROFILES = Path(__file__).parents[2] / "workflow" / "profiles"
TABLE = ("cplst_table3", "--config", "run_on=planted", "splits=2", "studies=[cplst-2012]")

# Starts a script in the background, with its number in the environment, and says the number, as qsub does.
SUBMIT = """#!/bin/sh
echo "$1" >> asked
sh -c 'export JOB_ID=$$; exec "$0"' "$2" > /dev/null 2>&1 &
echo $!
"""

# Whether it still runs. A process that nobody has asked for its exit code is known to the system, but does not.
KNOWN = """#!/bin/sh
grep -q "^State:.[^Z]" "/proc/$1/status"
"""


class Queue:
    """A project whose runs go through a submit command."""

    def __init__(self, project) -> None:
        self.project = project
        self.write("submit.sh", SUBMIT)
        self.write("known.sh", KNOWN)

    def write(self, name: str, text: str) -> None:
        path = self.project.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def run(self, *arguments: str) -> str:
        submit = "./submit.sh '{rule} {threads} {resources.mem_mb} {resources.runtime}'"
        status = "workflow/profiles/generic/status.sh ./known.sh"
        options = {
            "profile": "workflow/profiles/generic",
            "jobs": 2,
            "cluster-generic-submit-cmd": submit,
            "cluster-generic-status-cmd": status,
            "seconds-between-status-checks": 1,
            "latency-wait": 5,
        }
        return self.project.run(*arguments, *(f"--{option}={value}" for option, value in options.items()))

    def asked(self) -> list[list[str]]:
        """What was asked for each job that was submitted: rule, threads, megabytes, minutes."""
        return [line.split() for line in (self.project.folder / "asked").read_text().splitlines()]


@pytest.fixture
def no_sleep(tmp_path_factory, monkeypatch):
    """What status.sh waits for is there at once, or never."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "sleep").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def queue(project, no_sleep):
    return Queue(project)


def test_a_queue_gives_the_same_and_is_asked_for_what_grows_with_the_data(queue, project, undisturbed):
    project.shrink()
    queue.run("cplst_table3", "--config", *TINY)
    written, expected = (place.folder / "results/demo/cplst-2012/table3.csv" for place in (project, undisturbed))
    assert written.read_bytes() == expected.read_bytes()
    asked = queue.asked()
    rules = [rule for rule, *_ in asked]
    assert set(rules) == {"prepare", "factorise", "split", "reduce_labels", "predict_labels"}  # the rest is made here
    assert all(int(megabytes) >= 2000 and int(minutes) >= 10 for _, _, megabytes, minutes in asked)


def test_a_job_that_the_queue_kills_is_tried_again_with_twice_the_memory(queue, project):
    # The second job that is submitted dies without a word, once.
    queue.write("submit.sh", SUBMIT.replace("sh -c", '[ "$(wc -l < asked)" = 2 ] && set -- "$1" /bin/false\nsh -c'))
    said = queue.run("results/data/planted.design.npz", *TABLE[1:])
    assert "Trying to restart" in said
    asked = queue.asked()
    rule, _, megabytes, minutes = asked[1]
    assert asked[2:] == [[rule, "1", str(2 * int(megabytes)), str(2 * int(minutes))]]
    assert (project.folder / "results" / "data" / "planted.design.npz").is_file()


def test_a_job_does_not_take_away_the_lock_of_its_run(queue, project):
    """Where nodes do not see each other's locks, each job seems to be alone in the folder."""
    unseen = "rm -f .snakemake/run.lock\n"
    after = "ls .snakemake/locks >> locks\n"
    queue.write("submit.sh", SUBMIT.replace("sh -c", f"{unseen}sh -c").replace("echo $!", f"wait\n{after}echo $!"))
    queue.run("results/data/planted.npz", *TABLE[1:])
    assert (project.folder / "locks").read_text().strip()


@pytest.mark.parametrize("profile", ["slurm", "generic"])
def test_profiles_name_no_site_and_cut_jobs_to_size(project, profile):
    settings = yaml.safe_load((PROFILES / profile / "config.yaml").read_text())
    assert not {"default-resources", "cluster-generic-submit-cmd", "cluster-generic-status-cmd"} & set(settings)
    options = (f"--profile=workflow/profiles/{profile}", "--configfile=config/paper.yaml")
    said = project.run("cplst_table3", "-n", *options, "--cluster-generic-submit-cmd=:")
    assert "batch=075-099" in said


def test_what_is_timed_has_a_node_of_slurm_to_itself(project):
    arguments = ("--config", "run_on=planted", "splits=2", "studies=[mvmd-2016]")
    target = "results/demo/mvmd-2016/times/planted.csv"
    said = project.run(target, "-n", "--profile=workflow/profiles/slurm", *arguments)
    timed = said.partition("rule time:")[2]
    assert "slurm_extra=--exclusive" in timed
    assert "threads" not in timed  # one, which is not said


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
