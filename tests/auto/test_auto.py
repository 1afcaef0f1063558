"""AutoReducer: one call that gives a model within a time, and says what it tried."""

from __future__ import annotations

import pickle
import time
import warnings
from html import escape

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mlreduce
from mlreduce import AutoReducer
from mlreduce.auto import trials
from mlreduce.auto.candidates import Candidate, build_first
from mlreduce.auto.costs import estimated_seconds, grown_seconds
from mlreduce.auto.reducer import _complete
from mlreduce.auto.stack import choose_stack
from mlreduce.auto.trials import Problem
from mlreduce.commandline import main
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.methods.shapes import shape_of
from mlreduce.metrics.measures import find_measure
from mlreduce.predictors.calibration import Calibration
from mlreduce.predictors.decision import Decision

pytestmark = pytest.mark.rotating

DATA = mlreduce.load_dataset("planted-300")
X, Y = DATA.X[:160], DATA.Y[:160, :6]
#: What is measured by a clock.
TIMED = ["seconds", "megabytes", "milliseconds"]
FEW = [("mvmd", mlreduce.MVMD(n_components=5)), ("pca", PCA(n_components=4))]


class Odd(ClassifierMixin, BaseEstimator):
    """Predicts the shares of the labels, after what an odd candidate does."""

    clock = 0.0

    def __init__(self, what="nothing", seconds=0.0):
        self.what = what
        self.seconds = seconds

    def fit(self, X, y):
        Odd.clock += self.seconds
        if self.what == "raise":
            raise RuntimeError("no luck\nat all")
        if self.what == "interrupt":
            raise KeyboardInterrupt
        if self.what == "loop":
            while True:
                time.sleep(0.001)
        if self.what == "memory":
            np.ones(10**9)
        self.shares_ = np.asarray(y).mean(axis=0)
        return self

    def predict_proba(self, X):
        shares = np.tile(self.shares_, (len(X), 1))
        return shares * np.nan if self.what == "nan" else shares

    def predict(self, X):
        return (self.predict_proba(X) > 0.5).astype(int)


def fitted(candidates=FEW, X=X, Y=Y, **parameters):
    return AutoReducer(**{"time_budget": 30, "random_state": 0, "candidates": candidates, **parameters}).fit(X, Y)


def row_of(model, name):
    (row,) = model.leaderboard_[model.leaderboard_["candidate"] == name].to_dict("records")
    return row


@pytest.fixture(scope="module")
def full():
    """Return a model of the candidates that are built."""
    return AutoReducer(time_budget=30, random_state=0).fit(DATA.X[:200], DATA.Y[:200])


def test_the_candidates_that_are_built(full):
    table = full.leaderboard_
    assert {"ridge", "ml-knn"} <= set(table["candidate"])
    assert table["candidate"].is_unique
    assert {"none", "standard", "rows"} == set(table["scaling"])
    assert {"ridge", "ml-knn", "svm", "forest", "extra-trees"} == set(table["predictor"])
    families = {mlreduce.registry.kind_of(name) for name in set(table["reduction"]) - {"none"}}
    assert families == {"selection", "projection", "labelspace"}
    assert (table.loc[table["status"] == "dropped", "reason"].str.contains("^rank|^the same as ")).all()
    assert not table[table["folds"] == 5].duplicated(["reduction", "features", "scaling", "predictor"]).any()
    assert set(table["status"]) <= {"chosen", "in the stack", "finished", "dropped"}
    finals = table[table["candidate"].isin(full.fold_scores_.index)]
    assert finals["score"].is_monotonic_decreasing
    assert (finals["folds"] == 5).all()
    assert (finals["low"] < finals["score"]).all()
    assert (finals["score"] < finals["high"]).all()


