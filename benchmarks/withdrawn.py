"""What was wrong with version 1 of the benchmark, each fault with its numbers, and what of its answers is left.

    python benchmarks/withdrawn.py show          # all faults; `show ties`, `show penalty` and so on for one
    python benchmarks/withdrawn.py measure       # small runs on the published data (MLREDUCE_MIRROR): ten minutes
    python benchmarks/withdrawn.py ties          # the predictors whose scores tie, with ties in expectation: hours
    python benchmarks/withdrawn.py page          # update the numbers of docs/benchmark-withdrawn.md

`show` reads the scores of version 1 in results/benchmark, the tables of `measure` in docs/benchmark/withdrawn and the
scores of `ties` in results/benchmark-ties. `measure` and `ties` resume where they were interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from reducebench import ANSWERS, HELD_OUT, SPEED, said
from withdrawn_runs import FOLDER, MEASURE, PENALTIES, PERCENT, SCALINGS, TUNED, Again, OfOneMeasure, measure, run_again

from mlreduce.files import write_text
from mlreduce.methods.evidence import choices, foremost
from mlreduce.metrics import measure_label
from mlreduce.stats.ranking import CONTROLS, FULL, MARGIN, WHOLE, Ranking, one_variant, rank
from mlreduce_studies.benchmark.answers import NOUNS, QUESTIONS, TRAITS, Answer, Evidence
from mlreduce_studies.benchmark.pieces import Pieces
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.benchmark.scores import SETS, summary_of
from mlreduce_studies.gathering.rankings import MAIN, StudyRanking, sized_cells
from mlreduce_studies.tables.layout import fill_block, to_markdown

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT / "docs"))

import update_evidence  # noqa: E402

PAGE = PROJECT / "docs" / "benchmark-withdrawn.md"
_, FEATURES, LABELS, DECIDES, TUNING, ORDERS, POWER = QUESTIONS


def table(name: str) -> pd.DataFrame:
    """Return a table of `measure`."""
    return pd.read_csv(FOLDER / f"{name}.csv", keep_default_na=False)


def lines_of(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table with an empty one at each end."""
    return ["", *to_markdown(header, rows).splitlines(), ""]


def percent(share: float) -> str:
    """Return a share as text."""
    return f"{100 * share:.0f} %"


@cache
def summary(family: str) -> pd.DataFrame:
    """Return the scores of version 1 of a family, means over the folds."""
    protocol = update_evidence.PROTOCOL
    study = next(study for study in protocol.studies().values() if study.family == family)
    measures = [MEASURE, "ranking-loss", "micro-f1", "hamming-loss"]
    return summary_of(Pieces(protocol), study, protocol.candidates, measures)


def on_sets(family: str, method: str, predictor: str, measure: str = MEASURE) -> pd.Series:
    """Return the values of version 1 of a method at full size, by data set."""
    rows = summary(family).query("method == @method and predictor == @predictor and measure == @measure")
    return rows[rows["size_percent"] == FULL].set_index("dataset")["mean"]


@cache
def rankings(family: str) -> dict[str, StudyRanking]:
    """Return the rankings of version 1 of a family by predictor."""
    return {one.predictor: one for one in update_evidence.studied(f"benchmark-{update_evidence.FAMILIES[family]}")}


def averaged(family: str) -> Ranking:
    """Return the ranking over all predictors together, as version 1 had it."""
    names, averages = update_evidence.names_in(f"benchmark-{update_evidence.FAMILIES[family]}")
    cells = sized_cells(summary(family).query("measure == @MEASURE"))
    cells = cells[cells["predictor"].isin(list(rankings(family)))].drop(columns=["protocol", "measure"])
    return rank(one_variant(cells, names, averages), higher_is_better=True)


@cache
def pieces_again(expected: bool) -> Again:
    """Return what was run again, with ties in expectation or as in version 1."""
    return Again(update_evidence.PROTOCOL, expected)


def coders_again(expected: bool) -> pd.DataFrame:
    """Return average precision of coders at full size with three neighbours, on what was run again: sets by methods."""
    protocol = update_evidence.PROTOCOL
    evidence = Evidence(protocol, pieces_again(expected), pd.read_csv(PROJECT / SETS), {})
    cells = evidence.cells("labelspace", MEASURE)
    cells = cells[(cells["predictor"] == "3-nn") & (cells["size"] == FULL)]
    return cells.pivot(index="dataset", columns="method", values="value")


