"""Search for the parameters of methods on the training part of a split.

A method's entry in a study file names values to try, ``search: {weighted: [false, true]}``, or a range of them,
``search: {ridge: {from: 1.0e-4, to: 1.0e+4, scale: log}}``; every searched method has the same number of candidates.
An end beyond which there is nothing to try has a reason, ``bounds: {from: "one neighbour is the least"}``.
They are tried by successive halving over the rows: all on a share of the training rows, the best of them on all. A
candidate is fitted, the predictor trained on what it makes, and measured on rows that the split keeps for that, or on
folds of the training rows. A method made of others, ``parts: {supervised_parameters: mope}``, has what was chosen for
these, and one that differs from another in some parameters, ``like: mope``, what was chosen for that one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.entries import chosen_entries, is_range, others_of
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.scores import as_table
from mlreduce.evaluation.seeds import derive_seed
from mlreduce.evaluation.splitting import Split
from mlreduce.exceptions import DataError
from mlreduce.metrics.measures import higher_is_better
from mlreduce.validation import FloatArray, check_finite

#: Columns of a table of candidates: one row per split, method, candidate and round in which it was tried.
SEARCH_COLUMNS = ("split", "method", "candidate", "parameters", "rows", "score", "chosen", "ranged", "at_end")

# Points that are drawn for each that is wanted: integers and lists make some of them equal.
_DRAWN = 20

_Methods = Mapping[str, Mapping[str, Any]]

#: Of a part of the training rows, and their share of all: a function of split number, label and entry that returns the
#: score of a candidate, NaN where it does not suit the rows or failed.
Evaluator: TypeAlias = Callable[[Split, float], Callable[[int, str, Mapping[str, Any]], float]]


def candidates_of(label: str, entry: Mapping[str, Any], number: int, seed: int) -> list[dict[str, Any]]:
    """Return the combinations of a method's values that are tried, ``number`` at most.

    All points of a grid of lists are tried if it is no larger than allowed. Of others as many points are drawn as are
    allowed, by a scrambled Halton sequence with a separate seed, so that few points cover all ranges; a range alone is
    divided evenly. The bounds of a range are always among its values. The parameters are taken by name, whatever their
    order in the file: a job gets them sorted.

    The entry has ``search``: parameter to a list of values, or to a range with ``from``, ``to`` and, by default false,
    ``whole`` (integers), ``scale`` ("linear", the default, or "log") and ``bounds`` (which of ``from`` and ``to`` are
    natural bounds, and why). A dot in the name, as in ``proximity.n_neighbors``, is a parameter of a parameter. The
    seed is that of the study.
    """
    values = dict(sorted(entry["search"].items()))
    if not any(map(is_range, values.values())):
        grid = list(product(*values.values()))
        if len(grid) <= number:
            return [_nest(dict(zip(values, point, strict=True))) for point in grid]
    if len(values) == 1:
        points = np.linspace(0, 1, number)[:, np.newaxis]
    else:
        from scipy.stats import qmc  # slow to import, and most jobs draw no candidates

        drawn = qmc.Halton(len(values), rng=derive_seed(seed, "search", label))
        points = _with_bounds(drawn.random(_DRAWN * number), list(values.values()), number)
    distinct: dict[tuple[Any, ...], None] = {}
    for point in points:
        distinct[tuple(map(_value_at, values.values(), point))] = None
    return [_nest(dict(zip(values, point, strict=True))) for point in list(distinct)[:number]]


def _with_bounds(points: FloatArray, values: Sequence[Any], number: int) -> FloatArray:
    """Stretch the first points so that they reach the natural bounds of ranges."""
    for place, tried in zip(points.T, values, strict=True):
        bounds = tried.get("bounds", {}) if is_range(tried) else {}
        low = place[:number].min() if "from" in bounds else 0.0
        high = place[:number].max() if "to" in bounds else 1.0
        if low < high:
            place[:] = np.clip((place - low) / (high - low), 0, 1)
    return points


def _value_at(values: Any, place: float) -> Any:
    """Return the value of a list or range at a place in [0, 1]."""
    if not is_range(values):
        return values[min(int(place * len(values)), len(values) - 1)]
    low, high = values["from"], values["to"]
    value = low * (high / low) ** place if values.get("scale") == "log" else low + (high - low) * place
    return round(value) if values.get("whole") else float(f"{value:.3g}")


def _nest(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with those of parameters, ``a.b``, as dict of dict."""
    nested: dict[str, Any] = {}
    for name, value in parameters.items():
        root, _, leaf = name.partition(".")
        if leaf:
            nested.setdefault(root, {})[leaf] = value
        else:
            nested[root] = value
    return nested


