"""The workflow on a real Slurm of two nodes: the same bytes as without it, whatever becomes of a job and of a node."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from project import BUNDLED, PROJECT, SEPARATE, STUDY
from two_nodes import processes, wait_until

# What a method that can be held up leaves, in two jobs at once.
FITTED = [f"{STUDY}/fitted/planted-300/halves.own/{split}.npz" for split in ("000-000", "001-001")]
OWNER = """
import json, os, signal, sys
sys.path.insert(0, sys.argv[1])
from two_nodes import below, two_nodes, wait_until
with two_nodes() as cluster:
    cluster.ask("sbatch", "--output=/dev/null", "--wrap=srun setsid sleep 300")
    wait_until(lambda: "sleep" in below(cluster.keeper).values(), "a job runs")
    print(json.dumps([str(cluster.folder), [cluster.keeper, *below(cluster.keeper)]]), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def fitted(there, here):
    """What a run without Slurm leaves; but for these files, the project on the cluster has its results."""
    here.run(*FITTED, *SEPARATE)
    found = [here.path(name).read_bytes() for name in FITTED]
    for name in ("results", ".snakemake"):
        here.path(name).rename(there.path(name))
    for name in FITTED:
        there.path(name).unlink()
    return found


def finish(run: subprocess.Popen[str]) -> str:
    """Wait for a run to succeed, and return what it said."""
    said, _ = run.communicate(timeout=300)
    assert run.returncode == 0, said
    return said


def asked(jobs: list[str]) -> list[tuple[str, str]]:
    """Return the rules of jobs, by the comments of Snakemake's plugin (`rule_fit_wildcards_...`), and the rest."""
    words = (line.split() for line in jobs)
    return sorted((comment.split("_")[1], rest) for comment, rest in words)


def test_a_study_comes_out_the_same(cluster, there, here):
    through_slurm, alone = there.start(*BUNDLED), here.start(*BUNDLED)
    assert "Failed" not in finish(through_slurm)
    finish(alone)
    assert there.results() == here.results()
    assert {"summary.csv", "scores.parquet", "table-loss.csv"} <= there.results().keys()
    # What is timed has the node and its two cores to itself; steps of seconds are not submitted.
    cores = {"choose": "1", "fit": "1", "predict": "1", "prepare": "1", "time": "2"}
    assert asked(cluster.jobs("%k %C", "all")) == list(cores.items())


def test_tasks_that_share_a_job_come_out_the_same(cluster, there, here):
    before = len(cluster.jobs(states="all"))
    through_slurm, alone = there.start(*SEPARATE, "minutes_per_job=30"), here.start(*BUNDLED)
    assert "Failed" not in finish(through_slurm)
    finish(alone)
    assert there.results() == here.results()
    # One prepares, one has the tasks of all splits, one those that time fits.
    assert len(cluster.jobs(states="all")) == before + 3


def test_a_cancelled_job_and_that_of_a_node_that_dies_are_tried_again(cluster, there, fitted):
    before = len(cluster.jobs(states="all"))
    run = there.start_and_hold(*FITTED, *SEPARATE)
    wait_until(lambda: len(cluster.jobs(states="RUNNING")) == 2, "two jobs are at work")
    cancelled, lost = cluster.jobs()
    node, crashed = cluster.jobs("%N")
    assert {node, crashed} == set(cluster.nodes)
    cluster.ask("scancel", cancelled)
    wait_until(lambda: f"{cancelled} CANCELLED" in cluster.jobs("%i %T", "all"), "a job is cancelled")
    cluster.crash_node(crashed)
    there.path("wait").unlink()
    cluster.start_node(crashed)
    said = finish(run)
    assert f"SLURM-job '{cancelled}' failed, SLURM status is: 'CANCELLED'" in said
    assert f"SLURM-job '{lost}' failed due to a node failure" in said
    (rule, memory), same, *again = asked(cluster.jobs("%k %m", "all")[before:])
    assert same == (rule, memory)
    assert again == [(rule, f"{2 * int(memory.rstrip('M'))}M")] * 2
    assert [there.path(name).read_bytes() for name in FITTED] == fitted


def test_a_job_with_too_little_memory_is_killed_and_tried_again_with_more(cluster, there, fitted):
    before = len(cluster.jobs(states="all"))
    memory = "--set-resources=fit:mem_mb=100*20**(attempt-1)"
    said = finish(there.start(FITTED[0], memory, *SEPARATE))
    killed, _ = (line.split()[0] for line in cluster.jobs("%i", "all")[before:])
    assert f"SLURM-job '{killed}' failed" in said
    assert [memory for _, memory in asked(cluster.jobs("%k %m", "all")[before:])] == ["100M", "2000M"]
    logs = there.path(".snakemake/slurm_logs").rglob(f"{killed}.log")
    assert any("exceeded memory limit" in path.read_text() for path in logs)
    states = cluster.ask("sacct", "-Xn", "--format=State", f"--jobs={killed}").split()
    assert states
    assert states[0] != "COMPLETED"
    assert there.path(FITTED[0]).read_bytes() == fitted[0]


def test_a_run_that_is_interrupted_takes_its_jobs_along(cluster, there, fitted):
    run = there.start_and_hold(FITTED[0], *SEPARATE)
    (job,) = cluster.jobs(states="RUNNING")
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=60)
    assert run.returncode != 0
    wait_until(lambda: f"{job} CANCELLED" in cluster.jobs("%i %T", "all"), "its job is cancelled")


def test_trees_and_shards_of_labels_are_jobs_with_the_same_rows(cluster, there, here):
    run = ("--snakefile", "workflow/rules/many_labels.smk", "--config", "study=many-labels.yaml")
    for project in (there, here):
        shutil.copy(PROJECT / "tests" / "many-labels.yaml", project.folder)
    before = len(cluster.jobs(states="all"))
    through_slurm, alone = there.start(*run), here.start(*run, "--cores", "1")
    finish(through_slurm)
    finish(alone)
    rows = [pd.read_csv(project.path("results/many-labels/rows.csv")) for project in (there, here)]
    precisions = [table[["reducer", "model", "P@1", "P@5", "PSP@5"]] for table in rows]
    pd.testing.assert_frame_equal(*precisions)
    fits = [comment for comment in cluster.jobs("%k", "all")[before:] if comment.startswith("rule_fit_pieces")]
    assert len(fits) == 2 * 2 + 3 + 2  # trees, shards, codes


def test_the_cluster_ends_with_whoever_has_it(slurm):
    command = [sys.executable, "-c", OWNER, str(Path(__file__).parent)]
    killed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    folder, cluster = json.loads(killed.stdout)
    assert len(cluster) > 6
    wait_until(lambda: not processes().keys() & set(cluster), "all have ended")
    assert not Path(folder).exists()
