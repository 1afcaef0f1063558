from __future__ import annotations

import importlib
import sys
import warnings

import pytest

import mlreduce
from mlreduce.exceptions import broken_module


@pytest.mark.parametrize("old", mlreduce.MOVED)
def test_a_documented_old_module_has_the_names_of_the_new(old, monkeypatch):
    monkeypatch.delitem(sys.modules, old, raising=False)
    new = importlib.import_module(mlreduce.MOVED[old])
    with warnings.catch_warnings(record=True) as caught:  # of its package too
        warnings.simplefilter("always")
        moved = importlib.import_module(old)
    said = f"{old} is now {new.__name__}; the old name goes in version 0.3"
    assert (FutureWarning, said) in [(warning.category, str(warning.message)) for warning in caught]
    assert all(getattr(moved, name) is getattr(new, name) for name in getattr(new, "__all__", []))


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
