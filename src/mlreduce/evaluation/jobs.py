"""Jobs of a comparison: a method on a fold with all predictors, run in processes by the loop of the studies."""

from __future__ import annotations

import math
import multiprocessing
import os
import threading
import time
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple, Self

import joblib
import numpy as np
import pandas as pd
import threadpoolctl
from joblib.parallel import get_active_backend
from sklearn.base import is_regressor
from sklearn.exceptions import UndefinedMetricWarning

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.compared import Method, user_classes
from mlreduce.evaluation.entries import Entry
from mlreduce.evaluation.failures import FAILURE_COLUMNS, FailedCellWarning
from mlreduce.evaluation.fitted_arrays import Arrays
from mlreduce.evaluation.loop import Experiment, Settings, Task
from mlreduce.evaluation.scores import SCORE_COLUMNS, as_table
from mlreduce.evaluation.strategy import Key
from mlreduce.exceptions import ConfigurationError, MLReduceError
from mlreduce.linalg.least_squares import Design
from mlreduce.metrics import find_measure
from mlreduce.validation import check_memory

#: Columns of the scores and of the failures.
SCORES = tuple(name for name in SCORE_COLUMNS if name not in ("dataset", "energy"))
FAILURES = ("method", "predictor", "split", "step", "error", "message")
#: Form of what comes of a job, as of `mlreduce.evaluation.store.Store`.
FORM = {
    "scores": [(str, str, str, int, int, int, str, float)],
    "failures": [(str, str, int, str, str, str)],
    "fit": {"method": str, "split": int, "seconds": float},
    "warnings": [(str, str)],
}

# Replaces the names of study and data set: folds and seeds depend on what the data are, not on what they are called.
_NAME = "comparison"
# Methods that this process has fitted, so that no time of a fit has imports and compilation in it.
_warm: set[str] = set()
# Held by a job, where a backend runs several in threads: warnings and BLAS threads are settings of the process.
_one = threading.Lock()
# Seconds after which a process looks whether its owner is there, and the name of the thread that looks.
_PERIOD, _WATCH = 1.0, "mlreduce-owner"


class Job(NamedTuple):
    """A method on a fold, with all predictors."""

    method: Method
    fold: int
    #: Digest of all that the scores depend on.
    key: str


@dataclass(frozen=True)
class Common:
    """What all jobs have in common: with a job all that a process on another machine needs."""

    data: MultiLabelData
    #: Plain values: predictors, measures, sizes, scaling, decision, ties and random_state as of `mlreduce.compare`, and
    #: the rule of the splits.
    settings: Mapping[str, Any]
    #: Classes registered in the calling script, which other processes have to register too.
    classes: Mapping[str, tuple[str, type]]
    #: Factorised features, for label coders.
    design: Design | None = None
    #: The process that waits for the jobs; those that it started end with it, however it ends.
    owner: int = field(default_factory=os.getpid)

    @classmethod
    def collect(cls, data: MultiLabelData, settings: Mapping[str, Any], names: Collection[str]) -> Self:
        """Return it for names of methods and predictors."""
        return cls(replace(data, name=_NAME), settings, user_classes(names))

    def register(self) -> None:
        """Register the classes in this process."""
        for name, (kind, cls) in self.classes.items():
            registry.register(name, kind)(cls)

    def __sizeof__(self) -> int:
        """Return the bytes of its numbers, by which Dask's backend sends it to a worker once and not with each job."""
        return sum(array.data.nbytes for array in (self.data.X, self.data.Y, *(self.design or ())))


def factorise(data: MultiLabelData, scaling: str) -> Design | None:
    """Factorise the features once for the label coders of all folds; not where folds fill or scale."""
    rows, columns = data.X.shape
    check_memory(24 * rows * (columns + 1), "factorising the features for label coders", "leave label coders out")
    if data.impute is not None or scaling != "none":
        return None
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        return Design.factorise(data.X, rcond=0.0)


