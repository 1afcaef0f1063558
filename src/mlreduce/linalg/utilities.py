"""Small numerical utilities: safe division, rounding of predictions to labels, signs of directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlreduce.validation import FloatArray

__all__ = ["TIE", "above_half", "best_of_each", "quotient", "signed"]


def quotient(numerators: FloatArray | float, denominators: FloatArray) -> FloatArray:
    """Divide where the denominator is positive; 0 elsewhere: a label that no instance has, a row without length."""
    shape = np.broadcast_shapes(np.shape(numerators), denominators.shape)
    ratios: FloatArray = np.divide(numerators, denominators, out=np.zeros(shape), where=denominators > 0)
    return ratios


#: Predicted values closer than this to one half are a tie and mean "absent", as rounding half to even says. Rows that
#: coincide in the features but not in a label put a regression at exactly one half, where rounding errors would
#: otherwise decide.
TIE = 1e-9


def above_half(values: FloatArray) -> NDArray[np.int8]:
    """Return the labels in {0, 1} that predictions of such labels stand for."""
    return (values > 0.5 + TIE).astype(np.int8)


def best_of_each(scores: FloatArray, shares: FloatArray) -> NDArray[np.int8]:
    """Return labels in {0, 1}: each for the instances with its best scores, as many as its share of them.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_labels)
        Those of zero or less get no label; of equal ones the first is the better.
    shares : ndarray of shape (n_labels,)
        In [0, 1].
    """
    numbers = np.rint(shares * len(scores)).astype(np.intp)
    order = np.argsort(-scores, axis=0, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(len(scores))[:, np.newaxis], axis=0)
    return ((ranks < numbers) & (scores > 0)).astype(np.int8)


def signed(rows: FloatArray) -> FloatArray:
    """Turn each row so that its entry of largest magnitude is positive."""
    peaks = rows[np.arange(len(rows)), np.argmax(np.abs(rows), axis=1)]
    return np.ascontiguousarray(rows * np.where(peaks < 0, -1.0, 1.0)[:, np.newaxis])
