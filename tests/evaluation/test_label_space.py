from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import mlreduce
from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.fitted_arrays import StoredArrays, fitted_arrays, restore, saved_arrays
from mlreduce.evaluation.label_space import LabelSpaceStrategy
from mlreduce.evaluation.scores import SCORE_COLUMNS, resolve_sizes
from mlreduce.evaluation.splitting import random_orders, split_rows, take_splits
from mlreduce.evaluation.strategy import Measured
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.labelspace import CodedClassifier
from mlreduce.metrics.measures import MEASURES

METHODS = {"br": {}, "pbr": {}, "cs": {}, "plst": {}, "occa": {}, "cplst": {}, "cca-code": {}}


@pytest.fixture(scope="module")
def study():
    data = planted(n_samples=80, n_features=6, n_labels=5, n_latent=2, n_distractors=2).data
    splits = {i: split_rows(order, 0.8) for i, order in enumerate(random_orders(80, 4, 7, "planted"))}
    return data, splits


def run(study, methods=METHODS, numbers=(0, 1, 2, 3), seed=7, predictor=("linear", {}), chosen=None, **options):
    data, splits = study
    batch, strategy = {i: splits[i] for i in numbers}, LabelSpaceStrategy(data, seed=seed, **options)
    fitted = dict(strategy.fit(batch, methods, chosen=chosen))
    measures = [name for name in MEASURES if not MEASURES[name].orders]
    measured = Measured(measures, [20, 60, 100], every_size=True)
    return strategy.score(batch, fitted, methods, predictor, measured, chosen=chosen)


def test_the_shared_way_equals_training_for_every_method(study):
    short, long = run(study), run(study, share=False)
    pd.testing.assert_frame_equal(short, long, rtol=0, atol=1e-9)
    assert tuple(short.columns) == SCORE_COLUMNS
    # splits, measures, sizes of six methods and the one of BR
    assert len(short) == 4 * len([name for name in MEASURES if not MEASURES[name].orders]) * (6 * 5 + 1)


CODERS = {"br": {}, "plst": {}, "kernel-cplst": {}}
# Two methods share their parameters on split 0, and none does on split 1.
CHOSEN = {
    (str(split), name): {"gamma": gamma, "alpha": alpha}
    for split, name, gamma, alpha in [
        *((0, "br", 0.1, 0.5), (0, "plst", 0.1, 0.5), (0, "kernel-cplst", 0.02, 0.5)),
        *((1, "br", 0.3, 2.0), (1, "plst", 0.1, 2.0), (1, "kernel-cplst", 0.1, 0.5)),
    ]
}


@pytest.mark.parametrize("predictor", [("m5p", {}), ("mine", {"method": "m5p", "pruning": False}), ("ridge", {})])
def test_predictors_of_every_kind_are_shared_like_the_linear_one(study, predictor):
    options = {"methods": {"br": {}, "plst": {}, "cplst": {}}, "numbers": (0, 1), "predictor": predictor}
    pd.testing.assert_frame_equal(run(study, **options), run(study, share=False, **options), rtol=0, atol=1e-9)


BESIDE = {**METHODS, "cssp": {}, "randomised": {"method": "plst", "solver": "randomized"}}
BESIDE_PREDICTORS = {
    **{name: (name, {}) for name in ("linear", "m5p", "kernel-ridge")},
    **{f"ridge-{alpha}": ("ridge", {"alpha": alpha}) for alpha in ("gcv", "loo", 0.01)},
}


