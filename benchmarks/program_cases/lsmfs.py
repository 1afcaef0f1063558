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
SETTING = f"the first {SELECTED}, three bins of equal width"


def cases(method: str, supplement: str) -> tuple[Case, ...]:
    """Return the comparisons of a method, whose name module and class have: with the program's sign and with ours."""
    code = f"from classes.{method} import {method}\n"
    code += f"ranking = {method}().rank(X.astype(int), Y.astype(int))[: int(numK.item())]"
    program = Python("Sadegh28/PyIT-MLFS", code, functions=ESTIMATES)
    return tuple(
        Case(method, program, ours, ("ranking",), setting, note, data=binned, datasets=("emotions",))
        for ours, setting, note in (
            (
                partial(ranking, method, supplement=supplement),
                f'supplement="{supplement}", {SETTING}',
                "informations by the case, not by pyitlib",
            ),
            (partial(ranking, method), SETTING, "the sign of the supplement: see the page of the method"),
        )
    )


CASES = cases("lsmfs", "redundancy")
