"""Habits of scikit-learn's and pandas' users: precision, ``set_output``, wrong parameters, the table of methods."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from quick import quick

import mlreduce
from mlreduce.exceptions import DataError

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(24, 5))
Y = np.eye(3, dtype=int)[RNG.permutation(24) % 3]
REDUCERS = [
    name for family in ("projection", "embedding", "selection") for name in mlreduce.registry.method_names(family)
]


@pytest.mark.parametrize("name", REDUCERS)
@pytest.mark.rotating
def test_single_precision_comes_back(name):
    method = mlreduce.make(name, **quick(name))
    if "random_state" in method.get_params():
        method.set_params(random_state=0)
    single = X.astype(np.float32)
    expected = mlreduce.make(name, **method.get_params()).fit_transform(single.astype(np.float64), Y)
    for given in (single, pd.DataFrame(single), sp.csr_array(single)):
        found = method.fit_transform(given, Y)
        assert found.dtype == np.float32, type(given)
        if hasattr(method, "transform"):
            assert method.transform(given).dtype == np.float32
            assert method.transform(given.astype(np.float64)).dtype == np.float64
        if given is single:  # and nothing else has changed
            np.testing.assert_array_equal(found, expected.astype(np.float32))
    assert method.__sklearn_tags__().transformer_tags.preserves_dtype == ["float64", "float32"]


@pytest.mark.parametrize("name", mlreduce.registry.method_names("embedding"))
def test_embeddings_have_names_and_output(name):
    table = pd.DataFrame(X, index=[f"row {i}" for i in range(24)])
    method = mlreduce.make(name, n_components=2).set_output(transform="pandas")
    found = method.fit_transform(table, Y)
    assert found.columns.tolist() == method.get_feature_names_out().tolist()
    assert found.index.equals(table.index)
    np.testing.assert_array_equal(found, method.embedding_)


@pytest.mark.parametrize("name", ["mlda", "lda-copy", "wmlda", "rcca", "mddmp"])
def test_what_does_not_vary_is_named(name):
    """Two labels of the same instances, or one of all, tell nothing of features that vary."""
    same = np.ones((24, 2), dtype=int)
    with pytest.raises(DataError, match="the labels do not vary with the features$"):
        mlreduce.make(name).fit(X, same)
    with pytest.raises(DataError, match="the features do not vary$"):
        mlreduce.make(name).fit(np.ones((24, 5)), Y)
