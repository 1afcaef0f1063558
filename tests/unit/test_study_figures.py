from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from mlreduce.exceptions import DataError
from mlreduce.reporting.figures.critical_differences import critical_difference_diagrams
from mlreduce.reporting.figures.layout import save, style
from mlreduce.reporting.figures.studies import dimension_curves, fit_times, parameter_curves, spectra
from mlreduce.reporting.names import measure_name
from mlreduce.reporting.statistics import compare
from mlreduce.reporting.tables.layout import SUMMARY_COLUMNS

SETS = ["birds", "emotions", "scene", "yeast", "enron", "medical", "genbase", "corel5k"]
METHODS = ["mvmd", "pca", "mddmp", "mddmf", "cca", "mlsi", "mlda", "dmlda"]
LABELS = {"mvmd": "MVMD", "pca": "PCA"}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def mean(dataset, method, x):
    return 0.1 * SETS.index(dataset) + 0.01 * len(method) + 0.001 * x


def summary(datasets, methods, percents=(), energies=()):
    cells = [(percent, 0.0) for percent in percents] + [(0, energy) for energy in energies]
    rows = [
        ("stated", d, m, "mlknn", "instance-f1", percent, energy, 5.0, mean(d, m, percent + energy), 0.1, 0.2, 10)
        for d in datasets
        for m in methods
        for percent, energy in reversed(cells)
    ]
    return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))


def lines(axis):
    return {line.get_label(): line for line in axis.get_lines() if not line.get_label().startswith("_")}


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def titles(figure):
    return [axis.get_title() for axis in figure.axes if axis.get_visible()]


def texts_inside(figure):
    """Draw, and return the boxes of all texts that are seen; none may leave the figure."""
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    seen = [text for axis in figure.axes for text in axis.texts if axis.get_visible()]
    seen += [figure._suptitle, *(text for legend in figure.legends for text in legend.get_texts())]
    boxes = [text.get_window_extent(renderer) for text in seen]
    whole = figure.bbox
    for text, box in zip(seen, boxes, strict=True):
        assert box.x0 >= whole.x0, text
        assert box.x1 <= whole.x1, text
        assert box.y0 >= whole.y0, text
        assert box.y1 <= whole.y1, text
    return boxes


def eigenvalues():
    rows = [
        ("s", "stated", dataset, method, split, index, 10.0 * (split + 1) / index)
        for dataset in SETS
        for method in ("mvmd", "pca")
        for split in (1, 0)
        for index in range(1, 4 if method == "pca" else 9)
    ]
    return pd.DataFrame(rows, columns=["study", "protocol", "dataset", "method", "split", "index", "eigenvalue"])


def comparison(n=8, methods=METHODS, seed=0, step=0.5):
    values = np.random.default_rng(seed).normal(step * np.arange(len(methods)), 1, size=(n, len(methods)))
    return compare(pd.DataFrame(values, columns=methods), False)


def seconds():
    rows = [
        (d, m, split, 10.0 ** (SETS.index(d) - 4) * (1 + split)) for d in SETS for m in METHODS for split in range(3)
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "split", "seconds"])


def test_styles_differ_and_the_first_are_solid():
    styles = [style(number) for number in range(24)]
    assert len({(s["color"], s["linestyle"]) for s in styles}) == 24
    assert len({s["marker"] for s in styles[:13]}) == 13
    assert {s["linestyle"] for s in styles[:8]} == {"-"}


def test_measures_have_names():
    assert [measure_name(m) for m in ("instance-f1", "subset-accuracy", "own")] == ["F1", "subset accuracy", "own"]


