"""The largest eigenvectors of beta YY' + (1 - beta) XX'."""

from __future__ import annotations

from ._embeddings import embeds

PARAMETERS = {"beta": 0.9}


def definition(X, Y, fitted):
    embeds(fitted, 0.9 * Y @ Y.T + 0.1 * X @ X.T, positive=True)
