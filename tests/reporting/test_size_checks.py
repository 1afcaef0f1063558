from __future__ import annotations

import itertools

import pandas as pd
import pytest
from claim_summaries import CURVES, check, known, summary

MEASURES = ["ranking-loss", "average-precision"]
ARGUMENTS = CURVES | {"measures": MEASURES, "predictors": ["r", "q"], "method": "a", "than": "b", "share": 0.75}
PLACES = list(itertools.product("de", ("r", "q"), MEASURES, (1, 20)))  # 16 cells


def results(worse, by=0.1, se=0.01):
    """Make a summary in which a is worse than b in the first cells, and better in the others."""
    cells = {}
    for number, (d, predictor, measure, percent) in enumerate(PLACES):
        gain = (-by if number < worse else by) * (1 if measure == "average-precision" else -1)
        at = {"predictor": predictor, "measure": measure, "size_percent": percent, "se": se}
        for m, mean in (("a", 0.5 + gain), ("b", 0.5), ("c", 0.5)):
            cells[d, m, number] = at | {"mean": mean}
    return summary(cells)


def mostly(table, **changes):
    return check("mostly-better", table, known("de"), **(ARGUMENTS | changes))


@pytest.mark.parametrize(
    ("worse", "share", "verdict"),
    [
        *[(0, 1, "confirmed"), (1, 1, "undecided"), (4, 0.75, "confirmed"), (5, 0.75, "undecided")],
        *[(7, 0.75, "undecided"), (8, 0.75, "refuted"), (16, 0.75, "refuted")],
    ],
)
def test_mostly_better(worse, share, verdict):
    assert mostly(results(worse), share=share)[0] == verdict


def test_ties_are_not_better():
    assert mostly(results(0, by=0.0))[0] == "refuted"


def test_mostly_better_says_where_and_how_clearly():
    assert mostly(results(3)) == (
        "confirmed",
        "a is better than b in 13 of 16 cells (2 data sets, 2 predictors, 2 measures, 2 sizes), where 75 % are "
        "claimed: d 5 of 8, e 8 of 8. By more than 2 standard errors it is better in 13 and worse in 3.",
    )
    near = mostly(results(3, by=0.028))[1]  # two standard errors of a difference are 0.0283
    assert near.endswith("it is better in 0 and worse in 0.")
    assert mostly(results(3, by=0.028), tolerance_se=1)[1].endswith(
        "1 standard error it is better in 13 and worse in 3."
    )


def test_other_rows_are_not_looked_at():
    table, other = results(0), results(16)
    others = [
        *(other.assign(**{k: v}) for k, v in {"protocol": "x", "predictor": "x", "measure": "coverage"}.items()),
        *(other.assign(**{k: v}) for k, v in {"size_percent": 100, "energy": 0.9, "dataset": "x"}.items()),
        other.assign(size_percent=0).drop_duplicates(["dataset", "method", "predictor", "measure"]),
        other.assign(method="x"),
    ]
    assert mostly(pd.concat([table, *others])) == mostly(table)


def test_missing_cells_are_named():
    table = results(0)
    here = (table["dataset"] == "e") & (table["method"] == "b")
    for gone in (table["size_percent"] == 20, table["predictor"] == "q", table["measure"] == "ranking-loss"):
        verdict, evidence = mostly(table[~(here & gone)])
        assert verdict == "undecided"
        assert evidence.startswith(
            "Missing from this run: e (b). On the rest: a is better than b in 8 of 8 cells (1 data"
        )
    assert mostly(table[table["predictor"] == "r"]) == ("undecided", "Missing from this run: d, e.")
