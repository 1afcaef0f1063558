"""Ridge regression on all features is taken unless another candidate is clearly better."""

from __future__ import annotations

import numpy as np
import pytest

from mlreduce.auto.candidates import build_first
from mlreduce.auto.search import Record, Search
from mlreduce.auto.trials import FINISHED


def search_of(*values, status=FINISHED):
    """A search whose candidates have these values on five folds."""
    search = Search.__new__(Search)
    ridge, neighbours = build_first()
    search.records = [
        Record(candidate, place, dict(enumerate(given, 1)), status=status)
        for place, (candidate, given) in enumerate(zip((ridge, neighbours, neighbours), values, strict=False))
    ]
    search.counted = list(range(1, len(values[0]) + 1))
    search.folds = {number: (np.arange(4), np.arange(1)) for number in search.counted}
    return search


def order(search):
    return [record.place for record in search.preferred()]


RIDGE = [0.50, 0.60, 0.55, 0.52, 0.58]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([[0.60, 0.70, 0.66, 0.61, 0.69], RIDGE], [1, 0, 2]),  # better in every fold by as much
        ([[0.70, 0.50, 0.66, 0.45, 0.59], RIDGE], [0, 1, 2]),  # better in the mean, by chance
        ([[0.40, 0.50, 0.45, 0.41, 0.50], RIDGE], [0, 2, 1]),  # ridge regression is the best
        ([RIDGE, RIDGE], [0, 1, 2]),
    ],
)
def test_the_best_is_taken_where_it_is_better_by_more_than_the_error_of_the_difference(others, expected):
    assert order(search_of(RIDGE, *others)) == expected


def test_the_error_is_that_of_folds_whose_training_rows_overlap():
    """Five folds: sd * sqrt(1/5 + 1/4); a difference just above and below it."""
    spread = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    error = spread.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    for factor, expected in ((1.01, [1, 0]), (0.99, [0, 1])):
        other = list(np.array(RIDGE) + 0.01 * (factor * error + spread))
        assert order(search_of(RIDGE, other)) == expected


def test_one_fold_says_nothing_of_the_error_and_the_best_is_taken():
    assert order(search_of([0.5], [0.6])) == [1, 0]


def test_what_was_not_finished_is_not_taken():
    search = search_of(RIDGE, [0.9, 0.1, 0.9, 0.1, 0.9])
    search.records[0].values.pop(5)
    assert order(search) == [1]
