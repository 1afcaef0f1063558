"""Committed cells computed again by the workflow: all families, chosen and searched parameters, draws."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from project import Project
from three_families import CATALOGUE, STUDIES

from mlreduce_studies.gathering.job_tables import read_table, write_table
from mlreduce_studies.provenance import replicate, verify
from mlreduce_studies.provenance.finished import FinishedJob


def run(project, *options):
    base = project.folder / "results" / "demo"
    places = ("--project", str(project.folder), "--reference", str(base))
    return verify.main(["cells", *places, "--catalogue", str(project.folder / "my.yaml"), *options])


@pytest.mark.slow
def test_cells_of_all_families_come_back(tmp_path, capsys):
    project = Project(tmp_path)
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(CATALOGUE))
    for name, content in STUDIES.items():
        file = tmp_path / "comparisons" / name / "study.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(yaml.safe_dump(content))
    base = tmp_path / "results" / "demo"
    targets = [f"results/demo/{name}/summary.csv" for name in STUDIES]
    project.run(*targets, "--config", f"studies=[{','.join(STUDIES)}]", "datasets=my.yaml", "seed=5", "name=demo")
    for name in STUDIES:
        made = {"scale": "demo", "splits": 3, "datasets": ["tiny"], "seed": 5}
        (base / name / "manifest.json").write_text(json.dumps(made))

    keep = ("--share", "1", "--keep", str(tmp_path / "kept"))
    assert run(project, *keep) == 0
    said = capsys.readouterr().out
    summaries = [pd.read_csv(path) for path in base.glob("*/summary.csv")]
    whole = sum(map(len, summaries))
    curves = sum(table.groupby(["protocol", "dataset", "method", "predictor"]).ngroups for table in summaries)
    assert f"{whole} cells on {curves} of {curves} curves recomputed" in said
    assert f"{whole} equal to the last digit, 0 within 1e-06, 0 differ" in said

    changed = {"labels": ("cs", "mean"), "features": ("rcca", "sd"), "selectors": ("random", "se")}
    for study, (method, column) in changed.items():
        table = pd.read_csv(base / study / "summary.csv")
        table.loc[table.index[table["method"] == method][1], column] *= 1.0001
        table.to_csv(base / study / "summary.csv", index=False)
    assert run(project, *keep) == 1
    said = capsys.readouterr().out
    assert f"{whole - 3} equal to the last digit, 0 within 1e-06, 3 differ" in said
    named = [set(line.split()) for line in said.splitlines()[-3:]]
    assert all(any({study, *names} <= line for line in named) for study, names in changed.items())

    assert run(project, "--share", "1", "--seed", "11", "--minutes", "0.01") == 1
    said = capsys.readouterr().out
    assert said.startswith(f"seed 11: {curves} curves drawn")
    assert "1 curves were not finished in the time" in said
    assert f"{curves - 1} curves were not begun" in said


@pytest.mark.slow
def test_a_study_run_whole_again_is_equal_in_every_byte(tmp_path, capsys):
    project = Project(tmp_path)
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(CATALOGUE))
    file = tmp_path / "comparisons" / "labels" / "study.yaml"
    file.parent.mkdir()
    file.write_text(yaml.safe_dump(STUDIES["labels"]))
    made = "results/demo/labels/manifest.json"
    project.run(made, "--config", "studies=[labels]", "datasets=my.yaml", "seed=5", "name=demo")
    places = ("--project", str(tmp_path), "--reference", str(tmp_path / "results" / "demo"))
    command = ["labels", *places, "--catalogue", str(tmp_path / "my.yaml"), "--to", str(tmp_path / "again")]
    assert replicate.main(command) == 0
    said = capsys.readouterr().out
    scores = pd.read_parquet(tmp_path / "results" / "demo" / "labels" / "scores.parquet")
    cells = scores.groupby(["method", "predictor", "measure", "size_percent", "size"]).ngroups
    assert f"Of {cells} cells: {cells} equal, " in said
    numbers = re.search(r"Of (\d+) files that hold no times (\d+) are equal in every byte", said)
    assert numbers[1] == numbers[2]
    assert (tmp_path / "again" / "labels" / "protocol.txt").read_text() in said
    assert (tmp_path / "again" / "labels" / "protocol.md").read_text().startswith("# Replicate of labels\n")

    assert replicate.main([*command, "--splits", "1", "--seed", "6"]) == 0
    said = capsys.readouterr().out
    assert "Another seed than in the committed run (6, not 5)" in said
    assert "Another splits than in the committed run (1, not 3)" in said
    assert f"Of {cells} cells: {cells} equal, " not in said

    store = tmp_path / "finished"
    store.mkdir()
    command += ["--finished", str(store), "--share", "1"]
    for number, words in enumerate(("", " of them taken")):  # run and put; then taken
        assert replicate.main([*command, "--splits", str(2), "--to", str(tmp_path / f"shared-{number}")]) == 0
        said = capsys.readouterr().out
        assert words in said
        assert re.search(r"(\d+) cells on .* recomputed in .*: \1 equal to the last digit", said)
    for path in sorted((tmp_path / "shared-1").rglob("scores/**/*.parquet")):
        log = Path(str(path).replace("/scores/", "/logs/predict/")).with_suffix(".log")
        file = Path(log.read_text().splitlines()[0].removeprefix("taken from "))
        write_table(path, read_table(path).assign(value=0.5))
        file.unlink()
        FinishedJob(store, file.stem, [path]).put()
    assert replicate.main([*command, "--splits", str(2), "--to", str(tmp_path / "forged")]) == 1
    assert re.search(r"[1-9]\d* differ$", capsys.readouterr().out, re.MULTILINE)

    project.edit("my.yaml", "planted", "planned")
    assert replicate.main([*command, "--splits", "2"]) == 1
    assert "labels did not finish; the messages above give the reason" in capsys.readouterr().err
