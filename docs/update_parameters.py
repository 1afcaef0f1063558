"""Write which estimators have each parameter into docs/parameters.md, and a row for each new name.

    python docs/update_parameters.py

Meanings are written by hand: one for each name, whatever the estimator. tests/unit/test_parameters_page.py says when to
run it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from sklearn.base import BaseEstimator

import mlreduce

PAGE = Path(__file__).parent / "parameters.md"
ROW = re.compile(r"^\| `(\w+)` \| (.*) \| (.*) \|\n", re.MULTILINE)
#: Of more estimators than these only the number is written.
_NAMED = 4


def find_parameters() -> dict[str, list[str]]:
    """Return the names of the parameters of all public estimators, each with the classes that have it."""
    classes: dict[str, list[str]] = defaultdict(list)
    for name in sorted(dir(mlreduce)):
        cls = getattr(mlreduce, name)
        if isinstance(cls, type) and issubclass(cls, BaseEstimator):
            for parameter in cls._get_param_names():
                classes[parameter].append(name)
    return classes


def update_page(page: str) -> str:
    """Return the page with the present names and classes; new names, at the end, have no meaning yet."""
    classes = find_parameters()
    meanings = {name: meaning for name, meaning, _ in ROW.findall(page)}
    rows = ""
    for name in [*(name for name in meanings if name in classes), *sorted(classes.keys() - meanings.keys())]:
        where = ", ".join(f"`{cls}`" for cls in classes[name])
        where = where if len(classes[name]) <= _NAMED else f"{len(classes[name])} estimators"
        rows += f"| `{name}` | {meanings.get(name, '')} | {where} |\n"
    first = ROW.search(page)
    assert first is not None
    return page[: first.start()] + rows + ROW.sub("", page[first.start() :])


if __name__ == "__main__":
    PAGE.write_text(update_page(PAGE.read_text("utf-8")), "utf-8")
