"""Warnings and ends of a search as columns of the scores, and methods over a limit."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest

import mlreduce
from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.failures import FAILURE_COLUMNS, FailedCellWarning, Failures
from mlreduce.evaluation.loop import Experiment
from mlreduce.evaluation.scores import SCORE_COLUMNS, as_table
from mlreduce.evaluation.selection import suited
from mlreduce.validation.limits import TimeLimitError

DATA = planted(n_samples=90, n_features=10, n_labels=5, n_latent=3, n_distractors=2).data


def scored(data, family, methods, predictors, record, search=None, rule=None):
    task = {
        **{"protocol": "folds", "group": "all", "rule": rule or {"folds": 3}, "splits": (0, 2), "methods": methods},
        **{"predictors": predictors, "dimensions": [2]},
    }
    if search:
        common = {"share": 1.0, "keep": 2, "folds": 2, "size_percent": 40, "dimension": 2, "measure": "micro-f1"}
        task["search"] = {**common, **search, "predictor": next(iter(predictors.items()))}
    task["once"] = False
    measured = {"sizes": [20, 40], "energies": [], "every_size": False, "measures": ["micro-f1"], "decision": "half"}
    settings = {"family": family, "space": {"scaling": "none", "relation": None}, "tasks": [task], "measured": measured}
    experiment, fitted = Experiment("study", data, {**settings, "record_warnings": record}, seed=7), {}
    choices = experiment.choose()[0] if search else None
    _, failures = experiment.fit(choices, as_table([], FAILURE_COLUMNS), fitted.__setitem__)
    return experiment.predict(fitted, choices, failures)[0]


@pytest.mark.parametrize(
    ("family", "methods"),
    [
        ("selection", {"anova": {}, "rfs": {"sparsity": 1.0, "max_iter": 1}}),
        ("projection", {"pca": {}, "cca": {}}),
        ("labelspace", {"plst": {}, "mlc-bmad": {}}),
    ],
)
def test_classes_of_warnings_are_a_column_and_scores_the_same(family, methods):
    data, predictors = DATA, {"ridge": {}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = scored(data, family, methods, predictors, False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # none is shown
        recorded = scored(data, family, methods, predictors, True)
    assert list(plain) == ["study", "protocol", *SCORE_COLUMNS]
    pd.testing.assert_frame_equal(recorded.drop(columns=["warnings", "at_edge"]), plain)
    if family == "selection":
        by_method = recorded.groupby("method")["warnings"].unique()
        assert by_method["anova"].tolist() == [""]
        assert by_method["rfs"].tolist() == ["ConvergenceWarning"]


def test_warnings_of_predictors_are_those_of_their_cells():
    table = scored(
        DATA, "selection", {"anova": {}}, {"ridge": {}, "linear": {}}, True, rule={"train_rows": 8, "test": 0.3}
    )
    by_predictor = table.groupby("predictor")["warnings"].agg(set)
    assert by_predictor["ridge"] != by_predictor["linear"]


def test_ends_of_a_search_are_a_column():
    methods = {
        "mddmf": {"search": {"scatter_weight": {"from": 0.01, "to": 0.99}}},
        "pca": {},
        "wmlda": {"search": {"weights": ["entropy", "binary"]}},
    }
    table = scored(DATA, "projection", methods, {"ridge": {}}, True, {"candidates": 2})
    ends = table.groupby("method")["at_edge"].unique()
    assert ends["mddmf"].tolist() == ["scatter_weight"]  # of two candidates each is an end
    assert ends["pca"].tolist() == [""]


def test_a_choice_of_the_default_at_an_end_is_marked(rng):
    """Labels that do not depend on the features: the largest ridge is the best."""
    from mlreduce.datasets.data import MultiLabelData

    X = rng.normal(size=(60, 4))
    data = MultiLabelData(X, (rng.random((60, 3)) < 0.5).astype(np.int8), list("abcd"), list("xyz"), "noise")
    table = scored(data, "projection", {"rcca": {}}, {"ridge": {}}, True)
    edges = {split: rows["at_edge"].iloc[0] for split, rows in table.groupby("split")}
    from mlreduce.evaluation.splitting import take_splits

    for number, split in take_splits(data.Y, {"folds": 3}, range(3), 7, "noise").items():
        assert edges[number] == (mlreduce.RCCA().fit(X[split.train], data.Y[split.train]).edge_ or "")


def test_a_method_over_its_limit_is_not_called_again():
    failures, calls = Failures("reduce", limits={"seconds": 0.05}), []

    def slow(split):
        calls.append(split)
        start = time.process_time()
        while time.process_time() - start < 10:
            pass

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FailedCellWarning)
        for split in range(3):
            assert failures.attempt(split, "slow", slow, split) is None
            assert failures.attempt(split, "quick", int, "7") == 7
    assert calls == [0]
    table = failures.table(study="s", protocol="p", dataset="d", group="g")
    assert table["split"].tolist() == [0, 1, 2]
    assert set(table["error"]) == {TimeLimitError.__name__}


def test_selectors_that_take_none_below_zero_get_features_in_0_to_1(rng):
    X = rng.normal(size=(30, 4))
    assert suited(mlreduce.AnovaF(), X) is X
    assert suited(mlreduce.Chi2(), np.abs(X)).min() > 0
    scaled = suited(mlreduce.Chi2(), X)
    assert (scaled.min(), scaled.max()) == (0, 1)
    np.testing.assert_allclose(scaled, (X - X.min(axis=0)) / np.ptp(X, axis=0))
