"""What the benchmark says: questions, each answered by numbers with intervals, p values, and words that follow.

Groups of related data sets are the unit: what is resampled, left out and counted. Whatever is chosen among methods is
chosen on the other groups, so that the best of many is not judged by the luck that made it the best. No number is a
mean over predictors, nor over defaults and tuned methods.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.stats.ranking import CONTROLS, MARGIN, rank
from mlreduce.stats.ranks import DECIMALS
from mlreduce.stats.tendency import signed_rank
from mlreduce.validation import FloatArray
from mlreduce_studies.benchmark.scores import CHOSEN, Scores, names_in

__all__ = ["QUESTIONS", "Answer", "Effect", "Evidence", "answers"]

#: Families of the studies, in words.
NOUNS = {"selection": "selector", "projection": "projection", "labelspace": "label coder"}
#: What the families leave.
KINDS = {"selection": "features", "projection": "directions", "labelspace": "codes"}
#: What reduces nothing, by family.
WHOLE = {"selection": "all-features", "projection": "all-features", "labelspace": "br"}
#: Predictors in words.
PREDICTORS = {
    "ridge": "ridge regression",
    "ml-knn": "ML-kNN",
    "k-nn": "nearest neighbours",
    CHOSEN: "the predictor chosen on training rows",
}
#: What is known of a data set before anything is fitted, in words: columns of comparisons/benchmark-sets.csv.
TRAITS = {
    "instances": "instances",
    "features": "features",
    "labels": "labels",
    "zeros": "zeros among the features",
    "cardinality": "labels per instance",
    "density": "labels per instance over labels",
    "mean_imbalance": "rareness of labels (MeanIR)",
}
#: Numbers of features and codes whose effect is shown.
SIZES = (2, 4, 8, 16, 32, 64, 128)
#: Numbers of labels up to which data sets are in one row.
LABELS = (25, 100, math.inf)
#: What is measured of a fit and a prediction: columns of `Evidence.speed`.
MEASURED = ("seconds", "predict", "megabytes")
#: Shares of seconds up to which two are the same.
CLOSE = 0.05
#: Fewest groups of data sets of which a number is shown.
FEWEST = 5
#: A statement is made where its probability is at least this; a power that suffices; and draws of data sets.
SURE, POWER, _RESAMPLES, _SEED = 0.95, 0.8, 2000, 44
#: Draws of weights of a signed-rank test.
SAMPLES = 20_000
#: Numbers of data sets of which the power is computed.
NUMBERS = (5, 10, 15, 20, 30, 40, 60, 80, 120, 200, 400)


@dataclass(frozen=True)
class Answer:
    """An answer to one of `QUESTIONS` by one measure."""

    #: Markdown.
    sentences: list[str]
    #: What the sentences are made of, and more.
    numbers: dict[str, Any] = field(default_factory=dict)
    #: Header and rows.
    table: tuple[list[str], list[list[str]]] | None = None


class Effect(NamedTuple):
    """A mean difference over groups of data sets."""

    #: Larger is better, with the ends of Student's interval of 95 %.
    mean: float
    low: float
    high: float
    #: Of Wilcoxon's signed-rank test, two-sided; 1 where all differences are 0.
    p: float
    #: By the Bayesian signed-rank test with the margin: "helps", "costs", "changes nothing" or "undecided".
    word: str
    groups: int

    @classmethod
    def of(cls, differences: pd.Series) -> Effect:
        """Return the effect that differences of groups have."""
        values = np.asarray(differences, dtype=np.float64).round(DECIMALS)
        mean, low, high = mean_interval(values)
        p = float(stats.wilcoxon(values).pvalue) if values.any() else 1.0
        return cls(mean, low, high, p, verdict(values), len(values))

    def __str__(self) -> str:
        """Return the effect as text."""
        return f"{self.mean:+.3f} ({self.low:+.3f} to {self.high:+.3f}; p {self.p:.2g})"


class Evidence:
    """The scores of the benchmark, as the answers read them.

    ``sets`` has a row per data set, with ``dataset`` and `TRAITS`; ``groups`` related data sets to their group, where
    others are a group each; ``orders`` papers to the family of their methods and the average rank of each there.
    ``speed`` has ``dataset``, ``family``, ``method``, ``predictor``, ``size`` (0: nothing reduced), ``seconds`` of fit
    and of prediction together, ``predict`` (those of a prediction) and ``megabytes`` of the fitted model.
    """

    def __init__(
        self,
        scores: Scores,
        sets: pd.DataFrame,
        groups: Mapping[str, str],
        orders: Mapping[str, tuple[str, Mapping[str, float]]],
        speed: pd.DataFrame | None = None,
    ) -> None:
        self.scores, self.groups, self.orders, self.speed = scores, groups, orders, speed
        self.traits = sets.set_index("dataset")[list(TRAITS)]
        self._cells: dict[tuple[str, str, bool], pd.DataFrame] = {}

    def cells(self, family: str, measure: str, *, tuned: bool = False) -> pd.DataFrame:
        """Return the values by data set, method, predictor and size, one variant per method; larger is better.

        Where nothing is reduced the size is 0.
        """
        place = (family, measure, tuned)
        if place not in self._cells:
            cells = self.scores.cells(family, measure, tuned=tuned)
            self._cells[place] = cells.assign(value=cells["value"] * (1 if higher_is_better(measure) else -1))
        return self._cells[place]

    def predictors(self, family: str, measure: str) -> list[str]:
        """Return the predictors: ridge regression, the others, then what is chosen among them."""
        there = set(self.cells(family, measure)["predictor"])
        return [name for name in PREDICTORS if name in there]

    def of_groups(self, values: pd.Series) -> pd.Series:
        """Return the means of data sets over their groups."""
        return values.groupby([self.groups.get(str(name), str(name)) for name in values.index]).mean()

    def gains(self, family: str, measure: str, predictor: str, *, tuned: bool = False) -> pd.DataFrame:
        """Return how much better each method is than no reduction: data sets and sizes by methods, controls left out.

        What failed is as good as the last of its setting.
        """
        cells = self.cells(family, measure, tuned=tuned)
        cells = cells[cells["predictor"] == predictor]
        base = cells[(cells["method"] == WHOLE[family])].set_index("dataset")["value"]
        reduced = cells[~cells["method"].isin(CONTROLS)]
        table = reduced.pivot(index=["dataset", "size"], columns="method", values="value")
        table = table.sub(base.reindex(table.index.get_level_values("dataset")).to_numpy(), axis=0)
        table = table.dropna(how="all").dropna(axis=1, how="all")
        return table.T.fillna(table.min(axis=1)).T

    def chosen(self, family: str, measure: str, predictor: str, *, tuned: bool = False) -> dict[float, pd.Series]:
        """Return by size, for each data set, the gain of the method that is best, on average, on the other groups."""
        gains = self.gains(family, measure, predictor, tuned=tuned)
        parts: dict[float, Any] = {
            float(size): gains.xs(size, level="size") for size in gains.index.get_level_values("size").unique()
        }
        return {
            size: chosen_elsewhere(part, self.groups)
            for size, part in sorted(parts.items())
            if len(self.of_groups(part.iloc[:, 0])) >= FEWEST
        }


def chosen_elsewhere(table: pd.DataFrame, groups: Mapping[str, str]) -> pd.Series:
    """Return the value on each data set (row) of the method (column) with the largest mean on the other groups."""
    of_set = [groups.get(str(name), str(name)) for name in table.index]
    means = table.groupby(of_set).mean()
    others = (means.sum() - means).round(DECIMALS)
    chosen = others.idxmax(axis=1)
    values = [table.loc[name, chosen[group]] for name, group in zip(table.index, of_set, strict=True)]
    return pd.Series(values, table.index)


def verdict(differences: FloatArray) -> str:
    """Say what a reduction does, by the Bayesian signed-rank test: "helps", "costs", "changes nothing"."""
    regions = signed_rank(np.asarray(differences, dtype=np.float64), MARGIN, SAMPLES)
    probabilities = {"helps": regions.above, "changes nothing": regions.within, "costs": regions.below}
    return next((word for word, probability in probabilities.items() if probability >= SURE), "undecided")


def mean_interval(values: Sequence[float] | FloatArray) -> tuple[float, float, float]:
    """Return the mean, and the ends of Student's interval of 95 %."""
    sample = np.asarray(values, dtype=np.float64)
    if len(sample) < 2:
        return float(sample.mean()), -math.inf, math.inf
    half = float(stats.t.ppf(0.975, len(sample) - 1) * sample.std(ddof=1) / math.sqrt(len(sample)))
    return float(sample.mean()), float(sample.mean()) - half, float(sample.mean()) + half


