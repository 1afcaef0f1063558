"""What all tables share: the parts of a table as Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from mlreduce.escaping import latex_escaped, markdown_escaped
from mlreduce_studies.gathering.failed_cells import GAP

#: Lays a tidy table of one protocol out as header and rows of text.
Layout: TypeAlias = Callable[[pd.DataFrame, Sequence[str]], tuple[list[str], list[list[str]]]]

#: A part of a table for reading: key, title, header, rows.
Part: TypeAlias = tuple[str, str, list[str], list[list[str]]]


def uneven_splits(cells: pd.DataFrame) -> bool:
    """Return whether cells of one table are means over different numbers of splits."""
    return bool(cells["splits"].nunique() > 1)


def number_of_splits(cells: pd.DataFrame) -> str:
    """Return the number of splits of some cells as text; the smallest and the largest where they differ."""
    numbers = sorted(cells["splits"].dropna().astype(int).unique())
    return " to ".join(map(str, dict.fromkeys([*numbers[:1], *numbers[-1:]])))


def counted(number: str | int, what: str) -> str:
    """Return a number with a noun, in the singular for one."""
    return f"{number} {what.removesuffix('s') if str(number) == '1' else what}"


def number(value: float, form: str, missing: str = GAP) -> str:
    """Return a number as text, and another text for NaN: a cell without a value, as of a method that failed."""
    return missing if np.isnan(value) else format(value, form)


def plus_minus(mean: float, spread: float) -> str:
    """Return a mean and its uncertainty as text."""
    return f"{mean:.4f} ± {number(spread, '.4f')}"


def by_protocol(table: pd.DataFrame, methods: Sequence[str], lay_out: Layout) -> Iterator[Part]:
    """Lay a tidy table out, one part per protocol; its title has the number of splits where all cells have the same."""
    for protocol, part in table.groupby("protocol", sort=True):
        title = str(protocol) if uneven_splits(part) else f"{protocol}, {counted(number_of_splits(part), 'splits')}"
        yield str(protocol), title, *lay_out(part, methods)


def fill_block(text: str, name: str, lines: Iterable[str]) -> str:
    """Return a page whose lines between the comments ``NAME: begin`` and ``NAME: end`` are replaced.

    Raises ValueError if the page does not have both comments.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, began, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not (began and ended):
        raise ValueError(f"the page has no place for {name}: {begin} and {end}")
    return "\n".join([before + begin, "", *lines, "", end]) + after


def to_markdown(header: Sequence[str], rows: Iterable[Sequence[str]], *, marked: bool = False) -> str:
    """Return a Markdown table; of cells that are ``marked``, such as links, the markup is kept."""
    cells = (row if marked else map(markdown_escaped, row) for row in (header, *rows))
    lines = [f"| {' | '.join(row)} |" for row in cells]
    lines.insert(1, "|" + " --- |" * len(header))
    return "\n".join(lines) + "\n"


def latex_text(text: str) -> str:
    """Return the text of a cell as LaTeX; text between ``**`` is bold."""
    bold = text.startswith("**")
    text = latex_escaped(text.strip("*"))
    return rf"\textbf{{{text}}}" if bold else text


def to_latex(
    header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str, *, names: int = 1
) -> list[str]:
    """Return the lines of a LaTeX table (booktabs), its first ``names`` columns aligned to the left."""
    return [
        r"\begin{table}",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{{'l' * names}{'r' * (len(header) - names)}}}",
        r"\toprule",
        " & ".join(map(latex_text, header)) + r" \\",
        r"\midrule",
        *(" & ".join(map(latex_text, row)) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def parts_markdown(parts: Iterable[Part], caption: str, note: str, footnotes: Sequence[str] = ()) -> str:
    """Return the parts of a table as Markdown, with the note below the caption and the footnotes at the end."""
    texts = [f"# {markdown_escaped(caption)}\n", f"{note}\n"]
    for _, title, header, rows in parts:
        texts += [f"## {markdown_escaped(title)}\n", to_markdown(header, rows)]
    if footnotes:
        first, *others = footnotes
        texts += [f"{first}\n", "\n".join(f"- {markdown_escaped(note)}" for note in others) + "\n"]
    return "\n".join(texts)


def parts_latex(
    parts: Iterable[Part], caption: str, label: str, *, names: int = 1, footnotes: Sequence[str] = ()
) -> str:
    """Return the parts of a table as LaTeX (booktabs), one table each, labelled by their keys; then the footnotes."""
    lines = []
    for key, title, header, rows in parts:
        lines += to_latex(header, rows, latex_text(f"{caption} ({title})"), f"{label}-{key}", names=names)
    if footnotes:
        lines += [r"\begin{flushleft}", r"\footnotesize"]
        lines += [f"{latex_escaped(note)}\\\\" for note in footnotes]
        lines += [r"\end{flushleft}"]
    return "\n".join(lines) + "\n"