@pytest.mark.parametrize("predictor", BESIDE_PREDICTORS)
def test_other_coders_of_a_job_change_no_bit(study, predictor):
    options = {"numbers": (0,), "predictor": BESIDE_PREDICTORS[predictor]}
    beside = run(study, methods=BESIDE, **options)
    for name, entry in BESIDE.items():
        alone = run(study, methods={name: entry}, **options)
        own = beside[beside.method == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(own, alone, check_exact=True)


def test_threads_change_no_bit(study):
    options = {"methods": {"plst": {}, "cplst": {}}, "numbers": (0,), "predictor": ("m5p", {})}
    pd.testing.assert_frame_equal(run(study, **options), run(study, threads=2, **options), check_exact=True)


def test_chosen_parameters_reach_coder_and_predictor(study):
    data, splits = study
    options = {"methods": CODERS, "numbers": (0, 1), "predictor": ("kernel-ridge", {}), "chosen": CHOSEN}
    scores = run(study, **options)
    pd.testing.assert_frame_equal(scores, run(study, share=False, **options), rtol=0, atol=1e-9)
    scores = scores[scores.measure == "hamming-loss"].set_index(["method", "split", "size"]).value
    for (split, name), own in CHOSEN.items():
        coder = mlreduce.make(name, **(own if name == "kernel-cplst" else {}))
        model = CodedClassifier(coder, mlreduce.make("kernel-ridge", **own), "half")
        train, test = splits[int(split)][:2]
        predicted = model.fit(data.X[train], data.Y[train]).predict(data.X[test])
        expected = metrics.hamming_loss(data.Y[test], predicted)
        np.testing.assert_allclose(scores[name, int(split), 5].mean(), expected, atol=1e-15)


def test_scores_are_those_of_fitting_and_predicting(study):
    data, splits = study
    scores = run(study)
    for name in ("br", "plst", "occa", "cplst", "cca-code"):
        for size in (3, 5) if name != "br" else (5,):
            values = scores[(scores.method == name) & (scores["size"] == size) & (scores.measure == "hamming-loss")]
            for number, split in splits.items():
                model = CodedClassifier(mlreduce.make(name, n_components=size), mlreduce.LinearRegressor(), "half")
                model.fit(data.X[split.train], data.Y[split.train])
                predicted = model.predict(data.X[split.test])
                expected = metrics.hamming_loss(data.Y[split.test], predicted)
                np.testing.assert_allclose(values[values.split == number].value, expected, atol=1e-15)


@pytest.mark.parametrize("rule", [{"train_rows": 24, "test": 0.2}, {"parts": "test"}], ids=["sampled", "parts"])
def test_rows_in_neither_part_of_a_split_have_no_influence(study, rule):
    data, _ = study
    splits = take_splits(data.Y, rule, range(2), 7, "planted")
    assert all(len(split.train) + len(split.test) < len(data.Y) for split in splits.values())
    methods = {name: METHODS[name] for name in ("plst", "occa", "cplst", "cca-code")}
    fitted = dict(LabelSpaceStrategy(data, seed=7).fit(splits, methods))
    options = {"methods": methods, "numbers": splits}
    scores = run((data, splits), **options)
    pd.testing.assert_frame_equal(scores, run((data, splits), share=False, **options), rtol=0, atol=1e-9)
    scores = scores[scores.measure == "hamming-loss"].set_index(["method", "split", "size"]).value
    for number, split in splits.items():
        for name in methods:
            coder = mlreduce.make(name).fit(data.X[split.train], data.Y[split.train])
            for attribute, value in fitted[str(number), name].items():
                np.testing.assert_allclose(value, getattr(coder, attribute), atol=1e-9)
            model = CodedClassifier(mlreduce.make(name, n_components=3), mlreduce.LinearRegressor(), "half")
            model.fit(data.X[split.train], data.Y[split.train])
            expected = metrics.hamming_loss(data.Y[split.test], model.predict(data.X[split.test]))
            np.testing.assert_allclose(scores[name, number, 3], expected, atol=1e-15)


def test_results_do_not_depend_on_order_or_batches(study, check_order_and_batches):
    check_order_and_batches(partial(run, study), METHODS, (3, 1, 0, 2))


def test_another_seed_changes_what_is_drawn_and_nothing_else(study):
    one, other = run(study), run(study, seed=8)
    changed = (one.value != other.value).groupby(one.method).any()
    assert set(changed.index[changed]) == {"cs", "pbr"}


def test_missing_values_name_set_and_column(study):
    data, splits = study
    X = data.X.copy()
    X[3, 2] = np.nan
    broken = mlreduce.datasets.MultiLabelData(X, data.Y, data.feature_names, data.label_names, "mine")
    with pytest.raises(DataError, match=r"mine contains NaN in column 2 \('x2'\), row 3"):
        dict(LabelSpaceStrategy(broken).fit(splits, METHODS))


def test_sizes_beyond_a_coders_own_are_left_out(study):
    """A coder whose choice depends on the length of its code, as cssp's does, has to name it."""
    entry = {"n_components": 3, "selection": "greedy"}
    own, full = run(study, methods={"cssp": entry}), run(study, methods={"cssp": entry | {"n_components": 5}})
    assert set(own["size"]) == {1, 2, 3}
    assert set(full["size"]) == {1, 2, 3, 4, 5}
    data, splits = study
    strategy, methods = LabelSpaceStrategy(data, seed=7), {"plst": {"n_components": 3}}
    fitted = dict(strategy.fit(splits, methods))
    with pytest.raises(DataError, match="plst: the code is 3 long, and sizes of 4, 5 are requested"):
        strategy.score(splits, fitted, methods, ("linear", {}), Measured(["hamming-loss"], [80, 100]))


@pytest.mark.parametrize("predictor", [("linear", {}), ("ridge", {}), ("m5p", {})])
def test_codes_that_are_no_linear_map_are_trained_on_as_they_are(predictor, study):
    data, splits = study
    methods = {"faie": {"predictability": 5.0}, "plst": {}, "mlc-bmad": {}}
    scores = run(study, methods=methods, numbers=(0,), predictor=predictor)
    split = splits[0]
    for name, parameters in methods.items():
        regressor = mlreduce.make(predictor[0], **predictor[1])
        model = CodedClassifier(mlreduce.make(name, **parameters), regressor, "half")
        predicted = model.fit(data.X[split.train], data.Y[split.train]).predict(data.X[split.test])
        cell = scores[(scores.method == name) & (scores["size"] == 5) & (scores.measure == "hamming-loss")]
        np.testing.assert_allclose(cell.value, np.mean(predicted != data.Y[split.test]), atol=1e-12)


def test_cut_offs_are_each_methods_own(study):
    """Methods with different cut-offs share a run but not a regression."""
    together = run(study, methods={"cplst": {"rcond": 0.9}, "occa": {"rcond": 1e-10}})
    alone = pd.concat([run(study, methods={"cplst": {"rcond": 0.9}}), run(study, methods={"occa": {"rcond": 1e-10}})])
    pd.testing.assert_frame_equal(together, alone.reset_index(drop=True), check_exact=True)
    default = run(study, methods={"cplst": {}})
    assert (default.value.to_numpy() != together[together.method == "cplst"].value.to_numpy()).any()
    with pytest.raises(DataError, match="rcond must lie in"):
        run(study, methods={"cplst": {"rcond": 3}})


def test_what_is_no_label_coder_is_refused(study):
    with pytest.raises(ConfigurationError, match="'linear' is no label coder"):
        run(study, methods={"linear": {}})


def test_fitted_coders_survive_their_file(study, tmp_path):
    data, splits = study
    fitted = dict(LabelSpaceStrategy(data, seed=7).fit(splits, METHODS))
    with saved_arrays(tmp_path / "f.npz") as keep:
        for item in fitted.items():
            keep(*item)
    with StoredArrays(tmp_path / "f.npz") as stored:
        back = {key: stored[key] for key in stored}
    assert set(back) == set(fitted)
    for key, arrays_ in fitted.items():
        coder, same = (restore(mlreduce.make(key[1]), group) for group in (arrays_, back[key]))
        codes = coder.encode(data.Y)
        np.testing.assert_array_equal(codes, same.encode(data.Y))
        np.testing.assert_array_equal(coder.decode(codes[:, -1:]), same.decode(codes[:, -1:]))
        assert fitted_arrays(same).keys() == arrays_.keys()
    content = (tmp_path / "f.npz").read_bytes()
    (tmp_path / "f.npz").write_bytes(content.replace(back[key]["mean_"].tobytes(), b"\1" * back[key]["mean_"].nbytes))
    with (
        StoredArrays(tmp_path / "f.npz") as stored,
        pytest.raises(DataError, match="f.npz: not a complete file of arrays"),
    ):
        stored[key]
    (tmp_path / "f.npz").write_bytes(content[:-50])
    with pytest.raises(DataError, match="f.npz: not a complete file of arrays .*; delete it and run again"):
        StoredArrays(tmp_path / "f.npz")


def test_sizes_are_percentages_rounded_down():
    assert list(resolve_sizes([20, 40, 60, 80, 100], 6)) == [1, 2, 3, 4, 6]
    assert list(resolve_sizes([20, 40, 60, 80, 100], 14)) == [2, 5, 8, 11, 14]
    assert list(resolve_sizes([20, 40, 60, 80, 100], 53)) == [10, 21, 31, 42, 53]
    assert resolve_sizes([20, 40, 100], 3) == {1: [20, 40], 3: [100]}
    assert resolve_sizes([50], 4, every=True) == {1: [], 2: [50], 3: [], 4: []}
    for wrong in (0, 101):
        with pytest.raises(DataError, match="1 to 100 percent"):
            resolve_sizes([wrong], 5)
