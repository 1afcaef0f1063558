"""The picture of the rules in README.md: what is drawn, and that it is current."""

from __future__ import annotations

import subprocess
import sys

import draw_rule_graph as rule_graph
import pytest
from project import PROJECT

DOT = """digraph snakemake_dag {
	0[label = "all", color = "0.00 0.6 0.85", style="rounded"];
	1[label = "tables_mvmd_2016_1", color = "0.61 0.6 0.85", style="rounded"];
	2[label = "tables_mvmd_2016_2", color = "0.62 0.6 0.85", style="rounded"];
	3[label = "predict", color = "0.56 0.6 0.85", style="rounded"];
	4[label = "fit", color = "0.18 0.6 0.85", style="rounded"];
	1 -> 0
	2 -> 0
	3 -> 1
	3 -> 2
	4 -> 1
	4 -> 3
}"""


def test_rules_of_one_step_are_one_box():
    graph = rule_graph.read_graph(DOT)
    assert graph == {"tables": {"predict", "fit"}, "predict": {"fit"}, "fit": set()}
    assert rule_graph.reduce_graph(graph) == {"tables": {"predict"}, "predict": {"fit"}, "fit": set()}
    assert rule_graph.columns_of(graph) == {"fit": 0, "predict": 1, "tables": 2}
    drawn = rule_graph.draw(graph)
    assert drawn.count("<path d=") == 3  # and the end of arrows
    assert drawn.count("<rect") == 4  # and the background


def test_the_picture_shows_where_features_are_normalised():
    picture = rule_graph.PICTURE.read_text(encoding="utf-8")
    assert picture.count("normalise") == 2
    assert picture.count("<rect") - 1 <= 12


@pytest.mark.slow
def test_the_picture_is_current():
    run = subprocess.run([sys.executable, *rule_graph.COMMAND], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert rule_graph.draw(rule_graph.read_graph(run.stdout)) == rule_graph.PICTURE.read_text(encoding="utf-8")
