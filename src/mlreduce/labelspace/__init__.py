"""Label-space dimension reduction: coders and a classifier that learns codes."""

from __future__ import annotations

from typing import Any

from mlreduce import registry
from mlreduce.labelspace.base import LabelCoder, LabelStatistics
from mlreduce.labelspace.factors import FactorCoder

__all__ = ["CodedClassifier", "FactorCoder", "LabelCoder", "LabelStatistics"]


def __getattr__(name: str) -> Any:
    if name == "CodedClassifier":
        from mlreduce.labelspace.classifier import CodedClassifier

        return CodedClassifier
    return registry.find_class(name, module=__name__)


def __dir__() -> list[str]:
    return sorted([*__all__, *registry.class_names("labelspace")])
