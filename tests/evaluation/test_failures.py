"""What is written down of a failed cell, and what is not a cell's failure."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mlreduce.evaluation.failures import (
    RAISE,
    FailedCellWarning,
    Failures,
    failures_before,
    read_failures_csv,
    sentence_on_failures,
)
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce_studies.gathering.job_tables import (
    any_failed,
    failed_files,
    read_failures,
    read_table,
    read_tables,
    write_table,
)
from mlreduce_studies.gathering.summary import write_csv

PLACE = {"study": "s", "protocol": "p", "dataset": "d", "group": "g"}
TABLE = pd.DataFrame({"study": ["s"], "method": ["a"], "split": [0], "value": [0.5]})


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
    (cell,) = failures.table(**PLACE).to_dict("records")
    assert cell | {"where": ""} == {
        **{"study": "s", "protocol": "p", "dataset": "d", "group": "g", "method": "a", "predictor": "ridge"},
        **{"split": 3, "step": "predict", "error": "LinAlgError", "message": "Singular matrix", "where": ""},
    }
    assert cell["where"].startswith("mlreduce/evaluation/failures.py:")  # not within NumPy, and without a folder
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


def test_failed_cells_are_rows_of_the_table_of_their_job(tmp_path):
    path = tmp_path / "t.parquet"
    write_table(path, TABLE)
    assert (any_failed(path), read_failures([path]).empty, failed_files([path])) == (False, True, [])
    pd.testing.assert_frame_equal(read_table(path), TABLE)
    cells = failed((2, "nan"), (None, "=b"), error=ValueError('a, "b"; None')).table(**PLACE)
    write_table(path, TABLE, cells)
    assert failed_files([path]) == [path]
    pd.testing.assert_frame_equal(read_table(path), TABLE, check_dtype=False)
    pd.testing.assert_frame_equal(read_failures([path, path]), cells)
    assert pd.read_parquet(path)["status"].tolist() == ["ok", "failed", "failed"]
    write_table(path, TABLE.iloc[:0], cells)  # nothing else is left
    assert read_table(path).empty
    assert len(read_tables([path, path])) == 0
    pd.testing.assert_frame_equal(read_failures([path]), cells)


@pytest.mark.parametrize("damage", [lambda content: content[:-20], lambda content: b"", lambda content: b"PAR1x"])
def test_a_damaged_table_is_named(tmp_path, damage):
    path, found = tmp_path / "t.parquet", []
    write_table(path, TABLE)
    path.write_bytes(damage(path.read_bytes()))
    assert failed_files([path], found.append) == []
    assert found == [path]
    for read in (read_table, any_failed):
        with pytest.raises(DataError, match=r"t.parquet: not a whole table \(.*\); delete it and run again$"):
            read(path)
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "no.parquet")


def test_a_flipped_bit_anywhere_in_a_table_is_noticed(tmp_path):
    path = tmp_path / "t.parquet"
    write_table(path, TABLE)
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :])
        with pytest.raises(DataError, match="t.parquet: not a whole table"):
            read_table(path)


def test_what_failed_before_is_missing_after():
    cells = failed((0, "a"), (3, "b"), step="choose").table(**PLACE)
    before = failures_before(cells, [0, 1], once=False)
    assert before[["split", "method"]].values.tolist() == [[0, "a"]]
    once = failures_before(cells, [0, 1], once=True)
    assert sorted(map(tuple, once[["split", "method"]].values.tolist())) == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
    after = Failures("predict", "ridge", before)
    assert (0, "a") in after
    assert after.table(**PLACE)[["step", "predictor", "split"]].values.tolist() == [["choose", "ridge", 0]]


def test_a_sentence_names_three_cells_and_where_the_reasons_are(tmp_path):
    assert sentence_on_failures(Failures("reduce").table(), tmp_path) == ""
    assert sentence_on_failures(failed((1, "a")).table(**PLACE), "results") == (
        "1 cell failed: s p d a on split 1: ValueError: boom. All reasons are in results/s/failures.csv and under the "
        "tables; the next run tries the cells again."
    )
    many = failed(*((split, "b") for split in range(5)), step="predict", predictor="ridge").table(**PLACE)
    sentence = sentence_on_failures(many, "results")
    assert sentence.startswith("5 cells failed: ")
    assert "s p d b ridge on split 2: ValueError: boom; and 2 more. All" in sentence


@pytest.mark.parametrize("name", ["-cs", "=1+1", "'a", "NA"])
def test_the_table_for_people_gives_names_back(tmp_path, name):
    cells = failed((0, name), error=ValueError(name)).table(**PLACE)
    write_csv(cells, tmp_path / "f.csv")
    (cell,) = read_failures_csv(tmp_path / "f.csv").to_dict("records")
    assert (cell["method"].lstrip("'"), cell["split"]) == (name.lstrip("'"), 0)
