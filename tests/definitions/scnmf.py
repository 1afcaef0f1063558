"""Non-negative coefficients as similar as the features, apart for labels that are: the conditions of a minimum."""

from __future__ import annotations

from regressions_by_the_book import cosines, scnmf_objective, similarities

from ._scores import stationary

PARAMETERS = {
    "scale": None,
    "feature_similarity": 0.3,
    "label_smoothness": 0.5,
    "sparsity": 6.0,
    "tol": 1e-6,
    "max_iter": 20_000,
}


def definition(X, Y, fitted):
    W, G, R = fitted.coef_, similarities(X), 1 - cosines(Y)
    gradient = 2 * X.T @ (X @ W - Y) - 4 * 0.3 * (G - W @ W.T) @ W + 2 * 0.5 * W @ R
    stationary(fitted, scnmf_objective(X, Y, W, 0.3, 0.5, 6.0), gradient, 6.0, by_row=True)
