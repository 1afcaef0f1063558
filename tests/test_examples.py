"""The examples of all docstrings run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import mlreduce
from mlreduce import registry
from mlreduce.metrics import MEASURES

ROOT = Path(mlreduce.__file__).parents[1]
#: Modules with examples.
EXAMPLES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("mlreduce", "mlreduce_studies")
    for path in (ROOT / package).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)
#: Modules with examples that take more than a second each.
LONG = {
    *(f"mlreduce.selection.{name}" for name in ("scmfs", "partly_labelled", "mlmlfs", "mrdm", "mifs", "pnc")),
    *("mlreduce.predictors.sleec", "mlreduce.predictors.leml", "mlreduce.embedding.graph"),
}


@pytest.fixture
def nothing_registered(monkeypatch):
    """Examples that register a method or declare a measure leave none behind."""
    monkeypatch.setattr(registry, "_at_run_time", {})
    monkeypatch.setattr(MEASURES, "_declared", dict(MEASURES))
    monkeypatch.setattr(MEASURES, "_modules", dict(MEASURES._modules))


@pytest.mark.parametrize(
    "module",
    [pytest.param(name, marks=[pytest.mark.slow, pytest.mark.promise] if name in LONG else []) for name in EXAMPLES],
)
@pytest.mark.rotating
def test_examples_run(module, nothing_registered, tmp_path, monkeypatch):
    if module.startswith("mlreduce_studies.site."):
        pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(module), verbose=False)
    assert result.attempted
    assert not result.failed