def test_dimension_curves():
    data = summary(SETS, METHODS, percents=(10, 20, 50), energies=(0.9,))
    figure = dimension_curves(data, "instance-f1", METHODS, LABELS, "t")
    assert titles(figure) == sorted(SETS)
    for axis in figure.axes:
        drawn = lines(axis)
        assert list(drawn) == ["MVMD", "PCA", *METHODS[2:]]
        for number, (line, method) in enumerate(zip(drawn.values(), METHODS, strict=True)):
            assert list(line.get_xdata()) == [10, 20, 50]
            assert list(line.get_ydata()) == [mean(axis.get_title(), method, x) for x in (10, 20, 50)]
            assert line.get_color() == style(number)["color"]
            assert line.get_marker() == style(number)["marker"]
    assert legend_texts(figure) == ["MVMD", "PCA", *METHODS[2:]]
    assert [axis.get_ylabel() for axis in figure.axes] == ["F1", "", "", ""] * 2
    assert [axis.get_xlabel() != "" for axis in figure.axes] == [False] * 4 + [True] * 4
    texts_inside(figure)


def test_panels_that_do_not_fill_the_grid_and_a_method_that_is_not_everywhere():
    data = summary(SETS[:5], METHODS[:3], percents=(10, 20))
    data = data[(data["method"] != "pca") | (data["dataset"] == "yeast")]
    figure = dimension_curves(data, "instance-f1", [*METHODS[:3], "absent"], LABELS, "t")
    assert [axis.get_visible() for axis in figure.axes] == [True] * 5 + [False]
    assert [axis.get_xlabel() != "" for axis in figure.axes[:5]] == [False, False, True, True, True]
    assert [list(lines(axis)) for axis in figure.axes[3:5]] == [["MVMD", "mddmp"], ["MVMD", "PCA", "mddmp"]]
    assert sorted(legend_texts(figure)) == ["MVMD", "PCA", "mddmp"]


def test_thirteen_methods_on_one_data_set_have_room():
    methods = [f"a-method-{number}" for number in range(13)]
    figure = dimension_curves(summary(["yeast"], methods, percents=(10, 20)), "instance-f1", methods, {}, "t" * 50)
    assert len(legend_texts(figure)) == 13
    texts_inside(figure)


@pytest.mark.parametrize("column", ["protocol", "predictor"])
def test_points_with_several_values_are_refused(column):
    data = summary(["yeast"], ["pca"], percents=(10,), energies=(0.9,))
    data = pd.concat([data, data.assign(**{column: "other"})])
    with pytest.raises(DataError, match="'pca' has several values of instance-f1 on data set 'yeast'"):
        dimension_curves(data, "instance-f1", ["pca"], {}, "t")
    with pytest.raises(DataError, match="'pca' has several values of instance-f1 on data set 'yeast'"):
        parameter_curves(data, "instance-f1", {}, {"pca": "PCA"}, "β", "t", energy=0.9)


def test_nothing_to_draw_is_said():
    with pytest.raises(DataError, match="figure 'the title': there is nothing to draw"):
        dimension_curves(summary(["yeast"], ["pca"], percents=(10,)), "other", ["pca"], {}, "the title")
    with pytest.raises(DataError, match="there is nothing to draw"):
        spectra(eigenvalues(), ["absent"], {}, "t")
    with pytest.raises(DataError, match="there is nothing to draw"):
        fit_times(seconds(), ["absent"], {}, "t")
    with pytest.raises(DataError, match="there is nothing to draw"):
        critical_difference_diagrams({}, {}, "t")


def test_spectra_show_the_first_split_over_its_largest_and_end_at_the_last_positive():
    data = eigenvalues()
    data.loc[(data["method"] == "pca") & (data["index"] == 3), "eigenvalue"] = 0.0
    figure = spectra(data, ["mvmd", "pca"], LABELS, "t")
    assert titles(figure) == sorted(SETS)
    for axis in figure.axes:
        assert (axis.get_xscale(), axis.get_yscale()) == ("log", "log")
        drawn = lines(axis)
        assert list(drawn["MVMD"].get_xdata()) == list(range(1, 9))
        assert list(drawn["MVMD"].get_ydata()) == pytest.approx([1 / i for i in range(1, 9)])
        assert drawn["MVMD"].get_markevery() == [7]
        assert list(drawn["PCA"].get_xdata()) == [1, 2]
    assert figure.legends[0].get_title().get_text() == "A marker stands at the last positive eigenvalue."
    texts_inside(figure)


