"""Dimension reduction for multi-label data.

Every method is reachable by its registry name, ``mlreduce.make("cplst", n_components=3)``, and by its class,
``mlreduce.CPLST(n_components=3)``. ``mlreduce.list_methods()`` is a table of them all, ``mlreduce.describe("cplst")``
explains one, ``mlreduce.recommend(X, Y)`` recommends methods for a data set. ``mlreduce.load_dataset("digits")`` gives
a data set of the catalogue, ``mlreduce.read("data.arff")`` one from files.
"""

from __future__ import annotations

import importlib
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from mlreduce import registry
from mlreduce.registry import make, register

try:
    __version__ = version("mlreduce")
except PackageNotFoundError:  # a checkout on the path that is not installed (rules in their own conda environments)
    __version__ = "0+checkout"

#: Names that are imported at first use, and their modules: `import mlreduce` stays fast for a workflow that only needs
#: names. Classes of methods come from the registry.
ON_DEMAND = {
    "CodedClassifier": "mlreduce.labelspace.classifier",
    "Discretiser": "mlreduce.preprocessing.discretisation",
    "MultiLabelData": "mlreduce.datasets.data",
    "Proximity": "mlreduce.spectral.graphs.proximity",
    "RelationFeatures": "mlreduce.preprocessing.relation",
    "ThresholdClassifier": "mlreduce.predictors.threshold",
    "compare": "mlreduce.evaluation.compare",
    "describe": "mlreduce.methods.description",
    "list_datasets": "mlreduce.datasets.catalogue",
    "list_methods": "mlreduce.methods.table",
    "load_dataset": "mlreduce.datasets.catalogue",
    "read": "mlreduce.datasets.reading",
    "recommend": "mlreduce.methods.recommendation",
}
#: Packages that are imported at first use.
PACKAGES = ("datasets", "metrics", "model_selection", "plot", "preprocessing", *registry.FAMILIES)

__all__ = ["__version__", "make", "plot", "register", *ON_DEMAND]


def __getattr__(name: str) -> Any:
    if name in ON_DEMAND:
        return getattr(importlib.import_module(ON_DEMAND[name]), name)
    if name in PACKAGES:
        return importlib.import_module(f"mlreduce.{name}")
    return registry.find_class(name, module=__name__)


def __dir__() -> list[str]:
    return sorted({*__all__, *PACKAGES, *registry.class_names()})
