"""LSMFS, beside PyIT-MLFS."""

from __future__ import annotations

from functools import partial

from program_cases import ENTROPIES, Case, Python
from program_cases.pmu import SELECTED, binned, ranking

ESTIMATES = (
    ENTROPIES
    + """
stand_in(
    "pyitlib",
    "discrete_random_variable",
    information_mutual=mutual,
    information_mutual_conditional=conditional,
    information_co=lambda three: mutual(three[0], three[1]) - conditional(three[0], three[1], three[2]),
)
"""
)
SETTING, NOTE = f"the first {SELECTED}, three bins of equal width", "informations by the case, not by pyitlib"

CODE = "from classes.lsmfs import lsmfs\nranking = lsmfs().rank(X.astype(int), Y.astype(int))[: int(numK.item())]"
CASES = (
    Case(
        "lsmfs",
        Python("Sadegh28/PyIT-MLFS", CODE, functions=ESTIMATES),
        partial(ranking, "lsmfs", supplement="redundancy"),
        ("ranking",),
        f'supplement="redundancy", {SETTING}',
        NOTE,
        data=binned,
        datasets=("emotions",),
    ),
    Case(
        "lsmfs",
        Python("Sadegh28/PyIT-MLFS", CODE, functions=ESTIMATES),
        partial(ranking, "lsmfs"),
        ("ranking",),
        SETTING,
        "the sign of the supplement: see the page of the method",
        data=binned,
        datasets=("emotions",),
    ),
)
