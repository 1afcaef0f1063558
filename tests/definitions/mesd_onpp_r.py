"""ONPP-R of the copies of each instance, one for each of its labels."""

from __future__ import annotations

from . import onpp_r
from ._classes import of_copies

PARAMETERS = onpp_r.PARAMETERS


def definition(X, Y, fitted):
    of_copies(onpp_r.forms, X, Y, fitted)
