"""Forms of features and labels that are legal, and mean the same, give the same result and are not changed by it.

What would be read as other numbers than it shows is refused by every method.
"""

from __future__ import annotations

import datetime
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from extremes import SMALL
from quick import KINDS, of_many, quick
from sklearn.base import is_regressor

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.labelspace import CodedClassifier
from mlreduce.metrics import evaluate
from mlreduce.validation import as_dense

RNG = np.random.default_rng(0)
#: Halves of whole numbers: sums of duplicates are exact.
X = RNG.integers(1, 9, (36, 8)) * (RNG.random((36, 8)) < 0.8) * 1.0
Y = (RNG.random((36, 4)) < 0.4).astype(int)
METHODS = [*registry.method_names(), "coded"]


def make(name):
    cls = CodedClassifier if name == "coded" else registry.method_class(name)
    known, more = cls().get_params(), {} if name == "coded" else quick(name)
    return cls(**{key: value for key, value in (SMALL | more).items() if key in known})


def labels(name):
    return np.eye(4, dtype=int)[Y @ [1, 1, 1, 0]] if f"mesd-{name}" in METHODS else Y


def duplicated(table):
    """A CSR matrix whose entries are sums of two, in any order, with indices of 64 bits and a stored zero."""
    rows, columns = np.nonzero(table)
    order = np.argsort(np.concatenate([rows, rows]), kind="stable")
    order = np.concatenate(
        [part[::-1] for part in np.split(order, np.cumsum(2 * np.bincount(rows, minlength=len(table)))[:-1])]
    )
    values, places = np.tile(table[rows, columns] / 2, 2)[order], np.tile(columns, 2)[order]
    starts = np.append(0, np.cumsum(2 * np.bincount(rows, minlength=len(table))))
    return sp.csr_array((values, places.astype(np.int64), starts.astype(np.int64)), shape=table.shape)


def unsorted(table):
    made = sp.csr_matrix(table)
    for start, end in zip(made.indptr[:-1], made.indptr[1:], strict=True):
        made.indices[start:end], made.data[start:end] = made.indices[start:end][::-1], made.data[start:end][::-1]
    return sp.csr_matrix((made.data, made.indices, made.indptr), shape=table.shape)


def with_zeros(table):
    made = sp.csr_array(np.where(table == 0, 7.0, table))
    made.data[made.data == 7] = 0
    return sp.csr_array(
        (np.where(table.ravel() == 0, 0.0, table.ravel()), made.indices, made.indptr), shape=table.shape
    )


FORMS = {
    "duplicates": duplicated,
    "unsorted": unsorted,
    "stored zeros": with_zeros,
    "coo": lambda t: duplicated(t).tocoo(),
}


def parts_of(matrix):
    return [matrix.data, *(matrix.coords if matrix.format == "coo" else (matrix.indices, matrix.indptr))]


def results(name, features, y):
    """All numbers that a method gives for some features."""
    model = make(name).fit(features, y)
    numbers = {}
    for verb in ("transform", "predict", "predict_scores", "predict_proba", "decision_function"):
        if hasattr(model, verb) and not (name == "coded" and verb == "transform"):
            numbers[verb] = as_dense(getattr(model, verb)(features))
    for attribute in ("embedding_", "scores_", "ranking_", "components_", "eigenvalues_"):
        if hasattr(model, attribute):
            numbers[attribute] = as_dense(getattr(model, attribute))
    return numbers


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.rotating
def test_forms_of_a_sparse_matrix_are_one_matrix(name):
    y, expected = labels(name), results(name, sp.csr_array(X), labels(name))
    assert expected
    for form in FORMS if name in KINDS else [of_many(name, FORMS)]:
        given = FORMS[form](X)
        np.testing.assert_array_equal(given.toarray(), X)
        before = [part.copy() for part in parts_of(given)]
        for part in parts_of(given):
            part.setflags(write=False)
        for key, values in results(name, given, y).items():
            np.testing.assert_allclose(values, expected[key], rtol=1e-7, atol=1e-9, err_msg=f"{form}: {key}")
        for part, copy in zip(parts_of(given), before, strict=True):
            np.testing.assert_array_equal(part, copy, err_msg=f"{form} changed")


