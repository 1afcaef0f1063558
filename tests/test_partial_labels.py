from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.validation import check_known_labels, check_labels, fill_unlabelled

Y = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 0]])
KNOWN = np.array([True, True, False, True, False])


def partial(labels=Y, known=KNOWN):
    labels = labels.astype(float)
    labels[~known] = np.nan
    return labels


STORAGES = {
    "array": partial(),
    "signed": partial(2 * Y - 1),
    "list": partial().tolist(),
    "objects": np.where(KNOWN[:, None], Y.astype(object), None),
    "table": pd.DataFrame(partial()),
    "table of integers": pd.DataFrame(partial()).astype("Int64"),
    "sparse": sp.csr_array(partial()),
    "sparse matrix": sp.coo_matrix(partial()),
}


@pytest.mark.parametrize("labels", STORAGES.values(), ids=STORAGES)
def test_rows_of_nan_are_unlabelled(labels):
    before = labels.copy() if hasattr(labels, "copy") else labels
    found, known = check_known_labels(labels, 5)
    np.testing.assert_array_equal(known, np.repeat(KNOWN[:, None], 3, axis=1))
    np.testing.assert_array_equal(found, np.where(KNOWN[:, None], Y, 0))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(fill_unlabelled(labels, 5)[1], KNOWN)
    if isinstance(labels, pd.DataFrame):
        pd.testing.assert_frame_equal(labels, before)
    elif isinstance(labels, np.ndarray) and labels.dtype.kind == "f":
        np.testing.assert_array_equal(labels, before)


def test_class_vectors():
    found, known = check_known_labels([1.0, np.nan, 0.0], 3)
    np.testing.assert_array_equal(known[:, 0], [True, False, True])
    np.testing.assert_array_equal(found[[0, 2]], [[1], [0]])
    np.testing.assert_array_equal(check_known_labels(pd.Series([None, 1.0, 0.0]), 3)[1][:, 0], [False, True, True])
    for classes in (np.array(["b", None, "a"], dtype=object), pd.Series(["b", None, "a"])):
        filled, labelled = fill_unlabelled(classes, 3)
        np.testing.assert_array_equal(labelled, [True, False, True])
        assert list(filled) == ["b", "b", "a"]


@pytest.mark.parametrize("labels", [Y, Y.tolist(), pd.DataFrame(Y), sp.csr_array(Y), Y[:, 0]])
def test_complete_labels_are_unchanged(labels):
    found, known = check_known_labels(labels, 5)
    assert known is None
    assert fill_unlabelled(labels, 5)[1] is None
    found = found.toarray() if sp.issparse(found) else found
    np.testing.assert_array_equal(found, check_labels(labels, 5))


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (np.full((3, 2), np.nan), "no label is known: all cells of y are NaN"),
        (sp.csr_array(np.full((3, 2), np.nan)), "no label is known"),
        (pd.DataFrame({"a": [np.nan, 0, 1], "b": [np.nan, 0, 2]}), r"holds 2 in column 1 \('b'\), row 2"),
        ([[np.nan], [0], [-1]], "mixes 0 and -1"),
        ([[1], [np.nan], [7.5]], "y holds 7.5 in column 0, row 2; labels must be 0/1 or -1/1"),
        (np.full((3, 2, 2), np.nan), "must have the shape"),
        (np.full((3, 0), np.nan), "at least one label"),
        (None, "requires y to be passed"),
    ],
)
def test_wrong_labels_are_refused(labels, sentence):
    with pytest.raises(DataError, match=sentence):
        check_known_labels(labels, 3)


def test_rows_known_in_part_are_refused_where_a_method_needs_whole_ones():
    with pytest.raises(
        DataError, match='row 1 of y is NaN in part, and 1 more; all labels of a row .*unknown_labels="cells"'
    ):
        fill_unlabelled(np.where([[1, 0, 1]], partial(), 1)[1:])


def test_the_methods_that_a_refusal_names_are_those_that_declare_it():
    with pytest.raises(DataError) as caught:
        check_labels([[np.nan, 1], [0, 1]])
    call = re.search(r"mlreduce\.list_methods\(.*?\)", str(caught.value))[0]
    assert (
        {"mddmp", "csfs", "leml", "smse1"}
        <= {*eval(call, {"mlreduce": mlreduce}).index}
        < {*mlreduce.registry.method_names()}
    )


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([[1, np.nan], [np.nan, np.nan]], "y is NaN throughout column 1: such a label is ignored"),
        (
            pd.DataFrame({"a": [np.nan] * 3, "b": [0, 1, np.nan], "c": [np.nan] * 3}),
            r"column 0 \('a'\), and so are 1 more:",
        ),
    ],
)
def test_a_label_that_is_known_nowhere_is_named(labels, sentence):
    with pytest.warns(UserWarning, match=sentence) as caught:
        found, known = check_known_labels(labels)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(known, ~np.isnan(np.asarray(labels, dtype=float)))
    np.testing.assert_array_equal(found, np.nan_to_num(np.asarray(labels, dtype=float)))


def test_the_number_of_rows():
    with pytest.raises(DataError, match="X has 4 rows, y has 5"):
        check_known_labels(partial(), 4)
