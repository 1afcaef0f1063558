"""DNE of the copies of each instance, one for each of its labels."""

from __future__ import annotations

from . import dne
from ._classes import of_copies

PARAMETERS = dne.PARAMETERS


def definition(X, Y, fitted):
    of_copies(dne.forms, X, Y, fitted)
