"""Coders of sparse labels in studies: fitted arrays, and labels decoded in blocks of rows."""

from __future__ import annotations

from functools import partial
from itertools import repeat

import numpy as np
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce import registry
from mlreduce.datasets import MultiLabelData
from mlreduce.evaluation.fitted_arrays import StoredArrays, restore, saved_arrays
from mlreduce.evaluation.label_space import LabelSpaceStrategy, _outcomes
from mlreduce.evaluation.splitting import split_rows
from mlreduce.evaluation.training import Training


def rounded(sizes):
    return repeat(None, len(sizes))


@pytest.mark.parametrize("name", ["br", "pbr", "plst", "cplst", "cs", "faie", "mlc-bmad"])
def test_predicted_labels_are_those_of_dense_ones(name, tmp_path, monkeypatch):
    planted = mlreduce.load_dataset("planted-300")
    split, methods = split_rows(np.random.default_rng(0).permutation(300), 0.7), {name: {}}
    monkeypatch.setattr("mlreduce.linalg.distances._BLOCK_BYTES", 8 * 12 * 40)
    predicted = []
    for form in (np.asarray, sp.csr_array):
        data = MultiLabelData(planted.X, form(planted.Y), planted.feature_names, planted.label_names, "mine")
        strategy, file = LabelSpaceStrategy(data), tmp_path / f"{form.__name__}.npz"
        with saved_arrays(file) as keep:
            for key, arrays in strategy.fit({0: split}, methods):
                keep(key, arrays)
        with StoredArrays(file) as stored:
            coder = restore(registry.make_entry(name, {}), stored["0", name])
        training = Training(mlreduce.RidgeRegressor(1.0), data, partial(getattr, strategy, "_design"))
        codes = training.predicted_codes(split, {name: coder}, {})[name]
        labels = data.Y[split.test].astype(float)
        outcomes = _outcomes(coder, data.Y[split.test], labels, codes, [6, 12], rounded)
        predicted.append([outcome.predicted for _, outcome in outcomes])
    for dense, sparse in zip(*predicted, strict=True):
        assert sparse.format == "csr"
        np.testing.assert_array_equal(sparse.toarray(), dense)
