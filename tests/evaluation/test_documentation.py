"""What docs/compare.md names in its table is there; its code runs with that of the other pages."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from mlreduce.evaluation.comparison import Comparison

PAGE = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")


def test_what_it_names_is_there():
    names = re.findall(r"^\| `comparison\.(\w+)", PAGE, flags=re.MULTILINE)
    assert len(names) == 7
    known = {*dir(Comparison), *(own.name for own in fields(Comparison))}
    assert set(names) <= known
