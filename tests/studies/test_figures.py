from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.plot.colours import FAINT, MOST, method_styles
from mlreduce.plot.layout import empty_figure, name_ends, panels, shared_legend, style
from mlreduce_studies.experiments.costs import COST_COLUMNS
from mlreduce_studies.experiments.proximities import IMAGE_COLUMNS
from mlreduce_studies.figures import figure_kinds, make_figure, save
from mlreduce_studies.gathering.images import grey_levels
from mlreduce_studies.gathering.summary import SUMMARY_COLUMNS
from mlreduce_studies.options import FIGURES, source_of

pytestmark = pytest.mark.rotating

SETS = ["birds", "emotions", "scene", "yeast", "enron", "medical", "genbase", "corel5k"]
METHODS = ["mvmd", "pca", "mddmp", "mddmf", "cca", "mlsi", "mlda", "dmlda"]
LABELS = {"mvmd": "MVMD", "pca": "PCA"}
NAMES = ["MVMD", "PCA", *METHODS[2:]]


def cells_of(cells, **same):
    """A summary of cells as {(data set, method): columns}; other columns are the same for all."""
    common = {
        **{"protocol": "p", "predictor": "r", "measure": "hamming-loss", "size_percent": 0, "energy": 0.0},
        **{"size": 3.0, "mean": 0.5, "se": 0.01, "sd": 0.1, "splits": 100},
        **same,
    }
    return pd.DataFrame([common | {"dataset": d, "method": m} | c for (d, m, *_), c in cells.items()])


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def mean(dataset, method, x, predictor="knn"):
    return 0.1 * SETS.index(dataset) + 0.01 * len(method) + 0.001 * x + 0.003 * (predictor == "cc")


def summary(datasets=SETS, methods=METHODS, percents=(), energies=(), measure="instance-f1", predictors=("knn",)):
    cells = [(percent, 0.0) for percent in percents] + [(0, energy) for energy in energies]
    rows = [
        ("p", d, m, by, measure, percent, energy, 5.0 + percent, mean(d, m, percent + energy, by), 0.1, 0.2, 10)
        for d in datasets
        for m in methods
        for by in predictors
        for percent, energy in reversed(cells)
    ]
    return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))


def draw(kind, table, methods=METHODS, protocol="p", **options):
    common = {"kind": kind, "caption": "t", "methods": methods, "labels": LABELS}
    return make_figure(table, common | options, protocol, options.get("dataset"))


def measured(kind, table, methods=METHODS, **options):
    return draw(kind, table, methods, **{"measure": "instance-f1", "predictor": "knn", **options})


def lines(axis):
    return {line.get_label(): line for line in axis.get_lines() if not line.get_label().startswith("_")}


def bars(axis):
    return {own.get_label(): own for own in axis.containers}


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def visible(figure):
    return [axis for axis in figure.axes if axis.get_visible()]


def titles(figure):
    return [axis.get_title() for axis in visible(figure)]


def text_boxes(figure):
    """Draw, and return the boxes of all visible texts; none may leave the figure."""
    figure.draw_without_rendering()
    seen = [text for axis in figure.axes for text in axis.texts if axis.get_visible()]
    seen += [figure._suptitle, *(text for legend in figure.legends for text in legend.get_texts())]
    boxes = [text.get_window_extent(figure.canvas.get_renderer()) for text in seen]
    for text, box in zip(seen, boxes, strict=True):
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1, text
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1, text
    return boxes


def eigenvalues():
    rows = [
        ("p", dataset, method, split, index, 10.0 * (split + 1) / index)
        for dataset in SETS
        for method in ("mvmd", "pca")
        for split in (1, 0)
        for index in range(1, 4 if method == "pca" else 9)
    ]
    return pd.DataFrame(rows, columns=["protocol", "dataset", "method", "split", "index", "eigenvalue"])


def seconds():
    rows = [
        (d, m, split, 10.0 ** (SETS.index(d) - 4) * (1 + split)) for d in SETS for m in METHODS for split in range(3)
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "split", "seconds"])


