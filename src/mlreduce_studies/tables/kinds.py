"""The decorator that declares a kind of table, and the function that makes the tables of a study file.

A kind is a function that selects a tidy table from a file of results, in a module of this package::

    @table("times", source="times.csv", layout=times_parts, note="Seconds to fit.")
    def times_table(times, spec): ...

The function and its layout are given the rows that have values. `make_table` lists the failed cells below the table. A
layout writes a number that may be missing by `mlreduce_studies.tables.layout.number`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import pandas as pd

from mlreduce.registry import Declarations
from mlreduce_studies.gathering.failed_cells import (
    CELL_COLUMNS,
    failed_cells,
    footnotes,
    gap_columns,
    plain_where_whole,
    with_failed_cells,
    without_gaps,
)
from mlreduce_studies.options import TABLES, Options, Spec, kept, kind_of
from mlreduce_studies.tables.layout import Part, parts_latex, parts_markdown

__all__ = ["Spec", "Table", "make_table", "table", "table_kinds", "table_note", "table_parts"]

_Select: TypeAlias = Callable[[pd.DataFrame, Spec], pd.DataFrame]
_Layout: TypeAlias = Callable[[pd.DataFrame, Spec], Iterable[Part]]
_Note: TypeAlias = str | Callable[[Spec], str]


@dataclass(frozen=True)
class Table:
    """A kind of table as its decorator declares it; see `table`."""

    source: str
    required: Options
    optional: Options
    select: _Select
    layout: _Layout
    note: _Note
    names: int
    with_gaps: bool


def table(
    name: str,
    *,
    source: str,
    layout: _Layout,
    note: _Note,
    names: int = 1,
    required: Options | None = None,
    optional: Options | None = None,
    with_gaps: bool = False,
) -> Callable[[_Select], _Select]:
    """Declare a function that selects a tidy table from a study's results as a kind of table.

    Its name is the ``kind`` in a study file. The function is given the file ``source`` of a study's results. ``layout``
    makes the parts that are read from the tidy table and the entry of the study file; ``note`` is the text below the
    caption, or what makes it of the entry. ``names`` is the number of first columns that are aligned to the left.
    ``required`` and ``optional`` are schemas of options of the entry in addition to caption, methods, protocols and
    leave_out.

    ``with_gaps`` also gives the function the rows of failed cells, which have no value; it returns the cells with
    ``reason``, as the layout needs them to show `mlreduce_studies.gathering.failed_cells.GAP` in their places.
    """

    def declare(select: _Select) -> _Select:
        declared = Table(source, required or {}, optional or {}, select, layout, note, names, with_gaps)
        TABLES.add(name, declared, select.__module__)
        return select

    return declare


def table_kinds() -> list[str]:
    """Return the names of the kinds of tables, sorted."""
    return list(TABLES)


def table_note(spec: Spec) -> str:
    """Return the text below the caption of a table."""
    note = _kind(spec).note
    return note if isinstance(note, str) else note(spec)


def _kind(spec: Spec) -> Table:
    declared: Declarations[Table] = TABLES
    return declared.find(kind_of(TABLES, spec))


def table_parts(tidy: pd.DataFrame, spec: Spec) -> list[Part]:
    """Lay a tidy table out for reading."""
    kind = _kind(spec)
    if kind.with_gaps or "reason" not in tidy:
        return list(kind.layout(tidy, spec))
    rows = tidy[tidy["reason"].fillna("") == ""].drop(columns=gap_columns(tidy))
    only_of_failed = [name for name in (*CELL_COLUMNS, "splits") if name in rows and rows[name].isna().all()]
    rows = rows.drop(columns=only_of_failed if len(rows) else [])
    # The missing values of failed cells made floats of integers in the file.
    integers = [
        name for name in rows.select_dtypes("number") if rows[name].notna().all() and (rows[name] % 1 == 0).all()
    ]
    return list(kind.layout(rows.astype(dict.fromkeys(integers, int)), spec))


def make_table(source: pd.DataFrame, spec: Spec, label: str) -> tuple[pd.DataFrame, str, str]:
    """Make a table of an entry of a study file: tidy, as Markdown and as LaTeX, where it has a label for references.

    The source is the table that `mlreduce_studies.options.source_of` names. Where cells failed, the tidy table has
    `mlreduce_studies.gathering.failed_cells.GAP_COLUMNS`, and the others a footnote for each.
    """
    kind, rows = _kind(spec), kept(source, spec, spec.get("protocols"))
    if kind.with_gaps:
        tidy = plain_where_whole(kind.select(rows, spec))
    else:
        tidy = with_failed_cells(kind.select(without_gaps(rows), spec), failed_cells(rows, spec))
    parts, notes = table_parts(tidy, spec), footnotes(tidy)
    markdown = parts_markdown(parts, spec["caption"], table_note(spec), notes)
    return tidy, markdown, parts_latex(parts, spec["caption"], label, names=kind.names, footnotes=notes)
