"""TCRFS, beside a public program of its months."""

from __future__ import annotations

from program_cases import ENTROPIES, Case, Python
from program_cases.pmu import SELECTED, binned, ranking

ESTIMATES = (
    ENTROPIES
    + """
stand_in("skfeature.utility", "entropy_estimators", midd=mutual, cmidd=conditional)
sys.modules["skfeature"] = SimpleNamespace(utility=sys.modules["skfeature.utility"])
"""
)
CODE = "from TCRFS import TCRFS\nranking = TCRFS(X, Y, int(numK.item()))"
CASES = (
    Case(
        "tcrfs",
        Python("shtyrrl/TCRFS", CODE, functions=ESTIMATES),
        lambda data: ranking("tcrfs", data),
        ("ranking",),
        f"the first {SELECTED}, three bins of equal width",
        "informations by the case, not by scikit-feature",
        data=binned,
    ),
)
