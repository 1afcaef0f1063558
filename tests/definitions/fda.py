"""Scatter of the means of the classes, and of the instances about them."""

from __future__ import annotations

from single_label_by_the_book import scatters

from ._classes import of_classes

DATA = "classes"
PARAMETERS = {"ridge": 0.7}


def forms(X, y, W, p):
    return scatters(y)


def definition(X, Y, fitted):
    of_classes(forms, X, Y, fitted)
