"""Missing values of features, filled by the training rows of each split."""

from __future__ import annotations

import statistics
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.datasets.data import IMPUTATIONS, MultiLabelData
from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.loop import Experiment
from mlreduce.evaluation.splitting import take_splits
from mlreduce.evaluation.view import imputed
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.validation import as_dense
from mlreduce_studies.experiments.approximation import dependency
from mlreduce_studies.experiments.costs import measure_costs
from mlreduce_studies.experiments.timing import time_fits

BY_HAND = {"mean": statistics.fmean, "median": statistics.median, "most-frequent": statistics.mode}
SPACE = {"scaling": "none", "relation": None}
FAMILIES = {
    "labelspace": {"plst": {}, "cplst": {}, "searched": {"method": "cplst", "search": {"rcond": [0.01, 0.5]}}},
    "projection": {"pca": {}, "mvmd": {}, "searched": {"method": "rcca", "search": {"ridge": [0.1, 10]}}},
    "selection": {"mlfs": {}, "searched": {"method": "cmim", "search": {"n_bins": [2, 3]}}},
}


@pytest.fixture(scope="module")
def data():
    given = planted(n_samples=60, n_features=8, n_labels=4, n_latent=2, n_distractors=2).data
    X = given.X.round(1)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    return replace(given, X=X, impute="mean")


def filled_by_hand(data, train):
    """Fill the columns one after another, from the known values of the training rows."""
    X = data.X.copy()
    for column in X.T:
        known = [value for value in column[train].tolist() if value == value]
        column[np.isnan(column)] = BY_HAND[data.impute](sorted(known)) if known else 0
    return replace(data, X=X, impute=None)


@pytest.mark.parametrize("how", IMPUTATIONS)
@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_filled_by_the_training_rows_alone(data, how, form):
    train, test = np.arange(0, 60, 2), np.arange(1, 60, 2)
    X = data.X.copy()
    X[train, 3] = np.nan
    given = replace(data, X=form(X), impute=how)
    whole = imputed(given, train)
    assert sp.issparse(whole.X) == sp.issparse(given.X)
    np.testing.assert_allclose(as_dense(whole.X), filled_by_hand(replace(given, X=X), train).X, rtol=1e-12)
    assert np.isnan(as_dense(given.X)).sum() == np.isnan(X).sum()
    X[test] += 100  # whatever the test rows hold
    other = imputed(replace(given, X=form(X)), train)
    np.testing.assert_array_equal(as_dense(other.X)[train], as_dense(whole.X)[train])


def run(data, family, splits, step="predict"):
    """Choose, fit and predict; return the scores."""
    search = {"candidates": 2, "share": 1.0, "keep": 1, "folds": 2, "measure": "micro-f1", "predictor": ("ridge", {})}
    task = {
        "protocol": "cv", "group": "own", "rule": {"folds": 3}, "splits": splits, "methods": FAMILIES[family],
        "predictors": {"ridge": {}, "linear": {}}, "dimensions": [2], "once": False, "search": search,
    }  # fmt: skip
    measured = {"sizes": [50, 100], "energies": [], "every_size": False, "measures": ["micro-f1", "hamming-loss"]}
    settings = {"family": family, "space": SPACE, "tasks": [task], "measured": measured}
    experiment = Experiment("own", data, settings, 0)
    choices, failed = experiment.choose()
    fitted = {}
    _, failed = experiment.fit(choices, failed, fitted.__setitem__)
    scores, failed = experiment.predict(fitted, choices, failed)
    assert failed.empty
    return scores


