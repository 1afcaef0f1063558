"""Predictors: regressors and classifiers on reduced features or label codes."""

from __future__ import annotations

from typing import Any

from mlreduce import registry

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    return registry.find_class(name, module=__name__)


def __dir__() -> list[str]:
    return sorted(registry.class_names("predictors"))
