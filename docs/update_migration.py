"""Run the lines of scikit-multilearn in docs/migration.md, and write what comes of each below it.

    python docs/update_migration.py

tests/unit/test_migration.py says when it has to be run: after another version of scikit-learn or NumPy.
"""

from __future__ import annotations

import os
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

import sklearn

PAGE = Path(__file__).parent / "migration.md"
MARK = "<!-- not run: scikit-multilearn, which docs/update_migration.py runs -->\n"
#: A block of theirs, and the sentence below it.
THEIRS = re.compile(rf"({re.escape(MARK)}```python\n(.*?)```\n\n)Today: [^\n]*\n", re.DOTALL)
VERSION = re.compile(r"scikit-learn \d+\.\d+\.\d+")


def describe_outcome(code: str, names: dict[str, Any]) -> str:
    """Return the sentence on a block of theirs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(code, names)  # noqa: S102 -- of our page
        except Exception as error:  # noqa: BLE001 -- the page reports any error of theirs
            return f"Today: `{type(error).__name__}: {str(error).splitlines()[0]}`"
    return "Today: it runs."


def update_page(page: str) -> str:
    """Return the page with what comes of the lines of theirs in this environment."""
    shared = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert shared is not None
    names: dict[str, Any] = {}
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            exec(shared[1], names)  # noqa: S102
            page_now = re.sub(THEIRS, lambda block: f"{block[1]}{describe_outcome(block[2], names)}\n", page)
        finally:
            os.chdir(here)
    return VERSION.sub(f"scikit-learn {sklearn.__version__}", page_now)


if __name__ == "__main__":
    PAGE.write_text(update_page(PAGE.read_text("utf-8")), "utf-8")
