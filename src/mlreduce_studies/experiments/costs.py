"""Cost of fits on relation features and on the features themselves, at growing numbers of rows and features."""

from __future__ import annotations

import multiprocessing
import resource
import time
import warnings
from collections.abc import Iterator, Mapping
from multiprocessing.connection import wait
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import threadpoolctl

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.feature_space import make_reduction
from mlreduce.evaluation.scores import as_table
from mlreduce.evaluation.seeds import derive_seed
from mlreduce.evaluation.view import imputed
from mlreduce.exceptions import DataError
from mlreduce.preprocessing.scaling import scale_parts
from mlreduce.registry import has_shortcut
from mlreduce.spectral import TrainingSet
from mlreduce.validation import check_labels

#: Columns of a table of costs: rows, features, relation features (0 where there are none), seconds and peak memory.
COST_COLUMNS = ("dataset", "method", "swept", "space", "rows", "features", "prototypes", "seconds", "gigabytes")

# Bytes in the unit of the peak that the operating system counts, and in a gigabyte.
_KIBIBYTE, _GIGABYTE = 1024, 1e9


class _Fit(NamedTuple):
    """A fit that is measured in a process; relations to ``prototypes`` rows where there are some."""

    X: Any
    Y: Any
    label: str
    entry: Mapping[str, Any]
    metric: str
    prototypes: int
    seed: int


class _Case(NamedTuple):
    """A size at which methods are fitted."""

    swept: str
    space: str
    rows: int
    features: int
    prototypes: int


def _cases(shape: tuple[int, int], settings: Mapping[str, Any]) -> Iterator[_Case]:
    """Yield sizes: rows, features and prototypes in turn, the others at their largest."""
    n_samples, n_features = shape
    rows = sorted({min(n, n_samples) for n in settings["rows"]})
    features = sorted({min(d, n_features) for d in settings["features"]})
    prototypes = sorted({min(p, rows[-1]) for p in settings["prototypes"]})
    for n in rows:
        yield _Case("rows", "original", n, features[-1], 0)
        yield _Case("rows", "relation", n, features[-1], n)
    for d in features:
        yield _Case("features", "original", rows[-1], d, 0)
        yield _Case("features", "relation", rows[-1], d, rows[-1])
    for p in prototypes:
        yield _Case("prototypes", "relation", rows[-1], features[-1], p)


def measure_costs(
    data: MultiLabelData, settings: Mapping[str, Any], space: Mapping[str, Any], seed: int, failures: Failures = RAISE
) -> pd.DataFrame:
    """Fit methods at growing sizes, each in a separate process, on one thread.

    Rows are drawn at random, the same for all methods; features are those that occur in most rows. Seconds are those of
    computing the relations and of the fit with all directions. ``settings`` has ``methods`` as in a study file, and
    ``rows``, ``features``, ``prototypes``: sizes, cut to what there is. The relation of ``space``, see
    `mlreduce.evaluation.view.View`, is that of the prototypes. The seed is that of the study.

    ``failures`` takes what a fit raises, and that it ended without a result; a method that failed once is not tried at
    further sizes. Returns `COST_COLUMNS`; no row for a fit that failed.
    """
    data = imputed(data)
    order = np.random.default_rng(derive_seed(seed, data.name, "costs")).permutation(len(data.Y))
    counts = np.asarray((data.X != 0).sum(axis=0)).reshape(-1)
    by_use = np.argsort(-counts, kind="stable")
    rows = []
    known: dict[tuple[Any, ...], tuple[float, float] | None] = {}  # the largest size is swept in each direction
    for case in _cases(data.X.shape, settings):
        X = data.X[np.sort(order[: case.rows])][:, np.sort(by_use[: case.features])]
        scaled = scale_parts(X, X[:1], space.get("scaling") or "none").train
        labels = data.Y[np.sort(order[: case.rows])]
        for label, entry in settings["methods"].items():
            if (None, label) in failures:
                continue
            place = (label, *case[1:])
            if place not in known:
                fit = _Fit(scaled, labels, label, entry, space["relation"], case.prototypes, seed)
                known[place] = failures.attempt(None, label, _alone, fit)
            cost = known[place]
            if cost is not None:
                rows.append((data.name, label, *case, *cost))
    return as_table(rows, COST_COLUMNS)


def _alone(fit: _Fit) -> tuple[float, float]:
    """Fit in another process and return its seconds and its peak memory in gigabytes.

    It is a fork: a process that starts anew would run the calling script again.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(sender, fit))
    process.start()
    wait([receiver, process.sentinel])  # whichever is first: an answer, or an end without one
    if not receiver.poll():
        process.join()
        raise DataError(f"fitting {fit.label!r} to {fit.X.shape[0]} rows ended without a result (out of memory?)")
    answer: tuple[float, float] | str = receiver.recv()
    process.join()
    if isinstance(answer, str):
        raise DataError(f"fitting {fit.label!r} to {fit.X.shape[0]} rows: {answer}")
    return answer


def _measured(sender: Any, fit: _Fit) -> None:
    from mlreduce.preprocessing.relation import RelationFeatures

    method, X = make_reduction(fit.label, fit.entry, fit.seed), fit.X
    answer: tuple[float, float] | str
    try:
        with threadpoolctl.threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of small sizes: the logs of the fits of the study have them
            start = time.process_time()
            if fit.prototypes:
                number = None if fit.prototypes == X.shape[0] else fit.prototypes
                relations = RelationFeatures(metric=fit.metric, n_prototypes=number, random_state=fit.seed)
                X = relations.fit_transform(X)
            if has_shortcut(method, "fit_training_set", "fit"):
                method.fit_training_set(TrainingSet(X, check_labels(fit.Y, sparse=True)))
            else:
                method.fit(X, fit.Y)
            seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBIBYTE / _GIGABYTE
        answer = seconds, peak
    except Exception as error:  # noqa: BLE001 - it is raised again in the parent process
        answer = f"{type(error).__name__}: {error}"
    sender.send(answer)
    sender.close()