# Does reduction help, where, by how much


def features(evidence: Evidence, measure: str) -> Answer:
    """Compare fewer features with all of them, by predictor and number of features."""
    found = {
        (family, predictor, size): Effect.of(evidence.of_groups(values))
        for family in ("selection", "projection")
        for predictor in evidence.predictors(family, measure)
        for size, values in evidence.chosen(family, measure, predictor).items()
        if size in SIZES
    }
    sentences = [
        _helps(found, predictor, {"selection": "selected features", "projection": "directions of a projection"})
        for predictor in PREDICTORS
        if any(place[1] == predictor for place in found)
    ]
    rows = _rows(found, lambda place: [NOUNS[place[0]], PREDICTORS[place[1]]])
    header = ["reduced by", "predictor", *(f"{size:g}" for size in _sizes(found))]
    return Answer(sentences, {"effects": _keyed(found)}, (header, rows))


def labels(evidence: Evidence, measure: str) -> Answer:
    """Compare codes with binary relevance, by predictor and the numbers of codes and labels."""
    found: dict[tuple[str, str, float], Effect] = {}
    everywhere: dict[tuple[str, str, float], Effect] = {}
    for predictor in evidence.predictors("labelspace", measure):
        for size, values in evidence.chosen("labelspace", measure, predictor).items():
            everywhere["labelspace", predictor, size] = Effect.of(evidence.of_groups(values))
            for low, high in pairwise((0.0, *LABELS)):
                number = evidence.traits.loc[values.index, "labels"]
                part = evidence.of_groups(values[(number > low) & (number <= high)])
                if len(part) >= FEWEST:
                    found[_labels(low, high), predictor, size] = Effect.of(part)
    sentences = [
        _helps(everywhere, predictor, {"labelspace": "codes in place of the labels"})
        for predictor in PREDICTORS
        if any(place[1] == predictor for place in everywhere)
    ]
    rows = _rows(found, lambda place: [place[0], PREDICTORS[place[1]]])
    header = ["data sets", "predictor", *(f"{size:g} codes" for size in _sizes(found))]
    return Answer(sentences, {"effects": _keyed(everywhere), "by labels": _keyed(found)}, (header, rows))


