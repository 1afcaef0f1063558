"""The biased estimate of the Hilbert-Schmidt criterion: that of MDDM over (n - 1)^2."""

from __future__ import annotations

from . import mddm_kernel


def definition(X, Y, fitted):
    mddm_kernel.definition(X, Y, fitted, (len(X) - 1) ** 2)
