"""The cases on which the statistics of the library are tested.

In `stats/cases.json`: by hand, from SciPy's distributions, and for the signed-rank test from the sum over all pairs in
400,000 draws. ``null`` is NaN; "refused" is a `DataError`.
"""

from __future__ import annotations

import json
from pathlib import Path

CASES = json.loads((Path(__file__).parent / "stats" / "cases.json").read_text(encoding="utf-8"))
