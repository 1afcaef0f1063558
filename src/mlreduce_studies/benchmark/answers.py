"""What the benchmark says: five questions, each answered by numbers with intervals and words that follow from them.

Data sets are the unit: what is resampled, left out, and counted. Whatever is chosen among methods is chosen on the
other data sets, so that the best of many is not judged by the luck that made it the best.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.stats.ranking import CONTROLS, FULL, MARGIN, one_variant, rank
from mlreduce.stats.ranks import DECIMALS
from mlreduce.stats.tendency import signed_rank
from mlreduce.validation import FloatArray
from mlreduce_studies.benchmark.pieces import Pieces
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.benchmark.scores import names_in, summary_of

__all__ = ["QUESTIONS", "Answer", "Evidence", "answers"]

#: Families of the studies, in words.
NOUNS = {"selection": "selector", "projection": "projection", "labelspace": "label coder"}
#: What reduces nothing, by family.
WHOLE = {"selection": "all-features", "projection": "all-features", "labelspace": "br"}
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
#: Numbers of labels up to which data sets stand together.
LABELS = (25, 100, math.inf)
#: A statement is made where its probability is at least this; a power that suffices; and draws of data sets.
SURE, POWER, _RESAMPLES, _SEED = 0.95, 0.8, 2000, 44
#: Draws of weights of a signed-rank test.
SAMPLES = 20_000
#: Numbers of data sets of which the power is computed.
NUMBERS = (5, 10, 15, 20, 30, 40, 60, 80, 120, 200, 400)


@dataclass(frozen=True)
class Answer:
    """An answer to one of `QUESTIONS` by one measure.

    Attributes
    ----------
    sentences : list of str
        Markdown.
    numbers : dict
        What the sentences are made of, and more.
    table : tuple of (list of str, list of list of str) or None
        Header and rows.
    """

    sentences: list[str]
    numbers: dict[str, Any] = field(default_factory=dict)
    table: tuple[list[str], list[list[str]]] | None = None


class Evidence:
    """The scores of the benchmark, as the answers read them.

    Parameters
    ----------
    sets : DataFrame
        A row per data set, with ``dataset`` and `TRAITS`.
    orders : dict of str to (str, dict of str to float)
        Papers to the family of their methods and the average rank of each there.
    speed : DataFrame or None
        ``dataset``, ``predictor``, ``codes`` (0: binary relevance) and ``seconds`` of fit and prediction.
    """

    def __init__(
        self,
        protocol: Protocol,
        pieces: Pieces,
        sets: pd.DataFrame,
        orders: Mapping[str, tuple[str, Mapping[str, float]]],
        speed: pd.DataFrame | None = None,
    ) -> None:
        self.protocol, self.pieces, self.orders, self.speed = protocol, pieces, orders, speed
        self.traits = sets.set_index("dataset")[list(TRAITS)]
        self.studies = {study.family: study for study in protocol.studies().values()}
        self.cells = cache(self._cells)

    def _cells(
        self, family: str, measure: str, by: str = "size_percent", candidates: int | None = None
    ) -> pd.DataFrame:
        """Return the values by data set, method, predictor and size, one variant per method; larger is better.

        Methods without a size of this kind, such as all features, have the size 100.
        """
        study = self.studies[family]
        summary = summary_of(self.pieces, study, candidates or self.protocol.candidates, [measure])
        has_size = summary[by] > 0
        if by != "size_percent":
            sized = set(summary.loc[has_size, "method"]) - set(CONTROLS)
            # What reduces nothing has a number too where that is the number of the labels.
            has_size = has_size.where(summary["method"].isin(sized), summary["size_percent"].eq(FULL))
        cells = summary[has_size].assign(size=lambda rows: rows[by].where(rows[by] > 0, FULL).astype(float))
        cells["value"] = cells["mean"] if higher_is_better(measure) else -cells["mean"]
        return one_variant(cells[["dataset", "method", "predictor", "size", "value"]], *names_in(study))

    def predictors(self, family: str, measure: str) -> list[str]:
        """Return the predictors, in the order of the study."""
        there = set(self.cells(family, measure)["predictor"])
        return [name for name in self.studies[family].predictors if name in there]

    def differences(self, family: str, measure: str, by: str = "size_percent") -> dict[tuple[str, float], pd.Series]:
        """Return by predictor and size, on each data set, how much better a reduction is than none.

        It is the method that is best, on average, on the other data sets; what fails is as good as the last.
        """
        cells, found = self.cells(family, measure, by), {}
        whole = WHOLE[family]
        for predictor in self.predictors(family, measure):
            rows = cells[cells["predictor"] == predictor]
            base = rows[rows["method"] == whole].groupby("dataset")["value"].last()
            reduced = rows[~rows["method"].isin(CONTROLS)]
            size: Any
            for size, part in reduced.groupby("size"):
                if by == "size_percent" and size == FULL:
                    continue
                table = part.pivot(index="dataset", columns="method", values="value")
                table = table.sub(base, axis=0).dropna(how="all").dropna(axis=1, how="all")
                if len(table) > 2:
                    found[predictor, float(size)] = chosen_elsewhere(table)
        return found


def chosen_elsewhere(table: pd.DataFrame) -> pd.Series:
    """Return the value on each data set (row) of the method (column) that has the largest mean on the others."""
    values = table.to_numpy(dtype=np.float64)
    filled = np.where(np.isnan(values), np.nanmin(values, axis=1, keepdims=True), values)
    chosen = (filled.sum(axis=0) - filled).round(DECIMALS).argmax(axis=1)
    return pd.Series(filled[np.arange(len(filled)), chosen], index=table.index)


def verdict(differences: Iterable[float]) -> str:
    """Say what a reduction does, by the Bayesian signed-rank test: "helps", "costs", "changes nothing"."""
    regions = signed_rank(np.array([*differences], dtype=np.float64), MARGIN, SAMPLES)
    probabilities = {"helps": regions.above, "changes nothing": regions.within, "costs": regions.below}
    return next((word for word, probability in probabilities.items() if probability >= SURE), "undecided")


def mean_interval(values: Sequence[float] | FloatArray) -> tuple[float, float, float]:
    """Return the mean over data sets, and the ends of Student's interval of 95 %."""
    sample = np.asarray(values, dtype=np.float64)
    if len(sample) < 2:
        return float(sample.mean()), -math.inf, math.inf
    half = float(stats.t.ppf(0.975, len(sample) - 1) * sample.std(ddof=1) / math.sqrt(len(sample)))
    return float(sample.mean()), float(sample.mean()) - half, float(sample.mean()) + half


