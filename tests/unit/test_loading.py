from __future__ import annotations

import importlib

import pytest

from mlreduce.exceptions import broken_module


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1\nimport nothing_of_this_name\n", "line 2: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("x = 1\ny = (\n", "line 2: SyntaxError: '(' was never closed"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path, monkeypatch, text, sentence):
    (tmp_path / "broken_of_mine.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises((ImportError, SyntaxError)) as caught:
        importlib.import_module("broken_of_mine")
    path = tmp_path / "broken_of_mine.py"
    assert broken_module(caught.value, path) == f"{path}, {sentence}"
