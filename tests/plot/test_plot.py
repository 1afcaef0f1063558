"""Plots show the numbers they are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mlreduce
from mlreduce import plot
from mlreduce.exceptions import DataError
from mlreduce.reporting.figures.layout import pyplot


@pytest.fixture(autouse=True)
def _closed():
    plt = pyplot()  # for files instead of a screen
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data():
    return mlreduce.load_dataset("planted-300")


def texts(axis):
    return [text.get_text() for text in axis.texts]


def test_spectrum(data):
    projection = mlreduce.PCA().fit(data.X)
    axis = plot.spectrum(projection, share=0.9)
    heights = [bar.get_height() for bar in axis.patches]
    np.testing.assert_allclose(heights, projection.eigenvalues_[projection.eigenvalues_ > 0])
    shares = np.cumsum(heights) / np.sum(heights)
    assert f"{np.argmax(shares >= 0.9) + 1} hold 90%" in texts(axis.figure.axes[1])
    with pytest.raises(DataError, match="no positive eigenvalue"):
        plot.spectrum(mlreduce.make("ridge").fit(data.X, data.Y))


def test_label_map(data):
    Z = mlreduce.MDDMp(n_components=2).fit_transform(data.X, data.Y)
    axis = plot.label_map(Z, data.Y, label_names=data.label_names, n_sets=2)
    named = [text.get_text() for text in axis.get_legend().get_texts()]
    _, counts = np.unique(data.Y, axis=0, return_counts=True)
    most = sorted(counts, reverse=True)
    assert named[0] == f"{len(counts) - 2} other sets ({sum(most[2:])})"
    assert [int(name.rpartition("(")[2][:-1]) for name in named[1:]] == most[:2]
    assert sum(len(own.get_offsets()) for own in axis.collections) == len(Z)
    with pytest.raises(DataError, match="two columns"):
        plot.label_map(Z[:, :1], data.Y)


def test_label_cooccurrence():
    y = pd.DataFrame([[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1]], columns=["a", "b", "c"])
    image = plot.label_cooccurrence(y, order=False).images[0].get_array()
    np.testing.assert_allclose(image, [[1, 0.5, 0], [1, 1, 0], [0, 0, 1]])
    axis = plot.label_cooccurrence(y[["a", "c", "b"]])
    names = [text.get_text() for text in axis.get_xticklabels()]
    assert abs(names.index("a") - names.index("b")) == 1
    with pytest.raises(DataError, match="2 label names, but 3 labels"):
        plot.label_cooccurrence(y, label_names=["a", "b"])


def test_quality_against_size():
    rows = [
        (method, "ridge", "micro-f1", size, split, value + size / 100 + 0.1 * split)
        for method, value in (("good", 0.2), ("bad", 0.0))
        for size in (10, 50)
        for split in (0, 1)
    ]
    rows += [("all", "ridge", "micro-f1", 100, split, 0.3) for split in (0, 1)]
    scores = pd.DataFrame(rows, columns=["method", "predictor", "measure", "size_percent", "split", "value"])
    axis = plot.quality_against_size(scores)
    lines = {own.get_label(): own for own in axis.containers}
    np.testing.assert_allclose(lines["good"].lines[0].get_ydata().astype(float), [0.35, 0.75])
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["all", "good", "bad"]
    with pytest.raises(DataError, match="no scores of 'coverage'"):
        plot.quality_against_size(scores, "coverage")


def test_critical_differences():
    values = pd.DataFrame(np.arange(15.0).reshape(5, 3), columns=["a", "b", "c"])
    axis = plot.critical_differences(values)
    assert {" c (1.00) ", " b (2.00) ", " a (3.00) "} <= set(texts(axis))
    axis = plot.critical_differences(values, higher_is_better=False)
    assert " a (1.00) " in texts(axis)
    with pytest.raises(DataError, match="needs two data sets and three methods"):
        plot.critical_differences(values[["a", "b"]])


def test_model_tree(data):
    tree = mlreduce.make("m5p").fit(data.X, data.X[:, 0] * (data.X[:, 1] > 0))
    names = [f"a feature with a very long name {number}" for number in range(data.X.shape[1])]
    axis = plot.model_tree(tree, feature_names=names, max_depth=1)
    assert any("…" in text for text in texts(axis))
    with pytest.raises(DataError, match="output must be one of"):
        plot.model_tree(tree, output=3)
