"""Running a comparison: a job per method and fold, in processes, kept in a folder."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, is_regressor

from mlreduce import registry
from mlreduce.comparison.entries import Method, as_entries, family_of, own_classes, ranks_labels
from mlreduce.comparison.result import Comparison
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.files import replacing
from mlreduce.exceptions import ConfigurationError, DataError, MLReduceError
from mlreduce.experiments.failures import FAILURE_COLUMNS, FailedCellWarning
from mlreduce.experiments.loop import Experiment
from mlreduce.experiments.scores import SCORE_COLUMNS, as_table
from mlreduce.metrics import find_measure
from mlreduce.preprocessing.scaling import SCALINGS
from mlreduce.validation import check_features, check_labels, is_sparse

__all__ = ["DEFAULT_MEASURES", "DEFAULT_METHODS", "DEFAULT_PREDICTORS", "compare"]

#: What is compared where nothing is named: no reduction, and the projections and selectors of the papers that take any
#: data, among them the fastest.
DEFAULT_METHODS = ("all-features", "random-projection", "pca", "pls", "rcca", "mddmp", "mvmd", "mlda", "mlfs", "gmba")
DEFAULT_PREDICTORS = ("ridge", "ml-knn")
DEFAULT_MEASURES = ("micro-f1", "macro-f1", "hamming-loss", "ranking-loss")

_STUDY = "comparison"


class _Job(NamedTuple):
    """A method on a fold, with all predictors.

    Attributes
    ----------
    method : Method
    fold : int
    key : str
        Digest of all that the scores depend on.
    """

    method: Method
    fold: int
    key: str


class _Common(NamedTuple):
    """What all jobs have in common, as plain values."""

    data: MultiLabelData
    rule: Mapping[str, Any]
    predictors: Mapping[str, Any]
    measures: Sequence[str]
    sizes: Sequence[int]
    scaling: str
    seed: int
    design: str | None
    classes: Mapping[str, tuple[str, type]]


def compare(
    X: Any,
    y: Any = None,
    methods: Any = DEFAULT_METHODS,
    predictors: Any = DEFAULT_PREDICTORS,
    *,
    cv: int = 5,
    repeats: int = 1,
    sizes: Sequence[int] = (10, 25, 50),
    measures: Sequence[str] = DEFAULT_MEASURES,
    scaling: str | None = None,
    margin: float = 0.01,
    n_jobs: int | None = None,
    time_budget: float | None = None,
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
        Features, no value missing. A data set (`mlreduce.load_dataset`, `mlreduce.read`) has its labels with it.
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None, default=None
        Labels in {0, 1} or {-1, 1}; None where ``X`` is a data set.
    methods : sequence or dict, default=DEFAULT_METHODS
        Names of `mlreduce.list_methods`, import paths of classes of other packages, or estimators (not fitted); or a
        dict of label to these, or to a dict of parameters with ``method`` or ``class``. Projections, selectors and
        label coders may be mixed.
    predictors : sequence or dict, default=("ridge", "ml-knn")
        As ``methods``: regressors, whose predictions above one half are labels, or multi-label classifiers. Label
        coders are combined with the regressors alone, which then predict codes.
    cv : int, default=5
        Number of folds, at least 2; rows are shuffled.
    repeats : int, default=1
        How often the rows are shuffled and cut into folds anew.
    sizes : sequence of int, default=(10, 25, 50)
        In percent of the features (of the labels for label coders), 1..100.
    measures : sequence of str, default=("micro-f1", "macro-f1", "hamming-loss", "ranking-loss")
        Of `mlreduce.metrics.MEASURES`. Those that rank labels are left out for predictors that give labels only.
    scaling : {"standard", "none", "tf-idf"} or None, default=None
        What is done to the features; None is "standard" for dense and "none" for sparse ones.
    margin : float, default=0.01
        Differences of at most so much, in units of a measure, count as none.
    n_jobs : int or None, default=None
        Processes; None is 1, -1 all cores. The scores do not depend on it.
    time_budget : float or None, default=None
        Seconds after which no further job is begun. Folds are done one after another, so that what is there is
        balanced but for the last.
    store : path or None, default=None
        A folder that keeps each job's scores. The same call goes on where it was interrupted, and with more methods
        runs these alone. Scores of classes of your own are kept as long as their source is the same.
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
        If a name, class, parameter, measure or scaling is unknown, or the combination has nothing to compare.
    DataError
        If X and y do not fit together, or a value is missing.

    Warns
    -----
    UserWarning
        If a method failed on a fold, or the time budget ended before the last job.

    References
    ----------
    Corani and Benavoli (2015), "A Bayesian approach for comparing cross-validated algorithms on multiple data sets",
    Machine Learning 100.

    Examples
    --------
    >>> import mlreduce
    >>> X, y = mlreduce.load_dataset("planted-300", return_X_y=True)
    >>> found = mlreduce.compare(X, y, ["pca", "mvmd"], ["ridge"], cv=3, sizes=[20], measures=["micro-f1"])
    >>> found.scores.shape[0]
    6
    """
    began = time.monotonic()
    data = _as_data(X, y)
    named = [Method(label, entry, family_of(label, entry)) for label, entry in as_entries(methods, "methods").items()]
    chosen = as_entries(predictors, "predictors")
    _check(named, chosen, cv, repeats, sizes, measures, scaling, margin)
    if scaling is None:
        scaling = "none" if is_sparse(data.X) else "standard"
    names = {name for entries in (*((own.label, own.entry) for own in named), *chosen.items())
             for name in registry.names_in(*entries)}  # fmt: skip
    versions = _versions(names)
    common = _Common(
        data, {"folds": cv}, chosen, tuple(measures), tuple(sorted(set(sizes))), scaling, random_state, None,
        own_classes(names),
    )  # fmt: skip
    shared = joblib.hash(
        (data.X, data.Y, cv, chosen, common.measures, common.sizes, scaling, random_state, versions,
         {name: _source(cls) for name, (_, cls) in common.classes.items()})
    )  # fmt: skip
    jobs = [_Job(method, fold, joblib.hash((shared, method, fold))) for fold in range(cv * repeats) for method in named]
    folder = None if store is None else Path(store)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    found = {job.key: own for job in jobs if (own := _read(folder, job)) is not None}
    left = [job for job in jobs if job.key not in found]
    with TemporaryDirectory() as temporary:
        if any(job.method.family == "labelspace" for job in left):
            common = common._replace(design=_factorised(data, Path(temporary)))
        deadline = None if time_budget is None else began + time_budget
        for job, own in _done(left, common, n_jobs, deadline, progress):
            found[job.key] = own
            _write(folder, job, own)
    settings = {
        "data": {"name": data.name, **data.describe()},
        "methods": {own.label: dict(own.entry) for own in named},
        "families": {own.label: own.family for own in named},
        "predictors": {label: dict(entry) for label, entry in chosen.items()},
        **{"cv": cv, "repeats": repeats, "sizes": list(common.sizes), "measures": list(measures), "scaling": scaling},
        **{"margin": margin, "random_state": random_state, "versions": versions},
    }
    result = _result([found[job.key] for job in jobs if job.key in found], settings)
    _warn(result, len(jobs) - len(found), time_budget)
    return result


