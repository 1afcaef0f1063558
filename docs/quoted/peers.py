"""Numbers of docs/peers.md and docs/which-method.md: the studies that compare the methods of the literature."""

from __future__ import annotations

from collections.abc import Iterator

from update_results import ranking

from mlreduce.stats.ranking import MARGIN
from quoted import Sentence, quote, quoted_on, state, table

PAGE = "docs/peers.md"


def shown(study: str) -> int:
    """Return how many methods a study compares, controls among them; all features are no method."""
    names = table(f"{study}/summary.csv.gz")["method"].str.replace(r"-\d$", "", regex=True)
    return len(set(names) - {"all-features", "every-feature"})


@quoted_on(PAGE)
def protocol() -> Iterator[Sentence]:
    yield quote(
        "{} feature selectors, {} label coders and {} projections, controls among them",
        *map(shown, ("selectors", "coders", "projections")),
    )
    data = table("selectors/datasets.csv")
    yield quote(
        "- {} data sets: images, music, sounds, text, proteins, patients; {} to {} labels",
        *(len(data), data["labels"].min(), data["labels"].max()),
    )
    for words in (
        "ten trials: 1,000 rows train and 5 % of all test",
        "moved to [0, 1] by the training rows",
        "choose 40 % of the labels",
        "All sizes below 100 %",
        "- *Within 0.01 of the best*",
        "an unseen one, at 95 %",
        "differences of at most 0.01 count as none",
        "one fit to 1,000 instances, 300 features and 15 labels",
    ):
        yield state(words, "the studies, and mlreduce.stats.ranking")


def near(family: str, *methods: str) -> list[float]:
    """Return the probabilities of methods that they are within the margin of the best, of a table of the page."""
    return [float(ranking(family).table.loc[name, "near"]) for name in methods]


def overlap(family: str, *methods: str) -> bool:
    """Return whether the interval of each method has the probability of the first of them in it."""
    table = ranking(family).table.loc[list(methods)]
    return bool(((table["low"] <= table["near"].max()) & (table["near"].max() <= table["high"])).all())


@quoted_on(PAGE)
def selectors() -> Iterator[Sentence]:
    families = ("all-selectors-ridge", "all-selectors")
    ridge, knn = (ranking(family).table for family in families)
    most = max(table.drop(index="all-features")["near"].max() for table in (ridge, knn))
    yield quote(
        "All features are within {} of the best in {:.2f} of the settings with ridge regression and in {:.2f} with "
        "ML-kNN; no selector is in more than {:.2f} of them with either",
        MARGIN,
        *(near(family, "all-features")[0] for family in families),
        most,
        given=min(ridge.loc["all-features", "near"], knn.loc["all-features", "near"]) > most,
    )


@quoted_on(PAGE)
def coders() -> Iterator[Sentence]:
    table = ranking("all-coders").table
    yield quote(
        "With ridge regression binary relevance is within {} of the best in {:.2f} of the settings, `faie` in {:.2f}, "
        "`cplst` in {:.2f}",
        MARGIN,
        *near("all-coders", "br", "faie", "cplst"),
        given=list(table.index[:3]) == ["br", "faie", "cplst"],
    )


@quoted_on(PAGE)
def projections() -> Iterator[Sentence]:
    ridge, knn = (ranking(family).table for family in ("all-projections", "all-projections-knn"))
    yield quote(
        "`mddmf` is first with ridge regression, within {} of the best in {:.2f} of the settings, `rcca` in {:.2f}",
        MARGIN,
        *near("all-projections", "mddmf", "rcca"),
        given=list(ridge.index[:2]) == ["mddmf", "rcca"],
    )
    leading = ("mddmf", "wmlda", "rcca")
    yield quote(
        "`mddmf` ({:.2f}) and `wmlda` ({:.2f}) are first, and not distinguished from `rcca` ({:.2f})",
        *near("all-projections-knn", *leading),
        given=set(knn.index[:2]) == set(leading[:2]) and overlap("all-projections-knn", *leading),
    )


@quoted_on("docs/which-method.md")
def advice() -> Iterator[Sentence]:
    tables = {family: ranking(family).table for family in ("selectors", "coders")}
    tries = tables["selectors"].drop(index="all-features").iloc[:10]
    yield quote("few are distinguished", given=tries["low"].max() < tries["near"].min())
    coders = tables["coders"]
    yield quote(
        "no reduction: no coder is as often near the best",
        given=coders.index[0] == "br" and coders["near"].iloc[0] > coders["near"].iloc[1],
    )


@quoted_on("docs/which-method.md")
def which_method() -> Iterator[Sentence]:
    yield state("the probability that a method is within 0.01 of the best", "MARGIN of mlreduce.stats.ranking")
    yield state("Version 1 of the benchmark", "its name")