# Which family is first


def first_family(evidence: Evidence, measure: str) -> Answer:
    """Rank the methods of all families together, with the predictors that all of them have."""
    common = [
        name
        for name in evidence.predictors("selection", measure)
        if all(name in evidence.predictors(family, measure) for family in evidence.studies)
    ]
    family_of: dict[str, str] = {}
    parts = []
    for family in evidence.studies:
        cells = evidence.cells(family, measure)
        cells = cells[cells["predictor"].isin(common) & ~cells["method"].isin(family_of)]  # controls once
        family_of |= {name: "control" if name in CONTROLS else NOUNS[family] for name in cells["method"].unique()}
        parts.append(cells)
    ranking = rank(pd.concat(parts, ignore_index=True), higher_is_better=True)
    near, ranks = (ranking.by_set[name].to_numpy() for name in ("near", "rank"))
    methods = list(ranking.by_set["near"].columns)
    drawn = _draws(len(near))
    score = drawn @ near - 1e-6 * (drawn @ ranks)  # ties are decided by the rank
    winners = pd.Series([family_of[methods[one]] for one in score.argmax(axis=1)])
    shares = winners.value_counts(normalize=True).to_dict()
    table = ranking.table
    leading = {kind: next((name for name in table.index if family_of[name] == kind), None) for kind in
               (*NOUNS.values(), "control")}  # fmt: skip
    leaders = [
        f"the first {kind}, {_near(table, name)}" for kind, name in leading.items() if name and kind != "control"
    ]
    controls = [_near(table, name) for name in table.index if family_of[name] == "control"]
    kind, share = max(shares.items(), key=lambda item: item[1])
    head = f"A {kind} is first" if share >= SURE else f"No family is first for certain; most often it is a {kind}"
    text = (
        f"{head}, in {100 * share:.0f} % of resamples of the {len(ranking.data_sets)} data sets (ranked together with "
        f"{' and '.join(common)}; within {MARGIN:g} of the best of {len(table)} methods): {'; '.join(leaders)}; "
        f"controls: {'; '.join(controls)}."
    )
    numbers = {"shares": shares, "first": leading, "data_sets": len(ranking.data_sets), "methods": len(table)}
    return Answer([text], numbers)


