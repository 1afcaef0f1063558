"""Splits of one's own: splitters of scikit-learn, groups, pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold
from sklearn.preprocessing import StandardScaler

import mlreduce
from mlreduce.datasets.embedded import planted
from mlreduce.exceptions import ConfigurationError
from mlreduce.metrics import evaluate
from mlreduce.model_selection import MultilabelStratifiedKFold

QUICK = {
    **{"methods": ["mvmd"], "predictors": ["linear"], "sizes": [50], "measures": ["micro-f1"]},
    "decision": "half",
}


@pytest.fixture(scope="module")
def data():
    return planted(n_samples=60, n_features=8, n_labels=4, n_latent=2, n_distractors=2).data


def by_hand(data, pairs):
    values = []
    for train, test in pairs:
        scaler = StandardScaler().fit(data.X[train])
        method = mlreduce.MVMD(n_components=4).fit(scaler.transform(data.X[train]), data.Y[train])
        Z, others = (method.transform(scaler.transform(data.X[rows])) for rows in (train, test))
        predicted = mlreduce.LinearRegressor().fit(Z, data.Y[train]).predict(others) > 0.5
        values.append(evaluate("micro-f1", data.Y[test], predicted.astype(int)))
    return values


GROUPS = np.arange(60) // 7


@pytest.mark.parametrize(
    ("cv", "groups"),
    [
        (ShuffleSplit(4, test_size=0.3, random_state=0), None),
        (GroupKFold(3), GROUPS),
        (3, GROUPS),
        ([(np.arange(40), np.arange(40, 60)), (np.arange(60) > 20, np.arange(60) <= 20)], None),
    ],
)
def test_scores_are_of_the_splits_asked_for(data, cv, groups, tmp_path):
    splitter = GroupKFold(3) if cv == 3 else cv
    pairs = list(splitter.split(data.X, data.Y, groups)) if hasattr(splitter, "split") else cv
    found = mlreduce.compare(data, cv=cv, groups=groups, **QUICK, store=tmp_path)
    np.testing.assert_allclose(found.scores["value"], by_hand(data, pairs), atol=1e-12)
    assert found.settings["cv"] == len(pairs)
    again = mlreduce.compare(data, cv=iter(pairs), **QUICK, store=tmp_path, n_jobs=2)
    assert found.scores.equals(again.scores)
    shares = [np.asarray(test).sum() / 60 if np.asarray(test).dtype == bool else len(test) / 60 for _, test in pairs]
    assert found.settings["test_share"] == pytest.approx(np.mean(shares))
    assert "splits of" in found.to_html(tmp_path / "page.html").read_text()


def test_label_coders_see_training_rows_alone(data):
    """Neither the coder nor linear regression learns from rows that are in neither part."""
    train, test = np.arange(24), np.arange(24, 40)
    found = mlreduce.compare(data, **QUICK | {"methods": ["cplst"], "decision": "one-threshold"}, cv=[(train, test)])
    model = mlreduce.CodedClassifier(mlreduce.CPLST(n_components=2), mlreduce.LinearRegressor())
    predicted = model.fit(data.X[train], data.Y[train]).predict(data.X[test])
    np.testing.assert_allclose(found.scores["value"], [evaluate("micro-f1", data.Y[test], predicted)], atol=1e-12)


def test_a_number_of_folds_keeps_the_shares_of_labels(data, tmp_path):
    for seed in (3, -1):
        folds = MultilabelStratifiedKFold(3, n_repeats=2, random_state=seed % 2**32)
        found = mlreduce.compare(data, cv=3, repeats=2, **QUICK, random_state=seed)
        np.testing.assert_allclose(found.scores["value"], by_hand(data, folds.split(data.X, data.Y)), atol=1e-12)
    assert "by 3-fold stratified cross-validation, 2 times;" in found.to_html(tmp_path / "page.html").read_text()


def test_folds_of_a_number_are_no_splitter_for_the_reader(data):
    found = mlreduce.compare(data, cv=3, **QUICK)
    assert (found.settings["test_share"], found.settings["splitter"]) == (1 / 3, "")
    assert not found.scores.equals(mlreduce.compare(data, cv=KFold(3), **QUICK).scores)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cv": "ten"}, "cv must be an integer of at least 2, a splitter or pairs"),
        ({"cv": 2.5}, "cv must be an integer"),
        ({"cv": StratifiedKFold(3)}, "cv: StratifiedKFold does not split these data: Supported target types"),
        ({"cv": GroupKFold(3)}, "cv: GroupKFold does not split these data: The 'groups' parameter"),
        ({"cv": KFold(100)}, "cv: KFold does not split these data: Cannot have number of splits"),
        ({"cv": [([0, 1], [1, 2])]}, "cv: split 1 of list is no pair of rows to train and others to test"),
        ({"cv": [([0, 1], [])]}, "cv: .*rows must be numbers from 0 on"),
        ({"cv": [([0, 1], [60])]}, "there is no row 60 in 60"),
        ({"cv": []}, "cv: list has no split"),
        ({"cv": [([0, 1], [2, 3])], "groups": GROUPS}, "groups goes with a splitter or a number of folds"),
        ({"cv": 3, "groups": GROUPS[:5]}, "cv: GroupKFold does not split these data: Found input variables"),
        ({"cv": KFold(3), "repeats": 2}, "repeats goes with a number of folds alone"),
    ],
)
def test_splits_that_are_none(data, options, said):
    with pytest.raises(ConfigurationError, match=said):
        mlreduce.compare(data, **QUICK, **options)


def test_the_defaults_are_ten_methods_of_different_results(data):
    """PLS and MDDMp, which have the same directions, are not both among them."""
    found = mlreduce.compare(data, cv=2, sizes=[25, 50], measures=["micro-f1", "hamming-loss", "ranking-loss"])
    values = found.scores.pivot_table(
        "value", "method", ["predictor", "measure", "size_percent", "split"], observed=True
    )
    reduced = values.drop(columns=[key for key in values if values[key].isna().any()])
    assert len(values) == 10
    assert len(reduced.drop_duplicates()) == len(reduced)
