"""Measures of arrays and as scorers, beside scikit-learn's functions where it has them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.model_selection import GridSearchCV, cross_validate

import mlreduce
from mlreduce.datasets.embedded import planted
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.metrics import MEASURES, evaluate, get_scorer, higher_is_better

DATA = planted(n_samples=60, n_features=6, n_labels=4, n_latent=3, n_distractors=1, random_state=0).data
OF_CODES = [name for name, own in MEASURES.items() if own.needs == "codes"]
OF_ARRAYS = [name for name, own in MEASURES.items() if own.needs in ("labels", "scores")]
SAME = {
    "hamming-loss": metrics.hamming_loss,
    "subset-accuracy": metrics.accuracy_score,
    "micro-f1": lambda Y, P: metrics.f1_score(Y, P, average="micro", zero_division=0),
    "macro-precision": lambda Y, P: metrics.precision_score(Y, P, average="macro", zero_division=0),
    "ranking-loss": metrics.label_ranking_loss,
    "average-precision": metrics.label_ranking_average_precision_score,
}


@st.composite
def predictions(draw):
    shape = (draw(st.integers(1, 8)), draw(st.integers(2, 5)))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return rng.integers(0, 2, shape), rng.integers(0, 4, shape) / 3


@given(predictions())
def test_same_as_scikit_learn(both):
    labels, scores = both
    for name, function in SAME.items():
        given = scores if MEASURES[name].needs == "scores" else (scores > 0.5).astype(int)
        assert evaluate(name, labels, given) == pytest.approx(function(labels, given))


@pytest.mark.parametrize("form", [sp.csr_array, pd.DataFrame, np.ndarray.tolist, lambda Y: 2 * Y - 1, np.bool_])
def test_forms_of_labels(form):
    predicted = DATA.Y[::-1]
    own = evaluate("macro-f1", form(np.asarray(DATA.Y)), form(np.asarray(predicted)))
    assert own == evaluate("macro-f1", DATA.Y, predicted)


def test_all_are_scorers_with_the_sign_of_the_better():
    model = mlreduce.MLKNN(n_neighbors=5).fit(DATA.X, DATA.Y)
    for name in OF_ARRAYS:
        given = model.predict_proba(DATA.X) if MEASURES[name].needs == "scores" else model.predict(DATA.X)
        sign = 1 if higher_is_better(name) else -1
        scorer = pickle.loads(pickle.dumps(get_scorer(name)))
        assert scorer(model, DATA.X, DATA.Y) == sign * evaluate(name, DATA.Y, given)
    scoring = {name: get_scorer(name) for name in ("ranking-loss", "micro-f1")}
    found = cross_validate(mlreduce.MLKNN(), DATA.X, DATA.Y, cv=2, scoring=scoring, error_score="raise")
    assert (found["test_ranking-loss"] <= 0).all()
    search = GridSearchCV(mlreduce.MLKNN(), {"n_neighbors": [2, 10]}, scoring=get_scorer("coverage"), cv=2)
    assert len(set(search.fit(DATA.X, DATA.Y).cv_results_["mean_test_score"])) == 2


@pytest.mark.parametrize("name", OF_CODES)
def test_measures_of_codes_are_refused(name):
    for use in (get_scorer, lambda own: evaluate(own, DATA.Y, DATA.Y)):
        with pytest.raises(ConfigurationError, match="measure codes of the labels"):
            use(name)


def test_what_does_not_fit_is_said():
    with pytest.raises(ConfigurationError, match="did you mean 'micro-f1'"):
        get_scorer("micro-f")
    with pytest.raises(DataError, match=r"same shape; got \(60, 4\) and \(60, 3\)"):
        evaluate("micro-f1", DATA.Y, DATA.Y[:, :3])
    with pytest.raises(DataError, match="a score in y_pred is NaN"):
        evaluate("coverage", DATA.Y, np.full(DATA.Y.shape, np.nan))


def test_a_sentence_names_the_table_that_is_wrong():
    right = [[1, 0], [0, 1]]
    for wrong, text in (
        ([[2, 0], [0, 1]], "holds 2 in column 0, row 0"),
        ([[0.5, 0], [0, 1]], "is continuous: {what} holds 0.5"),
        ([[1, -1], [0, 1]], "mixes 0 and -1"),
        ([["a", "b"], ["c", "d"]], "must hold numbers"),
        ([[0], [0, 1]], "holds sets of labels"),
        (None, "requires {what} to be passed"),
        (sp.csr_array([[3, 0], [0, 1]]), "holds 3 in column 0, row 0"),
    ):
        for what, arguments in (("y_true", (wrong, right)), ("y_pred", (right, wrong))):
            with pytest.raises(DataError, match=f"{what} .*|requires") as caught:
                evaluate("hamming-loss", *arguments)
            assert text.format(what=what) in str(caught.value)
    with pytest.raises(DataError, match="ranking-loss orders labels by scores, and y_pred holds no table of numbers"):
        evaluate("ranking-loss", right, [["a", "b"], ["c", "d"]])
    with pytest.raises(DataError, match="all cells of y_true are NaN"):
        evaluate("hamming-loss", np.full((2, 2), np.nan), right)
