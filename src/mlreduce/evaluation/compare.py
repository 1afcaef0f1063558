"""Comparison of methods: the request, its jobs, and the result."""

from __future__ import annotations

import math
import re
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, is_regressor
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import GroupKFold

from mlreduce import exceptions, registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.budget import Limited, Outcome, default_gigabytes, sampled
from mlreduce.evaluation.compared import (
    Method,
    as_entries,
    as_methods,
    names_of,
    takes_unknown,
    versions_of,
)
from mlreduce.evaluation.comparison import Comparison
from mlreduce.evaluation.jobs import FAILURES, FORM, SCORES, ends_fits
from mlreduce.evaluation.request import Request
from mlreduce.evaluation.store import Store
from mlreduce.exceptions import ConfigurationError, DataError, MLReduceError, unknown_name, warn
from mlreduce.metrics.measures import find_measure
from mlreduce.metrics.outcome import check_ties
from mlreduce.model_selection import MultilabelStratifiedKFold
from mlreduce.predictors.decision import check_decision
from mlreduce.preprocessing.scaling import SCALINGS
from mlreduce.validation import (
    canonical,
    check_features,
    check_finite,
    check_known_labels,
    check_table,
    column_names,
    is_sparse,
)

__all__ = ["DEFAULT_MEASURES", "DEFAULT_METHODS", "DEFAULT_PREDICTORS", "compare"]

#: What is compared where nothing is named: no reduction, and the projections and selectors of the papers that take any
#: data, among them the fastest, and the selector that ranks best in the studies. The directions of MDDMp are PLS's.
DEFAULT_METHODS = ("all-features", "random-projection", "pca", "pls", "rcca", "mvmd", "mlda", "mlfs", "cmim", "gmba")
DEFAULT_PREDICTORS = ("ridge", "ml-knn")
DEFAULT_MEASURES = ("micro-f1", "macro-f1", "hamming-loss", "ranking-loss")


