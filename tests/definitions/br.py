"""The codes are the labels less their means."""

from __future__ import annotations

import numpy as np

from ._codes import centred, linear


def definition(X, Y, fitted):
    np.testing.assert_array_equal(fitted.components_, np.eye(Y.shape[1]))
    np.testing.assert_allclose(fitted.eigenvalues_, np.square(centred(Y)).sum(axis=0))
    linear(Y, fitted, lambda m: np.eye(Y.shape[1])[:m])
