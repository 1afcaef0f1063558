"""What papers/qpfs-lowrank-2016/claims.yaml proves or calls false by algebra, computed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mlreduce import load_dataset
from mlreduce.preprocessing.discretisation import discretise
from mlreduce.selection.information import mutual_information
from mlreduce.selection.qpfs import approximate_dependency, approximation_error
from mlreduce_studies.experiments.joint_entropies import ApproximateQPFSByEntropies

METHODS = ("average", "nystrom", "half-nystrom")


@pytest.fixture(scope="module")
def dependency():
    """Mutual information of features in three bins."""
    data = load_dataset("planted-300")
    return mutual_information(discretise(data.X, data.Y.astype(float), "equal-width", 3))


@pytest.fixture(scope="module")
def cells(dependency):
    """H_1, I_1i, I_1j, I_ij and the three approximations of it, for each sampled feature and pair of others."""
    found = []
    for one in range(len(dependency)):
        filled = [approximate_dependency(dependency[[one]], [one], method) for method in METHODS]
        i, j = np.array(list(combinations(np.delete(np.arange(len(dependency)), one), 2))).T
        ends = np.full(len(i), dependency[one, one]), dependency[one, i], dependency[one, j]
        found.append([*ends, dependency[i, j], *(whole[i, j] for whole in filled)])
    return np.hstack(found)


def pairs_computed(n_features, sampling):
    """Return how many joint entropies of two features were computed, of a sample with all."""
    rng = np.random.default_rng(n_features)
    X, Y = rng.integers(0, 3, (30, n_features)).astype(float), np.tile([[1, 0, 1], [0, 1, 1], [0, 0, 0]], (10, 1))
    fitted = ApproximateQPFSByEntropies(sampling=sampling, random_state=0).fit(X, Y)
    return fitted.n_entropies_ - n_features - 3 - 3 * n_features, len(fitted.sampled_)


def test_rows_of_a_sample_leave_out_the_pairs_of_the_others():
    for n in (5, 10, 40):
        computed, sampled = pairs_computed(n, 0.2)
        assert computed == sampled * (sampled - 1) / 2 + sampled * (n - sampled)
        assert n * (n - 1) / 2 - computed == (n - sampled) * (n - sampled - 1) / 2 > 0
    assert computed / (n * (n - 1) / 2) == pytest.approx(0.36, abs=0.02)


def test_the_number_of_dependencies_is_quadratic():
    counts = [pairs_computed(n, 1.0)[0] for n in range(2, 21)]
    assert set(np.diff(counts, 2)) == {1}
    assert counts == [n * (n - 1) / 2 for n in range(2, 21)]


def test_a_matrix_of_mutual_information_may_have_a_negative_eigenvalue():
    features = ("1211110001", "1102111010", "1101110200", "1022110102", "2111221211")
    bins = np.array([list(map(int, digits)) for digits in features]).T

    def entropy(*columns):
        shares = np.unique(bins[:, columns], axis=0, return_counts=True)[1] / len(bins)
        return -(shares * np.log(shares)).sum()

    by_definition = np.array([[entropy(i) + entropy(j) - entropy(i, j) for j in range(5)] for i in range(5)])
    np.testing.assert_allclose(mutual_information(bins), by_definition, atol=1e-14)
    assert np.linalg.eigvalsh(by_definition)[0] == pytest.approx(-0.027, abs=5e-4)


def test_the_average_from_one_sampled_feature(cells):
    _, one, other, truth, average, *_ = cells
    np.testing.assert_allclose(average, (one + other) / 2, rtol=1e-12)
    of_one = approximation_error(truth[:1], average[:1])
    assert np.sqrt(of_one) == pytest.approx(abs(truth[0] - (one[0] + other[0]) / 2), rel=1e-9)


def test_nystrom_from_one_sampled_feature(dependency):
    for one in range(len(dependency)):
        others = np.delete(np.arange(len(dependency)), one)
        block = dependency[[one]][:, others]
        filled = approximate_dependency(dependency[[one]], [one], "nystrom")[np.ix_(others, others)]
        np.testing.assert_allclose(filled, block.T @ block / dependency[one, one], rtol=1e-12)


def test_proposition_3_halves_proposition_2(cells):
    bins = np.random.default_rng(0).integers(0, 3, (30, 1))
    shares = np.bincount(bins[:, 0]) / len(bins)  # the joint distribution of a feature with itself, too
    assert mutual_information(np.hstack([bins, bins]))[0, 1] == pytest.approx(-(shares * np.log(shares)).sum())
    entropy, one, other, _, _, nystrom, half = cells
    np.testing.assert_allclose(half, one * other / (2 * entropy), rtol=1e-12)
    np.testing.assert_allclose(nystrom, 2 * half, rtol=1e-12)
    assert (half > 0).any()


def test_theorem_1_for_half_of_nystrom(cells):
    rng = np.random.default_rng(0)
    entropies = rng.uniform(0.1, 3, 20_000)
    one, other = entropies * rng.random((2, 20_000))
    any_numbers = [3 * rng.random(20_000), (one + other) / 2, one, one * other / (2 * entropies)]
    found = [cells, np.array([entropies, one, other, *any_numbers])]
    for _, one, other, truth, average, _, half in found:
        p, signed = (one + other) / 2, (average - half) * (2 * truth - half - average)
        errors = np.square(truth - half) - np.square(truth - average)
        np.testing.assert_allclose(errors, signed, atol=1e-12)
        assert (half <= p / 2 + 1e-12).all()
        holds = 8 * truth >= 3 * (one + other)
        assert 0 < holds.mean() < 1
        assert (errors[holds] >= -1e-12).all()
        assert (errors[~holds] < 0).any()


def test_theorem_1_fails_for_the_whole_of_nystrom():
    one = np.repeat([0, 1, 2, 3], 6)
    other = np.minimum(one, 2)  # shares most of the entropy
    matrix = mutual_information(np.column_stack([one, one, other]))
    assert 3 / 5 * matrix[0, 0] < matrix[0, 2] < matrix[0, 0]
    assert 8 * matrix[1, 2] >= 3 * (matrix[0, 1] + matrix[0, 2])
    average, nystrom = (approximate_dependency(matrix[[0]], [0], method)[1, 2] for method in METHODS[:2])
    assert nystrom == pytest.approx(matrix[1, 2], rel=1e-12)
    assert average - matrix[1, 2] == pytest.approx((matrix[0, 0] - matrix[0, 2]) / 2, rel=1e-12)


def test_three_quarters_of_the_larger_meet_the_condition():
    one, other, truth = np.random.default_rng(0).random((3, 20_000))
    exceeds = truth > 3 / 4 * np.maximum(one, other)
    holds = 8 * truth >= 3 * (one + other)
    assert holds[exceeds].all()
    assert 0 < exceeds.sum() < holds.sum() < len(holds)
