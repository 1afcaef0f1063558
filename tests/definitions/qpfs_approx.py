"""Information of sampled features; between the others the averages of theirs with the sampled ones."""

from __future__ import annotations

from information_by_the_book import filled_in

from ._program import minimises, sampled_rows

PARAMETERS = {"sampling": 0.4, "random_state": 0}


def definition(X, Y, fitted):
    rows = sampled_rows(fitted, X.shape[1])
    minimises(X, Y, fitted, lambda Q: filled_in(Q, rows.tolist()))
