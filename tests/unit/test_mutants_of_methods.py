"""Definitions are mandatory, and a change of a method that a definition does not notice is named."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import definitions
import mutants_of_methods
import numpy as np
import pytest

from mlreduce import registry
from mlreduce.selection import Selector

TESTS = Path(__file__).parents[1]


@pytest.fixture
def contributed(monkeypatch):
    """The name of a selector of the library that has its scores the wrong way round."""

    class MostVariance(Selector):
        __module__ = "mlreduce.selection.most_variance"
        supervised = False

        def __init__(self, k=0.5):
            self.k = k

        def _scores(self, X, labels):
            return -np.asarray(X.power(2).mean(axis=0) - X.mean(axis=0) ** 2 if hasattr(X, "power") else X.var(axis=0))

    monkeypatch.setattr(registry, "_at_run_time", {"most-variance": ("selection", MostVariance)})
    return "most-variance"


def definition(X, Y, fitted):
    np.testing.assert_allclose(fitted.scores_, X.var(axis=0))


@pytest.mark.usefixtures("contributed")
def test_the_definitions_are_not_collected_without_one_for_each_method():
    with pytest.raises(pytest.Collector.CollectError) as error:
        runpy.run_path(str(TESTS / "test_definitions.py"))
    assert str(error.value) == (
        "the method 'most-variance' has no definition: add tests/definitions/most_variance.py with a function "
        "definition(X, Y, fitted), as tests/definitions/__init__.py says"
    )


def test_a_definition_without_a_method_is_named(tmp_path):
    folder = tmp_path / "definitions"
    folder.mkdir()
    for name in ("_shared.py", "kernel_cplst.py", "cplst_old.py"):
        (folder / name).touch()
    assert definitions.complaints(["kernel-cplst"], folder) == [
        "tests/definitions/cplst_old.py is the definition of no registered method: rename it after its method, or "
        "remove it"
    ]


def test_a_definition_notices_scores_the_wrong_way_round(contributed, monkeypatch):
    monkeypatch.setattr(definitions, "load", lambda name: SimpleNamespace(definition=definition))
    for case in definitions.CASES:
        with pytest.raises(AssertionError, match="Not equal to tolerance"):
            definitions.check(contributed, case)


def test_mutants_are_caught(capsys):
    assert mutants_of_methods.main(["plst", "mim", "br-knn", "pca", "le", "smse1"]) == 0
    printed = capsys.readouterr().out
    assert "| all | 6 | 37 | 2 | 35 | 35 | 6 |" in printed
    assert printed.endswith("No mutant that changes a result survived.\n")


def test_a_mutant_that_survives_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(definitions, "load", lambda name: SimpleNamespace(definition=lambda X, Y, fitted: None))
    table = tmp_path / "mutants.md"
    assert mutants_of_methods.main(["mim", "--to", str(table)]) == 1
    text = table.read_text()
    assert text == capsys.readouterr().out
    assert "survived: mim, scores negated" in text
    assert "survived: mim, order reversed" not in text  # the family promises a ranking by the scores


@pytest.mark.slow
def test_no_mutant_survives():
    found = mutants_of_methods.outcomes(definitions.methods())
    assert {one.method for one in found if one.changes} == set(definitions.methods())
    assert not [one for one in found if one.changes and not one.caught]
