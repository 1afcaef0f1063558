"""Combining proximities by features, W, and by labels, G: the function Psi of MOPE."""

from __future__ import annotations

import numpy as np

from mlreduce.exceptions import DataError
from mlreduce.validation import FloatArray, check_range

__all__ = ["COMBINATIONS", "check_combination", "combined"]

#: "labels" and "features" take one of the two and leave out the other.
COMBINATIONS = ("priority", "hadamard", "weighted-sum", "labels", "features")


def check_combination(combine: str, a: float, b: float, beta: float, gamma: float) -> None:
    """Refuse a combination that is unknown, or whose parameters are out of range.

    Raises
    ------
    DataError
        If ``combine`` is none of `COMBINATIONS`, ``a``, ``b`` or ``beta`` is no number >= 0, ``gamma`` is not in
        [0, 1], or ``beta`` exceeds 1 in a weighted sum.
    """
    if combine not in COMBINATIONS:
        raise DataError(f"combine must be one of {', '.join(COMBINATIONS)}; got {combine!r}")
    check_range(a, "a", 0)
    check_range(b, "b", 0)
    check_range(beta, "beta", 0, 1 if combine == "weighted-sum" else np.inf)
    check_range(gamma, "gamma", 0, 1)


def combined(
    weights: FloatArray | None,
    proximities: FloatArray | None,
    combine: str = "priority",
    a: float = 1.0,
    b: float = 1.0,
    beta: float = 0.5,
    gamma: float = 1.0,
) -> FloatArray:
    """Combine two proximities entry by entry.

    Parameters
    ----------
    weights : ndarray or None
        By features, w, in [0, 1]; None where only labels count.
    proximities : ndarray of the same shape or None
        By labels, g, in [0, 1]; None where only features count.
    combine : {"priority", "hadamard", "weighted-sum", "labels", "features"}, default="priority"
        ``"priority"``: ``gamma g^a / (1 + beta (1 - w^b)) + (1 - gamma) w^b``: with ``gamma=1`` features only lower
        what labels say, at most by ``1 + beta``. ``"hadamard"``: ``g w``. ``"weighted-sum"``:
        ``beta g + (1 - beta) w``. ``"labels"``: g, where w is None. ``"features"``: w, where g is None.
    a, b, beta : float
        >= 0; ``a=0`` leaves out the labels, ``b=0`` or ``beta=0`` the features. In a weighted sum beta is in [0, 1].
    gamma : float
        In [0, 1].

    Returns
    -------
    ndarray of the same shape, in [0, 1]
        An array of its own.

    References
    ----------
    Mu et al. (2012), section 3.3.2, equation (43) and what follows it.
    """
    if weights is None or proximities is None:
        return np.array(proximities if weights is None else weights)
    if combine == "hadamard":
        return proximities * weights
    if combine == "weighted-sum":
        return beta * proximities + (1.0 - beta) * weights
    raised = _power(weights, b)
    total = _power(proximities, a) / (1.0 + beta * (1.0 - raised))
    return total if gamma == 1 else gamma * total + (1.0 - gamma) * raised


def _power(values: FloatArray, exponent: float) -> FloatArray:
    """Raise to a power; the common one costs nothing."""
    raised: FloatArray = values if exponent == 1 else values**exponent
    return raised
