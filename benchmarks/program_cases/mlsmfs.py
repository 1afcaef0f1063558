"""MLSMFS, beside PyIT-MLFS."""

from __future__ import annotations

from program_cases.lsmfs import cases

CASES = cases("mlsmfs", "conditional")
