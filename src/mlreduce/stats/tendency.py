"""Tests over data sets: which of two methods tends to be better on a data set like these."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal

import numpy as np

from mlreduce.exceptions import DataError
from mlreduce.stats.margins import Regions
from mlreduce.validation import FloatArray

__all__ = ["bootstrap_interval", "holm", "signed_rank", "wilcoxon"]

# Mass of the prior at a difference of 0, in data sets.
_PRIOR = 0.5


def signed_rank(differences: FloatArray, margin: float, samples: int = 50_000, seed: int = 0) -> Regions:
    """Compare two methods over data sets by the Bayesian signed-rank test with a region of practical equivalence.

    A Dirichlet process has its prior's mass of a half at a difference of 0, and one for each data set. A draw of
    weights w gives ``sum_ij w_i w_j [z_i + z_j > 2 margin]``, and so for the other two regions; each probability is the
    share of draws, ``samples``, in which a region has the largest sum. Differences are the mean ones of the data sets.
    Raises DataError if there is no difference, one is not finite, or the margin is negative.

    References
    ----------
    Benavoli, Corani, Demsar and Zaffalon (2017), "Time for a change: a tutorial for comparing multiple classifiers
    through Bayesian analysis", JMLR 18.

    Examples
    --------
    >>> import numpy as np
    >>> signed_rank(np.full(9, 0.05), margin=0.01).above > 0.99
    True
    """
    if not len(differences) or not np.isfinite(differences).all() or margin < 0:
        raise DataError("a signed-rank test needs finite differences and a margin of at least 0")
    points = np.r_[0.0, differences]
    weights = _weights(len(differences), samples, seed)
    order = np.argsort(points, kind="stable")
    points, weights = points[order], weights[:, order]
    # For each point the others with which it is in a region are a run from one end of the sorted points.
    up_to = np.zeros((samples, len(points) + 1))
    np.cumsum(weights, axis=1, out=up_to[:, 1:])
    few = np.searchsorted(points, -2 * margin - points, "left")
    many = np.searchsorted(points, 2 * margin - points, "right")
    below = np.einsum("si,si->s", weights, up_to[:, few])
    above = np.einsum("si,si->s", weights, up_to[:, -1:] - up_to[:, many])
    shares = below, 1.0 - below - above, above
    most = np.maximum(np.maximum(*shares[:2]), above) - 1e-12
    # Draws in which two regions have the same sum count half for each.
    won = [share >= most for share in shares]
    parts = np.sum(won, axis=0)
    return Regions(*(float((own / parts).mean()) for own in won))


@functools.lru_cache(maxsize=2)
def _weights(n_datasets: int, samples: int, seed: int) -> FloatArray:
    """Return the draws of weights, which all pairs of methods share."""
    return np.random.default_rng(seed).dirichlet(np.r_[_PRIOR, np.ones(n_datasets)], size=samples)


def wilcoxon(differences: FloatArray, alternative: Literal["two-sided", "greater", "less"] = "two-sided") -> float:
    """Return the p-value of Wilcoxon's signed-rank test, zeros by Pratt's rule; 1 where all are zero."""
    from scipy import stats  # slow to import, and naming kinds of tables does not need it

    if not np.any(differences):
        return 1.0
    return float(stats.wilcoxon(differences, zero_method="pratt", alternative=alternative).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number by Holm's step-down procedure, in the order given.

    Examples
    --------
    >>> [round(p, 9) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    steps = np.sort(p_values) * np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted.tolist()


def bootstrap_interval(
    values: FloatArray, probability: float = 0.95, samples: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """Return the percentile interval of the mean over data sets that are drawn with replacement."""
    drawn = np.random.default_rng(seed).choice(values, size=(samples, len(values))).mean(axis=1)
    low, high = np.quantile(drawn, [(1 - probability) / 2, (1 + probability) / 2])
    return float(low), float(high)