def errors(datasets=("yeast", "emotions"), n_features=100):
    rows = [
        (d, m, percent, max(1, n_features * percent // 100), len(m) / percent, 1 / percent)
        for d in datasets
        for m in ("average", "nystrom")
        for percent in (80, 40, 10, 5)
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "size_percent", "size", "mean", "se"])


def values(n=8, methods=METHODS, seed=0, step=0.5):
    """A summary of random losses on some data sets, the methods ``step`` apart."""
    drawn = np.random.default_rng(seed).normal(step * np.arange(len(methods)), 1, size=(n, len(methods)))
    cells = {(f"d{i}", m): {"mean": drawn[i, j]} for i in range(n) for j, m in enumerate(methods)}
    return cells_of(cells, measure="hamming-loss", predictor="knn")


def ranks(table, methods=METHODS, measures=("hamming-loss",)):
    return draw("critical-differences", table, methods, measures=list(measures), predictor="knn")


def costs():
    rows = [
        ("d", m, "rows", s, n, 8, 0, n / 100, 0.5) for m in "ab" for s in ("original", "relation") for n in (20, 10)
    ]
    return pd.DataFrame(rows, columns=list(COST_COLUMNS))


def images():
    cells = [("d", "m", i, j, float(i == j), 0.5) for i in range(3) for j in range(3)]
    table = pd.DataFrame([*cells, *(("d", "n", *c[2:5], np.nan) for c in cells)], columns=[*IMAGE_COLUMNS, "score"])
    return grey_levels(table)


FAMILIES = {"first": ["a", "b"], "second": ["c"]}


def of_families():
    cells = {(d, m): {"mean": 0.1 * i, "se": 0.02} for d in "de" for i, m in enumerate("abc", 1)}
    return cells_of(cells, measure="instance-f1", predictor="knn")


GRID = [[name, "knn"] for name in SETS[:4]] + [[name, "cc"] for name in SETS[4:]]
ORDERS = [f"mvmd-{number}" for number in range(5)]
SELECTED = range(10, 101, 10)


def selections(datasets=SETS):
    table = summary(datasets, [*METHODS[:4], *ORDERS], SELECTED, predictors=("knn", "cc"))
    return pd.concat([table, summary(datasets, ["all-features"], (100,), predictors=("knn", "cc"))])


def panel(table=None, methods=METHODS[:4], grid=GRID, **options):
    options = {"predictor_labels": {"knn": "BR", "cc": "CC"}, "references": {"all-features": "all"}, **options}
    return draw(
        "panels", selections() if table is None else table, methods, measure="instance-f1", panels=grid, **options
    )


POINTS = {"mvmd-1": 1.0, "mvmd-0": 0.0, "mvmd-0.5": 0.5}


def parameter(table, references, points=POINTS, energy=0.99):
    options = {"points": points, "references": references, "parameter": "β", "energy": energy}
    return measured("parameter", table, list(points), **options)


def combination():
    return draw("combination", pd.DataFrame({"dataset": ["yeast"]}), ["mope"], a=0.3, b=1.3, beta=1.0)


def near(**options):
    """Eight methods at two sizes, one that failed on a data set, and a control with one size."""
    table = summary(SETS, METHODS, percents=(10, 20))
    table.loc[table["method"].eq("dmlda") & table["dataset"].eq("birds"), ["mean", "splits"]] = [np.nan, 0]
    control = summary(SETS, ["all-features"], percents=(100,)).assign(mean=lambda own: own["mean"] + 0.02)
    return measured("near-best", pd.concat([table, control]), [*METHODS, "all-features"], margin=0.01, **options)


EVERY = {
    "approximation": lambda: draw("approximation", errors(), ["average", "nystrom"]),
    "costs": lambda: draw("costs", costs(), ["a", "b"]),
    "critical-differences": lambda: ranks(values()),
    "curves": lambda: draw(
        "curves", summary(SETS[3:4], percents=(10, 20)), measures=["instance-f1"], predictor="knn", dataset="yeast"
    ),
    "combination": combination,
    "comparisons": lambda: measured(
        "comparisons", summary(SETS, ["mvmd", "pca"], (10,)), ["mvmd", "pca"], margin=0.01, size_percent=10
    ),
    "dimensions": lambda: measured("dimensions", summary(SETS[:2], percents=(10, 20))),
    "families": lambda: measured("families", of_families(), ["a"], families=FAMILIES),
    "near-best": lambda: near(),
    "panels": lambda: panel(selections(SETS[:2]), grid=GRID[:3], thin={"single": ORDERS}),
    "parameter": lambda: parameter(summary(SETS[:2], [*POINTS, "pca"], energies=(0.99,)), {"pca": "PCA"}),
    "proximities": lambda: measured("proximities", images(), ["m", "n"]),
    "spectra": lambda: draw("spectra", eigenvalues()[:40], ["mvmd", "pca"]),
    "times": lambda: draw("times", seconds()[:60]),
}


def test_every_kind_is_drawn_here():
    missing = set(figure_kinds()).symmetric_difference(EVERY)
    assert not missing, f"in tests/studies/test_figures.py, EVERY draws each kind of figure once; see {sorted(missing)}"


@pytest.mark.parametrize(
    "kind", [kind if kind in ("curves", "near-best") else pytest.param(kind, marks=pytest.mark.slow) for kind in EVERY]
)
def test_the_same_bytes_twice(kind, tmp_path):
    drawn = []
    for _ in range(2):
        paths = [tmp_path / f"f.{suffix}" for suffix in (["svg", "pdf", "png"] if kind == "curves" else ["svg"])]
        save(EVERY[kind](), paths)
        drawn.append([path.read_bytes() for path in paths])
    assert drawn[0] == drawn[1]


def test_kinds_are_listed_without_matplotlib():
    code = (
        "import sys; from mlreduce_studies.figures import *; assert figure_kinds(); "
        "print([name for name in ('matplotlib', 'scipy.stats') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_sources():
    assert source_of(FIGURES, {}) == source_of(FIGURES, {"kind": "panels"}) == "summary"
    assert source_of(FIGURES, {"kind": "critical-differences", "area": True}) == "areas"
    assert source_of(FIGURES, {"kind": "spectra"}) == "spectra"


def test_styles_differ_and_the_first_are_solid():
    styles = [style(number) for number in range(24)]
    assert len({(s["color"], s["linestyle"]) for s in styles}) == 24
    assert len({s["marker"] for s in styles[:13]}) == 13
    assert {s["linestyle"] for s in styles[:8]} == {"-"}


def test_curves_of_codes():
    table = pd.concat([summary(percents=(20, 10), measure=m) for m in ("instance-f1", "loss-bound", "hamming-loss")])
    options = {"measures": ["instance-f1", "loss-bound", "hamming-loss"], "predictor": "knn", "dataset": "yeast"}
    figure = draw("curves", pd.concat([table, table.assign(predictor="x", mean=9.0)]), METHODS[:2], **options)
    assert titles(figure) == ["(a) F1", "(b) loss bound", "(c) Hamming loss"]
    assert [axis.get_visible() for axis in figure.axes] == [True, True, True, False]
    assert figure.get_suptitle() == "yeast, p: mean over 10 random splits"
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["MVMD", "PCA"]
    line = bars(figure.axes[0])["PCA"][0]
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([15, 25], [mean("yeast", "pca", x) for x in (10, 20)])
    with pytest.raises(DataError, match="nothing to draw"):
        draw("curves", table, **options | {"dataset": "none"})


def test_a_code_for_each_length_is_one_curve():
    table = pd.concat(
        [
            summary(["yeast"], [method], percents=percents)
            for method, percents in {"pca": (10,), "mvmd": (10, 20)}.items()
        ]
    )
    options = {"measures": ["instance-f1"], "predictor": "knn", "dataset": "yeast", "ends": {"pca": ["mvmd"]}}
    (line,) = bars(draw("curves", table, ["pca"], **options).axes[0])["PCA"][:1]
    values = [mean("yeast", "pca", 10), mean("yeast", "mvmd", 20)]
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([15, 25], values)


def test_dimension_curves():
    figure = measured("dimensions", summary(percents=(10, 20, 50), energies=(0.9,)))
    assert titles(figure) == sorted(SETS)
    for axis in visible(figure):
        assert list(lines(axis)) == NAMES
        assert not axis.texts  # the legend has the names
        for line, (method, look) in zip(lines(axis).values(), method_styles(METHODS).items(), strict=True):
            assert list(line.get_xdata()) == [10, 20, 50]
            assert list(line.get_ydata()) == [mean(axis.get_title(), method, x) for x in (10, 20, 50)]
            assert (line.get_color(), line.get_marker()) == (look["color"], look["marker"])
    assert legend_texts(figure) == NAMES
    assert [axis.get_ylabel() for axis in visible(figure)] == ["F1", "", "", "F1", "", "", "F1", ""]
    assert [axis.get_xlabel() != "" for axis in visible(figure)] == [False] * 5 + [True] * 3
    text_boxes(figure)


def test_the_probability_of_being_near_the_best_beside_seconds():
    for options, sizes in (({}, (10, 20)), ({"size_percent": 20}, (20,))):
        figure = near(**options)
        left, right = figure.axes
        names = [text.get_text() for text in left.get_yticklabels()]
        assert sorted(names) == sorted([*NAMES, "all-features"])
        own = bars(left)
        for name, method in zip([*NAMES, "all-features"], [*METHODS, "all-features"], strict=True):
            near_in = []
            for dataset in SETS:
                of_control = mean(dataset, "all-features", 100) + 0.02
                for size in sizes:
                    values = [mean(dataset, other, size) for other in METHODS if (other, dataset) != ("dmlda", "birds")]
                    value = of_control if method == "all-features" else mean(dataset, method, size)
                    failed = (method, dataset) == ("dmlda", "birds")
                    near_in.append(not failed and max(*values, of_control) - value <= 0.01 + 1e-12)
            (x,), (y,) = own[name].lines[0].get_data()
            assert x == pytest.approx(np.mean(near_in))
            assert names[-y] == name
        shown = [text.get_text() for text in right.texts]
        assert set(names[:5]) <= set(shown)
        assert "all-features" in shown
        assert len(shown) <= 8
        greys = [line for line in lines(right).values() if line.get_color() == FAINT]
        assert len(greys) == len(names) - len(shown)


def test_level_lines_of_the_combined_proximity():
    """Figure 1 of mope-mesd-2012, equation (43): psi = g^a / (1 + beta (1 - w^b))."""

    def psi(w, g):
        return g**0.3 / (2 - w**1.3)

    (axis,) = combination().axes
    (_, lines) = axis.collections
    assert lines.levels == pytest.approx(np.arange(0.1, 1, 0.1))
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        w, g = path.vertices.T
        steep = g < 0.02  # as the root of g at 0: the lines between points of the grid are off there
        np.testing.assert_allclose(psi(w, g)[~steep], level, atol=2e-3)
        assert not steep.all() or level < 0.15
    assert [psi(0, 1), psi(1, 1), psi(1, 0)] == [0.5, 1, 0]
    # Of two instances X'AX has the eigenvalue psi (1 + w), w the cosine of their features.
    X = np.array([[1, 0], [0.5, 0.75**0.5]])
    for Y, g in (([[1, 1, 0], [1, 0, 1]], 0.5), ([[1, 0, 0], [1, 0, 0]], 1.0)):
        options = {"scheme": 1, "index": "dice", "combine": "priority", "a": 0.3, "b": 1.3, "beta": 1.0}
        fitted = mlreduce.MOPE(1, **options, proximity={"weight": "cosine"}, n_neighbors=None).fit(X, np.array(Y))
        assert fitted.eigenvalues_[0] / 1.5 == pytest.approx(psi(0.5, g), abs=1e-8)
    assert psi(0.5, 0.5) == pytest.approx(0.5096, abs=5e-5)


def test_methods_and_data_sets_that_were_not_run():
    data = summary(SETS[:5], METHODS[:3], percents=(10, 20))
    data = data[(data["method"] != "pca") | (data["dataset"] == "yeast")]
    figure = measured("dimensions", data, [*METHODS[:3], "absent"])
    assert [axis.get_visible() for axis in figure.axes] == [True] * 5 + [False]
    assert [axis.get_xlabel() != "" for axis in figure.axes[:5]] == [False, False, True, True, True]
    assert [list(lines(axis)) for axis in figure.axes[3:5]] == [["MVMD", "mddmp"], ["MVMD", "PCA", "mddmp"]]


def test_points_with_several_values_are_refused():
    data = summary(["yeast"], ["pca"], percents=(10,), energies=(0.9,))
    data = pd.concat([data, data.assign(size=7.0)])
    with pytest.raises(DataError, match="'pca' has several values of instance-f1 on data set 'yeast'"):
        measured("dimensions", data, ["pca"])
    with pytest.raises(DataError, match="'pca' has several values of instance-f1 on data set 'yeast'"):
        parameter(data, {"pca": "PCA"}, {}, energy=0.9)
    with pytest.raises(DataError, match="figure 't': a method has several values"):
        measured("families", pd.concat([of_families()] * 2), families=FAMILIES)


def test_nothing_to_draw_is_an_error():
    for make in (
        lambda: measured("dimensions", summary(percents=(10,)), measure="hamming-loss"),
        lambda: draw("spectra", eigenvalues(), ["absent"]),
        lambda: draw("times", seconds(), ["absent"]),
        lambda: draw("approximation", errors().iloc[:0]),
        lambda: measured("families", of_families(), measure="micro-f1", families=FAMILIES),
        lambda: panel(grid=[["bibtex", "other"]]),
    ):
        with pytest.raises(DataError, match="figure 't': there is nothing to draw"):
            make()


def test_spectra():
    data = eigenvalues()
    data.loc[(data["method"] == "pca") & (data["index"] == 3), "eigenvalue"] = 0.0
    figure = draw("spectra", data, ["mvmd", "pca"])
    assert titles(figure) == sorted(SETS)
    for axis in figure.axes:
        assert (axis.get_xscale(), axis.get_yscale()) == ("log", "log")
        drawn = lines(axis)
        assert list(drawn["MVMD"].get_xdata()) == list(range(1, 9))
        assert list(drawn["MVMD"].get_ydata()) == pytest.approx([1 / i for i in range(1, 9)])
        assert drawn["MVMD"].get_markevery() == [7]
        assert list(drawn["PCA"].get_xdata()) == [1, 2]
    assert figure.legends[0].get_title().get_text() == "A marker stands at the last positive eigenvalue."
    text_boxes(figure)


def test_parameter_curves():
    data = summary(methods=[*POINTS, "pca", "cca"], percents=(10,), energies=(0.9, 0.99))
    figure = parameter(data, {"pca": "PCA", "cca": "CCA"})
    assert titles(figure) == sorted(SETS)
    for axis in figure.axes:
        drawn, dataset = lines(axis), axis.get_title()
        assert list(drawn) == ["varying β", "PCA", "CCA"]
        assert list(drawn["varying β"].get_xdata()) == [0, 1, 2]
        assert [tick.get_text() for tick in axis.get_xticklabels()] == ["0", "0.5", "1"]
        at = [mean(dataset, method, 0.99) for method in ("mvmd-0", "mvmd-0.5", "mvmd-1")]
        assert list(drawn["varying β"].get_ydata()) == at
        assert set(drawn["CCA"].get_ydata()) == {mean(dataset, "cca", 0.99)}
    assert figure.axes[-1].get_xlabel() == "β"
    alone = parameter(summary(["yeast"], ["pca"], energies=(0.9,)), {"pca": "PCA", "cca": "CCA"}, energy=0.9)
    assert legend_texts(alone) == ["PCA"]


def diagram_labels(axis):
    return [text.get_text().strip() for text in axis.texts if "(" in text.get_text()]


def joined(made):
    """The longest runs of average ranks within one critical difference, found without p-values."""
    runs = [(a, max(b for b in made if b - a <= 3.712)) for a in made]  # 3.031 sqrt(8 9 / (6 8)) for 8 methods and sets
    return {(a, b) for a, b in runs if b > a and not any(c < a and d >= b for c, d in runs)}


def test_critical_difference_diagrams():
    tables = values(), values(seed=1)
    figure = ranks(pd.concat([tables[0], tables[1].assign(measure="coverage")]), measures=["hamming-loss", "coverage"])
    assert [title.partition(" (")[0] for title in titles(figure)] == ["Hamming loss", "coverage", "all measures"]
    assert all("(Friedman p = " in title and title.endswith(", 8 data sets)") for title in titles(figure))
    for axis, table in zip(figure.axes, tables, strict=False):
        means = table.pivot(index="dataset", columns="method", values="mean").rank(axis=1).mean().sort_values()
        assert {*diagram_labels(axis)} == {f"{LABELS.get(m, m)} ({rank:.2f})" for m, rank in means.items()}
        assert "critical difference 3.71" in [text.get_text() for text in axis.texts]
        drawn = [line.get_xdata() for line in axis.get_lines() if line.get_linewidth() == 2.5]
        spans = {(round(min(xs), 9), round(max(xs), 9)) for xs in drawn}
        assert spans == {(round(a, 9), round(b, 9)) for a, b in joined(list(means))}
        scale = next(line for line in axis.get_lines() if line.get_marker() == "|")
        assert np.ptp(scale.get_xdata()) == pytest.approx(3.712, abs=1e-3)


@pytest.mark.parametrize(("step", "count"), [(0.5, 13), (9, 13), (0.5, 40)])
def test_labels_of_diagrams_do_not_overlap(step, count):
    methods = [f"a-method-{number}" for number in range(count)]
    figure = ranks(values(n=8 if count < 20 else 30, methods=methods, step=step), methods)
    boxes = text_boxes(figure)
    assert [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)] == []
    (axis,) = figure.axes  # of one measure there is no diagram of all
    renderer = figure.canvas.get_renderer()
    scale = next(text for text in axis.texts if text.get_text().startswith("critical"))
    numbers = [tick.label2 for tick in axis.xaxis.get_major_ticks()]
    spans = sorted(own.get_window_extent(renderer).intervalx.tolist() for own in numbers)
    assert len(spans) >= 5
    assert all(right < left for (_, right), (left, _) in pairwise(spans))
    extents = [own.get_window_extent(renderer) for own in [*numbers, axis.title]]
    assert not any(scale.get_window_extent(renderer).overlaps(own) for own in extents)


@pytest.mark.parametrize(("n", "methods", "why"), [(1, METHODS, "8 on 1"), (8, METHODS[:2], "2 on 8")])
def test_a_diagram_without_a_test_says_so(n, methods, why):
    figure = ranks(values(n, methods), methods)
    (text,) = figure.axes[0].texts
    assert text.get_text().startswith("no test")
    assert f"there are {why}" in text.get_text()
    assert figure.axes[0].get_title() == "Hamming loss"


def test_a_diagram_that_tells_nothing_apart_says_so():
    table = values(step=0)
    average = table.pivot(index="dataset", columns="method", values="mean").rank(axis=1).mean()
    assert average.max() - average.min() < 3.71  # the critical difference of eight methods on eight data sets
    (text,) = ranks(table).axes[0].texts
    ends = [f"{average[name]:.2f} ({LABELS.get(name, name)})" for name in (average.idxmin(), average.idxmax())]
    assert text.get_text().split("\n")[0] == "no two methods are told apart:"
    assert " to ".join(ends) in text.get_text()


def test_fit_times_without_a_colour_are_seen_too():
    figure = draw("times", seconds(), METHODS[:3], named=METHODS[:1])
    markers = [line.get_marker() for axis in figure.axes for line in axis.lines]
    assert len(markers) == 3 * len(SETS)
    assert not {"", "None", None}.intersection(markers)


def test_fit_times_are_means_over_splits():
    figure = draw("times", seconds().query("dataset != 'birds' or method != 'pca'"))
    assert titles(figure) == sorted(SETS)
    for axis in figure.axes:
        points = {line.get_ydata()[0]: line.get_xdata()[0] for line in axis.get_lines()}
        rows = [i for i, method in enumerate(METHODS) if (axis.get_title(), method) != ("birds", "pca")]
        assert list(points) == rows
        assert list(points.values()) == pytest.approx([2 * 10.0 ** (SETS.index(axis.get_title()) - 4)] * len(rows))
        assert (axis.get_xscale(), axis.get_xlim()) == ("log", pytest.approx((1e-4, 1e4)))
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == NAMES
    heights = [draw("times", seconds(), METHODS[:n]).get_figheight() for n in (4, 8)]
    assert heights[1] - heights[0] == pytest.approx(2 * 4 * 0.17)  # two rows of panels


def test_approximation_curves():
    figure = draw("approximation", errors(), ["average", "nystrom"], labels={"average": "proposed"})
    assert titles(figure) == ["emotions", "yeast"]
    for axis in figure.axes:
        assert list(bars(axis)) == ["proposed", "nystrom"]
        line, _, (heights,) = bars(axis)["nystrom"]
        assert (list(line.get_xdata()), list(line.get_ydata())) == ([5, 10, 40, 80], [7 / p for p in (5, 10, 40, 80)])
        np.testing.assert_allclose(
            np.ptp([part[:, 1] for part in heights.get_segments()], axis=1), [2 / p for p in (5, 10, 40, 80)]
        )
        assert axis.get_ylim()[0] == 0
    # Percentages that are the same number of features are one point.
    small = draw("approximation", errors(["tiny"], 4), ["average"])
    assert list(bars(small.axes[0])["average"][0].get_xdata()) == [1, 3]


def test_panels_are_data_sets_and_predictors_in_order():
    table = selections()
    others = [table.assign(energy=0.9), table.assign(size_percent=0), table.assign(protocol="q", mean=9.0)]
    figure = panel(pd.concat([table, *others, table.assign(measure="coverage")]))
    assert titles(figure) == [f"{name}, BR" for name in SETS[:4]] + [f"{name}, CC" for name in SETS[4:]]
    for axis, (dataset, predictor) in zip(visible(figure), GRID, strict=True):
        drawn = lines(axis)
        assert list(drawn) == [*NAMES[:4], "all"]
        for (method, look), line in zip(method_styles(METHODS).items(), list(drawn.values())[:4], strict=False):
            assert list(line.get_xdata()) == list(SELECTED)
            assert list(line.get_ydata()) == [mean(dataset, method, x, predictor) for x in SELECTED]
            assert (line.get_color(), line.get_marker()) == (look["color"], look["marker"])
        assert set(drawn["all"].get_ydata()) == {mean(dataset, "all-features", 100, predictor)}
        assert drawn["all"].get_linestyle() == "--"
    assert legend_texts(figure) == [*NAMES[:4], "all"]
    assert len({axis.get_ylim() for axis in visible(figure)}) == 8
    assert titles(panel(grid=[["yeast", "cc"], ["yeast", "knn"]])) == ["yeast, CC", "yeast, BR"]
    assert titles(panel(grid=[["yeast", "knn"]], predictor_labels={})) == ["yeast, knn"]
    with pytest.raises(DataError, match="figure 't': two panels are called 'yeast, one'"):
        panel(grid=[["yeast", "cc"], ["yeast", "knn"]], predictor_labels={"knn": "one", "cc": "one"})


MANY = [*METHODS, "lsi", "rcca", "pls", "random"]


def of_many(**columns):
    table = summary(SETS[:2], MANY, percents=(10, 20, 50)).assign(se=0.001)
    better = {name: 0.02 * place for place, name in enumerate(MANY[:-1])}
    return table.assign(mean=table["method"].map(better | {"random": 0.0}) + table["size_percent"] / 1000, **columns)


def test_of_many_methods_the_best_five_the_studys_own_and_the_controls_are_named():
    figure = measured("dimensions", of_many(), MANY, own=["mvmd"])
    named = {*MANY[-6:-1], "MVMD", "random"}
    for axis in figure.axes:
        colours = {name: line.get_color() for name, line in lines(axis).items()}
        assert {name for name, colour in colours.items() if colour != FAINT} == named
        assert len({colours[name] for name in named}) == len(named) <= MOST
        assert not axis.texts  # the legend has the names
    assert legend_texts(figure) == [*(name for name in [*NAMES, *MANY[8:]] if name in named), "others"]
    other = measured("dimensions", of_many(measure="hamming-loss"), MANY, measure="hamming-loss")  # lower is better
    named = {name for name, line in lines(other.axes[0]).items() if line.get_color() != FAINT}
    assert named == {"random", *NAMES[:4]}


@pytest.mark.parametrize("step", [0.0, 0.001, 0.4])
def test_names_of_points_do_not_overlap(step):
    axis = panels(["a"], "t")[1]["a"]
    ends = {name: (3.0, 0.5 + step * place) for place, name in enumerate(NAMES)}
    axis.plot([1, *(x for x, _ in ends.values())], [0.0, *(y for _, y in ends.values())])
    name_ends(axis, ends, dict.fromkeys(NAMES, "#000000"), 1.5)
    text_boxes(axis.figure)
    boxes = sorted((text.get_window_extent() for text in axis.texts), key=lambda box: box.y0)
    assert len(axis.texts) == len(NAMES)
    assert all(lower.y0 + 0.8 * lower.height <= upper.y0 for lower, upper in pairwise(boxes))
    order = [text.get_text() for text in sorted(axis.texts, key=lambda text: text.get_position()[1])]
    assert step == 0 or order == NAMES
    if step == 0.4:  # where there is room each is at its point
        to_axis = axis.transData + axis.transAxes.inverted()
        heights = [to_axis.transform((3, 0.5 + step * NAMES.index(text.get_text())))[1] for text in axis.texts]
        assert [text.get_position()[1] for text in axis.texts] == pytest.approx(heights, abs=1e-9)


def test_values_less_than_the_margin_apart_are_said_to_be():
    flat = summary(SETS[:2], percents=(10, 20, 50))
    flat["mean"] = 0.5 + 0.009 * (flat["size_percent"] == 50) + (flat["dataset"] == SETS[1]) * flat["size_percent"]
    assert measured("dimensions", flat).get_label() == (
        f"All values in {SETS[0]} are within 0.009 of each other, less than the margin 0.01."
    )
    assert measured("dimensions", flat.assign(mean=0.5)).get_label() == (
        "All values are within 0 of each other, less than the margin 0.01."
    )
    assert measured("dimensions", flat, margin=0.005).get_label() == ""
    figure = panel(selections(SETS[:4]).assign(mean=0.5), grid=GRID[:5])
    said = figure.legends[0].get_title().get_text().split("\n")
    assert said[0].startswith("Not run")
    assert "less than the margin" in " ".join(said[1:])


def test_panels_that_were_not_run():
    table = selections([name for name in SETS if name != "enron"])
    table = table[(table["dataset"] != "scene") | (table["predictor"] != "knn")]
    figure = panel(table[(table["method"] != "pca") | (table["dataset"] == "medical")])
    assert figure.legends[0].get_title().get_text() == "Not run: scene, BR; enron, CC."
    shown = [dataset for dataset, _ in GRID if dataset not in ("enron", "scene")]
    for axis, dataset in zip([axis for axis in figure.axes if axis.get_visible()], shown, strict=True):
        assert axis.get_lines()
        assert ("PCA" in lines(axis)) == (dataset == "medical")
    other = panel(selections(["scene", "yeast"]), grid=[["bibtex", "cc"], ["enron", "knn"], ["enron", "cc"]])
    assert titles(other) == ["scene, CC", "yeast, CC", "scene, BR", "yeast, BR"]


def test_thin_lines_have_one_colour_and_one_label():
    figure = panel(methods=["mvmd"], thin={"single orders": ORDERS, "nobody": ["absent"]}, references={})
    assert legend_texts(figure) == ["MVMD", "single orders"]
    for axis, (dataset, predictor) in zip(visible(figure), GRID, strict=True):
        thick, *thin = [line for line in axis.get_lines() if not line.get_label().startswith("_")]
        assert [line.get_ydata()[0] for line in thin] == [mean(dataset, m, 10, predictor) for m in ORDERS]
        assert {(line.get_color(), line.get_marker()) for line in thin} == {(style(1)["color"], "None")}
        assert all(line.get_linewidth() < thick.get_linewidth() for line in thin)
        assert all(line.get_zorder() < thick.get_zorder() for line in thin)


def test_families():
    others = [of_families().assign(size_percent=20), of_families().assign(energy=0.9)]
    figure = measured("families", pd.concat([of_families(), *others]), families=FAMILIES, labels={"a": "first one"})
    assert titles(figure) == ["d", "e"]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["first one", "b", "c"]
    assert [text.get_text() for text in figure.axes[1].get_yticklabels()] == [""] * 3
    assert list(bars(figure.axes[0])["first"][0].get_xdata()) == pytest.approx([0.1, 0.2])
    assert list(bars(figure.axes[0])["first"][0].get_ydata()) == [0, -1]
    assert legend_texts(figure) == ["first", "second"]


def test_images_of_proximities():
    figure = measured("proximities", images(), ["m", "n", "absent"], labels={"m": "M"})
    assert titles(figure)[:2] == ["M\nd (0.500)", "n\nd"]
    assert figure.get_suptitle() == "t; in brackets the F1"
    shown = figure.axes[0].get_images()[0]
    np.testing.assert_array_equal(shown.get_array(), 255 * np.eye(3))
    near, far = (shown.to_rgba(value)[0] for value in (255, 0))
    assert near < far
    bar = figure.axes[-1]
    assert [label.get_text() for label in bar.get_yticklabels()] == ["1 % quantile", "99 % quantile"]
    assert "proximity" in bar.get_ylabel()
    assert "instances" in figure.get_supxlabel()


def test_grey_levels_are_between_quantiles_of_each_image():
    rng = np.random.default_rng(0)
    rows, columns = np.indices((20, 20)).reshape(2, -1)
    parts = [
        pd.DataFrame({"dataset": "d", "method": name, "row": rows, "column": columns, "value": scale * rng.random(400)})
        for name, scale in (("m", 1.0), ("n", 1000.0))
    ]
    found = grey_levels(pd.concat([*parts, parts[0].assign(method="flat", value=2.0)], ignore_index=True))
    assert (found.loc[found["method"] == "flat", "level"] == 0).all()
    for part in parts:
        own = found[found["method"] == part["method"].iloc[0]]
        low, high = np.quantile(part["value"], (0.01, 0.99))
        back = low + (high - low) * own["level"].to_numpy(float) / 255
        np.testing.assert_allclose(back, part["value"].clip(low, high), atol=0.51 * (high - low) / 255)
        np.testing.assert_allclose(own[["low", "high"]].iloc[0].astype(float), (low, high))
    assert found["level"].dtype == np.uint8


@pytest.mark.parametrize("number", [3, 17])
def test_a_matrix_has_the_pairs_of_sixteen_methods_at_most(number):
    methods = [f"m{place}" for place in range(number)]
    figure = measured("comparisons", summary(SETS[:3], methods, (10,)), methods, margin=0.01, size_percent=10)
    texts = [text.get_text() for text in figure.axes[0].texts]
    shown = min(number, 16)
    assert len(texts) == shown * (shown - 1)
    assert {len(text.splitlines()) for text in texts} == {3}


def test_cost_curves():
    figure = draw("costs", costs(), ["a", "b"], labels={"a": "A"})
    assert titles(figure) == ["d: rows n"]
    assert list(lines(figure.axes[0])) == ["A, original", "A, relation", "b, original", "b, relation"]
    assert figure.axes[0].get_lines()[0].get_ydata().tolist() == [0.1, 0.2]
    assert [line.get_linestyle() for line in figure.axes[0].get_lines()[:2]] == ["-", "--"]


LONG = "Figure 6 by the published code: Hamming loss of four methods on eight data sets, means over ten random splits"


@pytest.mark.parametrize(
    "make", [lambda title: panels(["a", "b"], title)[0], lambda title: empty_figure(title, "none")]
)
def test_a_long_title_takes_more_lines(make):
    heights = []
    for title in ("short", LONG):
        figure = make(title)
        figure.draw_without_rendering()
        box = next(text for text in figure.texts if text.get_text() == title).get_window_extent()
        assert 0 <= box.x0 < box.x1 <= figure.bbox.width
        assert all(axis.title.get_window_extent().y1 <= box.y0 for axis in figure.axes)
        heights.append(box.height)
    assert heights[1] > 1.5 * heights[0]


@pytest.mark.parametrize(("names", "columns"), [("abcd", 4), (["a name of many words"] * 4, 2), (["a " * 60] * 4, 1)])
def test_a_wide_legend_takes_more_rows(names, columns):
    figure, axes = panels(["a", "b"], "title")
    for number, name in enumerate(names):
        axes["a"].plot([0, 1], [number, 1], label=f"{name} {number}")
    shared_legend(figure)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert legend._ncols == columns
    assert columns == 1 or 0 <= box.x0 < box.x1 <= figure.bbox.width
