"""Algorithm 1 of the paper, on features beside a multiple of the identity."""

from __future__ import annotations

from information_by_the_book import rfs, rfs_objective

from ._scores import regressed

PARAMETERS = {"gamma": 0.5, "n_iter": 3}


def definition(X, Y, fitted):
    W = rfs(X, Y, 0.5, 3)
    regressed(fitted, W, rfs_objective(X, Y, W, 0.5))
