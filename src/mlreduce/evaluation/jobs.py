"""Jobs of a comparison: a method on a fold with all predictors, run in processes by the loop of the studies."""

from __future__ import annotations

import time
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import joblib
import pandas as pd
import threadpoolctl
from sklearn.base import is_regressor

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.compared import Entry, Method, own_classes
from mlreduce.evaluation.failures import FAILURE_COLUMNS, FailedCellWarning
from mlreduce.evaluation.fitted_arrays import Arrays
from mlreduce.evaluation.loop import Experiment, Settings, Task
from mlreduce.evaluation.scores import SCORE_COLUMNS, as_table
from mlreduce.evaluation.strategy import Key
from mlreduce.exceptions import ConfigurationError
from mlreduce.linalg.least_squares import Design
from mlreduce.metrics import find_measure
from mlreduce.validation import check_memory

__all__ = ["FAILURES", "FORM", "SCORES", "Common", "Job", "factorise", "run_all"]

#: Columns of the scores and of the failures.
SCORES = tuple(name for name in SCORE_COLUMNS if name not in ("dataset", "energy"))
FAILURES = ("method", "predictor", "split", "step", "error", "message")
#: Form of what comes of a job, as of `mlreduce.evaluation.store.Store`.
FORM = {
    "scores": [(str, str, str, int, int, int, str, float)],
    "failures": [(str, str, int, str, str, str)],
    "fit": {"method": str, "split": int, "seconds": float},
}

# Stands for study and data set: folds and seeds depend on what the data are, not on what they are called.
_NAME = "comparison"


class Job(NamedTuple):
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


class Common(NamedTuple):
    """What all jobs have in common.

    Attributes
    ----------
    data : MultiLabelData
    settings : dict
        Plain values: predictors, measures, sizes, scaling, decision and random_state as of `mlreduce.compare`, and the
        rule of the splits.
    design : str or None
        File of the factorised features, for label coders.
    classes : dict of str to (str, type)
        Classes registered in the calling script, which other processes have to register too.
    """

    data: MultiLabelData
    settings: Mapping[str, Any]
    design: str | None
    classes: Mapping[str, tuple[str, type]]

    @classmethod
    def of(cls, data: MultiLabelData, settings: Mapping[str, Any], names: Collection[str], design: str | None) -> Self:
        """Return it for names of methods and predictors."""
        return cls(replace(data, name=_NAME), settings, design, own_classes(names))


def factorise(data: MultiLabelData, folder: Path) -> str | None:
    """Factorise the features once for the label coders of all folds, into a file of a folder; not where folds fill."""
    rows, columns = data.X.shape
    check_memory(24 * rows * (columns + 1), "factorising the features for label coders", "leave label coders out")
    if data.impute is not None:
        return None
    path = folder / "design.npz"
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        Design.of(data.X, rcond=0.0).save(path)
    return str(path)


def run_all(
    jobs: Sequence[Job], common: Common, n_jobs: int | None, deadline: float | None, progress: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the key of each job with what came of it, as they end; none is begun after the deadline.

    Parameters
    ----------
    jobs, common
    n_jobs : int or None
        Processes.
    deadline : float or None
        As of ``time.monotonic``.
    progress : bool
        Show a bar, where the output is a terminal and tqdm is installed.
    """

    def due() -> Iterator[Any]:
        for job in jobs:
            if deadline is not None and time.monotonic() > deadline:
                return
            yield joblib.delayed(_run)(job, common)

    # As few jobs ahead as keep all processes at work: one that is dispatched is done.
    running = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)
    with _bar(len(jobs), progress) as bar:
        for key, own in running(due()):
            if bar is not None:
                bar.set_postfix_str(f"{own['fit']['method']}, fold {own['fit']['split'] + 1}")
                bar.update()
            yield key, own


def _bar(total: int, progress: bool) -> Any:
    if progress:
        with suppress(ModuleNotFoundError):
            from tqdm import tqdm

            return tqdm(total=total, desc="compare", unit="fit", disable=None)
    return nullcontext()


def _run(job: Job, common: Common) -> tuple[str, dict[str, Any]]:
    for name, (kind, cls) in common.classes.items():
        registry.register(name, kind)(cls)
    # One BLAS thread: the bits must not depend on the number of processes.
    with warnings.catch_warnings(), threadpoolctl.threadpool_limits(1, user_api="blas"):
        warnings.simplefilter("ignore", FailedCellWarning)  # the failures are returned
        start = time.perf_counter()
        fitted: dict[Key, Arrays] = {}
        _, before = _experiment(job, common).fit(None, as_table([], FAILURE_COLUMNS), fitted.__setitem__)
        seconds = time.perf_counter() - start
        parts = [
            _predict(job, common, fitted, before, predictor)
            for predictor in common.settings["predictors"].items()
            if job.method.family != "labelspace" or is_regressor(registry.make_entry(*predictor))
        ]
    scores, failures = (pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True))
    return job.key, {
        "scores": scores[list(SCORES)].astype(object).to_numpy().tolist(),
        "failures": failures[list(FAILURES)].astype(object).to_numpy().tolist(),
        "fit": {"method": job.method.label, "split": job.fold, "seconds": seconds},
    }


def _predict(
    job: Job, common: Common, fitted: Any, failures: pd.DataFrame, predictor: tuple[str, Entry]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure a predictor; one that does not rank labels by the measures of labels alone."""
    measures = common.settings["measures"]
    of_labels = [name for name in measures if find_measure(name).needs == "labels"]
    if job.method.family != "labelspace":
        try:
            return _experiment(job, common, predictor, measures).predict(fitted, None, failures)
        except ConfigurationError:
            # Whether a classifier around another ranks labels shows when it is asked to.
            if measures == of_labels:
                raise
    return _experiment(job, common, predictor, of_labels).predict(fitted, None, failures)


def _experiment(
    job: Job, common: Common, predictor: tuple[str, Entry] | None = None, measures: Sequence[str] = ()
) -> Experiment:
    method, settings = job.method, common.settings
    cls = registry.method_class(registry.entry_name(method.label, method.entry))
    # Binary relevance, which codes no labels, has the full size alone, as the control that keeps all features has.
    sizes = settings["sizes"] if getattr(cls, "reduces", True) else [100]
    task: Task = {
        "protocol": "cv",
        "group": "methods",
        "rule": settings["rule"],
        "splits": (job.fold, job.fold),
        "methods": {method.label: method.entry},
        "predictors": dict([] if predictor is None else [predictor]),
        "dimensions": [],
    }
    asked: Settings = {
        "family": method.family,
        "space": {"scaling": settings["scaling"], "relation": None},
        "tasks": [task],
        "measured": {
            **{"sizes": sizes, "energies": [], "every_size": False, "measures": measures},
            "decision": settings["decision"],
        },
    }
    return Experiment(_NAME, common.data, asked, settings["random_state"], common.design)
