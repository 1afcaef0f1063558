"""Two names of one model have the same value of every measure, by the loop and the predictors of the benchmark."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mlreduce
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce.evaluation.loop import Experiment
from mlreduce.evaluation.scores import as_table
from mlreduce.metrics.measures import MEASURES
from mlreduce_studies.benchmark.protocol import Protocol

PROJECT = Path(__file__).parents[2]
STUDIES = Protocol(PROJECT, version=1).studies() | Protocol(PROJECT).studies()
# Coders have no propensity-scored measures, and only they have those of codes.
NAMES = [name for name, declared in MEASURES.items() if declared.needs in ("labels", "scores")]
DECIDED = [f"{name}@{rule}" for name in ("micro-f1", "hamming-loss") for rule in ("one-threshold", "top-k")]


def rare_labels():
    """Whole numbers as features, so that rows repeat; labels of which most rows have none, and two that are equal."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (120, 6)) * np.array([1.0, 100.0, 1.0, 7.0, 1.0, 0.01])
    Y = (rng.random((120, 7)) < 0.12).astype(np.int8)
    Y[:, 0] |= X[:, 0] > 2
    Y[:, 1] = Y[:, 0]
    return MultiLabelData(X, Y, list("abcdef"), list("1234567"), "rare-labels")


DATA = {
    "planted": lambda: planted(n_samples=120, n_features=10, n_labels=6, n_latent=3, n_distractors=2).data,
    "rare-labels": rare_labels,
    "digits-300": lambda: mlreduce.load_dataset("digits-300"),
}
sets = pytest.mark.parametrize("name", ["planted", "rare-labels", pytest.param("digits-300", marks=pytest.mark.slow)])


def scores(data, family, methods, predictors, ties, scaling="unit", measures=(*NAMES, *DECIDED)):
    """Return the values at full size of methods of a family: method, predictor, measure and split to value."""
    task = {
        **{"protocol": "folds", "group": "all", "rule": {"folds": 3, "stratify": "first"}, "splits": (0, 2)},
        **{"methods": methods, "predictors": predictors, "dimensions": []},
    }
    measured = {"sizes": [100], "energies": [], "every_size": False, "measures": list(measures), "decision": "half"}
    space = {"scaling": scaling, "relation": None}
    settings = {"family": family, "space": space, "tasks": [task], "measured": measured, "ties": ties}
    experiment, fitted = Experiment("invariants", data, settings, seed=7), {}
    _, failures = experiment.fit(None, as_table([], FAILURE_COLUMNS), fitted.__setitem__)
    table, failures = experiment.predict(fitted, None, failures)
    assert failures.empty
    return table.set_index(["method", "predictor", "measure", "split"])["value"]


def assert_same(values, one, other):
    pd.testing.assert_series_equal(values[one].sort_index(), values[other].sort_index(), rtol=0, atol=1e-9)


def predictors_of(study, *without):
    used = {name for group in STUDIES[study].groups.values() for name in group.predictors}
    return {name: entry for name, entry in STUDIES[study].predictors.items() if name in used - {*without}}


@sets
@pytest.mark.parametrize(
    ("study", "scalings"), [("benchmark-coders", ("none", "unit")), ("benchmark-2-coders", ("rows", "chosen"))]
)
@pytest.mark.rotating
def test_codes_of_full_size_are_binary_relevance(name, study, scalings):
    predictors = predictors_of(study)
    assert {"ridge", "3-nn"} <= predictors.keys() or {"ridge", "k-nn"} <= predictors.keys()
    coders = {label: {} for label in ("br", "plst", "cplst")}
    for scaling in scalings:
        values = scores(DATA[name](), "labelspace", coders, predictors, "expected", scaling)
        assert len(values) == 3 * 3 * len(predictors) * len([*NAMES, *DECIDED])
        for other in ("plst", "cplst"):
            assert_same(values, "br", other)


