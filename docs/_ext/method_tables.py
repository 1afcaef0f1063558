"""Tables of the methods on Markdown pages: a comment ``<!-- methods: projection -->`` becomes the table of a family.

A row has what the method declares, with a link to the page that names it: "`mvmd`, class `MVMD`". A comment
``<!-- unknown labels -->`` becomes the table of what takes unknown labels.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from mlreduce import registry
from mlreduce.methods.description import describe

DOCS = Path(__file__).parents[1]
#: The parameter that all methods of a family have.
COMMON = {"projection": "n_components", "embedding": "n_components", "labelspace": "n_components", "selection": "k"}

_LABELS = {"cells": "needed, NaN in cells", "rows": "needed, NaN in rows", "no": "needed"}


@cache
def declared_pages() -> dict[str, Path]:
    """Map registry names to the pages that name them with their classes."""
    pages: dict[str, Path] = {}
    for path in sorted([*DOCS.glob("*.md"), *DOCS.glob("methods/*.md")]):
        for name, class_name in re.findall(r"`([a-z0-9-]+)`,\s+class\s+`(\w+)`", path.read_text(encoding="utf-8")):
            if registry.class_names().get(class_name) and registry.class_name_of(name) == class_name:
                pages.setdefault(name, path)
    return pages


def table(family: str, folder: Path) -> str:
    """Return the table of a family as Markdown, its links from a folder."""
    lines = ["| name | class | what it does | parameters | labels | cost |", "| --- " * 6 + "|"]
    for name in registry.method_names(family):
        if not registry.method_class(name).__module__.startswith("mlreduce."):
            continue  # an example's
        about = describe(name)
        page = os.path.relpath(declared_pages()[name], folder)
        parameters = ", ".join(f"`{key}`" for key in about.parameters if key != COMMON.get(family))
        labels = _LABELS[about.facts.unknown_labels] if about.facts.needs_labels else "no"
        class_name = about.documented.rpartition(".")[2]
        does = about.summary.replace("|", r"\|")  # would end the cell
        lines.append(f"| [{name}]({page}) | `{class_name}` | {does} | {parameters} | {labels} | {about.facts.cost} |")
    return "\n".join(lines)


def unknown_table(folder: Path) -> str:
    """Return which of the methods that need labels take unknown ones as Markdown, its links from a folder."""
    lines = ["| family | single cells | rows alone | neither |", "| --- " * 4 + "|"]
    for family in registry.FAMILIES:
        cells: dict[str, list[str]] = {"cells": [], "rows": [], "no": []}
        for name in registry.method_names(family):
            facts = describe(name).facts
            if facts.needs_labels and name in declared_pages():
                page = os.path.relpath(declared_pages()[name], folder)
                cells[facts.unknown_labels].append(f"[{name}]({page})")
        if any(cells.values()):
            lines.append(f"| {family} | " + " | ".join(", ".join(names) for names in cells.values()) + " |")
    return "\n".join(lines)


def write_tables(app: Any, docname: str, source: list[str]) -> None:
    """Replace the comments of a page."""
    folder = Path(app.env.doc2path(docname)).parent
    source[0] = re.sub(r"<!-- methods: (\w+) -->", lambda match: table(match[1], folder), source[0])
    source[0] = re.sub("<!-- unknown labels -->", lambda _: unknown_table(folder), source[0])


def setup(app: Any) -> dict[str, bool]:
    """Connect the hook, before links are rewritten."""
    app.connect("source-read", write_tables, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
