"""Coders of sparse labels in studies: fitted arrays, and scores of labels decoded in blocks of rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.datasets import MultiLabelData
from mlreduce.evaluation.fitted_arrays import StoredArrays, saved_arrays
from mlreduce.evaluation.label_space import LabelSpaceStrategy
from mlreduce.evaluation.splitting import split_rows
from mlreduce.evaluation.strategy import Measured

METHODS = {
    name: {"n_components": 12} if name == "cssp" else {} for name in mlreduce.registry.method_names("labelspace")
}


@pytest.mark.parametrize("decision", ["half", "one-threshold"])
def test_scores_are_those_of_dense_labels(decision, tmp_path, monkeypatch):
    planted = mlreduce.load_dataset("planted-300")
    splits = {0: split_rows(np.random.default_rng(0).permutation(300), 0.7)}
    monkeypatch.setattr("mlreduce.linalg.distances._BLOCK_BYTES", 8 * 12 * 40)
    tables = []
    for form in (np.asarray, sp.csr_array):
        data = MultiLabelData(planted.X, form(planted.Y), planted.feature_names, planted.label_names, "mine")
        strategy, file = LabelSpaceStrategy(data), tmp_path / f"{form.__name__}.npz"
        with saved_arrays(file) as keep:
            for key, arrays in strategy.fit(splits, METHODS):
                keep(key, arrays)
        measured = Measured(["hamming-loss", "micro-f1"], [50, 100], decision=decision)
        with StoredArrays(file) as stored:
            tables.append(strategy.score(splits, stored, METHODS, ("ridge", {"alpha": 1.0}), measured))
    dense, sparse = tables
    assert len(dense) == 2 * (2 * len(METHODS) - 1)  # binary relevance has one size
    assert dense.equals(sparse)
