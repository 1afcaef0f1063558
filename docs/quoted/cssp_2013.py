"""Numbers of cssp-2013."""

from __future__ import annotations

from collections.abc import Iterator

from quoted import DEVIATIONS, Sentence, quoted_on, rows, says, stated, table, value

AUDIT = "cssp-2013/audit.csv"
PAGE = "papers/cssp-2013/README.md"
METHODS = ["cssp", "plst", "cplst", "br"]
#: Of Tables 6 to 8: trials, ratio to the best error, percent of full rank by leverage and uniformly.
PRINTED = {"cal500": (18, 1.33, 100, 100), "corel5k": (57, 1.28, 100, 50), "delicious": (134, 1.15, 100, 100)}


@quoted_on(PAGE)
def page() -> Iterator[Sentence]:
    yield stated("dmoz, with 394,756 instances and 829,208 features", "Table 2 of the paper")
    own = rows(AUDIT, table="table3", protocol="consecutive-folds", method=METHODS)
    kept = own["verdict"].eq("reproduced").groupby(own["dataset"]).all()
    other = rows(AUDIT, table="table3", protocol="shuffled-folds", method=METHODS, dataset="corel5k")
    yield says(
        "Table 3 comes back on cal500, and on corel5k where folds are consecutive rows, not where rows are shuffled",
        given=kept[["cal500", "corel5k"]].all() and not other["verdict"].eq("reproduced").all(),
    )
    delicious = own[own["dataset"] == "delicious"]
    yield says(
        "on delicious every method has a lower RMSE than printed",
        given=(delicious["ours"] < delicious["printed"]).all(),
    )
    areas = rows(AUDIT, table="table4", protocol="consecutive-folds", method=METHODS)
    kept = areas["verdict"].eq("reproduced").groupby(areas["dataset"]).all()
    yield says("AUPRC comes back on corel5k alone", given=kept[kept].index.tolist() == ["corel5k"])


@quoted_on(DEVIATIONS)
def order() -> Iterator[Sentence]:
    near = table("docs/deviations/cssp-neighbours.csv").set_index("dataset").loc["corel5k"]
    yield says("(two neighbours share {:.1f} labels, two rows at random {:.1f},", near["shared"], near["at_random"])
    cells = rows(AUDIT, table="table3", dataset="corel5k", method="br").set_index("protocol")["ours"]
    empty = value("cssp-2013/datasets.csv", "cardinality", dataset="corel5k") ** 0.5
    yield says(
        "There BR has an RMSE of {:.3f}, worse than predicting no label ({:.3f}); shuffled, BR has {:.3f}",
        *(cells["consecutive-folds"], empty, cells["shuffled-folds"]),
        given=cells["shuffled-folds"] < empty < cells["consecutive-folds"],
    )
    own = rows(AUDIT, table="table3", method=METHODS)
    kept = own[(own["protocol"] == "consecutive-folds") & (own["dataset"] != "delicious")]
    yield says(
        "cal500 and corel5k come back by RMSE, with the rows in their order",
        given=kept["verdict"].eq("reproduced").all(),
    )
    below = own[own["dataset"] == "delicious"].eval("printed - ours")
    yield says("delicious is lower than printed by {:.2f} to {:.2f} with every method", below.min(), below.max())


@quoted_on(DEVIATIONS)
def areas() -> Iterator[Sentence]:
    own = rows(AUDIT, table="table4", protocol="consecutive-folds", method=METHODS).set_index(["dataset", "method"])
    differs = own["verdict"].ne("reproduced") & (own["ours"] < own["printed"])
    yield says(
        "**AUPRC** comes back on corel5k, is lower than printed on cal500 for ML-CSSP and PLST",
        given=own.loc["corel5k", "verdict"].eq("reproduced").all() and differs["cal500"][["cssp", "plst"]].all(),
    )
    delicious = own.loc["delicious"]
    yield says(
        "and far higher on delicious ({:.2f} to {:.2f}, printed {:.2f} to {:.2f})",
        *(delicious["ours"].min(), delicious["ours"].max(), delicious["printed"].min(), delicious["printed"].max()),
        given=delicious["ours"].min() > delicious["printed"].max(),
    )
    tried = rows("docs/deviations/cssp-auprc.csv", dataset="cal500").set_index("method").loc[METHODS]
    four = " | ".join(["{:.3f}"] * 4)
    yield stated("| thresholds 0, 0.1, ..., 1, by trapezoids |", "the thresholds of the experiment")
    for name, column in {
        "all thresholds, as here": "all_thresholds",
        "by trapezoids": "thresholds_10",
        "mean over labels": "per_label",
        "mean over instances": "per_instance",
    }.items():
        yield says(f"{name} | {four} |", *tried[column])
    yield says(f"| printed | {four} |", *own["printed"]["cal500"][METHODS])


@quoted_on(DEVIATIONS)
def sampling() -> Iterator[Sentence]:
    found = rows("docs/deviations/cssp-sampling.csv", labels_centred=False).set_index(["dataset", "probabilities"])
    leverage, uniform = (found.xs(name, level="probabilities") for name in ("leverage", "uniform"))
    lower = [leverage.loc[name, "ratio"] < PRINTED[name][1] for name in ("cal500", "corel5k")]
    yield says(
        "is lower than printed on cal500 and corel5k; with uniform probabilities it is {:.2f} on cal500 and {:.2f} on "
        "corel5k",
        *uniform.loc[["cal500", "corel5k"], "ratio"],
        given=all(lower),
    )
    for name, (trials, ratio, by_leverage, uniformly) in PRINTED.items():
        own = leverage.loc[name]
        yield says(
            f"| {name} | {{:.0f}} ({{}}), {{:.0f}} | {{:.2f}} ({{}}) | {{:.0f}} % ({{}} %) | {{:.0f}} % ({{}} %) |",
            *(own["trials"], trials, own["k_log_k"], own["ratio"], ratio),
            *(100 * own["full_rank"], by_leverage, 100 * uniform.loc[name, "full_rank"], uniformly),
        )
