"""Each claim that is called proved, or false by algebra, names a test of its paper's file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from mlreduce.configuration import read_yaml

FOLDERS = sorted((Path(__file__).parents[2] / "papers").glob("*/claims.yaml"))


@pytest.mark.parametrize("path", FOLDERS, ids=lambda path: path.parent.name)
def test_proofs_are_there(path):
    named = {claim["test"] for claim in read_yaml(path) if "test" in claim}
    file = Path(__file__).with_name(f"test_proofs_{path.parent.name.replace('-', '_')}.py")
    there = ast.parse(file.read_text(encoding="utf-8")).body if file.is_file() else []
    assert named == {part.name for part in there if isinstance(part, ast.FunctionDef) and part.name.startswith("test_")}
