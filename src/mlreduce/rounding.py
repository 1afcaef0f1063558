"""From predicted numbers to labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlreduce.validation import FloatArray

__all__ = ["TIE", "above_half"]

#: Predicted values closer than this to one half are a tie and mean "absent", as rounding half to even says. Rows that
#: coincide in the features but not in a label put a regression at exactly one half, where rounding errors would
#: otherwise decide.
TIE = 1e-9


def above_half(values: FloatArray) -> NDArray[np.int8]:
    """Return the labels in {0, 1} that predictions of such labels stand for."""
    return (values > 0.5 + TIE).astype(np.int8)
