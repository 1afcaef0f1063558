from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import mlreduce
from mlreduce import list_methods
from mlreduce.datasets import load_dataset
from mlreduce.registry import FAMILIES, kind_of, method_class, method_names

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "methods"
PAGES = sorted(FOLDER.glob("*.md"))
# Methods of the package: other tests register their own while they run.
METHODS = [name for name in method_names() if method_class(name).__module__.startswith("mlreduce.")]


def loaded(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KINDS = ("cells", "rows", "no")


def named(cell: str) -> list[str]:
    """Return the methods that a cell links to."""
    return re.findall(r"\[([a-z0-9-]+)\]\(", cell)


method_tables = loaded(DOCS / "_ext" / "method_tables.py")


@pytest.fixture(scope="module")
def pictures():
    return loaded(FOLDER / "pictures.py")


def test_every_method_has_a_section_of_a_page():
    for name in METHODS:
        cls = method_class(name)
        declared = f"`{name}`, class `{cls.__name__}`"
        assert name in method_tables.declared_pages(), f"no page of docs/methods says: {declared}"
        page = method_tables.declared_pages()[name].read_text(encoding="utf-8")
        assert re.search(rf"mlreduce\.{cls.__name__}\(", page), f"no example of {name}"
        missing = [key for key in cls().get_params() if key not in ("k", "n_components") and f"`{key}`" not in page]
        assert not missing, f"parameters of {name} that the page does not explain"


@pytest.mark.parametrize("family", FAMILIES)
def test_tables_have_a_row_for_every_method(family):
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert page.count(f"<!-- methods: {family} -->") == 1
    _, _, *rows = method_tables.table(family, FOLDER).splitlines()
    names = [name for name in METHODS if kind_of(name) == family]
    assert [re.match(r"\| \[([a-z0-9-]+)\]\(\S+\.md\) \| `\w+` \| ", row)[1] for row in rows] == names
    assert all((FOLDER / re.search(r"\]\((\S+)\)", row)[1]).is_file() for row in rows)
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 7 for row in rows)


def test_tables_stand_where_the_comments_are():
    sphinx = SimpleNamespace(env=SimpleNamespace(doc2path=lambda name: FOLDER / f"{name}.md"))
    source = ["Before.\n\n<!-- methods: propagation -->\n\nAfter.\n"]
    method_tables.write_tables(sphinx, "README", source)
    assert source[0].startswith("Before.\n\n| name | class |")
    assert "| [smse1](propagation.md) | `SMSE1` |" in source[0]
    assert source[0].endswith(" |\n\nAfter.\n")


def test_the_table_of_unknown_labels_is_what_methods_declare():
    sphinx = SimpleNamespace(env=SimpleNamespace(doc2path=lambda name: DOCS / f"{name}.md"))
    source = [(DOCS / "partial-labels.md").read_text(encoding="utf-8")]
    method_tables.write_tables(sphinx, "partial-labels", source)
    rows = re.findall(r"^\| (\w+) \| (.*) \| (.*) \| (.*) \|$", source[0], flags=re.MULTILINE)
    told = {name: kind for _, *cells in rows for kind, cell in zip(KINDS, cells, strict=True) for name in named(cell)}
    facts = list_methods().loc[METHODS]
    assert told == facts.loc[facts["needs_labels"], "unknown_labels"].to_dict()


def test_every_page_has_an_example():
    without = {page.stem for page in PAGES if "```python\n" not in page.read_text(encoding="utf-8")}
    assert without == {"README"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lines_are_short_and_pictures_are_there(page):
    text = page.read_text(encoding="utf-8")
    assert not [line for line in text.splitlines() if len(line) > 125 and not line.startswith("|")]
    assert all((FOLDER / name).is_file() for name in re.findall(r"\]\((\S+\.png)\)", text))


def test_pictures_are_of_the_methods_of_their_pages(pictures):
    for picture in FOLDER.glob("*.png"):
        assert f"({picture.name})" in picture.with_suffix(".md").read_text(encoding="utf-8")
    for page in (*pictures.PAGES, *pictures.CURVES):
        assert (FOLDER / f"{page}.png").is_file()
    for page, panels in pictures.PAGES.items():
        assert {name for _, name, _ in panels} <= {*pictures.methods_on(page, "projection", "embedding")}
    for title, name, parameters in (panel for panels in pictures.PAGES.values() for panel in panels):
        for parameter, value in re.findall(r"(\w+) = (\S+)", title):
            assert mlreduce.make(name, **parameters).get_params()[parameter] == float(value)
    for page, lines in pictures.CURVES.items():
        shown = {name for _, *names in lines for name in (names[0], names[2])}
        assert shown & {*pictures.methods_on(page, "selection", "predictors")}


def test_a_page_that_is_in_no_list_shows_its_methods_with_their_defaults(pictures, monkeypatch):
    monkeypatch.setattr(pictures, "PAGES", {})
    monkeypatch.setattr(pictures, "CURVES", {})
    assert pictures.panels_of("cca") == [("CCA", "cca", {}), ("RCCA", "rcca", {})]
    assert pictures.panels_of("mlfs") == []
    assert pictures.curves_of("mlfs") == [("MLFS", "mlfs", {}, "br-knn")]
    assert pictures.curves_of("mlnb") == [("MLNB", "mlrf", {}, "mlnb")]


@pytest.mark.parametrize("page", ["pls", "mlfs"])
@pytest.mark.slow
def test_a_picture_has_the_same_bytes_each_time(page, pictures, mirror, tmp_path):
    data = load_dataset("scene", mirror=mirror)
    first, second = (pictures.draw(page, data, tmp_path).read_bytes() for _ in range(2))
    assert first == second