# What was wrong


def show_ties() -> list[str]:
    """Two names of one model, PLST at full size and binary relevance, differ where labels tie."""
    rows = []
    for measure_name in ("micro-f1", "hamming-loss", MEASURE, "ranking-loss"):
        br, plst = (on_sets("labelspace", method, "3-nn", measure_name) for method in ("br", "plst"))
        apart = f"{((br - plst).abs() > MARGIN).sum()} of {len(br)}"
        rows.append([measure_label(measure_name), f"{br.mean():.4f}", f"{plst.mean():.4f}", apart])
    fair, counted = (coders_again(expected)[["br", "plst", "cplst"]] for expected in (True, False))
    means = table("neighbours").groupby("ties")["value"].mean()
    features, majority = (
        on_sets("selection", method, "br-knn").mean() for method in ("all-features", "majority-labels")
    )
    return [
        "Three neighbours give a label one of four scores, so that most labels of a row tie. A tie counted "
        "as an error. "
        "Codes that are decoded never tie. PLST with all its codes *is* binary relevance, yet not by the ranking "
        "measures (version 1, means over the data sets):",
        *lines_of(["with 3-nn", "br", "plst, 100 %", f"more than {MARGIN:g} apart"], rows),
        f"With ties in expectation PLST, CPLST and binary relevance are one model again: of {len(fair)} data sets run "
        f"again the largest difference is {fair.sub(fair['br'], axis=0).abs().max().max():g}.",
        "",
        "What decides between labels that tie brings most of what codes bring. Three neighbours on all labels have an "
        f"average precision of {means['standard']:.3f} where every tie is an error, {means['expected']:.3f} in "
        "expectation, "
        f"and {means['by frequency']:.3f} where the more frequent label is first ({len(table('neighbours')) // 3} data "
        f"sets, first fold). Version 1 had {counted['br'].mean():.3f}: rounding errors decided some ties.",
        "",
        f"Three neighbours on all features (`br-knn`, {features:.3f}) were behind the frequencies of the labels "
        f"(`majority-labels`, {majority:.3f}): what *helped* them began below no prediction at all.",
    ]


def show_scalings() -> list[str]:
    """Ridge regression on all features had two names, one for each of two scalings."""
    br, features = on_sets("labelspace", "br", MAIN), on_sets("selection", "all-features", MAIN)
    apart = (br - features).abs()
    largest = str(apart.idxmax())
    values = table("scalings").query("penalty == 'loo'").groupby(["dataset", "scaling"])["value"].mean().unstack()
    near = (values.sub(values.max(axis=1), axis=0) >= -MARGIN).sum()
    words = dict(zip(SCALINGS, ("as given", "in [0, 1]", "standardised", "rows at unit length"), strict=True))
    rows = [[words[name], f"{values[name].mean():.3f}", f"{near[name]} of {len(values)}"] for name in SCALINGS]
    return [
        "Selectors and projections had features in [0, 1], label coders features as they are. So ridge regression on "
        f"all of them was `br` here and `all-features` there: {br[largest]:.3f} and {features[largest]:.3f} "
        f"on {largest}, "
        f"more than 0.005 apart on {(apart > 0.005).sum()} of {len(apart)} data sets. *A control is first: `br` 0.88, "
        "`all-features` 0.64* compared a model with itself. The scaling moves it as much as a reduction does (all "
        "features, penalty by exact leave-one-out):",
        *lines_of(["features", "mean average precision", f"within {MARGIN:g} of the best scaling"], rows)[:-1],
    ]


