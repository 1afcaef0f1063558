"""Every registered method against its definition, on small problems: tests/definitions says what a definition is."""

from __future__ import annotations

import definitions
import pytest

METHODS = definitions.methods()

if missing := definitions.complaints(METHODS):
    raise pytest.Collector.CollectError("\n".join(missing))

every = pytest.mark.parametrize("name", METHODS)


@every
@pytest.mark.parametrize("case", definitions.CASES)
def test_what_is_fitted_is_right(name, case):
    definitions.check(name, case)


@every
@pytest.mark.slow
def test_it_is_right_on_other_problems(name):
    for seed in (1, 2, 3):
        for case in definitions.CASES:
            definitions.check(name, case, seed=seed)
