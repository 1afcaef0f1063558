"""Dimension reduction for multi-label data.

Every method is reachable by its registry name, ``mlreduce.make("cplst", n_components=3)``, and by its class,
``mlreduce.CPLST(n_components=3)``. ``mlreduce.list_methods()`` is a table of them all, ``mlreduce.describe("cplst")``
explains one, ``mlreduce.recommend(X, Y)`` recommends methods for a data set. ``mlreduce.load_dataset("digits")`` gives
a data set of the catalogue, ``mlreduce.read("data.arff")`` one from files.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

import lazy_loader

from mlreduce.exceptions import nearest

try:
    __version__ = version("mlreduce")
except PackageNotFoundError:  # a checkout on the path that is not installed (rules in their own conda environments)
    __version__ = "0+checkout"

# Imported when first used, as the stub in this folder lists: a workflow that needs names alone imports no method.
_import, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _import(name)
    except AttributeError:
        hint = "" if name.startswith("_") else nearest(name, __all__)  # pytest asks for many such names
        raise AttributeError(f"module 'mlreduce' has no attribute {name!r}{hint}") from None
