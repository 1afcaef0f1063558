"""Measures per label and of all label assignments together; all but the RMSE in [0, 1].

Macro averages are means over the labels, micro averages use the counts of all labels together. A fraction 0 / 0 is 0,
as in scikit-learn: a label that no test row has lowers a macro average.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlreduce.metrics.counts import check_pair
from mlreduce.metrics.measures import measure
from mlreduce.metrics.outcome import Outcome
from mlreduce.validation import is_sparse


@measure("hamming-loss", label="Hamming loss", higher_is_better=False)
def hamming_loss(outcome: Outcome) -> float:
    """Return the fraction of label assignments that are wrong."""
    check_pair(outcome.labels, outcome.predicted)
    if is_sparse(outcome.labels) or is_sparse(outcome.predicted):
        counts = outcome.label_counts
        return float((counts.predicted + counts.true - 2 * counts.hits).sum() / outcome.n_known())
    return float(np.count_nonzero(outcome.labels != outcome.predicted) / outcome.n_known())


@measure("rmse", label="RMSE", higher_is_better=False)
def rmse(outcome: Outcome) -> float:
    """Return the root mean squared error of the instances' label vectors, ``||P - Y||_F / sqrt(n_samples)``.

    In [0, sqrt(n_labels)]: the square root of the mean number of wrong assignments of an instance.
    """
    return math.sqrt(hamming_loss(outcome) * outcome.n_known() / outcome.labels.shape[0])


@measure("micro-f1", label="micro-F1", higher_is_better=True)
def micro_f1(outcome: Outcome) -> float:
    """Return twice the hits over all predicted and all true assignments."""
    counts = outcome.label_counts
    return _ratio(2 * counts.hits.sum(), counts.predicted.sum() + counts.true.sum())


@measure("micro-precision", higher_is_better=True)
def micro_precision(outcome: Outcome) -> float:
    """Return the fraction of predicted assignments that are true."""
    return _ratio(outcome.label_counts.hits.sum(), outcome.label_counts.predicted.sum())


@measure("micro-recall", higher_is_better=True)
def micro_recall(outcome: Outcome) -> float:
    """Return the fraction of true assignments that are predicted."""
    return _ratio(outcome.label_counts.hits.sum(), outcome.label_counts.true.sum())


@measure("macro-f1", label="macro-F1", higher_is_better=True)
def macro_f1(outcome: Outcome) -> float:
    """Return the mean over the labels of the harmonic mean of precision and recall."""
    counts = outcome.label_counts
    return _ratio(2 * counts.hits, counts.predicted + counts.true)


@measure("macro-precision", higher_is_better=True)
def macro_precision(outcome: Outcome) -> float:
    """Return the mean over the labels of the fraction of predicted assignments that are true."""
    return _ratio(outcome.label_counts.hits, outcome.label_counts.predicted)


@measure("macro-recall", higher_is_better=True)
def macro_recall(outcome: Outcome) -> float:
    """Return the mean over the labels of the fraction of true assignments that are predicted."""
    return _ratio(outcome.label_counts.hits, outcome.label_counts.true)


def _ratio(numerator: Any, denominator: Any) -> float:
    """Return the mean of fractions; 0 / 0 is 0."""
    return float(np.mean(numerator / np.maximum(denominator, 1)))