def _near(table: pd.DataFrame, name: str) -> str:
    row = table.loc[name]
    return f"`{name}` {row['near']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def _draws(number: int) -> FloatArray:
    """Return the shares of data sets in resamples of them."""
    drawn = np.random.default_rng(_SEED).multinomial(number, np.full(number, 1 / number), size=_RESAMPLES)
    return drawn / number


# Where reduction helps


def where_features(evidence: Evidence, measure: str) -> Answer:
    """Compare the method chosen on the other data sets with all features, by predictor and size."""
    rows: list[list[str]] = []
    found: dict[tuple[str, str, float], pd.Series] = {}
    sizes: set[float] = set()
    kinds = [(family, name) for family in ("selection", "projection") for name in evidence.predictors(family, measure)]
    by_family = {family: evidence.differences(family, measure) for family in ("selection", "projection")}
    for family, predictor in kinds:
        by_size = {size: values for (name, size), values in by_family[family].items() if name == predictor}
        found |= {(NOUNS[family], predictor, size): values for size, values in by_size.items()}
        sizes |= set(by_size)
    words = {place: verdict(values) for place, values in found.items()}
    for family, predictor in kinds:
        cells = [
            f"{found[place].mean():+.3f} {words[place]}" if (place := (NOUNS[family], predictor, size)) in found else ""
            for size in sorted(sizes)
        ]
        rows.append([NOUNS[family], predictor, *cells])
    text = _where(words, "Fewer features, against all of them,", " %")
    header = ["reduced by", "predictor", *(f"{size:g} %" for size in sorted(sizes))]
    return Answer([text], {"words": _keyed(words), "means": _keyed(_means(found))}, (header, rows))


def where_labels(evidence: Evidence, measure: str) -> Answer:
    """Compare the coder chosen on the other data sets with binary relevance, by the numbers of codes and of labels."""
    found: dict[tuple[str, str, float], pd.Series] = {}
    differences = evidence.differences("labelspace", measure, "number")
    groups = [(0.0, LABELS[0]), *pairwise(LABELS)]
    for low, high in groups:
        for (predictor, codes), values in differences.items():
            labels = evidence.traits.loc[values.index, "labels"]
            part = values[(labels > low) & (labels <= high)]
            if len(part) > 2:
                found[_labels(low, high), predictor, codes] = part
    words = {place: verdict(values) for place, values in found.items()}
    numbers = sorted({codes for *_, codes in found})
    rows = [
        [group, predictor]
        + [
            f"{found[place].mean():+.3f} {words[place]}" if (place := (group, predictor, codes)) in found else ""
            for codes in numbers
        ]
        for group, predictor in dict.fromkeys((group, predictor) for group, predictor, _ in found)
    ]
    text = [_where(words, "Codes, against binary relevance,", " codes")]
    made = {"words": _keyed(words), "means": _keyed(_means(found))}
    if evidence.speed is not None:
        sentence, made["speed"] = _speed(evidence.speed)
        text.append(sentence)
    header = ["data sets", "predictor", *(f"{codes:g} codes" for codes in numbers)]
    return Answer(text, made, (header, rows))


