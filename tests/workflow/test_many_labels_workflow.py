"""The workflow of many labels: a tree and a shard of labels are jobs, and the same command resumes."""

from __future__ import annotations

import shutil

import pandas as pd
import pytest
from project import PROJECT, Project

RUN = ("--snakefile", "workflow/rules/many_labels.smk", "--cores", "1", "--config", "study=many-labels.yaml")
BASE = "results/many-labels"
COSTS = ["reduce", "fit", "predict", "megabytes", "size", "per_row"]


@pytest.mark.slow
def test_a_tree_and_a_shard_are_jobs_and_a_run_resumes(tmp_path):
    project = Project(tmp_path)
    shutil.copy(PROJECT / "tests" / "many-labels.yaml", project.folder)
    project.run(*RUN)
    jobs = {path.relative_to(project.path(f"{BASE}/pieces")).as_posix() for path in project.path(BASE).rglob("?.npz")}
    assert {f"tiny/none/trees/{piece}.npz" for piece in range(2)} <= jobs
    assert {f"tiny/none/br/{piece}.npz" for piece in range(3)} <= jobs
    first = pd.read_csv(project.path(f"{BASE}/rows.csv")).drop(columns=COSTS)
    assert project.plan(*RUN) == {}
    project.path(f"{BASE}/pieces/tiny/none/trees/1.npz").unlink()
    project.path(f"{BASE}/rows/tiny/none/trees.csv").unlink()
    project.path(f"{BASE}/rows.csv").unlink()
    assert project.plan("many_labels", *RUN) == {"fit_pieces": 1, "measure_rows": 1, "gather": 1, "many_labels": 1}
    project.run("many_labels", *RUN)
    pd.testing.assert_frame_equal(pd.read_csv(project.path(f"{BASE}/rows.csv")).drop(columns=COSTS), first)
