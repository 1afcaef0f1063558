"""Measures of scores: how well they order the labels of an instance, or the instances of a label.

Ties count as errors, as in scikit-learn, but for the areas under the ROC curve, where a tie counts half, and that under
the precision-recall curve, which has one threshold for all scores that tie. With ``ties="expected"`` each measure is
its mean over all orders of what ties, in closed form: see `mlreduce.metrics.counts.Runs`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import warn
from mlreduce.metrics.counts import Runs, check_pair, refuse_best
from mlreduce.metrics.measures import measure
from mlreduce.metrics.outcome import Outcome
from mlreduce.validation import FloatArray, as_dense, is_sparse


@measure("ranking-loss", label="ranking loss", higher_is_better=False, needs="scores")
def ranking_loss(outcome: Outcome) -> float:
    """Return the mean over the instances of the share of pairs of a true and a false label in the wrong order.

    In [0, 1]; 0 for an instance with no label or with all of them.
    """
    return float(np.mean(_ranking_losses(outcome)))


@measure("ranking-loss-labelled", label="ranking loss, labelled instances", higher_is_better=False, needs="scores")
def ranking_loss_labelled(outcome: Outcome) -> float:
    """Return the ranking loss over the instances that have a label, in [0, 1]; 0 where none has."""
    return _over_labelled(outcome, _ranking_losses(outcome))


@measure("coverage", higher_is_better=False, needs="scores")
def coverage(outcome: Outcome) -> float:
    """Return the mean number of steps down the order of the labels until all true ones are passed.

    In [0, n_labels - 1]; 0 for an instance with no label. For others one less than scikit-learn's ``coverage_error``,
    as in the papers.
    """
    return float(np.mean(_steps(outcome)))


@measure("coverage-labelled", label="coverage, labelled instances", higher_is_better=False, needs="scores")
def coverage_labelled(outcome: Outcome) -> float:
    """Return the coverage over the instances that have a label, in [0, n_labels - 1]; 0 where none has."""
    return _over_labelled(outcome, _steps(outcome))


@measure("one-error", higher_is_better=False, needs="scores")
def one_error(outcome: Outcome) -> float:
    """Return the share of instances whose first label is not true, in [0, 1]; 1 for an instance with no label.

    Of several first labels, which share the largest score, all must be true.
    """
    if outcome.averages_ties:
        return float(1 - _runs(outcome).at_first(1).mean())
    ranks = outcome.ranks
    first = ranks.behind.min(axis=1, keepdims=True)
    return float(np.mean(~((ranks.behind == first) & (ranks.true_behind == first)).any(axis=1)))


@measure("average-precision", label="average precision", higher_is_better=True, needs="scores")
def average_precision(outcome: Outcome) -> float:
    """Return the mean over the instances and their labels of the share of true labels ranked up to there.

    In [0, 1]; 1 for an instance with no label or with all of them.
    """
    return float(np.mean(_precisions(outcome)))


@measure(
    "average-precision-labelled",
    label="average precision, labelled instances",
    higher_is_better=True,
    needs="scores",
)
def average_precision_labelled(outcome: Outcome) -> float:
    """Return the average precision over the instances that have a label, in [0, 1]; 0 where none has."""
    return _over_labelled(outcome, _precisions(outcome))


@measure("micro-auc", label="micro-AUC", higher_is_better=True, needs="scores")
def micro_auc(outcome: Outcome) -> float:
    """Return the area under the ROC curve of all assignments together, in [0, 1].

    The share of pairs of a true and a false assignment in which the true one has the larger score. Where all
    assignments are true, or none, it is undefined: NaN, with an UndefinedMetricWarning.
    """
    area = _areas(outcome, together=True)
    return float(area[0]) if len(area) else _undefined("micro-auc: all assignments are true, or none")


@measure("micro-auprc", label="micro-AUPRC", higher_is_better=True, needs="scores")
def micro_auprc(outcome: Outcome) -> float:
    """Return the area under the precision-recall curve of all assignments together, in [0, 1].

    The sum of precision times gain in recall over all thresholds of the scores (scikit-learn's average precision), not
    interpolated; 0 where no assignment is true.
    """
    true, scores = _assignments(outcome)
    if outcome.known is not None:
        true, scores = true[outcome.known], scores[outcome.known]
    if outcome.averages_ties:
        runs = Runs.compute(true.reshape(1, -1), scores.reshape(1, -1), None, 0)
        return float(runs.precisions()[0]) if true.any() else 0.0
    order = np.argsort(-scores, axis=None, kind="stable")
    hits = np.cumsum(true.ravel()[order])
    last = np.append(np.flatnonzero(np.diff(scores.ravel()[order])), len(order) - 1)  # of each run of equal scores
    gains = np.diff(hits[last], prepend=0)
    return float((gains * hits[last] / (last + 1)).sum() / max(hits[-1], 1))


@measure("macro-auc", label="macro-AUC", higher_is_better=True, needs="scores")
def macro_auc(outcome: Outcome) -> float:
    """Return the mean over the labels of the area under the ROC curve, in [0, 1].

    Of labels that all instances have, or none, it is undefined: they are left out with an UndefinedMetricWarning, and
    the mean is NaN where that leaves no label.
    """
    areas = _areas(outcome)
    if not len(areas):
        return _undefined("macro-auc: every label is one that all instances have, or none")
    if len(areas) < outcome.labels.shape[1]:
        _undefined("macro-auc: some labels are ones that all instances have, or none, and are left out of the mean")
    return float(areas.mean())


def _undefined(reason: str) -> float:
    """Return NaN, and warn why there is no area under the ROC curve."""
    from sklearn.exceptions import UndefinedMetricWarning  # a second to import, and measures need nothing else of it

    warn(f"{reason}: no pair of a true and a false assignment can be ordered", UndefinedMetricWarning)
    return float("nan")


def _ranking_losses(outcome: Outcome) -> FloatArray:
    """Return each instance's share of pairs of a true and a false label in the wrong order."""
    if outcome.averages_ties:
        return _runs(outcome).losses(outcome.n_known(axis=1))
    ranks = outcome.ranks
    false_behind = np.where(ranks.true, ranks.behind - ranks.true_behind, 0).sum(axis=1)
    n_true = np.count_nonzero(ranks.true, axis=1)
    return false_behind / np.maximum(n_true * (outcome.n_known(axis=1) - n_true), 1)


def _steps(outcome: Outcome) -> NDArray[Any]:
    """Return each instance's number of steps down the order of its labels until all true ones are passed."""
    if outcome.averages_ties:
        return np.maximum(_runs(outcome).last_true() - 1, 0)
    ranks = outcome.ranks
    return np.where(ranks.true, ranks.behind, 1).max(axis=1) - 1


def _precisions(outcome: Outcome) -> FloatArray:
    """Return each instance's mean share of true labels ranked up to a true one."""
    if outcome.averages_ties:
        return _runs(outcome).precisions()
    ranks = outcome.ranks
    n_true = np.count_nonzero(ranks.true, axis=1)
    shares = np.where(ranks.true, ranks.true_behind / ranks.behind, 0.0).sum(axis=1) / np.maximum(n_true, 1)
    return np.where(n_true > 0, shares, 1.0)


def _runs(outcome: Outcome) -> Runs:
    """Return the runs of labels that tie, of scores of all labels."""
    refuse_best(outcome.scores)
    return outcome.runs


def _over_labelled(outcome: Outcome, values: NDArray[Any]) -> float:
    """Return the mean of the values of instances that have a label; 0 where none has."""
    labelled = np.asarray(outcome.labels.sum(axis=1)) > 0
    return float(values[labelled].mean()) if labelled.any() else 0.0


def _areas(outcome: Outcome, together: bool = False) -> FloatArray:
    """Return the area under the curve of each label that some instances have and others lack."""
    from scipy.stats import rankdata  # slow to import, and naming measures does not need it

    true, scores = _assignments(outcome)
    n_known = outcome.n_known(axis=0)
    if together:
        true, scores, n_known = true.reshape(-1, 1), scores.reshape(-1, 1), outcome.n_known()
    n_true = np.count_nonzero(true, axis=0)
    n_false = n_known - n_true
    mixed = (n_true > 0) & (n_false > 0)
    if outcome.averages_ties:
        known = None if outcome.known is None else outcome.known.reshape(true.shape).T
        losses: FloatArray = Runs.compute(true.T, scores.T, known, 0).losses(n_known)[mixed]
        return 1 - losses
    sums = np.where(true, rankdata(scores, axis=0), 0.0).sum(axis=0)
    # Unknown labels, whose scores are the smallest, come before all others.
    first = n_true * (n_true + 1) / 2 + n_true * (len(true) - n_known)
    return (sums - first)[mixed] / (n_true * n_false)[mixed]


def _assignments(outcome: Outcome) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Return which assignments are true, and the scores of all."""
    refuse_best(outcome.scores)
    scores: NDArray[Any] = np.asarray(outcome.scores)
    check_pair(outcome.labels, scores)
    true = as_dense(outcome.labels) == 1 if is_sparse(outcome.labels) else outcome.labels.astype(bool)
    return true, scores