def show_penalty() -> list[str]:
    """The penalty by generalised cross-validation is next to nothing on some folds."""
    folds = table("scalings").query("scaling == 'unit'").set_index(["dataset", "fold", "penalty"]).unstack("penalty")
    gain = folds["value"]["loo"] - folds["value"]["gcv"]
    lowest = (folds["edge"]["gcv"] == "lowest").sum()
    rows = [
        [str(name), str(int(fold) + 1)]
        + [f"{row[key][by]:{form}}" for by in PENALTIES for key, form in (("strength", ".1e"), ("value", ".3f"))]
        for (name, fold), row in folds[gain.abs() > 5 * MARGIN].iterrows()
    ]
    by_set = gain.groupby("dataset").mean()
    header = ["data set", "fold", "penalty by GCV", "average precision", "by leave-one-out", "average precision"]
    return [
        "Version 1 chose the penalty of ridge regression by generalised cross-validation. Where rows repeat and "
        f"features are as many as rows its criterion is least without a penalty: on {lowest} of {len(folds)} folds it "
        "took the lowest of its candidates. The library warned at each of these fits; no study read the warning. Where "
        f"average precision with all features differs by more than {5 * MARGIN:g} from that by exact leave-one-out:",
        *lines_of(header, rows),
        f"Leave-one-out is better by more than {MARGIN:g} on {(by_set > MARGIN).sum()} of {len(by_set)} data sets, and "
        f"worse on {(by_set < -MARGIN).sum()}.",
    ]


def show_averages() -> list[str]:
    """Means over predictors say what holds with none of them; the weakest decide."""
    cases = {
        "projection": ("wmlda", "all-features"),
        "selection": ("cmim", "all-features"),
        "labelspace": ("faie", "br"),
    }
    rows, weak = [], []
    for family, methods in cases.items():
        together = averaged(family).table["near"]
        for method in methods:
            near = [f"{name} {one.ranking.table.loc[method, 'near']:.2f}" for name, one in rankings(family).items()]
            rows.append([NOUNS[family], method, f"{together[method]:.2f}", ", ".join(near)])
    for family, method in (("selection", "all-features"), ("labelspace", "br")):
        for predictor, one in rankings(family).items():
            means = one.ranking.by_set["mean"]
            behind = f"{(means[method] < means['majority-labels']).sum()} of {len(means)}"
            weak.append(
                [predictor, method, f"{means[method].mean():.3f}", f"{means['majority-labels'].mean():.3f}", behind]
            )
    best = update_evidence.predictors("benchmark-selectors")[0].ranking.table.loc[MAIN, "near"]
    return [
        "The ranking that was quoted first averaged over predictors. Ridge regression is within "
        f"{MARGIN:g} of the best predictor on {percent(best)} of the data sets. So the others are no predictors "
        f"to choose "
        "here, and they decided:",
        *lines_of(["family", "method", f"within {MARGIN:g} of the best, averaged", "by predictor"], rows),
        "Some predictors are behind the frequencies of the labels (`majority-labels`) on many data sets, and two are "
        "hardly ahead of them on average:",
        *lines_of(
            ["predictor", "nothing reduced", "average precision", "label frequencies", "data sets behind them"], weak
        )[:-1],
    ]


def show_defaults() -> list[str]:
    """What was recommended with searched parameters is another method with its defaults."""
    values = table("defaults")
    loo, gcv = (
        values[values["penalty"] == name].pivot(index="dataset", columns="method", values="value")
        for name in ("loo", "gcv")
    )
    frequencies = values[values["method"] == "majority-labels"].set_index("dataset")["value"]
    features = (
        table("scalings").query("scaling == 'unit' and fold == 0 and penalty == 'loo'").set_index("dataset")["value"]
    )
    tuned, rows = tuned_first_fold(), []
    for method in TUNED:
        others = (loo["random-projection"], frequencies, features)
        behind = [f"{loo[method].lt(other).sum()} of {len(loo)}" for other in others]
        gain = (tuned[method] - gcv[method]).mean()
        rows.append([method, f"{loo[method].mean():.3f}", *behind, f"{gain:+.3f}"])
    counts = []
    for family, noun in NOUNS.items():
        methods = [one for one in foremost(family) if one.method not in CONTROLS]
        counts.append(f"{sum(one.searched for one in methods)} of {len(methods)} {noun}s")
    header = ["projection, defaults", "mean", "behind a random projection", "behind label frequencies"]
    header += ["behind all features", "searching brought (GCV)"]
    return [
        f"*Each method tuned* held for {', '.join(counts)}, controls and variants not counted. The others had their "
        "defaults. `recommend` named searched methods to people who get defaults. With defaults, "
        f"{PERCENT} % of the features, features in [0, 1] and ridge regression by exact leave-one-out, "
        f"average precision "
        f"on the first fold of {len(loo)} data sets (a random projection {loo['random-projection'].mean():.3f}, label "
        f"frequencies {frequencies.mean():.3f}, all features {features.mean():.3f}):",
        *lines_of(header, rows),
        "The last column is version 1's searched score less the score of the defaults, both with the penalty "
        "of version "
        "1. Of tuning version 1 had this answer: +0.006, undecided, from eight small data sets.",
    ]


