"""Feature selection."""

from __future__ import annotations

from typing import Any

from mlreduce import registry
from mlreduce.selection.base import Selector

__all__ = ["Selector"]


def __getattr__(name: str) -> Any:
    return registry.find_class(name, module=__name__)


def __dir__() -> list[str]:
    return sorted([*__all__, *registry.class_names("selection")])
