"""Numbers of pages of methods: selectors beside controls, and MCLS beside its program."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from quoted import Sentence, quoted_on, rows, says, table

FOUR = ["mgfs", "bmfs", "mfs-mcdm", "pmfs"]


def precision() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return average precision with ridge and with ML-kNN: a row per selector, a column per data set."""
    found = rows("docs/performance/defaults.csv", family="selection")
    parts = (found[found["predictor"] == predictor] for predictor in ("ridge", "ml-knn"))
    ridge, knn = (part.pivot(index="method", columns="dataset", values="ap") for part in parts)
    return ridge, knn


@quoted_on("docs/methods/graph-selection.md")
def graph_selection() -> Iterator[Sentence]:
    both = ridge, knn = precision()

    def above(name: str, other: str) -> list[int]:
        return [int((values.loc[name] > values.loc[other]).sum()) for values in both]

    for name in FOUR:
        yield says(
            f"| `{name}` | {{:.3f}} | {{:.3f}} | {{}}, {{}} | {{}}, {{}} |",
            *(values.loc[name].mean() for values in both),
            *(*above(name, "mim"), *above(name, "random-features")),
        )
    means = [values.loc["mim"].mean() for values in both]
    yield says("| `mim` | {:.3f} | {:.3f} | | {}, {} |", *means, *above("mim", "random-features"))
    for name in ("random-features", "all-features"):
        yield says(f"| `{name}` | {{:.3f}} | {{:.3f}} | | |", *(values.loc[name].mean() for values in both))
    means = [values.loc[FOUR].mean(axis=1) for values in both]
    yield says("`bmfs` is the one for a linear predictor", given=means[0].idxmax() == "bmfs")
    whole = knn.loc["all-features"].mean()
    yield says(
        "`mgfs` is the one for neighbours: from a tenth of the features ML-kNN is as good as from all",
        given=means[1].idxmax() == "mgfs" and abs(means[1]["mgfs"] - whole) < 0.005,
    )
    yield says("`mfs-mcdm` the weakest of the four", given=[own.idxmin() for own in means] == ["mfs-mcdm"] * 2)
    yield says(
        "`chi2`, which takes no negative values, has five of the eight. Of these `mgfs` is above it on four with "
        "ridge and three with ML-kNN, `bmfs` on three and two, `pmfs` on two and three, `mfs-mcdm` on two and two",
        given=ridge.loc["chi2"].count() == 5
        and [above(name, "chi2") for name in ("mgfs", "bmfs", "pmfs", "mfs-mcdm")] == [[4, 3], [3, 2], [2, 3], [2, 2]],
    )


@quoted_on("docs/methods/mcls.md")
def mcls() -> Iterator[Sentence]:
    both = ridge, knn = precision()
    yield says(
        "{:.3f} with ridge, {:.3f} with ML-kNN; `mim` has {:.3f} and {:.3f}, random features {:.3f} and {:.3f}",
        *(values.loc[name].mean() for name in ("mcls", "mim", "random-features") for values in both),
    )
    yield says(
        "On digits ML-kNN has {:.3f} from its features, {:.3f} from those of `mim`",
        *knn.loc[["mcls", "mim"], "digits"],
    )
    own, drawn = knn.loc[["mcls", "random-features"], "scene"]
    yield says("on scene {:.3f}, below random features' {:.3f}", own, drawn, given=own < drawn)
    table_of = table("docs/performance/programs.csv").fillna({"setting": ""}).query("method == 'mcls'")
    program, equations = (
        table_of[table_of["setting"] == name].set_index("dataset") for name in ('variant="published-code"', "")
    )
    yield says(
        "to 2e-14 of the largest on emotions and {:.1f} % on yeast",
        100 * program.loc["yeast", "difference"],
        given=program.loc["emotions", "difference"] < 2e-14,
    )
    yield says("rank correlations of {:.2f} and {:.2f}", *equations.loc[["emotions", "yeast"], "spearman"])
    equal = [ridge.loc["mcls", name] < ridge.loc["random-features", name] for name in ("enron", "languagelog")]
    yield says("on enron and languagelog", given=all(equal))
