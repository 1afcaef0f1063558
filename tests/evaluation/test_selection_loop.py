"""The loop of a feature-selection study: sharing, order and batches change nothing, and scores are what they say."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import metrics
from sklearn.feature_selection import VarianceThreshold
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mlreduce
from mlreduce.evaluation.scores import SCORE_COLUMNS
from mlreduce.evaluation.seeds import derive_seed
from mlreduce.evaluation.selection import SelectionStrategy
from mlreduce.evaluation.strategy import Measured
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.predictors import ClassifierChainKNN
from mlreduce.preprocessing.scaling import scale_parts

METHODS = {
    "gmba-0": {"method": "gmba"},
    "gmba-1": {"method": "gmba"},
    "spec": {},
    "mlfs": {},
    "mlrf": {},
    "random": {"method": "random-features"},
    "all-features": {},
}
MEASURES = ["hamming-loss", "macro-f1", "micro-f1"]
PERCENTS = [10, 50, 100]
PREDICTORS = {
    "br-knn": MultiOutputClassifier(KNeighborsClassifier(3)),
    "cc-knn": ClassifierChain(KNeighborsClassifier(3)),
}


@pytest.fixture(scope="module")
def study(study):
    data, splits = study
    X = data.X.copy()
    X[splits[1].train, 4] = 1.5  # constant in one training part
    return replace(data, X=X), splits


def run(study, methods=METHODS, numbers=(0, 1, 2), predictor="br-knn", scaling="standard", seed=7, **options):
    data, splits = study
    chosen = {i: splits[i] for i in numbers}
    entry = options.pop("entry", {})
    strategy = SelectionStrategy(data, {"scaling": scaling}, seed, **options)
    rankings = dict(strategy.fit(chosen, methods))
    return strategy.score(chosen, rankings, methods, (predictor, entry), Measured(MEASURES, PERCENTS))


@pytest.mark.parametrize("predictor", PREDICTORS)
def test_nested_sizes_equal_a_model_a_size(study, predictor):
    short, long = run(study, predictor=predictor), run(study, predictor=predictor, share=False)
    pd.testing.assert_frame_equal(short, long, check_exact=True)
    assert tuple(short.columns) == SCORE_COLUMNS
    assert set(short[short.method == "all-features"].size_percent) == {100}
    assert len(short) == 3 * len(MEASURES) * (len(PERCENTS) * (len(METHODS) - 1) + 1)


@pytest.mark.parametrize("predictor", PREDICTORS)
@pytest.mark.rotating
def test_scores_are_those_of_a_pipeline_of_scikit_learns(study, predictor):
    data, splits = study
    scores = run(study, predictor=predictor)
    for number, (train, test, *_) in splits.items():
        scaler = make_pipeline(VarianceThreshold(), StandardScaler()).fit(data.X[train])
        X, X_test = scaler.transform(data.X[train]), scaler.transform(data.X[test])
        assert X.shape[1] == (9 if number == 1 else 10)
        for method in ("spec", "mlfs", "mlrf"):
            for percent in PERCENTS:
                selector = mlreduce.make(method, k=max(1, percent * X.shape[1] // 100)).fit(X, data.Y[train])
                model = PREDICTORS[predictor].fit(selector.transform(X), data.Y[train])
                predicted = model.predict(selector.transform(X_test))
                rows = scores[(scores.method == method) & (scores.split == number) & (scores.size_percent == percent)]
                value = rows.set_index("measure").value
                assert value["hamming-loss"] == pytest.approx(metrics.hamming_loss(data.Y[test], predicted))
                for kind in ("micro", "macro"):
                    expected = metrics.f1_score(data.Y[test], predicted, average=kind, zero_division=0)
                    assert value[f"{kind}-f1"] == pytest.approx(expected)


def test_results_do_not_depend_on_order_groups_or_batches(study, check_order_and_batches):
    check_order_and_batches(partial(run, study), METHODS, (2, 0, 1))


def test_a_predictor_that_draws_has_a_seed_of_each_split(study, monkeypatch):
    drawn = []
    own = ClassifierChainKNN._order_of

    def recorded(self, n_labels):
        drawn.append((self.random_state, tuple(own(self, n_labels))))
        return own(self, n_labels)

    monkeypatch.setattr(ClassifierChainKNN, "_order_of", recorded)
    options = {"predictor": "cc-knn-shuffled", "entry": {"method": "cc-knn", "order": "shuffled"}}
    whole = run(study, **options, methods={"spec": {}, "mlfs": {}})
    assert len(drawn) == 6
    assert len({order for _, order in drawn}) == 3  # the methods of a split share it
    assert [seed for seed, _ in drawn[::2]] == [
        derive_seed(7, study[0].name, "cc-knn-shuffled", split) for split in range(3)
    ]
    parts = [run(study, **options, methods={"spec": {}, "mlfs": {}}, numbers=[split]) for split in (2, 0, 1)]
    parts = pd.concat(parts).sort_values(list(SCORE_COLUMNS[:-1]), ignore_index=True)
    pd.testing.assert_frame_equal(whole, parts, check_exact=True)
    drawn.clear()
    run(study, predictor="cc-knn", entry={"order": "shuffled", "random_state": 3}, methods={"spec": {}})
    assert {seed for seed, _ in drawn} == {3}


def test_rankings_say_which_column_of_the_data_set(study):
    data, splits = study
    standard = {"scaling": "standard"}
    one, other = (dict(SelectionStrategy(data, standard, seed).fit(splits, METHODS)) for seed in (7, 8))
    assert set(one) == {(str(split), method) for split in range(3) for method in METHODS}
    for (split, method), ranking in one.items():
        assert sorted(ranking["feature"]) == [j for j in range(10) if (split, j) != ("1", 4)]
        assert sorted(ranking["rank"]) == list(range(1, len(ranking["rank"]) + 1))
        assert (np.diff(ranking["score"][np.argsort(ranking["rank"])]) <= 0).all()
        same = np.array_equal(ranking["score"], other[split, method]["score"])
        assert same == (method not in ("gmba-0", "gmba-1", "random"))
        if method == "gmba-0":  # a draw has a seed of its own
            assert not np.array_equal(ranking["score"], one[split, "gmba-1"]["score"])


def test_what_is_no_selector_is_refused(study):
    data, splits = study
    with pytest.raises(ConfigurationError, match="'pca' is no selector; known: all-features"):
        dict(SelectionStrategy(data).fit(splits, {"pca": {}}))


def test_scaling_is_learned_from_the_training_rows_alone(rng):
    train, test = rng.normal(3, 2, (20, 4)), rng.normal(0, 5, (6, 4))
    train[:, 2] = 0.1
    scaled = scale_parts(train, test, "standard")
    assert scaled.columns.tolist() == [0, 1, 3]
    np.testing.assert_allclose(scaled.train.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.train.std(axis=0), 1)
    kept = train[:, scaled.columns]
    np.testing.assert_allclose(scaled.test, (test[:, scaled.columns] - kept.mean(axis=0)) / kept.std(axis=0))
    of_sparse = scale_parts(sp.csr_array(train), sp.csr_array(test), "standard")
    np.testing.assert_array_equal(of_sparse.test, scaled.test)
    assert scale_parts(train, test, "none").train is train
    with pytest.raises(DataError, match="no feature varies in the training rows"):
        scale_parts(train[:1], test, "standard")
    with pytest.raises(DataError, match="unknown scaling 'standart'; did you mean 'standard'"):
        scale_parts(train, test, "standart")


@pytest.mark.parametrize("scaling", ["none", "tf-idf"])
def test_sparse_counts_score_as_dense_ones_do(study, scaling):
    data, splits = study
    counts = np.maximum(np.round(data.X), 0)
    methods = {"spec": {}, "mlfs": {}}
    dense, sparse = (
        run((replace(data, X=X), splits), methods, scaling=scaling) for X in (counts, sp.csr_array(counts))
    )
    pd.testing.assert_frame_equal(dense, sparse)
