"""A paper is one folder: found, planned, its claims checked and its page written, before it has any results."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest
import yaml
from project import PROJECT, Project

from mlreduce.configuration import read_yaml
from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.study import PAPERS, study_files
from plan import make_plan

STUDY = {
    "title": "A projection of mine (Doe, 2020)",
    "protocols": {"ten-fold": {"folds": 10}},
    "methods": {"projections": {"mvmd": {}}},
    "predictors": {"ridge": {}},
    "sizes": [20],
    "measures": ["micro-f1"],
    "tables": {"table1": {"caption": "Table 1", "measure": "micro-f1", "predictor": "ridge", "methods": ["mvmd"]}},
    "figures": {},
    "scales": {
        "demo": {"datasets": ["digits"], "splits": 2},
        "paper": {"datasets": ["emotions", "scene"], "splits": 10},
    },
}
CLAIM = {
    **{"id": "mine-at-least-a-half", "claim": "Its F1 is at least a half.", "where": "Section 5; Table 1"},
    **{"shown_in": ["table1"], "kind": "bound", "method": "mvmd", "quantity": "micro-f1", "at_least": 0.5},
    "wording": "every",
    "select": {"protocol": "ten-fold", "predictor": "ridge", "sizes": [20]},
}
PAGE = """# mine-2020: one table

It is <!-- verdict mine-at-least-a-half --><!-- end -->.

<!-- claims mine-2020: begin -->

<!-- claims mine-2020: end -->
"""


def add_paper(project, claims=(CLAIM,)):
    folder = project / "papers" / "mine-2020"
    folder.mkdir()
    (folder / "study.yaml").write_text(yaml.safe_dump(STUDY, sort_keys=False))
    (folder / "claims.yaml").write_text(yaml.safe_dump(list(claims), sort_keys=False))
    (folder / "README.md").write_text(PAGE)
    return folder / "README.md"


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """What of the project says which papers there are, with its results."""
    for name in ("config", "papers", "comparisons"):
        shutil.copytree(PROJECT / name, tmp_path / name)
    (tmp_path / "docs").mkdir()
    for name in ("README.md", "docs/papers.md", "docs/update_results.py"):
        shutil.copy(PROJECT / name, tmp_path / name)
    (tmp_path / "results").symlink_to(PROJECT / "results")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan_of(project):
    return make_plan(read_yaml(project / "config" / "config.yaml") | {"results": "here"}, project)


def update(project):
    """Write the new page, and those that name all papers; return how they are written again."""
    spec = importlib.util.spec_from_file_location("update_results_of_copy", project / "docs" / "update_results.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pages = [project / name for name in ("README.md", "docs/papers.md", "papers/mine-2020/README.md")]
    assert set(pages) <= set(module.PAGES)
    for page in pages:
        page.write_text(module.updated(page.read_text()))
    return module.updated


def test_a_paper_is_one_folder(copy):
    page = add_paper(copy)
    plan = plan_of(copy)
    plan.check_claims()
    assert plan.is_paper("mine-2020")
    updated = update(copy)
    text = page.read_text()
    assert "-->not run yet<!-- end -->" in text
    assert "begin -->\n\nNot run yet.\n\n<!-- claims" in text
    assert updated(text) == text
    assert "| Doe, 2020: A projection of mine | not run yet |" in (copy / "README.md").read_text()
    assert "| [mine-2020](../papers/mine-2020/README.md) | one table |" in (copy / "docs" / "papers.md").read_text()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"method": "mvdm"}, "unknown method 'mvdm'; did you mean 'mvmd'"),
        ({"datasets": ["emotoins"]}, "unknown data set 'emotoins'; did you mean 'emotions'"),
        ({"quantity": "mikro-f1"}, "unknown quantity 'mikro-f1'; did you mean 'micro-f1'"),
        ({"shown_in": ["tabel1"]}, "unknown table or figure 'tabel1'; did you mean 'table1'"),
        ({"wording": None}, "wording: expected string, got None"),
        ({"id": "cplst-best-on-yeast"}, "this id is used in papers/cplst-2012/claims.yaml too"),
    ],
)
def test_a_wrong_claim_is_refused_when_a_run_is_planned(copy, changes, sentence):
    add_paper(copy, [CLAIM | {"id": "right"}, CLAIM | changes])
    line = 1 + len(yaml.safe_dump([CLAIM | {"id": "right"}], sort_keys=False).splitlines())
    with pytest.raises(ConfigurationError) as caught:
        plan_of(copy).check_claims()
    assert f"papers/mine-2020/claims.yaml, line {line}: " in str(caught.value)
    assert sentence in str(caught.value)


def test_claims_on_other_data_and_of_other_methods_are_not_checked(copy):
    add_paper(copy, [CLAIM | {"method": "pca"}])
    config = read_yaml(copy / "config" / "config.yaml") | {"results": "here", "studies": ["mine-2020"]}
    for settings in ({"run_on": ["planted-300"]}, {"methods": ["mvmd"]}):
        make_plan(config | settings, copy).check_claims()


@pytest.mark.slow
def test_the_tests_pass_with_a_paper_that_is_not_run(tmp_path):
    """Those that look at all papers, and the plan of the demo."""
    project = Project(tmp_path)
    unused = shutil.ignore_patterns("__pycache__", "_build", "api", "gallery", "*.svg")
    for name in ("docs", "tests"):
        shutil.copytree(PROJECT / name, tmp_path / name, ignore=unused)
    for name in ("README.md", "pyproject.toml", ".snakemake-workflow-catalog.yml"):
        shutil.copy(PROJECT / name, tmp_path / name)
    (tmp_path / "results").mkdir()
    for edition in ("reference", "retrospective"):
        (tmp_path / "results" / edition).symlink_to(PROJECT / "results" / edition)
    (tmp_path / "src/mlreduce/projection/mine.py").unlink()
    add_paper(tmp_path)
    update(tmp_path)
    assert f"{len(study_files(tmp_path, [PAPERS]))} studies" in project.run("-n")
    of_papers = "generated_parts or verdicts_in_prose or claims or folders_are or which_studies or published"
    tests = ("tests/unit/test_readme.py", "tests/studies/verdicts/test_studies.py", "tests/workflow_lib/test_plan.py")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *tests, "-k", of_papers],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "claims_are_not_run_and_say_so[mine-2020]" in done.stdout
