"""What PMU and QPFS compute: counted in the table beside docs/deviations.md, and one at a time in a study."""

from __future__ import annotations

import importlib.util
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mlreduce
from mlreduce_studies.experiments.joint_entropies import ApproximateQPFSByEntropies, PMUByEntropies

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def deviations():
    spec = importlib.util.spec_from_file_location("deviations", PROJECT / "benchmarks" / "deviations.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_informations_are_those_of_all_pairs_and_triples(deviations):
    cells = deviations.informations().set_index("dataset").loc["emotions"]
    features, labels = range(72), range(6)
    relevance = list(product(features, labels))
    of_features = list(product(combinations(features, 2), labels))
    of_labels = list(product(features, combinations(labels, 2)))
    assert cells["pmu"] == len(relevance) + len(of_features) + len(of_labels)
    assert cells["qpfs"] == len(relevance) + len(list(combinations_with_replacement(features, 2)))
    assert cells["qpfs_approx"] == len(relevance) + len(list(product(features[: 72 // 5], features)))
    assert cells["pmu_ratio"] == pytest.approx(cells["pmu"] / cells["qpfs_approx"])
    once = 72 + 6 + len(relevance)
    with_selected = {frozenset(pair) for pair in product(range(50 - 1), features)}  # a feature with itself, too
    pairs_of_labels = len(list(combinations(labels, 2)))
    assert cells["pmu_entropies"] == once + pairs_of_labels + len(of_labels) + 2 * 6 * len(with_selected)
    with_sampled = {frozenset(pair) for pair in product(range(72 // 5), features)}
    assert cells["qpfs_approx_entropies"] == once + len([pair for pair in with_sampled if len(pair) == 2])
    assert cells["printed_pmu_time_ratio"] == pytest.approx(15.9882 / 1.2816)


def test_the_committed_table_is_the_one_that_is_made(deviations):
    committed = pd.read_csv(PROJECT / "docs" / "deviations" / "pmu-informations.csv")
    pd.testing.assert_frame_equal(committed, deviations.informations(), rtol=5e-3)


def test_pmu_by_entropies_is_pmu_and_computes_as_often_as_the_published_program():
    data = mlreduce.load_dataset("digits-300")
    labels, number = data.Y[:, :4], 12
    fitted = PMUByEntropies(number).fit(data.X, labels)
    same = mlreduce.PMU(number).fit(data.X, labels)
    np.testing.assert_array_equal(fitted.ranking_, same.ranking_)
    np.testing.assert_allclose(fitted.gains_, same.gains_, atol=1e-9)
    d, q = fitted.n_informative_, 4
    # Entropies of single columns, features with labels, pairs of labels, and features with these.
    once = d + q + len(list(product(range(d), range(q)))) + len(list(combinations(range(q), 2))) * (1 + d)
    # A loop over all features for each feature selected but the last; what is stored for a pair is not computed again.
    selected, varying = np.argsort(fitted.ranking_)[: number - 1], np.flatnonzero(data.X.std(axis=0))
    pairs = {frozenset((feature, other)) for other in selected.tolist() for feature in varying.tolist()}
    assert fitted.n_entropies_ == once + 2 * q * len(pairs)


def test_approximate_qpfs_by_entropies_is_approximate_qpfs_and_computes_each_entropy_once():
    data = mlreduce.load_dataset("digits-300")
    fitted = ApproximateQPFSByEntropies(random_state=3).fit(data.X, data.Y)
    same = mlreduce.ApproximateQPFS(random_state=3).fit(data.X, data.Y)
    np.testing.assert_array_equal(fitted.ranking_, same.ranking_)
    np.testing.assert_allclose(fitted.dependency_, same.dependency_, atol=1e-12)
    d, q = fitted.n_informative_, data.Y.shape[1]
    varying = np.flatnonzero(data.X.std(axis=0)).tolist()
    pairs = {frozenset((feature, other)) for other in fitted.sampled_.tolist() for feature in varying}
    assert fitted.n_entropies_ == d + q + d * q + len([pair for pair in pairs if len(pair) == 2])


def test_few_features_are_all_ranked():
    X = np.random.default_rng(0).normal(size=(40, 5))
    assert sorted(PMUByEntropies().fit(X, X[:, :2] > 0).ranking_) == [1, 2, 3, 4, 5]
