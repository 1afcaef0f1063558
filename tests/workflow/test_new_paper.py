"""A paper is one folder: found, planned, its claims checked and its page written, before it has any results."""

from __future__ import annotations

import importlib.util
import shutil

import pytest
import yaml
from additions import CLAIM, add_paper
from project import PROJECT

from mlreduce.configuration import read_yaml
from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.planning.plan import make_plan


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
        page.write_text(module.update_page(page.read_text()))
    return module.update_page


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
    assert "- [Doe 2020](papers/mine-2020/README.md): not run yet." in (copy / "README.md").read_text()
    row = "| Doe, 2020: A projection of mine | not run yet |"
    assert row in (copy / "docs" / "papers.md").read_text()


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
@pytest.mark.rotating
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
