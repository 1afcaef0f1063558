"""OLPP-R of the copies of each instance, one for each of its labels."""

from __future__ import annotations

from . import olpp_r
from ._classes import of_copies

PARAMETERS = olpp_r.PARAMETERS


def definition(X, Y, fitted):
    of_copies(olpp_r.forms, X, Y, fitted)
