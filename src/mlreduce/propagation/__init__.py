"""Label propagation: labels of unlabelled instances from those of labelled ones, along a graph."""

from __future__ import annotations

from typing import Any

from mlreduce import registry
from mlreduce.propagation.base import LabelPropagation

__all__ = ["LabelPropagation"]


def __getattr__(name: str) -> Any:
    return registry.find_class(name, module=__name__)


def __dir__() -> list[str]:
    return sorted([*__all__, *registry.class_names("propagation")])
