"""How AutoReducer is measured: with methods that rank first without the data set, and by a table that is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mlreduce.methods import evidence
from mlreduce.methods.evidence import Wanted
from mlreduce_studies.tables.layout import fill_block

PROJECT = Path(__file__).parents[2]
sys.path[:0] = [str(PROJECT / "benchmarks"), str(PROJECT / "docs")]

import automatic  # noqa: E402


@pytest.mark.parametrize("family", ["projection", "selection", "labelspace"])
@pytest.mark.parametrize("predictor", ["ridge", "ml-knn"])
def test_methods_rank_without_the_data_set_and_those_related_to_it(family, predictor):
    wanted = Wanted(predictor, "average-precision")
    everywhere = evidence.foremost(family, wanted)
    nowhere = automatic.foremost_without("of no group", family, wanted)
    assert {one.method: one.near for one in nowhere} == pytest.approx(
        {one.method: one.near for one in everywhere}, abs=1e-4
    )
    groups = evidence.groups_of(everywhere[0].study)
    for name in ("scene", "yahoo-arts-5000"):
        kept = [other for other in groups if groups[other] != groups[name]]
        first = automatic.foremost_without(name, family, wanted)[0]
        of = [cell for cell in first.by_set if cell.name in kept]
        by_group = {}
        for cell in of:
            by_group.setdefault(groups[cell.name], []).append(cell.near)
        near = [sum(values) / len(values) for values in by_group.values()]
        assert first.near == pytest.approx(sum(near) / len(near), abs=1e-5)
        assert len(of) < len(first.by_set)


def test_the_table_is_that_of_the_measurements():
    text = automatic.PAGE.read_text(encoding="utf-8")
    assert fill_block(text, "auto measured", automatic.table()) == text
