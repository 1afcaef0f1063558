"""Processor seconds of fitting methods on their own, with nothing shared between methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import scipy.sparse as sp

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.feature_space import fit_method, make_reduction
from mlreduce.evaluation.label_space import make_coder
from mlreduce.evaluation.scores import as_table
from mlreduce.evaluation.selection import make_selector
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.view import View, imputed, normalise
from mlreduce.validation import as_dense

__all__ = ["time_fits"]


def time_fits(
    family: str,
    data: MultiLabelData,
    splits: Mapping[int, Split],
    methods: Mapping[str, Mapping[str, Any]],
    space: Mapping[str, Any],
    seed: int = 0,
    failures: Failures = RAISE,
    scalings: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Time fitting each method on each training part, with all directions or features.

    Every method is fitted once before it is timed: what is imported, compiled or allocated first is no part of a fit.
    Seconds are the processor's, which other work on the machine does not lengthen. Selectors get scaled features, or
    those of a scaling of their own, label coders features and labels as they are.

    Parameters
    ----------
    family : {"labelspace", "projection", "selection"}
    data : MultiLabelData
    splits : dict of int to Split
    methods : dict of label to entry of a study file
    space : dict
        ``scaling`` and ``relation``: see `mlreduce.evaluation.view.View`.
    seed : int, default=0
    failures : Failures
        What fails is written down there; the default raises.
    scalings : dict of label to scaling or None, default=None
        Of selectors that get features on another scale than that of ``space``. They are sparse where that takes less
        memory, since what one scaling fills another may leave empty.

    Returns
    -------
    DataFrame
        Columns dataset, method, split, seconds; no row for a fit that failed.
    """
    rows = []
    for number, split in splits.items():
        fit = _fits(family, data, split, number, space, seed, scalings or {})
        for label, entry in methods.items():
            # The first of the two is not timed.
            seconds = failures.attempt(number, label, _seconds, fit(label, entry), fit(label, entry))
            if seconds is not None:
                rows.append((data.name, label, number, seconds))
    return as_table(rows, ["dataset", "method", "split", "seconds"])


def _fits(
    family: str, data: MultiLabelData, split: Split, number: int, space: Mapping[str, Any], seed: int,
    scalings: Mapping[str, str],
) -> Callable[[str, Any], Callable[[], Any]]:  # fmt: skip
    """Return a function that prepares the fit of a method on a training part: what it returns is to be called once."""
    of_split = (seed, data.name, number)
    if family == "projection":
        return lambda label, entry: partial(
            fit_method, make_reduction(label, entry, *of_split), View(data, split, space)
        )
    labels = data.Y[split.train]
    if family == "labelspace":
        features = imputed(data, split.train).X[split.train]
        return lambda label, entry: partial(make_coder(label, entry, *of_split).fit, features, labels)

    def scaled(scaling: str) -> Any:
        return normalise(data, split, scaling).train

    train = scaled(space["scaling"])
    others = {scaling: _sparse_where_smaller(scaled(scaling)) for scaling in {*scalings.values()}}

    def fit(label: str, entry: Any) -> Callable[[], Any]:
        features = others[scalings[label]] if label in scalings else train
        return partial(make_selector(label, entry, *of_split).fit, features, labels)

    return fit


def _sparse_where_smaller(features: Any) -> Any:
    """Return features as a sparse matrix where its values and indices take less memory than all values."""
    sparse = sp.csr_array(features)
    bytes_of_sparse = sum(part.nbytes for part in (sparse.data, sparse.indices, sparse.indptr))
    bytes_of_dense = sparse.shape[0] * sparse.shape[1] * sparse.dtype.itemsize
    return sparse if bytes_of_sparse < bytes_of_dense else as_dense(features)


def _seconds(first: Callable[[], Any], second: Callable[[], Any]) -> float:
    first()
    start = time.process_time()
    second()
    return time.process_time() - start
