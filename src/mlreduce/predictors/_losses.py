"""Losses of a label's score, with their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from scipy.special import expit

from mlreduce.validation import FloatArray

__all__ = ["LOSSES", "Loss"]

#: Labels in {0, 1} and scores to loss, first and second derivative of each cell.
Loss: TypeAlias = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray, FloatArray]]


def _squared(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    difference = scores - labels
    return np.square(difference) / 2, difference, np.ones_like(scores)


def _logistic(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    present = expit(scores)
    return np.logaddexp(0.0, (1 - 2 * labels) * scores), present - labels, present * (1 - present)


def _squared_hinge(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    signs = 2 * labels - 1
    short = np.maximum(1 - signs * scores, 0.0)
    return np.square(short) / 2, -signs * short, (short > 0).astype(np.float64)


#: Loss by name.
LOSSES: Mapping[str, Loss] = {"squared": _squared, "logistic": _logistic, "squared-hinge": _squared_hinge}
