"""Predictors trained where some labels are unknown: each label as by the instances where it is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.predictors.threshold import ThresholdClassifier
from mlreduce.validation import as_dense

NAN = np.nan
TAKING = mlreduce.list_methods("predictors", unknown_labels="cells").index
#: By which a label is what the instances make of it where it is known. LEML, whose labels share factors, has its own
#: tests; to PCut features are scores of the labels.
ALONE = [name for name in TAKING if name not in ("leml", "pcut")]
REGRESSORS = [name for name in ALONE if hasattr(mlreduce.registry.method_class(name), "independent_targets")]


#: For few rows, with decisions label by label, and without what is chosen from the features of all rows.
PARAMETERS = {
    "ml-knn": {"n_neighbors": 5, "decision": "half"},
    "kernel-ridge": {"gamma": 0.1},
    "mlnb": {"variance_floor": 1e-9, "feature_weight": 1.0},
    "lift": {"random_state": 0, "ratio": 0.3},
}


def made(name):
    """Make a method for these tests."""
    return mlreduce.make(name, **PARAMETERS.get(name, {}))


def partly(rng, n=60, d=7, q=5, share=0.3):
    """Features and labels: two are unknown of the same instances, one of none."""
    X = rng.standard_normal((n, d))
    Y = (X[:, :q] + 0.5 * rng.standard_normal((n, q)) > 0).astype(float)
    unknown = rng.random((n, q)) < share
    unknown[:, 1], unknown[:, 2] = unknown[:, 0], False
    return X, np.where(unknown, NAN, Y)


def outputs(model, X):
    """Return everything that a fitted predictor says of instances."""
    verbs = ("predict", "predict_scores", "predict_proba", "decision_function")
    return [as_dense(getattr(model, verb)(X)) for verb in verbs if hasattr(model, verb)]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", ALONE)
def test_a_label_is_that_of_the_instances_where_it_is_known(name, sparse, rng):
    X, Y = partly(rng)
    new = rng.standard_normal((20, X.shape[1]))
    if sparse:
        X, new = sp.csr_array(np.where(X > 0, X, 0)), sp.csr_array(np.where(new > 0, new, 0))
    together = outputs(made(name).fit(X, Y), new)
    for columns in ([0, 1], [2], [3], [4]):
        rows = np.flatnonzero(~np.isnan(Y[:, columns[0]]))
        alone = outputs(made(name).fit(X[rows], Y[np.ix_(rows, columns)]), new)
        for found, expected in zip(together, alone, strict=True):
            np.testing.assert_allclose(found[:, columns], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ALONE)
def test_a_label_that_is_known_nowhere_is_ignored(name, rng):
    X, Y = partly(rng)
    Y[:, 3] = NAN
    with pytest.warns(UserWarning, match=r"y is NaN throughout column 3: such a (label|target) is ignored"):
        model = made(name).fit(X, Y)
    others = made(name).fit(X, np.delete(Y, 3, axis=1))
    for found, expected in zip(outputs(model, X), outputs(others, X), strict=True):
        np.testing.assert_allclose(np.delete(found, 3, axis=1), expected, rtol=1e-9, atol=1e-9)
    assert not np.asarray(model.predict(X))[:, 3].any()
    with pytest.raises(DataError, match=r"no (label|target) is known: all cells of y are NaN"):
        made(name).fit(X, np.full(Y.shape, NAN))


@pytest.mark.parametrize("name", ALONE)
def test_forms_of_unknown_labels(name, rng):
    X, Y = partly(rng)
    expected = outputs(made(name).fit(X, Y), X)
    forms = [Y.tolist(), pd.DataFrame(Y).add_prefix("l"), sp.csr_array(Y)]
    if name not in REGRESSORS:  # whose targets are any numbers
        forms.append(2 * Y - 1)
    for form in forms:
        for given, right in zip(outputs(made(name).fit(X, form), X), expected, strict=True):
            if set(np.unique(given)) == {-1, 1}:  # predicted in the values of the labels
                given = (given + 1) / 2
            np.testing.assert_array_equal(given, right)
    rows = ~np.isnan(Y[:, 0])
    one, alone = (made(name).fit(*own) for own in ((X, Y[:, 0]), (X[rows], Y[rows, 0])))
    assert one.predict(X).shape == (len(X),)
    np.testing.assert_allclose(one.predict(X), alone.predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", mlreduce.list_methods("predictors", unknown_labels="no").index)
def test_others_name_the_first_unknown_label(name, rng):
    X, Y = partly(rng)
    Y[:, 2][4] = NAN
    refusal = r"y is NaN in column 0|[Yy] contains NaN|NaN in column"
    model = mlreduce.make(name)
    with pytest.raises((DataError, ValueError), match=refusal):
        model.fit(np.abs(X), Y)
    for nested in ("predict_nested", "_nested_left_out"):
        if hasattr(model, nested):
            with pytest.raises(DataError, match=refusal):
                list(getattr(model, nested)(X, Y, X, [2]))


@pytest.mark.parametrize("name", [name for name in ALONE if hasattr(made(name), "predict_nested")])
def test_nested_sizes_by_the_instances_where_a_label_is_known(name, rng):
    X, Y = partly(rng)
    new, sizes = rng.standard_normal((20, X.shape[1])), [2, 3, 7]
    # Of regressions all sizes have the penalty of all columns.
    together = list(made(name).predict_nested(X, Y, new, sizes))
    assert len(together) == len(sizes)
    for columns in ([0, 1], [2], [3], [4]):
        rows = np.flatnonzero(~np.isnan(Y[:, columns[0]]))
        alone = made(name).predict_nested(X[rows], Y[np.ix_(rows, columns)], new, sizes)
        for found, expected in zip(together, alone, strict=True):
            np.testing.assert_allclose(found[:, columns], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["br-knn", "majority-labels", "ml-knn", "ridge"])
def test_scores_of_rows_left_out_where_a_label_is_known(name, rng):
    X, Y = partly(rng)
    together = made(name)._fit_left_out(X, Y)
    for columns in ([0, 1], [2], [3], [4]):
        rows = np.flatnonzero(~np.isnan(Y[:, columns[0]]))
        alone = made(name)._fit_left_out(X[rows], Y[np.ix_(rows, columns)])
        np.testing.assert_allclose(together[np.ix_(rows, columns)], alone, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("decision", ["one-threshold", "per-label", "cardinality", "top-k"])
@pytest.mark.parametrize("name", ["flda", "leml", "ml-knn", "mlnb"])
@pytest.mark.rotating
def test_decisions_where_labels_are_unknown(name, decision, rng):
    X, Y = partly(rng, n=90)
    model = mlreduce.make(name, decision=decision).fit(X, Y)
    assert np.isfinite(model.thresholds_).all() or decision == "top-k"
    assert set(np.unique(model.predict(X))) == {0, 1}


@pytest.mark.parametrize("decision", ["one-threshold", "per-label", "cardinality"])
def test_a_threshold_is_chosen_where_the_label_is_known(decision, rng):
    X, Y = partly(rng, n=90)
    rows = ~np.isnan(Y[:, 0])
    expected = mlreduce.MLKNN(decision=decision).fit(X[rows], Y[rows, :1])
    with pytest.warns(UserWarning, match="throughout column 1, and so are 3 more"):
        found = mlreduce.MLKNN(decision=decision).fit(X, np.where(np.arange(5) == 0, Y, NAN))
    assert found.thresholds_[0] == expected.thresholds_[0]
    np.testing.assert_array_equal(found.predict(X)[:, :1], expected.predict(X))


@pytest.mark.parametrize("estimator", [None, mlreduce.MLKNN(5), mlreduce.RidgeRegressor(alpha=1.0)])
def test_a_threshold_around_an_estimator(estimator, rng):
    X, Y = partly(rng, n=90)
    model = ThresholdClassifier(estimator).fit(X, Y)
    inner = (mlreduce.RidgeRegressor() if estimator is None else estimator).fit(X, Y)
    scores = inner.predict_scores(X) if hasattr(inner, "predict_scores") else inner.predict(X)
    np.testing.assert_allclose(model.predict_scores(X), scores)
    assert (model.thresholds_ == model.thresholds_[0]).all()
    with pytest.raises(DataError, match="all labels have to be known here"):
        ThresholdClassifier(mlreduce.SLEEC(n_components=2)).fit(X, Y)


def test_neighbours_need_enough_known_labels(rng):
    X, Y = partly(rng)
    Y[4:, 3] = NAN
    with pytest.raises(DataError, match="y is known of [0-4] rows in column 3; for 10 neighbours .* 11 are the least"):
        mlreduce.MLKNN().fit(X, Y)


def test_the_cut_has_the_share_of_the_known_labels():
    scores = np.arange(8.0).reshape(4, 2) + 1
    cut = mlreduce.ProportionalCut().fit(scores, [[1, NAN], [NAN, NAN], [1, 0], [0, 1]])
    np.testing.assert_array_equal(cut.shares_, [2 / 3, 1 / 2])
