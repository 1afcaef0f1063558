"""A method that raises on one split: what is left, what is said, and what runs again."""

from __future__ import annotations

import os
import re

import pandas as pd
import pytest
import yaml
from project import Project

from mlreduce.experiments.seeds import derive_seed

OPTIONS = ("--config", "run_on=planted", "splits=3", "studies=[cplst-2012]")
BASE = "results/demo/cplst-2012"

# Raises while a file says so, on the splits whose seeds stand there and what it says; or waits for its end.
MINE = '''"""Mine."""

import time
from pathlib import Path

from mlreduce.labelspace.plst import PLST
from mlreduce.registry import register


@register("mine")
class Mine(PLST):
    """Of my own, and not always well."""

    def __init__(self, n_components=None, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    def _directions(self, statistics):
        marker = Path("marker")
        if marker.is_file():
            error, *seeds = marker.read_text().split()
            if str(self.random_state) in seeds and error == "wait":
                Path("held").touch()
                time.sleep(600)
            elif str(self.random_state) in seeds:
                raise {"RuntimeError": RuntimeError, "MemoryError": MemoryError}[error]("the marker\\nis there")
        return super()._directions(statistics)
'''


def mark(project, *splits, error="RuntimeError"):
    seeds = (derive_seed(2012, "planted", "mine", split) for split in splits)
    (project.folder / "marker").write_text(" ".join([error, *map(str, seeds)]))


def made(folder):
    """The project with a study of two methods, the splits of one of them in jobs of their own."""
    project = Project(folder)
    (project.folder / "src" / "mlreduce" / "labelspace" / "mine.py").write_text(MINE)
    path = project.folder / "config" / "studies" / "cplst-2012.yaml"
    study = yaml.safe_load(path.read_text())
    del study["protocols"]["as-stated"]
    study |= {"predictors": {"linear": {}}, "methods": {"linear-codes": {"plst": {}}, "own": {"mine": {}}}}
    study |= {"groups": {"own": {"splits_per_job": {"default": 1}}}, "figures": {}}
    study["tables"] = {"table3": study["tables"]["table3"] | {"methods": ["plst", "mine"]}}
    study["tables"]["table-other"] = study["tables"]["table3"] | {"methods": ["plst"]}
    for scale in study["scales"].values():
        scale.pop("fewer_splits")
    path.write_text(yaml.safe_dump(study, sort_keys=False))
    return project


def jobs(output):
    """How many jobs of each rule a run has, by its table of them."""
    (table, *_) = re.findall(r"^job +count\n-.*\n((?:.*\n)*?)total", output, re.MULTILINE)  # a dry run says it twice
    return {rule: int(count) for rule, count in (line.split() for line in table.splitlines())}


