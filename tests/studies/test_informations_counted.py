"""The table beside docs/deviations.md that counts what PMU and QPFS compute."""

from __future__ import annotations

import importlib.util
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path

import pandas as pd
import pytest

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
    assert cells["printed_pmu_time_ratio"] == pytest.approx(15.9882 / 1.2816)


def test_the_committed_table_is_the_one_that_is_made(deviations):
    committed = pd.read_csv(PROJECT / "docs" / "deviations" / "pmu-informations.csv")
    pd.testing.assert_frame_equal(committed, deviations.informations(), rtol=5e-3)
