"""Numbers of cssp-2013."""

from __future__ import annotations

from collections.abc import Iterator

from quoted import DEVIATIONS, Sentence, quote, quoted_on, rows, state, table

AUDIT = "cssp-2013/audit.csv"
PAGE = "papers/cssp-2013/README.md"
METHODS = ["cssp", "plst", "cplst", "br"]
#: Printed ratios to the best encoding error.
PRINTED = {"cal500": 1.33, "corel5k": 1.28}


@quoted_on(PAGE)
def page() -> Iterator[Sentence]:
    yield state("dmoz, with 394,756 instances and 829,208 features", "Table 2 of the paper")
    cells = rows(AUDIT, table="table3", protocol="consecutive-folds", method=METHODS)
    holds = cells["verdict"].eq("reproduced").groupby(cells["dataset"]).all()
    other = rows(AUDIT, table="table3", protocol="shuffled-folds", method=METHODS, dataset="corel5k")
    yield quote(
        "Table 3 is reproduced on cal500, and on corel5k where folds are consecutive rows, not where rows are shuffled",
        given=holds[["cal500", "corel5k"]].all() and not other["verdict"].eq("reproduced").all(),
    )
    delicious = cells[cells["dataset"] == "delicious"]
    yield quote(
        "on delicious every method has a lower RMSE than printed",
        given=(delicious["ours"] < delicious["printed"]).all(),
    )
    areas = rows(AUDIT, table="table4", protocol="consecutive-folds", method=METHODS)
    holds = areas["verdict"].eq("reproduced").groupby(areas["dataset"]).all()
    yield quote("AUPRC is reproduced on corel5k alone", given=holds[holds].index.tolist() == ["corel5k"])


@quoted_on(DEVIATIONS)
def order_and_sampling() -> Iterator[Sentence]:
    near = table("docs/deviations/cssp-neighbours.csv").set_index("dataset").loc["corel5k"]
    audit = rows(AUDIT, table="table3", method=METHODS)
    ordered = audit.query("protocol == 'consecutive-folds' and dataset != 'delicious'")
    yield quote(
        "The RMSE of cal500 and corel5k is reproduced with the rows in their order. In corel5k two neighbours share "
        "{:.1f} labels, two rows at random {:.1f}",
        *near[["shared", "at_random"]],
        given=ordered["verdict"].eq("reproduced").all(),
    )
    below = audit[audit["dataset"] == "delicious"].eval("printed - ours")
    yield quote("The RMSE is lower than printed by {:.2f} to {:.2f} with every method", below.min(), below.max())
    leverage = rows("docs/deviations/cssp-sampling.csv", labels_centred=False, probabilities="leverage")
    ratios = leverage.set_index("dataset")["ratio"][[*PRINTED]]
    yield quote(
        "is lower than printed: {:.2f} and {:.2f} on cal500 and corel5k, printed {:.2f} and {:.2f}",
        *(*ratios, *PRINTED.values()),
        given=(ratios < [*PRINTED.values()]).all(),
    )


@quoted_on(DEVIATIONS)
def areas() -> Iterator[Sentence]:
    audit = rows(AUDIT, table="table4", protocol="consecutive-folds", method=METHODS).set_index(["dataset", "method"])
    differs = audit["verdict"].ne("reproduced") & (audit["ours"] < audit["printed"])
    delicious = audit.loc["delicious"]
    yield quote(
        "**AUPRC** is reproduced on corel5k, is lower than printed on cal500 for ML-CSSP and PLST, and far higher on "
        "delicious ({:.2f} to {:.2f}, printed {:.2f} to {:.2f})",
        *(delicious[column].agg(end) for column in ("ours", "printed") for end in ("min", "max")),
        given=audit.loc["corel5k", "verdict"].eq("reproduced").all()
        and differs["cal500"][["cssp", "plst"]].all()
        and delicious["ours"].min() > delicious["printed"].max(),
    )
