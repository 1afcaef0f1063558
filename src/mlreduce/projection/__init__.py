"""Projections of the feature space: fewer features, each a combination of all."""

from __future__ import annotations

from typing import Any

from mlreduce import registry
from mlreduce.projection.base import Projection

__all__ = ["Projection"]


def __getattr__(name: str) -> Any:
    return registry.find_class(name, module=__name__)


def __dir__() -> list[str]:
    return sorted([*__all__, *registry.class_names("projection")])
