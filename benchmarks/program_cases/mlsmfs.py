"""MLSMFS, beside PyIT-MLFS."""

from __future__ import annotations

from functools import partial

from program_cases import Case, Python
from program_cases.lsmfs import ESTIMATES, NOTE, SETTING, binned, ranking

CODE = "from classes.mlsmfs import mlsmfs\nranking = mlsmfs().rank(X.astype(int), Y.astype(int))[: int(numK.item())]"
CASES = (
    Case(
        "mlsmfs",
        Python("Sadegh28/PyIT-MLFS", CODE, functions=ESTIMATES),
        partial(ranking, "mlsmfs", supplement="conditional"),
        ("ranking",),
        f'supplement="conditional", {SETTING}',
        NOTE,
        data=binned,
        datasets=("emotions",),
    ),
    Case(
        "mlsmfs",
        Python("Sadegh28/PyIT-MLFS", CODE, functions=ESTIMATES),
        partial(ranking, "mlsmfs"),
        ("ranking",),
        SETTING,
        "the sign of the supplement: see the page of the method",
        data=binned,
        datasets=("emotions",),
    ),
)
