"""A search in the training rows of each split, by family: what is found there is what is fitted and measured there."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score

import mlreduce
from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.loop import Experiment
from mlreduce.preprocessing.scaling import scale_parts

SEARCH = {"candidates": 4, "share": 1.0, "keep": 1, "folds": 3, "measure": "micro-f1"}
TASK = {"protocol": "ten", "group": "own", "rule": {"folds": 5}, "splits": (0, 4), "once": False}
FAMILIES = {
    "selection": {"tuned": {"method": "rfs", "search": {"sparsity": [0.01, 1.0, 100.0]}}, "fixed": {"method": "mlfs"}},
    "projection": {"tuned": {"method": "rcca", "search": {"ridge": [1e-6, 1.0, 1e6]}}, "fixed": {"method": "pca"}},
    "labelspace": {"tuned": {"method": "faie", "search": {"predictability": [1e-3, 1e3]}}, "fixed": {"method": "plst"}},
}
PREDICTORS = {"selection": ("br-knn", {}), "projection": ("flda", {}), "labelspace": ("ridge", {"alpha": 1.0})}


@pytest.fixture(scope="module")
def data():
    return planted(n_samples=90, n_features=12, n_labels=6, n_latent=3, n_distractors=2).data


def experiment(family, data, once=False, splits=TASK["splits"]):
    methods, predictor = FAMILIES[family], PREDICTORS[family]
    search = {**SEARCH, "predictor": predictor, "size_percent": 50, "dimension": 3}
    task = {**TASK, "methods": methods, "once": once, "splits": splits, "dimensions": [3], "search": search}
    task["predictors"] = dict([predictor])
    measured = {"sizes": [50], "energies": [], "every_size": False, "measures": ["micro-f1"]}
    space = {"scaling": "standard" if family == "selection" else "none", "relation": None}
    return Experiment("study", data, {"family": family, "space": space, "tasks": [task], "measured": measured}, 7)


def run(family, data, once=False):
    asked = experiment(family, data, once, TASK["splits"])
    choices, failed = experiment(family, data, once, (0, 0) if once else TASK["splits"]).choose()
    fitted = {}
    _, failed = asked.fit(choices, failed, fitted.__setitem__)
    scores, failures = asked.predict(fitted, choices, failed)
    assert failures.empty
    return choices, scores


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.rotating
def test_each_split_has_what_was_found_in_its_training_rows(family, data):
    choices, scores = run(family, data)
    chosen = choices[choices["chosen"]]
    assert chosen["split"].tolist() == [0, 1, 2, 3, 4]
    name = next(iter(FAMILIES[family]["tuned"]["search"]))
    for row in chosen.to_dict("records"):
        own = scores[(scores["split"] == row["split"]) & (scores["method"] == "tuned")]
        (used,) = set(own["parameters"])
        assert json.loads(used)[name] == json.loads(row["parameters"])[name]
    # A search on the first split alone stands for all of them; its choice is the same.
    once, of_once = run(family, data, once=True)
    pd.testing.assert_frame_equal(once, choices[choices["split"] == 0].reset_index(drop=True))
    columns = [name for name in scores.columns if name != "parameters"]
    first, again = (table.loc[table["split"] == 0, columns].reset_index(drop=True) for table in (scores, of_once))
    pd.testing.assert_frame_equal(first, again)
    fixed, again = (table[table["method"] == "fixed"].reset_index(drop=True) for table in (scores, of_once))
    pd.testing.assert_frame_equal(fixed, again)


def test_a_selector_is_scored_by_hand_on_folds_of_the_training_rows(data):
    own = experiment("selection", data)
    choices, _ = own.choose()
    split = own._splits(own._settings["tasks"][0])[2]
    from mlreduce.evaluation.search import _inside
    from mlreduce.evaluation.seeds import derive_seed

    parts = list(_inside(split, 3, 1.0, derive_seed(7, "planted", "search", 2)))
    assert np.array_equal(np.sort(np.concatenate([part.test for part in parts])), split.train)
    for row in choices[choices["split"] == 2].to_dict("records"):
        found = []
        for part in parts:
            scaled = scale_parts(data.X[part.train], data.X[part.test], "standard")
            selector = mlreduce.RFS(k=6, **json.loads(row["parameters"])).fit(scaled.train, data.Y[part.train])
            model = clone(mlreduce.make("br-knn")).fit(selector.transform(scaled.train), data.Y[part.train])
            predicted = model.predict(selector.transform(scaled.test))
            found.append(f1_score(data.Y[part.test], predicted, average="micro", zero_division=0))
        assert row["score"] == pytest.approx(np.mean(found))
