from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from mlreduce_studies.experiments.approximation import DEPENDENCY_COLUMNS, THEOREM_COLUMNS
from mlreduce_studies.experiments.costs import COST_COLUMNS
from mlreduce_studies.options import TABLES, source_of
from mlreduce_studies.tables import make_table, table_parts
from mlreduce_studies.tables.approximation import WEIGHT_COLUMNS
from mlreduce_studies.tables.choices import ALL_METHODS
from mlreduce_studies.tables.layout import fill_block

THEOREM = {"kind": "theorem", "caption": "Theorem 1", "methods": ["a"], "labels": {"half": "half (prop. 3)"}}
COUNTS = pd.DataFrame(
    [
        ("yeast", "whole", "2 I >= I1i + I1j", 1000, 0, 0, 250),
        ("yeast", "half", "8 I >= 3 (I1i + I1j)", 1000, 400, 399, 100),
        ("emotions", "half", "8 I >= 3 (I1i + I1j)", 8, 8, 8, 0),
        ("zoo", "whole", "c", 10**6, 10**6 - 1, 1, 1),
    ],
    columns=list(THEOREM_COLUMNS),
)


def test_the_theorem():
    table, _, latex = make_table(COUNTS, THEOREM, "t")
    pd.testing.assert_frame_equal(table, COUNTS)
    ((key, _, header, rows),) = table_parts(table, THEOREM)
    assert (key, header[-2:]) == ("shares", ["average as good where it holds", "elsewhere"])
    half = ["half (prop. 3)", "8 I >= 3 (I1i + I1j)"]
    assert rows == [
        ["emotions", *half, "8", "100 %", "100 %", ""],
        ["yeast", *half, "1000", "40.00 %", "99.75 %", "16.67 %"],
        ["yeast", "whole", "2 I >= I1i + I1j", "1000", "0 %", "", "25.00 %"],
        ["zoo", "whole", "c", "1000000", "99.99 %", "0.01 %", "100 %"],
    ]
    assert r"\begin{tabular}{lllrrrr}" in latex


