"""What may be typed: other folders and files, and what is mistyped."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from importlib.metadata import version

import pandas as pd
import pytest
from documents import pieces
from project import BUNDLED, PROJECT, STUDY

from mlreduce import registry
from mlreduce.configuration import read_yaml
from mlreduce_studies.planning.plan import make_plan
from mlreduce_studies.study import study_files


def test_the_plan_is_made_in_process(monkeypatch):
    monkeypatch.chdir(PROJECT)
    papers = list(study_files(PROJECT, ["papers"]))
    for file, names in (
        ("config.yaml", papers),
        ("paper.yaml", papers),
        ("peers.yaml", read_yaml("config/peers.yaml")["studies"]),
    ):
        config = read_yaml("config/config.yaml") | read_yaml(f"config/{file}")
        plan = make_plan(config, PROJECT)
        assert list(plan.studies) == names
        assert not any(map(plan.own_data, plan.studies.values()))


def test_the_comparison_has_every_selector_and_coder(monkeypatch):
    monkeypatch.chdir(PROJECT)
    studies = make_plan(read_yaml("config/config.yaml") | read_yaml("config/peers.yaml"), PROJECT).studies
    page = (PROJECT / "docs" / "peers.md").read_text(encoding="utf-8")
    newer = set(re.findall("`([a-z0-9-]+)`", page.partition("Younger than this protocol:")[2].partition("\n\n")[0]))
    for study, family, left_out in (
        ("selectors", "selection", {"mutual-info"}),
        ("coders", "labelspace", set()),
    ):
        compared = {registry.entry_name(*entry) for entry in studies[study].methods.items()}
        assert compared == {*registry.method_names(family)} - left_out - newer
        assert not compared & newer
    assert {len(study.datasets) for study in studies.values()} == {12}
    assert {study.splits for study in studies.values()} == {10}


@pytest.mark.slow
def test_the_comparison_runs_at_its_demo_size(project):
    project.run("--config", "studies=[selectors,coders,projections]")
    for study in ("selectors", "coders", "projections"):
        scores = pd.read_parquet(project.path(f"results/demo/{study}/scores.parquet"))
        assert set(scores["status"]) == {"ok"}
        choices = pd.read_csv(project.path(f"results/demo/{study}/choices.csv"))
        assert choices["split"].nunique() == 3


@pytest.mark.slow
@pytest.mark.promise
def test_the_plan_of_the_demo_is_short(project):
    lines = project.run("-n").splitlines()
    assert len(lines) <= 45
    assert int(re.fullmatch(r"(\d+) jobs", lines[-1])[1]) > 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--configfile papre.yaml", "Did you mean 'config/paper.yaml'?"),
        ("cplst_tabel3", "Did you mean 'cplst_table3'?"),
        pytest.param(
            "--config studies=[cplst-2021]",
            "unknown study 'cplst-2021'; did you mean 'cplst-2012'?",
            marks=pytest.mark.promise,
        ),
        ("--config run_on=emotoins", "run_on: unknown data set 'emotoins'; did you mean 'emotions'?"),
        ("--config split=3", "unknown key 'split'; did you mean 'splits'?"),
        ("--config scale=papers", "unknown value 'papers'; did you mean 'paper'?"),
        ("--config datasets=none.yaml", "none.yaml: no such file"),
        ("--config methods=mvmd,pcaa", "unknown method 'pcaa'; did you mean 'pca'?"),
        ("--config methods=5", "unknown method '5'"),
        ("--config mirror=/nope", "mirror: /nope is no folder"),
        ("-n --config mirror=/nope", "mirror: /nope is no folder"),
    ],
)
def test_what_is_mistyped_ends_in_a_sentence(project, arguments, sentence):
    output = project.run(*arguments.split(), fails=True)
    assert sentence in output
    assert len(output.splitlines()) <= 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("import nothing_of_this_name", "mine.py, line 1: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("import (", "mine.py, line 1: SyntaxError: "),
    ],
)
def test_a_broken_method_file_is_named_with_its_line(project, line, sentence):
    path = project.path("src/mlreduce/projection/mine.py")
    path.write_text(f"{line}\n{path.read_text()}")
    output = project.run(*BUNDLED, "methods=mine", fails=True)
    assert sentence in output
    assert len(output.splitlines()) <= 10


@pytest.mark.slow
def test_an_interrupted_run_says_so_and_goes_on(project):
    run = project.start_and_hold(*BUNDLED, "methods=mine")
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    output, _ = run.communicate(timeout=60)
    assert run.returncode != 0
    assert len(output.splitlines()) <= 10, output
    assert "Traceback" not in output
    assert "the same command resumes" in output
    project.path("wait").unlink()
    assert "prepare" not in project.run(*BUNDLED, "methods=mine")


@pytest.mark.slow
@pytest.mark.promise
def test_another_folder_another_workflow_and_some_methods(project, tmp_path):
    """`--directory`, `module`, a study file by its path, and methods on the command line."""
    home = tmp_path / "home"
    home.mkdir()
    tables = "results/demo-mddmp-pca/small/table-loss.md"
    options = ("--config", f"studies=[{project.path('small.yaml')}]", "methods=mddmp,pca")
    project.run("--directory", str(home), tables, *options)
    text = (home / tables).read_text()
    assert "pca" in text
    assert "mine" not in text
    (printed,) = [piece.text for piece in pieces(PROJECT / "config" / "README.md") if piece.language == "python"]
    (home / "Snakefile").write_text(
        printed.replace("path/to/mlreduce/Snakefile", str(project.path("Snakefile")))
        + "\n\nsubmitted = {rule.name for rule in workflow.rules if not rule.norun} - workflow._localrules\n"
        "logger.info(f'submitted: {sorted(submitted)}')\n"
    )
    config = read_yaml(PROJECT / "config" / "config.yaml") | {"studies": [str(project.path("small.yaml"))]}
    (home / "config.yaml").write_text(json.dumps({"mlreduce": config}))
    said = project.run("-n", "--cores", "1", "--configfile", "config.yaml", folder=home)
    assert "figures" in said
    # All others are seconds of work, or need the network.
    names = ("approximate", "choose", "cost", "factorise", "fit", "images", "predict", "prepare", "time")
    assert f"submitted: {[f'mlreduce_{name}' for name in names]}" in said


@pytest.mark.slow
@pytest.mark.promise
def test_a_run_of_everything_ends_with_the_page(done):
    """Of results that are made again, and where nothing is to be done; a run of a table does not name the page."""
    page = "results/demo/site/index.html"
    done.path(page).unlink()
    for targets in ((), (), (page,)):
        assert done.run(*targets, *BUNDLED).splitlines()[-1] == f"The report: {page}"
    assert done.path(page).is_file()
    for table in done.path(STUDY).glob("table-loss.*"):
        table.unlink()
    assert done.run("small_table_loss", *BUNDLED).splitlines()[-1].startswith(f"Tables: {STUDY}/table-loss.md")
    assert "index.html" not in done.run("small_table_loss", *BUNDLED)


@pytest.mark.slow
def test_deleted_results_are_made_again(done):
    names = ("figure-loss.svg", "summary.csv", "scores/planted-300/all/all/all.parquet", "manifest.json")
    names = [*(f"{STUDY}/{name}" for name in names), "results/data/planted-300.npz", "results/demo/site/index.html"]
    before = done.results()
    for path in done.path("papers").glob("*/*"):
        os.utime(path, (time.time() + 1e6,) * 2)  # read by their content, whatever date they have
    for name in names:
        done.path(name).unlink()
        assert done.plan(*BUNDLED), name
    done.run(*BUNDLED)
    assert all(done.path(name).is_file() for name in names)
    assert done.results() == before
    assert done.plan(*BUNDLED) == {}


@pytest.mark.slow
def test_the_manifest_says_which_version_of_another_package_was_used(done):
    manifest = json.loads(done.path(f"{STUDY}/manifest.json").read_text())
    assert manifest["classes"] == {"sklearn.decomposition.PCA": f"scikit-learn {version('scikit-learn')}"}
    assert "theirs" in done.path(f"{STUDY}/table-loss.md").read_text()
