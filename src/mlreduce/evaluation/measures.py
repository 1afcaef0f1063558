"""Measures, each a function of one `Outcome`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import ConfigurationError, unknown_name
from mlreduce.validation import FloatArray

__all__ = ["MEASURES", "Outcome", "find_measure", "hamming_loss"]


@dataclass(frozen=True)
class Outcome:
    """What one method predicted on one test part, at one size.

    Attributes
    ----------
    labels, predicted : ndarray of shape (n_samples, n_labels), in {0, 1}
    centred : ndarray of shape (n_samples, n_labels)
        True labels less the training mean, Z.
    decoded_codes : ndarray of shape (n_samples, n_labels)
        What the codes of the true labels stand for: ``ZV'V`` for orthonormal directions.
    codes, predicted_codes : ndarray of shape (n_samples, size)
        ``ZV'`` and the regressor's prediction of it.
    """

    labels: NDArray[np.int8]
    predicted: NDArray[np.int8]
    centred: FloatArray
    decoded_codes: FloatArray
    codes: FloatArray
    predicted_codes: FloatArray

    @cached_property
    def encoding_error(self) -> float:
        """``||Z - ZV'V||_F^2``."""
        return float(np.square(self.centred - self.decoded_codes).sum())

    @cached_property
    def prediction_error(self) -> float:
        """``||r(X) - ZV'||_F^2``."""
        return float(np.square(self.predicted_codes - self.codes).sum())


def hamming_loss(labels: NDArray[np.int8], predicted: NDArray[np.int8]) -> float:
    """Return the fraction of label assignments that are wrong, in [0, 1]; lower is better.

    Instances without labels and labels without positives count like any other: 0 where nothing is predicted either.

    Raises
    ------
    ValueError
        If the shapes differ or are empty.
    """
    if labels.shape != predicted.shape or labels.size == 0:
        raise ValueError(f"labels {labels.shape} and predictions {predicted.shape} must agree and not be empty")
    return float(np.count_nonzero(labels != predicted) / labels.size)


MEASURES: dict[str, Callable[[Outcome], float]] = {
    "hamming-loss": lambda outcome: hamming_loss(outcome.labels, outcome.predicted),
    "encoding-error": lambda outcome: outcome.encoding_error,
    "prediction-error": lambda outcome: outcome.prediction_error,
    "loss-bound": lambda outcome: outcome.encoding_error + outcome.prediction_error,
}


def find_measure(name: str) -> Callable[[Outcome], float]:
    """Return a measure by its name.

    Raises
    ------
    ConfigurationError
        If there is none; the sentence holds the nearest known one.
    """
    if name not in MEASURES:
        raise ConfigurationError(unknown_name("measure", name, MEASURES))
    return MEASURES[name]
