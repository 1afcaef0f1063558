"""Log odds of each label by normal densities of the features with and without it."""

from __future__ import annotations

import numpy as np
from information_by_the_book import naive_bayes

from ._predictions import new_rows, predicts

PARAMETERS = {"pseudocount": 0.5, "variance_floor": 1e-2, "feature_weight": 1.0}


def definition(X, Y, fitted):
    new = new_rows(X)
    odds = naive_bayes(X, Y, new, 0.5, 1e-2)
    np.testing.assert_allclose(fitted.predict_scores(new) - 0.5, odds, rtol=1e-7, atol=1e-7)
    predicts(fitted, new, (1 + np.tanh(odds / 2)) / 2, "predict_proba", 0.5)
