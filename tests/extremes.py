"""Finite numbers at the edges of what floats hold, tried on any method in a process that may die of them.

Run as a program, this is the worker: it reads lines ``method<TAB>case<TAB>form`` and answers each by a line of JSON.
"""

from __future__ import annotations

import inspect
import json
import selectors
import subprocess
import sys
import warnings
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone, is_regressor

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import MLReduceError
from mlreduce.labelspace import CodedClassifier
from mlreduce.preprocessing.discretisation import Discretiser
from mlreduce.preprocessing.relation import RelationFeatures
from mlreduce.spectral.graphs.proximity import _WEIGHTS
from mlreduce.validation import LARGEST, SMALLEST, as_dense

FLOAT_MAX = np.finfo(float).max
#: Seconds after which a method hangs; the first call may compile loops.
PATIENCE, COMPILING = 60, 600


class Problem(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None = None


def one_cell(value):
    def change(given):
        given.X[3, 2] = value
        return given

    return change


def scaled(factor):
    return lambda given: given._replace(X=given.X * factor)


def columns(*factors):
    return lambda given: given._replace(X=given.X * np.resize(factors, given.X.shape[1]))


def rows(*factors):
    return lambda given: given._replace(X=given.X * np.resize(factors, len(given.X))[:, np.newaxis])


def taken(*places):
    """The problem of some rows."""
    return lambda given: Problem(given.X[np.array(places)], given.y[np.array(places)])


def of_rows(function):
    """The same labels with other features."""
    return lambda given: given._replace(X=function(given.X))


def targets(factor):
    return lambda given: given._replace(y=factor * (given.y + given.X[:, : given.y.shape[1]]))


def weights(*values):
    return lambda given: given._replace(weights=np.resize(values, len(given.X)).astype(float))


def labels(function):
    return lambda given: given._replace(y=function(given.y))


#: One number that squares, or fourth powers, of are beyond the range.
CELLS = {f"cell {value:g}": one_cell(value) for value in (FLOAT_MAX, -FLOAT_MAX, 1e300, 1e155, 1.01 * LARGEST)}
#: Of targets.
TARGET_CELL = "one target of 1e300"
CASES = CELLS | {
    TARGET_CELL: labels(lambda y: np.where(np.arange(y.size).reshape(y.shape) == 9, 1e300, y)),
    **{f"cell {value:g}": one_cell(value) for value in (LARGEST, -LARGEST, 1e-300, 5e-324)},
    **{
        f"all times {factor:g}": scaled(factor)
        for factor in (1e307, 1e200, 1e155, 1e120, LARGEST / 10, 1e60, 1e-60, 10 * SMALLEST, 1e-150, 1e-155, 1e-162)
    },
    **{f"all times {factor:g}": scaled(factor) for factor in (1e-200, 1e-300, 1e-315)},
    "columns 1e150, 1e-150": columns(1e150, 1e-150),
    "columns at both ends": columns(LARGEST / 10, 10 * SMALLEST),
    "columns 1, 1e-160": columns(1, 1e-160),
    "columns 1, 1e-310": columns(1, 1e-310),
    "columns 1, 1e-30": columns(1, 1e-30),
    "rows 1e150, 1e-150": rows(1e150, 1e-150),
    "rows at both ends": rows(LARGEST / 10, SMALLEST),
    "rows 1, 1e-160": rows(1, 1e-160),
    "rows 1, 1e-310": rows(1, 1e-310),
    "float32 near its end": of_rows(lambda X: (X / np.abs(X).max() * 3.3e38).astype(np.float32)),
    "equal rows": of_rows(lambda X: X[np.zeros(len(X), int)]),
    "equal rows of 1e50": of_rows(lambda X: 1e50 * X[np.zeros(len(X), int)]),
    "duplicate rows": of_rows(lambda X: X[np.arange(len(X)) // 6]),
    "a constant column": of_rows(lambda X: np.c_[X[:, :4], np.full(len(X), 0.1)]),
    "constant columns": of_rows(lambda X: np.full(X.shape, 0.1)),
    "zeros": scaled(0),
    "rows of zeros": rows(0, 1, 1, 0),
    "an offset of 1e50": of_rows(lambda X: X + 1e50),
    "one instance": taken(0),
    "two instances": taken(0, 1),
    "one feature": of_rows(lambda X: X[:, :1]),
    "one feature of one instance": lambda given: of_rows(lambda X: X[:, :1])(taken(0)(given)),
    "one label": labels(lambda y: y[:, :1]),
    "labels of none": labels(np.zeros_like),
    "labels of all": labels(np.ones_like),
    **{f"targets times {factor:g}": targets(factor) for factor in (1e155, LARGEST / 10, 1e-155, 1e-300)},
    "features and targets at the end": lambda given: scaled(LARGEST / 10)(targets(LARGEST / 10)(given)),
    **{f"weights of {value:g} and 1": weights(value, 1) for value in (1e300, LARGEST, 1e-300, 5e-324)},
    **{f"weights of {value:g}": weights(value) for value in (1e300, LARGEST, SMALLEST, 1e-300)},
    "features and weights at the end": lambda given: scaled(LARGEST / 10)(weights(LARGEST)(given)),
}
FORMS = {"dense": np.asarray, "sparse": sp.csr_array}

#: Beyond the defaults: other graphs and other ways to the same scores.
VARIANTS = {
    **{f"lpp {weight}": mlreduce.LPP(proximity={"weight": weight, "n_neighbors": 3}) for weight in _WEIGHTS},
    "lpp by cosine": mlreduce.LPP(proximity={"n_neighbors": 3, "metric": "cosine"}),
    "lpp by radius": mlreduce.LPP(proximity={"radius": 1.0}),
    "mlrf pairs": mlreduce.MLRF(n_neighbors=3, variant="pairs", random_state=0),
    "mlrf published-code": mlreduce.MLRF(n_neighbors=3, variant="published-code", random_state=0),
    "coded": CodedClassifier(),
    **{f"discretiser {how}": Discretiser(how) for how in ("equal-width", "equal-frequency", "mdl", "laim")},
    **{f"relation {how}": RelationFeatures(metric=how) for how in ("euclidean", "cosine", "rbf", "linear")},
}
#: Parameters of few instances.
SMALL = {"random_state": 0, "n_neighbors": 3, "min_leaf": 4, "min_count": 2}


def method(name):
    """A method, of its defaults but for what so few instances ask for."""
    if name in VARIANTS:
        return VARIANTS[name]
    cls = registry.method_class(name)
    return cls(**{key: value for key, value in SMALL.items() if key in cls().get_params()})


def ordinary(name):
    """24 instances of five features and three labels, one each for methods for classes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((24, 5))
    y = (X @ rng.standard_normal((5, 3)) + 0.3 * rng.standard_normal((24, 3)) > 0.2).astype(int)
    if f"mesd-{name}" in registry.method_names():
        y = np.eye(3, dtype=int)[y @ [1, 2, 1] % 3]
    own = method(name)
    tags = own.__sklearn_tags__()
    return Problem(np.abs(X) if tags.input_tags.positive_only else X, y)


@cache
def fitted(name, form):
    X, y, _ = ordinary(name)
    return method(name).fit(FORMS[form](X), y)


def fit(model, features, given):
    more = {} if given.weights is None else {"sample_weight": given.weights}
    return model.fit(features, given.y, **more)


def takes(name, case):
    """Whether a case is one of a method: of its features, or of targets or weights that it has."""
    if "weights" in case:
        return "sample_weight" in inspect.signature(method(name).fit).parameters
    return "target" not in case or is_regressor(method(name))


def attempt(name, case, form):
    """Fit a method to a case and use it, and use one that was fitted to ordinary data.

    Returns
    -------
    sentences : dict
        What each refused call said.
    faults : list of str
        Other errors, numbers that are not finite, and warnings of numbers.
    """
    usual = fitted(name, form)
    if case == "ordinary":
        return {}, []
    given = CASES[case](ordinary(name))
    features = FORMS[form](given.X)
    sentences, faults = {}, []

    def tried(what, call):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = call()
            except MLReduceError as error:
                sentences[what] = str(error)
                found = None
            except Exception as error:  # noqa: BLE001 - told apart by its name
                faults.append(f"{what}: {type(error).__name__}: {error}")
                found = None
        faults.extend(
            f"{what}: {one.category.__name__}: {one.message}" for one in caught if one.category is RuntimeWarning
        )
        arrays = vars(found) if isinstance(found, BaseEstimator) else {"the result": found}
        for key, value in arrays.items():
            values = value.data if sp.issparse(value) else value
            if isinstance(values, np.ndarray) and values.dtype.kind == "f" and not np.isfinite(values).all():
                faults.append(f"{what}: {key} is not finite")
        return found

    if hasattr(method(name), "fit_transform"):
        tried("fit_transform", lambda: clone(method(name)).fit_transform(features, given.y))
    models = {"": tried("fit", lambda: fit(clone(method(name)), features, given))}
    if given.X.shape[1] == 5:
        models["ordinary "] = usual
    for whose, model in models.items():
        for verb in ("transform", "predict", "predict_proba", "decision_function"):
            if model is not None and hasattr(model, verb):
                tried(whose + verb, lambda model=model, verb=verb: getattr(model, verb)(features))
        for verb in ("inverse_transform", "decode"):
            if model is not None and hasattr(model, verb) and hasattr(model, "n_components_"):
                codes = np.resize(as_dense(features), (4, model.n_components_)).astype(given.X.dtype)
                tried(whose + verb, lambda model=model, verb=verb, codes=codes: getattr(model, verb)(codes))
    if hasattr(usual, "partial_fit") and given.weights is None:
        tried("partial_fit", lambda: clone(method(name)).partial_fit(features, given.y))
    return sentences, faults


class Worker:
    """A process that tries methods, started again where one ended it."""

    def __init__(self):
        self.process = None

    def ask(self, name, case, form):
        """Return what `attempt` does; a signal or a hang is a fault."""
        if self.process is None:
            command = [sys.executable, __file__]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(f"{name}\t{case}\t{form}\n")
        self.process.stdin.flush()
        patience = COMPILING if case == "ordinary" else PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            in_time = bool(selector.select(patience))
        line = self.process.stdout.readline() if in_time else ""
        if line:
            return json.loads(line)
        self.close()
        return {}, ["the process ended" if in_time else f"no answer in {patience} s"]

    def close(self):
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(attempt(*line.rstrip("\n").split("\t"))), flush=True)
