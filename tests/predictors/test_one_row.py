"""Predictions of one row: no file is read for them, and they are those of the row among others."""

from __future__ import annotations

import cProfile
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import is_regressor

import mlreduce
from mlreduce.labelspace import CodedClassifier
from mlreduce.linalg.utilities import scores_of_rows

N_TRAIN = 60
_opened: list[str] | None = None


def _listen(event, arguments):
    if event == "open" and _opened is not None:
        _opened.append(str(arguments[0]))


@pytest.fixture
def opened(monkeypatch):
    """Return the names of the files that are opened from here on."""
    if not hasattr(sys, "_mlreduce_listens"):
        sys.addaudithook(_listen)  # which cannot be removed
        sys._mlreduce_listens = True
    names: list[str] = []
    yield lambda: monkeypatch.setattr(sys.modules[__name__], "_opened", names) or names
    monkeypatch.undo()


@pytest.fixture(scope="module")
def parts():
    data = mlreduce.load_dataset("planted-300")
    X = np.where(data.X > 0.2, data.X, 0.0)
    return X[:N_TRAIN], data.Y[:N_TRAIN, :5].astype(int), X[N_TRAIN : N_TRAIN + 4]


def fitted(name, X, Y):
    method = mlreduce.make(name)
    if name in mlreduce.registry.method_names("labelspace"):
        method = CodedClassifier(method)
    if "random_state" in method.get_params():
        method.set_params(random_state=0)
    return method.fit(X, Y.astype(float) if is_regressor(method) else Y)


NAMES = [name for family in ("predictors", "labelspace") for name in mlreduce.registry.method_names(family)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotating
def test_a_row_is_predicted_without_files_and_as_among_others(name, form, parts, opened):
    X, Y, new = parts
    model = fitted(name, form(X), Y)
    verbs = [verb for verb in ("predict", "predict_scores") if hasattr(model, verb)]
    together = {verb: getattr(model, verb)(form(new)) for verb in verbs}
    rows = [form(new[[row]]) for row in range(len(new))]
    first = [getattr(model, verb)(rows[0]) for verb in verbs]  # loads what is loaded once
    names = opened()
    for verb in verbs:
        alone = [getattr(model, verb)(row) for row in rows]
        assert names == []
        if name != "pcut":  # which decides all rows together
            np.testing.assert_allclose(np.concatenate(alone), together[verb], rtol=1e-9, atol=1e-9)
    assert len(first) == len(verbs)


@pytest.mark.parametrize("name", ["ridge", "br-knn", "plst", "rakel"])
def test_lists_and_numbers_of_other_types_are_the_same_rows(name, parts):
    X, Y, new = parts
    model = fitted(name, np.round(4 * X), Y)
    row = np.round(4 * new[:1])
    expected = model.predict(row)
    for same in (
        row.tolist(),
        row.astype(int),
        row.astype(np.float32),
        row.astype(int).tolist(),
        np.asfortranarray(row),
    ):
        np.testing.assert_array_equal(model.predict(same), expected)
    uneven, text = [row[0], [1.0]], [["a"] * X.shape[1]]
    for wrong, sentence in (([[1.0, 2.0]], "features"), (text, "text"), (uneven, "inhomogeneous")):
        with pytest.raises(ValueError, match=sentence):
            model.predict(wrong)
    with pytest.raises(mlreduce.exceptions.DataError, match="masked"):
        model.predict([np.ma.masked_less(row[0], 1)])
    with pytest.raises(mlreduce.exceptions.DataError, match="NaN"):
        model.predict([[np.nan] * X.shape[1]])


@pytest.mark.parametrize("n_targets", [None, 1, 3])
@pytest.mark.parametrize("n_rows", [1, 2, 30])
def test_scores_of_sparse_rows_are_those_of_dense_ones(n_rows, n_targets):
    rng = np.random.default_rng(n_rows)
    X = sp.random_array((n_rows, 40), density=0.1, rng=rng, format="csr")
    coefficients = rng.standard_normal(40 if n_targets is None else (n_targets, 40))
    for rows in (X, sp.csr_array((n_rows, 40))):
        np.testing.assert_allclose(scores_of_rows(rows, coefficients), rows.toarray() @ coefficients.T, atol=1e-14)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array], ids=["dense", "csr", "csc"])
@pytest.mark.parametrize("name", ["label-tree", "ml-knn", "rakel"])
def test_the_best_labels_of_a_row_are_those_among_others(name, form, parts):
    X, Y, new = parts
    model = fitted(name, form(X), Y)
    together = model.predict_top(form(new), k=3)
    alone = sp.vstack([model.predict_top(form(new[[row]]), k=3) for row in range(len(new))])
    np.testing.assert_array_equal(alone.indices.reshape(-1, 3), together.indices.reshape(-1, 3))
    np.testing.assert_allclose(alone.data, together.data, rtol=1e-9)


def test_a_row_through_label_trees_takes_few_calls_of_functions(parts):
    """Joining and indexing sparse matrices takes as long as the search: 780 calls, where 230 do without them."""
    X, Y, new = parts
    model, row = fitted("label-tree", sp.csr_array(X), Y), sp.csr_array(new[:1])
    model.predict_top(row)  # imports and compiles
    profile = cProfile.Profile()
    profile.runcall(model.predict_top, row)
    assert sum(entry.callcount for entry in profile.getstats()) < 400
