"""Coding of labels as numbers."""

from __future__ import annotations

from mlreduce.exceptions import DataError

__all__ = ["label_scale"]

_SCALES = {"signed": 2.0, "binary": 1.0}


def label_scale(coding: str) -> float:
    """Return the difference of the two label values: 2 for ``"signed"``, {-1, 1}; 1 for ``"binary"``, {0, 1}.

    Raises
    ------
    DataError
        If the coding is unknown.
    """
    if coding not in _SCALES:
        raise DataError(f"coding must be 'signed' (labels in -1/1) or 'binary' (0/1); got {coding!r}")
    return _SCALES[coding]
