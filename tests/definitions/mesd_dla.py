"""DLA of the copies of each instance, one for each of its labels."""

from __future__ import annotations

from . import dla
from ._classes import of_copies

PARAMETERS = dla.PARAMETERS


def definition(X, Y, fitted):
    of_copies(dla.forms, X, Y, fitted)
