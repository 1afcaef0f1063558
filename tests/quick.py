"""What makes tests quicker: parameters of which they say nothing, and a method of each kind in the place of all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from mlreduce import registry
from mlreduce.selection.proximal import ProximalSelector
from mlreduce.selection.row_sparse import RowSparseSelector

#: A method of each kind. What a kind shares is tested quickly with its method, and slowly with all methods.
KINDS = (
    *("pca", "mvmd", "rcca", "mddm-kernel", "mesd-dla", "mope", "ssmope", "random-projection"),
    *("le", "mds", "smse2", "mlfs", "gmba", "pmu", "qpfs", "csfs", "anova", "cplst", "kernel-cplst", "cssp"),
    *("ridge", "m5p", "ml-knn", "flda", "rakel"),
)


def by_kind(names: Iterable[str]) -> list[Any]:
    """Names of methods as parameters of a test, slow for all but one of each kind."""
    return [name if name in KINDS else pytest.param(name, marks=pytest.mark.slow) for name in names]


def of_many(name: str, cases: Iterable[Any]) -> Any:
    """One of many cases for each name, so that the names together have all of them."""
    cases = list(cases)
    return cases[sum(name.encode()) % len(cases)]


def quick(name: str) -> dict[str, Any]:
    """Numbers in place of those that are chosen by dozens of fits."""
    if issubclass(registry.method_class(name), (RowSparseSelector, ProximalSelector)):
        return {"sparsity": "10%"}
    return {"leml": {"penalty": 1.0}, "sleec": {"n_components": "50%", "n_neighbors": 3, "alpha": 1.0}}.get(name, {})
