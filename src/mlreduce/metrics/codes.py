"""Errors of label-space methods: of the coding itself, and of the prediction of the codes. In [0, inf)."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlreduce.metrics.measures import measure
from mlreduce.metrics.outcome import Outcome


@measure("encoding-error", label="encoding error", higher_is_better=False, needs="codes")
def encoding_error(outcome: Outcome) -> float:
    """Return ``||Z - ZV'V||_F^2``."""
    return _squared_distance(outcome.centred, outcome.decoded_codes)


@measure("prediction-error", label="prediction error", higher_is_better=False, needs="codes")
def prediction_error(outcome: Outcome) -> float:
    """Return ``||r(X) - ZV'||_F^2``."""
    return _squared_distance(outcome.predicted_codes, outcome.codes)


@measure("loss-bound", label="loss bound", higher_is_better=False, needs="codes")
def loss_bound(outcome: Outcome) -> float:
    """Return the sum of both errors, a bound of the Hamming loss up to a constant."""
    return encoding_error(outcome) + prediction_error(outcome)


def _squared_distance(one: Any, other: Any) -> float:
    return float(np.square(one - other).sum())
