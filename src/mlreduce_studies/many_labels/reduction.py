"""Reducers of the features: methods of the library, and hashing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import scipy.sparse as sp
from scipy.linalg import clarkson_woodruff_transform

import mlreduce
from mlreduce.validation.limits import within_limits
from mlreduce_studies.experiments.memory import begin_peak, process_bytes
from mlreduce_studies.many_labels.data import Data
from mlreduce_studies.many_labels.settings import NONE, name_and_percent
from mlreduce_studies.many_labels.store import bytes_of, stacked


class Reduced(NamedTuple):
    """Features of all rows, and what they cost."""

    X: Any
    #: Of the processor, to fit and to transform the training rows.
    seconds: float = 0.0
    #: To transform the other rows.
    predict: float = 0.0
    #: Bytes of the fitted reducer.
    size: int = 0
    #: Bytes of the process at most.
    peak: float = 0.0
    #: Why there are no features.
    reason: str = ""


def reduce(data: Data, reducer: str, limits: dict[str, float]) -> Reduced:
    """Reduce the features."""
    name, percent = name_and_percent(reducer)
    if name == NONE:
        return Reduced(data.X)
    width = max(1, data.X.shape[1] * percent // 100)
    work = _hashed if name == "hashing" else _transformed
    return measured(lambda: work(data, name, width), limits, Reduced(None))


def measured(work: Callable[[], Any], limits: dict[str, float], failed: Any) -> Any:
    """Return what work within limits returns, with the peak of the process unless it has one; or why it failed.

    ``work`` returns a named tuple with ``peak`` and ``reason``; ``failed`` is one, returned with the reason of an
    error. The limits are as of `mlreduce.validation.limits.within_limits`.
    """
    begin_peak()
    try:
        with within_limits(limits):
            result = work()
    except Exception as error:  # noqa: BLE001 - a method may raise any error
        return failed._replace(reason=f"{type(error).__name__}: {error}".splitlines()[0])
    return result if result.peak else result._replace(peak=process_bytes("VmHWM"))


def _hashed(data: Data, _: str, width: int) -> Reduced:
    """Add each feature, with a random sign, to one of so many: a sketch that stays sparse."""
    began = time.process_time()
    X = sp.csr_array(clarkson_woodruff_transform(sp.csc_array(data.X.T), width, 0).T)
    seconds, share = time.process_time() - began, data.starts[0] / data.X.shape[0]
    return Reduced(X, seconds * share, seconds * (1 - share), 5 * data.X.shape[1])  # a place and a sign each


def _transformed(data: Data, name: str, width: int) -> Reduced:
    cut = data.starts[0]
    parameter = "k" if name in mlreduce.registry.method_names("selection") else "n_components"
    method = mlreduce.make(name, **{parameter: width})
    if "random_state" in method.get_params():
        method.set_params(random_state=0)
    began = time.process_time()
    method.fit(data.X[:cut], data.labels)
    trained = method.transform(data.X[:cut])
    fitted = time.process_time()
    others = method.transform(data.X[cut:])
    predict = time.process_time() - fitted
    return Reduced(stacked([trained, others]), fitted - began, predict, bytes_of(method))
