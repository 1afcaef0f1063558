"""What a finished run says of itself: its manifest, the check of its files, its archive."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile

import pandas as pd
import pytest
from project import SMALL
from rocrate.rocrate import ROCrate

from mlreduce.datasets.files import arrays_sha256
from mlreduce.provenance.manifest import read_manifest


def verify(project, *arguments):
    command = [sys.executable, "-m", "mlreduce.provenance.verify", *arguments]
    environment = project.environment() | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=project.folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_manifest_of_a_run_names_its_files_inputs_and_jobs(finished):
    base = finished.folder / "results" / "demo" / "cplst-2012"
    manifest = read_manifest(base)
    prepared = arrays_sha256(finished.folder / "results" / "data" / "planted.npz", "prepared data set")
    assert manifest["inputs"]["planted"]["prepared_sha256"] == prepared
    run = manifest["run"]
    assert (run["source"]["state"], run["source"]["commit"]) == ("not a git checkout", None)
    assert run["packages"]["numpy"]
    jobs = pd.read_csv(base / "jobs.csv")
    assert set(run["outputs"]) == {"jobs.csv"}  # a label-space study times nothing
    assert len(jobs) == run["cost"]["total"]["jobs"] == run["cost"]["total"]["measured"]
    batches = jobs[jobs["rule"] == "predict"]
    assert batches.groupby(["protocol", "group", "predictor"]).size().tolist() == [1] * 6
    assert set(jobs["rule"]) >= {
        "prepare",
        "factorise",
        "split",
        "choose",
        "reduce",
        "gather",
        "table",
        "figure",
        "audit",
    }
    assert (jobs["seconds"] > 0).all()
    assert run["started"] < run["ended"]


def test_what_holds_measured_times_is_told_apart(finished_features, finished_selection):
    for project, study in ((finished_features, "mvmd-2016"), (finished_selection, "gmba-2016")):
        manifest = read_manifest(project.folder / "results" / "demo" / study)
        times = {f"table-times.{suffix}" for suffix in ("csv", "md", "tex")}
        times |= {f"figure-times.{suffix}" for suffix in ("svg", "png", "pdf")}
        assert set(manifest["run"]["outputs"]) == {"jobs.csv", "times.csv", *times}
        assert {"scores.parquet", "summary.csv", "claims.csv"} <= set(manifest["outputs"])


@pytest.fixture
def copied(finished, tmp_path):
    """The results of a run, to be tampered with."""
    return shutil.copytree(finished.folder / "results" / "demo" / "cplst-2012", tmp_path / "cplst-2012")


def test_a_file_that_is_not_the_run_s_is_named(finished, copied):
    status, said = verify(finished, "files", str(copied))
    assert (status, "0 faults" in said) == (0, True)
    table = copied / "table3.csv"
    table.write_text(table.read_text().replace("0.", "0.9", 1))
    status, said = verify(finished, "files", str(copied))
    assert status == 1
    assert "1 faults" in said
    assert f"{table}: its SHA-256 is" in said


def test_a_finished_study_is_packed_and_the_same_study_is_the_same_archive(finished, tmp_path):
    project = finished.copy(tmp_path / "copy")
    base = project.folder / "results" / "demo"
    project.run("cplst_crate", "--config", *SMALL)
    path = base / "cplst-2012.crate.zip"
    first = path.read_bytes()
    crate = ROCrate(path)
    assert "Chen and Lin, 2012" in crate.root_dataset["citation"]["name"]
    assert crate.root_dataset["license"].id.endswith("BSD-3-Clause")
    with zipfile.ZipFile(path) as archive:
        assert archive.read("results/table3.csv") == (base / "cplst-2012" / "table3.csv").read_bytes()
        assert json.loads(archive.read("results/manifest.json")) == read_manifest(base / "cplst-2012")
        assert "src/mlreduce/crate.py" in archive.namelist()
    project.run("cplst_crate", "--config", *SMALL, "--forcerun", "crate")
    assert path.read_bytes() == first