def _labels(low: float, high: float) -> str:
    if not low:
        return f"up to {high:g} labels"
    return f"above {low:g} labels" if high == math.inf else f"{low + 1:g} to {high:g} labels"


def _helps(found: Mapping[tuple[str, str, float], Effect], predictor: str, kinds: Mapping[str, str]) -> str:
    """Return whether a reduction helps a predictor at its best number."""
    parts = []
    for kind, text in kinds.items():
        effects = {size: effect for (of, name, size), effect in found.items() if (of, name) == (kind, predictor)}
        if not effects:
            continue
        best = max(effects, key=lambda size: effects[size].mean)
        parts.append(f"the best number of {text} is {best:g}: {effects[best]}, {effects[best].word}")
    sentences = ". ".join(part if place == 0 else part.capitalize() for place, part in enumerate(parts))
    return f"With {PREDICTORS[predictor]}, {sentences}."


def _rows(found: Mapping[Any, Effect], head: Any) -> list[list[str]]:
    places = dict.fromkeys(place[:2] for place in found)
    return [
        [*head(place)]
        + [
            f"{found[(*place, size)].mean:+.3f} {found[(*place, size)].word}" if (*place, size) in found else ""
            for size in _sizes(found)
        ]
        for place in places
    ]


def _sizes(found: Mapping[Any, Effect]) -> list[float]:
    return sorted({place[-1] for place in found})


