"""Nodes whose squared hinge losses have no slope left, of halves of the labels, and scores along each way."""

from __future__ import annotations

import numpy as np

from ._predictions import new_rows

PARAMETERS = {"max_leaf": 2, "tol": 1e-12, "max_iter": 3000, "prune": 0, "beam_size": 1000, "C": 0.5}


def definition(X, Y, fitted):
    size = np.sqrt(np.square(X).sum(axis=1).mean())
    rows, X, Y = new_rows(np.asarray(X)), np.asarray(X) / size, np.asarray(Y)
    new = rows / size
    total = 0.0
    for nodes in fitted.trees_:
        np.testing.assert_array_equal(nodes[0].labels, np.arange(Y.shape[1]))
        total = total + along(nodes, 0, X, Y, new, np.ones(len(X), dtype=bool), 0.0)
    scores = total / len(fitted.trees_)
    np.testing.assert_allclose(fitted.predict_scores(rows), scores, rtol=1e-6, atol=1e-9)
    sure = np.abs(scores - 0.5) > 1e-6
    np.testing.assert_array_equal(fitted.predict(rows)[sure], scores[sure] > 0.5)


def along(nodes, number, X, Y, new, rows, loss):
    """Scores of the labels below a node for new instances, which reach it with a loss."""
    node = nodes[number]
    parts = [nodes[child].labels for child in node.children] or [[label] for label in node.labels]
    if node.children:
        assert sorted(np.concatenate(parts)) == sorted(node.labels)
        assert len(parts[0]) - len(parts[1]) in (0, 1)
    else:
        assert len(node.labels) <= 2
    weights = np.zeros((X.shape[1], len(parts)))
    weights[node.features] = node.weights.toarray()
    signs = np.column_stack([np.where(Y[rows][:, part].any(axis=1), 1.0, -1.0) for part in parts])
    gap = np.maximum(0, 1 - signs * (X[rows] @ weights + node.intercept))
    np.testing.assert_allclose(X[rows].T @ (2 * 0.5 * signs * gap), weights, atol=1e-5 * max(1, np.abs(weights).max()))
    np.testing.assert_allclose((2 * 0.5 * signs * gap).sum(axis=0), node.intercept, atol=1e-5)
    losses = np.broadcast_to(loss, len(new))
    scores = np.zeros((len(new), Y.shape[1]))
    for output, part in enumerate(parts):
        margins = new @ weights[:, output] + node.intercept[output]
        below = losses + np.maximum(0, 1 - margins) ** 2
        if node.children:
            inside = Y[:, part].any(axis=1)
            scores += along(nodes, node.children[output], X, Y, new, inside, below)
        else:
            scores[:, part[0]] = 2.0**-below
    return scores
