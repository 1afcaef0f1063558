"""Steps of the paper over the instances in the seed's order, each along the gradient of an instance's loss."""

from __future__ import annotations

from selection_by_the_book import gmba

from ._scores import scored

PARAMETERS = {"random_state": 0, "s_min": 0.4}


def definition(X, Y, fitted):
    scored(fitted, gmba(X, Y, s_min=0.4, random_state=0), rtol=1e-6)
