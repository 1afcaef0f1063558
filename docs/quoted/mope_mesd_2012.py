"""Numbers of mope-mesd-2012."""

from __future__ import annotations

import pandas as pd

from quoted import DEVIATIONS, Sentences, quote, quoted_on, rows, table

#: Embeddings that do not see labels.
WITHOUT = ["lsi", "pca", "olpp", "random-projection"]


def means(name: str) -> pd.DataFrame:
    """Return the means in a table of methods: a row per data set, and per protocol where it has several."""
    cells = table(f"mope-mesd-2012/{name}.csv")
    index = ["protocol", "dataset"] if cells["protocol"].nunique() > 1 else "dataset"
    return cells.pivot_table(index=index, columns="method", values="mean")


def all_rows() -> pd.DataFrame:
    """Return the costs on all rows and features of Reuters."""
    cells = rows("mope-mesd-2012/table-costs.csv", rows=3328, features=23263)
    return cells.set_index(["swept", "space", "method"]).sort_index()


@quoted_on(DEVIATIONS)
def articles_and_embeddings() -> Sentences:
    once = rows("docs/deviations/mope-reuters.csv", rule="ModApte split", tokens="spaced").iloc[0]
    yield quote(
        "The text reports 9,980 articles of Reuters. The ten topics have {:,.0f} pairs of an article and a category, "
        "and {:,.0f} articles",
        *once[["pairs", "articles"]],
        given=once["pairs"] == 9980,
    )
    scores = means("table-all")
    gains = scores.drop(columns=WITHOUT).max(axis=1) - scores["pca"]
    noisy = ["bibtex", "enron"]
    yield quote("(the paper reports {} to {} percent)", 0.2, 1.2)
    yield quote("is ahead of PCA by less than {} in macro-F1", 0.01, given=0 <= gains["reuters"] < 0.01)
    yield quote(
        "On bibtex it gains {:.3f}, on enron {:.3f}; MOPE is worse than PCA on both",
        *gains[noisy],
        given=(gains[noisy] > 0).all() and (scores["mope"] < scores["pca"])[noisy].all(),
    )
    bibtex, drawn = scores.loc["bibtex"], scores["random-projection"]
    yield quote("OLPP is worse than random directions on all sets", given=(scores["olpp"] < drawn).all())
    yield quote(
        "So are the extensions of MMC, DNE and SONPP on bibtex",
        given=(bibtex[["mesd-mmc", "mesd-dne", "mesd-sonpp"]] < bibtex["random-projection"]).all(),
    )
    tied = means("table-ties")
    combined, alone = ((tied[f"{name}-all-tied"] - tied[name]).abs().max() for name in ("mope", "mope-classes"))
    yield quote(
        "macro-F1 changes by at most {:.3f} where features and labels are combined, and by up to {:.3f} with labels "
        "alone",
        *(combined, alone),
    )


@quoted_on(DEVIATIONS)
def propagation_and_costs() -> Sentences:
    few, cut = (means(name).loc["labelled-40"] for name in ("table4", "table4-cut"))
    yield quote(
        "ML-LGC has {:.3f} on bibtex with 40 % of the labels. Used as label scores it gives {:.3f} on Reuters instead "
        "of {:.3f}. SSMOPE is better than both",
        *(few.loc["bibtex", "ml-lgc"], cut.loc["reuters", "ml-lgc-cut"], few.loc["reuters", "ml-lgc"]),
        given=(few["ssmope"] > few["ml-lgc"]).all() and (few["ssmope"] > cut["ml-lgc-cut"]).all(),
    )
    costs = all_rows()
    seconds = costs.loc["rows", "seconds"]
    times = seconds["relation"] / seconds["original"]
    fewer = costs.loc["prototypes"].query("prototypes == 800").droplevel("space")["seconds"]
    share = (fewer / seconds["relation"]).max()
    yield quote(
        "with {:,} rows it takes {:.2f} of the time, CCA {:.2f}",
        *(3328, *times[["mope", "cca"]]),
        given=times["mope"] > 1,
    )
    yield quote("With 800 prototypes no method takes more than {:.2f} of the time", share, given=share < 0.5)
