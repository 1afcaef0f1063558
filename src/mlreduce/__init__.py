"""Dimension reduction for multi-label data.

Every method is reachable by its registry name, ``mlreduce.make("cplst", n_components=3)``, and by its class,
``mlreduce.CPLST(n_components=3)``. ``mlreduce.list_methods()`` is a table of them all, ``mlreduce.describe("cplst")``
explains one, ``mlreduce.recommend(X, Y)`` says which suit a data set. ``mlreduce.load_dataset("digits")`` gives a data
set of the catalogue, ``mlreduce.read("data.arff")`` one from files.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

from mlreduce import registry
from mlreduce.registry import make, register

try:
    __version__ = version("mlreduce")
except PackageNotFoundError:  # a checkout on the path, not installed (rules in their own conda environments)
    __version__ = "0+checkout"

#: What is imported when first asked for, and its modules: `import mlreduce` stays cheap for a workflow that only needs
#: names. Classes of methods are found by the registry.
ON_DEMAND = {
    "CodedClassifier": "mlreduce.labelspace.classifier",
    "Discretiser": "mlreduce.preprocessing.discretisation",
    "MultiLabelData": "mlreduce.datasets.data",
    "Proximity": "mlreduce.spectral.graphs.proximity",
    "RelationFeatures": "mlreduce.preprocessing.relation",
    "compare": "mlreduce.comparison",
    "describe": "mlreduce.methods.description",
    "list_datasets": "mlreduce.datasets.catalogue",
    "list_methods": "mlreduce.methods.table",
    "load_dataset": "mlreduce.datasets.catalogue",
    "read": "mlreduce.datasets.reading",
    "recommend": "mlreduce.methods.recommendation",
}
#: Packages that are imported when first asked for.
PACKAGES = ("datasets", "metrics", "plot", "preprocessing", *registry.FAMILIES)

__all__ = ["__version__", "make", "plot", "register", *ON_DEMAND]

#: Documented modules of version 0.1 and where their names are now.
MOVED = {
    "mlreduce.discretisation": "mlreduce.preprocessing.discretisation",
    "mlreduce.evaluation.kernel_choice": "mlreduce.experiments.kernel_choice",
    "mlreduce.evaluation": "mlreduce.experiments",
    "mlreduce.labelspace.coding": "mlreduce.labelspace.base",
    "mlreduce.projection.label_proximity": "mlreduce.spectral.graphs.label_proximity",
    "mlreduce.projection.problem": "mlreduce.spectral",
    "mlreduce.projection.proximity": "mlreduce.spectral.graphs.proximity",
    "mlreduce.projection.template": "mlreduce.projection.base",
    "mlreduce.relation": "mlreduce.preprocessing.relation",
    "mlreduce.selection.selector": "mlreduce.selection.base",
}


class _MovedModules(MetaPathFinder, Loader):
    """Import a module of `MOVED` from where it is now, with a FutureWarning."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        new = MOVED[module.__name__]
        warnings.warn(f"{module.__name__} is now {new}; the old name goes in version 0.3", FutureWarning, stacklevel=2)
        module.__dict__.update(vars(importlib.import_module(new)) | {"__name__": module.__name__, "__path__": []})


sys.meta_path.append(_MovedModules())


def __getattr__(name: str) -> Any:
    if name in ON_DEMAND:
        return getattr(importlib.import_module(ON_DEMAND[name]), name)
    if name in PACKAGES:
        return importlib.import_module(f"mlreduce.{name}")
    return registry.find_class(name, module=__name__)


def __dir__() -> list[str]:
    return sorted({*__all__, *PACKAGES, *registry.class_names()})