def test_numbers_are_those_of_the_leaderboard(full):
    best = full.leaderboard_.iloc[0]
    assert best["status"] == "chosen"
    means = full.fold_scores_.mean(axis=1)
    for row in full.leaderboard_[full.leaderboard_["folds"] == 5].to_dict("records"):
        assert row["score"] == pytest.approx(means[row["candidate"]], abs=1e-8)
    assert full.score_ == pytest.approx(means["stack"] if full.weights_.size > 1 else best["score"], abs=1e-8)
    unreduced = full.leaderboard_.query("reduction == 'none' and folds == 5")["score"]
    assert full.unreduced_score_ == unreduced.max()
    text = full.explain()
    for number in (best["score"], best["low"], best["high"], full.unreduced_score_):
        assert f"{number:.4f}" in text
    reduced = full.leaderboard_.query("reduction != 'none'").iloc[0]
    low, high = full.difference_interval(
        reduced["candidate"], full.leaderboard_.query("reduction == 'none'").iloc[0, 0]
    )
    assert f"95 % interval {low:+.4f} to {high:+.4f}" in text
    with pytest.raises(DataError, match="'x' is not among"):
        full.difference_interval("x", "ridge")


def test_plot(full):
    pytest.importorskip("matplotlib").use("agg")
    axis = full.plot()
    axis.figure.canvas.draw()
    ticks = [*axis.get_xticklabels(), *axis.get_xticklabels(minor=True)]
    assert "$" not in "".join(text.get_text() for text in ticks)  # which pages do not set as formulas
    names = [text.get_text() for text in axis.get_legend().get_texts()]
    assert {"all features", "reduced"} <= set(names)
    assert sum(len(line.get_xdata()) for line in axis.lines) == full.leaderboard_["score"].notna().sum()
    axis.figure.clear()


def test_page(tmp_path):
    model = fitted([("<b>pca</b> $x$", PCA(n_components=4)), ("odd", Odd("raise"))])
    page = model.to_html(tmp_path / "search.html").read_text(encoding="utf-8")
    for line in model.explain().splitlines():
        assert escape(line) in page
    assert "&lt;b&gt;pca&lt;/b&gt;" in page
    assert "<b>" not in page
    for row in model.leaderboard_.to_dict("records"):
        assert escape(row["reason"]) in page
        assert pd.isna(row["score"]) or f"<td>{row['score']:.4f}</td>" in page
    assert "<code>30</code>" in page  # the budget
    assert "data:image/svg+xml" in page or "left out" in page


def test_it_is_an_estimator_of_scikit_learn(full):
    model = clone(AutoReducer(time_budget=3, measure="micro-f1"))
    assert model.get_params()["measure"] == "micro-f1"
    assert model.get_params()["time_budget"] == 3
    copy = pickle.loads(pickle.dumps(full))
    np.testing.assert_array_equal(copy.predict_scores(DATA.X), full.predict_scores(DATA.X))
    assert copy.explain() == full.explain()
    np.testing.assert_array_equal(full.predict(DATA.X), full.predict_scores(DATA.X) > full.thresholds_)
    assert full.predict_top(DATA.X, k=3).nnz == 3 * len(DATA.X)
    assert 0 < full.score(DATA.X, DATA.Y) <= 1
    with pytest.raises(TypeError, match="did you mean 'time_budget'"):
        AutoReducer(time_budge=3)


def test_the_best_estimator_needs_no_auto_reducer(rng):
    features = rng.normal(size=(200, 10))
    labels = (features > 0).astype(int)
    model = fitted([("mvmd", mlreduce.MVMD(n_components=5))], features, labels)
    assert model.weights_.size == 1
    assert model.estimators_ == [model.best_estimator_]
    np.testing.assert_array_equal(model.best_estimator_.predict(features), model.predict(features))
    np.testing.assert_array_equal(model.best_estimator_.predict_scores(features), model.predict_scores(features))
    again = clone(model.best_estimator_).fit(features, labels)
    assert again.steps[-1][1].calibration_ is not None
    assert (again.predict(features) == labels).mean() > 0.9


def test_scores_are_calibrated_on_rows_that_were_held_out():
    """Those of given estimators too, with scores that are calibrated already or are none."""
    given = [("calibrated", mlreduce.ThresholdClassifier(calibrate=True)), ("neighbours", KNeighborsClassifier())]
    for candidates in (given, given[1:]):
        scores = fitted(candidates).predict_scores(DATA.X)
        assert ((scores > 0) & (scores < 1)).all()
    estimator = mlreduce.ThresholdClassifier(calibrate=True, decision="half").fit(X, Y)
    curves = Calibration(np.full(6, 2.0), np.zeros(6))
    decision = Decision.half(6)
    problem = Problem(X, Y, find_measure("average-precision"), "micro-f1")
    assert _complete(estimator, curves, decision, problem) is curves  # whose scores are those that were calibrated
    plain = mlreduce.ThresholdClassifier(decision="half").fit(X, Y)
    raw = plain.predict_scores(DATA.X)
    assert _complete(plain, curves, decision, problem) is None
    np.testing.assert_allclose(plain.predict_scores(DATA.X), curves.apply(raw))


