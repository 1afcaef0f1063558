from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mlreduce.evaluation.entries import strategy_module
from mlreduce.files import replacing
from mlreduce_studies.provenance import digest as provenance
from mlreduce_studies.provenance.digest import source_digest

SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"


@pytest.fixture(scope="module")
def stations(tmp_path_factory):
    """A copy of the packages in which a module can be edited: the digests, and a function that finds those then."""
    sources = tmp_path_factory.mktemp("copy")
    for package in provenance._PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(provenance._ROOT / package, sources / package, ignore=ignored)
    kept = provenance._parsed  # of files that nobody edits; parsing them all takes a second

    def digests(edited=None):
        source_digest.cache_clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(provenance, "_ROOT", sources)
            patch.setattr(provenance, "_parsed", lambda path: (kept.__wrapped__ if path == edited else kept)(path))
            found = {name: source_digest(SCRIPTS / f"{name}.py") for name in ("fetch", "tables", "figures", "gather")}
            for method in ("plst", "occa"):
                strategy = strategy_module("labelspace")
                found[method] = source_digest(SCRIPTS / "predict.py", strategy, f"mlreduce.labelspace.{method}")
            strategy = strategy_module("projection")
            found["mvmd"] = source_digest(SCRIPTS / "predict.py", strategy, "mlreduce.projection.mvmd")
        return found

    def after(module, edit):
        path = sources / module
        original = path.read_text()
        path.write_text(edit(original))
        try:
            return digests(edited=path)
        finally:
            path.write_text(original)

    forget()
    yield digests(), after
    forget()


def forget():
    for cached in (provenance.file_of, provenance._parsed, source_digest):
        cached.cache_clear()


@pytest.mark.parametrize(
    ("module", "affected"),
    [
        ("mlreduce/labelspace/occa.py", {"occa"}),
        ("mlreduce/labelspace/base.py", {"plst", "occa"}),
        ("mlreduce/projection/mvmd.py", {"mvmd"}),
        ("mlreduce/projection/cca.py", set()),
        ("mlreduce/plot/layout.py", {"figures"}),
        ("mlreduce_studies/tables/sizes.py", {"tables", "figures"}),
        ("mlreduce/datasets/fetch.py", {"fetch"}),
        ("mlreduce/datasets/readers/sgml.py", {"fetch"}),
        ("mlreduce/labelspace/classifier.py", set()),
        ("mlreduce/evaluation/label_space.py", {"plst", "occa"}),
        # A table counts the choices at the ends of the ranges that are searched.
        ("mlreduce/evaluation/search.py", {"mvmd", "plst", "occa", "tables", "figures"}),
    ],
)
def test_a_changed_module_changes_what_depends_on_it_and_nothing_else(stations, module, affected):
    before, after = stations
    found = after(module, lambda code: code + "\nCHANGED = True\n")
    assert {name for name in before if before[name] != found[name]} == affected


def test_another_name_of_a_file_changes_nothing(tmp_path):
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    for path in (first, second):
        path.write_text("from mlreduce.labelspace.plst import PLST\nFITTED = PLST()\n", encoding="utf-8")
    assert source_digest(first) == source_digest(second)
    second.write_text("from mlreduce.labelspace.occa import OCCA\nFITTED = OCCA()\n", encoding="utf-8")
    source_digest.cache_clear(), provenance._parsed.cache_clear()
    assert source_digest(first) != source_digest(second)


def test_comments_and_docstrings_change_nothing(stations):
    before, after = stations
    found = after(
        "mlreduce/labelspace/occa.py",
        lambda code: code.replace('"""Orthogonally', '"""Another word: orthogonally') + "\n# a comment\n",
    )
    assert found == before


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
