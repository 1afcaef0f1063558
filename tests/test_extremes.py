"""No finite number ends the interpreter: each gives a sentence or a finite result, and no warning of numbers."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from extremes import CASES, CELLS, FORMS, VARIANTS, Worker, ordinary, takes
from quick import KINDS, of_many

import mlreduce
from mlreduce import commandline
from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import distance_unit
from mlreduce.spectral.graphs.neighbours import weights_from
from mlreduce.spectral.graphs.search import nearest_others
from mlreduce.validation import LARGEST, SMALLEST, check_finite

EVERY = [*mlreduce.registry.method_names(), *VARIANTS]
#: What ended the interpreter, or failed in compiled code: neighbours by distances that are no numbers.
FATAL = ["cell 1.79769e+308", "all times 1e+155", "all times 1e-155", "rows 1, 1e-160"]
#: What was infinite in the precision of the features.
INFINITE = ["float32 near its end"]


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
    cases = [*FATAL, *INFINITE]
    assert faults(worker, name, cases if name in KINDS or name in VARIANTS else [of_many(name, cases)], ["dense"]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_every_extreme_in_every_form(worker, name):
    assert faults(worker, name, [case for case in CASES if takes(name, case)], FORMS) == []


def awkward(form, value, column=2, row=3):
    X = np.ones((6, 4))
    X[row, column] = value
    return form(X)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("value", [LARGEST * 1.001, -1e300, np.finfo(float).max])
def test_the_cell_is_named(form, value):
    X = awkward(form, value)
    for training in (False, True):
        with pytest.raises(
            DataError, match=re.escape(f"X holds {value:g} in column 2, row 3, and 0 more such value(s)")
        ):
            check_finite(X, training=training)
    X = X + form(1e80 * np.eye(6, 4))  # of columns the first, of its rows the first
    with pytest.raises(DataError, match=r"it holds 1e\+80 in column 0 \('a'\), row 0, and 4 more such value"):
        check_finite(X, list("abcd"), "it")
    X[5, 3] = np.inf
    with pytest.raises(DataError, match="X contains infinity in column 3, row 5, and 0 more such"):
        check_finite(X)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_numbers_at_the_bounds_are_taken(form):
    for value in (LARGEST, -LARGEST, SMALLEST, 5e-324, 0.0):
        check_finite(awkward(form, value), training=True)
    nearly = np.ones((3, 2)) * [1.0, SMALLEST]
    check_finite(form(nearly), training=True)
    check_finite(form(np.zeros((3, 2))), training=True)
    nearly[:, 1] *= -0.999
    check_finite(form(nearly))
    with pytest.raises(
        DataError, match=r"X holds nothing beyond 9.99e-101 in column 1 \('b'\), and is as small in 0 more"
    ):
        check_finite(form(nearly), ["a", "b"], training=True)


def test_every_array_of_numbers_is_checked():
    X, y, _ = ordinary("ridge")
    table, targets = pd.DataFrame(X).add_prefix("f"), pd.DataFrame(y * 1.0).add_prefix("t")
    table.iloc[3, 2] = targets.iloc[4, 1] = 1e300
    pca = mlreduce.PCA(n_components=2).fit(X)
    for call, said in (
        (lambda: mlreduce.RidgeRegressor().fit(table, y), r"X holds 1e\+300 in column 2 \('f2'\), row 3"),
        (lambda: mlreduce.RidgeRegressor().fit(X, targets), r"y holds 1e\+300 in column 1 \('t1'\), row 4"),
        (lambda: mlreduce.RidgeRegressor().fit(X, targets["t1"]), r"y holds 1e\+300 in column 0, row 4"),
        (lambda: mlreduce.RidgeRegressor().fit(X, y, np.full(24, 1e300)), r"the largest of 1e-100 to 1e\+70"),
        (lambda: mlreduce.RidgeRegressor().fit(X, y, np.full(24, 1e-300)), r"the largest of 1e-100 to 1e\+70"),
        (lambda: pca.transform(table.to_numpy()), r"X holds 1e\+300 in column 2, row 3"),
        (lambda: pca.inverse_transform([[0.0, 1e300]]), r"Z holds 1e\+300 in column 1, row 0"),
        (lambda: mlreduce.PLST().fit(None, y).decode([[0.0, np.nan]]), "codes contains NaN in column 1, row 0"),
        (lambda: mlreduce.compare(table, y), r"X holds 1e\+300 in column 2 \('f2'\), row 3"),
        (lambda: mlreduce.recommend(table, y), r"X holds 1e\+300 in column 2 \('f2'\), row 3"),
        (lambda: mlreduce.compare(1e-200 * X, y), "X holds nothing beyond .* in column 0, and is as small in 4 more"),
    ):
        with pytest.raises(DataError, match=said):
            call()


@pytest.mark.parametrize(
    "command", ["reduce --method lpp -o out.csv", "reduce --method isomap -o out.csv", "compare -o out"]
)
def test_commands_name_the_column_of_a_file(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, y, _ = ordinary("lpp")
    X[3, 2] = np.finfo(float).max
    pd.DataFrame(np.c_[X, y], columns=list("abcdeuvw")).to_csv("given.csv", index=False)
    verb, *options = command.split()
    assert commandline.main([verb, "given.csv", "--labels", "3", *options]) == 1
    said = capsys.readouterr().err
    assert "given holds 1.79769e+308 in column 2 ('c'), row 3" in said
    assert len(said.splitlines()) <= 10
    assert [path.name for path in tmp_path.iterdir()] == ["given.csv"]


def test_searches_return_no_index_that_is_none():
    distances, rows = np.ones((4, 4)), slice(0, 4)
    distances[2] = np.nan
    ties, order = np.zeros((4, 4)), np.arange(4)
    for more in ((), (ties, order)):
        with pytest.raises(DataError, match="are NaN or infinite"):
            nearest_others(distances, rows, 2, *more)
    distances[2] = np.inf
    with pytest.raises(DataError, match="are NaN or infinite"):
        nearest_others(distances, rows, 2)
    assert set(nearest_others(distances, rows, 2, ties, order)[2]) < {0, 1, 3}


@pytest.mark.parametrize("largest", [1e-300, 5e-324, 1e300, np.inf, np.nan])
def test_distances_beyond_the_range_are_refused(largest):
    with pytest.raises(DataError, match="of which no distances can be computed"):
        distance_unit(np.array([0.0, largest]))


@pytest.mark.rotating
def test_neighbours_nearer_than_squares_can_tell_count_alike():
    X = np.array([[0.0, 0.0], [1e-160, 0.0], [0.0, 3e-160], [1.0, 1.0]])
    weights = weights_from(X, np.array([0]), np.array([[1, 2]]), 1e-3)
    np.testing.assert_allclose(weights, 0.5)
