"""Warnings and errors of every method: who speaks, how often, about which line, and by which road."""

import contextlib
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from quick import KINDS, of_many, quick
from sklearn.base import is_regressor
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

import mlreduce
from mlreduce.exceptions import ConfigurationError, DataError, MLReduceError, ProjectionWarning

RNG = np.random.default_rng(0)
X = RNG.standard_normal((24, 5))
LABELS = {
    "several": (X[:, :3] + 0.5 * RNG.standard_normal((24, 3)) > 0).astype(float),
    "one each": np.eye(3)[RNG.integers(3, size=24)],
}


def awkward(Y):
    """Data on which a method has something to say, and what ``n_components`` is then."""
    return {
        "constant features": (np.c_[X[:, :2], np.full((24, 2), 7.0)], Y, 4),
        "a label of nobody": (X, np.c_[Y[:, :2], np.zeros(24)], 3),
        "one label": (X, Y[:, :1], None),
        "duplicate rows": (np.repeat(X[:4], 6, axis=0), np.repeat(Y[:4], 6, axis=0), 5),
        "three rows": (X[:3], Y[:3], 3),
        "dependent features": (np.c_[X, X], Y, 8),
        "more features than rows": (RNG.standard_normal((8, 30)), Y[:8], None),
        "a graph in parts": (X + 1e3 * (np.arange(24) % 2)[:, np.newaxis], Y, None),
    }


def spoken(method, features, labels):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with contextlib.suppress(MLReduceError):  # refused in a sentence
            method.fit(features, labels.astype(float) if is_regressor(method) else labels)
    return seen


@pytest.mark.parametrize("name", mlreduce.registry.method_names())
@pytest.mark.rotating
def test_warnings_name_the_method_once_and_point_here(name):
    for kind in LABELS if name in KINDS else [of_many(name, LABELS)]:
        for case, (features, table, size) in awkward(LABELS[kind]).items():
            method = mlreduce.make(name, **quick(name))
            if size is not None and "n_components" in method.get_params():
                method.set_params(n_components=size)
            seen = spoken(method, features, table)
            sentences = [str(warning.message) for warning in seen]
            assert len(set(sentences)) == len(sentences), (case, sentences)
            for warning in seen:
                assert type(method).__name__ in str(warning.message), case
                assert warning.filename == __file__, case
                assert warning.category in (ProjectionWarning, ConvergenceWarning, UserWarning), case


def test_awkward_data_cause_warnings():
    """The contract above is about something."""
    names = ["cca", "pca", "isomap", "mddmp", "flda"]
    cases = [(mlreduce.make(name), *data[:2]) for name in names for data in awkward(LABELS["several"]).values()]
    for method, *_ in cases:
        if "n_components" in method.get_params():
            method.set_params(n_components=4)
    kinds = {str(warning.message).split(": ")[-1].split(" ")[0] for case in cases for warning in spoken(*case)}
    assert len(kinds) >= 3, kinds


def test_a_whitening_from_the_cache_warns_each_method():
    data = mlreduce.spectral.TrainingSet(np.c_[X, X], LABELS["several"])
    for name in ("CCA", "OPLS"):
        with pytest.warns(ProjectionWarning, match=f"^{name}: the constraint is singular, rank 5 of 10") as seen:
            getattr(mlreduce, name)().fit_training_set(data)
        assert [warning.filename for warning in seen] == [__file__]


def test_warnings_through_scikit_learn_point_here():
    with pytest.warns(ProjectionWarning, match="^PCA has 5 positive eigenvalues: n_components_ is 5, not 10") as seen:
        mlreduce.PCA(n_components=10).fit_transform(np.c_[X, X])
    assert [warning.filename for warning in seen] == [__file__]