def test_errors_of_approximations():
    rows = [(d, m, p, p // 5, len(m) / p, 0.1, 0.2, 4) for d in "ba" for m in ("one", "two", "x") for p in (50, 5)]
    columns = ["dataset", "method", "size_percent", "size", "mean", "se", "sd", "splits"]
    spec = {"kind": "errors", "caption": "Errors", "methods": ["two", "one"]}
    table, markdown, _ = make_table(pd.DataFrame(rows, columns=columns), spec, "errors")
    assert set(table["method"]) == {"one", "two"}
    assert "## a, 4 samples" in markdown
    assert markdown.index("## a") < markdown.index("| two | 0.6 | 0.06 |") < markdown.index("## b")


def test_dependencies():
    rows = [("d", "equal-width", 3, 9, -0.0123, 2.0, 1, 1.5, 0.05), ("e", "laim", 3, 1, 0.5, 0.5, 0, 0.5, 0.0)]
    spec = {"kind": "dependencies", "caption": "Dependencies", "methods": ["a"]}
    described = pd.DataFrame(rows, columns=list(DEPENDENCY_COLUMNS))
    table, markdown, _ = make_table(described, spec, "dependencies")
    pd.testing.assert_frame_equal(table, described)
    assert "| d | equal-width | 3 | 9 | -0.012 | 1 | 1.5 | 0.05 | 30 |" in markdown
    assert "| e | laim | 3 | 1 | 0.5 | 0 | 0.5 | 0 |  |" in markdown


def test_numbers_of_weights():
    scores = {"a": [0.5, 0.0, 0.1], "b-0": [0.0, 0.0, 1.0], "b-1": [1.0, 1.0, 1.0], "b-more-0": [1.0, 1.0, 1.0]}
    rows = [
        ("p", d, method, split, feature, 1, score if split else 0.7)
        for d in ("e", "d")
        for method, own in scores.items()
        for split in range(2)
        for feature, score in enumerate(own)
    ]
    columns = ["protocol", "dataset", "method", "split", "feature", "rank", "score"]
    spec = {"kind": "weights", "caption": "Weights", "methods": ["b", "a"]}
    table, markdown, _ = make_table(pd.DataFrame(rows, columns=columns), spec, "weights")
    assert tuple(table.columns) == WEIGHT_COLUMNS
    cells = table.set_index(["dataset", "method"])
    assert (cells["features"] == 3).all()
    assert cells.loc[("d", "a"), "positive"] == (3 + 2) / 2
    assert cells.loc[("d", "b"), "positive"] == (3 + 1 + 3 + 3) / 4
    assert cells["splits"].to_dict() == {("d", "a"): 2, ("d", "b"): 4, ("e", "a"): 2, ("e", "b"): 4}
    assert "| d | 3.0 | 2.5 | 2.5 |" in markdown


def test_costs():
    rows = [
        ("d", m, "rows", s, n, 8, 0, n / 100, 0.5) for m in "abc" for s in ("original", "relation") for n in (10, 20)
    ]
    spec = {"kind": "costs", "caption": "Costs", "methods": ["a", "b", "x"]}
    table, markdown, _ = make_table(pd.DataFrame(rows, columns=list(COST_COLUMNS)), spec, "costs")
    assert set(table["method"]) == {"a", "b"}
    assert "## d, rows growing" in markdown
    assert "| original | 10 | 8 |  | 0.1 (0.5) | 0.1 (0.5) | – |" in markdown
    assert markdown.count("| relation |") == 2


def test_searched_parameters():
    found = {"protocol": "p", "dataset": "d", "method": ["b", "a", "x"], "parameters": ['{"k": 3}', '{"k": 5}', "{}"]}
    spec = {"kind": "searched", "caption": "Found", "methods": ["a", "b"]}
    ends = {"ranged": [2, 1, 1], "at_end": ["k, l", "", "k"]}
    table, markdown, _ = make_table(pd.DataFrame({**found, "score": [0.25, 0.5, 0.1]} | ends), spec, "found")
    assert len(table) == 2
    assert markdown.index('| d | a | {"k": 5} | 0.5000 |  |') < markdown.index('| d | b | {"k": 3} | 0.2500 | k, l |')
    assert "2 of 3 chosen values are the smallest or largest tried" in markdown


def test_choices_at_ends_and_at_natural_bounds_are_counted_apart():
    bounded = {"from": 1, "to": 9, "whole": True, "bounds": {"from": "one is the least"}}
    ranges = {"a": {"p.k": bounded, "r": {"from": 0.5, "to": 2}}, "b": {}}
    chosen = [(1, 0.5), (9, 1.0), (4, 1.5), (None, None)]
    choices = pd.DataFrame(
        {
            "protocol": "p",
            "dataset": ["d", "e", "f", "g"],
            "method": "a",
            "parameters": [json.dumps({"p": {"k": k}, "r": r}) for k, r in chosen],
            "score": [0.1, 0.2, 0.3, np.nan],  # the last has failed
            "at_end": ["r", "p.k", "", np.nan],
        }
    )
    spec = {"kind": "ends", "caption": "Ends", "methods": ["a", "b"], "ranges": ranges}
    table, markdown, _ = make_table(choices, spec, "ends")
    counts = table.set_index(["method", "parameter"])[["choices", "at_bound", "at_end"]]
    assert counts.to_numpy().tolist() == [[3, 1, 1], [3, 0, 1], [6, 1, 2]]
    assert table["share"].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert counts.index.tolist() == [("a", "p.k"), ("a", "r"), (ALL_METHODS, "")]
    assert "| a | p.k | 1 to 9 | 1: one is the least | 3 | 1 | 1 | 33.3 % |" in markdown


def test_sources():
    assert [source_of(TABLES, {"kind": kind}) for kind in ("theorem", "costs")] == ["theorem", "costs"]
    assert source_of(TABLES, {}) == "summary"
    assert source_of(TABLES, {"kind": "ranked", "area": True}) == "areas"


@pytest.mark.parametrize(("splits", "said"), [(1, "mean of 1 training set"), (3, "mean of 3 training sets")])
def test_one_is_singular(splits, said):
    times = pd.DataFrame({"dataset": "d", "method": "a", "split": range(splits), "seconds": 0.5})
    _, markdown, _ = make_table(times, {"kind": "times", "caption": "Times", "methods": ["a"]}, "times")
    assert f"## {said}\n" in markdown


def test_a_block_of_a_page_is_filled_and_nothing_else_is_touched():
    page = "before\n<!-- sizes: begin -->\n\nold\n\n<!-- sizes: end -->\nafter\n"
    assert fill_block(page, "sizes", ["old"]) == page
    assert fill_block(page, "sizes", ["a", "b"]) == page.replace("old", "a\nb")
    for without in ("before\n", "<!-- sizes: begin -->\n", "<!-- sizes: end -->\n<!-- sizes: begin -->\n"):
        with pytest.raises(ValueError, match="no place for sizes"):
            fill_block(without, "sizes", ["a"])
