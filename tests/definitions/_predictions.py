"""Shared by the definitions of predictors."""

from __future__ import annotations

import numpy as np


def new_rows(X):
    """Features of instances that the predictor was not fitted to; they are not halfway between any two."""
    return X[::2] + 0.31 * np.cos(np.arange(X[::2].size)).reshape(X[::2].shape)


def predicts(fitted, new, scores, attribute="decision_function", shift=0.0, rtol=1e-8):
    """Scores of the labels, or probabilities, and the labels above `shift`; where rounding decides, either."""
    scores = np.asarray(scores)
    atol = rtol * np.abs(scores).max()
    np.testing.assert_allclose(getattr(fitted, attribute)(new), scores, rtol=rtol, atol=atol)
    sure = np.abs(scores - shift) > atol
    np.testing.assert_array_equal(fitted.predict(new)[sure], scores[sure] > shift)
