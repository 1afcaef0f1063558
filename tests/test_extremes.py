"""No finite number ends the interpreter: each gives a sentence or a finite result, and no warning of numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from extremes import CASES, CELLS, FORMS, VARIANTS, Worker, ordinary, takes

import mlreduce
from mlreduce import commandline
from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import distance_unit
from mlreduce.spectral.graphs.search import nearest_others
from mlreduce.validation import LARGEST, SMALLEST, check_finite

EVERY = [*mlreduce.list_methods(), *VARIANTS]
#: What ended the interpreter, or failed in compiled code: neighbours by distances that are no numbers.
FATAL = ["cell 1.79769e+308", "all times 1e+155", "all times 1e-155", "rows 1, 1e-160"]


@pytest.fixture(scope="module")
def worker():
    own = Worker()
    yield own
    own.close()


def faults(worker, name, cases, forms):
    """What is wrong with a method, each with its case."""
    found = []
    for form in forms:
        worker.ask(name, "ordinary", form)
        for case in cases:
            sentences, wrong = worker.ask(name, case, form)
            found += [f"{case}, {form}: {one}" for one in wrong]
            if case in CELLS and "column 2, row 3" not in sentences.get("fit", ""):
                found += [f"{case}, {form}: the cell is not named: {sentences}"]
            found += [f"{case}: {said}" for said in sentences.values() if len(said) > 400]
    return found


@pytest.mark.parametrize("name", EVERY)
def test_no_finite_number_ends_the_interpreter(worker, name):
    assert faults(worker, name, FATAL, ["dense"]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_every_extreme_in_every_form(worker, name):
    assert faults(worker, name, [case for case in CASES if takes(name, case)], FORMS) == []
