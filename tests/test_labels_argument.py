"""The second argument of ``fit`` is called ``y``, as in scikit-learn, and takes labels in several forms."""

from __future__ import annotations

import inspect
from contextlib import suppress
from functools import cache

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import scipy.sparse as sp
from quick import KINDS, of_many
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names

import mlreduce
from mlreduce import registry
from mlreduce.datasets.embedded import planted
from mlreduce.exceptions import DataError
from mlreduce.predictors import FisherClassifier
from mlreduce.predictors._base import LabelClassifier
from mlreduce.validation import as_dense

DATA = planted(n_samples=40, n_features=8, n_labels=4, n_latent=3, n_distractors=1, random_state=0).data
CLASSES = [getattr(mlreduce, name) for name in registry.class_names()]


def test_labels_are_the_argument_y():
    for cls in CLASSES:
        for name in ("fit", "fit_transform"):
            if hasattr(cls, name):
                assert list(inspect.signature(getattr(cls, name)).parameters)[1:3] == ["X", "y"], cls


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


#: What makes the forms of labels that people have from integers 0 and 1.
FORMS = {
    "array": np.asarray,
    "integers": lambda Y: Y.astype(np.int8),
    "floats": lambda Y: Y.astype(float),
    "Booleans": lambda Y: Y.astype(bool),
    "signs": lambda Y: 2 * Y - 1,
    "pandas": lambda Y: pd.DataFrame(Y, columns=NAMES),
    "polars": lambda Y: polars.DataFrame(Y, schema=NAMES),
    "pyarrow": lambda Y: pyarrow.table({name: Y[:, i] for i, name in enumerate(NAMES)}),
    "lists": np.ndarray.tolist,
    "sparse": sp.csr_array,
    "sparse signs": lambda Y: sp.csr_matrix(2 * Y - 1),
}
NAMES = ["a", "b", "c", "d"]
Y = np.asarray(as_dense(DATA.Y), dtype=np.int64)
CLASSIFIERS = [cls for cls in CLASSES if issubclass(cls, LabelClassifier)]


@cache
def plain_classifier(cls):
    """The model of the usual form of labels."""
    return fit_classifier(cls, Y)


def fit_classifier(cls, labels):
    model = cls(random_state=0) if "random_state" in cls().get_params() else cls()
    return model.fit(DATA.X, labels)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
@pytest.mark.rotating
def test_predictions_are_arrays_in_the_values_of_the_labels(cls, form):
    plain, labels = plain_classifier(cls), FORMS[form](Y)
    model = fit_classifier(cls, labels)
    predicted = model.predict(DATA.X)
    expected = plain.predict(DATA.X) if "signs" not in form else 2 * plain.predict(DATA.X) - 1
    assert type(predicted) is (sp.csr_array if "sparse" in form else np.ndarray)
    np.testing.assert_array_equal(predicted.toarray() if "sparse" in form else predicted, expected)
    assert predicted.dtype == np.int64
    for verb in ("predict_proba", "decision_function", "predict_scores"):
        if hasattr(model, verb):
            scores = getattr(model, verb)(DATA.X)
            assert type(scores) is np.ndarray
            np.testing.assert_allclose(scores, getattr(plain, verb)(DATA.X), rtol=1e-9, atol=1e-12)
    names = NAMES if form in ("pandas", "polars", "pyarrow") else ["0", "1", "2", "3"]
    present = plain.predict(DATA.X) == 1
    assert model.predict_labels(DATA.X) == [np.array(names)[row].tolist() for row in present]
    frame = model.predict_labels(DATA.X, as_frame=True)
    assert list(frame.columns) == names
    np.testing.assert_array_equal(frame.to_numpy() == 1, present)


def expected_scores(model):
    """Return the values of the scorers that take matrices of labels, by name."""
    values = {}
    for name in get_scorer_names():
        with suppress(ValueError, AttributeError, TypeError):
            values[name] = get_scorer(name)(model, DATA.X, Y)
    return values