# What it costs or saves


def costs(evidence: Evidence, measure: str) -> Answer:
    """Compare seconds and memory with those of the same predictor where nothing is reduced: medians over data sets."""
    if evidence.speed is None:
        return Answer(["Not measured yet."])
    rows, numbers, sentences = [], {}, []
    place, keys, parts = ["dataset", "family", "predictor"], ["family", "predictor", "method", "size"], [*MEASURED]
    is_base = evidence.speed["size"] == 0
    base, reduced = (part.set_index(place) for part in (evidence.speed[is_base], evidence.speed[~is_base]))
    ratios = reduced[parts] / base.reindex(reduced.index)[parts]
    ratios[["method", "size"]] = reduced[["method", "size"]]
    by_setting = ratios.reset_index().groupby(keys, sort=False)
    medians = by_setting[parts].median()
    less, more = (by_setting["seconds"].agg(share) for share in (_quicker, _slower))
    setting: Any
    for setting, ratio in medians.iterrows():
        family, predictor, method, size = setting
        known = {**ratio.to_dict(), "quicker": float(less[setting]), "slower": float(more[setting])}
        numbers[f"{NOUNS[family]}, {predictor}, {method}, {size}"] = known
        shares = [f"{100 * known[name]:.0f} %" for name in ("quicker", "slower")]
        rows.append([NOUNS[family], PREDICTORS[predictor], method, f"{size:g}"])
        rows[-1] += [*(f"{value:.2g}" for value in ratio), *shares]
    for predictor in dict.fromkeys(medians.index.get_level_values("predictor")):
        part = medians.xs(predictor, level="predictor")
        spans = [f"{part[name].min():.2g} to {part[name].max():.2g} times" for name in parts]
        sentences.append(
            f"With {PREDICTORS[predictor]} fit and prediction take {spans[0]} as long as without reduction. "
            f"A prediction alone takes {spans[1]} as long, and the model has {spans[2]} the size."
        )
    header = ["reduced by", "predictor", "method", "number", "seconds", "of a prediction", "size of the model"]
    return Answer(sentences, numbers, ([*header, "more than 5 % quicker", "slower"], rows))


def _quicker(ratios: pd.Series) -> float:
    return float((ratios < 1 - CLOSE).mean())


def _slower(ratios: pd.Series) -> float:
    return float((ratios > 1 + CLOSE).mean())


# Which characteristics decide


def characteristics(evidence: Evidence, measure: str) -> Answer:
    """Correlate by ranks what reduction brings with what is known of a data set beforehand."""
    sentences, numbers, rows = [], {}, []
    level = 1 - (1 - SURE) / len(TRAITS)
    for family, noun in NOUNS.items():
        for predictor in evidence.predictors(family, measure):
            chosen = evidence.chosen(family, measure, predictor)
            gains = pd.DataFrame({size: values for size, values in chosen.items() if size in SIZES}).mean(axis=1)
            if len(gains) < FEWEST:
                continue
            traits = evidence.traits.loc[gains.index]
            correlations = {name: rank_interval(gains.to_numpy(), traits[name].to_numpy(), level) for name in TRAITS}
            numbers[f"{noun}, {predictor}"] = {name: list(values) for name, values in correlations.items()}
            for word, sign in (("more", 1), ("less", -1)):
                sure = {
                    TRAITS[name]: rho
                    for name, (rho, *ends) in correlations.items()
                    if min(sign * end for end in ends) > 0
                }
                if sure:
                    named = ", ".join(f"{trait} ({rho:+.2f})" for trait, rho in sure.items())
                    sentences.append(f"A {noun} brings {word} for {PREDICTORS[predictor]} with more {named}.")
            rows.append([noun, PREDICTORS[predictor], *(f"{values[0]:+.2f}" for values in correlations.values())])
    if not sentences:
        sentences = ["Nothing measured decides what a reduction brings."]
    sentences.append(f"These are rank correlations with intervals without 0, {len(TRAITS)} of them together at 95 %.")
    return Answer(sentences, numbers, (["reduced by", "predictor", *TRAITS.values()], rows))


