"""Compiles the loops of predictors, selectors, label coders and graphs ahead: a last step of an installation.

Numba does so when a loop is first called, more than 10 s for model trees, and stores the result beside the package or
in ``NUMBA_CACHE_DIR``. Jobs that start at once on a fresh installation would each compile them.
"""

from __future__ import annotations

import logging
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_regressor

import mlreduce
from mlreduce.linalg.distances import Distances
from mlreduce.predictors._tree_columns import sort_columns
from mlreduce.predictors._tree_growth import Growth, grow
from mlreduce.predictors._tree_models import Rows, finish

_RNG = np.random.default_rng(0)
_X = _RNG.random((40, 5))
# Labels that belong to the features, in few label sets: others have warnings.
_FIRST, _SECOND = (_X[:, :2] > 0.5).T
_Y = np.column_stack([_FIRST, _SECOND, _FIRST | _SECOND]).astype(int)


def _grow_tree() -> None:
    """Grow a model tree."""
    grow(sort_columns(_X), _X[:, 0], 4)


def _finish_tree() -> None:
    """Fit the model of a tree's only leaf."""
    none, one, zero = np.array([-1]), np.array([1]), np.array([0])
    leaf = Growth(none, np.zeros(1), zero, one, zero, np.array([40]), np.arange(40), np.ones(1), np.ones(1))
    finish(Rows.from_features(_X), _X[:, 0].copy(), leaf, 5, True, True)


def _search_neighbours() -> None:
    """Fit projections with graphs of neighbours, in a class and in others, on dense and on sparse features."""
    wide: Any = sp.random_array((400, 400), density=0.05, rng=_RNG, format="csr")
    for features in (_X, sp.csr_array(_X), wide):
        mlreduce.make("mesd-dla").fit(features, _RNG.integers(2, size=(features.shape[0], 3)))
        mlreduce.make("npp").fit(features)
    mlreduce.make("mope").fit(_X, _Y)
    Distances(_X).nearest(3)
    mlreduce.make("kernel-ridge").fit(sp.csr_array(_X), _X[:, 0]).predict(sp.csr_array(_X))


def _use(family: str) -> None:
    """Fit each method of a family, and predict."""
    for name in mlreduce.registry.method_names(family):
        method = mlreduce.make(name)
        method.fit(_X, _Y.astype(float) if is_regressor(method) else _Y)
        if hasattr(method, "predict"):
            method.predict(_X)
        if hasattr(method, "reconstruct"):
            method.reconstruct(method.encode(_Y))


def compile_loops() -> None:
    """Fit methods to a few rows, the slowest to compile on two processes at once."""
    with ProcessPoolExecutor(2, initializer=_be_quiet) as pool:
        for done in [
            pool.submit(_finish_tree),
            pool.submit(_grow_tree),
            pool.submit(_use, "selection"),
            pool.submit(_search_neighbours),
        ]:
            done.result()
    _be_quiet()
    _use("predictors")
    _use("labelspace")


def _be_quiet() -> None:
    """Leave out the line that loops are compiled."""
    logging.getLogger("mlreduce").setLevel(logging.ERROR)