@cache
def tuned_first_fold() -> pd.DataFrame:
    """Return average precision of the searched projections in version 1 on the first fold, with ridge regression."""
    protocol, labels = update_evidence.PROTOCOL, {"wmlda-entropy": "wmlda"}
    pieces = Pieces(protocol)
    tables = [
        pieces.read(piece)
        for piece in pieces.listed()
        if (piece.study, piece.candidates) == ("benchmark-projections", protocol.candidates)
    ]
    cells = pd.concat(tables).query("fold == 0 and predictor == @MAIN and measure == @MEASURE and percent == @PERCENT")
    cells = cells.assign(method=cells["method"].astype(str).replace(labels), value=cells["value"].astype(float))
    return cells.pivot(index="dataset", columns="method", values="value")[list(TUNED)]


def show_words() -> list[str]:
    """Words that claimed more than their numbers."""
    before = {question: by["average precision"]["numbers"] for question, by in answers_before().items()}
    power = before[POWER]["label coder"]["power"]
    speed = pd.read_csv(SPEED).pivot_table(index=["predictor", "dataset"], columns="codes", values="seconds")
    ratios = speed.drop(columns=0).div(speed[0], axis=0)
    cells, slow = ratios.stack(), ratios.xs("delicious", level="dataset").stack()
    projections = summary("projection").query("measure == @MEASURE and method in ['pls', 'mddmp']")
    keys = ["dataset", "predictor", "size_percent", "number"]
    pair = projections.pivot_table(index=keys, columns="method", values="mean")
    coders = summary("labelspace").query("measure == @MEASURE and predictor == @MAIN and size_percent > 0")
    sizes = coders[(coders["method"] == "plst") & coders["size_percent"].isin([2, 5, 10, 20])]
    same = sizes.groupby("dataset")["size"].agg(lambda codes: codes.value_counts().max())
    both = coders.pivot_table(index=["dataset", "size_percent"], columns="method", values="mean")
    equal = (both["plst"] - both["cplst"]).abs().groupby("dataset").max() < 5e-6
    return [
        "- *The order of a paper survives* was the word for any correlation above zero. Kendall's tau "
        "with the probability "
        f"of one as large by chance (two-sided, exact): {taus(before[ORDERS])}.",
        "- *Reduction pays in speed*: fit and prediction with codes are more than 5 % quicker in "
        f"{percent((cells < 0.95).mean())} of the cells and more than 5 % slower in {percent((cells > 1.05).mean())}; "
        f"on "
        f"delicious they take {slow.min():.1f} to {slow.max():.1f} times as long.",
        f"- *Power* falls with more data: {power['40']:.2f} with 40 data sets, {power['60']:.2f} with 60. A median "
        f"over "
        "pairs of neighbours in rank is not the power of a comparison.",
        f"- *Pairs*: `pls` and `mddmp`, which are one method (largest difference in {len(pair):,} cells: "
        f"{(pair['pls'] - pair['mddmp']).abs().max():g}), were counted as two, and as a pair.",
        "- *Over all numbers of codes* was 2, 5, 10 and 20 % of the labels, since one coder has no larger size: 50 % "
        "was "
        f"run and dropped. On {(same >= 2).sum()} data sets two of these four or more are the same number of codes, on "
        f"{(same == 4).sum()} all four.",
        "- *`faie` before `cplst`*: the ridge of one was searched, the other has none. Where features are as many "
        "as rows "
        f"CPLST has no error to learn from, and is PLST: on {equal.sum()} data sets all their scores are the same.",
        "- *Kernel CPLST* was in no comparison.",
    ]


