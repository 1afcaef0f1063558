"""Coding of labels as numbers."""

from __future__ import annotations

from mlreduce.validation import check_option

__all__ = ["label_scale"]

_SCALES = {"signed": 2.0, "binary": 1.0}


def label_scale(coding: str) -> float:
    """Return the difference of the two label values: 2 for ``"signed"``, {-1, 1}; 1 for ``"binary"``, {0, 1}.

    Raises
    ------
    DataError
        If the coding is unknown.
    """
    return _SCALES[check_option(coding, "coding", _SCALES)]