def compare(
    X: Any,
    y: Any = None,
    methods: Any = DEFAULT_METHODS,
    predictors: Any = DEFAULT_PREDICTORS,
    *,
    cv: Any = 5,
    groups: Any = None,
    repeats: int = 1,
    sizes: Sequence[int] = (10, 25, 50),
    measures: Sequence[str] = DEFAULT_MEASURES,
    scaling: str | None = None,
    decision: str = "one-threshold",
    ties: str = "expected",
    impute: str | None = None,
    margin: float = 0.01,
    n_jobs: int | None = None,
    time_budget: float | None = None,
    memory_limit: float | None = None,
    store: str | Path | None = None,
    progress: bool = True,
    random_state: int = 0,
) -> Comparison:
    """Compare methods on a data set by cross-validation, each with each predictor.

    The loop, the measures and the tests are those of the studies. Everything is fitted on training folds alone,
    scaling included.

    Parameters
    ----------
    X : MultiLabelData, array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
        Features; missing values are NaN. A data set (`mlreduce.load_dataset`, `mlreduce.read`) has its labels with it.
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None, default=None
        Labels in {0, 1} or {-1, 1}, NaN where not known: measures are those of the known labels, and what needs all
        labels is left out. None where ``X`` is a data set.
    methods : sequence or dict, default=DEFAULT_METHODS
        Names of `mlreduce.list_methods`, import paths of classes of other packages, or estimators (not fitted); or a
        dict of label to these, or to a dict of parameters with ``method`` or ``class``. Projections, selectors and
        label coders may be mixed. Public methods that a class of yours overrides are called, at the price of what
        methods otherwise share.
    predictors : sequence or dict, default=("ridge", "ml-knn")
        As ``methods``: regressors, whose predictions of labels are scores, or multi-label classifiers. Label
        coders are combined with the regressors alone, which then predict codes.
    cv : int, splitter or iterable, default=5
        Number of folds, at least 2, each with its share of each label: those of `MultilabelStratifiedKFold`. Or a
        splitter of scikit-learn (give it a ``random_state``, or each call draws other rows), such as
        ``KFold(5, shuffle=True, random_state=0)`` for folds by chance, or pairs of arrays of the numbers of training
        and test rows.
    groups : array-like of shape (n_samples,) or None, default=None
        Which rows belong together, for a splitter that keeps groups in one part, as `GroupKFold`; with a number of
        folds, that is the splitter.
    repeats : int, default=1
        Number of times that the rows are assigned to new folds; 1 where ``cv`` is no number or there are groups.
    sizes : sequence of int, default=(10, 25, 50)
        In percent of the features (of the labels for label coders), 1..100. Transformers of other packages, and
        selectors whose class overrides how they transform, have one size, that of their output.
    measures : sequence of str, default=("micro-f1", "macro-f1", "hamming-loss", "ranking-loss")
        Of `mlreduce.metrics.MEASURES`. Those that rank labels are left out for predictors that give labels only.
    scaling : {"standard", "unit", "rows", "none", "tf-idf"} or None, default=None
        What is done to the features, for label coders too; None is "standard" for dense and "none" for sparse ones.
    decision : {"one-threshold", "half", "per-label", "cardinality", "top-k"}, default="one-threshold"
        Which labels are predicted from scores: by one half, or by thresholds (the best labels of a row with "top-k")
        that are chosen for micro-F1 on held-out scores of the training rows, as of `ScoringClassifier`. These come with
        ridge and kernel ridge regression and neighbours; other predictors are trained three times more. Classifiers
        without scores, and `ProportionalCut`, decide themselves.
    ties : {"expected", "standard"}, default="expected"
        How measures of scores count labels that tie: by the mean over all orders, so that two names of one model have
        the same values whatever their rounding errors; or by the rule that is usual for each measure, as the studies of
        papers do. See `mlreduce.metrics.evaluate`.
    impute : {"mean", "median", "most-frequent"} or None, default=None
        What of the training rows of a fold fills missing values of a feature, 0 where they have none; None takes what
        is set in the entry of a data set, and otherwise refuses them.
    margin : float, default=0.01
        Differences of at most so much, in units of a measure, count as none.
    n_jobs : int or None, default=None
        Processes, each with one BLAS thread; None is 1, -1 all cores. The scores do not depend on it.
    time_budget : float or None, default=None
        Seconds that the call may take, about. The first fold is run on a stratified sample of the instances, then on
        as many more as the time suffices for, and the other folds on these; all instances are taken where ``groups`` or
        pairs of rows are given. A method that takes more than its share on the smallest sample is ended and left out,
        as the result notes. A fold that not all methods have by the end is left out, unless there is no other. On the
        backends of `joblib.parallel_config`, such as Dask's, no fit is begun after these seconds, and none is ended.
    memory_limit : float or None, default=None
        Gigabytes that the processes of the fits may take together; a method that needs more is left out, as the result
        notes. It holds on Linux. None is half of the memory available where there is a ``time_budget``, and otherwise
        no limit.
    store : path or None, default=None
        A folder that caches the scores of each method and fold. The same call resumes where it was interrupted; with
        more methods it runs these alone. If anything else differs, such as data, predictors, sizes or versions of
        packages, all is computed again, and so are fits that failed, and a class of yours whose source has changed.
    progress : bool, default=True
        Show a bar, where the output is a terminal and tqdm is installed.
    random_state : int, default=0
        Of folds and of methods that draw.

    Returns
    -------
    Comparison
        ``table()``, ``pairs()``, ``plot()``, ``to_html()``, and the tidy ``scores``.

    Raises
    ------
    ConfigurationError
        If a name, class, parameter, measure, scaling or rule for ties is unknown, or the combination has nothing to
        compare.
    DataError
        If X and y do not fit together, a value is missing, or the imputation is unknown.

    Warns
    -----
    UserWarning
        If a method failed on a fold, methods or instances were left out within the limits, or the time budget ended
        before the last fit; if labels are unknown and something needs all, or a label is known of no instance; and
        what estimators warn of, once, with the methods.
    UndefinedMetricWarning
        If a measure is undefined on a fold, as an area under the ROC curve where no test row lacks a label.

    References
    ----------
    Corani and Benavoli (2015), "A Bayesian approach for comparing cross-validated algorithms on multiple data sets",
    Machine Learning 100.

    Examples
    --------
    >>> import mlreduce
    >>> X, y = mlreduce.load_dataset("planted-300", return_X_y=True)
    >>> comparison = mlreduce.compare(X, y, ["pca", "mvmd"], ["ridge"], cv=3, sizes=[20], measures=["micro-f1"])
    >>> comparison.scores.shape[0]
    6
    """
    began = time.monotonic()
    data, measures = _as_data(X, y, impute), [measures] if isinstance(measures, str) else list(measures)
    named, chosen = as_methods(methods), as_entries(predictors, "predictors")
    _check_numbers(repeats, sizes, margin)
    _check_limits(time_budget, memory_limit)
    if data.has_unknown_labels:
        named, chosen = _taking_unknown(named, chosen)
    _check_names(named, chosen, measures, scaling)
    check_decision(decision, "micro-f1")
    check_ties(ties)
    if scaling is None:
        scaling = "none" if is_sparse(data.X) else "standard"
    names = names_of(named, chosen)
    decisive = {
        "predictors": chosen, "measures": sorted(measures), "sizes": sorted(set(map(int, sizes))),
        "scaling": scaling, "decision": decision, "ties": ties, "random_state": int(random_state),
        "versions": versions_of(names),
        **({"impute": data.impute} if data.impute else {}),
    }  # fmt: skip
    make = partial(_make_request, data, named, names, decisive, cv=cv, repeats=repeats, groups=groups)
    deadline = math.inf if time_budget is None else began + time_budget
    if (time_budget is None and memory_limit is None) or not ends_fits():
        request = make()
        outcome = Outcome(request, *request.run(Store(store, FORM), n_jobs, deadline, progress))
    else:
        memory_limit = default_gigabytes() if memory_limit is None else float(memory_limit)
        # Groups and given rows are taken as they are.
        samples = time_budget is not None and groups is None and (_is_integer(cv) or hasattr(cv, "split"))
        limited = Limited(
            make, data.Y.shape[0], samples, deadline, memory_limit, effective_n_jobs(n_jobs), Store(store, FORM)
        )
        outcome = limited.run(progress)
    splits, compared = outcome.request.splits, {job.method.label for job in outcome.jobs}
    settings = {
        "data": {"name": data.name, **outcome.request.data.describe()},
        "methods": {method.label: dict(method.entry) for method in named if method.label in compared},
        **decisive,
        **{"measures": list(dict.fromkeys(measures)), "repeats": int(repeats), "margin": float(margin)},
        **{"cv": len(splits) // repeats, "splitter": _splitter_name(cv, groups)},
        "test_share": float(np.mean([len(test) / (len(train) + len(test)) for train, test in splits])),
        **{"time_budget": time_budget, "memory_limit": memory_limit, "notes": outcome.notes},
    }
    # Those of the folds that all methods have; where there is no such fold, all that were done.
    partial_folds = {job.fold for job in outcome.jobs if job.key not in outcome.results}
    done = [job for job in outcome.jobs if job.key in outcome.results]
    parts = [outcome.results[job.key] for job in [job for job in done if job.fold not in partial_folds] or done]
    result = _make_result(parts, settings)
    _warn_of_fits(parts)
    _warn_of_gaps(result, sum(job.key not in outcome.results for job in outcome.jobs))
    return result


def _make_request(
    data: MultiLabelData,
    methods: Sequence[Method],
    names: Sequence[str],
    decisive: Mapping[str, Any],
    number: int | None = None,
    *,
    cv: Any,
    repeats: int,
    groups: Any,
) -> Request:
    """Return what is compared, on all instances or a sample of so many."""
    if number is None or number == data.Y.shape[0]:
        return Request(
            data, methods, _make_splits(cv, repeats, groups, data, decisive["random_state"]), names, decisive
        )
    part = sampled(data, number, decisive["random_state"])
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # labels too rare for the sample
        return Request(
            part, methods, _make_splits(cv, repeats, groups, part, decisive["random_state"]), names, decisive
        )


def _as_data(X: Any, y: Any, impute: str | None) -> MultiLabelData:
    if isinstance(X, MultiLabelData):
        if y is not None:
            raise DataError("a data set has its labels with it: leave y out, and name methods=, predictors=")
        check_table(X.X, "X")
        check_table(X.Y, "y")
        data = replace(X, X=canonical(X.X), impute=X.impute if impute is None else impute)
        check_finite(data.X, data.feature_names, data.name, training=True, missing=data.impute is not None)
        return data
    if y is None:
        raise DataError("y is missing: the labels, or a data set with its labels instead of X")
    features = check_features(BaseEstimator(), X, reset=True, missing=impute is not None)
    labels, known = check_known_labels(y, features.shape[0], sparse=is_sparse(y))
    labels = labels.astype(np.int8) if known is None else np.where(known, labels, np.nan)
    names = [
        column_names(table) or list(map(str, range(1, width + 1)))
        for table, width in ((X, features.shape[1]), (y, labels.shape[1]))
    ]
    return MultiLabelData(features, labels, names[0], names[1], "data", impute=impute)


def _make_splits(cv: Any, repeats: int, groups: Any, data: MultiLabelData, random_state: int) -> list[list[list[int]]]:
    """Return the rows that train and that test in each split."""
    if _is_integer(cv) or isinstance(cv, (str, float, bool, type(None))):
        if not _is_integer(cv) or cv < 2:
            raise ConfigurationError(
                f"cv must be an integer of at least 2, a splitter or pairs of rows to train and to test; got {cv!r}"
            )
        if groups is None:
            cv = MultilabelStratifiedKFold(int(cv), n_repeats=repeats, random_state=int(random_state) % 2**32)
            repeats = 1
        else:
            cv = GroupKFold(int(cv))
    if repeats != 1:
        raise ConfigurationError("repeats goes with a number of folds alone; give a splitter that repeats")
    name = type(cv).__name__
    try:
        if not hasattr(cv, "split") and groups is not None:
            raise ValueError("groups goes with a splitter or a number of folds")
        pairs = list(cv.split(data.X, data.Y, groups) if hasattr(cv, "split") else cv)
        rows = [[_row_numbers(part, data.Y.shape[0]) for part in pair] for pair in pairs]
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"cv: {name} does not split these data: {error}") from error
    for number, pair in enumerate(rows):
        if len(pair) != 2 or not all(pair) or set(pair[0]) & set(pair[1]):
            raise ConfigurationError(f"cv: split {number + 1} of {name} is no pair of rows to train and others to test")
    if not rows:
        raise ConfigurationError(f"cv: {name} has no split")
    return rows