def test_names_of_columns():
    frame, labels = DATA.as_frame()
    frame, labels = frame[:160], labels.iloc[:160, :6]
    some = ColumnTransformer([("some", StandardScaler(), list(frame.columns[:20]))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fitted([("some", make_pipeline(some, KNeighborsClassifier()))], frame, labels)
        scores = model.predict_scores(frame)
    assert row_of(model, "some")["status"] in ("finished", "chosen", "in the stack")
    assert row_of(model, "some")["features"] == 20
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.label_names_ == list(labels.columns)
    assert {name for row in model.predict_labels(frame) for name in row} <= set(labels.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"x0": "other"}))
    assert scores.shape == (160, 6)


def test_sparse_features_and_labels():
    features = sp.csr_array(np.where(np.abs(X) > 0.5, X, 0.0)[:100, :12])
    dense, sparse = fitted(FEW, features, Y[:100]), fitted(["auto"], features, sp.csr_array(Y[:100]), time_budget=3)
    assert set(sparse.leaderboard_["scaling"]) == {"none", "rows"}
    assert sp.issparse(sparse.predict(features))
    assert sparse.predict(features).shape == dense.predict(features).shape == (100, 6)
    assert (sparse.leaderboard_["status"] != "failed").all()
    assert (dense.leaderboard_["status"] != "failed").all()


def test_labels_of_other_forms():
    unknown = Y.astype(float)
    unknown[np.random.default_rng(0).random(Y.shape) < 0.2] = np.nan
    model = fitted(None, X, unknown)
    assert (model.leaderboard_["status"] != "failed").all()
    assert 0.5 < model.score_ < 1
    assert not {"svm", "forest"} & set(model.leaderboard_["predictor"])
    assert set(np.unique(fitted([Odd()], X, 2 * Y - 1).predict(X))) == {-1, 1}
    classes = np.array(["a", "b", "c"])[np.argmax(X[:, :3], axis=1)]
    model = fitted([PCA(n_components=4)], X, classes)
    assert model.score(X, classes) > 0.7
    assert set(model.predict(X)) == {"a", "b", "c"}


def test_the_same_seed_gives_the_same():
    unknown = np.where(np.arange(Y.size).reshape(Y.shape) == 7, np.nan, Y)  # without a random forest of 100 trees
    forest = RandomForestClassifier(n_estimators=5)
    for candidates, labels in ((["auto"], unknown), ([forest], Y)):
        first, second = (fitted(candidates, X, labels) for _ in range(2))
        pd.testing.assert_frame_equal(first.leaderboard_.drop(columns=TIMED), second.leaderboard_.drop(columns=TIMED))
        np.testing.assert_array_equal(first.predict_scores(DATA.X), second.predict_scores(DATA.X))
        np.testing.assert_array_equal(first.thresholds_, second.thresholds_)
    other = fitted([forest], random_state=1)
    assert row_of(other, "RandomForestClassifier")["score"] != row_of(second, "RandomForestClassifier")["score"]


@pytest.mark.slow
def test_processes_change_nothing():
    one, two = fitted(FEW), fitted(FEW, n_jobs=2)
    pd.testing.assert_frame_equal(one.leaderboard_.drop(columns=TIMED), two.leaderboard_.drop(columns=TIMED))
    np.testing.assert_array_equal(one.predict_scores(DATA.X), two.predict_scores(DATA.X))


def test_equal_candidates_are_taken_in_order():
    model = fitted([("b", Odd()), ("a", Odd())])
    names = model.leaderboard_["candidate"].tolist()
    assert names.index("b") < names.index("a")
    assert model.leaderboard_["candidate"].tolist()[:2] != ["b", "a"]  # all features are better


