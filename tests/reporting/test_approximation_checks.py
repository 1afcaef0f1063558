from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from claim_summaries import check, known

from mlreduce.registry import CHECKS
from mlreduce.reporting.claims import Claim, claims_table, read_claims

PROJECT = Path(__file__).parents[2]
SIZES = [5, 20, 80]
NEARER = {"method": "a", "than": "b", "size_percents": SIZES}
SLOWER = {"method": "a", "than": "b", "least": 2}


def errors(datasets="de", se=1.0, **means):
    """Make errors that are the same on all data sets, where b has 100 everywhere."""
    rows = [
        (d, m, percent, 72 * percent // 100, values[number], se, se * 10, 100)
        for d in datasets
        for m, values in {"b": [100.0] * 3, "c": [0.0] * 3, **means}.items()
        for number, percent in enumerate(SIZES)
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "size_percent", "size", "mean", "se", "sd", "splits"])


def nearer(table, datasets="de", **changes):
    return check("lower-error", table, known(datasets), **(NEARER | changes))


@pytest.mark.parametrize(
    ("means", "changes", "verdict"),
    [
        ([90, 90, 90], {}, "confirmed"),
        ([90, 90, 97.3], {}, "undecided"),  # two standard errors of a difference are 2.83
        ([90, 90, 97.1], {}, "confirmed"),
        ([90, 90, 97.3], {"tolerance_se": 1}, "confirmed"),
        ([90, 90, 99.9], {"tolerance_se": 0}, "confirmed"),
        ([99.9, 99.9, 99.9], {}, "undecided"),
        ([90, 90, 100], {"tolerance_se": 0}, "undecided"),
        ([90, 90, 110], {}, "undecided"),
        ([90, 110, 110], {}, "refuted"),
        ([90, 100, 100], {"tolerance_se": 0}, "refuted"),
        ([110, 110, 110], {}, "refuted"),
        ([110, 90, 90], {"size_percents": [20, 80]}, "confirmed"),
    ],
)
def test_lower_error(means, changes, verdict):
    assert nearer(errors(a=means), **changes)[0] == verdict


def test_half_of_the_cells_refute():
    one, other = errors("d", a=[110, 110, 110]), errors("e", a=[90, 90, 90])
    assert nearer(pd.concat([one, other]))[0] == "refuted"
    assert nearer(pd.concat([one, other, errors("f", a=[90, 90, 90])]), "def")[0] == "undecided"


def test_lower_error_says_where_the_farthest_failure_is():
    large = errors("e", se=0.5, a=[900.0, 1250.0, 1300.0], b=[1000.0] * 3)  # 1.25 and 1.3 times as large
    small = errors("d", se=0.5, a=[99.9, 140.0, 90.0])  # 1.4 times
    assert nearer(pd.concat([large, small])) == (
        "refuted",
        "The error of a is below that of b in 3 of 6 cells (2 data sets, 3 sizes), by more than 2 standard errors "
        "in 2: d 2 of 3, e 1 of 3. Where it is not, the farthest is d at 20 %: 140 against 100.",
    )
    assert nearer(errors(a=[1.0] * 3))[1].endswith("in 6: d 3 of 3, e 3 of 3.")
    without_error = errors("d", a=[1.0, 1.0, 1e-3], b=[2.0, 2.0, 0.0])
    assert "the farthest is d at 80 %: 0.001 against 0." in nearer(without_error, "d")[1]


def test_lower_error_without_all_sizes_is_undecided():
    table = errors(a=[90.0] * 3)
    cut = table[(table["dataset"] != "e") | (table["method"] != "b") | (table["size_percent"] != 20)]
    verdict, evidence = nearer(cut)
    assert verdict == "undecided"
    assert evidence.startswith(
        "Missing from this run: e (b). On the rest: The error of a is below that of b in 3 of 3 "
    )
    undefined = table.assign(se=table["se"].where(table["dataset"] != "d"))
    assert nearer(undefined)[1].startswith("Missing from this run: d. On the rest: ")
    for nothing in (table.iloc[:0], table[table["method"] == "c"], table.assign(dataset="x")):
        assert nearer(nothing) == ("undecided", "Missing from this run: d, e.")
    assert nearer(table, "") == ("undecided", "This run has no data set.")


def times(ratios, splits=3):
    """Make times of which b's are 2 seconds on average, and a's as many times that as given for each data set."""
    rows = []
    for d, ratio in ratios.items():
        for split in range(splits):
            wobble = 1 + (split - (splits - 1) / 2) / 4
            rows += [(d, "a", split, 2 * ratio * wobble), (d, "b", split, 2.0 * wobble), (d, "c", split, 0.1)]
    return pd.DataFrame(rows, columns=["dataset", "method", "split", "seconds"])


