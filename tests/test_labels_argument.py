"""The second argument of ``fit`` is called ``y``, as in scikit-learn, and takes labels in several forms."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce import registry
from mlreduce.datasets.embedded import planted
from mlreduce.exceptions import DataError
from mlreduce.predictors import FisherClassifier
from mlreduce.validation import as_dense

DATA = planted(n_samples=40, n_features=8, n_labels=4, n_latent=3, n_distractors=1, random_state=0).data
CLASSES = [getattr(mlreduce, name) for name in registry.class_names()]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_labels_are_the_argument_y(cls):
    for name in ("fit", "fit_transform"):
        if hasattr(cls, name):
            assert list(inspect.signature(getattr(cls, name)).parameters)[1:3] == ["X", "y"]


SETS = [
    [{"a"}, {"a", "b"}],
    [["a"], ["a", "b"]],
    [("a",), ("b",)],
    [[0], [0, 1]],
    [set(), {1}],
    [["a", "b"], ["b", "c"]],
]


@pytest.mark.parametrize("sets", SETS, ids=["sets", "lists", "tuples", "numbers", "one empty", "same lengths"])
@pytest.mark.parametrize("name", ["mlfs", "mvmd", "ssfda", "smse1"])
def test_label_sets_name_what_makes_a_matrix_of_them(name, sets):
    with pytest.raises(DataError, match="MultiLabelBinarizer"):
        mlreduce.make(name).fit(np.arange(6.0).reshape(2, 3), sets)


@pytest.mark.parametrize("sets", [[{"a"}, {"b"}], [["a"], ["a", "b"]]])
def test_label_sets_are_no_classes(sets):
    with pytest.raises(DataError, match="MultiLabelBinarizer"):
        mlreduce.FDA().fit(np.arange(6.0).reshape(2, 3), sets)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array, pd.DataFrame, np.ndarray.tolist])
@pytest.mark.parametrize(
    "values", [lambda Y: Y, lambda Y: Y.astype(bool), lambda Y: 2 * Y - 1], ids=["01", "bool", "signs"]
)
def test_forms_of_labels(form, values):
    labels = form(values(np.asarray(DATA.Y, dtype=np.int64)))
    found = FisherClassifier().fit(DATA.X, labels).predict(DATA.X)
    assert isinstance(found, sp.csr_array) == sp.issparse(labels)
    np.testing.assert_array_equal(as_dense(found), FisherClassifier().fit(DATA.X, DATA.Y).predict(DATA.X))
