"""The loops of the studies when a method or a predictor raises on one split: the rest is what it is without it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mlreduce import registry
from mlreduce.evaluation import kernel_choice, measuring
from mlreduce.evaluation.entries import chosen_entries
from mlreduce.evaluation.failures import RAISE, FailedCellWarning, Failures
from mlreduce.evaluation.feature_space import FeatureSpaceStrategy
from mlreduce.evaluation.kernel_choice import CHOICE_COLUMNS, choose_on_splits, chosen_parameters
from mlreduce.evaluation.label_space import LabelSpaceStrategy
from mlreduce.evaluation.scores import SCORE_COLUMNS
from mlreduce.evaluation.search import SEARCH_COLUMNS, Search, search_on_splits
from mlreduce.evaluation.selection import SelectionStrategy
from mlreduce.evaluation.strategy import Measured
from mlreduce.exceptions import DataError
from mlreduce.labelspace.plst import PLST
from mlreduce.metrics.measures import Measure
from mlreduce.predictors.ridge import RidgeRegressor
from mlreduce.projection.pca import PCA
from mlreduce.selection.spectral import SPEC
from mlreduce_studies.experiments.costs import measure_costs
from mlreduce_studies.experiments.proximities import proximity_images
from mlreduce_studies.experiments.timing import time_fits

SPACE = {"scaling": "none", "relation": None}
pytestmark = pytest.mark.filterwarnings("ignore::mlreduce.evaluation.failures.FailedCellWarning")


def boom(*_, **__):
    raise RuntimeError("boom")


def mark(labels):
    """A number that tells training parts apart by their labels."""
    return int(np.rint(np.asarray(labels.sum(axis=0)).ravel() @ 100 ** np.arange(5)))


class Where:
    """Marks of the training parts on which the methods of this file raise, and at what."""

    marks: frozenset[int] = frozenset()
    at = "fit"


def is_there(labels, at):
    return Where.at == at and mark(labels) in Where.marks


class FailingCoder(PLST):
    there_ = False

    def fit_statistics(self, statistics):
        self.there_ = np.array(is_there(statistics.mean[None] * statistics.n_samples, Where.at))
        return boom() if self.there_ and Where.at == "fit" else super().fit_statistics(statistics)

    def project(self, labels):
        return boom() if self.there_ and Where.at == "project" else super().project(labels)

    def round(self, guess, size):
        return boom() if self.there_ and Where.at == "round" else super().round(guess, size)


class FailingProjection(PCA):
    def fit_training_set(self, data):
        return boom() if is_there(data.labels, "fit") else super().fit_training_set(data)

    def objective(self, data):
        return boom() if is_there(data.labels, "objective") else super().objective(data)

    def transform(self, X):
        return boom() if Where.at == "transform" else super().transform(X)


class FailingSelector(SPEC):
    def _scores(self, X, labels):
        return boom() if is_there(labels, "fit") else super()._scores(X, labels)


class FailingRidge(RidgeRegressor):
    """Raises in the middle of the sizes."""

    def predict_nested(self, train, targets, test, sizes):
        for number, guess in enumerate(super().predict_nested(train, targets, test, sizes)):
            if number == 1 and is_there(targets, "fit"):
                boom()
            yield guess


@pytest.fixture(autouse=True)
def failing(study, monkeypatch):
    data, splits = study
    marks = [mark(data.Y[split.train]) for split in splits.values()]
    assert len(set(marks)) == 3
    monkeypatch.setattr(Where, "marks", frozenset(marks[1:2]))  # on split 1
    monkeypatch.setattr(Where, "at", "fit")
    for cls in (FailingCoder, FailingProjection, FailingSelector, FailingRidge):
        name = cls.__name__.replace("Failing", "failing-").lower()
        monkeypatch.setitem(registry._at_run_time, name, ("user", cls))


def split_1_of(failures, method, step, where="test_failing_methods.py"):
    """Check that a method failed once, on split 1, and say the rest of it."""
    (cell,) = failures.table().to_dict("records")
    assert (cell["method"], cell["split"], cell["step"]) == (method, 1, step)
    assert (cell["error"], cell["message"]) == ("RuntimeError", "boom")
    assert cell["where"].startswith(where)


def same_but_for(scores, whole, method, missing):
    """Check that what is left of a method is on other splits, and that all else is what it is without it."""
    assert tuple(scores.columns) == SCORE_COLUMNS
    assert set(scores.loc[scores["method"] == method, "split"]) == {0, 1, 2} - missing
    others = scores[scores["method"] != method].reset_index(drop=True)
    pd.testing.assert_frame_equal(others, whole, check_exact=True)


# --- label space ----------------------------------------------------------------------------------------------------


def run(strategy, study, methods, predictor, measured, step="reduce", **parameters):
    _, splits = study
    failures = Failures(step)
    fitted = dict(strategy.fit(splits, methods, failures))
    after = Failures("predict", predictor, failures.table())
    return strategy.score(splits, fitted, methods, (predictor, parameters), measured, after), failures, after


def run_labels(study, methods, predictor="linear", **parameters):
    strategy = LabelSpaceStrategy(study[0], seed=7)
    return run(strategy, study, methods, predictor, Measured(["hamming-loss"], [40, 100]), **parameters)


CODERS = {"plst": {}, "failing-coder": {}, "cplst": {}}


def test_a_coder_that_does_not_fit_is_missing_on_its_split_and_does_not_raise_again(study):
    scores, failures, after = run_labels(study, CODERS)
    split_1_of(failures, "failing-coder", "reduce")
    split_1_of(after, "failing-coder", "reduce")
    same_but_for(scores, run_labels(study, {"plst": {}, "cplst": {}})[0], "failing-coder", {1})


@pytest.mark.parametrize("at", ["project", "round"])
@pytest.mark.parametrize("predictor", [("linear", {}), ("m5p", {}), ("kernel-ridge", {"alpha": 0.5, "gamma": 0.1})])
def test_a_coder_that_does_not_decode_takes_no_other_along(study, monkeypatch, at, predictor):
    monkeypatch.setattr(Where, "at", at)
    name, parameters = predictor
    scores, failures, after = run_labels(study, CODERS, name, **parameters)
    assert failures.table().empty
    split_1_of(after, "failing-coder", "predict")
    same_but_for(scores, run_labels(study, {"plst": {}, "cplst": {}}, name, **parameters)[0], "failing-coder", {1})


def test_a_predictor_that_raises_is_missing_for_every_coder_of_the_split(study, monkeypatch):
    whole = run_labels(study, {"plst": {}, "cplst": {}}, "ridge")[0]
    (data, splits), fit = study, RidgeRegressor.fit

    def fails_on_the_second_split(self, X, y):
        return boom() if np.array_equal(X, data.X[splits[1].train]) else fit(self, X, y)

    monkeypatch.setattr(RidgeRegressor, "fit", fails_on_the_second_split)
    scores, _, after = run_labels(study, {"plst": {}, "cplst": {}}, "ridge")
    assert after.table()[["method", "split", "predictor"]].values.tolist() == [
        ["cplst", 1, "ridge"],
        ["plst", 1, "ridge"],
    ]
    pd.testing.assert_frame_equal(scores, whole[whole["split"] != 1].reset_index(drop=True), check_exact=True)


def test_nothing_left_is_an_empty_table_of_scores(study, monkeypatch, tmp_path):
    data, splits = study
    monkeypatch.setattr(Where, "marks", frozenset(mark(data.Y[split.train]) for split in splits.values()))
    scores, failures, after = run_labels(study, {"failing-coder": {}})
    assert len(failures.table()) == len(after.table()) == 3
    scores.to_parquet(tmp_path / "s.parquet")
    some = run_labels(study, {"plst": {}})[0]
    together = pd.concat([pd.read_parquet(tmp_path / "s.parquet"), some], ignore_index=True)
    pd.testing.assert_frame_equal(together, some)


CANDIDATES = {"gammas": [0.1, 1.0], "alphas": [0.01, 1.0], "folds": 3}


def test_a_choice_that_fails_leaves_the_other_methods_theirs(study, monkeypatch):
    data, splits = study
    choose = kernel_choice.choose_kernel

    def choose_on_known_rows(X, Y, *arguments, **options):
        monkeypatch.setattr(Where, "at", "fit" if mark(Y) in Where.marks else "nowhere")
        return choose(X, Y, *arguments, **options)

    def fit_statistics(self, statistics):  # of folds of the training part
        return boom() if Where.at == "fit" else PLST.fit_statistics(self, statistics)

    monkeypatch.setattr(kernel_choice, "choose_kernel", choose_on_known_rows)
    monkeypatch.setattr(FailingCoder, "fit_statistics", fit_statistics)
    failures = Failures("choose")
    methods = {"plst": {}, "failing-coder": {}}
    choices = choose_on_splits(data, splits, methods, CANDIDATES, 3, failures)
    assert tuple(choices.columns) == CHOICE_COLUMNS
    split_1_of(failures, "failing-coder", "choose")
    assert set(choices.loc[choices["method"] == "failing-coder", "split"]) == {0, 2}
    others = choices[choices["method"] == "plst"].reset_index(drop=True)
    alone = choose_on_splits(data, splits, {"plst": {}}, CANDIDATES, 3)
    pd.testing.assert_frame_equal(others, alone, check_exact=True)
    # What was not chosen is not fitted with anything else.
    after = Failures("reduce", before=failures.table())
    monkeypatch.setattr(Where, "at", "nowhere")
    chosen = chosen_parameters(choices, splits, once=False)
    fitted = dict(LabelSpaceStrategy(data, seed=7).fit(splits, methods, after, chosen))
    assert ("1", "failing-coder") not in fitted
    assert len(fitted) == 5


# --- feature space --------------------------------------------------------------------------------------------------


def run_features(study, methods, predictor="ridge"):
    measured = Measured(["hamming-loss"], [20, 50, 100], [0.9])
    return run(FeatureSpaceStrategy(study[0]), study, methods, predictor, measured)


PROJECTIONS = {"pca": {}, "failing-projection": {}, "mddmp": {}}


def test_a_projection_that_does_not_fit_is_missing_on_its_split_and_does_not_raise_again(study):
    scores, failures, after = run_features(study, PROJECTIONS)
    split_1_of(failures, "failing-projection", "reduce")
    split_1_of(after, "failing-projection", "reduce")
    same_but_for(scores, run_features(study, {"pca": {}, "mddmp": {}})[0], "failing-projection", {1})


def test_a_projection_that_does_not_transform_is_missing(study, monkeypatch):
    monkeypatch.setattr(Where, "at", "transform")
    scores, failures, after = run_features(study, PROJECTIONS)
    assert failures.table().empty
    assert after.table()["split"].tolist() == [0, 1, 2]
    same_but_for(scores, run_features(study, {"pca": {}, "mddmp": {}})[0], "failing-projection", {0, 1, 2})


def test_a_predictor_that_raises_leaves_no_size_of_its_split(study):
    scores, _, after = run_features(study, {"pca": {}, "mddmp": {}}, "failing-ridge")
    assert after.table()[["method", "split", "step"]].values.tolist() == [
        ["mddmp", 1, "predict"],
        ["pca", 1, "predict"],
    ]
    whole = run_features(study, {"pca": {}, "mddmp": {}})[0].assign(predictor="failing-ridge")
    pd.testing.assert_frame_equal(scores, whole[whole["split"] != 1].reset_index(drop=True), check_exact=True)


def test_an_error_of_the_loop_is_no_failed_cell(study, monkeypatch):
    monkeypatch.setattr(measuring, "find_measure", lambda name: Measure(name, "", False, "labels", boom))
    with pytest.raises(RuntimeError, match="boom"):
        run_features(study, {"pca": {}})
    with pytest.raises(KeyError):
        FeatureSpaceStrategy(study[0]).score(
            *(study[1], {}, {"pca": {}}, ("ridge", {})), Measured(["hamming-loss"], [100]), Failures("predict")
        )


def test_times_images_and_costs_go_on(study, monkeypatch):
    data, splits = study
    failures = Failures("time")
    times = time_fits(data, splits, {"family": "projection", "methods": PROJECTIONS, "space": SPACE}, 0, failures)
    split_1_of(failures, "failing-projection", "time")
    assert times.groupby("method")["split"].agg(list).to_dict() == {
        **{"pca": [0, 1, 2], "mddmp": [0, 1, 2], "failing-projection": [0, 2]},
    }
    monkeypatch.setattr(Where, "at", "objective")
    failures = Failures("image")
    images = proximity_images(data, splits[1], {"methods": PROJECTIONS, "space": SPACE}, failures)
    assert set(images["method"]) == {"pca", "mddmp"}
    assert failures.table()[["method", "split", "message"]].values.tolist() == [["failing-projection", 0, "boom"]]
    assert proximity_images(data, splits[1], {"methods": {"failing-projection": {}}, "space": SPACE}, failures).empty
    failures = Failures("cost")
    sizes = {"rows": [20], "features": [5], "prototypes": [5]}
    methods = {"pca": {}, "worse": {"method": "pca", "n_components": 0}}  # refused in the process that fits
    costs = measure_costs(data, {"methods": methods, **sizes}, SPACE | {"relation": "cosine"}, 1, failures)
    assert set(costs["method"]) == {"pca"}
    (cell,) = failures.table().to_dict("records")
    assert pd.isna(cell["split"])
    assert cell["message"].startswith("fitting 'worse' to 20 rows: DataError: ")


def test_a_search_goes_on_without_the_method_that_raises(study, monkeypatch):
    data, splits = study
    methods = {
        "balanced": {"method": "mvmd", "search": {"beta": [0.0, 1.0]}},
        "mine": {"method": "failing-projection", "search": {"n_components": [3, 0]}},  # none of it cannot be fitted
    }
    search = Search(8, 1.0, 1, 2, "macro-f1", ("flda", {}), 3)

    def searched(splits, methods, failures=RAISE):
        evaluate = FeatureSpaceStrategy(data, SPACE, 1).evaluator(search, failures)
        return search_on_splits(data, splits, methods, evaluate, search, 1, failures)

    monkeypatch.setattr(Where, "marks", frozenset())
    whole = searched(splits, methods)
    assert whole.loc[whole["method"] == "mine", "score"].isna().sum() == 3
    failures, fit = Failures("choose"), FailingProjection.fit_training_set

    def raises_on_split_1(self, training):
        rows = {tuple(row) for row in data.X[splits[1].train]}
        there = all(tuple(row) in rows for row in training.X)
        return boom() if there else fit(self, training)

    monkeypatch.setattr(FailingProjection, "fit_training_set", raises_on_split_1)
    found = searched(splits, methods, failures)
    assert tuple(found.columns) == SEARCH_COLUMNS
    split_1_of(failures, "mine", "choose")
    left = whole[(whole["method"] != "mine") | (whole["split"] != 1)].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, left, check_exact=True)
    nothing = searched({1: splits[1]}, {"mine": methods["mine"]}, Failures("choose"))
    assert chosen_entries({"mine": methods["mine"]}, nothing) == {"mine": {"method": "failing-projection"}}
    none = {"mine": {"method": "pca", "search": {"n_components": [0]}}}
    with pytest.raises(DataError, match="none of the 1 combinations"):
        searched(splits, none)
    refused = Failures("choose")
    assert searched(splits, none, refused).empty
    assert refused.table()["split"].tolist() == [0, 1, 2]


# --- selection ------------------------------------------------------------------------------------------------------


def run_selectors(study, methods, predictor="br-knn"):
    strategy = SelectionStrategy(study[0], {"scaling": "standard"})
    return run(strategy, study, methods, predictor, Measured(["hamming-loss"], [20, 100]), "rank")


def test_a_selector_that_raises_is_missing_on_its_split_and_does_not_raise_again(study):
    methods = {"spec": {}, "failing-selector": {}, "random-features": {}}
    scores, failures, after = run_selectors(study, methods)
    split_1_of(failures, "failing-selector", "rank")
    split_1_of(after, "failing-selector", "rank")
    whole = run_selectors(study, {"spec": {}, "random-features": {}})[0]
    same_but_for(scores, whole, "failing-selector", {1})
    settings = {"family": "selection", "methods": methods, "space": {"scaling": "standard"}}
    times = time_fits(*study, settings, 7, Failures("time"))
    assert times["method"].value_counts().to_dict() == {"spec": 3, "random-features": 3, "failing-selector": 2}


def test_no_ranking_left_is_an_empty_table(study, monkeypatch):
    data, splits = study
    monkeypatch.setattr(Where, "marks", frozenset(mark(data.Y[split.train]) for split in splits.values()))
    scores, failures, _ = run_selectors(study, {"failing-selector": {}})
    assert scores.empty
    assert len(failures.table()) == 3


def test_a_failure_is_said_as_a_warning(study):
    with pytest.warns(FailedCellWarning, match=r"(?s)rank: failing-selector failed on split 1.*RuntimeError: boom"):
        run_selectors(study, {"failing-selector": {}})
