"""The search for parameters: which combinations, on which rows, and what is chosen."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

import mlreduce
from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.entries import chosen_entries
from mlreduce.evaluation.failures import FailedCellWarning, Failures
from mlreduce.evaluation.feature_space import FeatureSpaceStrategy
from mlreduce.evaluation.search import (
    SEARCH_COLUMNS,
    Search,
    candidates_of,
    ends_of,
    search_on_splits,
)
from mlreduce.evaluation.splitting import Split
from mlreduce.exceptions import DataError

SPACE = {"scaling": "none", "relation": None}
METHODS = {
    "pca": {},
    "balanced": {"method": "mvmd", "search": {"beta": [0.0, 0.5, 1.0]}},
    "graph": {"method": "olpp", "search": {"proximity": [{"n_neighbors": 3}, {"n_neighbors": 6}]}},
}


@pytest.fixture(scope="module")
def data():
    return planted(n_samples=120, n_features=12, n_labels=6, n_latent=2, n_distractors=2).data


@pytest.fixture(scope="module")
def split():
    order = np.random.default_rng(3).permutation(120)
    return Split(*(np.sort(part) for part in (order[:60], order[90:], order[60:90])))


def search(**changes):
    settings = {"candidates": 8, "share": 1.0, "keep": 2, "folds": 3, "measure": "macro-f1", "dimension": 3}
    return Search(**(settings | {"predictor": ("flda", {})} | changes))


def found(data, split, methods=METHODS, space=SPACE, **changes):
    own = search(**changes)
    evaluator = FeatureSpaceStrategy(data, space, 1).evaluator(own)
    return search_on_splits(data, {0: split}, methods, evaluator, own, seed=1)


def test_a_small_grid_is_tried_whole_in_its_order():
    entry = {"search": {"a": [1, 2], "b": ["x", "y"]}}
    assert candidates_of("m", entry, 4, 0) == [{"a": a, "b": b} for a in (1, 2) for b in ("x", "y")]


def test_of_a_large_grid_as_many_as_allowed_are_drawn_without_repetition():
    entry = {"search": {"a": list(range(10)), "b": list(range(10))}}
    grid = [{"a": a, "b": b} for a in range(10) for b in range(10)]
    drawn = candidates_of("m", entry, 7, 0)
    assert len({grid.index(candidate) for candidate in drawn}) == 7
    assert candidates_of("m", entry, 7, 0) == drawn
    other_order = {"search": dict(reversed(entry["search"].items()))}
    assert candidates_of("m", other_order, 7, 0) == drawn  # a job's parameters are sorted, a study's as written
    assert candidates_of("other", entry, 7, 0) != drawn
    assert candidates_of("m", entry, 7, 1) != drawn


def test_a_range_is_covered_by_as_many_values_as_allowed():
    scale = {"search": {"ridge": {"from": 1e-3, "to": 1e3, "scale": "log"}}}
    assert [own["ridge"] for own in candidates_of("m", scale, 7, 0)] == [0.001, 0.01, 0.1, 1, 10, 100, 1000]
    whole = {"search": {"k": {"from": 1, "to": 4, "whole": True}, "both": [False, True]}}
    drawn = candidates_of("m", whole, 12, 0)
    assert sorted((own["k"], own["both"]) for own in drawn) == [(k, b) for k in (1, 2, 3, 4) for b in (False, True)]
    several = {"search": {"a": {"from": 0.0, "to": 1.0}, "p.k": {"from": 1, "to": 512, "scale": "log", "whole": True}}}
    drawn = candidates_of("m", several, 12, 0)
    for third in range(3):  # few points, and no part of a range without any
        assert sum(third / 3 <= own["a"] <= (third + 1) / 3 for own in drawn) >= 3
        assert sum(512 ** (third / 3) <= own["p"]["k"] <= 512 ** ((third + 1) / 3) for own in drawn) >= 3


def test_chosen_values_at_an_end_of_those_tried_are_named():
    entry = {"search": {"a": {"from": 0, "to": 9}, "p.k": {"from": 1, "to": 9}, "b": [1, 2]}}
    tried = [{"a": a, "p": {"k": k}, "b": b} for a, k, b in ((2, 3, 1), (5, 4, 2), (7, 9, 1))]
    assert [ends_of(entry, own, tried) for own in tried] == [["a", "p.k"], [], ["a", "p.k"]]


def test_a_natural_bound_is_tried_and_is_no_end():
    k = {"from": 1, "to": 64, "scale": "log", "whole": True, "bounds": {"from": "one is the least"}}
    share = {"from": 0, "to": 1, "bounds": {"from": "none", "to": "all"}}
    for seed in range(5):
        drawn = candidates_of("m", {"search": {"p.k": k, "share": share, "x": {"from": 0, "to": 1}}}, 8, seed)
        shares, free = ([own[name] for own in drawn] for name in ("share", "x"))
        assert (min(own["p"]["k"] for own in drawn), min(shares), max(shares)) == (1, 0, 1)
        assert 0 < min(free) < max(free) < 1  # nothing is stretched that has no bound
    tried = [{"p": {"k": each}} for each in (1, 8, 64)]
    assert [ends_of({"search": {"p.k": k}}, own, tried) for own in tried] == [[], [], ["p.k"]]
    assert [ends_of({"search": {"p.k": k}}, own, tried[1:]) for own in tried[1:]] == [["p.k"], ["p.k"]]
    assert candidates_of("m", {"search": {"p.k": k, "share": share}}, 1, 0)[0].keys() == {"p", "share"}


def test_a_method_made_of_others_has_what_was_chosen_for_these(data, split):
    labelled = split._replace(labelled=split.train[::2])
    grid = {"n_neighbors": {"from": 2, "to": 20, "whole": True}, "a": [0.5, 2.0]}
    methods = {
        "both": {
            "method": "ssmope",
            "parts": {"supervised_parameters": "part", "unsupervised_parameters": "graph"},
            "search": {"weight": {"from": 0.01, "to": 0.9, "scale": "log"}},
        },
        "part": {"method": "mope", "combine": "priority", "search": grid},
        "graph": {"method": "olpp", "search": {"proximity.n_neighbors": {"from": 2, "to": 20, "whole": True}}},
    }
    table = found(data, labelled, methods=methods)
    chosen = {row["method"]: json.loads(row["parameters"]) for row in table[table["chosen"]].to_dict("records")}
    entries = chosen_entries(methods, table)
    assert entries["both"] == {
        "method": "ssmope",
        "supervised_parameters": {"combine": "priority", **chosen["part"]},
        "unsupervised_parameters": chosen["graph"],
        **chosen["both"],
    }
    assert chosen_entries(methods | {"other": {"method": "mope", "like": "part", "ties": "first"}}, table)["other"] == {
        "method": "mope",
        "ties": "first",
        "combine": "priority",
        **chosen["part"],
    }
    own = table[table["method"] == "both"]
    fixed = {"ssmope": {"method": "ssmope", **{k: v for k, v in entries["both"].items() if k != "method"}}}
    fixed["ssmope"]["search"] = {"weight": [fixed["ssmope"].pop("weight")]}
    again = found(data, labelled, methods=fixed)
    assert again["score"].item() == own.loc[own["chosen"], "score"].item()


def test_without_a_part_a_method_made_of_it_fails_too(data, split):
    failures = Failures("choose")
    methods = {
        "part": {"method": "mope", "search": {"n_components": [10_000]}},
        "both": {"method": "ssmope", "parts": {"supervised_parameters": "part"}, "search": {"weight": [0.1, 0.5]}},
        "other": {"method": "mope", "like": "part", "ties": "first"},
    }
    evaluate = FeatureSpaceStrategy(data, SPACE, 1).evaluator(search(), failures)
    with pytest.warns(FailedCellWarning):
        table = search_on_splits(data, {0: split}, methods, evaluate, search(), 1, failures)
    assert table.empty
    assert failures.table(study="", protocol="", dataset="", group="")["method"].tolist() == ["both", "other", "part"]


def test_a_score_is_that_of_the_rows_for_validation(data, split):
    table = found(data, split)
    assert tuple(table.columns) == SEARCH_COLUMNS
    for row in table[table["method"] == "balanced"].to_dict("records"):
        method = mlreduce.MVMD(n_components=3, **json.loads(row["parameters"]))
        train = method.fit(data.X[split.train], data.Y[split.train]).transform(data.X[split.train])
        model = mlreduce.make("flda").fit(train, data.Y[split.train])
        predicted = model.predict(method.transform(data.X[split.validation]))
        expected = f1_score(data.Y[split.validation], predicted, average="macro", zero_division=0)
        assert row["score"] == pytest.approx(expected)


def test_the_best_of_all_rows_is_chosen_the_first_of_equal_ones(data, split):
    table = found(data, split)
    for _, own in table.groupby("method"):
        assert own["chosen"].sum() == 1
        assert own.loc[own["chosen"], "candidate"].item() == own["score"].to_numpy().argmax()
    assert set(table["method"]) == {"balanced", "graph"}


def test_methods_without_values_to_try_are_left_alone(data, split):
    entries = chosen_entries(METHODS, found(data, split))
    assert entries["pca"] == {}
    assert entries["balanced"]["beta"] in (0.0, 0.5, 1.0)
    assert "search" not in entries["balanced"]
    assert chosen_entries(METHODS, None)["graph"] == {"method": "olpp"}


def test_halving_tries_all_on_a_share_and_the_best_on_all_rows(data, split):
    table = found(data, split, share=0.5, keep=2)
    own = table[table["method"] == "balanced"]
    first, second = own[own["rows"] == 0.5], own[own["rows"] == 1]
    assert sorted(first["candidate"]) == [0, 1, 2]
    kept = first.sort_values("score", ascending=False, kind="stable")["candidate"].head(2)
    assert set(second["candidate"]) == set(kept)
    assert not first["chosen"].any()
    whole = found(data, split)
    both = second.merge(whole, on=["method", "candidate"], suffixes=("", "_whole"))
    np.testing.assert_allclose(both["score"], both["score_whole"])


def test_without_rows_for_validation_folds_of_the_known_rows_take_turns(data, split):
    plain = split._replace(validation=None)
    table = found(data, plain, methods={"balanced": METHODS["balanced"]})
    again = found(data, plain._replace(labelled=split.train), methods={"balanced": METHODS["balanced"]})
    pd.testing.assert_frame_equal(table, again)
    assert (
        found(data, plain, methods={"balanced": METHODS["balanced"]}, folds=2)["score"].tolist()
        != table["score"].tolist()
    )


def test_a_measure_of_which_less_is_better_is_minimised(data, split):
    table = found(data, split, measure="hamming-loss")
    for _, own in table.groupby("method"):
        assert own.loc[own["chosen"], "candidate"].item() == own["score"].to_numpy().argmin()


def test_parameters_that_cannot_be_fitted_are_passed_over(data, split):
    methods = {"fixed": {"method": "pca", "search": {"n_components": [10_000, 2]}}}
    table = found(data, split, methods=methods)
    assert table["score"].isna().tolist() == [True, False]
    assert table["chosen"].tolist() == [False, True]


def test_where_none_can_be_fitted_the_method_is_named(data, split):
    methods = {"fixed": {"method": "pca", "search": {"n_components": [10_000, 20_000]}}}
    with pytest.raises(DataError, match="fixed: none of the 2 combinations of parameters can be fitted"):
        found(data, split, methods=methods)


def test_methods_beside_each_other_change_nothing(data, split):
    together = found(data, split)
    for name, entry in METHODS.items():
        if "search" in entry:
            alone = found(data, split, methods={name: entry})
            pd.testing.assert_frame_equal(alone, together[together["method"] == name].reset_index(drop=True))


def test_what_is_drawn_depends_on_the_seed_alone(data, split):
    methods = {"drawn": {"method": "random-projection", "search": {"n_components": [0.5, 0.9]}}}
    found = [
        search_on_splits(
            *(data, {0: split}, methods, FeatureSpaceStrategy(data, SPACE, seed).evaluator(search()), search(), seed)
        )
        for seed in (1, 1, 2)
    ]
    pd.testing.assert_frame_equal(found[0], found[1])
    assert (found[0]["score"] != found[2]["score"]).any()


def test_test_rows_are_never_looked_at(data, split):
    other = split._replace(test=split.test[:3])
    pd.testing.assert_frame_equal(found(data, split), found(data, other))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_not_finite_are_refused(data, split, value):
    X = data.X.copy()
    X[split.train[0], 4] = value
    with pytest.raises(DataError, match=rf"planted contains .* in column 4 \('{data.feature_names[4]}'\)"):
        found(replace(data, X=X), split, methods={"pca": {}})
