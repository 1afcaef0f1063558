"""What the source of a registered method says of it, read without importing it."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from mlreduce import registry
from mlreduce.docstrings import sections

__all__ = ["Described", "describe_method"]


class Described(NamedTuple):
    """What a method is.

    Attributes
    ----------
    headline : str
        First line of its docstring.
    text, references : str
        The paragraphs before the parameters, and the section of references.
    family, module : str
    """

    headline: str = ""
    text: str = ""
    references: str = ""
    family: str = ""
    module: str = ""


def describe_method(name: str) -> Described:
    """Return what a method of the registry is; of a class of another package its import path alone."""
    if name not in registry.method_names() or registry.is_import_path(name):
        return Described(module=name)
    module = registry.module_of(name)
    parts = sections(_docstrings(module).get(registry.class_name_of(name), ""))
    headline, _, before = parts[""].partition("\n\n")
    references = re.sub(r"^\.\. \[\d+\] ", "", parts.get("References", ""), flags=re.MULTILINE)
    return Described(
        headline=_plain(headline), text=_plain(before), references=_plain(references),
        family=registry.kind_of(name), module=module,
    )  # fmt: skip


def _plain(text: str) -> str:
    return re.sub(r" \[\d+\]_", "", re.sub(r"`+", "", text)).strip()


@cache
def _docstrings(module: str) -> dict[str, str]:
    """Return the docstrings of the classes of a module."""
    package = find_spec("mlreduce")
    assert package is not None
    assert package.submodule_search_locations is not None  # it is a package
    path = Path(package.submodule_search_locations[0]).joinpath(*module.split(".")[1:]).with_suffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: ast.get_docstring(node) or "" for node in tree.body if isinstance(node, ast.ClassDef)}
