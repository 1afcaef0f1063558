"""Shared by the label propagations: the graph, the similarity of labels, and what is decided from the scores."""

from __future__ import annotations

import numpy as np
import proximity_by_the_book

GRAPH = {"n_neighbors": 4}


def parts(X, Y):
    """Weights W of the instances, cosines of the labels, known rows, and labels with zeros for unknown ones."""
    labelled = ~np.isnan(Y).any(axis=1)
    labels = np.where(labelled[:, None], np.nan_to_num(Y), 0)
    known = labels[labelled]
    norms = np.linalg.norm(known, axis=0)
    return proximity_by_the_book.weights(X, **GRAPH), known.T @ known / np.outer(norms, norms), labelled, labels


def laplacian(W, normalised=False):
    """By loops, with the diagonal of W in both terms; zero where a row of W is."""
    degrees = W.sum(axis=1)
    L = np.zeros_like(W)
    for i in range(len(W)):
        for j in range(len(W)):
            if not normalised:
                L[i, j] = (i == j) * degrees[i] - W[i, j]
            elif degrees[i] and degrees[j]:
                L[i, j] = (i == j) - W[i, j] / np.sqrt(degrees[i] * degrees[j])
    return L


def solves(Y, fitted, L, coupling, Sigma, errors=None):
    """The scores minimise smoothness tr(Z'LZ) + label_smoothness tr(Z coupling Z') plus weighted squared errors.

    One dense system for all of them. Without errors the scores of labelled instances are their labels. Each label goes
    to the instances of the largest positive scores, in its share of the labelled ones.
    """
    labelled = ~np.isnan(Y).any(axis=1)
    labels = np.where(labelled[:, None], np.nan_to_num(Y), 0)
    n, q = Y.shape
    system = fitted.smoothness * np.kron(L, np.eye(q)) + fitted.label_smoothness * np.kron(np.eye(n), coupling)
    Z = labels.ravel().copy()
    if errors is None:
        free = np.repeat(~labelled, q)
        Z[free] = np.linalg.solve(system[np.ix_(free, free)], -system[np.ix_(free, ~free)] @ Z[~free])
    else:
        Z = np.linalg.solve(system + np.kron(np.diag(errors), np.eye(q)), Z)
    Z = Z.reshape(n, q)
    np.testing.assert_allclose(fitted.embedding_, Z, atol=1e-8)
    np.testing.assert_allclose(fitted.label_similarity_, Sigma, rtol=1e-12)
    np.testing.assert_array_equal(fitted.labelled_, labelled)
    decided, scores = fitted.transduction_[~labelled], Z[~labelled]
    for label in range(q):
        number = round(labels[labelled, label].mean() * len(scores))
        best = [i for i in np.argsort(-scores[:, label]) if scores[i, label] > 0][:number]
        np.testing.assert_array_equal(np.flatnonzero(decided[:, label]), np.sort(best))
