"""Numbers of gmba-2016."""

from __future__ import annotations

import numpy as np
import pandas as pd

from quoted import DEVIATIONS, Sentences, by_method, quote, quoted_on, rows, table

AREAS = "gmba-2016/areas.csv"
FOUR = ["gmba", "spec", "mlfs", "mlrf"]
CODED = [f"{name}-code" for name in FOUR]


def areas(*measures: str) -> pd.DataFrame:
    """Return the areas under the curves, larger ones better: a row per data set, measure and predictor."""
    index = ["dataset", "measure", "predictor"]
    scores = by_method(AREAS, index, measure=list(measures), predictor=["br-knn", "cc-knn"])
    return scores.mul(np.where(scores.index.get_level_values("measure") == "hamming-loss", -1, 1), axis=0)


@quoted_on("papers/gmba-2016/README.md")
def page() -> Sentences:
    everywhere = areas("hamming-loss", "macro-f1", "micro-f1")
    better = everywhere[["gmba", "gmba-code"]].gt(everywhere["random"], axis=0).groupby("measure").mean()
    yield quote(
        "GMBA's features are better than random ones on most data sets, by every measure and by equations and code",
        given=(better > 0.5).all(axis=None),
    )
    micro = areas("micro-f1").mean()
    lead = micro["gmba"] - micro[["spec", "mlfs", "mlrf", "mlrf-pairs"]]
    yield quote(
        "the area under its curve of micro F1 is {:.3f} above SPEC's, {:.3f} above MLFS's and {:.3f} above "
        "MLRF's, or {:.3f} with MLRF by pairs of labels",
        *lead,
        given=(lead > 0).all(),
    )


@quoted_on(DEVIATIONS)
def best() -> Sentences:
    panels = areas("hamming-loss", "macro-f1", "micro-f1")
    first, coded = (panels[names].idxmax(axis=1).value_counts() for names in (FOUR, CODED))
    yield quote(
        "Of the {} panels (sets, learners, measures) GMBA is first of the four in {} with the published code and in {} "
        "by the equations, where MLRF is in {}",
        *(len(panels), coded["gmba-code"], first["gmba"], first["mlrf"]),
        given=coded["gmba-code"] > first["gmba"] > first["mlrf"],
    )
    micro = areas("micro-f1").droplevel("measure")
    worse = (micro["mlrf-code"] < micro["random"]).groupby("dataset").all()
    yield quote("is worse than random features on {} of the {} sets", worse.sum(), len(worse), given=worse.sum() > 0)
    ranking = table("gmba-2016/table-ranks-br.csv")
    ranks = ranking.groupby("method")["average_rank"].mean()[["mlrf", "gmba"]]
    yield quote(
        "MLRF ranks with GMBA (average ranks {:.1f} and {:.1f} with binary relevance)",
        *ranks,
        given=abs(ranks.diff().iloc[1]) < ranking["critical_difference"].unique().item(),
    )
    stability = rows("gmba-2016/table-stability.csv", size_percent=20, method="gmba")
    by_set = stability.groupby("dataset")["order_correlation"].mean()
    four, none = by_set[["bibtex", "enron", "genbase", "medical"]], by_set[["emotions", "scene"]]
    drawn = micro[[f"gmba-{order}" for order in range(5)]]
    yield quote(
        "correlate by {:.2f} to {:.2f} on bibtex, enron, genbase and medical. They do not on emotions ({:.2f}) and "
        "scene ({:.2f})",
        *(four.min(), four.max(), *none),
        given=none.abs().max() < 0.1,
    )
    yield quote(
        "of five orders differ by at most {:.3f} in micro-averaged F1", (drawn.max(axis=1) - drawn.min(axis=1)).max()
    )
