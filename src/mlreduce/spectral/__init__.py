"""Core of the spectral methods: quadratic forms, training sets, the solver and its decompositions, graphs."""

from mlreduce.spectral.form import Form
from mlreduce.spectral.training_set import TrainingSet

__all__ = ["Form", "TrainingSet"]
