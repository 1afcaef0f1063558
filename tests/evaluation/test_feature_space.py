"""The loop of the feature-space studies: sharing, order and batches change nothing, and scores are what they say."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.linear_model import Ridge

import mlreduce
from mlreduce.evaluation.feature_space import FeatureSpaceStrategy
from mlreduce.evaluation.fitted_arrays import StoredArrays, saved_arrays
from mlreduce.evaluation.scores import SCORE_COLUMNS
from mlreduce.evaluation.seeds import derive_seed
from mlreduce.evaluation.strategy import Measured
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.projection.base import energy_size

METHODS = {
    "pca": {},
    "mddmp": {},
    "cca": {},
    "dmlda": {},
    "light": {"method": "mvmd", "beta": 0.001},
    "heavy": {"method": "mvmd", "beta": 0.9},
    "drawn": {"method": "random-projection"},
}
MEASURES = ["hamming-loss", "instance-f1", "subset-accuracy"]
PERCENTS, ENERGIES = [10, 50, 100], [0.9, 0.999]


def run(study, methods=METHODS, numbers=(0, 1, 2), ridge=None, seed=3, **options):
    data, splits = study
    chosen = {i: splits[i] for i in numbers}
    strategy = FeatureSpaceStrategy(data, seed=seed, **options)
    predictor = ("ridge", ridge if ridge is not None else {"alpha": 0.5})
    measured = Measured(MEASURES, PERCENTS, ENERGIES)
    return strategy.score(chosen, dict(strategy.fit(chosen, methods)), methods, predictor, measured)


def test_nested_sizes_equal_a_model_a_size(study):
    short, long = run(study), run(study, share=False)
    pd.testing.assert_frame_equal(short, long, rtol=0, atol=1e-12)
    assert tuple(short.columns) == SCORE_COLUMNS
    assert len(short) == len(METHODS) * 3 * len(MEASURES) * (len(PERCENTS) + len(ENERGIES))


@pytest.mark.parametrize("label", METHODS)
def test_scores_are_those_of_fitting_and_predicting(study, label):
    data, splits = study
    scores = run(study)
    entry = dict(METHODS[label])
    name = entry.pop("method", label)
    for number, (train, test, *_) in splits.items():
        own = {"random_state": derive_seed(3, "planted", "drawn", number)} if label == "drawn" else {}
        method = mlreduce.make(name, **entry, **own).fit(data.X[train], data.Y[train])
        sizes = {(p, 0.0): min(max(1, p * 10 // 100), method.n_components_) for p in PERCENTS}
        sizes |= {(0, t): energy_size(method.eigenvalues_, t) for t in ENERGIES}
        for (percent, energy), size in sizes.items():
            Z, Z_test = (method.transform(data.X[rows])[:, :size] for rows in (train, test))
            predicted = Ridge(alpha=0.5).fit(Z, data.Y[train]).predict(Z_test) > 0.5
            rows = scores[(scores.method == label) & (scores.split == number) & (scores.energy == energy)]
            rows = rows[rows.size_percent == percent].set_index("measure")
            assert set(rows["size"]) == {size}
            assert rows.value["hamming-loss"] == pytest.approx(metrics.hamming_loss(data.Y[test], predicted))
            assert rows.value["subset-accuracy"] == pytest.approx(metrics.accuracy_score(data.Y[test], predicted))


def test_results_do_not_depend_on_order_groups_or_batches(study, check_order_and_batches):
    check_order_and_batches(partial(run, study), METHODS, (2, 0, 1))


def test_another_seed_changes_what_is_drawn_and_nothing_else(study):
    one, other = run(study), run(study, seed=8)
    changed = (one.value != other.value).groupby(one.method).any()
    assert set(changed.index[changed]) == {"drawn"}


def test_a_seed_that_an_entry_names_is_that_of_every_split_and_study(study):
    data, splits = study
    methods = {"drawn": {"method": "random-projection", "random_state": 4}}
    expected = mlreduce.make("random-projection", random_state=4).fit(data.X, data.Y).components_
    for seed in (3, 8):
        for _, arrays in FeatureSpaceStrategy(data, seed=seed).fit(splits, methods):
            np.testing.assert_array_equal(arrays["components_"], expected)


def test_methods_with_fewer_directions_are_measured_with_all_they_have(study):
    scores = run(study)
    mddm = scores[(scores.method == "mddmp") & (scores.size_percent == 100)]
    assert (mddm["size"] <= 5).all()  # five labels
    pca = scores[(scores.method == "pca") & (scores.size_percent == 100)]
    assert set(pca["size"]) == {10}


def test_what_is_no_projection_and_missing_values_are_refused(study):
    data, splits = study
    with pytest.raises(ConfigurationError, match="'plst' is no projection; known: cca"):
        run(study, methods={"mine": {"method": "plst"}})
    X = data.X.copy()
    X[3, 2] = np.nan
    broken = mlreduce.datasets.MultiLabelData(X, data.Y, data.feature_names, data.label_names, "mine")
    with pytest.raises(DataError, match=r"mine contains NaN in column 2 \('x2'\), row 3"):
        dict(FeatureSpaceStrategy(broken).fit(splits, METHODS))


def save(path, fitted):
    with saved_arrays(path) as keep:
        for key, arrays in fitted.items():
            keep(key, arrays)


def test_fitted_projections_survive_their_file(study, tmp_path):
    data, splits = study
    fitted = dict(FeatureSpaceStrategy(data).fit(splits, METHODS))
    save(tmp_path / "f.npz", fitted)
    with StoredArrays(tmp_path / "f.npz") as stored:
        assert list(stored) == list(fitted)
        assert len(stored) == len(METHODS) * 3
        for key, arrays in fitted.items():
            for name, array in stored[key].items():
                np.testing.assert_array_equal(array, arrays[name])


def test_two_saves_are_the_same_bytes(study, tmp_path):
    fitted = dict(FeatureSpaceStrategy(study[0]).fit(study[1], {"pca": {}}))
    for name in ("a.npz", "b.npz"):
        save(tmp_path / name, fitted)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
