"""Numbers of mope-mesd-2012."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from quoted import DEVIATIONS, Sentence, quote, quoted_on, rows, state, table

PAGE = "papers/mope-mesd-2012/README.md"
REUTERS = "docs/deviations/mope-reuters.csv"
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


def ratio_of_stems(cost: str) -> pd.Series:
    """Return a cost with relation features, as a share of that with the stems themselves."""
    costs = all_rows().loc["rows", cost]
    return costs["relation"] / costs["original"]


@quoted_on(PAGE)
def page() -> Iterator[Sentence]:
    yield state("Pattern Analysis and Machine Intelligence 34, 2012", "the volume")
    yield state("where nothing lies below 1", "the lowest number of neighbours")
    times = ratio_of_stems("seconds")
    yield quote("with them MOPE takes {:.2f} times as long", times["mope"], given=times.drop("mope").max() < 1)
    scores = means("table-all")
    reuters = scores.loc["reuters"]
    level = reuters[["pca", "lsi", "random-projection"]]
    yield quote(
        "on Reuters PCA, LSI and random directions reach {:.3f}, the best method with labels {:.3f}",
        *(level.mean(), reuters.drop(WITHOUT).max()),
        given=level.max() - level.min() < 0.001,
    )
    yield state("with 40 % of the labels and ... with 80 %; that with 40 % it can", "the parts of Section 4.3.2")
    tied = means("table-ties")
    largest = max(
        (tied[f"{name}-{reading}"] - tied[name]).abs().max()
        for name in ("mope", "mope-classes")
        for reading in ("all-tied", "first-rows")
    )
    yield quote("the three readings differ by up to {:.2f} in F1", largest)
    chosen = rows("mope-mesd-2012/choices.csv")
    at_end = chosen["at_end"].dropna().str.split(", ").explode()
    yield quote(
        "{} of {} chosen parameters ({:.0f} %) are the smallest or largest of those tried, {} of these numbers "
        "of neighbours",
        *(len(at_end), chosen["ranged"].sum(), 100 * len(at_end) / chosen["ranged"].sum()),
        at_end.str.endswith("n_neighbors").sum(),
    )
    copies = rows(REUTERS, rule="ModApte split, once per category")["in_several"].item()
    yield quote("{:.0f} % of articles with several topics are reached only where pairs", 100 * copies)


@quoted_on(DEVIATIONS)
def articles() -> Iterator[Sentence]:
    counts = table(REUTERS).set_index(["rule", "tokens"])
    once, copies = (counts.loc[(rule, "spaced")] for rule in ("ModApte split", "ModApte split, once per category"))
    yield state(
        "The text reports 9,980 articles ... 18 % of them in two to four categories", "Section 4.1 of the paper"
    )
    yield quote(
        "have together {:,.0f} articles. The paper thus counts pairs of an article and a category; there are "
        "**{:,.0f}** articles. Of the pairs, {:.1f} % are of articles with several categories; of the articles, "
        "{:.1f} %. Only {:.0f} of the ten categories have at least the 400 articles that the text states.",
        *(once["pairs"], once["articles"], 100 * copies["in_several"], 100 * once["in_several"], once["topics_of_400"]),
        given=once["pairs"] == copies["articles"] == 9980,
    )
    for name, rule in {
        "ModApte split, one article per category (`reuters-copies`)": "ModApte split, once per category",
        "ModApte split (`reuters`)": "ModApte split",
        "all articles": "all",
        "articles with TOPICS=YES": "TOPICS=YES",
    }.items():
        row = counts.loc[(rule, "spaced")]
        yield quote(f"| {name} | {{:,.0f}} | {{:.1f}} % |", row["articles"], 100 * row["in_several"])
    yield state("removes words of low frequency: 24,012 remain", "Section 4.1 of the paper")
    yield state("| in at least | 1 | 2 | 3 | 4 | 5 articles |", "the columns of the table")
    terms = [f"terms_in_{least}" for least in range(1, 6)]
    yield quote(
        "| between white space | {:,.0f} | **{:,.0f}** | {:,.0f} | {:,.0f} | {:,.0f} |", *once[terms].astype(int)
    )
    row = counts.loc[("ModApte split", "alphanumeric")]
    yield quote(
        "| runs of letters and digits | {:,.0f} | {:,.0f} | {:,.0f} | {:,.0f} | {:,.0f} |", *row[terms].astype(int)
    )
    features = rows("mope-mesd-2012/datasets.csv", dataset="reuters")["features"].item()
    yield quote("We use the {:,}.", features, given=features == once["terms_in_2"])
    yield state("weights are 1 + ln((1 + n) / (1 + df))", "the definition")
    yield state("Dimensions are the paper's: 1,800 on Reuters ... known labels", "Section 4.2 of the paper")
    yield state("a discriminant on 1,800 directions", "Section 4.2 of the paper")


@quoted_on(DEVIATIONS)
def embeddings() -> Iterator[Sentence]:
    scores = means("table-all")
    for name, row in scores.iterrows():
        labelled = row.drop(WITHOUT)
        yield quote(
            f"| {name} | {{:.3f}} | {{:.3f}} | {{:.3f}} | {{:.3f}} ({{}}) |",
            *(*row[["lsi", "pca", "random-projection"]], labelled.max(), labelled.idxmax()),
        )
    best = scores.drop(columns=WITHOUT).max(axis=1)
    gains = best - scores["pca"]
    yield state("(the paper reports a gain of 0.2 to 1.2 percent)", "Section 4.2 of the paper")
    yield quote("is ahead of PCA by less than {}", 0.01, given=0 <= gains["reuters"] < 0.01)
    noisy = ["bibtex", "enron"]
    yield quote(
        "the best gains {:.3f} on bibtex and {:.3f} on enron; MOPE is worse than PCA on both",
        *gains[noisy],
        given=(gains[noisy] > 0).all() and (scores["mope"] < scores["pca"])[noisy].all(),
    )
    bibtex, drawn = scores.loc["bibtex"], scores["random-projection"]
    yield quote(
        "OLPP is worse than random directions everywhere (bibtex {:.3f} against {:.3f}), the extensions of MMC, "
        "DNE and SONPP on bibtex",
        *bibtex[["olpp", "random-projection"]],
        given=(scores["olpp"] < drawn).all()
        and (bibtex[["mesd-mmc", "mesd-dne", "mesd-sonpp"]] < bibtex["random-projection"]).all(),
    )
    yield quote(
        "{:.3f} on bibtex, with a ridge {:.3f}",
        *bibtex[["cca", "rcca"]],
        given=bibtex["cca"] < bibtex["rcca"] / 2,
    )
    rank = scores.rank(axis=1, ascending=False)["mddm"]
    yield quote(
        "and is last there ({:.3f}); with many labels it is in the upper half on bibtex and in the lower half on enron",
        scores.loc["reuters", "mddm"],
        given=rank["reuters"] == scores.shape[1] and rank["bibtex"] <= scores.shape[1] / 2 < rank["enron"],
    )


@quoted_on(DEVIATIONS)
def labels_of_a_part() -> Iterator[Sentence]:
    scores = means("table4")
    few, many = scores.loc["labelled-40"], scores.loc["labelled-80"]
    yield quote(
        "SSMOPE with 40 % of the labels is above OLPP on all sets; so it is with 80 %, where it is level with "
        "MOPE on bibtex and Reuters and worse on enron ({:.3f} against {:.3f})",
        *many.loc["enron", ["ssmope", "mope"]],
        given=(few["ssmope"] > few["olpp"]).all()
        and (many["ssmope"] > many["olpp"]).all()
        and many.eval("abs(ssmope - mope)").drop("enron").max() < 0.01 < many.eval("mope - ssmope")["enron"],
    )
    yield quote(
        "Random directions have on bibtex {:.3f} against its {:.3f} with 40 % of the labels, and {:.3f} with 80 %",
        *(*few.loc["bibtex", ["random-projection", "ssmope"]], many.loc["bibtex", "random-projection"]),
    )
    cut = means("table4-cut")
    fewer = cut.loc["labelled-40"]
    yield quote(
        "(ML-LGC on bibtex {:.3f} with 40 % of the labels). Used as label scores, with each label as frequent as "
        "among the labelled rows, it gives {:.3f}, and on Reuters {:.3f} instead of {:.3f}. SSMOPE is better than both",
        *(few.loc["bibtex", "ml-lgc"], *fewer.loc[["bibtex", "reuters"], "ml-lgc-cut"], few.loc["reuters", "ml-lgc"]),
        given=(few["ssmope"] > few["ml-lgc"]).all() and (few["ssmope"] > fewer["ml-lgc-cut"]).all(),
    )
    yield quote(
        "Used so, SMSE1 is better than ML-LGC on all sets with 40 % of the labels",
        given=(fewer["smse1-cut"] > fewer["ml-lgc-cut"]).all(),
    )


@quoted_on(DEVIATIONS)
def ties() -> Iterator[Sentence]:
    scores = means("table-ties")
    three = ["bibtex", "enron", "reuters"]
    combined, alone = (scores[f"{name}-all-tied"] - scores[name] for name in ("mope", "mope-classes"))
    yield quote(
        "macro-F1 changes (`table-ties`) by {:+.3f} on bibtex, {:+.3f} on enron and {:+.3f} on Reuters where "
        "features and labels are combined, and by {:+.3f}, {:+.3f} and {:+.3f} with labels alone",
        *combined[three],
        *alone[three],
    )
    orders = scores[["mope", "mope-order-1", "mope-order-2", "mope-order-3"]]
    yield quote("four orders of the ties differ by at most {:.3f}", (orders.max(axis=1) - orders.min(axis=1)).max())


@quoted_on(DEVIATIONS)
def costs() -> Iterator[Sentence]:
    costs = all_rows()
    times, memory = ratio_of_stems("seconds"), ratio_of_stems("gigabytes")
    yield quote(
        "cost less than the stems themselves with {:,} rows, but not MOPE in time: CCA takes {:.2f} of the time, "
        "PCA {:.2f}, OLPP {:.2f} and MOPE {:.2f}, and each at most {:.2f} of the memory",
        *(3328, *times[["cca", "pca", "olpp", "mope"]], memory.max()),
        given=times.drop("mope").max() < 1 < times["mope"] and memory.max() < 1,
    )
    fewer = (
        costs.loc["prototypes"].query("prototypes == 800").droplevel("space")["seconds"]
        / costs.loc[("rows", "relation"), "seconds"]
    )
    yield quote("with 800 no method takes more than {:.2f} of the time", fewer.max(), given=fewer.max() < 0.5)