def _as_data(X: Any, y: Any) -> MultiLabelData:
    if isinstance(X, MultiLabelData):
        if y is not None:
            raise DataError("a data set has its labels with it; leave y out")
        return X
    if y is None:
        raise DataError("y is missing: the labels, or a data set with its labels instead of X")
    labels = check_labels(y)
    features = check_features(BaseEstimator(), X, reset=True)
    if features.shape[0] != labels.shape[0]:
        raise DataError(f"X has {features.shape[0]} rows and y has {labels.shape[0]}; they must agree")
    columns = [
        list(map(str, own.columns)) if isinstance(own, pd.DataFrame) else list(map(str, range(1, width + 1)))
        for own, width in ((X, features.shape[1]), (y, labels.shape[1]))
    ]
    return MultiLabelData(features, labels.astype(np.int8), columns[0], columns[1], "data")


def _check(
    methods: Sequence[Method], predictors: Mapping[str, Any], cv: int, repeats: int, sizes: Sequence[int],
    measures: Sequence[str], scaling: str | None, margin: float,
) -> None:  # fmt: skip
    for name, value, least in (("cv", cv, 2), ("repeats", repeats, 1)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise ConfigurationError(f"{name} must be a whole number of at least {least}; got {value!r}")
    if not len(sizes) or not all(isinstance(size, (int, np.integer)) and 1 <= size <= 100 for size in sizes):
        raise ConfigurationError(f"sizes must be whole numbers of percent, 1..100; got {sizes!r}")
    if not measures:
        raise ConfigurationError("measures names nothing to measure")
    for measure in measures:
        if find_measure(measure).needs == "codes":
            raise ConfigurationError(f"{measure} is a measure of label codes, which not all methods have")
    if scaling is not None and scaling not in SCALINGS:
        raise ConfigurationError(f"scaling must be one of {', '.join(SCALINGS)}; got {scaling!r}")
    if not margin >= 0:
        raise ConfigurationError(f"margin must be at least 0; got {margin!r}")
    models = {label: registry.make_entry(label, entry) for label, entry in predictors.items()}
    for label, model in models.items():
        if not hasattr(model, "predict"):
            raise ConfigurationError(f"predictors: {label}: {type(model).__name__} predicts nothing")
    coders = [method.label for method in methods if method.family == "labelspace"]
    if coders and not any(map(is_regressor, models.values())):
        raise ConfigurationError(
            f"{coders[0]} is a label coder, whose codes only regressors predict; name one under predictors, as ridge is"
        )


def _versions(names: set[str]) -> dict[str, str]:
    paths = sorted(filter(registry.is_import_path, names))
    packages = dict(registry.package_of(path).rpartition(" ")[::2] for path in paths)
    return {**{name: version(name) for name in ("mlreduce", "numpy", "scipy", "scikit-learn")}, **packages}


def _source(cls: type) -> str:
    import inspect

    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):  # typed into an interpreter
        return repr(cls)