def damaged(change):
    matrix = sp.csr_array(X)
    change(matrix)
    return matrix


def set_entry(array, place, value):
    array[place] = value


#: What points outside of the matrix, and would be read from other memory.
DAMAGED = {
    "the index 99, where indices are 0 to 7": lambda m: set_entry(m.indices, 3, 99),
    "the index -1, where indices are 0 to 7": lambda m: set_entry(m.indices, 3, -1),
    "indptr ends at 10000, beyond its": lambda m: set_entry(m.indptr, -1, 10_000),
    "indptr must begin with 0": lambda m: set_entry(m.indptr, 5, 0),
}


@cache
def fitted_to_all(name):
    return make(name).fit(X, labels(name))


def calls(name, features, y):
    """Calls of a method with features and labels, with the names of these in messages."""
    yield "X", lambda: make(name).fit(features, labels(name))
    if not is_regressor(make(name)):
        yield "y", lambda: make(name).fit(X, y)
    fitted = fitted_to_all(name)
    for verb in ("transform", "predict", "predict_scores", "predict_proba", "decision_function"):
        if hasattr(fitted, verb) and not (name == "coded" and verb == "transform"):
            yield "X", lambda verb=verb: getattr(fitted, verb)(features)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.rotating
def test_a_damaged_sparse_matrix_is_refused(name):
    for text in DAMAGED if name in KINDS else [of_many(name, DAMAGED)]:
        y = sp.csr_array(labels(name) * 1.0)
        y.indices[0] = 99
        for what, call in calls(name, damaged(DAMAGED[text]), y):
            if what == "X" or getattr(make(name), "supervised", True):
                with pytest.raises(
                    DataError, match=f"{what} is a damaged sparse matrix .*{text if what == 'X' else ''}"
                ):
                    call()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.rotating
def test_a_mask_is_refused(name):
    mask = np.zeros(X.shape, dtype=bool)
    mask[3, 2] = True
    for what, call in calls(name, np.ma.array(X, mask=mask), np.ma.array(labels(name), mask=mask[:, :4])):
        if what == "X" or getattr(make(name), "supervised", True):
            with pytest.raises(DataError, match=rf"{what} is a masked array with 1 masked cell.*{what}.filled\(0\)"):
                call()
    make(name).fit(np.ma.array(X), labels(name))


def with_column(values):
    return pd.DataFrame(X).add_prefix("f").assign(odd=values)


DAY = datetime.date(2026, 11, 28)
#: Columns of frames, and what the message says that they hold.
COLUMNS = {
    "dates": pd.date_range("2026-01-01", periods=36),
    "dates with a zone": pd.date_range("2026-01-01", periods=36, tz="UTC"),
    "dates as objects": [DAY] * 36,
    "times of day as objects": [datetime.time(12)] * 36,
    "durations": pd.timedelta_range("1h", periods=36),
    "durations as objects": pd.Series(pd.timedelta_range("1h", periods=36), dtype=object).to_list(),
    "periods": pd.period_range("2026-01", periods=36, freq="M"),
    "intervals": pd.interval_range(0, 36),
    "intervals by pandas.cut": pd.cut(X[:, 0], 3),
    "nested values": [[1, 2]] * 36,
    "nested values of one column": [np.arange(2)] * 36,
}


def tables(kind):
    """Tables of several packages with a column."""
    table = with_column(pd.Series(COLUMNS[kind]))
    yield table
    yield table[["odd"]]
    for package, convert in (("polars", "from_pandas"), ("pyarrow", "Table.from_pandas")):
        if "objects" in kind or kind.startswith("intervals") or kind == "periods":
            continue  # which these do not have
        module = pytest.importorskip(package) if package == "pyarrow" else _module(package)
        if module is not None:
            for part in convert.split("."):
                module = getattr(module, part)
            yield module(table)


def _module(name):
    try:
        return __import__(name)
    except ImportError:
        return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.rotating