@pytest.mark.parametrize(("what", "status", "reason"), [
    ("raise", "failed", "RuntimeError: no luck"),
    ("nan", "failed", "DataError: scores are not finite"),
])  # fmt: skip
def test_what_fails_is_a_row(what, status, reason):
    model = fitted([("odd", Odd(what)), *FEW])
    assert (row_of(model, "odd")["status"], row_of(model, "odd")["reason"]) == (status, reason)
    assert np.isnan(row_of(model, "odd")["score"])
    assert f"1 {status}" in model.explain()


def test_limits_are_rows():
    model = fitted([("odd", Odd("loop"))], time_budget=3)
    assert row_of(model, "odd")["status"] == "time limit"
    assert row_of(model, "odd")["reason"].startswith("took more than 0.")
    assert model.seconds_ < 3.3
    model = fitted([("odd", Odd("memory"))], memory=1.0)
    assert row_of(model, "odd")["status"] == "memory limit"


def test_the_budget_cuts_the_list(monkeypatch):
    """By a clock that only the candidates advance, each of which takes 10 s, but for those that are always tried."""
    monkeypatch.setattr(Odd, "clock", 0.0)
    monkeypatch.setattr(trials, "now", lambda: Odd.clock)
    model = fitted([(f"odd{i}", Odd(seconds=10)) for i in range(20)], time_budget=100)
    assert Odd.clock <= 110
    statuses = [row_of(model, f"odd{i}")["status"] for i in range(20)]
    assert statuses[-1] == "cut"
    assert "dropped" not in statuses
    assert row_of(model, "odd19")["reason"] == "50% of the time was over"
    assert row_of(model, "ridge")["status"] in ("chosen", "finished")  # which were finished, and are compared
    assert "cut" in model.explain()


def test_a_budget_for_nothing_gives_ridge():
    with pytest.warns(UserWarning, match="no candidate was finished in time_budget=1e-06 s"):
        model = AutoReducer(time_budget=1e-6).fit(X, Y)
    expected = mlreduce.ThresholdClassifier().fit(X, Y)
    np.testing.assert_array_equal(model.predict(DATA.X), expected.predict(DATA.X))
    assert (model.leaderboard_["status"] != "finished").all()
    assert np.isnan(model.score_)
    assert "no trial finished" in model.explain()


def test_a_budget_for_no_refit_gives_the_cheapest(monkeypatch):
    monkeypatch.setattr(
        "mlreduce.auto.search.grown_seconds", lambda candidate, *_: 1e9 if candidate.scaling == "none" else 1e6
    )
    given = [("mvmd", mlreduce.MVMD(n_components=5))]
    with pytest.warns(UserWarning, match="too short for a fit of any candidate to all rows"):
        model = fitted(given)
    assert row_of(model, "ridge")["reason"].startswith("a fit to all 160 rows is expected to take")
    assert set(model.leaderboard_["status"]) == {"chosen", "too slow"}
    assert model.predict(X).shape == Y.shape
    assert model.score_ > 0.5


def test_a_better_candidate_that_is_too_slow_is_named(monkeypatch):
    """The model is what there is time for; what scored higher is named with what it would take."""
    monkeypatch.setattr(
        "mlreduce.auto.search.grown_seconds", lambda candidate, *_: 1e6 if candidate.predictor == "ridge" else 0.0
    )
    given = [("majority", mlreduce.MajorityLabels())]
    with pytest.warns(UserWarning, match="ridge has average precision .* too short for it: a fit to all 160 rows"):
        model = fitted(given)
    slow, chosen = row_of(model, "ridge"), model.leaderboard_[model.leaderboard_["status"] == "chosen"].iloc[0]
    assert slow["status"] == "too slow"
    assert slow["score"] > chosen["score"]
    assert f"ridge has average precision {slow['score']:.4f} on {slow['rows']} rows" in model.explain()


