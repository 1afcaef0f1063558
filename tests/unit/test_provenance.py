from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mlreduce.datasets.files import replacing
from mlreduce.experiments.loop import strategy_module
from mlreduce.provenance import digest as provenance
from mlreduce.provenance.digest import source_digest

SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"


def forget():
    for cached in (provenance._module_file, provenance._parsed, source_digest):
        cached.cache_clear()


@pytest.fixture
def copy_of_library(tmp_path, monkeypatch):
    """A copy of the package in which modules can be edited."""
    package = tmp_path / "mlreduce"
    shutil.copytree(provenance._PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(provenance, "_PACKAGE", package)

    def digests():
        forget()
        stations = {name: source_digest(SCRIPTS / f"{name}.py") for name in ("fetch", "tables", "figures", "gather")}
        for method in ("plst", "occa"):
            strategy = strategy_module("labelspace")
            stations[method] = source_digest(SCRIPTS / "predict.py", strategy, f"mlreduce.labelspace.{method}")
        strategy = strategy_module("projection")
        stations["mvmd"] = source_digest(SCRIPTS / "predict.py", strategy, "mlreduce.projection.mvmd")
        return stations

    yield package, digests
    forget()


@pytest.mark.parametrize(
    ("module", "affected"),
    [
        ("labelspace/occa.py", {"occa"}),
        ("labelspace/base.py", {"plst", "occa"}),
        ("projection/mvmd.py", {"mvmd"}),
        ("projection/cca.py", set()),
        ("reporting/figures/layout.py", {"figures"}),
        ("reporting/tables/sizes.py", {"tables", "figures", "gather"}),
        ("datasets/fetch.py", {"fetch"}),
        ("datasets/readers/sgml.py", {"fetch"}),
        ("labelspace/classifier.py", set()),
        ("experiments/label_space.py", {"plst", "occa"}),
        ("experiments/search.py", {"mvmd"}),
    ],
)
def test_a_changed_module_changes_what_depends_on_it_and_nothing_else(copy_of_library, module, affected):
    package, digests = copy_of_library
    before = digests()
    path = package / module
    path.write_text(path.read_text() + "\nCHANGED = True\n")
    after = digests()
    assert {name for name in before if before[name] != after[name]} == affected


def test_comments_and_docstrings_change_nothing(copy_of_library):
    package, digests = copy_of_library
    before = digests()
    path = package / "labelspace" / "occa.py"
    path.write_text(path.read_text().replace('"""Orthogonally', '"""Another word: orthogonally') + "\n# a comment\n")
    assert digests() == before


def test_files_are_replaced_whole_or_not_at_all(tmp_path):
    target = tmp_path / "new" / "f.txt"
    with replacing(target) as path:
        path.write_text("first")
        assert not target.exists()
    assert target.read_text() == "first"
    with pytest.raises(ZeroDivisionError), replacing(target) as path:
        assert path.write_text("half") / 0
    assert target.read_text() == "first"
    assert {file.name for file in target.parent.iterdir()} == {"f.txt"}
