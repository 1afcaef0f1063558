"""Steps of the paper over the instances, by what they hold in the seed's order, each along the gradient of a loss."""

from __future__ import annotations

from selection_by_the_book import gmba

from mlreduce.linalg.utilities import order_by_content

from ._scores import scored

PARAMETERS = {"n_orders": 1, "random_state": 0, "s_min": 0.4}


def definition(X, Y, fitted):
    rows = order_by_content(X, Y)
    scored(fitted, gmba(X[rows], Y[rows], s_min=0.4, random_state=0), rtol=1e-6)