def run_all(
    jobs: Sequence[Job], common: Common, n_jobs: int | None, deadline: float, progress: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the key of each job with its result, as they end, from ``n_jobs`` processes.

    None is started after the deadline, as of ``time.monotonic``, which may be infinite. ``progress`` shows a bar where
    the output is a terminal and tqdm is installed.
    """

    def due() -> Iterator[Any]:
        for job in jobs:
            if deadline < math.inf and time.monotonic() > deadline:
                return
            yield joblib.delayed(run_job)(job, common)

    with progress_bar(len(jobs), progress) as bar:
        try:
            for key, result in _run_tasks(due(), n_jobs):
                if bar is not None:
                    bar.set_postfix_str(f"{result['fit']['method']}, fold {result['fit']['split'] + 1}")
                    bar.update()
                yield key, result
        except (BrokenExecutor, CancelledError) as error:
            raise MLReduceError(
                f"a process was lost in the middle of a fit, most often since memory ran out ({type(error).__name__}: "
                f"{error}). The same call resumes if it has a store; fewer processes (n_jobs) need less memory"
            ) from error


def ends_fits() -> bool:
    """Whether fits run in processes of this machine that can be ended: where no other backend of joblib is set."""
    return type(get_active_backend()[0]).__name__ == "LokyBackend"


def _run_tasks(tasks: Iterator[Any], n_jobs: int | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what comes of tasks as they end: in the processes of joblib, or of the backend that is set there."""
    backend, _ = get_active_backend()
    try:
        at_once = joblib.effective_n_jobs(n_jobs)
    except Exception as error:
        reason = f"{type(backend).__name__} of joblib, n_jobs={n_jobs}, can run nothing; is there a cluster?"
        raise ConfigurationError(f"{reason} {error}") from error
    if backend.supports_return_generator:
        # As few tasks ahead as keep all processes at work: one that is dispatched is done.
        yield from joblib.Parallel(n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)(tasks)
        return
    while some := list(islice(tasks, at_once)):  # Ray's
        yield from joblib.Parallel(n_jobs, batch_size=1)(some)


def progress_bar(total: int, progress: bool, text: str = "compare") -> Any:
    """Return a bar with a text, or a context of None where none is shown."""
    if progress:
        with suppress(ModuleNotFoundError):
            from tqdm import tqdm

            return tqdm(total=total, desc=text, unit="fit", disable=None)
    return nullcontext()


def _end_with(owner: int) -> None:
    """Let a process of joblib end when the one that started it has ended: after SIGKILL nothing else would end it."""
    if multiprocessing.current_process().name.startswith("LokyProcess"):  # not this one, or one of another machine
        watch_parent(owner)


def watch_parent(parent: int) -> None:
    """Let this process end when its parent has ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PERIOD)
        os._exit(1)

    if not any(thread.name == _WATCH for thread in threading.enumerate()):
        threading.Thread(target=watch, name=_WATCH, daemon=True).start()


def warm_up(method: Method, common: Common) -> None:
    """Import and compile what the first fit of a method in this process would, by a small job, once."""
    known, predictors = registry.method_names(), common.settings["predictors"]
    if repr(method) in _warm or "program" in method.entry or registry.entry_name(*method[:2]) not in known:
        return
    _warm.add(repr(method))
    ours = {label: entry for label, entry in predictors.items() if registry.entry_name(label, entry) in known}
    random = np.random.default_rng(0)
    data = MultiLabelData(random.standard_normal((40, 4)), random.integers(0, 2, (40, 3)).astype(np.int8))
    settings = {**common.settings, "predictors": ours, "rule": {"rows": [[[*range(30)], [*range(30, 40)]]]}}
    with warnings.catch_warnings(action="ignore"), suppress(Exception):  # which the jobs will raise
        _run(Job(method, 0, ""), replace(common, data=data, settings=settings, design=None))


def run_job(job: Job, common: Common) -> tuple[str, dict[str, Any]]:
    """Return the key of a job and its result, in a process of joblib or in this one."""
    _end_with(common.owner)
    common.register()
    warm_up(job.method, common)
    return job.key, _run(job, common)


def _run(job: Job, common: Common) -> dict[str, Any]:
    # One BLAS thread: the bits must not depend on the number of processes.
    with _one, warnings.catch_warnings(record=True) as caught, threadpoolctl.threadpool_limits(1, user_api="blas"):
        warnings.simplefilter("ignore", FailedCellWarning)  # the failures are returned
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # NaN is
        start = time.perf_counter()
        fitted: dict[Key, Arrays] = {}
        _, before = _make_experiment(job, common).fit(None, as_table([], FAILURE_COLUMNS), fitted.__setitem__)
        seconds = time.perf_counter() - start
        parts = [
            _predict_and_measure(job, common, fitted, before, predictor)
            for predictor in common.settings["predictors"].items()
            if job.method.family != "labelspace" or is_regressor(registry.make_entry(*predictor))
        ]
    scores, failures = (pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True))
    return {
        "scores": scores[list(SCORES)].astype(object).to_numpy().tolist(),
        "failures": failures[list(FAILURES)].astype(object).to_numpy().tolist(),
        "fit": {"method": job.method.label, "split": job.fold, "seconds": seconds},
        "warnings": [[*one] for one in dict.fromkeys((str(one.message), one.category.__name__) for one in caught)],
    }


def _predict_and_measure(
    job: Job, common: Common, fitted: Any, failures: pd.DataFrame, predictor: tuple[str, Entry]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure a predictor; one that does not rank labels by the measures of labels alone."""
    measures = common.settings["measures"]
    of_labels = [name for name in measures if find_measure(name).needs == "labels"]
    if job.method.family != "labelspace":
        try:
            return _make_experiment(job, common, predictor, measures).predict(fitted, None, failures)
        except ConfigurationError:
            # Whether a classifier around another ranks labels shows when it predicts.
            if measures == of_labels:
                raise
    return _make_experiment(job, common, predictor, of_labels).predict(fitted, None, failures)


def _make_experiment(
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
    experiment: Settings = {
        "family": method.family,
        "space": {"scaling": settings["scaling"], "relation": None},
        "tasks": [task],
        "measured": {
            **{"sizes": sizes, "energies": [], "every_size": False, "measures": measures},
            "decision": settings["decision"],
        },
        "ties": settings["ties"],
    }
    return Experiment(_NAME, common.data, experiment, settings["random_state"], common.design)