#: Words that are options, misspelt, and the sentence.
WORDS = [
    ("mddmp", {"coding": "sign"}, "coding must be 'signed' or 'binary'; got 'sign'; did you mean 'signed'?"),
    (
        "lpp",
        {"constraint": "scater"},
        "constraint must be 'degree' or 'scatter'; got 'scater'; did you mean",
    ),
    (
        "lpp",
        {"proximity": {"metric": "cos"}},
        "metric must be 'euclidean' or 'cosine'; got 'cos'; did you mean",
    ),
    ("mope", {"on": 3}, "on must be 'P' or 'Z'; got 3"),
    ("mope", {"ties": "al"}, "ties must be 'features', 'first' or 'all'; got 'al'; did you mean 'all'?"),
    ("flda", {"threshold": ["prior"]}, "threshold must be 'midpoint' or 'prior'; got ['prior']"),
    ("pmu", {"pairs": "order"}, "pairs must be 'distinct' or 'ordered'; got 'order'; did you mean 'ordered'?"),
    ("smse1", {"decision": "halv"}, "decision must be 'prior' or 'half'; got 'halv'; did you mean 'half'?"),
    ("mvmd", {"beta": 3}, "beta must be a number in [0, 1]; got 3"),
    (
        "rcca",
        {"ridge": "much"},
        "ridge must be a number >= 0, None, a percentage of the mean diagonal such as '0.1%', or 'all-columns'; "
        "got 'much'",
    ),
    ("rfs", {"system": "instanzes"}, "unknown system 'instanzes'; did you mean"),
]


@pytest.mark.parametrize(("name", "wrong", "sentence"), WORDS, ids=[f"{name} {next(iter(w))}" for name, w, _ in WORDS])
def test_wrong_values_are_the_same_sentence_by_every_road(name, wrong, sentence):
    cls = type(mlreduce.make(name))
    for method in (cls(**wrong), mlreduce.make(name, **wrong), cls().set_params(**wrong)):
        with pytest.raises(DataError) as caught:
            method.fit(X, LABELS["several"])
        assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("name", mlreduce.registry.method_names())
@pytest.mark.rotating
def test_errors_about_labels_call_them_y(name):
    method = mlreduce.make(name)
    for labels in (LABELS["one each"][:-1], pd.DataFrame(LABELS["one each"] + 1), None):
        try:
            method.fit(X, labels)
        except ValueError as error:
            assert " Y " not in f" {error} ".replace("X and Y have", "")


@pytest.mark.parametrize("name", mlreduce.registry.method_names())
@pytest.mark.rotating
def test_text_among_the_features_is_named(name):
    rows = X.astype(object)
    rows[3, 1] = "red"
    for given, where in ((rows, "column 1;"), (pd.DataFrame(rows, columns=list("abcde")), r"column 1 \('b'\);")):
        with pytest.raises(
            DataError, match=f"^X holds the text 'red' in {where} features are numbers: leave the column out"
        ):
            mlreduce.make(name).fit(given, LABELS["several"])


@pytest.mark.parametrize(
    "name", [name for name in mlreduce.registry.method_names("predictors") if is_regressor(mlreduce.make(name))]
)
def test_regressors_take_sparse_targets(name):
    expected = mlreduce.make(name).fit(X, LABELS["several"]).predict(X)
    for kind in (sp.csr_array, sp.coo_matrix, sp.csc_array):
        found = mlreduce.make(name).fit(X, kind(LABELS["several"])).predict(X)
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(DataError, match="^y holds the text 'red'; targets are numbers$"):
        mlreduce.make(name).fit(X, np.full(24, "red", dtype=object))


def test_parts_of_another_kind_are_named():
    cases = {"regressor must be a regressor": [KNeighborsClassifier(), mlreduce.MLKNN(), mlreduce.PCA(), "ridge", PCA]}
    cases["coder must be a label coder"] = [PCA(), "cplst", mlreduce.CPLST]
    for sentence, parts in cases.items():
        for part in parts:
            own = {sentence.partition(" ")[0]: part}
            for coder in mlreduce.registry.method_names("labelspace") if "regressor" in own else [None]:
                model = mlreduce.CodedClassifier(**({"coder": mlreduce.make(coder)} if coder else {}), **own)
                with pytest.raises(DataError, match=f"^{sentence}"):
                    model.fit(X, LABELS["several"])


@pytest.mark.parametrize("wrong", [None, 3, ["pca"], mlreduce.PCA])
def test_names_that_are_none_are_said_to_be(wrong):
    for call in (mlreduce.make, mlreduce.describe, mlreduce.register):
        with pytest.raises(ConfigurationError, match="unknown method|registry name"):
            call(wrong)


def test_a_data_set_is_taken_with_its_labels():
    data = mlreduce.load_dataset("planted-300")
    found = mlreduce.recommend(data, goal="projection").table
    pd.testing.assert_frame_equal(found, mlreduce.recommend(data.X, data.Y, goal="projection").table)
    with pytest.raises(DataError, match="a data set has its labels with it"):
        mlreduce.recommend(data, data.Y)