def ends_of(entry: Mapping[str, Any], parameters: Mapping[str, Any], tried: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return which ranged parameters of a candidate have the smallest or the largest of the values that were tried.

    Of these a wider range might have had a better value. A natural bound of a range is no end. The entry, of a study
    file, has ``search``; ``tried`` are all candidates.
    """
    ends = []
    for name, values in sorted(entry["search"].items()):
        if is_range(values):
            choices, value = [leaf(each, name) for each in tried], leaf(parameters, name)
            if value in (min(choices), max(choices)) and value not in bounds_of(values):
                ends.append(name)
    return ends


def bounds_of(values: Mapping[str, Any]) -> dict[Any, str]:
    """Return the natural bounds of a range, each with the reason."""
    return {
        _value_at(values, {"from": 0.0, "to": 1.0}[end]): reason for end, reason in values.get("bounds", {}).items()
    }


def leaf(parameters: Mapping[str, Any], name: str) -> Any:
    """Return the value of a parameter, or of a parameter of a parameter, ``a.b``."""
    root, _, key = name.partition(".")
    return parameters[root][key] if key else parameters[root]


class _Trial(NamedTuple):
    """A candidate of a method."""

    label: str
    number: int
    parameters: Mapping[str, Any]
    entry: Mapping[str, Any]


class Search(NamedTuple):
    """How parameters are searched."""

    #: How many combinations of a method's values are tried at most.
    candidates: int
    #: Of the training rows on which all are tried, in (0, 1].
    share: float
    #: How many of a method's candidates are then tried on all rows.
    keep: int
    #: Of the training rows whose labels are known, where a split keeps no rows for validation.
    folds: int
    measure: str
    #: Label and entry of a study file.
    predictor: tuple[str, Mapping[str, Any]]
    #: Projections: at how many dimensions, or at all that a method has where these are fewer; of a share of the rows
    #: this share.
    dimension: int = 1
    #: Selectors and label coders: at how many percent of the features, or of the labels.
    size_percent: int = 100
    #: Other measures by which tasks of the same job search the same methods.
    also: Sequence[str] = ()
    #: Label and entry of a study file. The predictors of these tasks. What is fitted for one is measured for
    #: all.
    together: Sequence[tuple[str, Mapping[str, Any]]] = ()

    @property
    def measures(self) -> list[str]:
        """The measure, and those by which other tasks search."""
        return list(dict.fromkeys([self.measure, *self.also]))


def search_on_splits(
    data: MultiLabelData,
    splits: Mapping[int, Split],
    methods: _Methods,
    evaluator: Evaluator,
    search: Search,
    seed: int,
    failures: Failures = RAISE,
) -> pd.DataFrame:
    """Search the parameters of all methods that name values to try; the evaluator is that of their family.

    Returns `SEARCH_COLUMNS`, sorted; ``rows`` is the share of the training rows, ``score`` the mean over the folds, NaN
    where a candidate cannot be fitted, and ``chosen`` marks the best of those on all rows, of equal ones the first;
    ``ranged`` is the number of parameters that have a range, and ``at_end`` names those that have the smallest or
    largest of the tried values, natural bounds left out. A method that failed on a split has no row of it.

    ``failures`` takes what a method or the predictor raises, and that none of a method's candidates can be fitted. A
    candidate that raises a `DataError` because it does not suit the rows is no failure. Raises DataError if a feature
    is missing or infinite.
    """
    check_finite(data.X, data.feature_names, data.name, missing=data.impute is not None)
    rows = [
        row
        for number, split in splits.items()
        for row in _search_split(data, number, split, methods, evaluator, search, seed, failures)
        if (number, row[1]) not in failures
    ]
    table = as_table(rows, SEARCH_COLUMNS)
    return table.sort_values(list(SEARCH_COLUMNS[:5]), ignore_index=True)


def _search_split(
    data: MultiLabelData,
    number: int,
    split: Split,
    methods: _Methods,
    evaluator: Evaluator,
    search: Search,
    seed: int,
    failures: Failures,
) -> list[tuple[Any, ...]]:
    """Return one row per trial of one split."""
    rows: list[tuple[Any, ...]] = []
    entries = chosen_entries(methods, None)
    # What is made of other methods is searched when these have been.
    for labels in ([label for label in methods if bool(others_of(methods[label])) is last] for last in (False, True)):
        with_search = {label: entry for label, entry in methods.items() if label in labels and "search" in entry}
        for label in labels:
            for other in others_of(methods[label]):
                if (number, other) in failures:
                    failures.attempt(number, label, _raise_failed_part, other)
        trials = [
            _Trial(label, i, parameters, entries[label] | parameters)
            for label, entry in with_search.items()
            if (number, label) not in failures
            for i, parameters in enumerate(candidates_of(label, entry, search.candidates, seed))
        ]
        results = _halve(data, number, split, trials, evaluator, search, seed, failures)
        for trial, share, score, chosen in results:
            tried = [each.parameters for each in trials if each.label == trial.label]
            entry = methods[trial.label]
            ranged = sum(map(is_range, entry["search"].values()))
            ends = ", ".join(ends_of(entry, trial.parameters, tried))
            written = json.dumps(trial.parameters, sort_keys=True)
            rows.append((number, trial.label, trial.number, written, share, score, chosen, ranged, ends))
        entries = chosen_entries(methods, as_table(rows, SEARCH_COLUMNS))
    return rows


def _raise_failed_part(part: str) -> None:
    raise DataError(f"{part}, whose parameters it has, failed")


def _halve(
    data: MultiLabelData,
    number: int,
    split: Split,
    trials: Sequence[_Trial],
    evaluator: Evaluator,
    search: Search,
    seed: int,
    failures: Failures,
) -> Iterator[tuple[_Trial, float, float, bool]]:
    """Yield trials with the share of the rows on which they were tried, their score, and whether they are chosen."""
    for share in dict.fromkeys([search.share, 1.0]):
        parts = list(_inside(split, search.folds, share, derive_seed(seed, data.name, "search", number)))
        scores = _scores(number, parts, share, trials, evaluator, failures)
        best: list[_Trial] = []
        for label in dict.fromkeys(trial.label for trial in trials):
            scored = [(trial, score) for trial, score in zip(trials, scores, strict=True) if trial.label == label]
            if (number, label) not in failures:
                keep = search.keep if share < 1 else 1
                best += failures.attempt(number, label, _select_best, label, scored, keep, search.measure) or []
        for trial, score in zip(trials, scores, strict=True):
            yield trial, share, score, share == 1 and trial in best
        trials = best


def _inside(split: Split, folds: int, share: float, seed: int) -> Iterator[Split]:
    """Yield splits of a share of the training rows: with the rows for validation as test part, or folds of them."""
    rng = np.random.default_rng(seed)
    known = split.train if split.labelled is None else split.labelled
    order = rng.permutation(known)
    rows = np.sort(rng.permutation(split.train)[: max(2, int(share * len(split.train)))])
    parts = [split.validation] if split.validation is not None else np.array_split(order, folds)
    for part in parts:
        train = rows[~np.isin(rows, part)]
        labelled = None if split.labelled is None else train[np.isin(train, split.labelled)]
        yield Split(train, np.sort(part), labelled=labelled)


def _scores(
    number: int,
    parts: Sequence[Split],
    share: float,
    trials: Sequence[_Trial],
    evaluator: Evaluator,
    failures: Failures,
) -> list[float]:
    """Return the mean score of each trial over the parts; NaN for one that cannot be fitted, or whose method failed."""
    values = np.full((len(parts), len(trials)), np.nan)
    for i, part in enumerate(parts):
        score = evaluator(part, share)
        for j, trial in enumerate(trials):
            if (number, trial.label) not in failures:
                values[i, j] = score(number, trial.label, trial.entry)
    return [float(mean) for mean in values.mean(axis=0)]


def _select_best(label: str, scored: Sequence[tuple[_Trial, float]], keep: int, measure: str) -> list[_Trial]:
    """Return the best trials of a method, of equal ones the first, in the order they have."""
    sign = -1.0 if higher_is_better(measure) else 1.0
    fitted = sorted((sign * score, trial.number) for trial, score in scored if not np.isnan(score))
    if not fitted:
        raise DataError(
            f"{label}: none of the {len(scored)} combinations of parameters can be fitted on a training part"
        )
    numbers = {number for _, number in fitted[:keep]}
    return [trial for trial, _ in scored if trial.number in numbers]
