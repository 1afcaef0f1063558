"""Clocks that jump: files dated in the future and in the past, and what is timed."""

from __future__ import annotations

import ast
import os
import time

import numpy as np
import pandas as pd
import pytest
import yaml
from project import PROJECT, TINY

from mlreduce.datasets.files import not_of_the_future

DAY = 86_400
DONE = "Nothing to be done"


def date(path, seconds, since=None):
    """Date a file so many seconds from now, or since another moment."""
    moment = (time.time() if since is None else since) + seconds
    os.utime(path, (moment, moment), follow_symlinks=False)


def test_dates_of_the_future_become_now_in_their_order(tmp_path):
    ahead = {"a": 5 * DAY, "c": 3 * DAY, "sub/b": 4 * DAY}
    (tmp_path / "sub").mkdir()
    for name, seconds in {**ahead, "old": -DAY}.items():
        (tmp_path / name).touch()
        date(tmp_path / name, seconds)
    (tmp_path / "dangling").symlink_to("nowhere")
    before, old = time.time(), (tmp_path / "old").stat().st_mtime_ns
    not_of_the_future([tmp_path, tmp_path / "absent"])
    dates = {name: (tmp_path / name).stat().st_mtime for name in ahead}
    assert sorted(dates, key=dates.get) == ["c", "sub/b", "a"]
    assert all(before - 1 <= moment <= time.time() + 1 for moment in dates.values())
    assert (tmp_path / "old").stat().st_mtime_ns == old


def test_results_of_a_clock_that_was_ahead_are_neither_made_again_nor_in_the_way(done, undisturbed):
    part = "results/demo/cplst-2012/scores/as-printed/planted/linear-codes/linear/000-000.parquet"
    for folder in ("results", "workflow"):
        for path in (done.folder / folder).rglob("*"):
            date(path, DAY, since=path.lstat().st_mtime)
    options = ("--config", *TINY, "--max-checksum-file-size", "0")  # as for large files, which go by dates alone
    assert DONE in done.run(*options, "-n")
    for name in (part, "results/demo/cplst-2012/summary.csv", "results/demo/report.html"):
        (done.folder / name).unlink()
    done.run(*options)
    assert (done.folder / part).read_bytes() == (undisturbed.folder / part).read_bytes()
    assert done.results() == undisturbed.results()
    assert DONE in done.run(*options, "-n")


def test_own_data_count_by_what_they_hold_whatever_their_date(project):
    rng = np.random.default_rng(0)
    features, labels = project.folder / "f.csv", project.folder / "l.csv"
    pd.DataFrame(rng.integers(0, 2, (30, 2)), columns=["x", "y"]).to_csv(labels, index=False)
    entry = {"reader": "tables", "features": "f.csv", "labels": "l.csv"}
    (project.folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    wanted = ("results/data/mine.npz", "--config", "datasets=my.yaml", "run_on=mine", "studies=[cplst-2012]")

    def write(seconds):
        pd.DataFrame(rng.random((30, 2)), columns=["a", "b"]).to_csv(features, index=False)
        date(features, seconds)

    write(DAY)
    project.run(*wanted)
    assert DONE in project.run(*wanted, "-n")
    write(-DAY)
    planned = project.run(*wanted, "-n")
    assert "rule fetch:" in planned
    assert "rule prepare:" in planned


def test_claims_and_printed_numbers_count_by_what_they_hold_whatever_their_date(done):
    for name in ("claims.yaml", "published/cplst-2012.csv"):
        path = done.folder / "config" / name
        whole = path.read_text()
        path.write_text(f"{whole}\n")
        date(path, -DAY)
        planned = done.run("--config", *TINY, "-n")
        assert "rule audit:" in planned, name
        assert "rule gather:" not in planned
        path.write_text(whole)


# Of the calendar's clock, which is set and jumps, nothing may be timed; these ask it for dates.
DATES = {("files.py", "not_of_the_future")}


@pytest.mark.parametrize("folder", ["src", "workflow"])
def test_nothing_is_timed_by_a_clock_that_can_be_set(folder):
    found = set()
    for path in (PROJECT / folder).rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
                found |= {(path.name, getattr(function, "name", "")) for node in ast.walk(function) if is_set(node)}
    assert {place for place in found if place[1]} <= DATES


def is_set(node):
    """Say whether a piece of code asks a clock that can be set."""
    names = ("time", "time_ns", "clock_gettime", "clock_gettime_ns")
    if isinstance(node, ast.ImportFrom):
        return node.module == "time" and any(alias.name in names for alias in node.names)
    return (
        isinstance(node, ast.Attribute)
        and node.attr in names
        and isinstance(node.value, ast.Name)
        and node.value.id == "time"
    )
