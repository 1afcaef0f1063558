"""Numbers that sentences of the documents quote, a module per paper, and where each comes from.

A function yields sentences of the page that `quoted_on` names; the page itself has no marks. `update_numbers.py` writes
the numbers into the pages, and `tests/unit/test_quoted_numbers.py` fails when it has to be run, a sentence no longer
holds, or a number of a page has no source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

PROJECT = Path(__file__).parents[2]
REFERENCE = PROJECT / "results" / "reference"
DEVIATIONS = "docs/deviations.md"


class Sentence(NamedTuple):
    """A part of a page, once in it; lines may be broken anywhere."""

    #: With ``{}``, or ``{:.3f}`` and the like, in place of what is quoted.
    text: str
    #: Numbers or words.
    values: tuple[Any, ...] = ()
    #: Whether the sentence is true.
    holds: bool = True


Sentences = Iterator[Sentence]
Source = Callable[[], Sentences]
#: The functions of each page.
SOURCES: dict[str, list[Source]] = {}


def quoted_on(page: str) -> Callable[[Source], Source]:
    """Return a decorator of functions whose sentences are those of a page."""

    def register(source: Source) -> Source:
        SOURCES.setdefault(page, []).append(source)
        return source

    return register


def quote(text: str, *values: Any, given: Any = True) -> Sentence:
    """Return a sentence that quotes results; `given` is the condition under which its words hold.

    Integers in the text itself are settings of what is quoted ("at 20 %"); decimals have to be values.
    """
    return Sentence(text, values, bool(given))


@cache
def table(file: str) -> pd.DataFrame:
    """Return a table by its path from results/reference, or from the root of the project."""
    path = REFERENCE / file if (REFERENCE / file).is_file() else PROJECT / file
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)


def rows(file: str, **cell: Any) -> pd.DataFrame:
    """Return the rows of a table that have these values; of a list, any of them."""
    selected = table(file)
    for name, value in cell.items():
        selected = selected[selected[name].isin(value) if isinstance(value, list) else selected[name].eq(value)]
    if selected.empty:
        msg = f"{file} has no row with {cell}"
        raise LookupError(msg)
    return selected


def value(file: str, column: str = "mean", **cell: Any) -> Any:
    """Return the number in a column of the one row that has these values."""
    (number,) = rows(file, **cell)[column]
    return number


def by_method(file: str, index: str | list[str], values: str = "mean", **cell: Any) -> pd.DataFrame:
    """Return a column of the rows of a table that have these values, with a column for each method."""
    return rows(file, **cell).pivot_table(index=index, columns="method", values=values)


def reproduced(cells: pd.DataFrame) -> bool:
    """Return whether all cells of an audit are reproduced."""
    return bool(cells["verdict"].eq("reproduced").all())


def below(cells: pd.DataFrame) -> bool:
    """Return whether our number is below the printed one in all cells of an audit."""
    return bool((cells["ours"] < cells["printed"]).all())
