"""What all plots share: the axes that they draw into, and names that fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import DataError, from_extra
from mlreduce.validation import check_labels, column_names


def pyplot() -> Any:
    """Return ``matplotlib.pyplot``; raise MissingPackageError if Matplotlib is not installed."""
    with from_extra("plot", "figures"):
        import matplotlib.pyplot as plt

    return plt


def axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes to draw into: those given, or of a new figure of a width and height in inches."""
    return pyplot().subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def short(text: str, length: int = 40) -> str:
    """Return a text that is cut to a length."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def without_middle(text: str, length: int = 22) -> str:
    """Return a text that is cut to a length, with its beginning and its end."""
    half = length // 2
    return text if len(text) <= length else f"{text[:half]}…{text[-half:]}"


def labels_and_names(y: Any, label_names: Sequence[str] | None) -> tuple[NDArray[np.int8], list[str]]:
    """Return a label matrix in {0, 1}, and names of its columns: those given, its names, or numbers from 1.

    Raises DataError if there are not as many names as labels.
    """
    if hasattr(y, "label_names"):  # a data set
        y, label_names = y.Y, label_names or y.label_names
    labels = check_labels(y).astype(np.int8)
    known = column_names(y) or range(1, labels.shape[1] + 1)
    names = list(map(str, known if label_names is None else label_names))
    if len(names) != labels.shape[1]:
        raise DataError(f"{len(names)} label names, but {labels.shape[1]} labels")
    return labels, names
