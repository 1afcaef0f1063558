"""Measures, each a function of one `Outcome`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import ConfigurationError, unknown_name
from mlreduce.metrics.instance import (
    InstanceCounts,
    check_pair,
    instance_accuracy,
    instance_f1,
    instance_precision,
    instance_recall,
    subset_accuracy,
)
from mlreduce.metrics.label import LabelCounts
from mlreduce.metrics.ranking import Ranks, macro_auc, micro_auc
from mlreduce.validation import FloatArray

__all__ = [
    "HIGHER_IS_BETTER",
    "MEASURES",
    "NEED_SCORES",
    "Outcome",
    "find_measure",
    "hamming_loss",
    "higher_is_better",
    "instance_accuracy",
    "instance_f1",
    "instance_precision",
    "instance_recall",
    "subset_accuracy",
]


@dataclass(frozen=True)
class Outcome:
    """What one method predicted on one test part, at one size.

    Codes are None for methods that do not code labels, scores for predictors that only say which labels are present.
    The errors of codes need the former, ranking measures the latter.

    Attributes
    ----------
    labels, predicted : ndarray of shape (n_samples, n_labels), in {0, 1}
    centred : ndarray of shape (n_samples, n_labels) or None
        True labels less the training mean, Z.
    decoded_codes : ndarray of shape (n_samples, n_labels) or None
        What the codes of the true labels stand for: ``ZV'V`` for orthonormal directions.
    codes, predicted_codes : ndarray of shape (n_samples, size) or None
        ``ZV'`` and the regressor's prediction of it.
    scores : ndarray of shape (n_samples, n_labels) or None
        The larger, the likelier the label.
    """

    labels: NDArray[np.int8]
    predicted: NDArray[np.int8]
    centred: FloatArray | None = None
    decoded_codes: FloatArray | None = None
    codes: FloatArray | None = None
    predicted_codes: FloatArray | None = None
    scores: FloatArray | None = None

    @cached_property
    def instance_counts(self) -> InstanceCounts:
        """What all measures of instances follow from, counted once."""
        return InstanceCounts.of(self.labels, self.predicted)

    @cached_property
    def label_counts(self) -> LabelCounts:
        """What all measures of labels follow from, counted once."""
        return LabelCounts.of(self.labels, self.predicted)

    @cached_property
    def ranks(self) -> Ranks:
        """What the measures of an instance's ranking follow from, counted once."""
        return Ranks.of(self.labels, _scores(self))

    @cached_property
    def encoding_error(self) -> float:
        """``||Z - ZV'V||_F^2``."""
        return _squared_distance(self.centred, self.decoded_codes)

    @cached_property
    def prediction_error(self) -> float:
        """``||r(X) - ZV'||_F^2``."""
        return _squared_distance(self.predicted_codes, self.codes)


def _squared_distance(one: FloatArray | None, other: FloatArray | None) -> float:
    if one is None or other is None:
        raise ConfigurationError(
            "encoding-error, prediction-error and loss-bound measure codes of the labels, and this method makes none: "
            "choose another measure or a label-space method"
        )
    return float(np.square(one - other).sum())


def _scores(outcome: Outcome) -> FloatArray:
    if outcome.scores is None:
        raise ConfigurationError(
            f"{', '.join(sorted(NEED_SCORES))} measure scores of the labels, and here is only said which are present: "
            "choose another measure, or a predictor with probabilities for a study of features"
        )
    return outcome.scores


def hamming_loss(labels: NDArray[np.int8], predicted: NDArray[np.int8]) -> float:
    """Return the fraction of label assignments that are wrong, in [0, 1]; lower is better.

    Instances without labels and labels without positives count like any other: 0 where nothing is predicted either.

    Raises
    ------
    ValueError
        If the shapes differ or are empty.
    """
    check_pair(labels, predicted)
    return float(np.count_nonzero(labels != predicted) / labels.size)


MEASURES: dict[str, Callable[[Outcome], float]] = {
    "hamming-loss": lambda outcome: hamming_loss(outcome.labels, outcome.predicted),
    "encoding-error": lambda outcome: outcome.encoding_error,
    "prediction-error": lambda outcome: outcome.prediction_error,
    "loss-bound": lambda outcome: outcome.encoding_error + outcome.prediction_error,
    "subset-accuracy": lambda outcome: outcome.instance_counts.subset_accuracy(),
    "instance-accuracy": lambda outcome: outcome.instance_counts.accuracy(),
    "instance-precision": lambda outcome: outcome.instance_counts.precision(),
    "instance-recall": lambda outcome: outcome.instance_counts.recall(),
    "instance-f1": lambda outcome: outcome.instance_counts.f1(),
    "micro-f1": lambda outcome: outcome.label_counts.micro_f1(),
    "micro-precision": lambda outcome: outcome.label_counts.micro_precision(),
    "micro-recall": lambda outcome: outcome.label_counts.micro_recall(),
    "macro-f1": lambda outcome: outcome.label_counts.macro_f1(),
    "macro-precision": lambda outcome: outcome.label_counts.macro_precision(),
    "macro-recall": lambda outcome: outcome.label_counts.macro_recall(),
    "ranking-loss": lambda outcome: outcome.ranks.ranking_loss(),
    "coverage": lambda outcome: outcome.ranks.coverage(),
    "one-error": lambda outcome: outcome.ranks.one_error(),
    "average-precision": lambda outcome: outcome.ranks.average_precision(),
    "micro-auc": lambda outcome: micro_auc(outcome.labels, _scores(outcome)),
    "macro-auc": lambda outcome: macro_auc(outcome.labels, _scores(outcome)),
}

#: The measures of an order of the labels: not for label coders, nor for predictors that only say which are present.
NEED_SCORES: frozenset[str] = frozenset(
    {"ranking-loss", "coverage", "one-error", "average-precision", "micro-auc", "macro-auc"}
)

#: The measures of which more is better; of all others, less.
HIGHER_IS_BETTER: frozenset[str] = frozenset(
    {
        *("subset-accuracy", "instance-accuracy", "instance-precision", "instance-recall", "instance-f1"),
        *("micro-f1", "micro-precision", "micro-recall", "macro-f1", "macro-precision", "macro-recall"),
        *("average-precision", "micro-auc", "macro-auc"),
    }
)


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


def higher_is_better(measure: str) -> bool:
    """Say whether a measure's larger values are the better ones.

    Raises
    ------
    ConfigurationError
        If there is no such measure; the sentence holds the nearest known one.
    """
    find_measure(measure)
    return measure in HIGHER_IS_BETTER
