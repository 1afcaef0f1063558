from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import mlreduce
from mlreduce.datasets.embedded import planted
from mlreduce.evaluation import kernel_choice
from mlreduce.evaluation.kernel_choice import CHOICE_COLUMNS, choose_kernel, choose_on_splits, chosen_parameters
from mlreduce.evaluation.seeds import derive_seed
from mlreduce.evaluation.splitting import fold_rows, random_orders, split_rows
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.linalg.compiled import errors_by_size
from mlreduce.linalg.utilities import TIE, above_half

METHODS = {
    "plst": {},
    "br": {},
    "kernel-cplst": {},
    "short": {"method": "kernel-cplst", "n_components": 2},
    "kernel-occa": {},
    "pbr": {"random_state": 3},
}
GAMMAS, ALPHAS = [1.0, 0.01, 0.1], [1e-5, 1e-2, 1.0]


def by_hand(X, Y, entry, label, gamma, alpha, folds, seed):
    """The loss by the definitions: fit, train, predict and decode for every fold and size."""
    order = np.random.default_rng(derive_seed(seed, "kernel-choice")).permutation(len(Y))
    X, Y, total = X[order], Y[order], 0.0
    for fold in range(folds):
        train, test = fold_rows(np.arange(len(Y)), folds, fold)[:2]
        coder = mlreduce.registry.make_entry(label, entry)
        if label in ("kernel-cplst", "short", "kernel-occa"):
            coder.set_params(gamma=gamma, alpha=alpha)
        coder.fit(X[train], Y[train])
        model = mlreduce.make("kernel-ridge", gamma=gamma, alpha=alpha).fit(X[train], coder.encode(Y[train]))
        codes = model.predict(X[test])
        sizes = range(1, coder.n_components_ + 1) if coder.reduces else [coder.n_labels_]
        total += len(test) * sum(np.mean(coder.decode(codes[:, :size]) != Y[test]) for size in sizes)
    return total / len(Y)


@pytest.fixture
def chosen(example):
    return choose_kernel(*example, METHODS, GAMMAS, ALPHAS, folds=4, seed=5)


@pytest.mark.parametrize("label", METHODS)
def test_losses_are_those_of_a_loop_by_hand(label, example, chosen):
    X, Y = example[0][:-1], example[1][:-1]  # 59 rows: folds of unequal size
    choice = choose_kernel(X, Y, {label: METHODS[label]}, GAMMAS, ALPHAS, folds=4, seed=5)[label]
    expected = [[by_hand(X, Y, METHODS[label], label, g, a, 4, 5) for a in ALPHAS] for g in GAMMAS]
    np.testing.assert_allclose(choice.losses, expected, atol=1e-12)
    assert choice.losses[GAMMAS.index(choice.gamma), ALPHAS.index(choice.alpha)] == choice.losses.min()
    assert chosen[label].losses.shape == (3, 3)


def test_methods_do_not_depend_on_each_other_nor_losses_on_the_storage(example, chosen):
    X, Y = example
    alone = choose_kernel(sp.csr_matrix(X), sp.csr_array(Y), {"plst": {}}, GAMMAS, ALPHAS, folds=4, seed=5)
    np.testing.assert_array_equal(alone["plst"].losses, chosen["plst"].losses)
    again = choose_kernel(X, 2 * Y - 1, METHODS, GAMMAS, ALPHAS, folds=4, seed=5)
    for label, choice in again.items():
        np.testing.assert_array_equal(choice.losses, chosen[label].losses)
        assert choice[:2] == chosen[label][:2]


def test_the_seed_decides_the_folds_and_what_coders_draw(example):
    grids = [
        {label: choice.losses.tolist() for label, choice in found.items()}
        for seed in (1, 1, 2)
        for found in [choose_kernel(*example, {"plst": {}, "pbr": {}}, GAMMAS, ALPHAS, seed=seed)]
    ]
    assert grids[0] == grids[1]
    assert grids[0] != grids[2]


def test_among_equal_losses_the_smoothest_wins(example):
    X, Y = example
    Y = np.zeros_like(Y)
    Y[:, 0] = 1  # nothing to get wrong
    choice = choose_kernel(X, Y, {"plst": {}}, GAMMAS, ALPHAS)["plst"]
    assert not choice.losses.any()
    assert (choice.gamma, choice.alpha) == (0.01, 1.0)


def test_a_sample_of_rows_is_the_front_of_the_order(example):
    X, Y = example
    sampled = choose_kernel(X, Y, {"plst": {}}, GAMMAS, ALPHAS, seed=5, max_rows=30)["plst"]
    rows = np.random.default_rng(derive_seed(5, "kernel-choice")).permutation(60)[:30]
    elsewhere = np.setdiff1d(np.arange(60), rows)
    X, Y = X.copy(), Y.copy()
    X[elsewhere], Y[elsewhere] = 7, 1
    again = choose_kernel(X, Y, {"plst": {}}, GAMMAS, ALPHAS, seed=5, max_rows=30)["plst"]
    np.testing.assert_array_equal(sampled.losses, again.losses)
    everything = choose_kernel(*example, {"plst": {}}, GAMMAS, ALPHAS, seed=5, max_rows=60)["plst"]
    np.testing.assert_array_equal(
        everything.losses, choose_kernel(*example, {"plst": {}}, GAMMAS, ALPHAS, seed=5)["plst"].losses
    )


