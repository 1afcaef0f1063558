"""What docs/decisions.md says of its tables is in them."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text(encoding="utf-8")


def rows(mark):
    """Return the cells of a table between its marks, without its head."""
    table = PAGE.split(f"<!-- {mark}: begin -->")[1].split(f"<!-- {mark}: end -->")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()[2:]]


def test_one_threshold_has_the_larger_f1_and_one_half_the_smaller_loss_but_once():
    half, one = (
        [[float(value) for value in cells[column].split(" / ")] for cells in rows("scores")] for column in (2, 3)
    )
    assert all(tuned[0] > plain[0] for plain, tuned in zip(half, one, strict=True))
    assert sum(tuned[1] <= plain[1] for plain, tuned in zip(half, one, strict=True)) == 1
    assert re.search(
        r"\"one-threshold\" has the larger F1 on all of these, \"half\" the smaller\s+Hamming loss on all but", PAGE
    )


def test_thresholds_cost_less_than_one_more_fit():
    assert max(float(cells[3]) for cells in rows("costs")) < 2
    assert "at less than one more fit" in re.sub(r"\s+", " ", PAGE)