def _row_numbers(part: Any, n_samples: int) -> list[int]:
    """Return the numbers of rows, sorted, of an array of them or of a mask."""
    given = np.asarray(part)
    numbers = np.flatnonzero(given) if given.dtype == bool and len(given) == n_samples else given
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers.size and numbers.min() < 0):
        raise ValueError(f"rows must be numbers from 0 on; got {part!r}")
    if numbers.size and numbers.max() >= n_samples:
        raise ValueError(f"there is no row {numbers.max()} in {n_samples}")
    return sorted(map(int, numbers))


def _splitter_name(cv: Any, groups: Any) -> str:
    """Return how the page calls the splitter."""
    if not _is_integer(cv):
        return type(cv).__name__ if hasattr(cv, "split") else "given rows"
    return "GroupKFold" if groups is not None else ""


def _taking_unknown(methods: Sequence[Method], predictors: Mapping[str, Any]) -> tuple[list[Method], dict[str, Any]]:
    """Return those that take unknown labels; name the others in a warning."""
    named = [method for method in methods if takes_unknown(method.label, method.entry)]
    chosen = {label: entry for label, entry in predictors.items() if takes_unknown(label, entry)}
    others = [method.label for method in methods if method not in named]
    others += [label for label in predictors if label not in chosen]
    remedy = 'mlreduce.list_methods(unknown_labels="cells") lists what takes them'
    if not named or not chosen:
        what = f"{'predictors' if named else 'methods'} to compare need all: {', '.join(others)}"
        raise ConfigurationError(f"some labels are unknown (NaN), and the {what}. {remedy}")
    if others:
        warn(f"left out, since some labels are unknown (NaN): {', '.join(others)}. {remedy}", UserWarning)
    return named, chosen


