"""Numbers of pages of methods: selectors compared with controls, and MCLS with its program."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from quoted import Sentence, quote, quoted_on, rows, table

FOUR = ["mgfs", "bmfs", "mfs-mcdm", "pmfs"]


def precision() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return average precision with ridge and with ML-kNN: a row per selector, a column per data set."""
    cells = rows("docs/performance/defaults.csv", family="selection")
    parts = (cells[cells["predictor"] == predictor] for predictor in ("ridge", "ml-knn"))
    ridge, knn = (part.pivot(index="method", columns="dataset", values="ap") for part in parts)
    return ridge, knn


@quoted_on("docs/methods/graph-selection.md")
def graph_selection() -> Iterator[Sentence]:
    both = ridge, knn = precision()

    def above(name: str, other: str) -> list[int]:
        return [int((values.loc[name] > values.loc[other]).sum()) for values in both]

    for name in FOUR:
        yield quote(
            f"| `{name}` | {{:.3f}} | {{:.3f}} | {{}}, {{}} | {{}}, {{}} |",
            *(values.loc[name].mean() for values in both),
            *(*above(name, "mim"), *above(name, "random-features")),
        )
    means = [values.loc["mim"].mean() for values in both]
    yield quote("| `mim` | {:.3f} | {:.3f} | | {}, {} |", *means, *above("mim", "random-features"))
    for name in ("random-features", "all-features"):
        yield quote(f"| `{name}` | {{:.3f}} | {{:.3f}} | | |", *(values.loc[name].mean() for values in both))
    means = [values.loc[FOUR].mean(axis=1) for values in both]
    yield quote("`bmfs` is the one for a linear predictor", given=means[0].idxmax() == "bmfs")
    all_features = knn.loc["all-features"].mean()
    yield quote(
        "`mgfs` is the one for neighbours: from a tenth of the features ML-kNN is as good as from all",
        given=means[1].idxmax() == "mgfs" and abs(means[1]["mgfs"] - all_features) < 0.005,
    )
    yield quote("`mfs-mcdm` the weakest of the four", given=[mean.idxmin() for mean in means] == ["mfs-mcdm"] * 2)
    yield quote(
        "`chi2`, which takes no negative values, has five of the eight. Of these `mgfs` is above it on four with "
        "ridge and three with ML-kNN, `bmfs` on three and two, `pmfs` on two and three, `mfs-mcdm` on two and two",
        given=ridge.loc["chi2"].count() == 5
        and [above(name, "chi2") for name in ("mgfs", "bmfs", "pmfs", "mfs-mcdm")] == [[4, 3], [3, 2], [2, 3], [2, 2]],
    )


@quoted_on("docs/methods/mcls.md")
def mcls() -> Iterator[Sentence]:
    both = ridge, knn = precision()
    yield quote(
        "{:.3f} with ridge, {:.3f} with ML-kNN; `mim` has {:.3f} and {:.3f}, random features {:.3f} and {:.3f}",
        *(values.loc[name].mean() for name in ("mcls", "mim", "random-features") for values in both),
    )
    yield quote(
        "On digits ML-kNN has {:.3f} from its features, {:.3f} from those of `mim`",
        *knn.loc[["mcls", "mim"], "digits"],
    )
    ours, drawn = knn.loc[["mcls", "random-features"], "scene"]
    yield quote("on scene {:.3f}, below random features' {:.3f}", ours, drawn, given=ours < drawn)
    table_of = table("docs/performance/programs.csv").fillna({"setting": ""}).query("method == 'mcls'")
    program, equations = (
        table_of[table_of["setting"] == name].set_index("dataset") for name in ('variant="published-code"', "")
    )
    yield quote(
        "to 2e-14 of the largest on emotions and {:.1f} % on yeast",
        100 * program.loc["yeast", "difference"],
        given=program.loc["emotions", "difference"] < 2e-14,
    )
    yield quote("rank correlations of {:.2f} and {:.2f}", *equations.loc[["emotions", "yeast"], "spearman"])
    equal = [ridge.loc["mcls", name] < ridge.loc["random-features", name] for name in ("enron", "languagelog")]
    yield quote("on enron and languagelog", given=all(equal))