@cache
def answers_before() -> dict[str, Any]:
    """Return the answers of version 1."""
    return json.loads(ANSWERS.read_text(encoding="utf-8"))


def taus(orders: dict[str, dict[str, Any]]) -> str:
    """Return the correlations of the orders of papers as text."""
    return "; ".join(
        f"{name.partition(',')[0]} {one['tau']:+.2f} of {one['methods']} methods, "
        f"p {by_chance(one['tau'], one['methods']):.2f}"
        for name, one in orders.items()
    )


def by_chance(tau: float, number: int) -> float:
    """Return the two-sided probability that Kendall's tau of orders at random is as far from 0, without ties."""
    counts = np.ones(1)  # orders by their number of inversions
    for size in range(2, number + 1):
        counts = np.convolve(counts, np.ones(size))
    of = np.abs(1 - 2 * np.arange(len(counts)) / (len(counts) - 1))
    return float(counts[of >= abs(tau) - 1e-9].sum() / counts.sum())


def show_repeats() -> list[str]:
    """Test rows repeat the features of training rows."""
    shares = table("repeats").set_index("dataset")["repeated"].sort_values(ascending=False)
    named = ", ".join(f"{name} {percent(share)}" for name, share in shares[shares >= 0.05].items())
    return [
        f"Test rows that have the features of a training row, on the first fold: {named}; on {(shares == 0).sum()} of "
        f"{len(shares)} data sets none. No page had these numbers."
    ]


# What is left of the answers


class ByRidge(Evidence):
    """The scores with ridge regression alone."""

    def _cells(self, *place: Any, **how: Any) -> pd.DataFrame:
        cells = super()._cells(*place, **how)
        return cells[cells["predictor"] == MAIN]


class ByFrequency(Evidence):
    """The scores of what was run again, frequencies deciding between labels that tie for three neighbours on all."""

    def _cells(self, *place: Any, **how: Any) -> pd.DataFrame:
        cells = super()._cells(*place, **how)
        decided = table("neighbours").query("ties == 'by frequency'").set_index("dataset")["value"]
        tied = (cells["method"] == "br") & (cells["predictor"] == "3-nn")
        return cells.assign(value=cells["value"].mask(tied, cells["dataset"].map(decided)))


@cache
def answered(kind: str) -> dict[str, Answer]:
    """Return the answers that the procedure of version 1 gives by average precision, from other scores.

    Parameters
    ----------
    kind : {"ridge", "standard", "expected", "by frequency"}
        With ridge regression alone. Or with all predictors on what was run again: ties as in version 1, in expectation,
        or as of `ByFrequency`.
    """
    protocol, sets = update_evidence.PROTOCOL, pd.read_csv(PROJECT / SETS)
    if kind == "ridge":
        evidence: Evidence = ByRidge(protocol, OfOneMeasure(protocol), sets, update_evidence.orders())
        questions = [FEATURES, LABELS, DECIDES, ORDERS, POWER]
    else:
        form = ByFrequency if kind == "by frequency" else Evidence
        evidence = form(protocol, pieces_again(kind != "standard"), sets, {})
        questions = [FEATURES, LABELS]
    return {question: QUESTIONS[question](evidence, MEASURE) for question in questions}


def settings(kind: str, question: str, *parts: str) -> list[tuple[float, str]]:
    """Return mean and word of the settings of an answer whose names have these parts."""
    numbers = answered(kind)[question].numbers
    places = [place for place in numbers["words"] if set(parts) <= set(place.split(", "))]
    return [(numbers["means"][place], numbers["words"][place]) for place in places]


def spread(cells: Sequence[tuple[float, str]]) -> str:
    """Return the least and the largest mean of settings, and how many have each word."""
    means, words = [mean for mean, _ in cells], Counter(word for _, word in cells)
    counted = ", ".join(f"{word} {number}" for word, number in words.items())
    return f"{min(means):+.3f} to {max(means):+.3f} (of {len(cells)} settings {counted})"


def helped(cells: Sequence[tuple[float, str]]) -> int:
    """Return in how many settings a reduction helps."""
    return sum(word == "helps" for _, word in cells)


