from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")


def test_reproduction_table_is_that_of_the_reference_results():
    spec = importlib.util.spec_from_file_location("update_readme", PROJECT / "docs" / "update_readme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.updated(README) == README


@pytest.mark.parametrize("page", [*sorted(PROJECT.glob("docs/*.md")), PROJECT / "README.md"], ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_code_of_the_readme_runs():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
