from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mlreduce.exceptions import DataError
from mlreduce.reporting.figures.kinds import make_figure
from mlreduce.reporting.figures.layout import curves, empty_figure, panels, save, shared_legend, style
from mlreduce.reporting.figures.panels import panel_curves
from mlreduce.reporting.tables.layout import SUMMARY_COLUMNS

SETS = ["bibtex", "emotions", "enron", "genbase", "mediamill", "medical", "scene", "yeast"]
METHODS = ["gmba", "spec", "mlfs", "random"]
ORDERS = [f"gmba-{number}" for number in range(5)]
GRID = [[name, "br-knn"] for name in SETS[:4]] + [[name, "cc-knn"] for name in SETS[4:]]
LABELS = {"gmba": "GMBA", "spec": "SPEC"}
NAMES = {"br-knn": "BR", "cc-knn": "CC"}
ALL = {"all-features": "all features"}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def mean(dataset, method, predictor, percent):
    return 0.1 * SETS.index(dataset) + 0.01 * len(method) + 0.003 * list(NAMES).index(predictor) + 0.001 * percent


def summary(datasets=SETS, methods=(*METHODS, *ORDERS), percents=range(10, 101, 10), measure="hamming-loss"):
    rows = [
        ("p", d, m, predictor, measure, percent, 0.0, 5.0, mean(d, m, predictor, percent), 0.1, 0.2, 10)
        for d in datasets
        for m in [*methods, "all-features"]
        for predictor in NAMES
        for percent in (reversed(percents) if m != "all-features" else [100])
    ]
    return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))


def draw(table=None, methods=METHODS, grid=GRID, **options):
    options = {"predictor_labels": NAMES, "references": ALL, **options}
    table = summary() if table is None else table
    return panel_curves(table, "hamming-loss", grid, methods, LABELS, "t", **options)


def lines(axis):
    return {line.get_label(): line for line in axis.get_lines()}


def titles(figure):
    return [axis.get_title() for axis in figure.axes if axis.get_visible()]


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_panel_is_a_data_set_and_predictor_in_the_order_of_the_spec():
    figure = draw()
    assert titles(figure) == [f"{name}, BR" for name in SETS[:4]] + [f"{name}, CC" for name in SETS[4:]]
    for axis, (dataset, predictor) in zip(figure.axes, GRID, strict=True):
        drawn = lines(axis)
        assert list(drawn) == ["GMBA", "SPEC", "mlfs", "random", "all features"]
        for number, (method, line) in enumerate(zip(METHODS, drawn.values(), strict=False)):
            assert list(line.get_xdata()) == list(range(10, 101, 10))
            assert list(line.get_ydata()) == [mean(dataset, method, predictor, x) for x in range(10, 101, 10)]
            assert line.get_color() == style(number)["color"]
            assert line.get_marker() == style(number)["marker"]
        reference = drawn["all features"]
        assert set(reference.get_ydata()) == {mean(dataset, "all-features", predictor, 100)}
        assert reference.get_linestyle() == "--"
    assert legend_texts(figure) == ["GMBA", "SPEC", "mlfs", "random", "all features"]
    assert [axis.get_ylabel() for axis in figure.axes] == ["Hamming loss", "", "", ""] * 2
    assert [axis.get_xlabel() != "" for axis in figure.axes] == [False] * 4 + [True] * 4
    assert len({axis.get_ylim() for axis in figure.axes}) == 8


def test_a_data_set_may_have_a_panel_a_predictor():
    figure = draw(grid=[["yeast", "cc-knn"], ["yeast", "br-knn"]])
    assert titles(figure) == ["yeast, CC", "yeast, BR"]
    one, other = (lines(axis)["GMBA"].get_ydata() for axis in figure.axes)
    assert not np.allclose(one, other)
    assert titles(draw(grid=[["yeast", "br-knn"]], predictor_labels=None)) == ["yeast, br-knn"]
    with pytest.raises(DataError, match="figure 't': two panels are called 'yeast, knn'"):
        draw(grid=[["yeast", "cc-knn"], ["yeast", "br-knn"]], predictor_labels=dict.fromkeys(NAMES, "knn"))


def test_a_panel_that_was_not_run_says_so():
    table = summary([name for name in SETS if name != "mediamill"])
    table = table[(table["dataset"] != "enron") | (table["predictor"] != "br-knn")]
    figure = draw(table)
    for axis, (dataset, _) in zip(figure.axes, GRID, strict=True):
        empty = dataset in ("mediamill", "enron")
        assert [text.get_text() for text in axis.texts] == ["not run here"] * empty
        assert (not axis.get_lines()) == empty
        assert (not len(axis.get_xticks())) == empty
    assert titles(figure)[4] == "mediamill, CC"
    assert "all features" in legend_texts(figure)