def show_answers() -> list[str]:
    """What still holds of the answers of version 1."""
    rows = [
        [question, before, now, f"**{verdict}**"]
        for question, before, now, verdict in (
            *with_ridge(),
            *with_neighbours(),
            *with_others(),
            *about_data(),
            *about_advice(),
        )
    ]
    return lines_of(["question", "version 1", "recomputed", "what is left"], rows)[1:-1]


Row = tuple[str, str, str, str]


def left(word: str, *, given: bool) -> str:
    """Return what is left of an answer, or refuse a word that the scores do not show."""
    if not given:
        raise ValueError(f"the scores no longer show that an answer {word}")
    return word


def with_ridge() -> list[Row]:
    """Return what is left of the answers on ridge regression, whose scores do not tie."""
    firsts = {noun: choices(family).first for family, noun in NOUNS.items()}
    near = ", ".join(f"{first.near:.2f} among {noun}s" for noun, first in firsts.items())
    selectors, projections = (settings("ridge", FEATURES, noun) for noun in ("selector", "projection"))
    codes = settings("ridge", LABELS)
    return [
        (
            "Which family is first?",
            "a control, in all resamples: br 0.88, all-features 0.64",
            f"nothing reduced is first in each family: {near}",
            left(
                "holds with ridge regression, for one control",
                given=all(first.method in WHOLE for first in firsts.values()),
            ),
        ),
        (
            "Do fewer features help ridge regression?",
            "no; selectors cost",
            f"selectors {spread(selectors)}; projections {spread(projections)}",
            left("holds", given=helped(selectors) == helped(projections) == 0),
        ),
        (
            "Do codes help ridge regression?",
            "no; 8 codes cost",
            spread(codes),
            left("holds", given=helped(codes) == 0),
        ),
    ]


def with_neighbours() -> list[Row]:
    """Return what is left of the answers on three neighbours, on what was run again."""
    sets = Counter(piece.study.removeprefix("benchmark-") for piece in pieces_again(expected=True).listed())
    before, expected, decided = (settings(kind, LABELS, "3-nn") for kind in ("standard", "expected", "by frequency"))
    few = left(
        "falls: most of it is the order among ties",
        given=helped(decided) < helped(expected) and max(decided) < max(expected),
    )
    rows = [
        (
            "Do codes help three neighbours?",
            f"yes; on the first fold of {sets['coders']} data sets {spread(before)}",
            f"ties in expectation: {spread(expected)}; against neighbours whose ties label frequencies "
            f"decide: {spread(decided)}",
            few,
        )
    ]
    for family, noun in (("selectors", "selector"), ("projections", "projection")):
        if sets[family] > 2:
            before, expected = (settings(kind, FEATURES, noun, "br-knn") for kind in ("standard", "expected"))
            change = helped(expected) - helped(before)
            same = "holds for this predictor" if helped(before) else "open: too few data sets run again"
            word = same if not change else "weaker" if change < 0 else "stronger"
            again = f"first fold of {sets[family]} data sets"
            rows.append(
                (
                    f"Do {family} help three neighbours?",
                    f"{again}: {spread(before)}",
                    f"ties in expectation: {spread(expected)}",
                    word,
                )
            )
    return rows


def with_others() -> list[Row]:
    """Return what is left of the answers on predictors whose scores hardly tie, and are behind ridge regression."""
    rows, ridge = [], on_sets("projection", "all-features", MAIN).mean()
    for predictor in ("ml-knn", "linear-discriminant"):
        means = rankings("projection")[predictor].ranking.table["mean"]
        best = means.drop([name for name in CONTROLS if name in means]).max()
        rows.append(
            (
                f"Do projections help {predictor}?",
                "yes, at each size",
                f"from {means['all-features']:.3f} to {best:.3f} at most, searched; ridge regression on all features "
                f"has {ridge:.3f}",
                left("weaker: behind ridge regression", given=best < ridge),
            )
        )
    return rows


