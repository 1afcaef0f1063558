"""What docs/decisions.md says of its tables is in them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pandas as pd

from mlreduce_studies.tables.layout import fill_block

sys.path[:0] = [str(Path(__file__).parents[2] / "benchmarks")]

import decisions  # noqa: E402
import stratification  # noqa: E402

PAGE = re.sub(r"\s+", " ", decisions.PAGE.read_text(encoding="utf-8"))


def test_one_threshold_has_the_larger_f1_and_one_half_the_smaller_loss_but_once():
    cells = pd.read_csv(decisions.TABLES["scores"][1]).set_index(["dataset", "classifier", "decision"]).unstack()
    f1, loss = cells["micro-f1"], cells["hamming-loss"]
    assert (f1["one-threshold"] > f1["half"]).all()
    assert (loss["one-threshold"] <= loss["half"]).sum() == 1
    assert '"one-threshold" has the larger F1 on all of these, "half" the smaller Hamming loss on all but' in PAGE
    assert cells.index.get_level_values("dataset").nunique() == 8


def test_thresholds_cost_less_than_one_more_fit():
    assert pd.read_csv(decisions.TABLES["costs"][1])["times"].max() < 2
    assert "at less than one more fit" in PAGE


def test_tables_of_the_pages_are_those_of_the_measurements():
    for made, mark in ((decisions, "scores"), (stratification, "folds")):
        text = made.PAGE.read_text(encoding="utf-8")
        assert fill_block(text, mark, made.table()) == text
