"""Projections of which one is the limit of another."""

from __future__ import annotations

import numpy as np
import pytest
from definitions import make
from projection_problems import SHAPES, data, same_directions


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_limits_of_weights_are_other_methods(shape, rng):
    X, Y = data(rng, *shape)
    same_directions(make("mvmd", beta=0).fit(X, Y), make("pca").fit(X))
    same_directions(make("mvmd", beta=1).fit(X, Y), make("mddmp").fit(X, Y))
    same_directions(make("mddmf", beta=0).fit(X, Y), make("mddmp").fit(X, Y))
    pls, mddm = make("pls").fit(X, Y), make("mddmp").fit(X, Y)
    np.testing.assert_allclose(pls.components_, mddm.components_, atol=1e-9)
    np.testing.assert_allclose(4 * pls.eigenvalues_, mddm.eigenvalues_)
    lsi, mlsi = make("lsi").fit(X), make("mlsi", beta=0, gamma=0.5).fit(X, Y)
    k = lsi.n_components_
    np.testing.assert_allclose(mlsi.eigenvalues_, lsi.eigenvalues_**2 / (lsi.eigenvalues_ + 0.5), rtol=1e-6)
    cosines = (mlsi.components_ * lsi.components_).sum(axis=1) / np.linalg.norm(mlsi.components_, axis=1)
    np.testing.assert_allclose(cosines, np.ones(k), atol=1e-6)
