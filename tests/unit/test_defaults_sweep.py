"""The rules of `make defaults`, and what the committed table says."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mlreduce
from mlreduce.metrics import evaluate

PROJECT = Path(__file__).parents[2]
SETS = [f"set{number:02d}" for number in range(15)]


@pytest.fixture(scope="module")
def sweep():
    spec = importlib.util.spec_from_file_location("defaults_sweep", PROJECT / "benchmarks" / "defaults.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cells(sweep, **precisions):
    """Average precision of a method on 15 data sets at all sizes; what is not given is well above every control."""
    families = {"frequencies": "frequencies", "leml": "predictors", "cplst": "labelspace"}
    families |= {"random-features": "selection", "mlfs": "selection", "random-projection": "projection"}
    families |= {"pca": "projection"}
    given = {"frequencies": 0.4, "random-features": 0.5, "random-projection": 0.5} | precisions
    rows = []
    for method, family in families.items():
        values = given.get(method, 0.9)
        for place, dataset in enumerate(SETS):
            value = values[place] if isinstance(values, list) else values
            predictors = sweep.PREDICTORS if family in ("selection", "projection") else ("",)
            for size in sweep.SIZES.get(family, ("",)):
                rows += [(method, family, dataset, str(size), name, value, 0.5, "") for name in predictors]
    return pd.DataFrame(rows, columns=["method", "family", "dataset", "size", "predictor", "ap", "f1", "failed"])


def broken(sweep, **precisions):
    table = sweep.summarise(cells(sweep, **precisions))
    return dict(table.loc[table["broken"] != "", ["method", "broken"]].to_numpy())


def test_what_is_above_the_controls_breaks_no_rule(sweep):
    table = sweep.summarise(cells(sweep))
    assert sorted(table["method"]) == ["cplst", "leml", "mlfs", "pca"]
    assert (table["broken"] == "").all()
    assert table.set_index("method")["difference"].to_dict() == {"cplst": 0.5, "leml": 0.5, "mlfs": 0.4, "pca": 0.4}


@pytest.mark.parametrize(
    ("method", "below", "most", "rule"),
    [
        ("mlfs", 0.45, 3, "random"),
        ("pca", 0.45, 2, "random"),
        ("cplst", 0.35, 3, "frequencies"),
        ("leml", 0.35, 2, "frequencies"),
    ],
)
def test_a_method_may_be_below_a_control_on_some_sets(sweep, method, below, most, rule):
    assert not broken(sweep, **{method: most * [below] + (15 - most) * [0.9]})
    assert broken(sweep, **{method: (most + 1) * [below] + (14 - most) * [0.9]}) == {method: rule}


def test_a_projection_below_the_frequencies_on_two_sets(sweep):
    assert not broken(sweep, pca=[0.35] + 14 * [0.9])
    assert broken(sweep, pca=2 * [0.35] + 13 * [0.9]) == {"pca": "frequencies"}


def test_sizes_are_compared_with_the_same_sizes_of_the_control(sweep):
    table = cells(sweep)
    large = (table["method"] == "pca") & (table["size"] == "20") & (table["dataset"] == SETS[0])
    table.loc[large, ["ap", "failed"]] = [float("nan"), "TooSlowError: more than 30 s"]
    control = (table["method"] == "random-projection") & (table["size"] == "20")
    table.loc[control, "ap"] = 0.99  # would raise the control's mean on the set where the size failed
    assert sweep.compare_cells(table, "pca", "ridge", ("random-projection", "ridge"))[SETS[0]] == pytest.approx(0.4)


def test_the_worst_method_is_first(sweep):
    table = sweep.summarise(cells(sweep, pca=5 * [0.45] + 10 * [0.9], leml=[0.3] + 14 * [0.9]))
    assert table["method"].tolist()[:2] == ["pca", "leml"]


def test_what_breaks_a_rule_has_a_reason_that_a_test_holds(sweep):
    table = sweep.summarise(pd.read_parquet(sweep.CELLS))
    pd.testing.assert_frame_equal(
        table.fillna({"broken": ""}), pd.read_csv(sweep.TABLE).fillna({"broken": ""}), check_dtype=False
    )
    assert set(table.loc[table["broken"] != "", "method"]) == set(sweep.REASONS)
    page = sweep.PAGE.read_text(encoding="utf-8")
    assert sweep.page_of(page, table) == page
    for method, (reason, test) in sweep.REASONS.items():
        assert re.search(rf"^\| {method} \| .* \| {re.escape(reason)} \|$", page, re.MULTILINE)
        file, _, name = test.partition("::")
        defined = ast.walk(ast.parse((PROJECT / file).read_text(encoding="utf-8")))
        assert name in [node.name for node in defined if isinstance(node, ast.FunctionDef)], test


def test_all_methods_are_in_the_table(sweep):
    n_datasets, every = pd.read_parquet(sweep.CELLS)["dataset"].nunique(), len(pd.read_csv(sweep.SETS))
    assert f"{n_datasets} of its {every} data sets" in " ".join(sweep.PAGE.read_text(encoding="utf-8").split())
    assert set(pd.read_csv(sweep.TABLE)["method"]) == set(sweep.names_of_methods()) - {"frequencies", *sweep.CONTROLS}


@pytest.mark.parametrize("name", ["lpp", "npp"])
def test_neighbourhoods_of_features_do_not_know_the_labels(name):
    data = mlreduce.load_dataset("planted-300")
    directions = [mlreduce.make(name, n_components=3).fit(data.X, Y).components_ for Y in (data.Y, 1 - data.Y, None)]
    np.testing.assert_array_equal(directions[0], directions[1])
    np.testing.assert_array_equal(directions[0], directions[2])


def test_some_methods_are_below_their_controls_by_little(sweep):
    cells = pd.read_parquet(sweep.CELLS)
    little = {method for method, (_, test) in sweep.REASONS.items() if test.endswith("by_little")}
    for method in little:
        for control in (("random-projection", "ridge"), ("frequencies", "")):
            differences = sweep.compare_cells(cells, method, "ridge", control)
            assert differences.min() > -0.03
            assert differences.mean() >= 0.03


def test_model_trees_of_few_rows_fit_noise():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((300, 40)), (rng.random((300, 20)) < np.linspace(0.05, 0.5, 20)).astype(int)
    frequencies = evaluate("average-precision", Y[100:], np.tile(Y[:100].mean(axis=0), (200, 1)))
    trees, ridge = (
        evaluate("average-precision", Y[100:], mlreduce.make(name).fit(X[:100], Y[:100]).predict(X[100:]))
        for name in ("m5p", "ridge")
    )
    assert trees < frequencies - 0.05
    assert ridge > frequencies - 0.01
