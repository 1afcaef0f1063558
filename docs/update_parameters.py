"""Write which estimators have each parameter into docs/tables/parameters.csv, and the most frequent into the page.

    python docs/update_parameters.py

Meanings are written by hand in that table: one for each name, whatever the estimator. New names are at its end.
tests/unit/test_parameters_page.py says when to run it.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pandas as pd
from sklearn.base import BaseEstimator

import mlreduce
from mlreduce_studies.tables.layout import fill_block, to_markdown

PAGE = Path(__file__).parent / "parameters.md"
TABLE = PAGE.parent / "tables" / "parameters.csv"
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


def read_table() -> pd.DataFrame:
    """Return the table of the names."""
    return pd.read_csv(TABLE, keep_default_na=False)


def update_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the present names and classes; new names, at the end, have no meaning yet."""
    classes, meanings = find_parameters(), dict(zip(table["name"], table["meaning"], strict=True))
    names = [*(name for name in meanings if name in classes), *sorted(classes.keys() - meanings.keys())]
    few = {name: " ".join(classes[name]) if len(classes[name]) <= _NAMED else "" for name in names}
    rows = [(name, meanings.get(name, ""), len(classes[name]), few[name]) for name in names]
    return pd.DataFrame(rows, columns=["name", "meaning", "estimators", "in"])


def update_page(page: str, table: pd.DataFrame, most: int = 12) -> str:
    """Return the page with the names that most estimators have."""
    shown = table.sort_values("estimators", ascending=False, kind="stable").head(most)[
        ["name", "meaning", "estimators"]
    ]
    return fill_block(page, "parameters", to_markdown([*shown], shown.astype(str).to_numpy()).splitlines())


if __name__ == "__main__":
    now = update_table(read_table())
    TABLE.write_text(now.to_csv(index=False), "utf-8")
    PAGE.write_text(update_page(PAGE.read_text("utf-8"), now), "utf-8")
