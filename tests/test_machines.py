"""Scores of every method of every study do not depend on the machine or on the order of columns and rows."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import warnings
from dataclasses import replace
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from blas_kernels import architectures
from threadpoolctl import threadpool_limits

import mlreduce
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.embedded import planted
from mlreduce.exceptions import ProjectionWarning

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "machines.py"
_spec = importlib.util.spec_from_file_location("machines", SCRIPT)
machines = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(machines)

#: By variant: method and predictor whose definition names a column or a row by its place, and why.
BY_PLACE = {
    "columns": {
        ("random-?", "*"): "draws features by their numbers",
        ("qpfs-approx*", "*"): "draws a sample of the features by their numbers",
        ("qpfs-nystrom*", "*"): "draws a sample of the features by their numbers",
        ("*", "m5p"): "of equally good features a tree takes the first, as Weka's does",
    },
    "rows": {
        ("gmba*", "*"): "visits the instances in an order drawn by their numbers, which changes what the next add",
        ("mlrf-code", "*"): "the published code reads places in its lists as row numbers",
        ("mope*-first-rows", "*"): "of tied instances the first rows are neighbours, which is what it is to show",
        ("random-projection", "*"): "relation features are rows, so that directions are drawn by the rows' numbers",
    },
    "threads": {},
    "kernels": {},
}


def small(name: str) -> MultiLabelData:
    """Data in the place of the studies' smallest set, whose settings they take."""
    if name == "digits":  # large enough for BLAS to use two threads; many equal distances
        data = mlreduce.load_dataset("digits-300")
        return replace(data, X=data.X[:140], Y=data.Y[:140])
    data = planted(n_samples=80, n_features=14, n_labels=5, n_latent=3, n_distractors=1, random_state=3).data
    return replace(data, name="digits-300")


def all_scores(name: str, variant: str = "here") -> pd.DataFrame:
    """The scores of all groups of all studies."""
    data, parts = small(name), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProjectionWarning)
        for name_of_study in machines.STUDIES:
            study = machines.study_of(name_of_study, data.name)
            for protocol, group in machines.parts_of(study, data.name):
                sizes = sorted({min(study.sizes), 30, 100})  # a code may be no longer than the study needs
                scores, failures = machines.scores_of(study, data, protocol, group, variant, sizes=sizes)
                assert failures.empty, failures
                assert set(scores["method"]) == set(study.groups[group].methods)
                parts.append(scores)
    return pd.concat(parts, ignore_index=True)


@cache
def here(name: str) -> pd.DataFrame:
    with threadpool_limits(1):
        return all_scores(name)


def check(one: pd.DataFrame, there: pd.DataFrame, variant: str) -> None:
    table = machines.compared(one, there)
    differ = table[table["difference"] > 1e-9 * np.maximum(1, table["value"].abs())]
    allowed, used = BY_PLACE[variant], set()
    unexpected = []
    for method, predictor in zip(differ["method"], differ["predictor"], strict=True):
        found = {pair for pair in allowed if fnmatch(method, pair[0]) and fnmatch(predictor, pair[1])}
        used |= found
        if not found:
            unexpected.append((method, predictor))
    assert not unexpected, table.set_index(["method", "predictor"]).loc[unexpected]
    assert used == set(allowed)  # no line of the table is out of date


@pytest.mark.parametrize("variant", ["columns", "rows"])
@pytest.mark.rotating
def test_order(variant):
    with threadpool_limits(1):
        check(here("planted"), all_scores("planted", variant), variant)


@pytest.mark.slow
@pytest.mark.promise
def test_two_threads():
    with threadpool_limits(2):
        check(here("digits"), all_scores("digits"), "threads")


@pytest.mark.slow  # make test-kernel runs the definitions of all methods so
def test_kernels_of_another_processor(tmp_path):
    other = "Nehalem" if architectures() == {"Haswell"} else "Haswell"
    environment = {"OPENBLAS_CORETYPE": other, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, __file__, str(tmp_path / "scores")]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode == 4:
        pytest.skip(f"this processor, or this build of BLAS, has no kernels for {other}")
    assert done.returncode == 0, done.stderr
    check(here("digits"), pd.read_parquet(tmp_path / "scores"), "kernels")


def scores(**values: float) -> pd.DataFrame:
    """Scores of a method at sizes, as `machines.scores_of` returns them."""
    rows = [
        ("mvmd-2016", "ten-fold", "paper", "pca", "ridge", 0, 0.0, int(size[1:]), "hamming-loss") for size in values
    ]
    return pd.DataFrame(rows, columns=machines.CELL).assign(value=list(values.values()))


def test_largest_difference():
    one = machines.compared(scores(_1=0.25, _2=0.5), scores(_1=0.25, _2=0.75)).iloc[0]
    assert one[["difference", "size", "value"]].tolist() == [0.25, 2, 0.5]
    assert machines.compared(scores(_1=0.25), scores(_1=0.25))["difference"].tolist() == [0.0]
    assert machines.compared(scores(_1=0.25, _2=0.5), scores(_1=0.25))["difference"].tolist() == [np.inf]
    undefined = scores(_1=np.nan)
    assert machines.compared(undefined, undefined)["difference"].tolist() == [0.0]


def test_table_is_completed(tmp_path, monkeypatch):
    asked = []

    def computed(study, dataset, protocol, group, variant, mirror):
        asked.append((group, variant))
        failed = pd.DataFrame([("mlsi", "", "no direction")], columns=["method", "predictor", "message"])
        return scores(_1=0.5 if variant == "here" else 0.75), failed

    monkeypatch.setattr(machines, "in_a_process", computed)
    output = tmp_path / "new" / "machines.csv"
    machines.measure(output, ["digits-300"], ["mvmd-2016"], ["columns"], None)
    assert asked == [(group, variant) for group in ("paper", "further", "balance") for variant in ("here", "columns")]
    first = pd.read_csv(output)
    assert first.columns.tolist() == machines.COLUMNS
    assert first["difference"].dropna().tolist() == [0.25] * 3
    assert first["failure"].dropna().tolist() == ["no direction"] * 3
    machines.measure(output, ["digits-300"], ["mvmd-2016"], ["columns"], None)
    assert len(asked) == 6
    machines.measure(output, ["digits-300"], ["mvmd-2016"], ["columns", "rows"], None)
    assert asked[6:] == [(group, variant) for group in ("paper", "further", "balance") for variant in ("here", "rows")]
    assert len(pd.read_csv(output)) == 2 * len(first)


if __name__ == "__main__":  # the other process of the last test
    if architectures() != {os.environ["OPENBLAS_CORETYPE"]}:
        sys.exit(4)
    all_scores("digits").to_parquet(sys.argv[1])
