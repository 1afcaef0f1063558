"""Numbers of docs/peers.md and docs/which-method.md: the studies that compare the methods of the literature."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from quoted import Sentence, quoted_on, rows, says, stated, table

PAGE = "docs/peers.md"


def shown(study: str) -> int:
    """Return how many methods a study compares, controls among them; all features are no method."""
    names = table(f"{study}/summary.csv.gz")["method"].str.replace(r"-\d$", "", regex=True)
    return len(set(names) - {"all-features", "every-feature"})


def scores(study: str, predictor: str, size: int) -> pd.DataFrame:
    """Return micro-averaged F1, mean over draws: a row per data set on which all succeed, a column per method."""
    found = rows(f"{study}/summary.csv.gz", protocol="ten-fold", measure="micro-f1", predictor=predictor)
    found = found[found["size_percent"].eq(size) | found["method"].isin(["all-features", "br"])]
    found = found.assign(method=found["method"].str.replace(r"-\d$", "", regex=True))
    return found.pivot_table(index="dataset", columns="method", values="mean").dropna(axis=1)


@quoted_on("README.md")
def readme() -> Iterator[Sentence]:
    sets = len(table("selectors/datasets.csv"))
    total = sum(map(shown, ("selectors", "coders", "projections")))
    yield says("# {} methods of the literature on {} data sets", total, sets)


@quoted_on(PAGE)
def protocol() -> Iterator[Sentence]:
    yield says(
        "{} feature selectors, {} label coders and {} projections, controls among them",
        *map(shown, ("selectors", "coders", "projections")),
    )
    data = table("selectors/datasets.csv")
    yield says(
        "- {} data sets: images, music, sounds, text, proteins, patients; {} to {} labels",
        *(len(data), data["labels"].min(), data["labels"].max()),
    )
    yield stated("ten trials: 1,000 rows train and 5 % of all test", "the studies")
    yield stated("moved to [0, 1] by the training rows", "the studies")
    yield stated("choose 40 % of the labels", "the studies")
    yield stated("less than 1e-4 of itself (`scmfs` 1e-5)", "the studies")
    yield stated("where differences of at most 0.01 count as none", "MARGIN of docs/update_results.py")
    yield stated("40 % as many codes as labels, ridge", "the tables below")


@quoted_on(PAGE)
def findings() -> Iterator[Sentence]:
    ridge = scores("selectors", "ridge", 10)
    first = ridge.idxmax(axis=1).eq("all-features")
    yield says(
        "Ridge regression is best with all features, on {} of {} sets",
        first.sum(),
        len(first),
        given=first.mean() > 0.5,
    )
    ranks = scores("selectors", "ml-knn", 10).rank(axis=1, ascending=False).mean().sort_values()
    yield says(
        "chosen by the lasso of several targets, which is scikit-learn's and was put in as a control",
        given=ranks.idxmin() == "lasso-multitask",
    )
    coders = scores("coders", "ridge", 40)
    means = coders.mean()
    yield says("None is ahead of binary relevance", given=coders.rank(axis=1, ascending=False).mean().idxmin() == "br")
    lost = means["br"] - means
    yield says(
        "`faie` and `cplst` lose least, about {:.2f} of F1 at 40 % of the regressions",
        lost[["faie", "cplst"]].mean(),
        given=set(lost.drop(["br", "cplst-randomised"]).nsmallest(2).index) == {"faie", "cplst"},
    )
    yield says("randomised CPLST equals the exact one", given=abs(means["cplst"] - means["cplst-randomised"]) < 0.001)
    yield says("Labels chosen by pivoted QR lose {:.2f}", lost["cssp-greedy"])
    leading = [
        set(scores("projections", predictor, 10).rank(axis=1, ascending=False).mean().nsmallest(8).index)
        for predictor in ("ridge", "ml-knn")
    ]
    named = {"mddmf", "rcca", "hsl3", "wmlda-entropy", "wmlda-correlation", "wmlda-binary"}
    yield says("lead with both predictors", given=all(named <= own for own in leading))


@quoted_on("docs/which-method.md")
def which_method() -> Iterator[Sentence]:
    yield stated("linear regression, 40 % as many codes as labels", "the table below")
    yield stated("with 40 % of the training rows labelled", "the protocol")
