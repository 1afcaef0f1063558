"""What makes the result of a method right: one file for each registered method, and no method without one.

The file of the method `kernel-cplst` is `kernel_cplst.py`. The extension `mesd-fda` needs no file: its definition is
that of `fda` for copies of the instances (`_classes.extension`). A file has

``definition(X, Y, fitted)``
    Raises AssertionError where the fitted method is not what its equations say: an identity, the conditions of an
    optimum, or the loop of the paper with dense matrices. X (n x d) and Y (n x q) are arrays, whatever the method was
    fitted to. Of what a fitted method offers, everything that depends on the equations is compared: directions and
    eigenvalues, codes and what they decode to, scores, predictions.
``PARAMETERS`` (may be left out)
    Parameters with which the method is made. Every term of the equations has an effect with them.
``DATA`` (may be left out)
    ``"classes"``: every instance has one label; ``"partly"``: Y is NaN in the rows of some instances.
    Otherwise an instance has any number of labels, all of them known. With the data ``"cells"`` Y is NaN in some cells:
    so the definitions of selectors and label coders that take unknown labels are checked, too, those of coders with
    what is filled in for NaN (`_codes.completed`).

Files whose names begin with an underscore are shared. `tests/test_definitions.py` runs all of them on small problems
(`CASES`), together with what a family promises of all its methods (`_families.py`), and
`make mutants-of-methods` changes every method in several ways and fails where a definition does not notice.
"""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import DegenerateWarning, ProjectionWarning

from . import _classes, _codes, _families

#: Numbers of instances, features and labels; storage of the features; parameters, where a method has them.
CASES = {
    "tall": ((20, 5, 4), np.asarray, {}),
    "tall, sparse": ((20, 5, 4), sp.csr_array, {}),
    "wide": ((12, 14, 3), np.asarray, {}),
    "wide, sparse": ((12, 14, 3), sp.csr_array, {}),
    "many labels, sparse": ((18, 4, 6), sp.csr_array, {}),
    "wide, many labels": ((14, 16, 7), np.asarray, {}),
    "few": ((20, 5, 4), np.asarray, {"n_components": 3, "k": 2}),
}

#: How the names of the extensions to several labels begin.
EXTENSIONS = "mesd-"


def methods(kind: str | None = None) -> list[str]:
    """Names of the methods of the library; tests register others while they run."""
    others = {name for name, (_, cls) in registry.registered().items() if not cls.__module__.startswith("mlreduce.")}
    return [name for name in registry.method_names(kind) if name not in others]


def complaints(names: list[str], folder: Path = Path(__file__).parent) -> list[str]:
    """Sentences on methods without a definition, and on definitions without a method."""
    files = {path.name for path in folder.glob("*.py") if not path.name.startswith("_")}
    wanted = {file_of(name): name for name in names if not name.startswith(EXTENSIONS)}
    where = f"tests/{folder.name}"
    missing = [
        f"the method {name!r} has no definition: add {where}/{file} with a function definition(X, Y, fitted), "
        f"as {where}/__init__.py says"
        for file, name in wanted.items()
        if file not in files
    ]
    left = [
        f"{where}/{file} is the definition of no registered method: rename it after its method, or remove it"
        for file in sorted(files - set(wanted))
    ]
    return missing + left


def file_of(name: str) -> str:
    return name.replace("-", "_") + ".py"


def load(name: str) -> Any:
    """The definition of a method."""
    if name.startswith(EXTENSIONS):
        return _classes.extension(load(name.removeprefix(EXTENSIONS)))
    return importlib.import_module(f"definitions.{file_of(name).removesuffix('.py')}")


def make(name: str, **parameters: Any) -> Any:
    """A method with the parameters of its definition, and directions in the full space, as its formula has them."""
    formula = {"variance_share": 1.0} if "variance_share" in registry.method_class(name)._get_param_names() else {}
    return mlreduce.make(name, **formula | getattr(load(name), "PARAMETERS", {}) | parameters)


def problem(kind: str, n: int, d: int, q: int, seed: int = 7) -> tuple[Any, Any]:
    """Features >= 0 in different units, some of them 0, and labels of different frequencies that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, d)) * np.linspace(0.5, 2.0, d) + np.linspace(0.0, 1.0, d)
    X[rng.random((n, d)) < 0.1] = 0.0
    if kind == "classes":
        return X, np.eye(q)[np.r_[np.arange(q), np.arange(q), rng.integers(q - 1, size=n - 2 * q)]]
    scores = X @ rng.standard_normal((d, q)) + rng.standard_normal((n, q))
    Y = (scores > np.quantile(scores, np.linspace(0.35, 0.75, q), axis=0).diagonal()).astype(float)
    Y[2], Y[n - 1] = 1.0, 0.0  # every label is there and is not
    Y[1], Y[4], Y[n - 3] = Y[0], Y[0], Y[2]  # label sets that occur more than once
    if kind == "partly":
        Y[[3, 5, 6, n - 4]] = np.nan
    if kind == "cells":
        Y[rng.random((n, q)) < 0.2] = np.nan
        Y[:6], Y[-3:] = np.where(np.isnan(Y[:6]), 1.0, Y[:6]), 0.0  # every label is there and is not, sets recur
    return X, Y


def fit(
    name: str, case: str, change: Any = lambda cls: cls, seed: int = 7, data: str | None = None
) -> tuple[Any, Any, Any]:
    """Features, labels and the method fitted to them; `change` may put another class in the place of its class."""
    shape, storage, few = CASES[case]
    X, Y = problem(data or getattr(load(name), "DATA", "labels"), *shape, seed)
    method = make(name)
    method = change(type(method))(**method.get_params(deep=False))
    if getattr(method, "reduces", True):
        method.set_params(**{key: value for key, value in few.items() if key in method.get_params(deep=False)})
    with warnings.catch_warnings():
        for category in (DegenerateWarning, ProjectionWarning):
            warnings.simplefilter("ignore", category)  # fewer directions than asked for, a singular constraint
        method.fit(storage(X), Y)
    return X, Y, method


def check(name: str, case: str, change: Any = lambda cls: cls, seed: int = 7, data: str | None = None) -> None:
    """Raise AssertionError where the method is not by its definition, or breaks what its family promises."""
    X, Y, method = fit(name, case, change, seed, data)
    if data == "cells" and registry.kind_of(name) == "labelspace":
        Y, method.encode = _codes.completed(X, Y), method.project  # `encode` takes 0 and 1
    getattr(_families, registry.kind_of(name))(X, Y, method)
    load(name).definition(X, Y, method)
