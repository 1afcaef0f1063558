"""Nodes whose squared hinge losses have no slope left, of halves of the labels, and scores along each way."""

from __future__ import annotations

import numpy as np

from ._predictions import new_rows

PARAMETERS = {"max_leaf": 2, "tol": 1e-12, "max_iter": 3000, "prune": 0, "beam_size": 1000, "C": 0.5}


def definition(X, Y, fitted):
    size = np.sqrt(np.square(X).sum(axis=1).mean())
    given = new_rows(X)
    X, Y, new = np.asarray(X) / size, np.asarray(Y), given / size
    total = 0.0
    for tree in fitted.trees_:
        np.testing.assert_array_equal(below(tree, 0), np.flatnonzero(Y.any(axis=0)))
        total = total + along(tree, 0, X, Y, new, np.ones(len(X), dtype=bool), 0.0)
    scores = total / len(fitted.trees_)
    np.testing.assert_allclose(fitted.predict_scores(given), scores, rtol=1e-6, atol=1e-9)
    sure = np.abs(scores - 0.5) > 1e-6
    np.testing.assert_array_equal(fitted.predict(given)[sure], scores[sure] > 0.5)


def below(tree, number):
    """Labels below a node, ascending."""
    targets = tree.targets[tree.starts[number] : tree.starts[number + 1]]
    return np.sort(targets if tree.is_leaf[number] else np.concatenate([below(tree, child) for child in targets]))


def along(tree, number, X, Y, new, rows, loss):
    """Scores of the labels below a node for new instances, which reach it with a loss."""
    outputs = slice(tree.starts[number], tree.starts[number + 1])
    targets, intercept = tree.targets[outputs], tree.intercept[outputs]
    if tree.is_leaf[number]:
        assert len(targets) <= 2
        parts = [[label] for label in targets]
    else:
        parts = [below(tree, child) for child in targets]
        assert len(parts[0]) - len(parts[1]) in (0, 1)
    weights = np.zeros((X.shape[1], len(parts)))
    for slot in range(tree.slots[number], tree.slots[number + 1]):
        places = slice(tree.table[slot, 1], tree.table[slot + 1, 1])
        weights[tree.table[slot, 0], tree.outputs[places]] = tree.weights[places]
    signs = np.column_stack([np.where(Y[rows][:, part].any(axis=1), 1.0, -1.0) for part in parts])
    gap = np.maximum(0, 1 - signs * (X[rows] @ weights + intercept))
    np.testing.assert_allclose(X[rows].T @ (2 * 0.5 * signs * gap), weights, atol=1e-5 * max(1, np.abs(weights).max()))
    np.testing.assert_allclose((2 * 0.5 * signs * gap).sum(axis=0), intercept, atol=1e-5)
    losses = np.broadcast_to(loss, len(new))
    scores = np.zeros((len(new), Y.shape[1]))
    for output, part in enumerate(parts):
        further = losses + np.maximum(0, 1 - new @ weights[:, output] - intercept[output]) ** 2
        if tree.is_leaf[number]:
            scores[:, part[0]] = 2.0**-further
        else:
            scores += along(tree, targets[output], X, Y, new, Y[:, part].any(axis=1), further)
    return scores