def test_a_column_that_holds_no_numbers_is_named(name):
    for kind in COLUMNS if name in ("pca", "plst") else [of_many(name, COLUMNS)]:
        held = kind.partition(" with")[0].partition(" as")[0].partition(" by")[0].partition(" of one")[0]
        for table in tables(kind):
            for what, call in calls(name, table, table):
                if what == "X" or getattr(make(name), "supervised", True):
                    with pytest.raises(DataError, match=rf"{what} holds {held} in column [08] \('odd'\)"):
                        call()


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_comparison_and_an_advice_name_it_too(kind):
    for table in tables(kind):
        for call in (
            lambda table=table: mlreduce.compare(table, Y, ["pca"], ["ridge"]),
            lambda table=table: mlreduce.compare(X, table, ["pca"], ["ridge"]),
            lambda table=table: mlreduce.recommend(table, Y),
            lambda table=table: mlreduce.recommend(X, table),
            lambda table=table: evaluate("ranking-loss", Y, table),
            lambda table=table: evaluate("hamming-loss", table, Y),
        ):
            with pytest.raises(DataError, match=r"(X|y|y_true|y_pred) holds .* in column [08] \('odd'\)"):
                call()


def test_masks_and_damage_are_refused_wherever_there_are_tables():
    masked = np.ma.array(X, mask=X == 1)
    of_labels = np.ma.array(Y, mask=Y == 1)
    broken = damaged(DAMAGED["the index 99, where indices are 0 to 7"])
    coder, pca = mlreduce.PLST().fit(None, Y), mlreduce.PCA(n_components=2).fit(X)
    for call in (
        lambda: mlreduce.compare(masked, Y, ["pca"], ["ridge"]),
        lambda: mlreduce.compare(X, of_labels, ["pca"], ["ridge"]),
        lambda: mlreduce.recommend(masked, Y),
        lambda: mlreduce.recommend(X, of_labels),
        lambda: evaluate("hamming-loss", Y, of_labels),
        lambda: evaluate("hamming-loss", of_labels, Y),
        lambda: evaluate("ranking-loss", Y, np.ma.array(Y * 1.0, mask=Y == 1)),
        lambda: mlreduce.PCA().fit(list(masked)),
        lambda: mlreduce.RidgeRegressor().fit(X, Y, sample_weight=masked[:, 0]),
        lambda: coder.decode(of_labels),
        lambda: coder.encode(of_labels),
        lambda: pca.inverse_transform(masked[:, :2]),
        lambda: make(next(name for name in METHODS if f"mesd-{name}" in METHODS)).fit(
            X, np.ma.array(Y[:, 0], mask=Y[:, 1] == 1)
        ),
        lambda: list(mlreduce.model_selection.MultilabelStratifiedKFold(2).split(X, of_labels)),
    ):
        with pytest.raises(DataError, match="is a masked array with"):
            call()
    for call in (
        lambda: mlreduce.compare(broken, Y, ["pca"], ["ridge"]),
        lambda: mlreduce.recommend(broken, Y),
        lambda: evaluate("precision-at-1", np.tile(Y, 2), broken),
    ):
        with pytest.raises(DataError, match="is a damaged sparse matrix"):
            call()


def test_blocks_and_diagonals_are_checked_as_rows_are():
    blocks = sp.bsr_array(X, blocksize=(2, 2))
    expected = mlreduce.PCA().fit(X).eigenvalues_
    np.testing.assert_allclose(mlreduce.PCA().fit(blocks).eigenvalues_, expected)
    blocks.indices[0] = 4
    with pytest.raises(DataError, match="the index 4, where indices are 0 to 3"):
        mlreduce.PCA().fit(blocks)
    coordinates = sp.coo_array(X)
    coordinates.coords[0][0] = 36
    with pytest.raises(DataError, match="the index 36, where indices are 0 to 35"):
        mlreduce.PCA().fit(coordinates)


@pytest.mark.filterwarnings("ignore")
def test_a_data_set_with_duplicate_entries_is_compared_as_its_table():
    names = [str(number) for number in range(8)]
    numbers = [
        mlreduce.compare(
            mlreduce.datasets.MultiLabelData(form(X), Y, names, names[:4], "data"),
            methods=["mlrf", "lpp"], predictors=["label-tree"], cv=2, sizes=[50], n_jobs=1, progress=False,
        ).scores["value"]
        for form in (sp.csr_array, duplicated)
    ]  # fmt: skip
    pd.testing.assert_series_equal(*numbers)
