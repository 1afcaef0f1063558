"""Scaling, discretisation and relation features, fitted on the training rows alone."""

from mlreduce.preprocessing.scaling import SCALINGS, scale_parts

__all__ = ["SCALINGS", "scale_parts"]
