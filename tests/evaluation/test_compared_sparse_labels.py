"""Comparisons on sparse labels: the scores of dense ones, to the last digit but for sums in another order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.evaluation.splitting import take_splits, three_parts
from mlreduce.evaluation.store import digest_of_data
from mlreduce.metrics import evaluate, propensities

DATA = mlreduce.load_dataset("planted-300")
SPARSE = replace(DATA, X=sp.csr_array(np.maximum(DATA.X - 0.5, 0)), Y=sp.csr_array(DATA.Y))
MEASURES = ["micro-f1", "hamming-loss", "instance-f1", "precision-at-3", "ndcg-at-5", "psp-at-3", "psndcg-at-1"]


def _compared(data, **options):
    methods = options.pop("methods", ["mvmd", "pca", "chi2", "all-features"])
    given = {"predictors": ["ridge", "ml-knn"], "measures": MEASURES, "cv": 3, "sizes": [20, 50]}
    return mlreduce.compare(data, methods=methods, **given | options)


def test_a_comparison_is_that_of_dense_labels():
    dense, sparse = (_compared(data) for data in (replace(SPARSE, Y=DATA.Y), SPARSE))
    assert not len(sparse.failures)
    assert set(MEASURES) <= set(sparse.scores["measure"])
    pd.testing.assert_frame_equal(sparse.scores, dense.scores, rtol=1e-9)


def test_propensities_are_those_of_the_training_rows():
    rows = [(np.arange(200), np.arange(200, 300))]
    found = _compared(
        DATA, methods=["all-features"], predictors=["ml-knn"], cv=rows, measures=["psp-at-5"], scaling="none"
    )
    model = mlreduce.MLKNN().fit(DATA.X[:200], DATA.Y[:200])
    expected = evaluate(
        "psp-at-5", DATA.Y[200:], model.predict_scores(DATA.X[200:]), propensity=propensities(DATA.Y[:200])
    )
    assert found.scores["value"].tolist() == [expected]


def test_labels_given_sparse_stay_so(tmp_path):
    first = mlreduce.compare(SPARSE.X, SPARSE.Y, methods=["mvmd"], predictors=["ridge"], cv=2, store=tmp_path)
    again = mlreduce.compare(SPARSE.X, SPARSE.Y, methods=["mvmd"], predictors=["ridge"], cv=2, store=tmp_path)
    pd.testing.assert_frame_equal(first.scores, again.scores)
    assert digest_of_data(SPARSE) == digest_of_data(replace(SPARSE, Y=SPARSE.Y.copy()))
    other = SPARSE.Y.copy()
    other.indices[:1] = (set(range(12)) - set(other.indices[: other.indptr[1]].tolist())).pop()
    other.sort_indices()
    assert digest_of_data(SPARSE) != digest_of_data(replace(SPARSE, Y=other))


@pytest.mark.parametrize(
    "protocol", [{"train": 0.7}, {"folds": 5}, {"folds": 5, "stratify": "second"}, {"parts": "test"}]
)
def test_splits_are_those_of_dense_labels(protocol):
    dense, sparse = (take_splits(Y, protocol, range(2), 0, "planted") for Y in (DATA.Y, SPARSE.Y))
    for number in dense:
        for own, theirs in zip(dense[number], sparse[number], strict=True):
            np.testing.assert_array_equal(own, theirs)


def test_three_parts_of_too_many_labels_are_refused():
    huge = sp.csr_array((10**6, 10**9), dtype=np.int8)
    with pytest.raises(mlreduce.exceptions.DataError, match="dealing rows to three parts by their labels needs about"):
        three_parts(huge, np.random.default_rng(0))
