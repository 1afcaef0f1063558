from __future__ import annotations

import json
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from rocrate.rocrate import ROCrate

from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.files import file_sha256
from mlreduce_studies.provenance.crate import Paper, write_crate
from mlreduce_studies.provenance.digest import environment
from mlreduce_studies.provenance.manifest import digests, make_manifest

VALIDATOR = Path(__file__).parents[1] / "crate_validator.py"
PAPER = Paper("A paper (Author, 2012)", "https://doi.org/10.1000/1")
CITATION = """\
cff-version: 1.2.0
title: mlreduce
abstract: Dimension reduction.
version: 0.1.0
license: BSD-3-Clause
authors:
  - {family-names: Fisher, given-names: Ronald}
  - name: The others
"""
RESULTS = (
    *("table3.csv", "table3.md", "table3.tex", "figure1.svg", "figure1.png", "figure1.pdf", "scores.parquet"),
    *("summary.csv", "audit.csv", "audit.md", "claims.csv"),
)
PUBLISHED = {
    "name": "x y.arff",
    "sha256": "ab" * 32,
    "addresses": ["https://example.org/data/x y.arff", "https://example.com/x.arff"],
}
OWN = {"name": "mine.csv", "sha256": "cd" * 32, "addresses": []}


@pytest.fixture
def study(tmp_path):
    """A project and the results of a finished study: files without meaning, as a manifest describes them."""
    project, results = tmp_path / "project", tmp_path / "results"
    own = ("workflow/rules/a.smk", "src/mlreduce/a.py", "config/a.yaml", "papers/a-2020/study.yaml")
    for name in (*own, "envs/requirements.lock", "Snakefile"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"# {name}\n")
    (project / "CITATION.cff").write_text(CITATION)
    (project / "LICENSE").write_text("Do what you like.\n")
    (project / "README.md").write_text("# Read me\n")
    results.mkdir()
    for name in (*RESULTS, "times.csv", "jobs.csv"):
        (results / name).write_text(f"{name}\n")
    write_manifest(project, results)
    return project, results


def write_manifest(project, results):
    description = {
        "study": "s",
        "scale": "demo",
        "protocols": {"p": {"train": 0.9}},
        "splits": 3,
        "seed": 7,
        "datasets": ["one", "two"],
        "methods": {"plst": {}},
        "sizes": [20],
        "energies": [],
        "measures": ["hamming-loss"],
        "groups": {"g": {}},
        "predictors": {"linear": {}},
        "code": {"g": "0123456789abcdef"},
    }
    # Two data sets that are read from the same file.
    inputs = {
        "one": {"files": [PUBLISHED], "prepared_sha256": "0" * 64},
        "two": {"files": [PUBLISHED, OWN], "prepared_sha256": "1" * 64},
    }
    nothing = {"jobs": 0, "measured": 0, "seconds": 0, "cpu_seconds": 0, "peak_mb": None, "threads": 0}
    run = {
        **environment(project),
        "started": "2026-11-21T10:00:00+00:00",
        "ended": "2026-11-21T11:00:00+00:00",
        "cost": {"total": nothing, "rules": {}},
        "outputs": digests([results / "times.csv", results / "jobs.csv"]),
    }
    outputs = digests(results / name for name in RESULTS)
    (results / "manifest.json").write_text(json.dumps(make_manifest(description, inputs, outputs, run)))


def packed(study, path, paper=PAPER, used=None):
    project, results = study
    write_crate(path, results, project, paper, used or {})
    return path


def issues(crates, tmp_path):
    command = [sys.executable, str(VALIDATOR), str(tmp_path / "cache"), *map(str, crates)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()[-len(crates) :]]


def test_a_crate_says_what_it_holds(study, tmp_path):
    crate = ROCrate(packed(study, tmp_path / "s.crate.zip"))
    root = crate.root_dataset
    assert {profile.id for profile in root["conformsTo"]} == {
        "https://w3id.org/ro/wfrun/process/0.5",
        "https://w3id.org/ro/wfrun/workflow/0.5",
        "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
    }
    assert root["citation"].id == PAPER.identifier
    assert root["citation"]["name"] == PAPER.title
    assert root["license"].id == "https://spdx.org/licenses/BSD-3-Clause"
    assert [author["name"] for author in root["author"]] == ["Ronald Fisher", "The others"]
    assert str(root.datePublished).startswith("2026-11-21")
    assert crate.mainEntity.id == "Snakefile"
    assert crate.mainEntity["programmingLanguage"]["name"] == "Snakemake"
    named = {entity.id for entity in crate.data_entities}
    assert named >= {f"results/{name}" for name in (*RESULTS, "times.csv", "jobs.csv", "manifest.json")}
    assert named >= {"workflow/", "src/", "config/", "papers/", "envs/", "LICENSE", "CITATION.cff", "README.md"}
    _, results = study
    for name in RESULTS:
        assert crate.get(f"results/{name}")["sha256"] == file_sha256(results / name)


