"""Claims, studies and procedure are those that were frozen before the papers were run, or the change is entered."""

from __future__ import annotations

import json
import runpy
import shutil
from pathlib import Path

import pytest

from mlreduce.configuration import read_yaml
from mlreduce_studies.study import PAPERS, study_files

PROJECT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(PROJECT / "docs" / "update_frozen.py"))
FREEZES = {path: read_yaml(path) for path in SCRIPT["freezes"]()}
FILES = {file: content for path, content in FREEZES.items() for file in SCRIPT["covered_files"](path)}
#: The papers that were run at their full protocols.
MANIFESTS = [PROJECT / "results/reference" / name / "manifest.json" for name in study_files(PROJECT, [PAPERS])]


@pytest.mark.parametrize("manifest", [*filter(Path.is_file, MANIFESTS)], ids=lambda path: path.parent.name)
def test_what_judges_a_paper_was_frozen_before_it_was_run(manifest):
    """A paper without results need not be frozen yet."""
    run = json.loads(manifest.read_text(encoding="utf-8"))
    for file in (*SCRIPT["paper_files"](manifest.parent.name), *SCRIPT["PROCEDURE"], "config/paper.yaml"):
        assert file in FILES, f"before a paper is run: python docs/update_frozen.py {manifest.parent.name}"
        assert FILES[file]["frozen"][:16] <= run["run"]["started"][:16].replace("T", " ")
        assert FILES[file]["seed"] == run["seed"]


@pytest.mark.parametrize("file", [*FILES])
def test_a_file_is_as_frozen_or_its_last_change_is_entered(file):
    changes = [change["digest"] for change in FILES[file]["amendments"] if change["file"] == file]
    expected = changes[-1] if changes else FILES[file]["files"].get(file)
    assert SCRIPT["digest"](file) == expected, f"{file} was changed: python docs/update_frozen.py {file} 'what and why'"


@pytest.mark.parametrize("content", [*FREEZES.values()], ids=map(str, FREEZES))
def test_an_amendment_says_why(content):
    assert all(change["why"].strip() and change["date"] >= content["frozen"][:10] for change in content["amendments"])


def test_the_first_freeze_is_of_seven_papers_and_the_procedure():
    """What was frozen on 26 November 2026 is not removed from the list: 26 files, whatever was amended since."""
    first = FREEZES[PROJECT / "papers" / "frozen.yaml"]
    assert first["frozen"] == "2026-11-26 06:50 UTC"
    assert len(first["files"]) == 26
    assert set(SCRIPT["PROCEDURE"]) <= set(SCRIPT["covered_files"](SCRIPT["FROZEN"]))


@pytest.fixture
def script(tmp_path, monkeypatch):
    """The script, in a project with the frozen papers and a new one."""
    shutil.copytree(PROJECT / "papers", tmp_path / "papers")
    shutil.copytree(PROJECT / "config", tmp_path / "config")
    (tmp_path / "papers" / "new-2020").mkdir()
    (tmp_path / "papers" / "new-2020" / "study.yaml").write_text("title: New\n")
    for name, value in (("PROJECT", tmp_path), ("FROZEN", tmp_path / "papers" / "frozen.yaml")):
        monkeypatch.setitem(SCRIPT["digest"].__globals__, name, value)
    return SCRIPT


def test_a_new_paper_is_frozen_without_a_change_of_others(script, tmp_path):
    before = (tmp_path / "papers" / "frozen.yaml").read_bytes()
    script["freeze_paper"]("new-2020")
    path = tmp_path / "papers" / "new-2020" / "frozen.yaml"
    content = read_yaml(path)
    assert list(content["files"]) == ["papers/new-2020/study.yaml"]
    assert content["seed"] == read_yaml(PROJECT / "config" / "paper.yaml")["seed"]
    assert script["changed_files"](content) == []
    (tmp_path / "papers" / "new-2020" / "claims.yaml").write_text("[]\n")
    (tmp_path / "papers" / "new-2020" / "study.yaml").write_text("title: Newer\n")
    assert script["changed_files"](content) == ["papers/new-2020/study.yaml"]
    assert script["covered_files"](path) == ["papers/new-2020/claims.yaml", "papers/new-2020/study.yaml"]
    script["amend"](script["covered_files"](path), "a correction")
    assert script["changed_files"](read_yaml(path)) == []
    assert [change["why"] for change in read_yaml(path)["amendments"]] == ["a correction"] * 2
    assert path.read_text().startswith("# What the paper is judged by")
    assert (tmp_path / "papers" / "frozen.yaml").read_bytes() == before


@pytest.mark.parametrize("name", ["new-2020", "mvmd-2016"])
def test_a_frozen_paper_is_not_frozen_again(script, name):
    if name == "new-2020":
        script["freeze_paper"](name)
    with pytest.raises(SystemExit, match="already frozen; a change is an amendment"):
        script["freeze_paper"](name)


def test_files_that_are_not_frozen_are_refused(script, tmp_path):
    with pytest.raises(SystemExit, match=r"papers/none: no study\.yaml"):
        script["freeze_paper"]("none")
    with pytest.raises(SystemExit, match=r"not frozen: papers/new-2020/study\.yaml; these are: config/paper\.yaml"):
        script["amend"](["papers/mvmd-2016/study.yaml", "papers/new-2020/study.yaml"], "why")
    assert read_yaml(tmp_path / "papers" / "frozen.yaml") == read_yaml(PROJECT / "papers" / "frozen.yaml")


def test_the_digest_of_a_module_is_of_its_statements(tmp_path, monkeypatch):
    digest = SCRIPT["digest"]
    monkeypatch.setitem(digest.__globals__, "PROJECT", tmp_path)
    same = ['"""A."""\nx = 1  # one\n', '"""B, longer."""\n\nx = 1\n']
    digests = []
    for text in (*same, '"""A."""\nx = 2\n'):
        (tmp_path / "a.py").write_text(text)
        digests.append(digest("a.py"))
    assert digests[0] == digests[1] != digests[2]
