"""Errors of approximated dependencies, and the theorem counted pair by pair."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlreduce.datasets.embedded import planted
from mlreduce.selection.information import mutual_information
from mlreduce.selection.qpfs import approximate_dependency
from mlreduce_studies.experiments.approximation import (
    APPROXIMATION_COLUMNS,
    DEPENDENCY_COLUMNS,
    THEOREM_COLUMNS,
    approximation_errors,
    dependency,
    dependency_row,
    theorem_cells,
)
from mlreduce_studies.gathering.summary import mean_errors
from mlreduce_studies.study import approximations

METHODS = {"average": "average", "nystrom": "nystrom", "half": "half-nystrom"}


@pytest.fixture(scope="module")
def problem():
    data = planted(n_samples=80, n_features=9, n_labels=5).data
    return data, dependency(data, "equal-width", 3)


def run(problem, percents=(10, 50, 100), draws=4, seed=3):
    return approximation_errors(*problem, METHODS, percents, draws, seed)


def test_errors_are_those_of_filling_in_and_nothing_is_wrong_with_all_features(problem):
    _, matrix = problem
    errors = run(problem)
    assert tuple(errors.columns) == APPROXIMATION_COLUMNS
    assert len(errors) == 3 * 4 * 3
    assert set(errors["size"]) == {1, 4, 9}
    assert (errors.loc[errors["size"] == 9, "value"] < 1e-20).all()
    assert (errors.loc[errors["size"] < 9, "value"] > 0).all()
    # With one sampled feature the whole and the half of Nystrom's method are known in closed form.
    first = errors[(errors["size"] == 1) & (errors["draw"] == 0)].set_index("method")["value"]
    found = []
    for one in range(9):
        rest = np.delete(np.arange(9), one)
        outer = np.outer(matrix[one, rest], matrix[one, rest]) / matrix[one, one]
        truth = matrix[np.ix_(rest, rest)]
        wrong = [truth - np.add.outer(matrix[one, rest], matrix[one, rest]) / 2, truth - outer, truth - outer / 2]
        found.append([np.square(difference).sum() for difference in wrong])
    assert any(np.allclose(first[["average", "nystrom", "half"]], each) for each in found)


def test_draws_do_not_depend_on_their_number_or_the_other_sizes(problem):
    many, few = run(problem, draws=6), run(problem, percents=(50,), draws=2)
    keys = ["method", "size_percent", "draw"]
    both = few.merge(many, on=keys, suffixes=("", "_of_many"))
    assert len(both) == len(few)
    np.testing.assert_array_equal(both["value"], both["value_of_many"])
    assert many.groupby("draw")["value"].sum().nunique() == 6
    assert not np.array_equal(run(problem, seed=4)["value"], run(problem)["value"])


def test_means_are_over_the_draws(problem):
    errors = run(problem)
    table = mean_errors(errors).set_index(["method", "size_percent"])
    own = errors[(errors["method"] == "nystrom") & (errors["size_percent"] == 50)]["value"]
    cell = table.loc[("nystrom", 50)]
    assert (cell["mean"], cell["sd"]) == (pytest.approx(own.mean()), pytest.approx(own.std()))
    assert (cell["se"], cell["splits"]) == (pytest.approx(own.std() / 2), 4)
    assert (mean_errors(run(problem, draws=1))["se"] == 0).all()


@given(st.integers(0, 10_000), st.integers(3, 7), st.integers(2, 4))
def test_the_theorem_holds_and_its_cells_are_counted(seed, n_features, n_bins):
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, n_bins, (25, n_features))
    bins[:, 1] = np.where(rng.random(25) < 0.8, bins[:, 0], bins[:, 1])
    matrix = mutual_information(bins)
    counts = theorem_cells("d", matrix).set_index("nystrom")
    assert tuple(theorem_cells("d", matrix).columns) == THEOREM_COLUMNS
    assert (counts["better_where_it_holds"] == counts["holds"]).all()
    varying = [f for f in range(n_features) if matrix[f, f] > 0]
    expected = {"half": [0, 0], "whole": [0, 0]}
    cells = 0
    for sampled in varying:
        for i in varying:
            for j in varying:
                if i < j and sampled not in (i, j):
                    cells += 1
                    pair = [matrix[sampled, i], matrix[sampled, j]]
                    for form, divisor, holds in (
                        ("half", 2, 8 * matrix[i, j] >= 3 * sum(pair)),
                        ("whole", 1, 2 * matrix[i, j] >= sum(pair)),
                    ):
                        wrong = abs(matrix[i, j] - pair[0] * pair[1] / (divisor * matrix[sampled, sampled]))
                        better = abs(matrix[i, j] - sum(pair) / 2) <= wrong + 1e-12
                        expected[form][0] += bool(holds)
                        expected[form][1] += bool(better and not holds)
    assert (counts["cells"] == cells).all()
    for form, (holds, elsewhere) in expected.items():
        assert counts.loc[form, ["holds", "better_elsewhere"]].tolist() == [holds, elsewhere]


def test_half_of_nystroms_method_is_half_of_what_was_filled_in(problem):
    _, matrix = problem
    sampled, rest = np.array([1, 4]), np.array([0, 2, 3, 5, 6, 7, 8])
    whole, half = (approximate_dependency(matrix[sampled], sampled, name) for name in ("nystrom", "half-nystrom"))
    np.testing.assert_allclose(half[np.ix_(rest, rest)], whole[np.ix_(rest, rest)] / 2)
    np.testing.assert_array_equal(half[sampled], whole[sampled])
    pd.testing.assert_frame_equal(run((planted(n_samples=80, n_features=9, n_labels=5).data, matrix)), run(problem))


def test_bins_have_approximations_of_their_own():
    methods = {"average": "average", "half": "half-nystrom"}
    assert approximations({"methods": methods}) == {("equal-width", 3): methods}
    several = approximations({"methods": methods, "discretise": ["equal-width", "equal-frequency"], "n_bins": [3, 10]})
    assert list(several) == [(b, n) for b in ("equal-width", "equal-frequency") for n in (3, 10)]
    assert several["equal-width", 3] == methods
    assert several["equal-width", 10] == {"average-10-bins": "average", "half-10-bins": "half-nystrom"}
    assert several["equal-frequency", 3] == {"average-frequency": "average", "half-frequency": "half-nystrom"}
    assert list(several["equal-frequency", 10]) == ["average-frequency-10-bins", "half-frequency-10-bins"]


def test_dependencies_are_described():
    matrix = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 2.0], [0.0, 2.0, 1.0]])
    row = dependency_row("d", "laim", 3, matrix)
    assert tuple(row.columns) == DEPENDENCY_COLUMNS
    (cell,) = row.to_dict("records")
    values = np.linalg.eigvalsh(matrix)
    assert values[0] < 0 < values[1]
    assert (cell["smallest_eigenvalue"], cell["largest_eigenvalue"]) == pytest.approx((values[0], values[-1]))
    assert (cell["negative_eigenvalues"], cell["features"]) == (1, 3)
    assert (cell["mean_entropy"], cell["mean_dependency"]) == (pytest.approx(2), pytest.approx(1))
    singular = dependency_row("d", "laim", 3, np.ones((7, 7)))
    assert singular["negative_eigenvalues"].tolist() == [0]


def test_what_approximations_share_changes_nothing(problem):
    together = run(problem)
    for label, method in METHODS.items():
        alone = approximation_errors(*problem, {label: method}, (10, 50, 100), 4, 3)
        own = together[together["method"] == label].reset_index(drop=True)
        pd.testing.assert_frame_equal(own, alone, check_exact=True)
