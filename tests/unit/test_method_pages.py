from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from mlreduce.datasets import load_dataset
from mlreduce.registry import method_class, method_names

FOLDER = Path(__file__).parents[2] / "docs" / "methods"
OVERVIEW = (FOLDER / "README.md").read_text(encoding="utf-8")
PAGES = sorted(FOLDER.glob("*.md"))
# Methods of the package: other tests register their own while they run.
PROJECTIONS = [name for name in method_names("projection") if method_class(name).__module__.startswith("mlreduce.")]
EMBEDDINGS = [name for name in method_names("embedding") if method_class(name).__module__.startswith("mlreduce.")]
SELECTORS = [name for name in method_names("selection") if method_class(name).__module__.startswith("mlreduce.")]
#: Pages of what neither projects features, nor embeds instances, nor predicts from selected features; and of methods
#: that do not take the labels of scene, whose extensions are on the page of MESD; and of methods for many labels.
WITHOUT_PICTURE = {"label-embeddings", "propagation", "proximity", "relation-features", "single-label"}
CLASSIFIERS = ["br-knn", "cc-knn", "flda", "leml", "majority-labels", "ml-knn", "mlnb", "pcut", "sleec"]
#: What no picture is of: a threshold of scores; controls (directions and features at random, labels that none of scene
#: is common enough for); selectors that take no standardised features; classifiers of all features.
NOT_SHOWN = {
    "mesd",
    "random-projection",
    "majority-labels",
    "pcut",
    "random-features",
    "chi2",
    "scmfs",
    "leml",
    "sleec",
}


@pytest.fixture(scope="module")
def pictures():
    spec = importlib.util.spec_from_file_location("pictures", FOLDER / "pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row_of(name: str) -> str:
    """Return the overview's line on a method."""
    (row,) = re.findall(rf"^\| (?:\[{name}\]\([^)]*\)|{name}) \|.*$", OVERVIEW, re.MULTILINE)
    return row


def test_tables_of_the_overview_are_whole():
    """A row behind an empty line would stand outside its table, as text."""
    assert "\n\n| [" not in OVERVIEW


@pytest.mark.parametrize("name", PROJECTIONS + EMBEDDINGS)
def test_every_projection_and_embedding_has_a_page_and_a_row_that_links_to_it(name):
    row, cls = row_of(name), method_class(name)
    (target,) = re.findall(rf"\[{name}\]\(([^)]*)\)", row)
    page = (FOLDER / target).read_text(encoding="utf-8")
    assert f"`{name}`, class `{cls.__name__}`" in " ".join(page.split())
    assert re.search(rf"mlreduce\.{cls.__name__}\(", page), "no example"
    assert f"| `{cls.__name__}` |" in row
    assert row.endswith("| yes |" if cls.supervised else "| no |")
    if name in PROJECTIONS:
        assert ("any sign" in row) == cls().signed_values
    own = set(cls().get_params()) - {"n_components", "select"}
    assert set(re.findall(r"`(\w+)`", row.split("|")[-3])) == own
    assert all(f"`{parameter}`" in page for parameter in own)


@pytest.mark.parametrize("name", SELECTORS + CLASSIFIERS)
def test_every_selector_and_classifier_has_a_page_and_a_row_that_links_to_it(name):
    row, cls = row_of(name), method_class(name)
    (target,) = re.findall(rf"\[{name}\]\(([^)]*)\)", row)
    page = (FOLDER / target).read_text(encoding="utf-8")
    assert f"`{name}`, class `{cls.__name__}`" in " ".join(page.split())
    assert re.search(rf"mlreduce\.{cls.__name__}\(", page), "no example"
    assert f"| `{cls.__name__}` |" in row
    own = set(cls().get_params()) - {"k"}
    assert set(re.findall(r"`(\w+)`", row)) - {cls.__name__} == own
    assert all(f"- `{parameter}`" in page for parameter in own)


@pytest.mark.parametrize("name", method_names("propagation"))
def test_every_label_propagation_has_a_page_and_a_row_that_links_to_it(name):
    row, cls = row_of(name), method_class(name)
    page = (FOLDER / "propagation.md").read_text(encoding="utf-8")
    assert f"[{name}](propagation.md)" in row
    assert f"| `{cls.__name__}` |" in row
    assert f"`{name}`, class `{cls.__name__}`" in " ".join(page.split())
    assert re.search(rf"mlreduce\.{cls.__name__}\(", page), "no example"
    assert all(f"`{parameter}`" in page for parameter in cls().get_params())


@pytest.mark.parametrize("name", method_names("labelspace"))
def test_every_label_coder_has_a_row(name):
    assert f"| `{method_class(name).__name__}` |" in row_of(name)


def test_every_page_has_an_example():
    without = {page.stem for page in PAGES if "```python\n" not in page.read_text(encoding="utf-8")}
    assert without == {"README"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pictures_are_there(page):
    text = page.read_text(encoding="utf-8")
    assert page.stem in {"README", *WITHOUT_PICTURE} or f"({page.stem}.png)" in text
    assert all(len(line) <= 125 for line in text.splitlines() if not line.startswith("|"))


def test_every_picture_is_drawn_for_a_page_and_shows_each_of_its_methods(pictures):
    drawn = {*pictures.PAGES, *pictures.CURVES}
    assert {page.stem for page in PAGES} - {"README", *WITHOUT_PICTURE} == drawn
    assert {path.stem for path in FOLDER.glob("*.png")} == drawn
    shown = {
        name for name in PROJECTIONS if not any(f"[{name}]({page}.md)" in row_of(name) for page in WITHOUT_PICTURE)
    }
    panels_of = {name for panels in pictures.PAGES.values() for _, name, _ in panels}
    assert panels_of == {*shown, *EMBEDDINGS} - NOT_SHOWN
    for page, panels in pictures.PAGES.items():
        assert all(f"]({page}.md)" in row_of(name) for _, name, _ in panels)
    for name in SELECTORS + CLASSIFIERS:
        (page,) = re.findall(r"\]\((\S+)\.md\)", row_of(name))
        curves = [] if page in WITHOUT_PICTURE else pictures.CURVES[page]
        assert name in {method for _, selector, _, votes in curves for method in (selector, votes)} | NOT_SHOWN


@pytest.mark.parametrize("page", ["pls", "mlfs"])
def test_a_picture_has_the_same_bytes_each_time(page, pictures, mirror, tmp_path):
    data = load_dataset("scene", mirror=mirror)
    first, second = (pictures.draw(page, data, tmp_path).read_bytes() for _ in range(2))
    assert first == second