# What runs again for one split of one group, of the whole study.
AGAIN = {
    **dict.fromkeys(("reduce_labels", "predict_labels", "gather", "summarise", "details", "failures"), 1),
    **{"table": 2, "audit": 1, "manifest": 1, "page": 1, "all": 1},
}
SENTENCE = (
    "mlreduce: 1 cell failed: cplst-2012 as-printed planted mine on split 1: RuntimeError: the marker. All reasons "
    f"stand in {BASE}/failures, and under the tables; the next run tries the cells again."
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run in which nothing failed: do not edit."""
    project = made(tmp_path_factory.mktemp("whole"))
    project.run(*OPTIONS)
    return project


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    """A run in which split 1 of a method failed: do not edit."""
    project = made(tmp_path_factory.mktemp("failed"))
    mark(project, 1)
    project.output = project.run(*OPTIONS, fails=True)
    return project


def test_the_rest_is_made_and_the_reason_is_recorded(whole, failed):
    assert failed.output.count(SENTENCE) == 1
    assert "Traceback" not in failed.output
    base = failed.folder / BASE
    (cell,) = pd.read_csv(base / "failures.csv", keep_default_na=False).to_dict("records")
    place = cell.pop("where")
    assert re.fullmatch(r"mlreduce/labelspace/mine.py:\d+ \(_directions\)", place)
    assert cell == {
        **{"study": "cplst-2012", "protocol": "as-printed", "dataset": "planted", "group": "own", "method": "mine"},
        **{"predictor": "linear", "split": 1, "step": "reduce", "error": "RuntimeError", "message": "the marker"},
    }
    log = (base / "logs" / "reduce" / "as-printed" / "planted" / "own" / "001-001.log").read_text()
    assert "Traceback" in log
    assert "RuntimeError: the marker\nis there" in log
    scores, complete = (pd.read_parquet(project.folder / BASE / "scores.parquet") for project in (failed, whole))
    kept = complete[(complete["method"] != "mine") | (complete["split"] != 1)].reset_index(drop=True)
    pd.testing.assert_frame_equal(scores, kept, check_exact=True)
    assert failed.results().keys() == whole.results().keys()


def test_tables_and_the_page_say_so(failed):
    base = failed.folder / BASE
    table = pd.read_csv(base / "table3.csv").groupby("method")[["splits", "failed"]].max()
    assert table.to_dict("index") == {"mine": {"splits": 2, "failed": 1}, "plst": {"splits": 3, "failed": 0}}
    note = "mine on planted, as-printed: ran on 2 of 3 splits; RuntimeError: the marker (reduce, split 1)"
    assert (base / "table3.md").read_text().endswith(f"- {note}\n")
    assert r"\footnotesize" in (base / "table3.tex").read_text()
    page = (base.parent / "report.html").read_text()
    assert "<h3>What failed</h3>" in page
    assert f"<li>{note}</li>" in page
    assert "failed" not in (base / "table-other.csv").read_text()  # nothing of it did


@pytest.fixture
def again(failed, tmp_path):
    """A copy of the run in which a cell failed, to go on with."""
    project = failed.copy(tmp_path / "again")
    yield project
    project.stop()


def test_the_cell_is_tried_again_until_it_is_there_and_nothing_else_is(again, whole):
    assert jobs(again.run(*OPTIONS, "-n")) == AGAIN
    kept = again.results()
    output = again.run(*OPTIONS, fails=True)
    assert output.count(SENTENCE) == 1
    assert jobs(output) == AGAIN
    assert again.results() == kept
    (again.folder / "marker").unlink()
    output = again.run(*OPTIONS)
    assert jobs(output) == AGAIN
    assert "failed" not in output
    assert again.results() == whole.results()
    assert "Nothing to be done" in again.run(*OPTIONS)


def test_the_exit_status_is_of_what_was_asked_for(again):
    output = again.run("cplst_table3", *OPTIONS, fails=True)
    assert output.count(SENTENCE) == 1
    assert jobs(output)["reduce_labels"] == 1
    # Of another group: nothing failed there.
    scores = f"{BASE}/scores/as-printed/planted/linear-codes/linear/000-002.parquet"
    assert "failed" not in again.run(scores, *OPTIONS)


@pytest.mark.parametrize("end", ["crash", "kill"])
def test_a_retry_that_comes_to_no_end_is_not_taken_for_one(again, whole, end):
    """The job runs out of memory, or the run is killed, when the old record is the only one there is."""
    if end == "crash":
        mark(again, 1, error="MemoryError")
        assert "mlreduce: 1 cell failed" in again.run(*OPTIONS, fails=True)
    else:
        mark(again, 1, error="wait")
        again.wait_for_held(again.start(*OPTIONS))
        again.stop()
    (again.folder / "marker").unlink()
    again.run(*OPTIONS)
    assert again.results() == whole.results()


def test_a_damaged_record_of_what_failed_does_not_hide_it(again, whole):
    record = again.folder / BASE / "failures" / "reduce" / "as-printed" / "planted" / "own" / "001-001.csv"
    (again.folder / "marker").unlink()
    dated = record.stat()
    for damaged in (b"study,protocol\n", b""):
        record.write_bytes(damaged)
        os.utime(record, ns=(dated.st_atime_ns, dated.st_mtime_ns))  # as a disk leaves it
        assert jobs(again.run(*OPTIONS, "-n")) == AGAIN
    again.run(*OPTIONS)
    assert again.results() == whole.results()