def about_data() -> list[Row]:
    """Return what is left of the answers on data sets, tuning and the orders of papers, with ridge regression alone."""
    before = answers_before()[DECIDES]["average precision"]["numbers"]
    sure = [
        {
            (noun, trait, value[0] > 0)
            for noun, of in numbers.items()
            for trait, value in of.items()
            if value[1] > 0 or value[2] < 0
        }
        for numbers in (before, answered("ridge")[DECIDES].numbers)
    ]
    common = sorted(sure[0] & sure[1])
    named = "; ".join(
        f"a {noun} brings {'more' if more else 'less'} with more {TRAITS[trait]}" for noun, trait, more in common
    )
    defaults = table("defaults").query("penalty == 'gcv'").pivot(index="dataset", columns="method", values="value")
    gains = (tuned_first_fold() - defaults)[list(TUNED)].mean()
    orders = answered("ridge")[ORDERS].numbers
    clear = [name.partition(",")[0] for name, one in orders.items() if by_chance(one["tau"], one["methods"]) < 0.05]
    power = answered("ridge")[POWER].numbers["label coder"]["power"]
    return [
        (
            "Which characteristics of the data decide?",
            f"{len(sure[0])} correlations, over all predictors",
            f"{len(sure[1])} with ridge regression, of which the same: {named}",
            left("weaker", given=0 < len(common) < len(sure[0])),
        ),
        (
            "How much does tuning matter?",
            "+0.006 for projections, undecided, on 8 data sets",
            f"{gains.min():+.3f} ({gains.idxmin()}) to {gains.max():+.3f} ({gains.idxmax()}) "
            f"on {len(defaults)} data sets",
            left("falls", given=gains.max() > 2 * MARGIN),
        ),
        (
            "Which paper's ranking survives?",
            "six, and one is reversed",
            taus(orders),
            left(f"weaker: {', '.join(clear)}", given=0 < len(clear) < 6),
        ),
        (
            "How many data sets does a comparison need?",
            "10, 80 or 400",
            f"the power falls from {power[40]:.2f} to {power[60]:.2f} with more data sets of coders",
            left("falls", given=power[60] < power[40]),
        ),
    ]


def about_advice() -> list[Row]:
    """Return what is left of the advice on a data set left out, with ridge regression alone."""
    advice = pd.read_csv(HELD_OUT).query("controls == 'left out'").set_index("study")
    studies = {noun: advice.loc[f"benchmark-{update_evidence.FAMILIES[family]}"] for family, noun in NOUNS.items()}
    named = "; ".join(
        f"{noun}s {row['fixed']:.2f} (any three {row['random']:.2f}, nothing reduced {row['unreduced']:.2f})"
        for noun, row in studies.items()
    )
    nothing = sum(row["unreduced"] >= row["fixed"] for row in studies.values())
    return [
        (
            f"Do the first three contain one within {MARGIN:g} of the best?",
            "selectors 0.78, projections 0.97, label coders 0.97, over all predictors",
            f"with ridge regression, searched: {named}",
            left("weaker: nothing reduced does as well for two of three families", given=nothing == 2),
        )
    ]


SHOWN: dict[str, Callable[[], list[str]]] = {
    "ties": show_ties,
    "scalings": show_scalings,
    "penalty": show_penalty,
    "averages": show_averages,
    "defaults": show_defaults,
    "words": show_words,
    "repeats": show_repeats,
    "answers": show_answers,
}


def page_of(text: str) -> str:
    """Return the page with its numbers written anew, and what version 1 printed."""
    for name, show in SHOWN.items():
        text = fill_block(text, name, show())
    return fill_block(text, "version 1", said(update_evidence.PROTOCOL))


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("show", "measure", "ties", "page"))
    parser.add_argument("names", nargs="*", help=f"of faults ({', '.join(SHOWN)}) or of data sets (default: all)")
    given = parser.parse_args(arguments)
    if given.step == "show":
        unknown = [name for name in given.names if name not in SHOWN]
        if unknown:
            parser.error(f"no fault {unknown[0]}; these are: {', '.join(SHOWN)}")
        for name in given.names or SHOWN:
            print("\n".join([f"## {name}", "", *SHOWN[name](), ""]))
    elif given.step == "page":
        write_text(PAGE, page_of(PAGE.read_text(encoding="utf-8")))
    else:
        ties, run = ("standard", measure) if given.step == "measure" else ("expected", run_again)
        protocol = Protocol(PROJECT, os.environ.get("MLREDUCE_MIRROR"), ties)
        run(protocol, protocol.check_datasets(given.names) or protocol.datasets)


if __name__ == "__main__":
    main()
