"""MFA of the copies of each instance, one for each of its labels."""

from __future__ import annotations

from . import mfa
from ._classes import of_copies

PARAMETERS = mfa.PARAMETERS


def definition(X, Y, fitted):
    of_copies(mfa.forms, X, Y, fitted)
