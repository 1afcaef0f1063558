"""LFDA of the copies of each instance, one for each of its labels."""

from __future__ import annotations

from . import lfda
from ._classes import of_copies

PARAMETERS = lfda.PARAMETERS


def definition(X, Y, fitted):
    of_copies(lfda.forms, X, Y, fitted)
