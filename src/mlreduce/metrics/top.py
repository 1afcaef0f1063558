"""Measures of the first k labels of each instance, for labels that are many and rare; all in [0, 1].

The definitions are those of the extreme classification repository (Bhatia et al., manikvarma.org): an instance with
fewer than k labels cannot reach a precision of 1, and one without a label counts as 0. Of equal scores the first label
comes first; with ``ties="expected"`` each measure is its mean over all orders of what ties. Scores may be a CSR array
that stores the best labels of each instance only.

Propensity-scored measures divide each hit by the propensity of the label, the estimated probability that a label which
is true was assigned, so that rare labels count more; the sum over the instances is divided by that of the best possible
order (Jain et al. 2016, see `propensities`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlreduce.exceptions import DataError
from mlreduce.metrics.counts import best_labels
from mlreduce.metrics.measures import measure
from mlreduce.metrics.outcome import TOP, Outcome
from mlreduce.validation import FloatArray, check_known_labels

_Formula: TypeAlias = Callable[[Outcome], float]

# Of fewer instances the model of Jain et al. gives no probabilities.
_LEAST_ROWS = 3


def propensities(y: ArrayLike, a: float = 0.55, b: float = 1.5) -> FloatArray:
    """Estimate for each label the probability that it is assigned where it is true, from how often it is.

    Parameters
    ----------
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
        Labels of the training instances, in {0, 1} or {-1, 1}; those not known (NaN) count as absent.
    a, b : float, default=0.55, 1.5
        Of the model; .5 and .4 for Wikipedia, .6 and 2.6 for Amazon (Jain et al.). Above 0.

    Returns
    -------
    ndarray of shape (n_labels,)
        ``1 / (1 + (log n - 1) (b + 1)^a (n_l + b)^-a)`` for a label of ``n_l`` of the n instances: in (0, 1].

    Raises
    ------
    DataError
        If there are fewer than three instances, or a parameter is not above 0.

    References
    ----------
    Jain, Prabhu and Varma (2016), "Extreme multi-label loss functions for recommendation, tagging, ranking & other
    missing label applications", KDD.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.metrics import propensities
    >>> data = mlreduce.load_dataset("digits-300")
    >>> propensities(data.Y).round(2)[:3].tolist()
    [0.67, 0.64, 0.67]
    """
    labels, _ = check_known_labels(y, sparse=True)
    if labels.shape[0] < _LEAST_ROWS or not (a > 0 and b > 0):
        raise DataError(
            f"propensities need {_LEAST_ROWS} instances at least, and a and b above 0; got {labels.shape[0]} "
            f"instances, a={a!r} and b={b!r}"
        )
    counts = np.asarray(labels.sum(axis=0), dtype=np.float64)
    return 1 / (1 + (np.log(labels.shape[0]) - 1) * (b + 1) ** a * (counts + b) ** -a)


def _mean_precision(outcome: Outcome, k: int) -> float:
    hits = _count_hits(outcome)[:, :k]
    return float(hits.sum() / (k * len(hits)))


def _mean_ndcg(outcome: Outcome, k: int) -> float:
    return float(np.mean(_discounted_sums(outcome, _count_hits(outcome), k)))


def _count_hits(outcome: Outcome) -> FloatArray:
    """Return which of the first labels of each instance are true, or the share of orders in which they are."""
    if outcome.averages_ties:
        return outcome.runs.at_first(TOP)
    return outcome.true_at(outcome.best).astype(np.float64)


def _scored_precision(outcome: Outcome, k: int) -> float:
    reached, possible = (gains[:, :k].sum() for gains in _compute_gains(outcome))
    return float(reached / possible) if possible else 0.0


def _scored_ndcg(outcome: Outcome, k: int) -> float:
    reached, possible = (_discounted_sums(outcome, gains, k).sum() for gains in _compute_gains(outcome))
    return float(reached / possible) if possible else 0.0


def _compute_gains(outcome: Outcome) -> tuple[FloatArray, FloatArray]:
    """Return the inverse propensities of the true ones among the first labels, and of those of the best order."""
    inverse = 1 / np.asarray(outcome.propensities)
    ideal = best_labels(outcome.stored_labels * inverse, TOP)
    if outcome.averages_ties:
        return outcome.gain_runs.at_first(TOP), np.where(outcome.true_at(ideal), inverse[ideal], 0.0)
    reached, possible = (np.where(outcome.true_at(best), inverse[best], 0.0) for best in (outcome.best, ideal))
    return reached, possible


def _discounted_sums(outcome: Outcome, gains: FloatArray, k: int) -> FloatArray:
    """Return the discounted sum of each instance's gains over that of its labels, k at most, in the first places."""
    discounts = 1 / np.log2(np.arange(k) + 2)
    n_true: NDArray[np.int64] = np.minimum(np.diff(outcome.stored_labels.indptr), k)
    most = np.concatenate(([1.0], np.cumsum(discounts)))[n_true]
    return gains[:, :k] @ discounts[: gains.shape[1]] / most


def _declare(
    name: str, label: str, needs: Literal["scores", "propensities"], formula: Callable[[Outcome, int], float], doc: str
) -> tuple[_Formula, _Formula, _Formula]:
    """Declare a measure of the first one, three and five labels, ``name_at_k``, and return the functions."""

    def declare_at(k: int, labels: str) -> _Formula:
        def value(outcome: Outcome) -> float:
            return formula(outcome, k)

        value.__name__ = value.__qualname__ = f"{name}_at_{k}"
        value.__doc__ = doc.format(labels=labels)
        return measure(f"{name}-at-{k}", label=f"{label}@{k}", higher_is_better=True, needs=needs)(value)

    return declare_at(1, "label"), declare_at(3, "three labels"), declare_at(5, "five labels")


precision_at_1, precision_at_3, precision_at_5 = _declare(
    "precision",
    "precision",
    "scores",
    _mean_precision,
    "Return the precision of the first {labels}: the mean share that is true.",
)
ndcg_at_1, ndcg_at_3, ndcg_at_5 = _declare(
    "ndcg",
    "nDCG",
    "scores",
    _mean_ndcg,
    """Return the normalised discounted cumulative gain of the first {labels}.

    The mean over the instances of the sum of ``1 / log2(place + 1)`` over the true ones of the first labels, divided by
    that of as many true ones as there are, at most the number of first labels, in the first places. Of the first label
    it is the precision.
    """,
)
psp_at_1, psp_at_3, psp_at_5 = _declare(
    "psp",
    "PSP",
    "propensities",
    _scored_precision,
    "Return the propensity-scored precision of the first {labels}, divided by the best possible.",
)
psndcg_at_1, psndcg_at_3, psndcg_at_5 = _declare(
    "psndcg",
    "PSnDCG",
    "propensities",
    _scored_ndcg,
    "Return the propensity-scored discounted cumulative gain of the first {labels}, divided by the best possible.",
)
