"""Numbers of gmba-2016."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from quoted import DEVIATIONS, Sentence, quote, quoted_on, rows, state, table

AREAS = "gmba-2016/areas.csv"
PAGE = "papers/gmba-2016/README.md"
FOUR = ["gmba", "spec", "mlfs", "mlrf"]
CODED = [f"{name}-code" for name in FOUR]


def areas(*measures: str) -> pd.DataFrame:
    """Return the areas under the curves, larger ones better: a row per data set, measure and predictor."""
    scores = rows(AREAS, measure=list(measures), predictor=["br-knn", "cc-knn"])
    scores = scores.pivot_table(index=["dataset", "measure", "predictor"], columns="method", values="mean")
    return scores.mul(np.where(scores.index.get_level_values("measure") == "hamming-loss", -1, 1), axis=0)


@quoted_on(PAGE)
def page() -> Iterator[Sentence]:
    everywhere = areas("hamming-loss", "macro-f1", "micro-f1")
    better = everywhere["gmba"].gt(everywhere["random"]).groupby("measure").mean()
    coded = everywhere["gmba-code"].gt(everywhere["random"]).groupby("measure").mean()
    yield quote(
        "GMBA's features are better than random ones on most data sets, by every measure and by equations and code",
        given=(better > 0.5).all() and (coded > 0.5).all(),
    )
    micro = areas("micro-f1").mean()
    lead = micro["gmba"] - micro
    yield quote(
        "the area under its curve of micro F1 is {:.3f} above SPEC's, {:.3f} above MLFS's and {:.3f} above "
        "MLRF's, or {:.3f} with MLRF by pairs of labels",
        *lead[["spec", "mlfs", "mlrf", "mlrf-pairs"]],
        given=(lead[["spec", "mlfs", "mlrf", "mlrf-pairs"]] > 0).all(),
    )
    first, coded = (everywhere[names].idxmax(axis=1).str.startswith("gmba").mean() for names in (FOUR, CODED))
    yield quote(
        "with the cited ReliefF GMBA is best in {:.0f} % of cases, with the published one in {:.0f} %",
        *(100 * first, 100 * coded),
    )


@quoted_on(DEVIATIONS)
def settings() -> Iterator[Sentence]:
    yield state("On bibtex ten random draws of 1,800 training rows", "the paper and the study")
    yield state("A label without test rows counts 0 in macro-averaged F1", "the definition")
    yield state("under them over 10 to 90 % of the features", "the study")
    yield state("micro-averaged F1 is 2 tp / (2 tp + 2 fn)", "its code")
    yield state("| GMBA, nearest hits | ... | degree 0 | degree 0.01 |", "its code")
    yield state("Averaging 30 orders (`n_orders`)", "the study")


@quoted_on(DEVIATIONS)
def best() -> Iterator[Sentence]:
    panels = areas("hamming-loss", "macro-f1", "micro-f1")
    first = panels[FOUR].idxmax(axis=1).value_counts()
    coded = panels[CODED].idxmax(axis=1).value_counts()
    yield quote(
        "Of the {} panels (seven sets, two learners, three measures) GMBA is first of the four in {} with the "
        "published code and in {} with the methods as defined, where MLRF is in {}",
        *(len(panels), coded["gmba-code"], first["gmba"], first["mlrf"]),
        given=coded["gmba-code"] > first["gmba"] > first["mlrf"],
    )
    micro = areas("micro-f1").droplevel("measure")
    worse = (micro["mlrf-code"] < micro["random"]).groupby("dataset").all()
    yield quote("is worse than random features on {} of the {} sets", worse.sum(), len(worse), given=worse.sum() > 0)
    tables = [table(f"gmba-2016/table-ranks-{name}.csv") for name in ("br", "cc")]
    ranks = [ranking.groupby("method")["average_rank"].mean()[["mlrf", "gmba"]] for ranking in tables]
    (critical,) = tables[0]["critical_difference"].unique()
    yield quote(
        "implemented as defined it ranks with GMBA (average ranks over all measures {:.1f} and {:.1f} with "
        "binary relevance, {:.1f} and {:.1f} with chains, where Nemenyi's critical difference is {:.1f})",
        *(*ranks[0], *ranks[1], critical),
        given=max(abs(ranking.diff().iloc[1]) for ranking in ranks) < critical,
    )
    pairs = micro[["mlrf", "mlrf-pairs"]]
    apart = pairs.drop("genbase", level="dataset").diff(axis=1)["mlrf-pairs"].abs().max()
    yield quote("are within {} on all sets but genbase", 0.02, given=apart < 0.02)
    yield quote(
        "with {:.3f} and {:.3f} with binary relevance and {:.3f} and {:.3f} with chains",
        *pairs.loc["genbase", "br-knn"],
        *pairs.loc["genbase", "cc-knn"],
    )
    yield quote("GMBA beats SPEC in {} of {} panels", (panels["gmba"] > panels["spec"]).sum(), len(panels))


@quoted_on(DEVIATIONS)
def orders() -> Iterator[Sentence]:
    table = rows("gmba-2016/table-stability.csv", size_percent=20)
    correlation, stability = (
        table.pivot_table(index="dataset", columns="method", values=column)
        for column in ("order_correlation", "stability")
    )
    of_gmba, four = correlation["gmba"], correlation.loc[["bibtex", "enron", "genbase", "medical"], "gmba"]
    yield quote(
        "correlate by {:.2f} to {:.2f} on bibtex, enron, genbase and medical, {:.2f} on yeast, and not at all on "
        "emotions ({:.2f}) and scene ({:.2f})",
        *(four.min(), four.max(), of_gmba["yeast"], of_gmba["emotions"], of_gmba["scene"]),
        given=of_gmba[["emotions", "scene"]].abs().max() < 0.1,
    )
    coded = correlation["gmba-code"]
    yield quote("With the published code they correlate by {:.2f} to {:.2f} everywhere", coded.min(), coded.max())
    drawn = areas("micro-f1")[[f"gmba-{order}" for order in range(5)]]
    yield quote(
        "areas of five orders differ by at most {:.3f} in micro-averaged F1",
        drawn.T.agg(lambda row: row.max() - row.min()).max(),
    )
    yield quote(
        "makes the selection more stable on every set", given=(stability["gmba-averaged"] > stability["gmba"]).all()
    )
    ends = stability.agg(["min", "max"])
    yield quote(
        "(Nogueira's index at 20 % of the features: SPEC {:.2f} to {:.2f}, MLFS {:.2f} to {:.2f}, MLRF {:.2f} to "
        "{:.2f}) than GMBA ({:.2f} to {:.2f})",
        *(ends.loc[end, name] for name in ("spec", "mlfs", "mlrf", "gmba") for end in ("min", "max")),
        given=(stability[["spec", "mlfs", "mlrf"]].mean() > stability["gmba"].mean()).all(),
    )


@quoted_on(DEVIATIONS)
def beside_others() -> Iterator[Sentence]:
    tables = [table(f"gmba-2016/table-information-{name}.csv") for name in ("br", "cc")]
    ranks = [ranking.groupby("method")["rank"].mean() for ranking in tables]
    yield quote(
        "{:.1f} and {:.1f} of GMBA over 30 orders, {:.1f} and {:.1f} of L2,1, {:.1f} and {:.1f} of MLRF, and "
        "{:.1f} and {:.1f} of exact QPFS",
        *(ranking[name] for name in ("gmba-averaged", "rfs", "mlrf", "qpfs") for ranking in ranks),
        given=all(ranking.idxmin() == "gmba-averaged" for ranking in ranks),
    )
    micro = areas("micro-f1").droplevel("measure")
    below = (micro["pmu"] < micro["random"]).groupby("dataset").all()
    yield quote("PMU is below random features on {} of {} sets", below.sum(), len(below))
    times = table("gmba-2016/times.csv").groupby(["dataset", "method"])["seconds"].mean()
    others = times.unstack()[["gmba-0", "spec", "mlfs", "mlrf"]]
    slowest = times["bibtex", "mlrf"]
    yield quote(
        "less than two seconds each, except MLRF on bibtex ({:.1f} s); MLFS is the fastest",
        slowest,
        given=(others.stack().drop(("bibtex", "mlrf")) < 2).all() and others.idxmin(axis=1).eq("mlfs").all(),
    )
