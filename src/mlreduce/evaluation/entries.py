"""Entries of methods in a study file: what in them is no parameter of the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["others_of", "without_search"]

# How parameters are found: by a search, or as those of other methods.
_FOUND = ("search", "parts", "like")


def others_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the labels of the methods whose chosen parameters a method's entry has."""
    return [*entry.get("parts", {}).values(), *([entry["like"]] if "like" in entry else [])]


def without_search(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a method's entry with defaults for the parameters that are found by a search."""
    return {key: value for key, value in entry.items() if key not in _FOUND}
