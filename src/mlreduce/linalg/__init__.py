"""Numerical kit: matrices that are centred implicitly, distances, kernels, least squares, compiled loops."""