def rank_interval(first: FloatArray, second: FloatArray, level: float) -> tuple[float, float, float]:
    """Return Spearman's correlation, and the ends of its bootstrap interval over data sets."""

    def correlation(one: FloatArray, two: FloatArray) -> FloatArray:
        ranks = [stats.rankdata(part, axis=-1) for part in (one, two)]
        parts = [part - part.mean(axis=-1, keepdims=True) for part in ranks]
        scale = np.sqrt(np.prod([(part**2).sum(axis=-1) for part in parts], axis=0))
        return np.asarray(
            np.divide((parts[0] * parts[1]).sum(axis=-1), scale, out=np.zeros_like(scale), where=scale > 0)
        )

    rows = np.random.default_rng(_SEED).integers(len(first), size=(_RESAMPLES, len(first)))
    drawn = correlation(first[rows], second[rows])
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(correlation(first[None], second[None])[0]), float(low), float(high)


# Defaults against tuned


def tuning(evidence: Evidence, measure: str) -> Answer:
    """Compare the methods that have parameters, tuned for the predictor and the measure, with their defaults."""
    sentences, numbers, rows = list[str](), {}, []
    for family, noun in NOUNS.items():
        study = evidence.scores.studies[family]
        names, _ = names_in(study)
        searched = {names[label] for group in study.groups.values() if group.search for label in group.methods}
        for predictor in evidence.predictors(family, measure):
            both = [_by_method(evidence, family, measure, predictor, tuned=tuned) for tuned in (False, True)]
            shared = both[0].index.intersection(both[1].index)
            methods = sorted(searched & {*both[0].columns} & {*both[1].columns})
            if not len(shared) or not methods:
                continue
            before, after = (part.loc[shared, methods] for part in both)
            gains = after.sub(before).groupby("dataset").mean()
            by_group = evidence.of_groups(gains.mean(axis=1))
            if len(by_group) < FEWEST:
                continue
            effect = Effect.of(by_group)
            numbers[f"{noun}, {predictor}"] = effect._asdict()
            most = gains.mean().sort_values(ascending=False, kind="stable")
            ends = [
                f"{name} {value:+.3f}" for name, value in dict([*most.head(3).items(), *most.tail(1).items()]).items()
            ]
            rows.append([noun, PREDICTORS[predictor], str(len(methods)), str(effect), effect.word, ", ".join(ends)])
            if not any(row[0] == noun for row in rows[:-1]):  # with the first predictor
                sets = len(evidence.scores.datasets(family, tuned=True))
                begun = f"On {sets}, it brings" if sentences else f"On {sets} data sets, tuning brings"
                with_predictor = "" if sentences else f" with {PREDICTORS[predictor]}"
                sentences.append(f"{begun} {noun}s{with_predictor} {effect}, {effect.word}.")
    if not rows:
        return Answer(["Tuned methods are not run yet on enough data sets."])
    header = ["reduced by", "predictor", "methods with parameters", "tuning brings", "word", "most, and least"]
    return Answer(sentences, numbers, (header, rows))


def _by_method(evidence: Evidence, family: str, measure: str, predictor: str, *, tuned: bool) -> pd.DataFrame:
    cells = evidence.cells(family, measure, tuned=tuned)
    cells = cells[(cells["predictor"] == predictor) & (cells["size"] > 0)]
    return cells.pivot(index=["dataset", "size"], columns="method", values="value")


# How many features, how many codes


