"""Docstrings of estimators: what a base class documents is written once, and shown by `help` of every subclass.

In the docstring of a class, an entry ``As of `Base`.`` stands for the entries of the same names in the docstring of a
base, or of a class that is known in its module::

    n_components, select
        As of `Projection`.
    k : int, default=10
        As of `Selector`. Ignored where all features are kept.

A type after the names replaces that of the base; sentences after ``As of`` are added to its text. Attributes of the
bases that are not mentioned are added. In the docstring of a method the reference is to another method of the class,
and a docstring without sections has those of the method that it overrides.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby
from types import FunctionType
from typing import Any

__all__ = ["documented_entries", "fill_docstring", "sections"]

_HEADER = r"^(?P<names>\w+(?:, \w+)*)(?P<kind> : .*)?\n"
_ENTRY = re.compile(_HEADER + r"(?P<text>(?: .*\n|\n(?= ))*)", re.MULTILINE)
_REFERENCE = re.compile(_HEADER + r"    As of `(?P<base>\w+)`\.(?P<more>.*\n(?:    .*\n)*)", re.MULTILINE)


def sections(docstring: str) -> dict[str, str]:
    """Return the sections of a docstring by their titles; the text before them has the title ""."""
    parts = re.split(r"(?m)^(\w[\w ]*)\n-{3,}\n", docstring)
    titled = zip(parts[1::2], parts[2::2], strict=True)
    return {"": parts[0].strip()} | {title: text.strip("\n") for title, text in titled}


def documented_entries(documented: Any) -> dict[str, tuple[str, str]]:
    """Return the type, as ``" : int"``, and the text of each documented parameter and attribute."""
    return _documented(documented, "Parameters") | _documented(documented, "Attributes")


def _documented(documented: Any, title: str) -> dict[str, tuple[str, str]]:
    return _entries_in(documented.__doc__ or "", title)


@lru_cache(maxsize=64)  # of a few bases
def _entries_in(docstring: str, title: str) -> dict[str, tuple[str, str]]:
    return _entries_of(sections(inspect.cleandoc(docstring)).get(title, ""))


def _entries_of(section: str) -> dict[str, tuple[str, str]]:
    return {
        name: (entry["kind"] or "", entry["text"])
        for entry in _ENTRY.finditer(section + "\n")
        for name in entry["names"].split(", ")
    }


def fill_docstring(cls: type) -> None:
    """Fill the docstrings of a class and its methods; an entry that the base lacks is left as it is."""
    module = sys.modules.get(cls.__module__)
    known = (vars(module) if module else {}) | {base.__name__: base for base in reversed(cls.__mro__[1:])}
    cls.__doc__ = _with_attributes(_filled(cls.__doc__, known), cls.__bases__)
    for name, method in vars(cls).items():
        if isinstance(method, FunctionType) and not name.startswith("_"):
            overridden = next((vars(base)[name] for base in cls.__mro__[1:] if name in vars(base)), None)
            method.__doc__ = _filled(_with_sections(method.__doc__, overridden), vars(cls))


def _with_attributes(text: str | None, bases: tuple[type, ...]) -> str | None:
    """Return a docstring with the attributes of the bases, which have those of theirs, after its own."""
    entries = {name: entry for base in reversed(bases) for name, entry in _documented(base, "Attributes").items()}
    if text is None or not entries:
        return text
    parts = sections(inspect.cleandoc(text))
    own = _entries_of(parts.get("Attributes", ""))
    further = "".join(f"{name}{kind}\n{body}" for name, (kind, body) in entries.items() if name not in own)
    summary, attributes = parts.pop(""), "\n".join(filter(None, [parts.pop("Attributes", ""), further.rstrip()]))
    parts = {"Parameters": parts.pop("Parameters", ""), "Attributes": attributes, **parts}
    written = (f"{title}\n{'-' * len(title)}\n{part}\n" for title, part in parts.items() if part)
    return "\n".join([f"{summary}\n", *written])


def _with_sections(text: str | None, overridden: Any) -> str | None:
    """Return a docstring with the sections of the method that is overridden, unless it has some."""
    begin = re.search(r"\n\n\w[\w ]*\n-{3,}\n", inspect.cleandoc(getattr(overridden, "__doc__", None) or ""))
    if text is None or begin is None or re.search(r"\n *-{3,}\n", text):
        return text
    return inspect.cleandoc(text) + begin.string[begin.start() :] + "\n"


def _filled(text: str | None, known: Mapping[str, Any]) -> str | None:
    if text is None or "As of `" not in text:
        return text
    return _REFERENCE.sub(lambda reference: _entries(reference, known), inspect.cleandoc(text) + "\n")


def _entries(reference: re.Match[str], documented: Mapping[str, Any]) -> str:
    names = reference["names"].split(", ")
    known = documented_entries(documented.get(reference["base"], object))
    if not known.keys() >= set(names):
        return reference[0]
    entries = "".join(
        f"{', '.join(group)}{reference['kind'] or kind}\n{text}"
        for (kind, text), group in groupby(names, known.__getitem__)
    )
    more = reference["more"].strip()
    return f"{entries}    {more}\n" if more else entries
