"""The share of the three nearest instances that have a label; more than half make it.

A quarter of a vote more has the frequencies of the labels, and another none.
"""

from __future__ import annotations

from selection_by_the_book import binary_relevance

from ._predictions import new_rows, predicts


def definition(X, Y, fitted):
    for rows in (X, new_rows(X)):
        predicts(fitted, rows, (binary_relevance(X, Y, rows) + Y.mean(axis=0) / 4) / 3.5, "predict_proba", 0.5)
