"""Numbers of docs/peers.md and docs/which-method.md: the studies that compare the methods of the literature."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from update_results import EVIDENCE, ranking

from mlreduce.stats.ranking import MARGIN
from quoted import Sentence, quote, quoted_on, rows, state, table

PAGE = "docs/peers.md"


def shown(study: str) -> int:
    """Return how many methods a study compares, controls among them; all features are no method."""
    names = table(f"{study}/summary.csv.gz")["method"].str.replace(r"-\d$", "", regex=True)
    return len(set(names) - {"all-features", "every-feature"})


def scores(study: str, predictor: str, size: int) -> pd.DataFrame:
    """Return micro-averaged F1, mean over draws: a row per data set on which all succeed, a column per method."""
    cells = rows(f"{study}/summary.csv.gz", protocol="ten-fold", measure="micro-f1", predictor=predictor)
    cells = cells[cells["size_percent"].eq(size) | cells["method"].isin(["all-features", "br"])]
    cells = cells.assign(method=cells["method"].str.replace(r"-\d$", "", regex=True))
    return cells.pivot_table(index="dataset", columns="method", values="mean").dropna(axis=1)


@quoted_on("README.md")
def readme() -> Iterator[Sentence]:
    sets = len(table("selectors/datasets.csv"))
    total = sum(map(shown, ("selectors", "coders", "projections")))
    yield quote("# {} methods of the literature on {} data sets", total, sets)


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
    yield state("ten trials: 1,000 rows train and 5 % of all test", "the studies")
    yield state("moved to [0, 1] by the training rows", "the studies")
    yield state("choose 40 % of the labels", "the studies")
    yield state("less than 1e-4 of itself (`scmfs` 1e-5)", "the studies")
    yield state(
        "sizes below 100 % that all methods have are settings, 2 to 30 % ... 2 to 50 % ... 10 to 40 %", "the studies"
    )
    yield state("- *Within 0.01 of the best*", "MARGIN of mlreduce.stats.ranking")
    yield state("an unseen one, at 95 %", "mlreduce.stats.ranking")
    yield state("where differences of at most 0.01 count as none", "MARGIN of mlreduce.stats.ranking")
    yield state("one fit to 1,000 instances, 300 features and 15 labels", "TYPICAL of mlreduce.methods.evidence")


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
    selecting = ridge.drop(index="all-features")
    ranks = selecting["rank"].sort_values()
    yield quote(
        "With ridge regression `cmim` has the lowest mean rank among the selectors, {:.1f}, with `lasso-multitask`, "
        "which is scikit-learn's and was put in as a control, {:.1f}; the intervals of most of them overlap",
        *(ranks[name] for name in ("cmim", "lasso-multitask")),
        given=set(ranks.index[:2]) == {"cmim", "lasso-multitask"}
        and selecting["high"].ge(selecting["near"].max()).mean() > 0.5,
    )
    yield quote(
        "`mlfs`, `chi2` and `spec`, which rate each feature by itself, are among the last seven",
        given={"mlfs", "chi2", "spec"} <= set(ranks.index[-7:]),
    )
    places = {name: place / len(ranks) for place, name in enumerate(ranks.index)}
    yield quote(
        "`rfs` and `mlrf` are in the middle, and `qpfs`, `pmu` and `gmba` are behind",
        given=all(1 / 3 < places[name] < 2 / 3 for name in ("rfs", "mlrf"))
        and min(places[name] for name in ("qpfs", "pmu", "gmba")) > 0.6,
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
    means = scores("coders", "ridge", 40).mean()
    lost = means["br"] - means
    yield quote(
        "`faie` and `cplst` lose least, about {:.2f} of F1 at 40 % of the regressions, and differ there by {:.3f} on "
        "average",
        lost[["faie", "cplst"]].mean(),
        means["faie"] - means["cplst"],
        given=set(lost.drop(["br", "cplst-randomised"]).nsmallest(2).index) == {"faie", "cplst"},
    )
    yield quote("randomised CPLST equals the exact one", given=abs(means["cplst"] - means["cplst-randomised"]) < 0.001)
    yield quote("Labels chosen by pivoted QR lose {:.2f}", lost["cssp-greedy"])


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
    by_set = {name: scores(name, "ridge", 10) for name in ("projections", "selectors")}
    yield quote(
        "All features, which are in the selectors' study with the same folds, have a mean F1 of {:.3f} with ridge "
        "regression, `mddmf` {:.3f} at a tenth of the directions",
        *(by_set["selectors"]["all-features"].mean(), by_set["projections"]["mddmf"].mean()),
        given=by_set["selectors"].index.equals(by_set["projections"].index),
    )
    means = by_set["projections"].mean()
    weighted = means[means.index.str.startswith("wmlda-")]
    yield quote(
        "mean F1 at a tenth of the directions differs by at most {:.2f} with ridge regression",
        (weighted - weighted["wmlda-binary"]).abs().max(),
    )


def shown_of(family: str) -> list[str]:
    """Return the first methods of a table, which a page shows."""
    return [*ranking(family).table.index[: EVIDENCE[family].most]]


@quoted_on("docs/which-method.md")
def advice() -> Iterator[Sentence]:
    tables = {family: ranking(family).table for family in ("projections", "selectors", "coders", "few-labels")}
    tries = tables["selectors"].drop(index="all-features").iloc[:10]
    yield quote("few are distinguished", given=tries["low"].max() < tries["near"].min())
    coders = tables["coders"]
    yield quote(
        "with ridge regression no better than CPLST in the benchmark",
        given=coders.loc["faie", "near"] <= coders.loc["cplst", "near"]
        and coders.loc["faie", "mean"] <= coders.loc["cplst", "mean"],
    )
    yield quote(
        "no reduction: no coder is as often near the best",
        given=coders.index[0] == "br" and coders["near"].iloc[0] > coders["near"].iloc[1],
    )
    yield quote(
        "Reduction costs accuracy on average and saves regressions",
        given=coders.index[0] == "br" and coders["mean"].idxmax() == "br",
    )
    labels = tables["few-labels"]
    yield quote(
        "`MOPE` and `SSMOPE` lead; a random projection is ahead of all propagation methods here",
        given=set(labels.index[:2]) == {"ssmope", "mope"} and labels.index[2] == "random-projection",
    )


@quoted_on("docs/which-method.md")
def which_method() -> Iterator[Sentence]:
    yield state("the probability that it is within 0.01 of the best", "MARGIN of mlreduce.stats.ranking")
    yield state("Version 1 of the benchmark", "its name")
    yield state("with 40 % of the training rows labelled", "the protocol")