# scikit-learn takes sparse labels, and those of pyarrow, in few scorers. It counts what is not zero as present in
# matrices, so that scorers of predictions but accuracy have no meaning for labels of -1 and 1, of any classifier.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
@pytest.mark.rotating
def test_scorers_do_not_depend_on_the_form_of_the_labels(cls):
    expected = expected_scores(plain_classifier(cls))
    assert len(expected) >= 15
    forms = sorted({*FORMS} - {"sparse", "sparse signs", "signs", "pyarrow"})
    name = registry.name_of(cls)
    for form in forms if name in KINDS else [of_many(cls.__name__, forms)]:
        labels = FORMS[form](Y)
        model = fit_classifier(cls, labels)
        values = check_scoring(model, scoring=list(expected))(model, DATA.X, labels)
        assert values == pytest.approx(expected, rel=1e-9, nan_ok=True), form


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
def test_accuracy_of_labels_of_signs(cls):
    expected = get_scorer("accuracy")(plain_classifier(cls), DATA.X, Y)
    signs = 2 * Y - 1
    assert get_scorer("accuracy")(fit_classifier(cls, signs), DATA.X, signs) == expected


def test_a_lazy_table_of_labels_is_refused():
    with pytest.raises(DataError, match="collect it first"):
        FisherClassifier().fit(DATA.X, polars.DataFrame(Y, schema=NAMES).lazy())


CLASS_VECTORS = {
    "strings": np.array(["dog", "cat", "owl"])[np.arange(40) % 3],
    "integers": np.array([3, 7, 9])[np.arange(40) % 3],
    "two strings": np.array(["yes", "no"])[np.arange(40) % 2],
    "two integers": [1 + i % 2 for i in range(40)],
    "Series": pd.Series(["dog", "cat", "owl"] * 13 + ["owl"], index=range(5, 45), dtype="category"),
}


@pytest.mark.parametrize("form", CLASS_VECTORS)
@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
@pytest.mark.rotating
def test_classes_are_one_hot_labels(cls, form):
    y = CLASS_VECTORS[form]
    classes, places = np.unique(y, return_inverse=True)
    model = fit_classifier(cls, y)
    np.testing.assert_array_equal(model.classes_, classes)
    predicted = model.predict(DATA.X)
    assert predicted.shape == (40,)
    assert set(predicted) <= set(classes)
    labels = np.eye(len(classes), dtype=int)[places] if len(classes) > 2 else places
    plain = fit_classifier(cls, labels)
    if hasattr(model, "predict_scores"):
        np.testing.assert_allclose(model.predict_scores(DATA.X), plain.predict_scores(DATA.X), rtol=1e-9, atol=1e-12)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(DATA.X)
        assert shares.shape == (40, len(classes))
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        if len(classes) > 2:
            np.testing.assert_array_equal(predicted, classes[shares.argmax(axis=1)])


@pytest.mark.parametrize("name", ["mvmd", "mrmr", "cplst", "wmlda", "mesd-fda", "slvm", "ml-grf"])
def test_reductions_take_classes(name):
    kinds = np.array(["dog", "cat", "owl"])[np.arange(40) % 3]
    labels = (kinds[:, np.newaxis] == np.unique(kinds)).astype(int)
    by_class, by_label = mlreduce.make(name).fit(DATA.X, kinds), mlreduce.make(name).fit(DATA.X, labels)
    attribute = next(own for own in ("components_", "scores_", "embedding_", "transduction_") if hasattr(by_label, own))
    np.testing.assert_array_equal(getattr(by_class, attribute), getattr(by_label, attribute))


def test_batches_have_the_same_classes():
    kinds = np.array(["dog", "cat"])[np.arange(40) % 2]
    model = mlreduce.MDDMp(n_components=1).partial_fit(DATA.X, kinds)
    model.partial_fit(DATA.X, kinds)
    with pytest.raises(DataError, match="other classes than earlier batches"):
        model.partial_fit(DATA.X, np.array(["owl", "cat"])[np.arange(40) % 2])