def test_a_spectrum_of_one_eigenvalue_is_drawn():
    figure = spectra(eigenvalues().query("dataset == 'yeast' and index == 1"), ["mvmd"], {}, "t")
    assert list(lines(figure.axes[0])["mvmd"].get_xdata()) == [1]
    figure.draw_without_rendering()


def test_parameter_curves():
    points = {"mvmd-1": 1.0, "mvmd-0": 0.0, "mvmd-0.5": 0.5}
    data = summary(SETS, [*points, "pca", "cca"], percents=(10,), energies=(0.9, 0.99))
    figure = parameter_curves(data, "instance-f1", points, {"pca": "PCA", "cca": "CCA"}, "β", "t", energy=0.99)
    assert titles(figure) == sorted(SETS)
    for axis in figure.axes:
        drawn = lines(axis)
        assert list(drawn) == ["varying β", "PCA", "CCA"]
        dataset = axis.get_title()
        assert list(drawn["varying β"].get_xdata()) == [0, 1, 2]
        assert [tick.get_text() for tick in axis.get_xticklabels()] == ["0", "0.5", "1"]
        at = [mean(dataset, method, 0.99) for method in ("mvmd-0", "mvmd-0.5", "mvmd-1")]
        assert list(drawn["varying β"].get_ydata()) == at
        assert set(drawn["CCA"].get_ydata()) == {mean(dataset, "cca", 0.99)}
    assert figure.axes[-1].get_xlabel() == "β"


def test_references_alone_are_drawn():
    data = summary(["yeast"], ["pca"], energies=(0.9,))
    figure = parameter_curves(data, "instance-f1", {"mvmd": 0.5}, {"pca": "PCA", "cca": "CCA"}, "β", "t", energy=0.9)
    assert legend_texts(figure) == ["PCA"]


def diagram_labels(axis):
    return [text for text in axis.texts if "(" in text.get_text()]


def test_diagrams_name_every_method_with_its_rank_and_join_what_does_not_differ():
    made = {name: comparison(seed=seed) for seed, name in enumerate(["hamming-loss", "instance-f1", "all"])}
    figure = critical_difference_diagrams(made, LABELS, "t")
    for axis, (name, one) in zip(figure.axes, made.items(), strict=False):
        assert axis.get_title().startswith(f"{measure_name(name)} (Friedman p = ")
        expected = {f"{LABELS.get(m, m)} ({rank:.2f})" for m, rank in one.average.items()}
        assert {text.get_text().strip() for text in diagram_labels(axis)} == expected
        assert f"critical difference {one.critical_difference:.2f}" in [t.get_text() for t in axis.texts]
        bars = [line for line in axis.get_lines() if line.get_linewidth() == 2.5]
        spans = {(round(min(bar.get_xdata()), 9), round(max(bar.get_xdata()), 9)) for bar in bars}
        assert spans == {(round(a, 9), round(b, 9)) for a, b in groups(one)}
        assert {to_hex(bar.get_color()) for bar in bars} == {"#0072b2"}
        scale = next(line for line in axis.get_lines() if line.get_marker() == "|")
        assert np.ptp(scale.get_xdata()) == pytest.approx(one.critical_difference)


def groups(made):
    """The longest runs of average ranks within one critical difference, found without p-values."""
    ranks = list(made.average)
    runs = [(a, max(b for b in ranks if b - a <= made.critical_difference)) for a in ranks]
    return {(a, b) for a, b in runs if b > a and not any(c < a and d >= b for c, d in runs)}


