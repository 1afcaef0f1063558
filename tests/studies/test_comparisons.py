"""The table and the figure of all pairs of methods."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mlreduce_studies.figures import make_figure
from mlreduce_studies.gathering.summary import SUMMARY_COLUMNS
from mlreduce_studies.tables import make_table
from mlreduce_studies.tables.comparisons import COMPARISON_COLUMNS, comparison_table

SETS = [f"set{number}" for number in range(8)]
SPEC = {"kind": "comparisons", "caption": "Pairs", "predictor": "knn", "measure": "macro-f1", "margin": 0.01}
SPEC["methods"] = ["good", "same", "bad"]


def summary(measure="macro-f1"):
    rng = np.random.default_rng(0)
    rows = []
    for dataset in SETS:
        level = rng.uniform(0.3, 0.7)
        for method, gain in (("good", 0.1), ("same", 0.1), ("bad", 0.0)):
            mean = level + gain + rng.uniform(-0.002, 0.002)
            rows.append(("p", dataset, method, "knn", measure, 0, 0.0, 9, mean, 0.01, 0.03, 10))
    return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))


def test_pairs_are_counted_by_the_margin():
    table = comparison_table(summary(), SPEC)
    assert tuple(table.columns) == COMPARISON_COLUMNS
    pairs = table.set_index(["method", "than"])
    assert len(pairs) == 6
    better, alike = pairs.loc[("good", "bad")], pairs.loc[("good", "same")]
    assert better[["wins", "ties", "losses"]].tolist() == [8, 0, 0]
    assert alike[["wins", "ties", "losses"]].tolist() == [0, 8, 0]
    assert better["better"] > 0.95
    assert alike["similar"] > 0.95
    assert better["low"] <= better["mean_difference"] <= better["high"]
    assert better["mean_difference"] == pytest.approx(0.1, abs=0.004)


def test_a_pair_turned_round_has_the_opposite_sign():
    pairs = comparison_table(summary(), SPEC).set_index(["method", "than"])
    one, other = pairs.loc[("good", "bad")], pairs.loc[("bad", "good")]
    assert one["mean_difference"] == -other["mean_difference"]
    assert one[["wins", "ties", "losses"]].tolist() == other[["losses", "ties", "wins"]].tolist()
    assert one[["better", "similar", "worse"]].tolist() == other[["worse", "similar", "better"]].tolist()


def test_less_of_a_loss_is_better():
    losses = comparison_table(summary("hamming-loss"), SPEC | {"measure": "hamming-loss"})
    assert losses.set_index(["method", "than"]).loc[("bad", "good"), "wins"] == 8


def test_other_methods_change_no_pair():
    """What makes it stable where average ranks are not."""
    pair = comparison_table(summary(), SPEC | {"methods": ["good", "bad"]}).set_index(["method", "than"])
    pd.testing.assert_frame_equal(pair, comparison_table(summary(), SPEC).set_index(["method", "than"]).loc[pair.index])


def test_it_is_written_and_drawn(tmp_path):
    summary().to_csv(tmp_path / "summary.csv", index=False)
    _, markdown, _ = make_table(summary(), SPEC, "pairs")
    assert "| good |  | " in markdown
    assert "; 8/0/0; " in markdown
    figure = make_figure(summary(), SPEC, "p")
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert len(texts) == 6
    assert any("8/0/0" in text and "better" in text for text in texts)