def _labels(low: float, high: float) -> str:
    return (
        f"up to {high:g} labels"
        if not low
        else f"above {low:g} labels"
        if high == math.inf
        else f"{low + 1:g} to {high:g} labels"
    )


def _where(words: Mapping[tuple[str, str, float], str], what: str, unit: str) -> str:
    """Return where a reduction helps and where it costs, and in how many settings it does neither."""
    places: dict[str, dict[tuple[str, str], list[str]]] = {"helps": {}, "costs": {}}
    for (kind, predictor, size), word in words.items():
        if word in places:
            places[word].setdefault((kind, predictor), []).append(f"{size:g}")
    helps, costs = (
        "; ".join(f"{kind} with {predictor} ({', '.join(sizes)}{unit})" for (kind, predictor), sizes in found.items())
        for found in places.values()
    )
    nothing, undecided = ([*words.values()].count(word) for word in ("changes nothing", "undecided"))
    return (
        f"{what} help {f'here: {helps}' if helps else 'nowhere'}. "
        f"They cost {f'here: {costs}' if costs else 'nowhere'}. "
        f"Of {len(words)} settings they change nothing of importance in {nothing}, and {undecided} are undecided (the "
        f"method that leads on the other data sets; {MARGIN:g} and more, with a probability of {SURE:g})."
    )


def _speed(speed: pd.DataFrame) -> tuple[str, dict[str, Any]]:
    """Return how many times as quick as binary relevance codes are, fit and prediction together."""
    table = speed.pivot_table(index=["predictor", "dataset"], columns="codes", values="seconds")
    ratios = table.drop(columns=0).rdiv(table[0], axis=0)
    by_predictor: Any = ratios.groupby("predictor").median().stack()
    medians = {(str(predictor), float(codes)): float(ratio) for (predictor, codes), ratio in by_predictor.items()}
    most, least = (pick(medians, key=lambda place: medians[place]) for pick in (max, min))
    times, fewest = medians[most], medians[least]
    sentence = (
        f"Fit and prediction with codes are {fewest:.2g} ({least[0]}, {least[1]:g} codes) to {times:.2g} times "
        f"({most[0]}, {most[1]:g} codes) as quick as without, the median over data sets."
    )
    return sentence, _keyed(medians)


# Which characteristics decide


def what_decides(evidence: Evidence, measure: str) -> Answer:
    """Correlate by ranks what reduction brings with what is known of a data set beforehand."""
    sentences, numbers, rows = [], {}, []
    level = 1 - (1 - SURE) / len(TRAITS)
    for family, noun in NOUNS.items():
        found = evidence.differences(family, measure)
        gains = pd.DataFrame(found).mean(axis=1)
        traits = evidence.traits.loc[gains.index]
        correlations = {name: rank_interval(gains.to_numpy(), traits[name].to_numpy(), level) for name in TRAITS}
        numbers[noun] = {name: list(values) for name, values in correlations.items()}
        decided = {name: values for name, values in correlations.items() if values[1] > 0 or values[2] < 0}
        whole = WHOLE[family]
        if decided:
            parts = [f"{'more' if values[0] > 0 else 'less'} with more {TRAITS[name]} ({_rho(values)})"
                    for name, values in decided.items()]  # fmt: skip
            sentences.append(f"A {noun} brings, against `{whole}`, {'; '.join(parts)}.")
        else:
            name, values = max(correlations.items(), key=lambda pair: abs(pair[1][0]))
            sentences.append(
                f"Nothing measured decides what a {noun} brings against `{whole}`: the largest of {len(TRAITS)} rank "
                f"correlations is that with {TRAITS[name]}, {_rho(values)}."
            )
        rows.append([noun, *(f"{values[0]:+.2f}" for values in correlations.values())])
    number = len(gains)
    sentences.append(
        f"{number} data sets tell a single rank correlation from none beyond {smallest_correlation(number):.2f} only; "
        f"intervals are those of {len(TRAITS)} together at 95 %."
    )
    return Answer(sentences, numbers, (["reduced by", *TRAITS.values()], rows))


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


