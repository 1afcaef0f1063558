"""Probabilities of labels from scores: a logistic curve for each label, drawn to the one of all labels."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from mlreduce.validation import FloatArray

# Scores beyond count as this.
_LARGEST = 1e100
# The weight of the curve of all labels in that of each, in instances whose scores are a standard deviation apart; that
# of no curve in the one of all.
_PRIOR, _LEAST_PRIOR = 1.0, 1e-3
# Of slopes, in standard deviations of the scores: the order of the scores of a label is kept.
_LEAST_SLOPE = 1e-3
# Cells of which the curve of all labels is made, at most.
_CELLS = 200_000
# Newton's method ends where the loss of no label gains more than this share, or after so many steps.
_TOLERANCE, _STEPS, _HALVINGS = 1e-12, 100, 40


class Calibration(NamedTuple):
    """Logistic curves of scores, ``1 / (1 + exp(-(slope * score + intercept)))``.

    The curve of a label is that of its held-out scores by logistic regression (Platt 1999, "Probabilistic outputs for
    support vector machines"), with a penalty on the squared differences from the curve of all labels together: a label
    with few positive instances has nearly the common one.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.predictors.calibration import Calibration
    >>> scores = np.array([[-2.0], [-1.0], [0.5], [1.0]])
    >>> curves = Calibration.from_scores(scores, np.array([[0], [0], [1], [1]]))
    >>> bool(curves.apply(np.array([[3.0]]))[0, 0] > 0.9)
    True
    """

    #: Of shape (n_labels,). Above 0, so that the order of the scores of a label is kept.
    slopes: FloatArray
    #: Of shape (n_labels,).
    intercepts: FloatArray

    @classmethod
    def from_scores(cls, scores: FloatArray, labels: NDArray[Any], known: NDArray[np.bool_] | None = None) -> Self:
        """Fit curves to held-out scores, which may be NaN where a label is not known.

        They are those of a model that was not trained on the row. Labels are in {0, 1}; ``known`` of None knows all.
        """
        weights = np.ones(scores.shape) if known is None else known.astype(np.float64)
        scores = np.clip(scores if known is None else np.where(known, scores, 0.0), -_LARGEST, _LARGEST)
        total = weights.sum()
        if not total:
            return cls(np.ones(scores.shape[1]), np.zeros(scores.shape[1]))
        centre = float((weights * scores).sum() / total)
        scale = float(np.sqrt((weights * (scores - centre) ** 2).sum() / total)) or 1.0
        units, present = (scores - centre) / scale, labels * weights
        share = np.clip(present.sum() / total, 0.5 / total, 1 - 0.5 / total)
        start = np.array([[0.0], [logit(share)]])
        some = slice(None, None, -(-scores.size // _CELLS))
        flat, there, known_cells = (table.reshape(-1, 1)[some] for table in (units, present, weights))
        common = _logistic(flat, there, known_cells, start, _LEAST_PRIOR)
        slopes, intercepts = _logistic(units, present, weights, np.tile(common, scores.shape[1]), _PRIOR)
        slopes = np.maximum(slopes, _LEAST_SLOPE) / scale
        return cls(slopes, intercepts - slopes * centre)

    def apply(self, scores: FloatArray) -> FloatArray:
        """Return the probabilities of scores, shape (n_samples, n_labels)."""
        probabilities: FloatArray = expit(self.slopes * np.clip(scores, -_LARGEST, _LARGEST) + self.intercepts)
        return probabilities


def _logistic(
    scores: FloatArray, present: FloatArray, weights: FloatArray, prior: FloatArray, strength: float
) -> FloatArray:
    """Return slope and intercept of each column, shape (2, n_columns): logistic regression drawn to a prior."""
    curves, active = prior.copy(), np.arange(scores.shape[1])
    reached, shares = _evaluate(scores, present, weights, curves, prior, strength)
    for _ in range(_STEPS):
        spread = weights * shares * (1.0 - shares)
        errors = weights * shares - present
        gradient = np.array([(errors * scores).sum(axis=0), errors.sum(axis=0)])
        gradient += strength * (curves - prior)[:, active]
        products = spread * scores
        a, b = (products * scores).sum(axis=0) + strength, products.sum(axis=0)
        c = spread.sum(axis=0) + strength
        step = np.array([c * gradient[0] - b * gradient[1], a * gradient[1] - b * gradient[0]]) / (a * c - b**2)
        slack = _TOLERANCE * (1.0 + reached)
        for _ in range(_HALVINGS):
            values, shares = _evaluate(scores, present, weights, curves[:, active] - step, prior[:, active], strength)
            worse = ~(values <= reached + slack)
            if not worse.any():
                break
            step[:, worse] /= 2
        curves[:, active] -= step
        going = reached - values > slack
        if not going.any():
            break
        active, reached = active[going], values[going]
        if not going.all():
            scores, present, weights, shares = (table[:, going] for table in (scores, present, weights, shares))
    return curves


def _evaluate(
    scores: FloatArray, present: FloatArray, weights: FloatArray, curves: FloatArray, prior: FloatArray, strength: float
) -> tuple[FloatArray, FloatArray]:
    """Return the penalised losses of curves, and the probabilities."""
    decisions = curves[0] * scores + curves[1]
    small = np.exp(-np.abs(decisions))
    shares = np.where(decisions >= 0, 1.0, small) / (1.0 + small)
    losses = (weights * (np.log1p(small) + np.maximum(decisions, 0.0)) - present * decisions).sum(axis=0)
    return losses + 0.5 * strength * ((curves - prior) ** 2).sum(axis=0), shares
