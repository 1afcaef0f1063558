"""Numbers of docs/peers.md and docs/which-method.md: the studies that compare the methods of the literature."""

from __future__ import annotations

from update_results import ranked

from quoted import Sentences, quote, quoted_on, state, table

#: Settings that the page names.
SETTINGS = (
    "ten trials: 1,000 rows train and 5 % of all test",
    "moved to [0, 1] by the training rows",
    "choose 40 % of the labels",
    "All sizes below 100 %",
    "- *Within 0.01 of the best*",
    "an unseen one, at 95 %",
    "differences of at most 0.01 count as none",
    "one fit to 1,000 instances, 300 features and 15 labels",
)
#: The first methods that it names.
FIRST = {
    **dict.fromkeys(("selectors-ridge", "selectors"), "all-features"),
    **dict.fromkeys(("projections", "projections-knn"), "mddmf"),
    "coders": "br",
}


def count_methods(study: str) -> int:
    """Return how many methods a study compares, controls among them; all features are no method."""
    names = table(f"{study}/summary.csv.gz")["method"].str.replace(r"-\d$", "", regex=True)
    return len(set(names) - {"all-features", "every-feature"})


@quoted_on("docs/peers.md")
def peers() -> Sentences:
    counts, data = map(count_methods, ("selectors", "coders", "projections")), table("selectors/datasets.csv")
    yield quote("{} feature selectors, {} label coders and {} projections, controls among them", *counts)
    yield quote(
        "- {} data sets: images, music, sounds, text, proteins, patients; {} to {} labels",
        *(len(data), data["labels"].min(), data["labels"].max()),
    )
    yield from (state(words, "the studies, and mlreduce.stats.ranking") for words in SETTINGS)
    first = {family: ranked(f"all-{family}").ranking.table.index[0] for family in FIRST}
    yield quote("All features are first with ridge regression and with ML-kNN", given=first == FIRST)
    yield quote("Binary relevance is first with ridge regression", given=first == FIRST)
    yield quote("`mddmf` is first with ridge regression and with ML-kNN", given=first == FIRST)


@quoted_on("docs/which-method.md")
def which_method() -> Sentences:
    selectors, coders = (ranked(family).ranking.table for family in ("selectors", "coders"))
    first = selectors.drop(index="all-features").iloc[:10]
    yield quote("few are distinguished", given=first["low"].max() < first["near"].min())
    yield quote(
        "no reduction: no coder is as often near the best",
        given=coders.index[0] == "br" and coders["near"].iloc[0] > coders["near"].iloc[1],
    )
    yield state("the probability that a method is within 0.01 of the best", "MARGIN of mlreduce.stats.ranking")
    yield state("Version 1 of the benchmark", "its name")