def _check_numbers(repeats: Any, sizes: Any, margin: Any) -> None:
    if not _is_integer(repeats) or repeats < 1:
        raise ConfigurationError(f"repeats must be an integer of at least 1; got {repeats!r}")
    if np.ndim(sizes) != 1 or not len(sizes) or not all(_is_integer(size) and 1 <= size <= 100 for size in sizes):
        raise ConfigurationError(f"sizes must be a list of integers of percent, 1..100; got {sizes!r}")
    if not margin >= 0:
        raise ConfigurationError(f"margin must be at least 0; got {margin!r}")


def _check_limits(time_budget: Any, memory_limit: Any) -> None:
    for name, unit, value in (("time_budget", "seconds", time_budget), ("memory_limit", "gigabytes", memory_limit)):
        if value is not None and not (isinstance(value, Real) and float(value) >= 0):
            raise ConfigurationError(f"{name} must be a number of {unit}, at least 0, or None; got {value!r}")


def _is_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _check_names(
    methods: Sequence[Method], predictors: Mapping[str, Any], measures: Sequence[str], scaling: str | None
) -> None:
    if not measures:
        raise ConfigurationError("measures names nothing to measure")
    for measure in measures:
        if find_measure(measure).needs == "codes":
            raise ConfigurationError(f"{measure} is a measure of label codes, which not all methods have")
    if scaling is not None and scaling not in SCALINGS:
        raise ConfigurationError(unknown_name("scaling", scaling, SCALINGS))
    models = {label: registry.make_entry(label, entry) for label, entry in predictors.items()}
    for label, model in models.items():
        if not hasattr(model, "predict"):
            raise ConfigurationError(f"predictors: {label}: {type(model).__name__} predicts nothing")
    coders = [method.label for method in methods if method.family == "labelspace"]
    if coders and not any(map(is_regressor, models.values())):
        raise ConfigurationError(
            f"{coders[0]} is a label coder, whose codes only regressors predict; name one under predictors, as ridge is"
        )


