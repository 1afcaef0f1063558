"""Numbers of docs/peers.md and docs/which-method.md: the studies that compare the methods of the literature."""

from __future__ import annotations

from update_results import ranked

from mlreduce.stats.ranking import MARGIN
from quoted import Sentences, quote, quoted_on, table


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
    for text, method, families in (
        ("All features are first", "all-features", ("selectors-ridge", "selectors")),
        ("Binary relevance is first", "br", ("coders",)),
        ("`mddmf` is first", "mddmf", ("projections", "projections-knn")),
    ):
        yield quote(text, given={ranked(f"all-{family}").ranking.table.index[0] for family in families} == {method})


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
