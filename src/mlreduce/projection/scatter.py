"""Scatters that constrain a projection, and the ridge that keeps them from being singular."""

from __future__ import annotations

from dataclasses import replace

from mlreduce.features import Features
from mlreduce.projection.problem import Form
from mlreduce.validation import check_range

__all__ = ["check_ridge", "with_ridge"]

# Ridge of a scatter relative to its mean diagonal, where none is given.
_RIDGE = 1e-3


def check_ridge(ridge: float | None) -> None:
    """Refuse a ridge that is neither None nor a number >= 0.

    Raises
    ------
    DataError
        If it is something else.
    """
    if ridge is not None:
        check_range(ridge, "ridge", 0)


def with_ridge(scatter: Form, features: Features, ridge: float | None) -> Form:
    """Return a scatter plus a ridge.

    Parameters
    ----------
    scatter : Form
        Without a ridge of its own.
    features : Features
        What it is of.
    ridge : float or None
        In the scatter's units; None is a thousandth of its mean diagonal.
    """
    if ridge is None:
        ridge = _RIDGE * scatter.mean_diagonal(features)
    return replace(scatter, ridge=float(ridge))