def _factorised(data: MultiLabelData, folder: Path) -> str:
    """Factorise the features once for the label coders of all folds."""
    from mlreduce.linalg.least_squares import Design
    from mlreduce.validation import check_memory

    rows, columns = data.X.shape
    check_memory(24 * rows * (columns + 1), "factorising the features for label coders", "leave label coders out")
    path = folder / "design.npz"
    Design.of(data.X, rcond=0.0).save(path)
    return str(path)


def _done(
    jobs: Sequence[_Job], common: _Common, n_jobs: int | None, deadline: float | None, progress: bool
) -> Iterator[tuple[_Job, dict[str, Any]]]:
    """Yield jobs with what came of them, as they end; none is begun after the deadline."""

    def due() -> Iterator[Any]:
        for job in jobs:
            if deadline is not None and time.monotonic() > deadline:
                return
            yield joblib.delayed(_run)(job, common)

    # As few jobs ahead as keep all processes at work: one that is dispatched is done.
    running = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)
    with _bar(len(jobs), progress) as bar:
        for job, own in running(due()):
            if bar is not None:
                bar.set_postfix_str(f"{job.method.label}, fold {job.fold + 1}")
                bar.update()
            yield job, own


def _bar(total: int, progress: bool) -> Any:
    if progress:
        with suppress(ModuleNotFoundError):
            from tqdm import tqdm

            return tqdm(total=total, desc="compare", unit="fit", disable=None)
    return nullcontext()


