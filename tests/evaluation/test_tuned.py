"""Tasks that tune the same methods with several predictors, by several measures: what they share changes no score."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import mlreduce
from mlreduce.evaluation.caching import ResultCache
from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce.evaluation.loop import Experiment
from mlreduce.evaluation.measuring import Measuring
from mlreduce.evaluation.scores import as_table, resolve_sizes
from mlreduce.evaluation.splitting import Split, take_splits
from mlreduce.evaluation.strategy import Measured, find_strategy

SCORES, LABELS = "average-precision", "micro-f1@one-threshold"
TUNED = {SCORES: [SCORES, "ranking-loss"], LABELS: [LABELS, "hamming-loss"]}
ON_FEATURES = {"ridge": {"alpha": 1.0}, "br-knn": {}}
ON_CODES = {"ridge": {"alpha": 1.0}, "nn": {"class": "sklearn.neighbors.KNeighborsRegressor", "n_neighbors": 3}}
FAMILIES = {
    "selection": ({"csfs": {"max_iter": 5, "search": {"sparsity": [0.1, 10.0]}}}, ON_FEATURES, {"size_percent": 20}),
    "projection": ({"mddmf": {"search": {"scatter_weight": [0.1, 0.5, 0.9]}}}, ON_FEATURES, {"dimension": 2}),
    "labelspace": ({"faie": {"search": {"predictability": [0.1, 10.0]}}}, ON_CODES, {"size_percent": 40}),
}


@pytest.fixture(scope="module")
def data():
    return mlreduce.load_dataset("planted-300")


def settings(family, chosen=None):
    methods, predictors, more = FAMILIES[family]
    search = {"candidates": 3, "share": 0.5, "keep": 2, "folds": 2, "also": list(TUNED), **more}
    pairs = [(label, entry) for label, entry in predictors.items()]
    tasks = [
        {
            "protocol": "cv",
            "group": f"{predictor[0]}-{measure}",
            "rule": {"folds": 3, "stratify": "first"},
            "splits": (0, 1),
            "methods": methods,
            "once": False,
            "predictors": dict([predictor]),
            "dimensions": [4],
            "measures": measures,
            "search": {**search, "measure": measure, "predictor": predictor, "together": pairs},
        }
        for predictor in pairs
        for measure, measures in TUNED.items()
    ]
    asked = {"sizes": [50], "energies": [], "every_size": False, "measures": [], "decision": "half"}
    space = {"scaling": "none", "relation": None}
    return {"family": family, "space": space, "tasks": tasks if chosen is None else [tasks[chosen]], "measured": asked}


def run(data, asked):
    with warnings.catch_warnings(action="ignore"):
        choices, failures = Experiment("s", data, asked, 1).choose()
        fitted = {}
        _, failures = Experiment("s", data, asked, 1).fit(choices, failures, fitted.__setitem__)
        return choices, Experiment("s", data, asked, 1).predict(fitted, choices, failures)[0]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.rotating
def test_together_tasks_choose_and_score_as_alone(data, family):
    together = run(data, settings(family))
    alone = [run(data, settings(family, number)) for number in range(4)]
    for place, own in enumerate(together):
        parts = pd.concat([found[place] for found in alone], ignore_index=True)
        order = [name for name in own.columns if name not in ("score", "value")]
        pd.testing.assert_frame_equal(
            own.sort_values(order, ignore_index=True), parts.sort_values(order, ignore_index=True), check_exact=True
        )
    assert set(together[1]["measure"]) == {name for own in TUNED.values() for name in own}


def test_a_candidate_is_fitted_once_for_all_predictors_and_measures(data, monkeypatch):
    fits = []
    own = mlreduce.MDDMf.fit_training_set

    def counted(self, training):
        fits.append(self.scatter_weight)
        return own(self, training)

    monkeypatch.setattr(mlreduce.MDDMf, "fit_training_set", counted)
    asked = settings("projection")
    for task in asked["tasks"]:
        task["splits"] = (0, 0)
        task["search"]["keep"] = 3
    Experiment("s", data, asked, 1).choose()
    assert len(fits) == 2 * 2 * 3  # rounds, folds, candidates


def test_what_fails_for_one_task_has_failed_for_all(data, monkeypatch):
    def never_ends(self, X, y):
        while True:  # a fit that ends within a tick of the clock would not be limited
            pass

    monkeypatch.setattr(mlreduce.CSFS, "fit", never_ends)
    asked = settings("selection")
    for task in asked["tasks"]:
        task["methods"] = {"csfs": {"max_iter": 5, "search": {"sparsity": [1.0]}}}
    asked["limits"] = {"seconds": 0.02}
    with warnings.catch_warnings(action="ignore"):
        choices, failures = Experiment("s", data, asked, 1).choose()
    assert not len(choices)
    assert failures.groupby("group").size().tolist() == [2] * 4
    assert set(failures["error"]) == {"TimeLimitError"}


def test_least_recently_used_results_are_removed():
    calls, results = [], ResultCache(2500)

    def made(name):
        calls.append(name)
        return np.zeros(100)

    for name in "abaca":
        results.get((name,), made, name)
    assert calls == ["a", "b", "c"]
    results.get(("b",), made, "b")
    assert calls == ["a", "b", "c", "b"]

    def wrong():
        calls.append("wrong")
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            results.get(("wrong",), wrong)
    assert calls.count("wrong") == 1


# Decisions of measures


@pytest.mark.parametrize(
    ("predictor", "entry"), [("ridge", {"alpha": "gcv"}), ("flda", {"threshold": "prior"}), ("ml-knn", {})]
)
def test_a_measure_with_a_decision_is_that_of_a_study_with_the_decision(data, predictor, entry):
    split = Split(np.arange(200), np.arange(200, 300))
    parts = data.X[:200], data.X[200:]
    sizes = {2: [(0, 0.0)], 9: [(0, 0.0)], 20: [(0, 0.0)]}

    def values(measures, decision):
        measuring = Measuring(data, (predictor, entry), measures, True, decision=decision)
        measuring.add(0, split, "own", {}, parts, sizes)
        return {(row[6], row[8].partition("@")[0]): row[9] for row in measuring.rows}

    names = ["micro-f1", "macro-f1", "hamming-loss"]
    for rule in ("half", "one-threshold", "per-label"):
        own = values([f"{name}@{rule}" for name in names], "half")
        assert own == pytest.approx(values(names, rule), abs=1e-12)
    assert len({tuple(values(["micro-f1@one-threshold", "micro-f1@half"], "half").values()) for _ in "ab"}) == 1


def test_several_decisions_are_measured_at_once(data):
    split = Split(np.arange(200), np.arange(200, 300))
    measures = ["micro-f1", "micro-f1@one-threshold", "ranking-loss"]
    measuring = Measuring(data, ("ridge", {"alpha": "gcv"}), measures, True)
    measuring.add(0, split, "own", {}, (data.X[:200], data.X[200:]), {9: [(0, 0.0)]})
    assert [row[8] for row in measuring.rows] == measures
    half, chosen, _ = (row[9] for row in measuring.rows)
    assert half != chosen


@pytest.mark.parametrize("share", [True, False])
def test_held_out_scores_of_nested_discriminants_are_of_folds(data, share):
    """At all columns, whose ridge is the same, they are what fits of each fold give."""
    split, sizes = Split(np.arange(200), np.arange(200, 300)), {data.X.shape[1]: [(0, 0.0)]}
    found = []
    for own in (True, share):
        measuring = Measuring(data, ("flda", {}), ["micro-f1@one-threshold"], own)
        measuring.add(0, split, "own", {}, (data.X[:200], data.X[200:]), sizes)
        found.append(measuring.rows[0][9])
    assert found[0] == pytest.approx(found[1], abs=1e-12)


# Sizes in numbers


def test_code_sizes_that_stand_for_themselves():
    assert resolve_sizes([50], 6, numbers=[3, 4, 8]) == {3: [50, 0], 4: [0]}
    assert resolve_sizes([50], 4, every=True, numbers=[2]) == {1: [], 2: [50, 0], 3: [], 4: []}


@pytest.mark.parametrize(
    ("family", "methods"), [("selection", {"anova": {}}), ("projection", {"pca": {}}), ("labelspace", {"plst": {}})]
)
def test_a_number_is_measured_as_the_percentage_of_the_same_size(data, family, methods):
    largest = (data.Y if family == "labelspace" else data.X).shape[1]
    strategy = find_strategy(family)(data, seed=1)
    splits = take_splits(data.Y, {"folds": 3}, [0], 1, data.name)
    fitted = dict(strategy.fit(splits, methods))
    asked = Measured(["micro-f1"], [20, 50], dimensions=[largest // 2, 10**4])
    scores = strategy.score(splits, fitted, methods, ("ridge", {"alpha": 1.0}), asked)
    own = scores.set_index(["size_percent", "size"])["value"]
    assert own.loc[0, largest // 2] == own.loc[50, largest // 2]
    alone = sorted(scores.loc[scores["size_percent"] == 0, "size"])
    # A projection has all its directions where more are asked for; there are no more features or labels.
    assert alone == ([largest // 2, largest] if family == "projection" else [largest // 2])


@pytest.mark.parametrize(
    ("family", "method"), [("selection", "mlfs"), ("projection", "mddmp"), ("labelspace", "plst")], ids=str
)
def test_tasks_of_several_protocols_share_no_fit(data, family, method):
    """Their splits have the same numbers, and other rows."""

    def fits(tasks):
        space = {"scaling": "none", "relation": None}
        found = {}
        experiment = Experiment("study", data, {"family": family, "space": space, "tasks": tasks}, 7)
        experiment.fit(None, as_table([], FAILURE_COLUMNS), found.__setitem__)
        return found

    tasks = [
        {"protocol": protocol, "group": group, "rule": {"train": share}, "splits": (0, 1), "methods": {method: {}}}
        for protocol, share in (("most", 0.9), ("half", 0.5))
        for group in ("one", "other")
    ]
    together = fits(tasks)
    alone = {key: arrays for task in tasks for key, arrays in fits([task]).items()}
    assert together.keys() == alone.keys()
    for key, arrays in alone.items():
        for name, values in arrays.items():
            np.testing.assert_array_equal(together[key][name], values)