def smallest_correlation(number: int) -> float:
    """Return the smallest correlation that is significant at 5 % with a number of data sets."""
    t = float(stats.t.ppf(0.975, number - 2))
    return t / math.sqrt(number - 2 + t**2)


def _rho(values: Sequence[float]) -> str:
    return f"{values[0]:+.2f}, {values[1]:+.2f} to {values[2]:+.2f}"


# How much tuning matters


def tuning(evidence: Evidence, measure: str) -> Answer:
    """Compare the methods that have parameters with few candidates, and with their defaults, on some data sets."""
    budgets = sorted(evidence.protocol.budgets)
    sentences, numbers = [], {}
    for family, noun in NOUNS.items():
        study = evidence.studies[family]
        names, _ = names_in(study)
        tuned = {names[label] for group in study.groups.values() if group.search for label in group.methods}
        values = {}
        for number in budgets:
            cells = evidence.cells(family, measure, candidates=number)
            rows = cells[cells["method"].isin(tuned) & (cells["size"] < FULL)]
            values[number] = rows.set_index(["dataset", "method", "predictor", "size"])["value"]
        table = pd.DataFrame(values).dropna()
        if table.empty:
            continue
        gains = table[budgets[1:]].sub(table[budgets[0]], axis=0).groupby("dataset").mean()
        parts = []
        for number in budgets[1:]:
            mean, low, high = mean_interval(gains[number].to_numpy())
            numbers[f"{noun} {number}"] = [mean, low, high]
            parts.append(f"{number} candidates {mean:+.3f} ({low:+.3f} to {high:+.3f})")
        last = numbers[f"{noun} {budgets[-1]}"]
        sentences.append(
            f"Tuning {_matters(*last[1:])} for {noun}s with parameters: against the defaults, {' and '.join(parts)}, "
            f"means over {len(gains)} data sets."
        )
    return Answer(sentences, numbers)


def _matters(low: float, high: float) -> str:
    if low > MARGIN:
        return f"matters, by more than {MARGIN:g},"
    if high < 0:
        return "harms"
    if max(-low, high) < MARGIN:
        return f"matters little, by less than {MARGIN:g},"
    return "helps, by how much is open," if low > 0 else "is undecided"


# Which paper's ranking survives


def papers(evidence: Evidence, measure: str) -> Answer:
    """Compare the order of the methods of each paper with that of the benchmark."""
    sentences: list[str] = []
    numbers: dict[str, dict[str, Any]] = {}
    by_word: dict[str, list[str]] = {"survives": [], "is reversed": [], "is undecided": []}
    for paper, (family, order) in evidence.orders.items():
        cells = evidence.cells(family, measure)
        shared = sorted(set(order) & set(cells["method"]))
        if len(shared) < 3:
            numbers[paper] = {"methods": len(shared)}
            continue
        ranking = rank(cells[cells["method"].isin(shared)], higher_is_better=True)
        tau, low, high = order_interval(
            np.array([order[name] for name in shared]), ranking.by_set["rank"][shared].to_numpy()
        )
        word = "survives" if low > 0 else "is reversed" if high < 0 else "is undecided"
        numbers[paper] = {"methods": len(shared), "tau": tau, "low": low, "high": high, "word": word}
        by_word[word].append(f"{paper} ({len(shared)} methods, {tau:+.2f}, {low:+.2f} to {high:+.2f})")
    for word, entries in by_word.items():
        if entries:
            sentences.append(f"The order of methods {word}: {'; '.join(entries)}.")
    few = [paper for paper, values in numbers.items() if "tau" not in values]
    if few:
        sentences.append(f"Fewer than three methods are shared with {', '.join(few)}.")
    return Answer(sentences, numbers)


