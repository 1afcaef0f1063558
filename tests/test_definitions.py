"""Every registered method against its definition, on small problems: tests/definitions says what a definition is."""

from __future__ import annotations

import definitions
import pytest

from mlreduce import registry

METHODS = definitions.methods()

if missing := definitions.complaints(METHODS):
    raise pytest.Collector.CollectError("\n".join(missing))

#: Families whose methods say what they do with unknown labels by formulas that drop terms, or by labels filled in.
UNKNOWN = ("labelspace", "selection")


def takes_unknown(name):
    return registry.method_class(name).takes_unknown_cells


every = pytest.mark.parametrize("name", METHODS)


@every
@pytest.mark.parametrize("case", definitions.CASES)
def test_what_is_fitted_is_right(name, case):
    definitions.check(name, case)


@pytest.mark.parametrize("name", [n for n in METHODS if registry.kind_of(n) in UNKNOWN and takes_unknown(n)])
@pytest.mark.parametrize("case", ["tall", "wide, sparse"])
def test_it_is_right_where_labels_are_unknown(name, case):
    for seed in (7, 8):
        definitions.check(name, case, seed=seed, data="cells")


@every
@pytest.mark.slow
def test_it_is_right_on_other_problems(name):
    for seed in (1, 2, 3):
        for case in definitions.CASES:
            definitions.check(name, case, seed=seed)