def test_what_does_not_grow_is_not_extrapolated():
    """Of two seconds for 250 rows of wide data, of which ridge regression declares few hundredths, most are a start."""
    shape = shape_of(sp.random_array((1500, 20_000), density=0.004, rng=0, format="csr"), np.ones((1500, 300)))
    ridge = build_first()[0]
    few, many = (estimated_seconds(ridge, shape, rows) for rows in (250, 1500))
    assert many / few > 6
    assert grown_seconds(ridge, shape, few, 250, 1500) == pytest.approx(many)
    assert grown_seconds(ridge, shape, few + 2, 250, 1500) == pytest.approx(many + 2 * 6)
    assert grown_seconds(ridge, shape, few, 250, 1500, slower=3) == pytest.approx(many)
    assert grown_seconds(ridge, shape, few, 250, 250) == pytest.approx(few)
    given = Candidate("given", None, "given", "none", "given")
    assert grown_seconds(given, shape, 2.0, 250, 1000) == pytest.approx(2 * 4**1.5)


def test_an_interruption_leaves_what_is_finished(monkeypatch):
    with pytest.warns(UserWarning, match="interrupted"):
        model = fitted([("mvmd", FEW[0][1]), ("odd", Odd("interrupt")), ("after", Odd())])
    assert row_of(model, "after")["status"] == "cut"
    assert row_of(model, "after")["reason"] == "interrupted"
    assert model.predict(X).shape == Y.shape
    assert row_of(model, "mvmd")["score"] > 0.5

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("mlreduce.auto.search.run_trial", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fitted()


def test_candidates_of_the_user():
    coder = mlreduce.CPLST(n_components=3)
    given = [PCA(n_components=4), PCA(n_components=2), ("coder", coder), KNeighborsClassifier()]
    model = fitted(given)
    assert set(model.leaderboard_["candidate"]) == {
        *("ridge", "ml-knn", "PCA", "PCA #2", "coder", "KNeighborsClassifier")
    }
    assert row_of(model, "PCA")["features"] == 4
    assert row_of(model, "PCA")["predictor"] == "ridge"
    assert row_of(model, "KNeighborsClassifier")["reduction"] == "none"
    assert (model.leaderboard_["status"] != "failed").all()


@pytest.mark.parametrize(("parameters", "error", "message"), [
    ({"candidates": []}, DataError, "candidates must be a list"),
    ({"candidates": "auto"}, DataError, "candidates must be a list"),
    ({"candidates": [PCA]}, DataError, "is no estimator"),
    ({"candidates": [3]}, DataError, "'int' is no estimator"),
    ({"candidates": [("a", PCA()), ("a", PCA())]}, DataError, "two have the name 'a'"),
    ({"candidates": [mlreduce.LLE()]}, DataError, "neither predict nor transform"),
    ({"time_budget": 0}, DataError, "time_budget"),
    ({"time_budget": "a minute"}, DataError, "time_budget"),
    ({"memory": -1}, DataError, "memory"),
    ({"max_features": 0}, DataError, "max_features"),
    ({"max_predict_ms": 0}, DataError, "max_predict_ms"),
    ({"measure": "micro-f2"}, ConfigurationError, "did you mean"),
    ({"measure": "encoding-error"}, DataError, "measure must be one of labels or scores"),
    ({"max_predict_ms": 1e-9}, DataError, "no candidate that was finished is within"),
    ({"X": X[:3], "Y": Y[:3]}, DataError, "n_samples=3 is too few"),
    ({"X": np.where(X[0, 0] == X, np.nan, X)}, DataError, "NaN"),
])  # fmt: skip
def test_bad_input_is_a_sentence(parameters, error, message):
    with pytest.raises(error, match=message):
        fitted(**parameters)


def test_the_model_has_few_features():
    model = fitted(["auto", *FEW], max_features=4, time_budget=4)
    assert row_of(model, "ridge")["status"] == "excluded"
    assert row_of(model, "ridge")["score"] > 0.5
    assert "more than max_features=4" in row_of(model, "mvmd")["reason"]
    taken = model.leaderboard_[model.leaderboard_["status"].isin(["chosen", "in the stack"])]
    assert taken["features"].sum() <= 4
    assert 0.5 < model.unreduced_score_ < 1  # to compare with, though it may not be chosen


@pytest.mark.parametrize("measure", ["micro-f1", "hamming-loss", "ranking-loss"])
def test_other_measures(measure):
    model = fitted([("constant", Odd())], measure=measure)
    values = model.fold_scores_.mean(axis=1)
    better = max if find_measure(measure).higher_is_better else min
    assert values.min() > 0
    assert values.max() < 1
    assert model.leaderboard_.iloc[0]["score"] == pytest.approx(better(values.drop("stack", errors="ignore")), abs=1e-8)
    assert model.leaderboard_.iloc[0]["candidate"] != "constant"


def test_reducing_where_it_helps(rng):
    """Three features say everything, by their magnitudes, and two hundred are noise to the neighbours."""
    features = rng.normal(size=(300, 203))
    labels = (np.abs(features[:, :3]) > 0.7).astype(int)
    selector = mlreduce.MutualInformation(k=3)
    model = fitted([("selected", make_pipeline(selector, mlreduce.MLKNN(n_neighbors="loo")))], features, labels)
    assert row_of(model, "selected")["status"] == "chosen"
    assert model.score_ > model.unreduced_score_ + 0.05
    assert "It predicts from 3 instead of 203 features" in model.explain()


def test_reducing_where_it_does_not_help(rng):
    """Each of ten labels is the sign of a feature: without one of them its label cannot be predicted."""
    features = rng.normal(size=(200, 10))
    model = fitted([("some", mlreduce.RandomFeatures(k=5))], features, (features > 0).astype(int))
    assert model.leaderboard_.iloc[0]["reduction"] == "none"
    assert row_of(model, "some")["score"] < model.score_ - 0.05
    assert model.score_ >= model.unreduced_score_
    assert "Reducing was not better" in model.explain()


def test_a_stack_only_where_it_is_better(rng):
    labels = [(rng.random((80, 5)) < 0.4).astype(float) for _ in range(5)]
    problem = Problem(np.zeros((400, 1)), np.concatenate(labels), find_measure("average-precision"), "micro-f1")
    noisy = [[one + rng.normal(size=one.shape) for one in labels] for _ in range(3)]
    alone = [float(np.mean([problem.value(*pair) for pair in zip(labels, one, strict=True)])) for one in noisy]
    stack = choose_stack(problem, labels, noisy, max(alone))
    assert stack is not None
    assert stack.value > max(alone) + 0.05
    assert stack.weights.sum() == pytest.approx(1)
    combined = stack.combine([noisy[member][0] for member in stack.members])
    assert problem.value(labels[0], combined) > problem.value(labels[0], noisy[0][0])
    assert choose_stack(problem, labels, [noisy[0], noisy[0]], alone[0]) is None  # which say the same
    assert choose_stack(problem, labels, noisy, max(alone), lambda: False) is None  # no time
    assert choose_stack(problem, labels[:1], [one[:1] for one in noisy], 0.0) is None  # one fold says too little


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = DATA.as_frame()[0].join(DATA.as_frame()[1])
    table[:120].to_csv("train.csv", index=False)
    table[120:150].to_csv("test.csv", index=False)
    arguments = ["auto", "train.csv", "--labels", "12", "--seconds", "3"]
    assert main([*arguments, "--apply", "test.csv", "-o", "predicted.csv", "--page", "search.html"]) == 0
    shown = capsys.readouterr().out
    assert "page: search.html" in shown
    assert "Search for a model" in (tmp_path / "search.html").read_text(encoding="utf-8")
    assert "candidates were scored" in shown
    assert "status" in shown
    assert "predicted labels of 30 instances" in shown
    predicted = pd.read_csv("predicted.csv")
    assert list(predicted.columns) == list(DATA.label_names)
    assert predicted.isin([0, 1]).all().all()
    for wrong, message in (
        (["--apply", "test.csv", "-o", "predicted.csv"], "already exists"),
        (["-o", "other.csv"], "go together"),
        (["--measure", "nonsense"], "unknown measure 'nonsense'"),
        (["--seconds", "0"], "--seconds must be above 0"),
        (["--seed", "-1"], "--seed must be 0 or above"),
        (["--apply", "test.csv", "-o", "predicted.txt"], "must end in .csv or .parquet"),
        (["--page", "search.txt"], "must end in .html"),
        (["--page", "search.html"], "already exists"),
        (["--apply", "none.csv", "-o", "other.csv"], "none.csv"),
    ):
        assert main([*arguments, *wrong]) == 1
        assert message in capsys.readouterr().err