def test_labels_of_diagrams_neither_overlap_nor_leave_the_figure():
    many = [f"a-method-{number}" for number in range(13)]
    apart = compare(pd.DataFrame(np.tile(np.arange(8.0), (8, 1)), columns=METHODS), False)
    tied = compare(pd.DataFrame(np.ones((4, 8)), columns=METHODS), False)
    made = {"a": comparison(methods=many), "b": comparison(3, many, step=0), "c": apart, "d": tied, "e": comparison(2)}
    figure = critical_difference_diagrams(made, {}, "t")
    boxes = texts_inside(figure)
    overlapping = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)]
    assert overlapping == []
    renderer = figure.canvas.get_renderer()
    for axis in figure.axes[: len(made)]:
        scale = next(text for text in axis.texts if text.get_text().startswith("critical"))
        ticks = [tick.label2.get_window_extent(renderer) for tick in axis.xaxis.get_major_ticks()]
        box = scale.get_window_extent(renderer)
        assert not any(box.overlaps(tick) for tick in ticks)
        assert not box.overlaps(axis.title.get_window_extent(renderer))


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (comparison(n=1), "there are 8 on 1"),
        (comparison(methods=METHODS[:2]), "there are 2 on 8"),
        (comparison(n=0), "there are 8 on 0"),
    ],
)
def test_a_diagram_without_a_test_says_so(made, why):
    figure = critical_difference_diagrams({"instance-f1": made, "all": comparison()}, LABELS, "t")
    (text,) = figure.axes[0].texts
    assert "no test" in text.get_text()
    assert why in text.get_text()
    assert figure.axes[0].get_title() == "F1"
    assert len(diagram_labels(figure.axes[1])) == len(METHODS)


def test_fit_times_are_means_over_splits():
    figure = fit_times(seconds().query("dataset != 'birds' or method != 'pca'"), METHODS, LABELS, "t")
    assert titles(figure) == sorted(SETS)
    for axis in figure.axes:
        points = {line.get_ydata()[0]: line.get_xdata()[0] for line in axis.get_lines()}
        rows = [i for i, method in enumerate(METHODS) if (axis.get_title(), method) != ("birds", "pca")]
        assert list(points) == rows
        assert list(points.values()) == pytest.approx([2 * 10.0 ** (SETS.index(axis.get_title()) - 4)] * len(rows))
        assert axis.get_xscale() == "log"
        assert axis.get_xlim() == pytest.approx((1e-4, 1e4))
    names = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert names == ["MVMD", "PCA", *METHODS[2:]]


FIGURES = {
    "dimensions": lambda: dimension_curves(summary(SETS, METHODS, (10, 20)), "instance-f1", METHODS, LABELS, "t"),
    "spectra": lambda: spectra(eigenvalues(), ["mvmd", "pca"], LABELS, "t"),
    "parameters": lambda: parameter_curves(
        summary(SETS, ["a", "b", "pca"], (), (0.9,)), "instance-f1", {"a": 0, "b": 1}, LABELS, "β", "t", energy=0.9
    ),
    "diagrams": lambda: critical_difference_diagrams({"all": comparison(), "x": comparison(n=1)}, LABELS, "t"),
    "times": lambda: fit_times(seconds(), METHODS, LABELS, "t"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_bytes_twice(name, tmp_path):
    drawn = []
    for _ in range(2):
        paths = [tmp_path / f"f.{suffix}" for suffix in ("svg", "pdf", "png")]
        save(FIGURES[name](), paths)
        drawn.append([path.read_bytes() for path in paths])
    assert drawn[0] == drawn[1]


def test_bars_of_diagrams_do_not_depend_on_the_names_of_methods():
    one = comparison()
    other = compare(
        pd.DataFrame(
            np.random.default_rng(0).normal(0.5 * np.arange(8), 1, size=(8, 8)), columns=[f"z{m}" for m in METHODS]
        ),
        False,
    )
    drawn = [
        [(list(line.get_xdata()), list(line.get_ydata())) for line in figure.axes[0].get_lines()]
        for figure in (critical_difference_diagrams({"all": made}, {}, "t") for made in (one, other))
    ]
    assert drawn[0] == drawn[1]
