"""Numbers of docs/peers.md and docs/which-method.md: the studies that compare the methods of the literature."""

from __future__ import annotations

from update_results import ranked

from mlreduce.stats.ranking import MARGIN
from quoted import Sentences, quote, quoted_on, table

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
    yield quote("the probability that a method is within {} of the best", MARGIN)
