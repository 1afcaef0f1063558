"""Entries of methods in a study file: what in them is no parameter, what was chosen for them, and their strategy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

#: An entry of a study file: parameters, and under ``method`` the registry name where it is not the label.
Entry: TypeAlias = Mapping[str, Any]
Methods: TypeAlias = Mapping[str, Entry]
Predictor: TypeAlias = tuple[str, Entry]

# What is done for one family of methods does not depend on the code for another.
_STRATEGIES = {
    "labelspace": "mlreduce.evaluation.label_space",
    "projection": "mlreduce.evaluation.feature_space",
    "selection": "mlreduce.evaluation.selection",
}

# How parameters are chosen: by a search, or as those of other methods.
_CHOSEN = ("search", "parts", "like")


def others_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the labels of the methods whose chosen parameters a method's entry has."""
    return [*entry.get("parts", {}).values(), *([entry["like"]] if "like" in entry else [])]


def without_search(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a method's entry with defaults for the parameters that a search chooses."""
    return {key: value for key, value in entry.items() if key not in _CHOSEN}


def strategy_module(family: str) -> str:
    """Return the name of the module that holds the strategy of a family of methods, as ``STRATEGY``."""
    return _STRATEGIES[family]


def chosen_entries(methods: Mapping[str, Mapping[str, Any]], choices: pd.DataFrame | None) -> dict[str, dict[str, Any]]:
    """Return the entries of methods with the parameters that were chosen in place of those to try.

    ``methods`` also has those that others are made of. ``choices`` has `mlreduce.evaluation.search.SEARCH_COLUMNS`, of
    one split, of these and perhaps other methods; it is None where nothing was searched.
    """
    entries = {label: without_search(entry) for label, entry in methods.items()}
    if choices is not None:
        for row in choices[choices["chosen"] & choices["method"].isin(list(entries))].to_dict("records"):
            entries[str(row["method"])] |= json.loads(row["parameters"])
    for label, entry in methods.items():
        if "like" in entry:
            entries[label] = entries[entry["like"]] | entries[label]
        for parameter, part in entry.get("parts", {}).items():
            entries[label][parameter] = {key: value for key, value in entries[part].items() if key != "method"}
    return entries


def is_range(values: Any) -> bool:
    """Return whether the values to try of a parameter are a range, and not a list."""
    return isinstance(values, Mapping)