def _run(job: _Job, common: _Common) -> tuple[_Job, dict[str, Any]]:
    for name, (kind, cls) in common.classes.items():
        registry.register(name, kind)(cls)
    method, models = job.method, {}
    for label, entry in common.predictors.items():
        model = registry.make_entry(label, entry)
        if method.family != "labelspace" or is_regressor(model):
            models[label] = model
    tables, failed = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FailedCellWarning)  # the failures are returned
        start = time.perf_counter()
        fit = next(iter(_experiment(job, common, [], {}).fit(None, as_table([], FAILURE_COLUMNS))))
        fitted = dict(fit.arrays)
        seconds = time.perf_counter() - start
        before = fit.failures
        for label, model in models.items():
            ranked = method.family != "labelspace" and ranks_labels(model)
            of_labels = [name for name in common.measures if find_measure(name).needs == "labels"]
            measured = list(common.measures) if ranked else of_labels
            try:
                scores, failures = _experiment(job, common, measured, {label: common.predictors[label]}).predict(
                    fitted, None, before
                )
            except ConfigurationError:
                # A transformation around a classifier has the verb, and its classifier has not.
                if measured == of_labels:
                    raise
                scores, failures = _experiment(job, common, of_labels, {label: common.predictors[label]}).predict(
                    fitted, None, before
                )
            tables.append(scores)
            failed.append(failures)
    scores = pd.concat(tables, ignore_index=True)[[name for name in SCORE_COLUMNS if name not in ("dataset", "energy")]]
    failures = pd.concat(failed).drop_duplicates(ignore_index=True)
    cells = failures[["method", "predictor", "split", "step", "error", "message"]]
    return job, {
        "scores": scores.to_dict("list"),
        "failures": cells.astype(object).to_dict("list"),
        "fit": {"method": method.label, "split": job.fold, "seconds": seconds},
    }


def _experiment(job: _Job, common: _Common, measures: Sequence[str], predictors: Mapping[str, Any]) -> Experiment:
    method = job.method
    settings = {
        "family": method.family,
        "space": {"scaling": common.scaling, "relation": None},
        "tasks": [
            {
                "protocol": "cv",
                "group": "methods",
                "rule": common.rule,
                "splits": (job.fold, job.fold),
                "methods": {method.label: method.entry},
                "predictors": predictors,
                "dimensions": [],
            }
        ],
        "measured": {"sizes": common.sizes, "energies": [], "every_size": False, "measures": measures},
    }
    return Experiment(_STUDY, common.data, settings, common.seed, common.design)


def _read(folder: Path | None, job: _Job) -> dict[str, Any] | None:
    """Return what an earlier call kept of a job; None where there is nothing, or nothing whole."""
    if folder is None:
        return None
    try:
        kept = json.loads((folder / f"{job.key}.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
        return None
    return kept if isinstance(kept, dict) and {"scores", "failures", "fit"} <= kept.keys() else None


def _write(folder: Path | None, job: _Job, own: Mapping[str, Any]) -> None:
    if folder is not None:
        with replacing(folder / f"{job.key}.json") as path:
            path.write_text(json.dumps(own), encoding="utf-8")


def _result(parts: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> Comparison:
    scores, failures = (
        pd.concat([pd.DataFrame(own[key]) for own in parts if own[key]["method"]], ignore_index=True)
        if any(own[key]["method"] for own in parts)
        else pd.DataFrame(columns=columns)
        for key, columns in (
            ("scores", [name for name in SCORE_COLUMNS if name not in ("dataset", "energy")]),
            ("failures", ["method", "predictor", "split", "step", "error", "message"]),
        )
    )
    order = ["method", "predictor", "measure", "size_percent", "split"]
    return Comparison(
        scores.sort_values(order, ignore_index=True, kind="stable"),
        failures.sort_values(["method", "predictor", "split"], ignore_index=True, kind="stable"),
        pd.DataFrame([own["fit"] for own in parts], columns=["method", "split", "seconds"]),
        settings,
    )


def _warn(result: Comparison, left: int, time_budget: float | None) -> None:
    if result.scores.empty:
        reason = (
            f"{result.failures['method'].iloc[0]}: {result.failures['message'].iloc[0]}"
            if len(result.failures)
            else f"the time budget of {time_budget:g} s ended before the first fit"
        )
        raise MLReduceError(f"nothing could be compared: {reason}")
    if left:
        warnings.warn(
            f"the time budget of {time_budget:g} s ended with {left} fits to do; the same call with the same store "
            "goes on",
            stacklevel=3,
        )
    if len(result.failures):
        first = result.failures.iloc[0]
        warnings.warn(
            f"{len(result.failures)} fits failed, the first: {first['method']} on fold {first['split'] + 1}: "
            f"{first['error']}: {first['message']}. All are in the attribute failures",
            stacklevel=3,
        )