@sets
@pytest.mark.parametrize(("study", "scaling"), [("benchmark-coders", "unit"), ("benchmark-2-coders", "chosen")])
@pytest.mark.rotating
def test_binary_relevance_is_all_features(name, study, scaling):
    predictors = predictors_of(study, "label-means")
    values = pd.concat(
        [
            scores(DATA[name](), "labelspace", {"br": {}}, predictors, "expected", scaling),
            scores(DATA[name](), "selection", {"all-features": {}}, predictors, "expected", scaling),
        ]
    )
    assert_same(values, "br", "all-features")


@sets
@pytest.mark.parametrize(("version", "scaling"), [("benchmark", "unit"), ("benchmark-2", "chosen")])
def test_all_features_are_those_of_selectors_and_of_projections(name, version, scaling):
    predictors = predictors_of(f"{version}-projections") | predictors_of(f"{version}-selectors")
    assert {"ridge", "ml-knn", "majority-labels"} <= predictors.keys()
    label, entry = "all-features", STUDIES[f"{version}-projections"].methods["all-features"]
    values = [
        scores(DATA[name](), family, {label: parameters}, predictors, "expected", scaling)
        for family, parameters in (("selection", {}), ("projection", entry))
    ]
    assert_same(pd.concat(values, keys=["selection", "projection"]), "selection", "projection")


@sets
def test_directions_of_full_rank_are_all_features_to_neighbours(name):
    data = DATA[name]()
    varying = data.X[:, data.X.std(axis=0) > 0]
    data = MultiLabelData(varying, data.Y, [str(i) for i in range(varying.shape[1])], data.label_names, "varying")
    methods = {"pca": {}, "all-features": STUDIES["benchmark-2-projections"].methods["all-features"]}
    predictors = {name: STUDIES["benchmark-2-projections"].predictors[name] for name in ("ridge", "ml-knn")}
    assert_same(scores(data, "projection", methods, predictors, "expected", "none"), "pca", "all-features")


def test_ties_as_errors_tell_the_names_of_one_model_apart():
    predictors = {"3-nn": predictors_of("benchmark-coders")["3-nn"]}
    values = {
        ties: scores(rare_labels(), "labelspace", {"br": {}, "plst": {}}, predictors, ties, "none")
        for ties in ("standard", "expected")
    }
    differences = (values["standard"]["br"] - values["standard"]["plst"]).abs().groupby("measure").max()
    assert differences["average-precision"] > 0.01
    assert differences["ranking-loss"] > 0.01
    assert differences["micro-f1"] <= 1e-9
    assert_same(values["expected"], "br", "plst")


@pytest.mark.parametrize(
    ("family", "methods", "predictor"),
    [
        ("labelspace", {"mlc-bmad": {"search": {"tau": [0.2, 0.4]}}}, "3-nn"),
        ("projection", {"mddmf": {"search": {"scatter_weight": [0.1, 0.9]}}}, "br-knn"),
        ("selection", {"lasso-multitask": {"search": {"sparsity": [0.003, 0.01]}}}, "br-knn"),
    ],
)
def test_a_search_has_the_rule_of_the_study(family, methods, predictor):
    known = predictors_of("benchmark-coders") | predictors_of("benchmark-projections")
    search = {"candidates": 2, "share": 1.0, "keep": 2, "folds": 2, "size_percent": 100, "dimension": 4}
    task = {
        **{"protocol": "folds", "group": "all", "rule": {"folds": 3, "stratify": "first"}, "splits": (0, 0)},
        **{"methods": methods, "once": False},
        "search": {**search, "measure": "average-precision", "predictor": (predictor, known[predictor])},
    }
    settings = {"family": family, "space": {"scaling": "unit", "relation": None}, "tasks": [task]}
    tables = [
        Experiment("searches", rare_labels(), {**settings, "ties": ties}, seed=7).choose()[0]
        for ties in ("standard", "expected")
    ]
    assert (tables[0]["score"] < tables[1]["score"] - 0.005).all()


def test_another_scaling_is_another_model():
    predictors = {"ridge": predictors_of("benchmark-coders")["ridge"]}
    raw, scaled = (
        scores(rare_labels(), "labelspace", {"br": {}}, predictors, "expected", scaling) for scaling in ("none", "unit")
    )
    assert (raw - scaled).abs().max() > 1e-6
