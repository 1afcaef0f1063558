"""Dimension reduction for multi-label data.

Every method is reachable by its registry name, ``mlreduce.make("cplst", n_components=3)``, and by its class,
``mlreduce.CPLST(n_components=3)``. ``mlreduce.list_methods()`` names them all; ``mlreduce.load_dataset("digits")``
gives a data set.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from mlreduce import registry
from mlreduce.registry import list_methods, make, register

try:
    __version__ = version("mlreduce")
except PackageNotFoundError:  # a checkout on the path, not installed (rules in their own conda environments)
    __version__ = "0+checkout"

__all__ = ["__version__", "list_methods", "load_dataset", "make", "register"]


def __getattr__(name: str) -> Any:
    # Loaded when first asked for: `import mlreduce` stays cheap for a workflow that only needs names.
    if name == "load_dataset":
        from mlreduce.datasets.catalogue import load_dataset

        return load_dataset
    return registry.find_class(name, module=__name__)


def __dir__() -> list[str]:
    return sorted([*__all__, *registry.class_names()])
