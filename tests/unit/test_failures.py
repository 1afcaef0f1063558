"""What is written down of a failed cell, and what is not a cell's failure."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.experiments.failures import (
    FAILURE_COLUMNS,
    RAISE,
    FailedCellWarning,
    Failures,
    failures_before,
    read_failures,
    sentence_on_failures,
    set_aside,
)


class Job:
    study, protocol, dataset, group = "s", "p", "d", "g"


def fail(error):
    raise error


def failed(*cells, step="reduce", error=None, **options):
    failures = Failures(step, **options)
    for split, method in cells:
        with pytest.warns(FailedCellWarning):
            assert failures.attempt(split, method, fail, error or ValueError("boom")) is None
    return failures


def test_what_a_method_returns_is_passed_on():
    failures = Failures("reduce")
    assert failures.attempt(0, "a", divmod, 7, 2) == (3, 1)
    assert list(failures.attempt_each(0, "a", iter("xy"))) == ["x", "y"]
    assert failures.attempt_all(0, ["a", "b"], lambda names: {name: name * 2 for name in names})["b"] == "bb"
    assert failures.table().empty


def test_a_failure_is_recorded_with_its_reason_and_its_place():
    failures = Failures("predict", predictor="ridge")
    with pytest.warns(FailedCellWarning, match=r"(?s)predict: a failed on split 3.*Traceback.*Singular matrix"):
        assert failures.attempt(3, "a", np.linalg.inv, np.zeros((2, 2))) is None
    (cell,) = failures.table(study="s", protocol="p", dataset="d", group="g").to_dict("records")
    assert cell | {"where": ""} == {
        **{"study": "s", "protocol": "p", "dataset": "d", "group": "g", "method": "a", "predictor": "ridge"},
        **{"split": 3, "step": "predict", "error": "LinAlgError", "message": "Singular matrix", "where": ""},
    }
    assert cell["where"].startswith("mlreduce/experiments/failures.py:")  # not within NumPy, and without a folder
    assert (3, "a") in failures
    assert (2, "a") not in failures


def test_a_message_is_its_first_line_in_printable_characters_and_cut():
    failures = failed((0, "a"), error=ValueError("\n \x1b[31mtoo\tbad  indeed\nand more"))
    failures.attempt(1, "a", int, "7")
    with pytest.warns(FailedCellWarning):
        failures.attempt(1, "a", fail, ValueError("x" * 500))
    messages = failures.table()["message"].tolist()
    assert messages == ["[31mtoo bad indeed", "x" * 197 + "..."]


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError("disk"), ConfigurationError("k"), KeyboardInterrupt(), SystemExit(2)]
)
def test_what_is_no_methods_doing_ends_the_job(error):
    failures = Failures("reduce")
    for call in (
        lambda: failures.attempt(0, "a", fail, error),
        lambda: failures.attempt_all(0, ["a", "b"], lambda names: fail(error)),
    ):
        with pytest.raises(type(error)):
            call()
    assert failures.table().empty


def test_an_iterator_is_followed_until_it_raises():
    def guesses():
        yield 1
        raise DataError("no more")

    failures, seen = Failures("predict"), []
    with pytest.warns(FailedCellWarning):
        seen += failures.attempt_each(0, "a", guesses())
    assert seen == [1]
    assert (0, "a") in failures


def test_of_several_together_only_those_that_raise_are_lost():
    def work(names):
        return {name: 1 / len(name.strip("b")) for name in names}

    failures = Failures("predict")
    with pytest.warns(FailedCellWarning):
        assert failures.attempt_all(5, ["a", "b", "aa"], work) == {"a": 1.0, "aa": 0.5}
    assert failures.table()[["method", "split", "error"]].values.tolist() == [["b", 5, "ZeroDivisionError"]]


def test_without_a_record_the_first_failure_is_the_callers():
    for call in (
        lambda: RAISE.attempt(0, "a", fail, ValueError("boom")),
        lambda: RAISE.attempt_all(0, ["a"], lambda names: fail(ValueError("boom"))),
        lambda: list(RAISE.attempt_each(0, "a", (fail(ValueError("boom")) for _ in "x"))),
    ):
        with pytest.raises(ValueError, match="boom"):
            call()
    assert (0, "a") not in RAISE


def test_records_survive_their_file(tmp_path):
    failed((2, "nan"), (0, "b"), error=ValueError('a, "b"; None')).save(tmp_path / "f.csv", Job())
    failed((None, "a"), step="cost").save(tmp_path / "g.csv", object())
    back = read_failures([tmp_path / "g.csv", tmp_path / "f.csv", tmp_path / "f.csv"])
    assert tuple(back.columns) == FAILURE_COLUMNS
    assert back["method"].tolist() == ["a", "b", "nan"]
    assert back["split"].tolist() == [pd.NA, 0, 2]
    assert back["message"].tolist() == ["boom", 'a, "b"; None', 'a, "b"; None']
    assert back["study"].tolist() == ["", "s", "s"]
    Failures("reduce").save(tmp_path / "none.csv", Job())
    assert (tmp_path / "none.csv").read_text() == ",".join(FAILURE_COLUMNS) + "\n"
    assert read_failures([tmp_path / "none.csv"]).empty
    assert tuple(read_failures([]).columns) == FAILURE_COLUMNS


@pytest.mark.parametrize("name", ["-cs", "=1+1", "+a", "@a", "'a", "", "NA"])
def test_names_that_begin_like_formulas_survive_their_file(tmp_path, name):
    failed((0, name), error=ValueError(name)).save(tmp_path / "f.csv", Job())
    (cell,) = read_failures([tmp_path / "f.csv"]).to_dict("records")
    assert (cell["method"], cell["message"]) == (name, name)
    assert (0, name) in Failures("predict", before=read_failures([tmp_path / "f.csv"]))


def test_what_failed_before_is_missing_after(tmp_path):
    failed((0, "a"), (3, "b"), step="choose").save(tmp_path / "f.csv", Job())
    before = failures_before([tmp_path / "f.csv"], [0, 1], once=False)
    assert before[["split", "method"]].values.tolist() == [[0, "a"]]
    once = failures_before([tmp_path / "f.csv"], [0, 1], once=True)
    assert sorted(map(tuple, once[["split", "method"]].values.tolist())) == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
    assert failures_before([], [0, 1], once=True).empty
    after = Failures("predict", "ridge", before)
    assert (0, "a") in after
    table = after.table(study="s", protocol="p", dataset="d", group="g")
    assert table[["step", "predictor", "split"]].values.tolist() == [["choose", "ridge", 0]]


def test_records_of_what_failed_are_set_aside_and_the_new_ones_are_told(tmp_path):
    folder = tmp_path / "s" / "failures"
    reduced, predicted, whole = (folder / step / "p" / "d" / "g" for step in ("reduce", "predict", "rank"))
    before = failed((1, "a"))
    before.save(reduced / "0-1.csv", Job())
    Failures("predict", "ridge", before.table()).save(predicted / "ridge" / "0-1.csv", Job())  # nothing of its own
    Failures("rank").save(whole / "0-1.csv", Job())
    assert sentence_on_failures(tmp_path) == (
        "1 cell failed: s p d a on split 1: ValueError: boom. All reasons stand in "
        f"{tmp_path}/s/failures, and under the tables; the next run tries the cells again."
    )
    set_aside(tmp_path)
    dates = {path.parent: path.stat().st_mtime for path in folder.rglob("*.csv")}
    assert dates[reduced] == 1
    assert min(dates[predicted / "ridge"], dates[whole]) > 1e9
    assert sentence_on_failures(tmp_path) == ""
    os.utime(reduced / "0-1.csv")  # tried again, and failed again
    many = failed(*((split, "b") for split in range(5)), step="predict", predictor="ridge")
    many.save(predicted / "ridge" / "0-1.csv", Job())
    sentence = sentence_on_failures(tmp_path)
    assert sentence.startswith("6 cells failed: ")
    assert "s p d b ridge on split 2: ValueError: boom; and 3 more. All" in sentence