def _make_result(parts: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> Comparison:
    order = ["method", "predictor", "measure", "size_percent", "split"]
    scores = pd.DataFrame([row for part in parts for row in part["scores"]], columns=list(SCORES))
    failures = pd.DataFrame([row for part in parts for row in part["failures"]], columns=list(FAILURES))
    return Comparison(
        scores.sort_values(order, ignore_index=True, kind="stable"),
        failures.sort_values(["method", "predictor", "split"], ignore_index=True, kind="stable"),
        pd.DataFrame([part["fit"] for part in parts], columns=["method", "split", "seconds"]),
        settings,
    )


def _warn_of_fits(parts: Sequence[Mapping[str, Any]]) -> None:
    """Pass on what estimators warned of, in whichever process, once whatever its numbers."""
    fits: dict[tuple[str, str], dict[str, str]] = {}
    for part in parts:
        for text, category in part["warnings"]:
            key = re.sub(r"[0-9.]+", "", text), category
            fits.setdefault(key, {}).setdefault(part["fit"]["method"], text)
    for (_, category), texts in fits.items():
        methods = f"{', '.join([*texts][:3])}{' and others' if len(texts) > 3 else ''}"
        warn(f"{next(iter(texts.values()))} (with {methods})", getattr(exceptions, category, UserWarning))


def _warn_of_gaps(result: Comparison, left: int) -> None:
    failures, notes, budget = result.failures, result.settings["notes"], result.settings["time_budget"]
    if result.scores.empty:
        first = None if failures.empty else failures.iloc[0]
        reason = "; ".join(notes) or (
            f"the time budget of {budget:g} s ended before the first fit"
            if first is None
            else f"{first['method']}: {first['error']}: {first['message']}"
        )
        raise MLReduceError(f"nothing could be compared: {reason}")
    for note in notes:
        warnings.warn(note, stacklevel=3)
    if left:
        warnings.warn(
            f"the time budget of {budget:g} s ended with {left} fits to do; the same call with the same store resumes",
            stacklevel=3,
        )
    undefined = result.scores[result.scores["value"].isna()]
    for measure, rows in undefined.groupby("measure"):
        warn(
            f"{measure} is undefined on {rows['split'].nunique()} of {result.scores['split'].nunique()} folds, whose "
            "test rows all have a label or all lack it; these folds are left out of its means",
            UndefinedMetricWarning,
        )
    if len(failures):
        first = failures.iloc[0]
        cells = len(result.fits) * len(result.settings["predictors"])
        warnings.warn(
            f"{len(failures)} of {cells} evaluations failed, the first: {first['method']} with {first['predictor']} on "
            f"fold {first['split'] + 1}: {first['error']}: {first['message']}. All are in the attribute failures",
            stacklevel=3,
        )
