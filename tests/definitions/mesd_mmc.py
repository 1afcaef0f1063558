"""MMC of the copies of each instance, one for each of its labels."""

from __future__ import annotations

from . import mmc
from ._classes import of_copies

PARAMETERS = mmc.PARAMETERS


def definition(X, Y, fitted):
    of_copies(mmc.forms, X, Y, fitted)
