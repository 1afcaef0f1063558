from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mlreduce.exceptions import DataError
from mlreduce.experiments.approximation import THEOREM_COLUMNS, theorem_cells
from mlreduce.reporting.figures.kinds import make_figure
from mlreduce.reporting.figures.layout import save, style
from mlreduce.reporting.sources import FIGURE_SOURCES, TABLE_SOURCES
from mlreduce.reporting.tables.kinds import make_table, table_parts

FEATURES = {"emotions": 72, "yeast": 103, "tiny": 4}
METHODS = ["average", "nystrom", "half-nystrom"]
PERCENTS = [5, 10, 20, 40, 60, 80]
FIGURE = {
    **{"kind": "approximation", "caption": "Figure 1", "methods": METHODS},
    "labels": {"average": "proposed", "nystrom": "Nystrom"},
}

# --- the figure -----------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def errors(datasets=("yeast", "emotions"), methods=METHODS):
    rows = [
        (d, m, percent, max(1, FEATURES[d] * percent // 100), (len(m) + FEATURES[d]) / percent, 1 / percent, 1.0, 100)
        for d in datasets
        for m in methods
        for percent in reversed(PERCENTS)
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "size_percent", "size", "mean", "se", "sd", "splits"])


def drawn(axis):
    return dict(zip([bars.get_label() for bars in axis.containers], axis.containers, strict=True))


def test_a_panel_a_data_set_and_a_line_an_approximation():
    figure = make_figure(errors(), FIGURE, "p", "emotions")
    assert [axis.get_title() for axis in figure.axes] == ["emotions", "yeast"]
    assert figure.get_suptitle() == "Figure 1"
    for axis, name in zip(figure.axes, ("emotions", "yeast"), strict=True):
        lines = drawn(axis)
        assert list(lines) == ["proposed", "Nystrom", "half-nystrom"]
        for number, (method, bars) in enumerate(zip(METHODS, lines.values(), strict=True)):
            assert list(bars[0].get_xdata()) == [FEATURES[name] * percent // 100 for percent in PERCENTS]
            assert list(bars[0].get_ydata()) == [(len(method) + FEATURES[name]) / percent for percent in PERCENTS]
            assert bars[0].get_color() == style(number)["color"]
            heights = np.ptp([part[:, 1] for part in bars[2][0].get_segments()], axis=1)
            np.testing.assert_allclose(heights, [2 / percent for percent in PERCENTS])
        assert axis.get_ylim()[0] == 0
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["proposed", "Nystrom", "half-nystrom"]
    assert [axis.get_ylabel() for axis in figure.axes] == ["squared Frobenius error", ""]


def test_what_was_not_run_is_not_drawn():
    table = errors()
    figure = make_figure(table[(table["dataset"] != "yeast") | (table["method"] != "nystrom")], FIGURE, "p")
    assert [list(drawn(axis)) for axis in figure.axes] == [
        ["proposed", "Nystrom", "half-nystrom"],
        ["proposed", "half-nystrom"],
    ]
    only = make_figure(table, FIGURE | {"methods": ["nystrom"]}, "p")
    assert [list(drawn(axis)) for axis in only.axes] == [["Nystrom"]] * 2
    with pytest.raises(DataError, match="figure 'Figure 1': there is nothing to draw"):
        make_figure(table.iloc[:0], FIGURE, "p")


def test_percentages_that_are_the_same_number_are_one_point():
    figure = make_figure(errors(["tiny"]), FIGURE, "p")
    assert list(drawn(figure.axes[0])["proposed"][0].get_xdata()) == [1, 2, 3]


def test_the_same_bytes_twice(tmp_path):
    made = []
    for _ in range(2):
        paths = [tmp_path / f"f.{suffix}" for suffix in ("svg", "pdf", "png")]
        save(make_figure(errors(), FIGURE, "p"), paths)
        made.append([path.read_bytes() for path in paths])
    assert made[0] == made[1]


def test_sources():
    assert FIGURE_SOURCES["approximation"] == "approximation.csv"
    assert TABLE_SOURCES["theorem"] == "theorem.csv"
    assert TABLE_SOURCES["time-ratios"] == "ratios.csv"


# --- the theorem ----------------------------------------------------------------------------------------------------

TABLE = {"kind": "theorem", "caption": "Theorem 1", "methods": ["qpfs-approx"], "labels": {"half": "half (prop. 3)"}}
COUNTS = pd.DataFrame(
    [
        ("yeast", "whole", "2 I >= I1i + I1j", 1000, 0, 0, 250),
        ("yeast", "half", "8 I >= 3 (I1i + I1j)", 1000, 400, 399, 100),
        ("emotions", "half", "8 I >= 3 (I1i + I1j)", 8, 8, 8, 0),
    ],
    columns=list(THEOREM_COLUMNS),
)


def test_the_theorem_as_it_is_read(tmp_path):
    table, markdown, latex = make_table(COUNTS, TABLE, "table-theorem")
    pd.testing.assert_frame_equal(table, COUNTS)
    ((key, _, header, rows),) = table_parts(table, TABLE)
    assert key == "shares"
    assert header == ["dataset", "form", "condition", "cells", "holds", "average as good where it holds", "elsewhere"]
    half = ["half (prop. 3)", "8 I >= 3 (I1i + I1j)"]
    assert rows == [
        ["emotions", *half, "8", "100 %", "100 %", ""],
        ["yeast", *half, "1000", "40.00 %", "99.75 %", "16.67 %"],
        ["yeast", "whole", "2 I >= I1i + I1j", "1000", "0 %", "", "25.00 %"],
    ]
    assert "| yeast | whole | 2 I >= I1i + I1j | 1000 | 0 % |  | 25.00 % |" in markdown
    assert r"\begin{tabular}{lllrrrr}" in latex
    assert r"99.75 \%" in latex
    table.to_csv(tmp_path / "t.csv", index=False)
    assert table_parts(pd.read_csv(tmp_path / "t.csv"), TABLE) == table_parts(table, TABLE)


def test_nearly_all_is_not_all():
    nearly = COUNTS.iloc[:1].assign(cells=10**6, holds=10**6 - 1, better_where_it_holds=1, better_elsewhere=1)
    assert table_parts(nearly, TABLE)[0][3][0][3:] == ["1000000", "99.99 %", "0.01 %", "100 %"]


def test_the_counts_of_a_matrix_can_be_read():
    rng = np.random.default_rng(0)
    matrix = rng.random((6, 6))
    matrix = matrix + matrix.T + 4 * np.eye(6)
    counts = theorem_cells("d", matrix)
    _, markdown, _ = make_table(counts, TABLE, "t")
    assert f"| d | half (prop. 3) | 8 I >= 3 (I1i + I1j) | {6 * 10} | " in markdown
