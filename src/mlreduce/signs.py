"""The sign of a direction, which no eigenproblem decides."""

from __future__ import annotations

import numpy as np

from mlreduce.validation import FloatArray

__all__ = ["signed"]


def signed(rows: FloatArray) -> FloatArray:
    """Turn each row so that its entry of largest magnitude is positive."""
    peaks = rows[np.arange(len(rows)), np.argmax(np.abs(rows), axis=1)]
    return np.ascontiguousarray(rows * np.where(peaks < 0, -1.0, 1.0)[:, np.newaxis])
