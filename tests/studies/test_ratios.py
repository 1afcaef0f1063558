from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlreduce.exceptions import DataError
from mlreduce_studies.gathering.times import RATIO_COLUMNS, time_ratios
from mlreduce_studies.tables import make_table, table_parts

PUBLISHED = Path(__file__).parents[2] / "papers" / "qpfs-lowrank-2016" / "published.csv"
SPEC = {"kind": "time-ratios", "caption": "Table 2", "base": "qpfs-approx", "methods": ["rfs-published", "pmu", "qpfs"]}
SECONDS = {
    **{
        ("emotions", "qpfs-approx"): 0.2,
        ("emotions", "pmu"): 3.0,
        ("emotions", "rfs-published"): 0.05,
        ("emotions", "qpfs"): 0.1,
    },
    **{("digits", "qpfs-approx"): 0.5, ("digits", "pmu"): 1.0, ("birds", "rfs-published"): 4.0},
}


def times():
    rows = [(*key, split, mean * (0.5 + split / 2)) for key, mean in SECONDS.items() for split in range(3)]
    return pd.DataFrame(rows, columns=["dataset", "method", "split", "seconds"]).sample(frac=1, random_state=0)


def ratios(**changes):
    arguments = {"times": times(), "published": pd.read_csv(PUBLISHED), "base": "qpfs-approx"} | changes
    return time_ratios(**arguments)


def test_ratios_beside_the_printed_ones():
    table = ratios()
    assert tuple(table.columns) == RATIO_COLUMNS
    cells = {(cell["dataset"], cell["method"]): cell for cell in table.to_dict("records")}
    assert list(cells) == sorted(cells)
    pmu = cells["emotions", "pmu"]
    assert (pmu["seconds"], pmu["ratio"]) == pytest.approx((3.0, 15.0))
    assert (pmu["printed_seconds"], pmu["printed_ratio"]) == pytest.approx((15.9882, 15.9882 / 1.2816))
    base = cells["emotions", "qpfs-approx"]
    assert (base["ratio"], base["printed_ratio"]) == (1.0, 1.0)


def test_what_was_not_printed_or_not_timed_is_undefined():
    cells = {(cell["dataset"], cell["method"]): cell for cell in ratios().to_dict("records")}
    assert cells["emotions", "qpfs"]["ratio"] == pytest.approx(0.5)
    assert cells["digits", "pmu"]["ratio"] == pytest.approx(2.0)
    for key in (("emotions", "qpfs"), ("digits", "pmu"), ("digits", "qpfs-approx")):
        assert np.isnan([cells[key]["printed_seconds"], cells[key]["printed_ratio"]]).all()
    birds = cells["birds", "rfs-published"]  # on which the base was not timed
    assert birds["seconds"] == pytest.approx(4.0)
    assert np.isnan(birds["ratio"])
    assert birds["printed_ratio"] == pytest.approx(0.697 / 5.1645)
    assert np.isnan(cells["birds", "pmu"]["seconds"])
    assert {dataset for dataset, _ in cells} == {"emotions", "digits", "birds"}


def test_wrong_inputs_are_named():
    with pytest.raises(DataError, match="unknown method 'qpfs-aprox'; did you mean 'qpfs-approx'"):
        ratios(base="qpfs-aprox")
    printed = pd.read_csv(PUBLISHED)
    with pytest.raises(
        DataError, match="the time of 'rfs-published' on data set 'emotions' is printed twice; give it once"
    ):
        ratios(published=pd.concat([printed, printed.head(1)]))


def test_the_table_as_it_is_read(tmp_path):
    table, markdown, latex = make_table(ratios(), SPEC, "table2")
    assert set(table["method"]) == {"qpfs-approx", "rfs-published", "pmu", "qpfs"}
    parts = table_parts(table, SPEC)
    assert [part[:3] for part in parts] == [
        ("ratio", "over those of qpfs-approx", ["dataset", "rfs-published", "pmu", "qpfs"]),
        ("seconds", "seconds", ["dataset", "qpfs-approx", "rfs-published", "pmu", "qpfs"]),
    ]
    assert parts[0][3] == [
        ["birds", "not timed (0.135)", "not timed (29.9)", ""],
        ["digits", "", "2", ""],
        ["emotions", "0.25 (6.06)", "15 (12.5)", "0.5"],
    ]
    assert parts[1][3][2] == ["emotions", "0.2 (1.28)", "0.05 (7.77)", "3 (16)", "0.1"]
    assert "## over those of qpfs-approx\n\n| dataset | rfs-published | pmu | qpfs |" in markdown
    assert r"\label{tab:table2-ratio}" in latex
    table.to_csv(tmp_path / "t.csv", index=False)
    assert table_parts(pd.read_csv(tmp_path / "t.csv"), SPEC) == parts
    fewer, _, _ = make_table(ratios(), SPEC | {"methods": ["pmu"]}, "table2")
    assert set(fewer["method"]) == {"qpfs-approx", "pmu"}