def test_the_compiled_count_is_the_coders_own(example, chosen, monkeypatch):
    counted = []
    monkeypatch.setattr(kernel_choice, "errors_by_size", lambda *a: counted.append(1) or errors_by_size(*a))

    class Slow(mlreduce.PLST):
        def round(self, centred, size):
            return super().round(centred, size)

    monkeypatch.setattr(mlreduce.registry, "_at_run_time", {"slow": ("labelspace", Slow)})
    slow = choose_kernel(*example, {"slow": {}}, GAMMAS, ALPHAS, folds=4, seed=5)["slow"]
    assert not counted
    np.testing.assert_array_equal(slow.losses, chosen["plst"].losses)


@given(st.integers(1, 8), st.integers(1, 6), st.integers(0, 1000))
def test_wrong_labels_are_counted_at_every_size(n, k, seed):
    rng = np.random.default_rng(seed)
    coordinates, basis = np.round(rng.standard_normal((n, k)), 1), np.linalg.qr(rng.standard_normal((k, k)))[0]
    mean, truth = rng.random(k), rng.integers(0, 2, (n, k)).astype(np.int8)
    expected = [np.count_nonzero(above_half(coordinates[:, :m] @ basis[:m] + mean) != truth) for m in range(1, k + 1)]
    assert errors_by_size(coordinates, basis, mean, 0.5 + TIE, truth).tolist() == expected


def test_a_tie_means_absent():
    codes, truth = np.array([[0.5], [0.5 + TIE / 2], [0.5 + 2 * TIE]]), np.zeros((3, 1), dtype=np.int8)
    assert errors_by_size(codes, np.eye(1), np.zeros(1), 0.5 + TIE, truth).tolist() == [1]


def test_penalties_below_the_rounding_errors_are_never_chosen(rng):
    X = np.repeat(rng.standard_normal((10, 2)), 8, axis=0)
    Y = (rng.random((80, 3)) < 0.5).astype(int)
    choice = choose_kernel(X, Y, {"plst": {}}, [0.1], [1e-30, 1.0])["plst"]
    assert np.isinf(choice.losses[0, 0])
    assert choice.alpha == 1.0
    with pytest.raises(DataError, match="every penalty of 1e-30 to 1e-29 is smaller than the rounding errors"):
        choose_kernel(X, Y, {"plst": {}}, [0.1], [1e-30, 1e-29])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gammas": []}, "one candidate each"),
        ({"alphas": []}, "one candidate each"),
        ({"gammas": [1.0, 0.0]}, "gamma must be a number > 0; got 0.0"),
        ({"gammas": [None]}, "gamma must be a number > 0; got None"),
        ({"alphas": [-1]}, "alpha must be a number > 0; got -1"),
        ({"folds": 1}, "folds must be at least 2"),
        ({"folds": 61}, "60 rows are too few for 61 folds"),
        ({"max_rows": 3}, "max_rows must be at least the number of folds, 5; got 3"),
        ({"Y": np.full((60, 2), 3)}, "labels must be 0/1 or -1/1"),
        ({"X": np.full((60, 2), np.nan)}, "X contains NaN"),
        ({"X": np.zeros((59, 2))}, "inconsistent numbers of samples"),
    ],
)
def test_impossible_choices_are_refused(changes, message, example):
    X, Y = example
    arguments = {"X": X, "Y": Y, "methods": {"plst": {}}, "gammas": GAMMAS, "alphas": ALPHAS} | changes
    with pytest.raises(DataError, match=message):
        choose_kernel(**arguments)


def test_coders_without_a_kernel_to_choose_are_refused(example):
    for name in ("cplst", "faie", "mlc-bmad"):
        with pytest.raises(ConfigurationError, match=f"'{name}' has no kernel to choose"):
            choose_kernel(*example, {name: {}}, GAMMAS, ALPHAS)
    with pytest.raises(ConfigurationError, match="'linear' is no label coder"):
        choose_kernel(*example, {"linear": {}}, GAMMAS, ALPHAS)


def test_choices_of_splits_are_those_of_their_training_parts():
    data = planted(n_samples=60, n_features=5, n_labels=4, n_latent=2, n_distractors=1).data
    splits = {i: split_rows(order, 0.8) for i, order in enumerate(random_orders(60, 3, 7, "planted"))}
    candidates = {"gammas": GAMMAS, "alphas": ALPHAS, "folds": 3}
    table = choose_on_splits(data, splits, {"plst": {}, "kernel-cplst": {}}, candidates, 9)
    assert tuple(table.columns) == CHOICE_COLUMNS
    assert len(table) == 3 * 2 * 9
    one = choose_on_splits(data, {1: splits[1]}, {"plst": {}}, candidates, 9)
    same = table[(table.split == 1) & (table.method == "plst")].reset_index(drop=True)
    pd.testing.assert_frame_equal(one, same)
    assert (table.groupby(["split", "method"]).chosen.sum() == 1).all()
    best = table.groupby(["split", "method"]).loss.transform("min")
    assert (table.loss[table.chosen] == best[table.chosen]).all()
    chosen = chosen_parameters(table, [0, 2], once=False)
    row = table[table.chosen & (table.split == 2) & (table.method == "plst")].iloc[0]
    assert set(chosen) == {(split, method) for split in "02" for method in ("plst", "kernel-cplst")}
    assert chosen["2", "plst"] == {"gamma": row.gamma, "alpha": row.alpha}
    once = chosen_parameters(table, [1, 2], once=True)
    assert once["1", "plst"] == once["2", "plst"] == chosen["0", "plst"]