def test_where_other_data_sets_were_run_these_are_drawn():
    table = summary(["scene", "yeast"])
    figure = draw(table, grid=[["bibtex", "cc-knn"], ["enron", "br-knn"], ["enron", "cc-knn"]])
    assert titles(figure) == ["scene, CC", "yeast, CC", "scene, BR", "yeast, BR"]
    assert titles(draw(table, grid=[["bibtex", "cc-knn"]])) == ["scene, CC", "yeast, CC"]
    with pytest.raises(DataError, match="figure 't': there is nothing to draw"):
        draw(table.assign(measure="subset-accuracy"))
    with pytest.raises(DataError, match="figure 't': there is nothing to draw"):
        draw(table, grid=[["bibtex", "other"]])


def test_a_method_that_is_not_everywhere():
    table = summary()
    figure = draw(table[(table["method"] != "spec") | (table["dataset"] == "yeast")])
    assert ["SPEC" in lines(axis) for axis in figure.axes] == [False] * 7 + [True]
    figure = draw(table[table["method"] != "all-features"])
    assert all("all features" not in lines(axis) for axis in figure.axes)


def test_thin_lines_have_one_colour_and_one_entry_in_the_legend():
    figure = draw(methods=["gmba"], thin={"single orders": ORDERS, "nobody": ["absent"]}, references=None)
    assert legend_texts(figure) == ["GMBA", "single orders"]
    for axis, (dataset, predictor) in zip(figure.axes, GRID, strict=True):
        thick, *thin = axis.get_lines()
        assert thick.get_label() == "GMBA"
        assert [line.get_ydata()[0] for line in thin] == [mean(dataset, m, predictor, 10) for m in ORDERS]
        assert {line.get_color() for line in thin} == {style(1)["color"]}
        assert {line.get_marker() for line in thin} == {"None"}
        assert all(line.get_linewidth() < thick.get_linewidth() for line in thin)
        assert all(line.get_zorder() < thick.get_zorder() for line in thin)


def test_points_with_several_values_are_refused():
    table = summary()
    with pytest.raises(DataError, match="'gmba' has several values of hamming-loss on data set 'bibtex'"):
        draw(pd.concat([table, table.assign(protocol="q")]))


def test_rows_that_are_no_percentage_or_of_another_measure_are_not_drawn():
    table = summary()
    others = [table.assign(energy=0.9), table.assign(size_percent=0), table.assign(measure="subset-accuracy")]
    figure = draw(pd.concat([table, *others]))
    assert all(len(line.get_xdata()) == 10 for line in figure.axes[0].get_lines()[:-1])


SPEC = {
    **{"kind": "panels", "caption": "Hamming loss", "measure": "hamming-loss", "panels": GRID, "methods": METHODS},
    **{"labels": LABELS, "predictor_labels": NAMES, "references": ALL},
}


def test_a_study_file_asks_for_it():
    table = summary()
    figure = make_figure(pd.concat([table, table.assign(protocol="q", mean=9.0)]), SPEC, "p")
    assert titles(figure) == titles(draw())
    assert list(lines(figure.axes[7])) == list(lines(draw().axes[7]))
    bare = {key: SPEC[key] for key in ("kind", "caption", "measure", "panels", "methods")}
    assert legend_texts(make_figure(table, bare, "p")) == METHODS
    orders = bare | {"methods": ["gmba"], "thin": {"single orders": ORDERS}}
    assert legend_texts(make_figure(table, orders, "p")) == ["gmba", "single orders"]


def test_the_same_bytes_twice(tmp_path):
    drawn = []
    for _ in range(2):
        paths = [tmp_path / f"f.{suffix}" for suffix in ("svg", "pdf", "png")]
        save(draw(summary(SETS[:6]), thin={"single orders": ORDERS}), paths)
        drawn.append([path.read_bytes() for path in paths])
    assert drawn[0] == drawn[1]


LONG = "Figure 6 by the published code: Hamming loss of four methods on eight data sets, means over ten random splits"


@pytest.mark.parametrize(
    "make",
    [
        lambda title: panels(["a", "b"], title)[0],
        lambda title: empty_figure(title, "no value"),
        lambda title: curves(summary(), ["hamming-loss"], ["gmba"], LABELS, title),
    ],
)
def test_a_title_longer_than_the_figure_takes_more_lines(make):
    heights = []
    for title in ("short", LONG):
        figure = make(title)
        figure.draw_without_rendering()
        title_box = next(text for text in figure.texts if text.get_text() == title).get_window_extent()
        assert 0 <= title_box.x0 < title_box.x1 <= figure.bbox.width
        assert all(axis.title.get_window_extent().y1 <= title_box.y0 for axis in figure.axes)
        heights.append(title_box.height)
    assert heights[1] > 1.5 * heights[0]


@pytest.mark.parametrize(("names", "columns"), [("abcd", 4), (["a name of many words"] * 4, 2), (["a " * 60] * 4, 1)])
def test_a_legend_wider_than_the_figure_takes_more_rows(names, columns):
    figure, axes = panels(["a", "b"], "title")
    for number, name in enumerate(names):
        axes["a"].plot([0, 1], [number, 1], label=f"{name} {number}")
    shared_legend(figure)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert legend._ncols == columns
    assert columns == 1 or 0 <= box.x0 < box.x1 <= figure.bbox.width
