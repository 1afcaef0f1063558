"""The page of a comparison: whole, offline, and inert whatever names say."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pandas as pd
import pytest

import mlreduce
from mlreduce import plot
from mlreduce.evaluation import jobs
from mlreduce.stats.margins import DECIDED

EVIL = "<script>alert(1)</script> $\\bad{$ \"'& \u202e"
SHOWN = EVIL.replace("\u202e", "\\u202e")


class Page(HTMLParser):
    """Tags with attributes, and the text of each."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def pages(data, tmp_path_factory):
    y = pd.DataFrame(data.Y).add_prefix(EVIL)
    methods = {EVIL: "pca", "mvmd": "mvmd", "plst": "plst", "all-features": "all-features"}
    found = mlreduce.compare(
        *(pd.DataFrame(data.X).add_prefix(EVIL), y, methods, {f"ridge {EVIL}": "ridge", "ml-knn": "ml-knn"}),
        cv=2, sizes=[20, 60], measures=["ranking-loss", "micro-f1"],
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("pages")
    return found, [found.to_html(folder / name / "index.html").read_text() for name in ("first", "second")]


def test_the_same_bytes_each_time(pages):
    assert pages[1][0] == pages[1][1]


def test_names_are_inert_and_nothing_is_outside(pages):
    text = pages[1][0]
    page = Page(text)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "link", "iframe", "object", "embed", "base", "form"}
    for _, attributes in page.tags:
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "href"):
            assert re.match(r"data:image/svg\+xml;base64,|#", attributes.get(name, "#"))
    assert "".join(page.text).count(SHOWN) > 4
    assert "\u202e" not in text
    policy = next(own["content"] for tag, own in page.tags if own.get("http-equiv") == "Content-Security-Policy")
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_it_holds_the_tables_and_figures(pages):
    found, (text, _) = pages
    page = Page(text)
    joined = "".join(page.text)
    for predictor, measure in ((f"ridge {EVIL}", "ranking-loss"), ("ml-knn", "ranking-loss")):
        for value in found.table(predictor).drop(columns="seconds").stack().dropna():
            assert f"{value:.3f}" in joined
        for value in found.statistics(measure, predictor)["rank"]:
            assert f"{value:.2f}" in joined
    images = [own for tag, own in page.tags if tag == "img"]
    assert len(images) == 4
    for own in images:
        drawn = ElementTree.fromstring(base64.b64decode(own["src"].partition(",")[2]))
        assert drawn.tag.endswith("svg")
        assert "http" not in own["alt"]
    assert all(f"{name} {version}" in joined for name, version in found.settings["versions"].items())
    assert "–" in joined  # label coders rank no labels


def test_it_opens_with_what_ranks_first(pages):
    found, (text, _) = pages
    lines = found.explain().splitlines()
    assert len(lines) == 2
    shown = "".join(Page(text).text).replace("\n", " ")
    places = [shown.index(line.replace("\u202e", "\\u202e").partition(".")[0]) for line in lines]
    assert places == sorted(places)
    assert places[0] < shown.index("4 methods on")
    for predictor in found.settings["predictors"]:
        ranked, pairs = found.statistics(None, predictor), found.pairs(None, predictor).set_index(["method", "than"])
        (line,) = (line for line in lines if line.startswith(f"With {predictor}, {ranked.index[0]} ranks first: "))
        one, other = ranked.index[0], "all-features"
        if one == other:
            one = ranked.index[1]
        chance = pairs.loc[(one, other), ["better", "similar", "worse"]].max()
        assert f" with a probability of {chance:.2f}" in line
        assert (" only: undecided." in line) == (chance < DECIDED)
        assert f"of {other} {found.fits.groupby('method')['seconds'].mean()[other]:.2g} s." in line


def test_charts_have_the_colours_of_methods_and_are_read_on_dark_grounds(pages):
    found, (text, _) = pages
    drawn = [plot.quality_against_size(found, None, predictor) for predictor in found.settings["predictors"]]
    colours = [{own.get_label(): own.lines[0].get_color() for own in axis.containers} for axis in drawn]
    assert colours[0].keys() >= colours[1].keys() > {"mvmd"}
    assert len(set(colours[0].values())) == len(colours[0])
    assert colours[1].items() <= colours[0].items()
    for own in (own for tag, own in Page(text).tags if tag == "img"):
        svg = base64.b64decode(own["src"].partition(",")[2]).decode()
        assert "prefers-color-scheme: dark" in svg
        assert "fill: #ffffff" not in svg.replace('<g style="fill: #ffffff', "")  # but for text in dark cells
    assert "color-scheme: light dark" in text


def test_no_time_has_imports_or_compilation_in_it(data, monkeypatch):
    ran, run = [], jobs._run
    monkeypatch.setattr(jobs, "_warm", set())
    monkeypatch.setattr(
        jobs, "_run", lambda job, common: [ran.append((job.method.label, len(common.data.X))), run(job, common)][1]
    )
    mlreduce.compare(data, None, ["pca", "mvmd"], ["linear"], cv=2, sizes=[20], measures=["micro-f1"])
    whole = len(data.X)
    assert ran == [("pca", 40), ("pca", whole), ("mvmd", 40), ("mvmd", whole), ("pca", whole), ("mvmd", whole)]


def test_one_size_or_one_method_has_no_figure(data, tmp_path):
    found = mlreduce.compare(data, None, ["pca"], ["linear"], cv=2, sizes=[20], measures=["micro-f1"])
    page = Page(found.to_html(tmp_path / "page.html").read_text())
    assert not [tag for tag, _ in page.tags if tag == "img"]
    assert found.explain() == f"With linear, pca ranks first: micro-F1 {found.table()['micro-f1']['pca']:.3f}."