def sizes(evidence: Evidence, measure: str) -> Answer:
    """Count from which number on the method chosen elsewhere is as good as with the most."""
    numbers, rows = {}, []
    enough_for: dict[str, list[str]] = {}
    for family, noun in NOUNS.items():
        for predictor in evidence.predictors(family, measure):
            chosen = evidence.chosen(family, measure, predictor)
            table = pd.DataFrame({size: values for size, values in chosen.items() if size in SIZES})
            if len(table) < FEWEST:
                continue
            behind = table.sub(table.max(axis=1), axis=0).round(DECIMALS)
            enough = (behind >= -MARGIN).T.idxmax()
            shares = {float(size): float((enough <= size).mean()) for size in chosen if size in SIZES}
            numbers[f"{noun}, {predictor}"] = shares
            rows.append([noun, PREDICTORS[predictor], *(f"{100 * share:.0f} %" for share in shares.values())])
            half = next(size for size, share in shares.items() if share >= 0.5)
            enough_for.setdefault(predictor, []).append(f"{half:g} {KINDS[family]} of a {noun}")
    sentences = [
        f"For {PREDICTORS[predictor]}, {', '.join(enough)} are enough on half of the data sets."
        for predictor, enough in enough_for.items()
    ]
    sentences.append(f"With more the measure is at most {MARGIN:g} better.")
    header = ["reduced by", "predictor", *(f"{size:g}" for size in SIZES)]
    rows = [[*row, *[""] * (len(header) - len(row))] for row in rows]
    return Answer(sentences, numbers, (header, rows))


# Which paper's order is reproduced


def papers(evidence: Evidence, measure: str) -> Answer:
    """Compare the order of the methods of each paper with that of the benchmark, by predictor."""
    numbers: dict[str, dict[str, Any]] = {}
    rows: list[list[str]] = []
    for paper, (family, order) in evidence.orders.items():
        for predictor in evidence.predictors(family, measure):
            cells = evidence.cells(family, measure)
            cells = cells[cells["predictor"] == predictor].drop(columns="predictor")
            shared = sorted(set(order) & set(cells["method"]))
            if len(shared) < 3:
                continue
            ranking = rank(cells[cells["method"].isin(shared)], higher_is_better=True, groups=evidence.groups, full=0)
            expected = np.array([order[name] for name in shared])
            ranks = ranking.by_set["rank"][shared].apply(evidence.of_groups).to_numpy()
            tau, low, high = order_interval(expected, ranks)
            p = order_by_chance(expected, ranks.mean(axis=0))
            word = ("reproduced" if tau > 0 else "reversed") if p < 1 - SURE else "undecided"
            numbers[f"{paper}, {predictor}"] = {"methods": len(shared), "tau": tau, "low": low, "high": high, "p": p}
            numbers[f"{paper}, {predictor}"]["word"] = word
            spread = f"{tau:+.2f} ({low:+.2f} to {high:+.2f})"
            rows.append([paper, PREDICTORS[predictor], str(len(shared)), spread, f"{p:.2g}", word])
    by_main = [own["word"] for key, own in numbers.items() if key.endswith(", ridge")]
    sentences = [
        f"The order of methods is {word} with ridge regression for {by_main.count(word)} of {len(by_main)} papers."
        for word in ("reproduced", "reversed", "undecided")
        if word in by_main
    ]
    return Answer(sentences, numbers, (["paper", "predictor", "methods", "Kendall's tau", "p", "order"], rows))


def order_by_chance(order: FloatArray, ranks: FloatArray) -> float:
    """Return the probability that Kendall's tau of a random order is as far from 0, from permutations of the order."""
    drawn = np.random.default_rng(_SEED).permuted(np.tile(order, (_RESAMPLES, 1)), axis=1)
    as_far = np.abs(kendall(drawn, ranks)) >= abs(kendall(order, ranks)) - 1e-9
    return float((1 + as_far.sum()) / (1 + _RESAMPLES))


def order_interval(order: FloatArray, ranks: FloatArray) -> tuple[float, float, float]:
    """Return Kendall's tau between an order and the mean ranks, and its bootstrap interval of 95 %.

    The ranks have the shape (n_groups, n_methods).
    """
    number = len(ranks)
    drawn = np.random.default_rng(_SEED).multinomial(number, np.full(number, 1 / number), size=_RESAMPLES) / number
    low, high = np.quantile(kendall(order, drawn @ ranks), [0.025, 0.975])
    return float(kendall(order, ranks.mean(axis=0))), float(low), float(high)


