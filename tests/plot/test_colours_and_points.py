"""What methods look like in figures, the numbers that figures show, and the size of their files."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from planted_run import DATASETS, METHODS, planted_scores

from mlreduce import registry
from mlreduce.plot import colours as looks
from mlreduce.plot.colours import base_method, colour_of, method_styles
from mlreduce_studies.figures import make_figure, save
from mlreduce_studies.gathering.summary import summarise

SPEC = {"kind": "dimensions", "caption": "t", "methods": METHODS, "measure": "instance-f1", "predictor": "ridge"}


def test_a_method_has_one_colour_in_every_figure():
    for others in (["pca"], ["gmba", "spec", "random"], ["mvmd-0.5", "cca"]):
        assert method_styles([*others, "mvmd"])["mvmd"]["color"] == colour_of("mvmd")
    assert colour_of("mvmd") == colour_of("mvmd-0.3")
    assert colour_of("random") == colour_of("random-projection") == "#808080"
    assert colour_of("pca") != colour_of("lsi")  # a module, two shades
    for name in registry.method_names():
        assert re.fullmatch(r"#[0-9A-F]{6}", colour_of(name)), name
    assert base_method("lda-copy") == "lda-copy"


def test_a_colour_is_of_the_name_and_not_of_the_module(monkeypatch):
    before = {name: (colour_of(name), method_styles([name])) for name in registry.method_names()}
    monkeypatch.setattr(registry, "module_of", lambda name: "mlreduce.elsewhere")
    assert {name: (colour_of(name), method_styles([name])) for name in registry.method_names()} == before
    listed = {name for group in looks._METHODS for name in group.replace("|", " ").split()}
    assert listed <= set(before)


def test_no_two_methods_of_a_figure_look_the_same():
    labels = [f"mvmd-0.{digit}" for digit in range(10)] + ["mine", "yours", *registry.method_names()]
    looks = [tuple(map(str, look.values())) for look in method_styles(labels).values()]
    assert len(set(looks)) == len(labels)


@pytest.fixture
def drawn(tmp_path):
    summary = summarise(planted_scores(DATASETS, METHODS))
    save(make_figure(summary, SPEC, "ten-fold"), [tmp_path / "f.svg", tmp_path / "f.json"])
    return summary, tmp_path


def test_the_numbers_beside_a_figure_are_those_that_it_shows(drawn):
    summary, folder = drawn
    found = json.loads((folder / "f.json").read_text())
    assert found["title"] == "t"
    assert [panel["title"] for panel in found["panels"]] == sorted(DATASETS)
    for panel in found["panels"]:
        assert panel["x"]["label"] == "dimensions, % of the features"
        assert panel["y"]["label"] == "F1"
        assert [line["name"] for line in panel["lines"]] == list(METHODS)
        for line in panel["lines"]:
            own = summary.query("dataset == @panel['title'] and method == @line['name'] and measure == 'instance-f1'")
            own = own.sort_values("size_percent")
            ends = [own["size_percent"], own["mean"], own["mean"] - own["se"], own["mean"] + own["se"]]
            np.testing.assert_allclose(line["points"], np.column_stack(ends), rtol=1e-5)
            assert line["colour"] == colour_of(line["name"])


def test_bars_lines_and_names_of_other_kinds(tmp_path):
    times = pd.DataFrame(
        [("d", "pca", 0, 0.1), ("d", "mvmd", 0, 10.0)], columns=["dataset", "method", "split", "seconds"]
    )
    save(make_figure(times, {"kind": "times", "caption": "t", "methods": ["pca", "mvmd"]}, "p"), [tmp_path / "t.json"])
    (panel,) = json.loads((tmp_path / "t.json").read_text())["panels"]
    assert panel["x"]["log"]
    assert panel["y"]["names"] == {"0": "pca", "1": "mvmd"}
    assert [(line["name"], line["points"], line["width"]) for line in panel["lines"]] == [
        ("pca", [[0.1, 0.0]], 0.0), ("mvmd", [[10.0, 1.0]], 0.0),
    ]  # fmt: skip
    summary = summarise(planted_scores(["d"], METHODS).assign(size_percent=0))
    families = {"kind": "families", "caption": "t", "measure": "instance-f1", "predictor": "ridge", "methods": METHODS}
    rows = summary[summary["size"] == 10]
    save(make_figure(rows, {**families, "families": {"one": ["pca", "mvmd"]}}, "ten-fold"), [tmp_path / "f.json"])
    (panel,) = json.loads((tmp_path / "f.json").read_text())["panels"]
    (line,) = panel["lines"]
    own = rows[rows["measure"] == "instance-f1"].set_index("method").loc["pca"]
    np.testing.assert_allclose(
        line["points"][0], [own["mean"], 0, own["mean"] - own["se"], own["mean"] + own["se"]], 1e-5
    )
    assert line["along"] == "x"


def test_a_horizontal_line_has_no_x(tmp_path):
    spec = {
        **SPEC, "kind": "panels", "panels": [["birds", "ridge"]], "methods": ["pca"], "references": {"mine": "all"},
    }  # fmt: skip
    save(make_figure(summarise(planted_scores(DATASETS, METHODS)), spec, "ten-fold"), [tmp_path / "f.json"])
    (panel,) = json.loads((tmp_path / "f.json").read_text())["panels"]
    (level,) = next(line["points"] for line in panel["lines"] if line["name"] == "all")
    assert len(level) == 1


def test_pictures_are_small_and_whole(drawn):
    _, folder = drawn
    text = (folder / "f.svg").read_text()
    root = ElementTree.fromstring(text)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    links = re.findall(r'href="#([^"]+)"', text) + re.findall(r"url\(#([^)]+)\)", text)
    assert set(links) <= set(ids)
    assert "scale(0.015625" in text or "scale(0.0" in text  # factors keep their digits
    assert not re.search(r' x="\d+\.\d{3}', text)
    assert len(text) < 60_000


def test_a_hairs_breadth_does_not_look_like_a_mountain():
    flat = summarise(planted_scores(["d"], METHODS)).assign(
        mean=lambda table: 0.4655 + 1e-5 * table["size_percent"], se=0.0
    )
    axis = make_figure(flat, SPEC, "ten-fold").axes[0]
    low, high = axis.get_ylim()
    assert high - low >= 0.0195 * high
