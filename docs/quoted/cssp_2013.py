"""Numbers of cssp-2013."""

from __future__ import annotations

from collections.abc import Iterator

from quoted import DEVIATIONS, Sentence, quote, quoted_on, rows, state, table, value

AUDIT = "cssp-2013/audit.csv"
PAGE = "papers/cssp-2013/README.md"
METHODS = ["cssp", "plst", "cplst", "br"]
#: Of Tables 6 to 8: trials, ratio to the best error, percent of full rank by leverage and uniformly.
PRINTED = {"cal500": (18, 1.33, 100, 100), "corel5k": (57, 1.28, 100, 50), "delicious": (134, 1.15, 100, 100)}


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
def order() -> Iterator[Sentence]:
    near = table("docs/deviations/cssp-neighbours.csv").set_index("dataset").loc["corel5k"]
    yield quote("(two neighbours share {:.1f} labels, two rows at random {:.1f},", near["shared"], near["at_random"])
    cells = rows(AUDIT, table="table3", dataset="corel5k", method="br").set_index("protocol")["ours"]
    empty = value("cssp-2013/datasets.csv", "cardinality", dataset="corel5k") ** 0.5
    yield quote(
        "There BR has an RMSE of {:.3f}, worse than predicting no label ({:.3f}); shuffled, BR has {:.3f}",
        *(cells["consecutive-folds"], empty, cells["shuffled-folds"]),
        given=cells["shuffled-folds"] < empty < cells["consecutive-folds"],
    )
    audit = rows(AUDIT, table="table3", method=METHODS)
    ordered = audit[(audit["protocol"] == "consecutive-folds") & (audit["dataset"] != "delicious")]
    yield quote(
        "The RMSE of cal500 and corel5k is reproduced with the rows in their order",
        given=ordered["verdict"].eq("reproduced").all(),
    )
    below = audit[audit["dataset"] == "delicious"].eval("printed - ours")
    yield quote("delicious is lower than printed by {:.2f} to {:.2f} with every method", below.min(), below.max())


@quoted_on(DEVIATIONS)
def areas() -> Iterator[Sentence]:
    audit = rows(AUDIT, table="table4", protocol="consecutive-folds", method=METHODS).set_index(["dataset", "method"])
    differs = audit["verdict"].ne("reproduced") & (audit["ours"] < audit["printed"])
    yield quote(
        "**AUPRC** is reproduced on corel5k, is lower than printed on cal500 for ML-CSSP and PLST",
        given=audit.loc["corel5k", "verdict"].eq("reproduced").all() and differs["cal500"][["cssp", "plst"]].all(),
    )
    delicious = audit.loc["delicious"]
    yield quote(
        "and far higher on delicious ({:.2f} to {:.2f}, printed {:.2f} to {:.2f})",
        *(delicious["ours"].min(), delicious["ours"].max(), delicious["printed"].min(), delicious["printed"].max()),
        given=delicious["ours"].min() > delicious["printed"].max(),
    )
    tried = rows("docs/deviations/cssp-auprc.csv", dataset="cal500").set_index("method").loc[METHODS]
    four = " | ".join(["{:.3f}"] * 4)
    yield state("| thresholds 0, 0.1, ..., 1, by trapezoids |", "the thresholds of the experiment")
    for name, column in {
        "all thresholds, as here": "all_thresholds",
        "by trapezoids": "thresholds_10",
        "mean over labels": "per_label",
        "mean over instances": "per_instance",
    }.items():
        yield quote(f"{name} | {four} |", *tried[column])
    yield quote(f"| printed | {four} |", *audit["printed"]["cal500"][METHODS])


@quoted_on(DEVIATIONS)
def sampling() -> Iterator[Sentence]:
    table = rows("docs/deviations/cssp-sampling.csv", labels_centred=False).set_index(["dataset", "probabilities"])
    leverage, uniform = (table.xs(name, level="probabilities") for name in ("leverage", "uniform"))
    lower = [leverage.loc[name, "ratio"] < PRINTED[name][1] for name in ("cal500", "corel5k")]
    yield quote(
        "is lower than printed on cal500 and corel5k; with uniform probabilities it is {:.2f} on cal500 and {:.2f} on "
        "corel5k",
        *uniform.loc[["cal500", "corel5k"], "ratio"],
        given=all(lower),
    )
    for name, (trials, ratio, by_leverage, uniformly) in PRINTED.items():
        row = leverage.loc[name]
        yield quote(
            f"| {name} | {{:.0f}} ({{}}), {{:.0f}} | {{:.2f}} ({{}}) | {{:.0f}} % ({{}} %) | {{:.0f}} % ({{}} %) |",
            *(row["trials"], trials, row["k_log_k"], row["ratio"], ratio),
            *(100 * row["full_rank"], by_leverage, 100 * uniform.loc[name, "full_rank"], uniformly),
        )
