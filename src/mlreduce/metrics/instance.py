"""Measures per instance, averaged over the instances; all in [0, 1].

An instance with neither true nor predicted labels has the value 1, one with only true or only predicted labels the
value 0, as in Mulan.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlreduce.metrics.counts import Counts
from mlreduce.metrics.measures import measure
from mlreduce.metrics.outcome import Outcome


@measure("subset-accuracy", label="subset accuracy", higher_is_better=True)
def subset_accuracy(outcome: Outcome) -> float:
    """Return the fraction of instances whose labels are all predicted correctly."""
    counts = outcome.instance_counts
    return float(np.mean((counts.hits == counts.predicted) & (counts.hits == counts.true)))


@measure("instance-accuracy", label="accuracy", higher_is_better=True)
def accuracy(outcome: Outcome) -> float:
    """Return the mean Jaccard index of the sets of true and predicted labels."""
    counts = outcome.instance_counts
    return _mean_of(counts, counts.hits, counts.predicted + counts.true - counts.hits)


@measure("instance-precision", label="precision", higher_is_better=True)
def precision(outcome: Outcome) -> float:
    """Return the mean fraction of predicted labels that are true."""
    counts = outcome.instance_counts
    return _mean_of(counts, counts.hits, counts.predicted)


@measure("instance-recall", label="recall", higher_is_better=True)
def recall(outcome: Outcome) -> float:
    """Return the mean fraction of true labels that are predicted."""
    counts = outcome.instance_counts
    return _mean_of(counts, counts.hits, counts.true)


@measure("instance-f1", label="F1", higher_is_better=True)
def f1(outcome: Outcome) -> float:
    """Return the mean harmonic mean of precision and recall."""
    counts = outcome.instance_counts
    return _mean_of(counts, 2 * counts.hits, counts.predicted + counts.true)


def _mean_of(counts: Counts, numerator: NDArray[np.int64], denominator: NDArray[np.int64]) -> float:
    neither = counts.predicted + counts.true == 0
    return float(np.mean((numerator + neither) / np.maximum(denominator, 1)))
