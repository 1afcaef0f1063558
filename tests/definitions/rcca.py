"""Canonical correlations with a ridge in the constraint."""

from __future__ import annotations

from . import cca

PARAMETERS = {"ridge": 0.7}


def definition(X, Y, fitted):
    cca.definition(X, Y, fitted, ridge=0.7)
