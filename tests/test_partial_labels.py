from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlreduce.exceptions import DataError
from mlreduce.validation import check_labels, check_partial_labels, fill_unlabelled

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
@pytest.mark.parametrize("sparse", [False, True])
def test_rows_of_nan_are_unlabelled(labels, sparse):
    before = labels.copy() if hasattr(labels, "copy") else labels
    found, labelled = check_partial_labels(labels, 5, sparse=sparse)
    np.testing.assert_array_equal(labelled, KNOWN)
    np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, Y[KNOWN])
    assert found.dtype == np.float64
    if isinstance(labels, np.ndarray) and labels.dtype.kind == "f":
        np.testing.assert_array_equal(labels, before)


def test_class_vectors():
    found, labelled = check_partial_labels([1.0, np.nan, 0.0], 3)
    np.testing.assert_array_equal(labelled, [True, False, True])
    np.testing.assert_array_equal(found, [[1], [0]])
    np.testing.assert_array_equal(check_partial_labels(pd.Series([None, 1.0, 0.0]), 3)[1], [False, True, True])
    for classes in (np.array(["b", None, "a"], dtype=object), pd.Series(["b", None, "a"])):
        filled, labelled = fill_unlabelled(classes, 3)
        np.testing.assert_array_equal(labelled, [True, False, True])
        assert list(filled) == ["b", "b", "a"]


@pytest.mark.parametrize("labels", [Y, Y.tolist(), pd.DataFrame(Y), sp.csr_array(Y), Y[:, 0]])
def test_complete_labels_are_unchanged(labels):
    found, labelled = check_partial_labels(labels, 5)
    assert labelled.all()
    np.testing.assert_array_equal(found, check_labels(labels, 5))


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (np.where([[1, 0, 1]], partial(), 1)[1:], "row 1 of Y is NaN in part, and 1 more; where labels are not known"),
        (np.full((3, 2), np.nan), "no row of Y is labelled"),
        (sp.csr_array(np.full((3, 2), np.nan)), "no row of Y is labelled"),
        (pd.DataFrame({"a": [np.nan, 0, 1], "b": [np.nan, 0, 2]}), r"holds 2 in column 1 \('b'\), row 2"),
        ([[np.nan], [0], [-1]], "mixes 0 and -1"),
        ([[1], [np.nan], [7.5]], "Y holds 7.5 in column 0, row 2; labels must be 0/1 or -1/1"),
        (np.full((3, 2, 2), np.nan), "must have the shape"),
        (np.full((3, 0), np.nan), "at least one label"),
        (None, "requires y to be passed"),
    ],
)
def test_wrong_labels_are_refused(labels, sentence):
    with pytest.raises(DataError, match=sentence):
        check_partial_labels(labels)


def test_the_number_of_rows():
    with pytest.raises(DataError, match="X has 4 rows, Y has 5"):
        check_partial_labels(partial(), 4)
