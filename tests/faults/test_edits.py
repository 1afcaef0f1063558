"""Configurations and data that are edited while a run is at work."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
import yaml
from project import TINY

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.embedded import planted


def run_and_meanwhile(project, station, edit, *arguments, fails=False):
    """Run until a job of a station would work, edit something, and let it go on."""
    project.hold(station)
    run = project.start(*arguments)
    project.wait_for_held(run)
    edit()
    project.go_on()
    output, _ = run.communicate()
    assert (run.returncode != 0) == fails, output
    return output


def test_a_catalogue_edited_during_a_run_counts_in_the_next(project):
    def describe(seed):
        entry = {"reader": "planted", "parameters": {"random_state": seed}}
        (project.folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))

    def prepared():
        return MultiLabelData.load(project.folder / "results" / "data" / "mine.npz").X

    describe(1)
    wanted = ("results/data/mine.npz", "--config", "datasets=my.yaml", "run_on=mine", "studies=[cplst-2012]")
    run_and_meanwhile(project, "prepare", lambda: describe(2), *wanted)
    np.testing.assert_array_equal(prepared(), planted(random_state=1).data.X)
    project.run(*wanted)
    np.testing.assert_array_equal(prepared(), planted(random_state=2).data.X)


def test_own_data_edited_during_a_run_are_refused_and_read_in_the_next(project):
    labels = pd.DataFrame({"x": [0, 1] * 10, "y": [1, 0] * 10})
    labels.to_csv(project.folder / "l.csv", index=False)
    features = project.folder / "f.csv"
    features.write_text("a\n" + "1\n" * 20)
    entry = {"reader": "tables", "features": "f.csv", "labels": "l.csv"}
    (project.folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    wanted = ("results/data/mine.npz", "--config", "datasets=my.yaml", "run_on=mine", "studies=[cplst-2012]")
    edit = partial(features.write_text, "a\n" + "2\n" * 20)
    output = run_and_meanwhile(project, "fetch", edit, *wanted, fails=True)
    assert "mlreduce: f.csv: it changed since this run began; run again" in output
    assert not (project.folder / "results" / "data" / "raw" / "mine").exists()
    project.run(*wanted)
    assert set(MultiLabelData.load(project.folder / "results" / "data" / "mine.npz").X.ravel()) == {2}


def test_a_study_edited_during_a_run_counts_in_the_next_and_the_manifest_says_which(done):
    """The last stations run; between them the study is edited."""
    base = done.folder / "results" / "demo" / "cplst-2012"
    study = done.folder / "config" / "studies" / "cplst-2012.yaml"
    expected = {name: (base / name).read_bytes() for name in ("scores.parquet", "table3.csv")}
    methods = json.loads((base / "manifest.json").read_text())["methods"]
    for name in (*expected, "manifest.json"):
        (base / name).unlink()
    wanted = (*(f"results/demo/cplst-2012/{name}" for name in (*expected, "manifest.json")), "--config", *TINY)

    def edit():
        content = yaml.safe_load(study.read_text())
        content["methods"]["linear-codes"]["occa"] = {}
        content["tables"]["table3"]["methods"] = ["plst", "occa"]
        study.write_text(yaml.safe_dump(content, sort_keys=False))

    run_and_meanwhile(done, "gather", edit, *wanted)
    assert {name: (base / name).read_bytes() for name in expected} == expected
    assert json.loads((base / "manifest.json").read_text())["methods"] == methods
    planned = done.run(*wanted, "-n")
    for rule in ("reduce_labels", "predict_labels", "gather", "table", "manifest"):
        assert f"rule {rule}:" in planned


@pytest.mark.parametrize("edited", [False, True], ids=["as it was", "edited"])
def test_a_job_of_a_cluster_that_would_read_an_edited_configuration_stops(project, edited):
    """On a cluster each job reads the configuration again: this is the command that one is started by."""
    target = "results/demo/cplst-2012/splits/planted.npz"
    project.run("results/data/planted.npz", "--config", *TINY)
    if edited:
        project.edit("config/studies/cplst-2012.yaml", "- 20\n- 40\n", "- 20\n")
    output = project.run(
        *("--target-jobs", "split:study=cplst-2012,dataset=planted", "--allowed-rules", "split"),
        *("--mode", "remote", "--nolock", "--force", "--no-hooks", "--config", *TINY),
        fails=edited,
    )
    assert (project.folder / target).exists() != edited
    assert ("The configuration was edited since this run began" in output) == edited
    assert "Traceback" not in output
