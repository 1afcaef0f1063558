"""What methods look like in figures, the numbers that figures show, and the size of their files."""

from __future__ import annotations

import json
import re
from itertools import combinations, product
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_run import DATASETS, METHODS, planted_scores

from mlreduce import registry
from mlreduce.evaluation.page import style as page_style
from mlreduce.plot import colours as looks
from mlreduce.plot.colours import base_method, colour_of, method_styles
from mlreduce_studies.figures import make_figure, save
from mlreduce_studies.gathering.summary import summarise
from mlreduce_studies.site.assets import own_file

SPEC = {"kind": "dimensions", "caption": "t", "methods": METHODS, "measure": "instance-f1", "predictor": "ridge"}


def lab_of(colour: str) -> np.ndarray:
    """CIELAB of a colour in sRGB, by IEC 61966-2-1 and the white D65."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(to_xyz @ linear / [0.9505, 1, 1.089])  # none is as dark as where the root becomes a line
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def ciede2000(first: np.ndarray, second: np.ndarray) -> float:
    """Difference of two colours by the formula in Sharma, Wu and Dalal (2005), in the order of its equations."""
    mean = np.mean([np.hypot(*lab[1:]) for lab in (first, second)])
    g = 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25.0**7)))
    a1, a2 = ((1 + g) * lab[1] for lab in (first, second))
    c1, c2 = np.hypot(a1, first[2]), np.hypot(a2, second[2])
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, first[2]), (a2, second[2])))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    light, chroma = (first[0] + second[0]) / 2, (c1 + c2) / 2
    middle = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    cosines = [np.cos(np.radians(k * middle - shift)) for k, shift in ((1, 30), (2, 0), (3, -6), (4, 63))]
    t = 1 + np.dot([-0.17, 0.24, 0.32, -0.20], cosines)
    s_l = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    s_c, s_h = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    r_c = 2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    r_t = -np.sin(np.radians(60 * np.exp(-(((middle - 275) / 25) ** 2)))) * r_c
    parts = (second[0] - first[0]) / s_l, (c2 - c1) / s_c, hue / s_h
    return float(np.sqrt(np.square(parts).sum() + r_t * parts[1] * parts[2]))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 3.1571, -77.2803), (50, 0, -82.7485), 2.8615),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, 2.5, 0), (61, -5, 29), 22.8977),
        ((50, 2.5, 0), (56, -27, -3), 31.9030),
        ((50, 2.5, 0), (58, 24, 15), 19.4535),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ],
)
def test_the_difference_of_colours_is_that_of_its_paper(first, second, expected):
    for one, other in ((first, second), (second, first)):
        assert ciede2000(np.array(one), np.array(other)) == pytest.approx(expected, abs=1e-4)


def luminance(colour: str) -> float:
    return ((lab_of(colour)[0] + 16) / 116) ** 3


def test_colours_of_a_chart_are_told_apart_on_light_and_dark_pages():
    style = page_style() + own_file("site.css")
    grounds = re.findall(r"--ground: (#[0-9a-f]{6})", style)
    assert len(grounds) == 2
    for faint in (looks.FAINT, looks.FAINT_IN_THE_DARK):
        labs = [lab_of(colour) for colour in (*looks.PALETTE, faint)]
        assert min(ciede2000(one, other) for one, other in combinations(labs, 2)) >= 15
        assert faint.lower() in style.lower()
    for colour, ground in product(looks.PALETTE, grounds):
        dark, light = sorted([luminance(colour), luminance(ground)])
        assert (light + 0.05) / (dark + 0.05) >= 3, (colour, ground)
    assert f'FAINT = "{looks.FAINT}"' in own_file("charts.js")


@given(st.lists(st.sampled_from([*registry.method_names(), "mine", "mvmd-0.5"]), unique=True, max_size=11))
def test_up_to_eleven_methods_of_a_figure_have_different_colours(methods):
    styles = method_styles(methods)
    colours = [styles[name]["color"] for name in methods]
    assert len(set(colours)) == len(colours)
    for place, name in enumerate(methods):  # its own, unless an earlier one has it
        if colour_of(name) not in map(colour_of, methods[:place]):
            assert colours[place] == colour_of(name)


def test_a_method_has_one_colour_in_every_figure():
    for others in (["pca"], ["gmba", "spec", "random"], ["mvmd-0.5", "cca"]):
        assert method_styles(["mvmd", *others])["mvmd"]["color"] == colour_of("mvmd")
    assert colour_of("mvmd") == colour_of("mvmd-0.3")
    assert colour_of("random") == colour_of("random-projection") == looks.PALETTE[0]
    assert colour_of("mddm") == colour_of("mddmp")
    faint = method_styles(["pca", "mvmd"], ["mvmd"])["pca"]
    assert (faint["color"], faint["marker"]) == (looks.FAINT, "")
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
            assert (line["colour"], line["faint"]) == (method_styles(METHODS)[line["name"]]["color"], False)


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
