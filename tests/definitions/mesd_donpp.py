"""DONPP of the copies of each instance, one for each of its labels."""

from __future__ import annotations

from . import donpp
from ._classes import of_copies

PARAMETERS = donpp.PARAMETERS


def definition(X, Y, fitted):
    of_copies(donpp.forms, X, Y, fitted)
