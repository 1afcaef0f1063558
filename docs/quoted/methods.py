"""Numbers of pages of methods: selectors compared with controls, and MCLS with its program."""

from __future__ import annotations

import pandas as pd

from quoted import Sentences, quote, quoted_on, rows, table

FOUR = ["mgfs", "bmfs", "mfs-mcdm", "pmfs"]


def precision() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return average precision from a tenth of the features, with ridge and with ML-kNN: a row per selector.

    A column per data set.
    """
    cells = rows("docs/performance/defaults.parquet", family="selection", size=["10%", ""])
    parts = (cells[cells["predictor"] == predictor] for predictor in ("ridge", "ml-knn"))
    ridge, knn = (part.pivot(index="method", columns="dataset", values="ap") for part in parts)
    return ridge, knn


@quoted_on("docs/methods/graph-selection.md")
def graph_selection() -> Sentences:
    both = precision()

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
    yield quote("Of the four `{}` is first before ridge", means[0].idxmax())
    yield quote("and `{}` before ML-kNN", means[1].idxmax())


@quoted_on("docs/methods/mcls.md")
def mcls() -> Sentences:
    both = precision()
    yield quote(
        "{:.3f} with ridge, {:.3f} with ML-kNN; `mim` has {:.3f} and {:.3f}, random features {:.3f} and {:.3f}",
        *(values.loc[name].mean() for name in ("mcls", "mim", "random-features") for values in both),
    )
    above = [int((values.loc["mcls"] > values.loc["random-features"]).sum()) for values in both]
    yield quote("It is above random features on {} and {} of the {} data sets", *above, both[0].shape[1])
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


@quoted_on("docs/performance.md")
def criteria() -> Sentences:
    for text, (least, most) in zip(
        ("all features of emotions takes {} to {} seconds", "the best 200 of bibtex {} to {} seconds"),
        table("docs/performance/criteria.csv").iloc[:, 1:].agg(["min", "max"]).T.to_numpy(),
        strict=True,
    ):
        yield quote(text, least, most)
    theirs = table("docs/performance/pyit-mlfs.csv")
    yield quote("PyIT-MLFS takes {:,} to {:,} times as long", theirs["ratio"].min(), theirs["ratio"].max())
    yield quote("{} of its {} rankings are ours", theirs["where they differ"].isna().sum(), len(theirs))
