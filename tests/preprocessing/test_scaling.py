from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.view import normalise
from mlreduce.exceptions import DataError
from mlreduce.preprocessing.scaling import SCALINGS, scale_parts
from mlreduce.validation import as_dense


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_standard_scaling_uses_the_training_rows(kind, rng):
    X = rng.random((30, 4)) * [1, 5, 0, 9] + [0, 1, 3, -4]
    train, test, kept = scale_parts(kind(X[:20]), kind(X[20:]), "standard")
    np.testing.assert_array_equal(kept, [0, 1, 3])  # a constant column is dropped
    mean, deviation = X[:20, kept].mean(axis=0), X[:20, kept].std(axis=0)
    np.testing.assert_allclose(train, (X[:20, kept] - mean) / deviation, atol=1e-12)
    np.testing.assert_allclose(test, (X[20:, kept] - mean) / deviation, atol=1e-12)


def test_no_scaling_and_what_cannot_be_scaled(rng):
    X = rng.random((5, 2))
    train, test, kept = scale_parts(X, X[:2], "none")
    assert train is X
    assert (test.shape, kept.tolist()) == ((2, 2), [0, 1])
    with pytest.raises(DataError, match="unknown scaling 'standart'; did you mean 'standard'"):
        scale_parts(X, X, "standart")
    with pytest.raises(DataError, match="no feature varies in the training rows"):
        scale_parts(np.ones((3, 2)), X, "standard")


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_unit_scaling_goes_from_the_smallest_to_the_largest_training_value(rng, kind):
    X = np.column_stack([rng.normal(size=(30, 3)) * [1, 10, 100] + 5, np.full(30, 2.0)])
    X[25, 3] = 7.0  # varies among the test rows alone
    train, test, kept = scale_parts(kind(X[:20]), kind(X[20:]), "unit")
    assert kept.tolist() == [0, 1, 2]
    np.testing.assert_allclose(train.min(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(train.max(axis=0), 1)
    low, high = X[:20, :3].min(axis=0), X[:20, :3].max(axis=0)
    np.testing.assert_allclose(test, (X[20:, :3] - low) / (high - low))


@pytest.mark.parametrize("scaling", SCALINGS)
def test_a_split_is_normalised_by_its_training_rows_alone(scaling):
    data = planted(n_samples=40, n_features=5, n_labels=4, n_latent=2, n_distractors=1).data
    data = replace(data, X=np.abs(data.X))  # tf-idf takes counts
    split = Split(np.arange(30), np.arange(30, 40))
    others = replace(data, X=np.vstack([data.X[:30], 9.0 + data.X[30:] ** 2]))
    first, second = (normalise(own, split, scaling) for own in (data, others))
    np.testing.assert_array_equal(as_dense(first.train), as_dense(second.train))
    np.testing.assert_array_equal(first.columns, second.columns)
    assert (as_dense(first.test) != as_dense(second.test)).any()
