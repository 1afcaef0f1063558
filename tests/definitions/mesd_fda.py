"""FDA of the copies of each instance, one for each of its labels."""

from __future__ import annotations

from . import fda
from ._classes import of_copies

PARAMETERS = fda.PARAMETERS


def definition(X, Y, fitted):
    of_copies(fda.forms, X, Y, fitted)
