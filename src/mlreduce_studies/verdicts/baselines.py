"""Whether what a sentence compares with has the numbers that the paper prints of it: a verdict needs its baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mlreduce_studies.verdicts.audit import NEAR_RATIO
from mlreduce_studies.verdicts.statements import Line, Statement

__all__ = [
    "BASELINE",
    "PRINTED_COLUMNS",
    "baselines",
    "lacking_baseline",
    "printed_cells",
    "said_of_baseline",
    "without_baseline",
]

#: The verdict of a setting whose baseline lacks the printed numbers.
BASELINE = "baseline not reproduced"

#: Columns of printed cells; protocol and predictor are "" where a cell has none.
PRINTED_COLUMNS = ("protocol", "dataset", "method", "predictor", "measure", "size_percent", "reproduced")

_SAID = "Printed numbers of the baseline that are reproduced: "


def printed_cells(
    audit: pd.DataFrame, tables: Mapping[str, Mapping[str, Any]], ratios: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the printed numbers of a paper that were run, each with whether ours reproduces it, as `PRINTED_COLUMNS`.

    The audit is from `mlreduce_studies.verdicts.audit.audit`. ``tables`` has, by the name in the paper ("table3"), the
    ``measure`` and the ``predictor`` of the table. A printed time is reproduced where its ratio to the base, from
    `mlreduce_studies.gathering.times.time_ratios`, is within the factor of the audit.
    """
    cells = audit[audit["verdict"] != "not run"]
    cells = cells.assign(
        reproduced=cells["verdict"] == "reproduced",
        measure=cells["table"].map({name: spec["measure"] for name, spec in tables.items()}),
        predictor=cells["table"].map({name: spec["predictor"] for name, spec in tables.items()}),
    )
    parts = [cells]
    if ratios is not None:
        times = ratios.dropna(subset=["printed_ratio", "ratio"])
        quotients = (times["ratio"] / times["printed_ratio"]).map(np.log).abs()
        parts.append(
            times.assign(protocol="", predictor="", measure="seconds", size_percent=0).assign(
                reproduced=quotients <= np.log(NEAR_RATIO)
            )
        )
    filled = [part for part in parts if len(part)] or parts
    return pd.concat([part[list(PRINTED_COLUMNS)] for part in filled], ignore_index=True)


def baselines(statement: Statement, proposed: tuple[str, ...] = ()) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the methods that a sentence compares with, each with the cells that are selected of it.

    These are its second methods, and of the first ones those that the paper does not propose.
    """
    other = statement.than_select or statement.select
    yield from ((method, other) for method in statement.than)
    yield from ((method, statement.select) for method in statement.methods if method not in proposed)
    for method in (statement.options[key] for key in ("control", "relative_to") if key in statement.options):
        yield from ((method, select) for select in (statement.select, other))


def lacking_baseline(printed: pd.DataFrame | None, proposed: tuple[str, ...], line: Line) -> str:
    """Say of which baselines most printed numbers are not reproduced; "" where there is none.

    A baseline is reproduced where more than half of its printed numbers, from `printed_cells`, are, those of the line's
    quantity, predictor, protocol, sizes and data sets. One of which nothing is printed there lacks nothing, nor does a
    method that the paper proposes.

    Examples
    --------
    >>> cells = pd.DataFrame(
    ...     [("p", "d", "plst", "linear", "hamming-loss", size, size < 60) for size in (20, 40, 60, 80)],
    ...     columns=list(PRINTED_COLUMNS),
    ... )
    >>> select = {"protocol": "p", "predictor": "linear", "sizes": [20, 40, 60, 80]}
    >>> statement = Statement("better", ("cplst",), ("plst",), ("hamming-loss",), select)
    >>> lacking_baseline(cells, ("cplst",), Line("", statement, ("d",), "all"))
    'plst 2 of 4'
    >>> lacking_baseline(cells[1:2], ("cplst",), Line("", statement, ("d",), "all"))
    ''
    """
    if printed is None or printed.empty:
        return ""
    here = printed[printed["dataset"].isin(line.datasets) & printed["measure"].isin(line.statement.quantities)]
    found: dict[str, pd.Series[bool]] = {}
    for method, select in baselines(line.statement, proposed):
        cells = here[here["method"] == method]
        for key in ("protocol", "predictor", "sizes"):
            column = cells["size_percent" if key == "sizes" else key]
            wanted = select.get(key)
            if wanted is not None:
                # Times have neither a protocol nor a predictor.
                cells = cells[column.isin([wanted] if isinstance(wanted, str) else wanted) | (column == "")]
        rows = pd.concat([found[method], cells["reproduced"]]) if method in found else cells["reproduced"]
        found[method] = rows[~rows.index.duplicated()]
    counts = {method: (int(rows.sum()), len(rows)) for method, rows in found.items()}
    return ", ".join(
        f"{method} {reproduced} of {of}" for method, (reproduced, of) in counts.items() if of and 2 * reproduced <= of
    )


def said_of_baseline(verdict: str, lacking: str) -> str:
    """Return a sentence on a baseline that is not reproduced, at the end of the evidence of a setting.

    The verdict is what the scores say by themselves; ``lacking`` is from `lacking_baseline`.
    """
    return f"{_SAID}{lacking}. By our scores alone: {verdict}."


def without_baseline(evidence: str) -> str:
    """Return that sentence of the evidence of a setting; "" where it has none.

    Examples
    --------
    >>> without_baseline("a and b: 3 wins. " + said_of_baseline("refuted", "b 1 of 4"))
    'Printed numbers of the baseline that are reproduced: b 1 of 4. By our scores alone: refuted.'
    """
    return "".join(evidence.partition(_SAID)[1:])