def slower(ratios, **changes):
    return check("slower-by", times(ratios), known(ratios), **(SLOWER | changes))


@pytest.mark.parametrize(
    ("ratios", "changes", "verdict"),
    [
        ([3, 4, 2], {}, "confirmed"),
        ([3, 4, 2], {"most_times": 4}, "confirmed"),
        ([3, 4, 2], {"most_times": 3.9}, "undecided"),
        ([3, 4, 1.9], {}, "undecided"),
        ([3, 4, 1.9], {"most_times": 3.9}, "refuted"),
        ([3, 1, 1, 4], {}, "refuted"),
        ([0.5, 1, 1.9], {}, "refuted"),
        ([0.5], {"least": 0.4, "most_times": 1}, "confirmed"),
    ],
)
def test_slower_by(ratios, changes, verdict):
    assert slower(dict(zip("defg", ratios, strict=False)), **changes)[0] == verdict


def test_slower_by_gives_each_ratio():
    assert slower({"e": 3, "d": 1.5}) == (
        "refuted",
        "The time of a over that of b is at least 2 on 1 of 2 data sets: e 3 (6 and 2 seconds), "
        "d 1.5 (3 and 2 seconds).",
    )
    assert " is 2 to 39 on 1 of 2 data sets: " in slower({"e": 3, "d": 1.5}, most_times=39)[1]


def test_slower_by_of_partial_runs():
    table, datasets = times({"d": 3, "e": 3}), known("de")
    cut = table[(table["dataset"] != "e") | (table["method"] != "a")]
    verdict, evidence = check("slower-by", cut, datasets, **SLOWER)
    assert verdict == "undecided"
    assert evidence.startswith(
        "Missing from this run: e (a). On the rest: The time of a over that of b is at least 2 on 1"
    )
    for nothing in (table.iloc[:0], table[table["method"] == "c"], table.assign(dataset="x")):
        assert check("slower-by", nothing, datasets, **SLOWER) == ("undecided", "Missing from this run: d, e.")
    more = pd.concat([table, table.assign(dataset="x", seconds=1.0)])
    assert check("slower-by", more, datasets, **SLOWER) == check("slower-by", table, datasets, **SLOWER)


CLAIMS = [Claim("one", "c", "w", "lower-error", NEARER), Claim("two", "c", "w", "slower-by", SLOWER)]


def test_each_check_looks_at_its_table():
    assert {own.looks_at for own in CHECKS.values()} == {"summary", "areas", "approximation", "times"}
    tables = {"approximation": errors(a=[90.0] * 3), "times": times({"d": 3, "e": 3})}
    nothing = pd.DataFrame()
    table = claims_table(CLAIMS, nothing, known("de"), tables)
    assert list(table["verdict"]) == ["confirmed"] * 2
    for key, verdicts in (("times", ["undecided", "confirmed"]), ("approximation", ["confirmed", "undecided"])):
        assert list(claims_table(CLAIMS, nothing, known("de"), {key: tables[key]})["verdict"]) == verdicts
    assert list(claims_table(CLAIMS, nothing, known("de"))["evidence"]) == ["Missing from this run: d, e."] * 2
    assert claims_table(CLAIMS, nothing, known(""))["evidence"][0] == "This run has no data set."
    about = [Claim("one", "c", "w", "slower-by", SLOWER, ["e", "x"])]
    assert claims_table(about, nothing, known("de"))["evidence"][0] == "Missing from this run: e, x."


def test_shipped_claims_hold_of_the_printed_times():
    """What a claim takes for the paper's must be what the paper printed, or it would refute itself."""
    printed = pd.read_csv(PROJECT / "config" / "published" / "qpfs-lowrank-2016.csv").assign(split=0)
    # What is printed of L2,1 is meant by a claim on either of its systems.
    of_l21 = printed[printed["method"] == "rfs-published"].assign(method="rfs")
    printed = pd.concat([printed, of_l21], ignore_index=True)
    claims = read_claims(PROJECT / "config" / "claims.yaml")["qpfs-lowrank-2016"]
    there = set(printed["method"])
    of_times = [c for c in claims if CHECKS[c.check].looks_at == "times" and {c.arguments["method"]} <= there]
    table = claims_table(of_times, pd.DataFrame(), known(sorted(printed["dataset"].unique())), {"times": printed})
    assert list(table["verdict"]) == ["confirmed"] * 3
    assert "birds 29.9 (154 and 5.16 seconds), emotions 12.5" in table["evidence"][0]
