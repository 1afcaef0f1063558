"""The code on the page of a method runs, and what the page says of its limits is declared by the method."""

from __future__ import annotations

import contextlib
import io

import pytest

from mlreduce import registry
from mlreduce.methods.facts import facts_of
from mlreduce_studies.site.examples import ROWS, example_of, limits_of

# Some warn, as they should, of so few instances for so many features.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

NAMES = registry.method_names()
FIRST = [next(name for name in NAMES if registry.kind_of(name) == family) for family in registry.FAMILIES]


def printed(name):
    code = example_of(name)
    assert len(code.split("\n")) <= 6
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(code, name, "exec"), {})
    return output.getvalue()


@pytest.mark.parametrize("name", FIRST)
def test_the_example_of_a_family_runs(name):
    assert printed(name).startswith(f"({ROWS}, ")


@pytest.mark.slow  # 20 s, and more where loops are compiled
def test_the_example_of_every_method_runs():
    assert [name for name in NAMES if not printed(name).startswith(f"({ROWS}, ")] == []


def test_limits_are_those_that_the_method_declares():
    for name in NAMES:
        facts, said = facts_of(name), " ".join(limits_of(name))
        assert ("It needs labels." in said) == bool(facts.needs_labels), name
        assert ("one label." in said) == facts.single_label, name
        assert ("not be negative" in said) == (not facts.negative), name
        assert facts.cost in said, name