def kendall(one: FloatArray, two: FloatArray) -> FloatArray:
    """Return Kendall's tau-b of values, methods along the last axis; 0 where all are equal."""
    pairs = np.triu_indices(one.shape[-1], 1)
    first, second = (np.sign((own[..., pairs[0]] - own[..., pairs[1]]).round(DECIMALS)) for own in (one, two))
    scale = np.sqrt((first**2).sum(axis=-1) * (second**2).sum(axis=-1))
    agree = (first * second).sum(axis=-1)
    return np.asarray(np.divide(agree, scale, out=np.zeros(np.shape(scale)), where=scale > 0))


# How many data sets a comparison needs


def how_many(evidence: Evidence, measure: str) -> Answer:
    """Compute the power with which a t test tells neighbours in rank apart that differ by the margin."""
    groups, needs, numbers, rows = 0, [], {}, []
    for family, noun in NOUNS.items():
        for predictor in evidence.predictors(family, measure):
            cells = evidence.cells(family, measure)
            cells = cells[cells["predictor"] == predictor].drop(columns="predictor")
            ranking = rank(cells, higher_is_better=True, groups=evidence.groups, full=0)
            order = [name for name in ranking.table.sort_values("rank", kind="stable").index if name not in CONTROLS]
            means = ranking.by_set["mean"].apply(evidence.of_groups)
            spreads = [float((means[one] - means[two]).std(ddof=1)) for one, two in pairwise(order)]
            spreads = [spread for spread in spreads if spread > 10.0**-DECIMALS]  # others are one method
            if len(means) < FEWEST or not spreads:
                continue
            groups = len(means)
            powers = {number: float(np.median([power(own, number) for own in spreads])) for number in NUMBERS}
            needed = next((number for number, share in powers.items() if share >= POWER), None)
            numbers[f"{noun}, {predictor}"] = {"needed": needed, "power": powers, "pairs": len(spreads)}
            if predictor == "ridge":
                needs.append(f"{needed or f'more than {NUMBERS[-1]}'} for two {noun}s")
            rows.append([noun, PREDICTORS[predictor], *(f"{share:.2f}" for share in powers.values())])
    sentences = [
        f"Groups of data sets to distinguish methods that differ by {MARGIN:g} with ridge regression (t test at 5 %, "
        f"power {POWER:g}): {', '.join(needs)}. Here are {groups}."
    ]
    return Answer(sentences, numbers, (["power with groups", "predictor", *map(str, NUMBERS)], rows))


def power(spread: float, number: int) -> float:
    """Return the power of a two-sided t test at 5 % for a mean difference of the margin.

    The spread, > 0, is the standard deviation of the differences.
    """
    shift, limit = MARGIN / spread * math.sqrt(number), float(stats.t.ppf(0.975, number - 1))
    # Beyond, the distribution is not computed, and the power is 1 in all its digits.
    return 1.0 if shift > 30 + limit else float(stats.nct.sf(limit, number - 1, shift))


def _keyed(found: Mapping[Any, Effect]) -> dict[str, Any]:
    return {
        ", ".join(f"{part:g}" if isinstance(part, float) else str(part) for part in place): effect._asdict()
        for place, effect in found.items()
    }


#: The questions, and what answers them.
QUESTIONS = {
    "Does reducing features help?": features,
    "Does reducing labels help?": labels,
    "What does it cost or save?": costs,
    "How many features or codes suffice?": sizes,
    "Does tuning help?": tuning,
    "Which characteristics of the data decide?": characteristics,
    "Which paper's order of methods is reproduced?": papers,
    "How many data sets does a comparison need?": how_many,
}


def answers(evidence: Evidence, measures: Sequence[str]) -> dict[str, dict[str, Answer]]:
    """Return the answers to all questions by each of some measures, under their labels."""
    return {
        question: {measure_label(name): answer(evidence, name) for name in measures}
        for question, answer in QUESTIONS.items()
    }
