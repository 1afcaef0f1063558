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


#: Both storages, more and fewer features than instances, more labels than features, fewer directions than there are.
CASES = ("tall", "wide, sparse", "wide, many labels", "few")


def check(name, cases, **options):
    """Check a method in some cases, and name the case of what is wrong."""
    for case in cases:
        try:
            definitions.check(name, case, **options)
        except Exception as error:
            error.add_note(f"in the case {case!r}, {options or 'seed 7'}")
            raise


@every
@pytest.mark.rotating
def test_what_is_fitted_is_right(name):
    check(name, CASES)


@pytest.mark.parametrize("name", [n for n in METHODS if registry.kind_of(n) in UNKNOWN and takes_unknown(n)])
@pytest.mark.rotating
def test_it_is_right_where_labels_are_unknown(name):
    check(name, ["tall"], seed=7, data="cells")
    check(name, ["wide, sparse"], seed=8, data="cells")


@every
@pytest.mark.slow
def test_it_is_right_on_other_problems(name):
    check(name, [case for case in definitions.CASES if case not in CASES])
    for seed in (1, 2, 3):
        check(name, definitions.CASES, seed=seed)
    if registry.kind_of(name) in UNKNOWN and takes_unknown(name):
        check(name, ["tall"], seed=8, data="cells")
        check(name, ["wide, sparse"], seed=7, data="cells")
