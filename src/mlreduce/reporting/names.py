"""Names of measures as a reader sees them."""

from __future__ import annotations

__all__ = ["measure_name"]

_NAMES = {
    "all": "all measures",
    "average-precision": "average precision",
    "hamming-loss": "Hamming loss",
    "instance-accuracy": "accuracy",
    "instance-f1": "F1",
    "instance-precision": "precision",
    "instance-recall": "recall",
    "macro-f1": "macro-F1",
    "micro-f1": "micro-F1",
    "macro-auc": "macro-AUC",
    "micro-auc": "micro-AUC",
    "ranking-loss": "ranking loss",
    "subset-accuracy": "subset accuracy",
    "encoding-error": "encoding error",
    "prediction-error": "prediction error",
    "loss-bound": "loss bound",
}


def measure_name(measure: str) -> str:
    """Return the name of a measure in figures and tables; its own where it has no other."""
    return _NAMES.get(measure, measure)
