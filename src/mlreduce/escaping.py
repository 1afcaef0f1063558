"""Escaping of texts: formulas in CSV, markup in Markdown, commands in LaTeX, what reorders or hides text anywhere."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

# What a spreadsheet takes for the beginning of a formula; in some languages the wide forms of the signs too.
_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[-+]?(?:(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?|inf|nan)")

# Characters that are not seen, and change what is: controls, separators of lines, and those of writing direction, by
# which a text can show another order of letters than it has. Below as JSON writes them, or its sign for a backslash.
_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_HIDDEN_JSON = re.compile(r"\\(\\|u(?:00[0189].|007f|061c|200[ef]|202[89a-e]|206[6-9]|feff))")

# A bar ends a cell, a backtick or backslash changes what follows; "<" and "&" only where they begin something.
_MARKS = re.compile(r"[|`\\]|<(?=[A-Za-z/!?])|&(?=#?[A-Za-z0-9]+;)|\](?=[(\[])|\s")
_OF_MARKS = {"<": "&lt;", "&": "&amp;"}

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        **{character: "\\" + character for character in "{}$&#%_"},
        **dict.fromkeys("\n\r\t", " "),
        **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"},
        **{"±": r"$\pm$", "–": "--"},
    }
)


def without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table without texts or column names that a spreadsheet would run as a formula.

    Names may come from files of others. An apostrophe is put before a text that begins with ``=``, ``+``, ``-``, ``@``,
    a tab or a line break and is no number: spreadsheets then show it as it is.
    """
    table = table.rename(columns=_shown_by_spreadsheets)
    texts = [name for name, kind in table.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
    return table.assign(**{str(name): table[name].map(_shown_by_spreadsheets) for name in texts})


def _shown_by_spreadsheets(value: Any) -> Any:
    begins = isinstance(value, str) and _FORMULA.match(value) is not None
    return f"'{value}" if begins and not _NUMBER.fullmatch(value) else value


def markdown_escaped(text: str) -> str:
    """Return a text for a cell of a Markdown table, on one line; ``**`` is not escaped."""

    def escaped(mark: re.Match[str]) -> str:
        return " " if mark[0].isspace() else _OF_MARKS.get(mark[0], f"\\{mark[0]}")

    return _MARKS.sub(escaped, visible(text))


def latex_escaped(text: str) -> str:
    """Return a text escaped for LaTeX, on one line."""
    return visible(text).translate(_LATEX)


def visible(text: str) -> str:
    r"""Return a text, or a page, with hidden characters as ``\u202e``.

    Examples
    --------
    >>> print(visible("rain\u202egnp.exe"))
    rain\u202egnp.exe
    """
    return _HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def visible_json(text: str) -> str:
    """Return JSON, written in ASCII, whose texts are as `visible` returns them."""
    return _HIDDEN_JSON.sub(lambda match: match[0] if match[1] == "\\" else f"\\\\{match[1]}", text)
