"""The differences that claims take from a paper's tables, computed again from the printed numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlreduce.configuration import read_yaml

PAPERS = Path(__file__).parents[2] / "papers"
BELOW_FULL, ALL = [20, 40, 60, 80], [20, 40, 60, 80, 100]
BETTER = ["bibtex", "scene", "yeast"]  # on which the paper calls CPLST significantly better
FIVE = ["bibtex", "corel5k", "enron", "medical", "yeast"]  # on which kernel-CPLST is better at every size


def cells(paper, table, method, sizes, datasets=None):
    """Printed means of a method: one row per data set, one column per size."""
    printed = pd.read_csv(PAPERS / paper / "published.csv")
    own = printed[(printed["table"] == table) & (printed["method"] == method) & printed["size_percent"].isin(sizes)]
    wide = own.pivot(index="dataset", columns="size_percent", values="mean")
    return wide if datasets is None else wide.loc[datasets]


def gains(first, second):
    """By how much the first is below the second in the mean over the sizes, as a share of the second."""
    return 1 - first.mean(axis=1) / second.mean(axis=1)


def cplst(table, sizes, datasets=None):
    method = "kernel-cplst" if table == "table5" else "cplst"
    return gains(*(cells("cplst-2012", table, own, sizes, datasets) for own in (method, "plst")))


def rise(method, dataset):
    linear = cells("cplst-2012", "table3", method, ALL, [dataset])
    return float((1 - linear[20] / linear[100]).iloc[0])


def kernel_and_linear(dataset):
    kernel = cells("cplst-2012", "table5", "kernel-cplst", ALL, [dataset])
    return [
        float(gains(kernel, cells("cplst-2012", "table3", own, ALL, [dataset])).iloc[0]) for own in ("plst", "cplst")
    ]


def cssp(table, other, dataset, unit):
    own, second = (
        float(cells("cssp-2013", table, method, [100 if method == "br" else 10], [dataset]).iloc[0, 0])
        for method in ("cssp", other)
    )
    return own - second if unit == "difference" else 1 - own / second


def by_cell(first, second):
    return (1 - first / second).to_numpy()


CPLST_2012 = {
    "Table 3, CPLST and PLST: median over the data sets": lambda: cplst("table3", BELOW_FULL).median(),
    "Table 3, CPLST and PLST: median over these data sets": lambda: (
        cplst("table3", BELOW_FULL).drop(index="yeast").median()
    ),
    "Table 3, CPLST and PLST on bibtex": lambda: cplst("table3", BELOW_FULL, BETTER).min(),
    "Table 3, the smallest of the three, on bibtex": lambda: cplst(
        "table3", BELOW_FULL, ["bibtex", "scene", "yeast"]
    ).min(),
    "Table 3, CPLST and PLST on yeast": lambda: cplst("table3", BELOW_FULL, ["yeast"]).min(),
    "Table 3, PLST and CPLST on yeast at 20 %": lambda: (
        -gains(*(cells("cplst-2012", "table3", method, [20], ["yeast"]) for method in ("plst", "cplst"))).min()
    ),
    "Table 3, the smallest rise, CPLST on enron": lambda: min(
        rise(method, dataset) for method in ("plst", "cplst") for dataset in ("enron", "medical")
    ),
    "Table 3, the smallest of the rises that are eliminated, CPLST on enron": lambda: rise("cplst", "enron"),
    "Table 3, medical at 20 and at 100 %": lambda: rise("plst", "medical"),
    "Table 4, CPLST and PLST on yeast": lambda: cplst("table4", ALL, ["yeast", "scene", "emotions"]).min(),
    "Table 4, the smallest of the three, on yeast": lambda: cplst("table4", ALL, ["yeast", "scene", "emotions"]).min(),
    "Table 4, CPLST and PLST: median over the data sets": lambda: cplst("table4", ALL).median(),
    "Table 5, kernel-CPLST and PLST on yeast": lambda: cplst("table5", ALL, FIVE).min(),
    "Table 5, kernel-CPLST and PLST: median over the data sets": lambda: cplst("table5", ALL).median(),
    "Table 5, the smallest cell of the five": lambda: by_cell(
        *(cells("cplst-2012", "table5", method, ALL, FIVE) for method in ("kernel-cplst", "plst"))
    ).min(),
    "Table 5, the smaller of the two, on enron": lambda: cplst("table5", ALL, ["enron", "medical"]).min(),
    "Tables 3 and 5, the smallest, on enron": lambda: min(kernel_and_linear("enron") + kernel_and_linear("medical")),
}
PLST_2010 = {
    "Table 2, the smallest of the five, on emotions": lambda: (
        gains(*(cells("plst-2010", "table2", method, ALL) for method in ("plst", "cs"))).drop(index="mediamill").min()
    ),
    "Table 2, the smallest cell, corel5k at 80 %": lambda: by_cell(
        *(
            cells("plst-2010", "table2", method, BELOW_FULL, ["bibtex", "corel5k", "delicious", "yeast"])
            for method in ("plst", "cs")
        )
    ).min(),
    "Table 2, emotions at 20 %": lambda: by_cell(
        *(cells("plst-2010", "table2", method, [20], ["emotions"]) for method in ("cs", "plst"))
    ).min(),
    "Table 2, PLST at 20 % and BR": lambda: (
        cells("plst-2010", "table2", "plst", [20], ["emotions", "yeast"]).to_numpy()
        / cells("plst-2010", "table2", "br", [100], ["emotions", "yeast"]).to_numpy()
        - 1
    ).min(),
}
CSSP_2013 = {
    "Table 3, ML-CSSP and BR: median": lambda: np.median(
        [cssp("table3", "br", dataset, "share") for dataset in ("cal500", "corel5k", "delicious")]
    ),
    "Table 3, ML-CSSP and PLST on cal500": lambda: min(
        cssp("table3", other, dataset, "share") for other in ("plst", "cplst") for dataset in ("cal500", "corel5k")
    ),
    "Table 3, ML-CSSP and BR on corel5k": lambda: min(
        cssp("table3", "br", dataset, "share") for dataset in ("cal500", "corel5k")
    ),
    "Table 3, ML-CSSP and either on corel5k": lambda: min(
        cssp("table3", other, "corel5k", "share") for other in ("plst", "cplst")
    ),
    "Table 3, PLST and ML-CSSP on delicious": lambda: 1 - 1 / (1 - cssp("table3", "plst", "delicious", "share")),
    "Table 4, ML-CSSP and CPLST on corel5k": lambda: min(
        cssp("table4", other, dataset, "difference") for other in ("plst", "cplst") for dataset in ("cal500", "corel5k")
    ),
    "Table 4, ML-CSSP and BR on corel5k": lambda: min(
        cssp("table4", "br", dataset, "difference") for dataset in ("cal500", "corel5k")
    ),
    "Table 5, delicious: 16.0 and 11.6 seconds": lambda: 16.0 / 11.6 - 1,  # published.csv has no seconds
}


@pytest.mark.parametrize(
    ("paper", "computed"), [("cplst-2012", CPLST_2012), ("plst-2010", PLST_2010), ("cssp-2013", CSSP_2013)]
)
def test_printed_effects_are_those_of_the_tables(paper, computed):
    """To the digits that a claim gives; every way to compute one is used, and every claim has one."""
    claims = [claim for claim in read_yaml(PAPERS / paper / "claims.yaml") if "printed_effect" in claim]
    used = set()
    for claim in claims:
        ways = [way for way in computed if claim["printed_in"].startswith(way)]
        assert len(ways) == 1, (claim["id"], ways)
        used.add(ways[0])
        digits = len(str(claim["printed_effect"]).split(".")[1])
        assert round(float(computed[ways[0]]()), digits) == claim["printed_effect"], claim["id"]
    assert used == set(computed)
