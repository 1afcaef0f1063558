"""Division that makes nothing of what is divided by nothing."""

from __future__ import annotations

import numpy as np

from mlreduce.validation import FloatArray

__all__ = ["quotient"]


def quotient(numerators: FloatArray | float, denominators: FloatArray) -> FloatArray:
    """Divide where the denominator is positive; 0 elsewhere: a label that no instance has, a row without length."""
    shape = np.broadcast_shapes(np.shape(numerators), denominators.shape)
    ratios: FloatArray = np.divide(numerators, denominators, out=np.zeros(shape), where=denominators > 0)
    return ratios
