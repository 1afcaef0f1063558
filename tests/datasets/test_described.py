"""Lists of data sets, their statistics, and other forms of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.datasets import MultiLabelData


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_statistics_by_hand(form):
    X = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0], [0.0, 3.0]])
    Y = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 0, 0]], dtype=np.int8)
    data = MultiLabelData(form(X), Y, ["a", "b"], ["x", "y", "z"], "mine")
    assert data.describe() == {
        "instances": 4,
        "features": 2,
        "labels": 3,
        "cardinality": 1.0,
        "density": pytest.approx(1 / 3),
        "label_sets": 3,
        "unlabelled": 0.25,
        "mean_imbalance": 2.0,  # of 1 and 3; nobody has z
        "zeros": 0.625,
    }
    features, labels = data.as_frame()
    pd.testing.assert_frame_equal(
        pd.DataFrame(np.asarray(features), columns=["a", "b"]), pd.DataFrame(X, columns=["a", "b"])
    )
    pd.testing.assert_frame_equal(labels, pd.DataFrame(Y, columns=["x", "y", "z"]))
    np.testing.assert_array_equal(mlreduce.PCA(1).fit(features).components_, mlreduce.PCA(1).fit(X).components_)


def test_forms_of_a_data_set():
    data = mlreduce.load_dataset("digits-300")
    X, Y = mlreduce.load_dataset("digits-300", return_X_y=True)
    np.testing.assert_array_equal(X, data.X)
    np.testing.assert_array_equal(Y, data.Y)
    features, labels = mlreduce.load_dataset("digits-300", as_frame=True)
    assert (list(features.columns), list(labels.columns)) == (list(data.feature_names), list(data.label_names))


def test_the_list_says_what_the_data_are():
    table = mlreduce.list_datasets()
    assert {"yeast", "bibtex", "digits"} <= set(table.index)
    assert table.loc["yeast", ["instances", "attributes", "labels", "files"]].tolist() == [2417, 103, 14, 2]
    for name in ("digits", "digits-300", "planted-300"):
        own = mlreduce.load_dataset(name).describe()
        assert own["instances"] == table.loc[name, "instances"]
        assert own["labels"] == table.loc[name, "labels"]
