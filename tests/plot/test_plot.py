"""Plots show the numbers they are given."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest

import mlreduce
from mlreduce import plot
from mlreduce.exceptions import DataError, MissingPackageError
from mlreduce.plot.layout import pyplot


@pytest.fixture(autouse=True)
def _closed():
    plt = pyplot()  # for files instead of a screen
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data():
    return mlreduce.load_dataset("planted-300")


@pytest.fixture
def ranks():
    return pd.DataFrame(np.arange(15.0).reshape(5, 3), columns=["a", "b", "c"])


@pytest.fixture
def pairs():
    rows = [("a", "b", 0.02, 3, 1, 1, 0.96, 0.03, 0.01), ("b", "a", -0.02, 1, 1, 3, 0.01, 0.03, 0.96),
            ("a", "c", 0.05, 5, 0, 0, 0.9, 0.1, 0.0), ("c", "a", -0.05, 0, 0, 5, 0.0, 0.1, 0.9)]  # fmt: skip
    columns = ["method", "than", "mean_difference", "wins", "ties", "losses", "better", "similar", "worse"]
    return pd.DataFrame(rows, columns=columns)


def every_plot(data, scores, ranks, pairs):
    """All functions of the package, with what they draw."""
    tree = mlreduce.make("m5p").fit(data.X, data.X[:, 0])
    return {
        "spectrum": (mlreduce.PCA().fit(data.X),),
        "label_map": (data.X, data.Y),
        "label_cooccurrence": (data.Y,),
        "quality_against_size": (scores,),
        "critical_differences": (ranks,),
        "comparison_matrix": (pairs,),
        "model_tree": (tree,),
        "features": (mlreduce.MLFS(k=3).fit(data.X, data.Y),),
    }


def test_each_draws_into_given_axes_and_says_what_is_missing(data, scores, ranks, pairs, monkeypatch):
    drawn = every_plot(data, scores, ranks, pairs)
    assert sorted(drawn) == sorted(plot.__all__)
    plt = pyplot()
    for name, arguments in drawn.items():
        given = plt.subplots()[1]
        assert getattr(plot, name)(*arguments, ax=given) is given
        assert given.has_data() or given.texts
        assert getattr(plot, name)(*arguments).figure is not given.figure
        plt.close("all")  # pyplot warns of many
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name, arguments in drawn.items():
        with pytest.raises(
            MissingPackageError, match=r"matplotlib, which is not installed: pip install .mlreduce\[plot\]"
        ):
            getattr(plot, name)(*arguments)


def test_critical_differences_say_what_is_missing(ranks, monkeypatch):
    monkeypatch.setitem(sys.modules, "scikit_posthocs", None)
    with pytest.raises(
        MissingPackageError, match=r"scikit_posthocs, which is not installed: pip install .mlreduce\[plot\]"
    ):
        plot.critical_differences(ranks)


def texts(axis):
    return [text.get_text() for text in axis.texts]


def test_spectrum(data):
    projection = mlreduce.PCA().fit(data.X)
    axis = plot.spectrum(projection, share=0.9)
    heights = [bar.get_height() for bar in axis.patches]
    np.testing.assert_allclose(heights, projection.eigenvalues_[projection.eigenvalues_ > 0])
    shares = np.cumsum(heights) / np.sum(heights)
    assert f"{np.argmax(shares >= 0.9) + 1} hold 90%" in texts(axis.figure.axes[1])
    with pytest.raises(DataError, match=r"share must be in \(0, 1\)"):
        plot.spectrum(projection, share=1)
    with pytest.raises(NotFittedError):
        plot.spectrum(mlreduce.PCA())
    with pytest.raises(DataError, match="no positive eigenvalue"):
        plot.spectrum(mlreduce.make("ridge").fit(data.X, data.Y))


def test_shares_of_a_spectrum_are_those_of_all_directions(data):
    every = mlreduce.PCA().fit(data.X).eigenvalues_
    part = mlreduce.PCA(n_components=3).fit(data.X)
    share = every[:3].sum() / every.sum()
    assert share < 0.95
    twin = plot.spectrum(part).figure.axes[1]
    assert f"3 hold {share:.0%}" in texts(twin)
    np.testing.assert_allclose(twin.lines[0].get_ydata()[-1], share)
    enough = int(np.argmax(np.cumsum(every) / every.sum() >= share / 2)) + 1
    assert f"{enough} hold {share / 2:.0%}" in texts(plot.spectrum(part, share=share / 2).figure.axes[1])
    # Where the sum of all is not known, the axis and the mark tell it.
    for method in (mlreduce.PLST(n_components=3).fit(None, data.Y), mlreduce.LPP(n_components=3).fit(data.X)):
        if (method.eigenvalues_ > 0).any():
            twin = plot.spectrum(method).figure.axes[1]
            assert twin.get_ylabel() == "share of the sum of these 3"
            assert any(text.endswith("hold 95% of these 3") for text in texts(twin))
    for method in (mlreduce.PLST().fit(None, data.Y), mlreduce.PLST(n_components=data.Y.shape[1]).fit(None, data.Y)):
        assert plot.spectrum(method).figure.axes[1].get_ylabel() == "share of the sum"


def test_features_of_a_selector_are_in_order(data):
    selector = mlreduce.MLFS(k=3).fit(data.X, data.Y)
    order = np.argsort(selector.ranking_)
    axis = plot.features(selector, number=5, feature_names=data.feature_names)
    np.testing.assert_allclose([bar.get_width() for bar in axis.patches], selector.scores_[order[:5]])
    assert [text.get_text() for text in axis.get_yticklabels()] == [data.feature_names[place] for place in order[:5]]
    assert len({bar.get_facecolor() for bar in axis.patches[:3]}) == 1
    assert axis.patches[2].get_facecolor() != axis.patches[3].get_facecolor()
    assert axis.get_title() == f"MLFS: 3 of {data.X.shape[1]} features selected"
    theirs = SelectKBest(k=2).fit(data.X, data.Y[:, 0])
    assert [text.get_text() for text in plot.features(theirs, number=2).get_yticklabels()] == [
        f"x{place}" for place in np.argsort(-theirs.scores_)[:2]
    ]


def test_features_of_several_selectors_have_shares_and_a_stability(data):
    folds = [mlreduce.MLFS(k=3).fit(data.X[rows], data.Y[rows]) for rows in np.array_split(np.arange(len(data.X)), 3)]
    kept = np.array([fold.get_support() for fold in folds])
    axis = plot.features(folds, number=kept.shape[1])
    assert [bar.get_width() for bar in axis.patches] == sorted(kept.mean(axis=0), reverse=True)
    share, size = kept.mean(axis=0), 3 / kept.shape[1]
    stability = 1 - (1.5 * share * (1 - share)).mean() / (size * (1 - size))
    assert axis.get_title().startswith(f"MLFS, stability {stability:.2f}: ")
    assert plot.features([folds[0]] * 2).get_title().startswith("MLFS, stability 1.00")
    with pytest.raises(DataError, match="MVMD selects no features; of a pipeline give its selector"):
        plot.features(mlreduce.MVMD().fit(data.X, data.Y))
    with pytest.raises(DataError, match="the selectors are of different numbers of features"):
        plot.features([folds[0], mlreduce.MLFS(k=3).fit(data.X[:, :5], data.Y)])
    with pytest.raises(DataError, match="1 feature names, but"):
        plot.features(folds, feature_names=["a"])
    with pytest.raises(NotFittedError):
        plot.features(mlreduce.MLFS())


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


@pytest.fixture
def scores():
    rows = [
        (method, "ridge", "micro-f1", size, split, value + size / 100 + 0.1 * split)
        for method, value in (("good", 0.2), ("bad", 0.0))
        for size in (10, 50)
        for split in (0, 1)
    ]
    rows += [("all", "ridge", "micro-f1", 100, split, 0.3) for split in (0, 1)]
    return pd.DataFrame(rows, columns=["method", "predictor", "measure", "size_percent", "split", "value"])


def test_quality_against_size(scores):
    axis = plot.quality_against_size(scores)
    lines = {own.get_label(): own for own in axis.containers}
    np.testing.assert_allclose(lines["good"].lines[0].get_ydata().astype(float), [0.35, 0.75])
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["good", "bad", "all"]
    assert list(axis.get_xticks()) == [10, 50, 100]
    assert list(lines["all"].lines[0].get_xdata()) == [100]  # nowhere else
    colours = {name: line.lines[0].get_color() for name, line in lines.items()}
    assert len(set(colours.values())) == 3
    axis = plot.quality_against_size(scores, methods=["bad", "all"])
    assert {own.get_label(): own.lines[0].get_color() for own in axis.containers}.items() < colours.items()
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["bad", "all"]
    with pytest.raises(DataError, match="did you mean 'good'"):
        plot.quality_against_size(scores, methods=["goood"])
    with pytest.raises(DataError, match="no scores of 'coverage'"):
        plot.quality_against_size(scores, "coverage")


def test_what_reduces_nothing_is_a_level_for_all_sizes(scores):
    axis = plot.quality_against_size(scores.replace({"method": {"all": "all-features"}}))
    (level,) = (line for line in axis.lines if line.get_label() == "all-features")
    assert list(level.get_xdata()) == [0, 1]  # of the axis
    assert list(axis.get_xticks()) == [10, 50]


def test_a_method_with_fewer_directions_than_the_size_is_drawn_once(scores):
    few = scores[scores["method"] == "good"].assign(method="few", size=3)
    both = pd.concat([scores.assign(size=scores["size_percent"]), few])
    lines = {own.get_label(): own for own in plot.quality_against_size(both).containers}
    assert list(lines["few"].lines[0].get_xdata()) == [10]
    assert list(lines["good"].lines[0].get_xdata()) == [10, 50]


def test_critical_differences(ranks):
    values = ranks
    axis = plot.critical_differences(values)
    assert {" c (1.00) ", " b (2.00) ", " a (3.00) "} <= set(texts(axis))
    axis = plot.critical_differences(values, higher_is_better=False)
    assert " a (1.00) " in texts(axis)
    with pytest.raises(DataError, match="needs two data sets and three methods"):
        plot.critical_differences(values[["a", "b"]])


def test_comparison_matrix(pairs):
    axis = plot.comparison_matrix(pairs, names={"a": "first"})
    assert [text.get_text() for text in axis.get_yticklabels()] == ["first", "b", "c"]
    written = {(text.get_position(), text.get_text(), text.get_weight()) for text in axis.texts}
    assert written == {
        ((1, 0), "+0.020\n3/1/1\nbetter 0.96", "bold"),
        ((0, 1), "-0.020\n1/1/3\nworse 0.96", "bold"),
        ((2, 0), "+0.050\n5/0/0\nbetter 0.90", "normal"),
        ((0, 2), "-0.050\n0/0/5\nworse 0.90", "normal"),
    }  # b and c have no values in common
    assert min(text.get_fontsize() for text in (*axis.texts, *axis.get_xticklabels())) * 96 / 72 > 11  # pixels
    with pytest.raises(DataError, match="needs two methods"):
        plot.comparison_matrix(pairs[:0])


def test_model_tree(data):
    tree = mlreduce.make("m5p").fit(data.X, data.X[:, 0] * (data.X[:, 1] > 0))
    names = [f"a feature with a very long name {number}" for number in range(data.X.shape[1])]
    axis = plot.model_tree(tree, feature_names=names, max_depth=1)
    assert any("…" in text for text in texts(axis))
    with pytest.raises(DataError, match="output must be one of"):
        plot.model_tree(tree, output=3)


def test_scores_and_their_comparison_are_drawn_by_one_measure():
    data = mlreduce.load_dataset("planted-300")
    compared = mlreduce.compare(data, methods=["pca"], predictors=["linear"], sizes=[10], cv=2, progress=False)
    drawn = [plot.quality_against_size(scores).get_ylabel() for scores in (compared, compared.scores)]
    assert drawn == ["micro-F1", "micro-F1"]


def test_labels_of_a_data_set_have_its_names():
    data = mlreduce.load_dataset("digits")
    shown = [text.get_text() for text in plot.label_cooccurrence(data).get_yticklabels()]
    assert sorted(shown) == sorted(data.label_names)