def order_interval(order: FloatArray, ranks: FloatArray) -> tuple[float, float, float]:
    """Return Kendall's tau between an order and the mean ranks over data sets, and its bootstrap interval of 95 %.

    Parameters
    ----------
    order : ndarray of shape (n_methods,)
    ranks : ndarray of shape (n_datasets, n_methods)
    """
    pairs = np.triu_indices(len(order), 1)

    def signs(values: FloatArray) -> FloatArray:
        return np.asarray(np.sign((values[..., pairs[0]] - values[..., pairs[1]]).round(DECIMALS)))

    def tau(means: FloatArray) -> FloatArray:
        one, two = signs(order), signs(means)
        scale = np.sqrt((one**2).sum() * (two**2).sum(axis=-1))
        return np.asarray(np.divide((one * two).sum(axis=-1), scale, out=np.zeros_like(scale), where=scale > 0))

    low, high = np.quantile(tau(_draws(len(ranks)) @ ranks), [0.025, 0.975])
    return float(tau(ranks.mean(axis=0)[None])[0]), float(low), float(high)


# How many data sets a comparison needs


def how_many(evidence: Evidence, measure: str) -> Answer:
    """Resample data sets of methods that differ by the margin, for the power with which a t test tells them apart."""
    sentences, numbers, rows = [], {}, []
    for family, noun in NOUNS.items():
        ranking = rank(evidence.cells(family, measure), higher_is_better=True)
        order = [name for name in ranking.table.sort_values("rank").index if name not in CONTROLS]
        means = ranking.by_set["mean"]
        pairs = [(means[one] - means[two]).to_numpy() for one, two in pairwise(order)]
        powers = {number: float(np.median([power(values, number) for values in pairs])) for number in NUMBERS}
        needed = next((number for number, share in powers.items() if share >= POWER), None)
        numbers[noun] = {"needed": needed, "power": powers, "pairs": len(pairs)}
        there = len(ranking.data_sets)
        now = float(np.median([power(values, there) for values in pairs]))
        need = f"{needed} data sets" if needed else f"more than {NUMBERS[-1]} data sets"
        sentences.append(
            f"Two {noun}s that differ by {MARGIN:g} are told apart (t test at 5 %, power {POWER:g}) by {need}; the "
            f"{there} here do so with a power of {now:.2f}, the median over {len(pairs)} pairs of neighbours in rank."
        )
        rows.append([noun, *(f"{share:.2f}" for share in powers.values())])
    return Answer(sentences, numbers, (["power with data sets", *map(str, NUMBERS)], rows))


def power(differences: FloatArray, number: int) -> float:
    """Return how often a t test at 5 % finds the sign of a mean difference of the margin, on resampled data sets."""
    rows = np.random.default_rng(_SEED).integers(len(differences), size=(_RESAMPLES // 4, number))
    drawn = (differences - differences.mean() + MARGIN)[rows]
    means, deviations = drawn.mean(axis=1), drawn.std(axis=1, ddof=1)
    return float((means > stats.t.ppf(0.975, number - 1) * deviations / math.sqrt(number)).mean())


def _means(found: Mapping[Any, pd.Series]) -> dict[Any, float]:
    return {place: float(values.mean()) for place, values in found.items()}


def _keyed(found: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        ", ".join(f"{part:g}" if isinstance(part, float) else str(part) for part in place): value
        for place, value in found.items()
    }


#: The questions, and what answers them.
QUESTIONS = {
    "Which family is first?": first_family,
    "Where does it help to reduce features?": where_features,
    "Where does it help to reduce labels?": where_labels,
    "Which characteristics of the data decide?": what_decides,
    "How much does tuning matter?": tuning,
    "Which paper's ranking survives?": papers,
    "How many data sets does a comparison need?": how_many,
}


def answers(evidence: Evidence, measures: Sequence[str]) -> dict[str, dict[str, Answer]]:
    """Return the answers to all questions by each of some measures, under their labels."""
    return {
        question: {measure_label(name): answer(evidence, name) for name in measures}
        for question, answer in QUESTIONS.items()
    }
