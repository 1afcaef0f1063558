"""Compile the loops of predictors, selectors, label coders and graphs on two cores, a last step of the installation.

Numba does so when a loop is first called, more than 10 s for model trees, and keeps the result beside the package.
Jobs that start at once on a fresh installation would each compile them.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_regressor

import mlreduce
from mlreduce.linalg.distances import Distances
from mlreduce.predictors._tree_columns import sort_columns
from mlreduce.predictors._tree_growth import Growth, grow
from mlreduce.predictors._tree_models import Rows, finish

rng = np.random.default_rng(0)
X = rng.random((40, 5))
# Labels that belong to the features, in few label sets: others have warnings.
first, second = (X[:, :2] > 0.5).T
Y = np.column_stack([first, second, first | second]).astype(int)


def grow_tree() -> None:
    """Grow a model tree."""
    grow(sort_columns(X), X[:, 0], 4)


def finish_tree() -> None:
    """Fit the model of a tree's only leaf."""
    none, one, zero = np.array([-1]), np.array([1]), np.array([0])
    leaf = Growth(none, np.zeros(1), zero, one, zero, np.array([40]), np.arange(40), np.ones(1), np.ones(1))
    finish(Rows.from_features(X), X[:, 0].copy(), leaf, 5, True, True)


def search_neighbours() -> None:
    """Fit projections with graphs of neighbours, in a class and in others, on dense and on sparse features."""
    for features in (X, sp.csr_array(X), sp.random_array((400, 400), density=0.05, rng=rng, format="csr")):
        mlreduce.make("mesd-dla").fit(features, rng.integers(2, size=(features.shape[0], 3)))
        mlreduce.make("npp").fit(features)
    Distances(X).nearest(3)


def use(family: str) -> None:
    """Fit each method of a family, and predict."""
    for name in mlreduce.registry.method_names(family):
        method = mlreduce.make(name)
        method.fit(X, Y.astype(float) if is_regressor(method) else Y)
        if hasattr(method, "predict"):
            method.predict(X)
        if hasattr(method, "reconstruct"):
            method.reconstruct(method.encode(Y))


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        for done in [
            pool.submit(finish_tree),
            pool.submit(grow_tree),
            pool.submit(use, "selection"),
            pool.submit(search_neighbours),
        ]:
            done.result()
    use("predictors")
    use("labelspace")
