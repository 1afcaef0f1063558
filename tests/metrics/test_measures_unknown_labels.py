"""Each measure over known labels: that of the known cells, by its definition one instance or one label at a time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.metrics import MEASURES, Outcome, evaluate, get_scorer

OF_ARRAYS = [name for name, own in MEASURES.items() if own.needs in ("labels", "scores")]
NAN = np.nan
FEW = settings(max_examples=10)  # of each measure


@st.composite
def problems(draw):
    """Labels of which some are NaN, and scores with ties; each label is known of an instance."""
    shape = (draw(st.integers(1, 9)), draw(st.integers(1, 5)))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    labels = np.where(rng.random(shape) < draw(st.sampled_from([0.1, 0.5, 0.8])), NAN, rng.integers(0, 2, shape))
    assume(not np.isnan(labels).all(axis=0).any())
    return labels, rng.integers(0, 4, shape) / 3


def given_of(name, scores):
    return scores if MEASURES[name].needs == "scores" else (scores > 0.5).astype(np.int8)


def by_definition(name, labels, predicted):
    """Return the measure from the known cells of one instance or label at a time, or of all in one column."""
    known = ~np.isnan(labels)
    if name.startswith(("micro", "hamming")):
        return evaluate(name, labels[known][:, None], predicted[known][:, None])
    if name == "rmse":
        errors = np.where(known, np.nan_to_num(labels) - predicted, 0)[known.any(axis=1)]
        return np.sqrt(np.square(errors).sum(axis=1).mean())
    if name.startswith("macro"):
        parts = [(labels[rows, j, None], predicted[rows, j, None]) for j, rows in enumerate(known.T)]
        if name == "macro-auc":
            parts = [(own, theirs) for own, theirs in parts if 0 < own.sum() < len(own)]
    else:
        parts = [(labels[[i], own], predicted[[i], own]) for i, own in enumerate(known) if own.any()]
        parts = [(own[None], theirs[None]) for own, theirs in parts]
        if name.endswith("labelled"):
            parts = [(own, theirs) for own, theirs in parts if own.any()]
    nothing = {"macro-auc": NAN}.get(name, 0.0)
    return np.mean([evaluate(name, *part) for part in parts]) if parts else nothing


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", OF_ARRAYS)
@FEW
@given(problems())
@pytest.mark.rotating
def test_a_measure_is_that_of_the_known_labels(name, problem):
    labels, scores = problem
    assert evaluate(name, labels, given_of(name, scores)) == pytest.approx(
        by_definition(name, labels, given_of(name, scores)), abs=1e-12, nan_ok=True
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", OF_ARRAYS)
@FEW
@given(problems(), st.integers(0, 100))
def test_what_is_predicted_where_nothing_is_known_does_not_matter(name, problem, seed):
    labels, scores = problem
    others = np.where(np.isnan(labels), np.random.default_rng(seed).integers(0, 4, labels.shape) / 3, scores)
    np.testing.assert_equal(*(evaluate(name, labels, given_of(name, each)) for each in (scores, others)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", OF_ARRAYS)
@FEW
@given(problems())
def test_known_labels_alone_are_measured_as_ever(name, problem):
    labels, scores = np.nan_to_num(problem[0]), problem[1]
    predicted = given_of(name, scores)
    scored = {"scores": predicted} if MEASURES[name].needs == "scores" else {}
    before = MEASURES[name](
        Outcome(labels.astype(np.int8), np.zeros_like(predicted) if scored else predicted, **scored)
    )
    np.testing.assert_equal(evaluate(name, labels, predicted), before)
    # A row of which nothing is known is no row.
    more = np.vstack([labels, np.full(labels.shape[1], NAN)])
    np.testing.assert_equal(evaluate(name, more, np.vstack([predicted, np.ones(labels.shape[1])])), before)


def test_a_label_known_nowhere_is_left_out_and_named():
    labels = pd.DataFrame({"calm": [1, 0], "happy": [NAN, NAN], "sad": [1, 1]})
    predicted = np.array([[1, 1, 0], [0, 0, 1]])
    with pytest.warns(UserWarning, match=r"column 1 \('happy'\): such a label is ignored"):
        found = evaluate("macro-f1", labels, predicted)
    assert found == evaluate("macro-f1", labels[["calm", "sad"]], predicted[:, [0, 2]])
    with pytest.raises(DataError, match="no label is known"):
        evaluate("macro-f1", labels[["happy"]], predicted[:, [0]])
    with pytest.raises(DataError, match="y_pred is NaN in column 0, row 0"):
        evaluate("micro-f1", predicted, [[NAN, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize("name", ["micro-f1", "ranking-loss", "macro-auc"])
def test_scorers_in_cross_validation(name, rng):
    data = mlreduce.load_dataset("planted-300")
    partly = np.where(rng.random(data.Y.shape) < 0.3, NAN, data.Y)
    scorer = get_scorer(name)
    model = mlreduce.LEML(2, penalty=1.0)
    # With a number of folds scikit-learn looks at the labels of a classifier, and takes no NaN there.
    folds = cross_val_score(model, data.X, partly, cv=KFold(3), scoring=scorer, error_score="raise")
    assert np.isfinite(folds).all()
    fitted = model.fit(data.X[100:], partly[100:])
    predicted = fitted.predict(data.X[:100]) if name == "micro-f1" else fitted.decision_function(data.X[:100])
    sign = -1 if name == "ranking-loss" else 1
    assert folds[0] == sign * evaluate(name, partly[:100], predicted)
    search = GridSearchCV(model, {"penalty": [10.0, 100.0]}, cv=KFold(2), scoring=scorer, error_score="raise")
    assert np.isfinite(search.fit(data.X, partly).cv_results_["mean_test_score"]).all()