def test_the_run_goes_from_what_it_used_to_what_it_made(study, tmp_path):
    crate = ROCrate(packed(study, tmp_path / "s.crate.zip"))
    run = crate.root_dataset["mentions"]
    assert run.type == "CreateAction"
    assert run["instrument"] is crate.mainEntity
    assert (run["startTime"], run["endTime"]) == ("2026-11-21T10:00:00+00:00", "2026-11-21T11:00:00+00:00")
    assert {entity.id for entity in run["result"]} == {
        f"results/{name}" for name in (*RESULTS, "times.csv", "jobs.csv", "manifest.json")
    }
    used = {entity.id: entity for entity in run["object"]}
    settings = {entity["name"]: entity["value"] for entity in used.values() if entity.id.startswith("#setting-")}
    assert settings == {"study": "s", "scale": "demo", "seed": 7, "splits": 3, "datasets": "one, two"}
    published = used["https://example.org/data/x%20y.arff"]
    assert (published["name"], published["sha256"]) == ("one/x y.arff", PUBLISHED["sha256"])
    assert published.properties()["sameAs"] == {"@id": "https://example.com/x.arff"}
    own = used[f"#file-{OWN['sha256']}"]  # neither published nor packed: told by its digest
    assert (own["name"], own["value"]) == ("two/mine.csv", OWN["sha256"])
    for role in ("input", "output"):
        for parameter in crate.mainEntity[role]:
            examples = parameter["workExample"]
            for example in examples if isinstance(examples, list) else [examples]:
                assert example["exampleOfWork"] is parameter


def test_the_same_study_is_the_same_archive(study, tmp_path):
    first = packed(study, tmp_path / "first.zip").read_bytes()
    _, results = study
    for path in results.iterdir():
        path.touch()
    assert packed(study, tmp_path / "second.zip").read_bytes() == first


def test_the_archive_holds_what_it_names_and_nothing_that_python_left(study, tmp_path):
    project, _ = study
    (project / "src" / "mlreduce" / "__pycache__").mkdir()
    (project / "src" / "mlreduce" / "__pycache__" / "a.pyc").write_text("compiled")
    (project / "config" / ".editor").write_text("hidden")
    with zipfile.ZipFile(packed(study, tmp_path / "s.crate.zip")) as archive:
        names = set(archive.namelist())
        assert archive.testzip() is None
        assert archive.read("src/mlreduce/a.py") == b"# src/mlreduce/a.py\n"
    assert not [name for name in names if "__pycache__" in name or "/." in name]


@pytest.mark.slow
def test_the_validator_finds_nothing_wrong_but_in_a_crate_that_was_changed(study, tmp_path):
    """One process for both: its imports take seconds."""
    folder, ours = tmp_path / "crate", packed(study, tmp_path / "s.crate.zip")
    with zipfile.ZipFile(ours) as archive:
        archive.extractall(folder)
    path = folder / "ro-crate-metadata.json"
    text = path.read_text()
    for before, after in (
        ('"instrument": ', '"agent": '),
        ('"additionalType": ', '"description": '),
        ("https://w3id.org/ro/wfrun/workflow/0.5", "https://w3id.org/ro/other/0.5"),
        ('"name": "seed"', '"name": "seed", "colour": "red"'),
    ):
        assert before in text
        text = text.replace(before, after)
    path.write_text(text)
    (folder / "results" / "table3.csv").unlink()
    nothing, found = issues([ours, folder], tmp_path)
    assert nothing == []
    for part in (
        "instrument",
        "additionalType",
        "permalink of the Workflow Run Crate profile",
        "colour",
        "results/table3.csv",
    ):
        assert any(part in issue for issue in found), part


def test_a_paper_without_an_address_is_cited_by_its_title(study, tmp_path):
    crate = ROCrate(packed(study, tmp_path / "s.crate.zip", Paper("A paper", None)))
    assert crate.root_dataset["citation"]["name"] == "A paper"
    assert "identifier" not in crate.root_dataset["citation"].properties()


def test_an_archive_is_unpacked_within_its_folder(study, tmp_path):
    with zipfile.ZipFile(packed(study, tmp_path / "s.crate.zip")) as archive:
        for entry in archive.infolist():
            parts = Path(entry.filename).parts
            assert not Path(entry.filename).is_absolute()
            assert not {"..", "\\", ":"} & {*parts, *entry.filename}
            assert stat.S_IFMT(entry.external_attr >> 16) in (stat.S_IFREG, stat.S_IFDIR)


@pytest.mark.parametrize("absolute", [False, True])
def test_a_manifest_cannot_have_other_files_packed(study, tmp_path, monkeypatch, absolute):
    """A manifest that is made by hand, with the right digests."""
    _, results = study
    secret = results.parent / "secret.csv"
    secret.write_text("secret\n")
    manifest = json.loads((results / "manifest.json").read_text())
    manifest["outputs"][str(secret) if absolute else "../secret.csv"] = file_sha256(secret)
    monkeypatch.setattr("mlreduce_studies.provenance.manifest._digest", lambda _: manifest["digest"])
    (results / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ConfigurationError, match=r"manifest\.json: outputs: .*secret"):
        packed(study, tmp_path / "s.crate.zip")
    assert not (tmp_path / "s.crate.zip").exists()


def test_results_that_are_not_those_of_the_manifest_are_not_packed(study, tmp_path):
    _, results = study
    (results / "table3.csv").write_text("other numbers\n")
    with pytest.raises(DataError, match=r"table3.csv: its SHA-256 is .*; run the study again"):
        packed(study, tmp_path / "s.crate.zip")
    assert not (tmp_path / "s.crate.zip").exists()


def test_code_that_did_not_make_the_results_is_not_packed_with_them(study, tmp_path):
    project, _ = study
    used = {"seed": 7, "splits": 3, "code": {"g": "0123456789abcdef"}}
    (project / "src" / "mlreduce" / "unrelated.py").write_text("# A method that the study does not have.\n")
    packed(study, tmp_path / "s.crate.zip", used=used)
    with pytest.raises(DataError, match="splits, code of the study are not what made it"):
        packed(study, tmp_path / "t.crate.zip", used=used | {"splits": 4, "code": {"g": "fedcba9876543210"}})
    assert not (tmp_path / "t.crate.zip").exists()
