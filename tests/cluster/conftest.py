from __future__ import annotations

import sys

import pytest
from project import Project
from two_nodes import missing, two_nodes, wait_until

# Snakemake that asks every second what became of its jobs, and ends with whoever started it. By itself it waits up to
# three minutes before it asks Slurm, and for ever if Slurm is gone.
ATTENTIVE = """
import asyncio, ctypes, runpy, signal
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
RemoteExecutor.sleep = lambda executor: asyncio.sleep(1)
ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="session")
def slurm():
    if missing():
        pytest.skip(f"needs Slurm (make slurm): {', '.join(missing())}")


@pytest.fixture(scope="session")
def nodes(slurm):
    with two_nodes() as cluster:
        yield cluster


@pytest.fixture
def cluster(nodes, monkeypatch):
    """The cluster without jobs, as the environment has it."""
    for key, value in nodes.environment.items():
        monkeypatch.setenv(key, value)
    yield nodes
    nodes.ask("scancel", "--partition=all")
    wait_until(lambda: not nodes.jobs(), "jobs have ended")


class SlurmProject(Project):
    """A project whose runs go through Slurm, by its profile."""

    command = (sys.executable, "-c", ATTENTIVE)
    # What is not as in the profile suits jobs of seconds.
    profile = ("--profile=workflow/profiles/slurm", "--latency-wait=5", "--slurm-init-seconds-before-status-checks=1")

    def start(self, *arguments, folder=None):
        return super().start(*self.profile, *arguments, folder=folder)


@pytest.fixture
def there(cluster, tmp_path_factory):
    """The project on the cluster, not run yet."""
    return SlurmProject(tmp_path_factory.mktemp("there"))


@pytest.fixture
def here(tmp_path_factory):
    """The project on this machine alone, not run yet."""
    return Project(tmp_path_factory.mktemp("here"))