@pytest.fixture(scope="module")
def whole(data):
    """The scores of all splits, of each family."""
    return {family: run(data, family, (0, 2)) for family in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_split_is_that_of_data_filled_before_by_its_training_rows(data, whole, family):
    """But for what a search finds, whose parts of the training rows are filled by themselves."""
    found = whole[family]
    assert set(found["method"]) == set(FAMILIES[family])
    parts = []
    for number, split in take_splits(data.Y, {"folds": 3}, range(3), 0, data.name).items():
        parts.append(run(filled_by_hand(data, split.train), family, (number, number)))
    expected = pd.concat(parts)
    keys = [column for column in found.columns if column != "value"]
    found, expected = (table[table["method"] != "searched"].sort_values(keys) for table in (found, expected))
    pd.testing.assert_frame_equal(found.reset_index(drop=True), expected.reset_index(drop=True), rtol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_batches_change_no_bit(data, whole, family):
    parts = pd.concat([run(data, family, (0, 0)), run(data, family, (1, 2))])
    keys = [column for column in parts.columns if column != "value"]
    tables = [table.sort_values(keys, ignore_index=True) for table in (whole[family], parts)]
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_kernels_are_chosen_on_filled_rows(data):
    task = {
        "protocol": "cv", "group": "own", "rule": {"folds": 3}, "splits": (0, 1), "methods": {"plst": {}},
        "candidates": {"gammas": [0.1, 0.2], "alphas": [1.0], "folds": 2}, "once": False,
    }  # fmt: skip
    settings = {"family": "labelspace", "space": SPACE, "tasks": [task]}
    choices, failed = Experiment("own", data, settings, 0).choose()
    assert failed.empty
    assert choices["chosen"].sum() == 2


def test_what_else_studies_measure(data):
    whole = imputed(data)
    np.testing.assert_array_equal(dependency(data, "equal-width", 3), dependency(whole, "equal-width", 3))
    for family, methods in FAMILIES.items():
        first = next(iter(methods))
        splits = take_splits(data.Y, {"folds": 3}, range(1), 0, data.name)
        assert len(time_fits(data, splits, {"family": family, "methods": {first: {}}, "space": SPACE})) == 1
    sizes = {"methods": {"pca": {}}, "rows": [40], "features": [5], "prototypes": [10]}
    costs = measure_costs(data, sizes, {"scaling": "standard", "relation": "euclidean"}, 0)
    assert len(costs)


def test_compare_fills(data):
    options = {"methods": ["pca", "mlfs", "cplst"], "predictors": ["ridge"], "sizes": [50], "measures": ["micro-f1"]}
    rows = np.arange(60)
    pairs = [(rows[::2], rows[1::2])]
    expected = mlreduce.compare(filled_by_hand(data, rows[::2]), **options, cv=pairs).scores
    for given in ((data,), (data.X, data.Y), (sp.csr_array(data.X), data.Y)):
        own = options if len(given) == 1 else {**options, "impute": "mean"}
        found = mlreduce.compare(*given, **own, cv=pairs, scaling="standard")
        assert found.settings["impute"] == "mean"
        pd.testing.assert_frame_equal(found.scores, expected, rtol=1e-9)
    with pytest.raises(
        DataError, match=r"X contains NaN in column 0, row .*SimpleImputer; mlreduce.compare by impute="
    ):
        mlreduce.compare(data.X, data.Y)
    with pytest.raises(DataError, match="unknown imputation 'men'; did you mean 'mean'"):
        mlreduce.compare(data.X, data.Y, impute="men")


def test_infinite_values_are_no_missing_ones(data):
    X = data.X.copy()
    X[5, 1] = np.inf
    with pytest.raises(DataError, match=r"contains infinity in column 1 .*, row 5, and 0 more"):
        mlreduce.compare(replace(data, X=X))


def test_a_file_keeps_how_it_is_filled(data, tmp_path):
    path = tmp_path / "data.npz"
    for how in (*IMPUTATIONS, None):
        replace(data, impute=how).save(path)
        assert MultiLabelData.load(path).impute == how


def test_an_entry_says_how(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,0\n3,,1\n2,5,0\n")
    entry = "datasets: {own: {reader: tables, features: t.csv, labels: {last: 1}, impute: %s}}"
    (tmp_path / "own.yaml").write_text(entry % "median")
    own = mlreduce.load_dataset("own", catalogue=tmp_path / "own.yaml")
    assert own.impute == "median"
    assert np.isnan(own.X[1, 1])
    (tmp_path / "wrong.yaml").write_text(entry % "mode")
    with pytest.raises(ConfigurationError, match=r"datasets\.own\.impute: "):
        mlreduce.load_dataset("own", catalogue=tmp_path / "wrong.yaml")
