"""Every registered method against its definition, on small problems: tests/definitions says what a definition is."""

from __future__ import annotations

import definitions
import pytest

import mlreduce

METHODS = mlreduce.list_methods()

if missing := definitions.complaints(METHODS):
    raise pytest.Collector.CollectError("\n".join(missing))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("case", definitions.CASES)
def test_what_is_fitted_is_right(name, case):
    definitions.check(name, case)
