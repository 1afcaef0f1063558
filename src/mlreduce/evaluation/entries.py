"""What is known of the entries of a study file by name alone: what in them is no parameter, and their strategy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["others_of", "strategy_module", "without_search"]

# What is done for one family of methods does not depend on the code for another.
_STRATEGIES = {
    "labelspace": "mlreduce.evaluation.label_space",
    "projection": "mlreduce.evaluation.feature_space",
    "selection": "mlreduce.evaluation.selection",
}

# How parameters are found: by a search, or as those of other methods.
_FOUND = ("search", "parts", "like")


def others_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the labels of the methods whose chosen parameters a method's entry has."""
    return [*entry.get("parts", {}).values(), *([entry["like"]] if "like" in entry else [])]


def without_search(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a method's entry with defaults for the parameters that are found by a search."""
    return {key: value for key, value in entry.items() if key not in _FOUND}


def strategy_module(family: str) -> str:
    """Return the name of the module that holds the strategy of a family of methods, as ``STRATEGY``."""
    return _STRATEGIES[family]
