"""Label-space dimension reduction: coders and a classifier that learns codes."""

from __future__ import annotations

import importlib
from typing import Any

from mlreduce import registry
from mlreduce.labelspace.base import LabelCoder, LabelStatistics
from mlreduce.labelspace.factors import FactorCoder

ON_DEMAND = {"CodedClassifier": "mlreduce.labelspace.classifier"}

__all__ = ["CodedClassifier", "FactorCoder", "LabelCoder", "LabelStatistics"]


def __getattr__(name: str) -> Any:
    if name in ON_DEMAND:
        return getattr(importlib.import_module(ON_DEMAND[name]), name)
    return registry.find_class(name, module=__name__)


def __dir__() -> list[str]:
    return sorted([*__all__, *registry.class_names("labelspace")])
