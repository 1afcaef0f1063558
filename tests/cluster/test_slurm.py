"""The workflow on a real Slurm of one node: the same bytes as without it, whatever becomes of a job and of the node."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from one_node import wait_until
from project import Project

# Jobs of each kind, on generated data; and a table of published data.
BASE = "results/demo"
SMOKE = (
    f"{BASE}/cplst-2012/table3.csv",
    f"{BASE}/cplst-2012/table-choices.csv",
    f"{BASE}/gmba-2016/scores/planted-300/ten-fold.gmba/br-knn/000-001.parquet",
    f"{BASE}/gmba-2016/times/planted-300/gmba.parquet",
    f"{BASE}/mope-mesd-2012/scores/planted-300/labelled-40.mope/flda/000-001.parquet",
    f"{BASE}/mope-mesd-2012/costs/planted-300.parquet",
    f"{BASE}/qpfs-lowrank-2016/approximations/planted-300.parquet",
    *("--config", "name=demo", "bundle=false", "run_on=planted-300", "splits=2", "splits_per_job=2"),
)
TABLE = (
    "cplst_table3",
    "--configfile=config/paper.yaml",
    "--config",
    "run_on=emotions",
    "splits=20",
    "splits_per_job=20",
)

# What is not as in the profile suits a cluster that keeps no accounts, and jobs of seconds.
PROFILE = ("--profile=workflow/profiles/slurm", "--cores=100", "--latency-wait=5")
SETTINGS = ("--slurm-status-command=squeue", "--slurm-init-seconds-before-status-checks=1")


class SlurmProject(Project):
    """A project whose runs go through Slurm."""

    def command(self, *arguments: str, cores: int = 2) -> list[str]:
        snakemake = Path(__file__).with_name("attentive_snakemake.py")
        return [sys.executable, str(snakemake), *arguments, *PROFILE, *SETTINGS]


@pytest.fixture
def there(cluster, tmp_path_factory):
    """A project on the cluster."""
    project = SlurmProject(tmp_path_factory.mktemp("there"))
    yield project
    project.stop()


@pytest.fixture
def here(cluster, tmp_path_factory):
    """A project on this machine alone, which nevertheless ends with the cluster."""
    project = Project(tmp_path_factory.mktemp("here"))
    yield project
    project.stop()


def start(project: Project, *arguments: str) -> subprocess.Popen[str]:
    with (project.folder / "run.log").open("w") as log:
        return project.start(*arguments, output=log.fileno())


def finish(project: Project, run: subprocess.Popen[str]) -> str:
    """Wait for a run to succeed, and return what it said."""
    code = run.wait()
    said = (project.folder / "run.log").read_text()
    assert code == 0, said
    return said


def results(project: Project) -> dict[str, bytes]:
    """The bytes of all that does not tell when and how it was made."""
    base = project.folder / "results"
    names = {path.relative_to(base).as_posix(): path for path in base.rglob("*") if path.is_file()}
    apart = ("benchmarks/", "logs/", "times/", "costs/", "data/raw/")
    return {name: path.read_bytes() for name, path in names.items() if not any(part in name for part in apart)}


def test_a_table_of_published_data_comes_out_the_same(there, here, mirror):
    arguments = (*TABLE, f"mirror={mirror}")
    through_slurm, alone = start(there, *arguments), start(here, *arguments)
    assert "Trying to restart" not in finish(there, through_slurm)
    finish(here, alone)
    assert "paper/cplst-2012/table3.csv" in results(there)
    assert results(there) == results(here)


def test_a_cancelled_job_and_a_node_that_dies_are_made_up_for(cluster, there, here):
    there.hold("split")
    for project in (there, here):
        project.shrink()
    through_slurm, alone = start(there, *SMOKE), start(here, *SMOKE)
    held = partial(cluster.jobs_at_work, "split")
    wait_until(lambda: len(held()) == 2 or through_slurm.poll() is not None, "two jobs are at work", seconds=200)
    cancelled, lost = held()
    cluster.ask("scancel", cancelled)
    wait_until(lambda: cluster.state(cancelled) == "CANCELLED", "a job is cancelled")
    cluster.crash_node()
    assert cluster.state(lost) == "NODE_FAIL"
    there.go_on()
    cluster.start_node()
    said = finish(there, through_slurm)
    assert f"SLURM-job '{cancelled}' failed" in said
    assert f"SLURM-job '{lost}' failed due to a node failure" in said
    finish(here, alone)
    assert results(there) == results(here)
    for rule in ("prepare", "factorise", "choose", "fit", "predict", "time", "cost", "approximate"):
        assert f"\nrule {rule}:" in said


def test_a_run_that_is_interrupted_takes_its_jobs_along(cluster, there):
    there.hold("prepare")
    run = start(there, "results/data/planted.npz")
    there.wait_for_held(run)
    run.send_signal(signal.SIGINT)
    assert run.wait() != 0
    wait_until(cluster.has_no_jobs, "its jobs have ended")
