"""The page for users of scikit-multilearn says what comes of its lines today; test_documents.py runs ours."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
import sklearn

DOCS = Path(__file__).parents[2] / "docs"
_spec = importlib.util.spec_from_file_location("update_migration", DOCS / "update_migration.py")
update_migration = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(update_migration)


LOCK = (DOCS.parent / "envs" / "requirements.lock").read_text(encoding="utf-8")
LOCKED = re.search(r"^scikit-learn==(\S+)", LOCK, re.MULTILINE)[1]


def test_the_page_is_about_the_locked_version():
    assert f"scikit-learn {LOCKED}," in (DOCS / "migration.md").read_text(encoding="utf-8")


@pytest.mark.skipif(sklearn.__version__ != LOCKED, reason="the page is about the locked scikit-learn")
def test_the_page_says_what_comes_of_their_lines():
    page = (DOCS / "migration.md").read_text(encoding="utf-8")
    assert update_migration.update_page(page) == page, "run docs/update_migration.py"


def test_no_line_of_theirs_is_left_untried():
    page = (DOCS / "migration.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "skmultilearn" in block]
    tried = update_migration.THEIRS.findall(page)
    assert len(blocks) - len(tried) == page.count("<!-- not run: downloads -->") == 1
    assert len(re.findall(r"^## ", page, re.MULTILINE)) == 13


def test_an_error_is_told_by_its_first_line():
    assert update_migration.describe_outcome("1 / 0", {}) == "Today: `ZeroDivisionError: division by zero`"
    assert update_migration.describe_outcome("x = 1", {}) == "Today: it runs."
