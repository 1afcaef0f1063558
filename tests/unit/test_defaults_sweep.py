"""The rules of `make defaults`, and what the committed table says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def sweep():
    spec = importlib.util.spec_from_file_location("defaults_sweep", PROJECT / "benchmarks" / "defaults.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(sweep, **precisions):
    """Average precision of a method on all data sets; what is not given is well above every control."""
    families = {"frequencies": "frequencies", "ridge": "predictors", "kernel-ridge": "predictors", "leml": "predictors"}
    families |= {"cplst": "labelspace", "random-features": "selection", "mlfs": "selection"}
    families |= {"random-projection": "projection", "pca": "projection"}
    own = {"frequencies": 0.4, "random-features": 0.5, "random-projection": 0.5} | precisions
    rows = []
    for method, family in families.items():
        for place, dataset in enumerate(sweep.DATASETS):
            value = own.get(method, 0.9)
            value = value[place] if isinstance(value, list) else value
            for predictor in sweep.PREDICTORS if family in ("selection", "projection") else ("",):
                rows.append((method, family, dataset, predictor, value, 0.95, None))
    return pd.DataFrame(rows, columns=["method", "family", "dataset", "predictor", "ap", "f1", "failed"])


def broken(sweep, **precisions):
    return sweep.violations(table(sweep, **precisions))


def test_what_is_above_the_controls_breaks_no_rule(sweep):
    assert broken(sweep).empty


def test_a_predictor_below_the_frequencies_counts_where_ridge_is_above(sweep):
    rules = broken(sweep, leml=[0.3] + 7 * [0.9])
    assert rules[["method", "rule", "cells"]].to_numpy().tolist() == [
        ["leml", "label frequencies", f"{sweep.DATASETS[0]} 0.300 < 0.400"]
    ]
    assert broken(sweep, leml=[0.3] + 7 * [0.9], ridge=[0.35] + 7 * [0.9]).empty
    assert broken(sweep, cplst=[0.3] + 7 * [0.9])["method"].tolist() == ["cplst"]


@pytest.mark.parametrize(("method", "most"), [("mlfs", 2), ("pca", 4)])
def test_a_reduction_may_be_below_random_ones_on_some_sets(sweep, method, most):
    assert broken(sweep, **{method: most * [0.45] + (8 - most) * [0.9]}).empty
    rules = broken(sweep, **{method: (most + 1) * [0.45] + (7 - most) * [0.9]})
    assert rules["method"].tolist() == [method, method]  # before both predictors


def test_values_that_are_wanted(sweep):
    assert broken(sweep, ridge=7 * [0.9] + [0.38])["rule"].tolist() == ["at least 0.39"]
    low = table(sweep)
    low.loc[low["method"].eq("kernel-ridge") & low["dataset"].eq("digits"), "f1"] = 0.0
    assert sweep.violations(low)["cells"].tolist() == ["digits 0.000 < 0.900"]


def test_what_remains_has_a_reason_and_is_on_the_page(sweep):
    rules = sweep.violations(pd.read_csv(sweep.TABLE))
    assert not rules.empty
    assert (rules["reason"] != "").all(), rules[rules["reason"] == ""]
    page = sweep.PAGE.read_text(encoding="utf-8")
    for row in rules.itertuples():
        assert f"| `{row.method}` | {row.rule} | {row.cells} | {row.reason} |" in page
