"""Docstrings of estimators: what a base class documents is written once, and shown by `help` of every subclass.

In the docstring of a class, an entry ``As of `Base`.`` stands for the entries of the same names in the docstring of a
base, or of a class that is known in its module::

    n_components, select
        As of `Projection`.
    k : int, default=10
        As of `Selector`. Ignored where all features are kept.

A type after the names replaces that of the base; sentences after ``As of`` are added to its text.
"""

from __future__ import annotations

import inspect
import re
import sys
from itertools import groupby
from typing import Any

__all__ = ["documented_entries", "fill_docstring", "sections"]

_HEADER = r"^(?P<names>\w+(?:, \w+)*)(?P<kind> : .*)?\n"
_ENTRY = re.compile(_HEADER + r"(?P<text>(?: .*\n|\n(?= ))*)", re.MULTILINE)
_REFERENCE = re.compile(_HEADER + r"    As of `(?P<base>\w+)`\.(?P<more>.*\n(?:    .*\n)*)", re.MULTILINE)


def sections(docstring: str) -> dict[str, str]:
    """Return the sections of a docstring by their titles; the text before them has the title ""."""
    parts = re.split(r"(?m)^(\w[\w ]*)\n-{3,}\n", docstring)
    return {"": parts[0].strip()} | {title: text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)}


def documented_entries(cls: type) -> dict[str, tuple[str, str]]:
    """Return the type, as ``" : int"``, and the text of each documented parameter and attribute of a class."""
    parts = sections(inspect.cleandoc(cls.__doc__ or ""))
    return {
        name: (entry["kind"] or "", entry["text"])
        for title in ("Parameters", "Attributes")
        for entry in _ENTRY.finditer(parts.get(title, "") + "\n")
        for name in entry["names"].split(", ")
    }


def fill_docstring(cls: type) -> None:
    """Replace each ``As of `Base`.`` in a docstring by the base's entries; one that the base lacks is left as it is."""
    text = inspect.cleandoc(cls.__doc__ or "") + "\n"
    if "\n    As of `" in text:
        module = sys.modules.get(cls.__module__)
        classes = (vars(module) if module else {}) | {base.__name__: base for base in reversed(cls.__mro__[1:])}
        cls.__doc__ = _REFERENCE.sub(lambda reference: _entries(reference, classes), text)


def _entries(reference: re.Match[str], classes: dict[str, Any]) -> str:
    names = reference["names"].split(", ")
    known = documented_entries(classes.get(reference["base"], object))
    if not known.keys() >= set(names):
        return reference[0]
    entries = "".join(
        f"{', '.join(group)}{reference['kind'] or kind}\n{text}"
        for (kind, text), group in groupby(names, known.__getitem__)
    )
    more = reference["more"].strip()
    return f"{entries}    {more}\n" if more else entries
