"""Files that others read too: no difference without an explanation, of few files here and of many in `make fuzz`."""

from __future__ import annotations

import collections
import itertools
import warnings

import differential
import numpy as np
import pytest
from differential import DTYPES, GENERATORS, LAYOUTS, NAN, OFTEN, SUFFIXES, chance_of, outcome, read_as, rule_of, same

from mlreduce.exceptions import MLReduceError

#: Of the files of a kind, the least share that both read equal: what both refuse shows nothing.
EQUAL = {"csv": 0.4, "two tables": 0.15, "svmlight": 0.3, "arff": 0.3}


@pytest.fixture(autouse=True)
def warnings_of_others():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def compare(tmp_path, numbers):
    counts = collections.Counter()
    for number in numbers:
        kind, result, shown = outcome(number, tmp_path)
        assert result != "DIFFERENT", f"file {number}, {kind}: {shown}"
        counts[kind, result] += 1
    return counts


def test_few_files_are_read_as_by_others(tmp_path):
    compare(tmp_path, range(200))


@pytest.mark.slow
@pytest.mark.fuzz
def test_many_files_are_read_as_by_others(tmp_path):
    counts = compare(tmp_path, range(10_000_000, 10_003_000))
    totals = collections.Counter()
    for (kind, _), count in counts.items():
        totals[kind] += count
    assert set(totals) == set(GENERATORS) == set(OFTEN)
    for kind, total in totals.items():
        assert counts[kind, "equal"] >= EQUAL.get(kind, 0.4) * total, counts


def test_a_difference_is_noticed(tmp_path, monkeypatch):
    """The numbers of files that the next lines change are those that are equal."""
    equal = [number for number in range(60) if outcome(number, tmp_path)[1] == "equal"]
    assert len(equal) > 20
    read = differential.read_as
    for change in (
        lambda data: data._replace(X=np.where(np.isnan(data.X), 0, NAN)),
        lambda data: data._replace(Y=np.hstack([data.Y, np.zeros((len(data.Y), 1))])),
        lambda data: data._replace(X=data.X[1:], Y=data.Y[1:]),
    ):
        monkeypatch.setattr(differential, "read_as", lambda path, options, change=change: change(read(path, options)))
        assert {outcome(number, tmp_path)[1] for number in equal} == {"DIFFERENT"}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.rotating
def test_what_is_saved_in_any_type_and_layout_is_read_equal_or_refused(tmp_path, suffix):
    counts = collections.Counter()
    for place, (dtype, layout) in enumerate(itertools.product(DTYPES, LAYOUTS)):
        chance = chance_of(place)
        try:
            case = differential.saved_case(chance, suffix, dtype, layout)
        except MLReduceError as error:
            assert rule_of(error), error
            counts["refused"] += 1
            continue
        (name, content), *_ = case.files.items()
        (tmp_path / name).write_bytes(content)
        assert same(read_as(tmp_path / name, case.options), case.truth), (dtype, layout, case)
        counts["equal"] += 1
    assert counts["equal"] > counts.total() / 3, counts
