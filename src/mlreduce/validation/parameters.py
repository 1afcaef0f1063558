"""Checks of parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

import numpy as np

from mlreduce.exceptions import DataError, nearest, unknown_name

#: How many: an integer, a share or a percentage such as ``"50%"``; None for all.
Size: TypeAlias = int | float | str | None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def check_option(value: Any, name: str, options: Collection[str | None]) -> Any:
    """Return a parameter if it is one of some words, or None if that is one of the options.

    Raises
    ------
    DataError
        If it is something else; the message names the nearest.
    """
    if not isinstance(value, (str, type(None))) or value not in options:
        *others, last = map(repr, options)
        near = nearest(value, [word for word in options if word])
        raise DataError(f"{name} must be {', '.join(others)} or {last}; got {value!r}{near}")
    return value


def check_count(value: Any, name: str, least: int = 1) -> int:
    """Return a parameter as an int if it is an integer of ``least`` or more.

    Raises
    ------
    DataError
        If it is something else.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise DataError(f"{name} must be an integer >= {least}; got {value!r}")
    return int(value)


def check_range(value: Any, name: str, low: float, high: float = np.inf, *, open_ends: bool = False) -> float:
    """Return a parameter as a float if it lies between two numbers, ends included by default.

    Raises
    ------
    DataError
        If it is no number or lies outside.
    """
    inside = _is_number(value) and np.isfinite(value) and (low < value < high if open_ends else low <= value <= high)
    if not inside:
        inner = f"in {'(' if open_ends else '['}{low:g}, {high:g}{')' if open_ends else ']'}"
        allowed = f"{'>' if open_ends else '>='} {low:g}" if high == np.inf else inner
        raise DataError(f"{name} must be a number {allowed}; got {value!r}")
    return float(value)


def check_options(options: Any, cls: Any, name: str, taken: Collection[str] = ()) -> dict[str, Any]:
    """Return a mapping of parameters of an estimator's class as a dict; None is an empty one.

    Parameters
    ----------
    options : mapping or None
    cls : type
        A scikit-learn estimator's.
    name : str
        Name of the parameter, for the message.
    taken : collection of str, default=()
        Parameters that are documented elsewhere.

    Raises
    ------
    DataError
        If it is none, or a parameter is unknown.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise DataError(f"{name} must be a dict of parameters of {cls.__name__}, or None; got {options!r}")
    known = [parameter for parameter in cls._get_param_names() if parameter not in taken]
    for parameter in options:
        if parameter not in known:
            present = getattr(cls, "_former_names", dict)().get(parameter)
            sentence = unknown_name(f"parameter of {name}", parameter, known)
            raise DataError(f"{parameter!r} of {name} is named {present!r}" if present in known else sentence)
    return dict(options)


def is_share(size: Any) -> bool:
    """Whether a requested number is a float."""
    return isinstance(size, (float, np.floating))


def check_size(size: Size, largest: int, what: str, name: str = "n_components") -> int:
    """Turn a requested number into an integer between 1 and the largest possible.

    Parameters
    ----------
    size : int, float, str or None
        A number; a percentage such as ``"50%"`` or a fraction in (0, 1), rounded down but never to zero; or None for
        all.
    largest : int
        Largest allowed number.
    what : str
        Noun for the message: "labels".
    name : str, default="n_components"
        Name of the parameter, for the message.

    Raises
    ------
    DataError
        If the number is not in 1..largest, the fraction not in (0, 1) or the percentage not in (0, 100].
    """
    if size is None:
        return largest
    if isinstance(size, str):
        return max(1, int(check_percentage(size, name) * largest / 100))
    if not _is_number(size):
        raise DataError(f"{name} must be a number, a percentage such as '50%' or None; got {size!r}")
    if isinstance(size, (int, np.integer)):
        if not 1 <= size <= largest:
            raise DataError(f"{name} must be between 1 and {largest}, the number of {what}; got {size}")
        return int(size)
    if not 0 < size < 1:
        raise DataError(f"{name} as a fraction must lie between 0 and 1; got {size}")
    return max(1, int(size * largest))


def check_percentage(text: str, name: str) -> Decimal:
    """Return the number of a percentage, which is exact: 7 % of 100 are 7.

    Raises
    ------
    DataError
        If the text is not a percentage above 0 and up to 100.
    """
    try:
        number = Decimal(text.strip().removesuffix("%")) if text.strip().endswith("%") else Decimal("nan")
    except InvalidOperation:
        number = Decimal("nan")
    if not (number.is_finite() and 0 < number <= 100):
        raise DataError(
            f"{name} must be a number, a percentage such as '50%', above 0 and up to 100, or None; got {text!r}"
        )
    return number


def check_components(size: int | str | None, largest: int, what: str) -> int:
    """Return ``n_components`` as `check_size` does, without fractions, since of projections a float is a share.

    Raises
    ------
    DataError
        As `check_size`, and if it is a float.
    """
    if is_share(size):
        raise DataError(
            f"n_components must be an integer, a percentage of the {what} such as '50%' or None; got {size!r}"
        )
    return check_size(size, largest, what)
