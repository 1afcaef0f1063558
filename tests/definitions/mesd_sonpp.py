"""SONPP of the copies of each instance, one for each of its labels."""

from __future__ import annotations

from . import sonpp
from ._classes import of_copies

PARAMETERS = sonpp.PARAMETERS


def definition(X, Y, fitted):
    of_copies(sonpp.forms, X, Y, fitted)
