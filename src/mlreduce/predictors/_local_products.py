"""Embeddings of label vectors that keep the inner products of the nearest ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlreduce.linalg.distances import nearest, row_blocks
from mlreduce.validation import FloatArray

__all__ = ["embed_labels", "neighbour_pairs"]


def neighbour_pairs(labels: FloatArray, n_neighbors: int) -> Any:
    """Return which pairs of instances are nearest by their labels, as a symmetric matrix of their inner products.

    The nearest have the largest inner product of label vectors, of equal ones those with fewer labels, of these the
    first. Each instance is paired with itself too.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, n_labels)
        In {0, 1}.
    n_neighbors : int
        At most n_samples.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Its stored entries are the pairs; a product of zero is stored too.
    """
    n_samples, rare = len(labels), sp.csr_array(labels)
    counts = labels.sum(axis=1)
    handicap = counts / (2 * counts.max(initial=0.0) + 1)  # below one half: products are whole numbers
    columns = []
    for block in row_blocks(n_samples, n_samples):
        columns.append(nearest(handicap - (rare[block] @ rare.T).toarray(), n_neighbors))
    rows = np.repeat(np.arange(n_samples), n_neighbors)
    ones = sp.coo_array((np.ones(len(rows)), (rows, np.concatenate(columns).ravel())), shape=(n_samples, n_samples))
    pairs = sp.csr_array(ones + ones.T + sp.eye_array(n_samples))
    pairs.sort_indices()
    first, second = pairs.tocoo().coords
    pairs.data = np.asarray(rare[first].multiply(rare[second]).sum(axis=1), dtype=np.float64).ravel()
    return pairs


def embed_labels(
    labels: FloatArray, pairs: Any, rank: int, max_steps: int, tol: float
) -> tuple[FloatArray, list[float]]:
    """Minimise the squared errors of the inner products of pairs over embeddings of a rank, by projected steps.

    A step of singular value projection takes ``M = ZZ'`` to the nearest matrix of the rank without negative eigenvalues
    to M plus the errors of the pairs. With a step size of one that cannot raise the sum of squares. The projection is
    onto the span of Z and its product with the errors, which keeps that property and costs no decomposition of order n.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, n_labels)
        In {0, 1}; the start is the matrix of the rank nearest to all their inner products.
    pairs : csr_array of shape (n_samples, n_samples)
        As of `neighbour_pairs`.
    rank : int
        Columns of the embedding.
    max_steps : int
        Most steps.
    tol : float
        Relative decrease of the sum of squares that ends them.

    Returns
    -------
    Z : ndarray of shape (n_samples, rank)
        The embedding.
    objective : list of float
        Half of the sum of squared errors before the first step and after each, not increasing.
    """
    _, vectors = np.linalg.eigh(labels.T @ labels)
    embedding: FloatArray = labels @ vectors[:, ::-1][:, :rank]
    errors, objective = _errors(pairs, embedding)
    history = [objective]
    exact = np.finfo(float).eps * float(np.square(pairs.data).sum())
    for _ in range(max_steps):
        if history[-1] <= exact:
            break
        basis, _ = np.linalg.qr(np.hstack([embedding, errors @ embedding]))
        inside = basis.T @ embedding
        values, turned = np.linalg.eigh(inside @ inside.T + basis.T @ (errors @ basis))
        embedding = basis @ (turned[:, ::-1][:, :rank] * np.sqrt(np.maximum(values[::-1][:rank], 0.0)))
        errors, objective = _errors(pairs, embedding)
        history.append(objective)
        if history[-2] - history[-1] <= tol * history[-2]:
            break
    return embedding, history


def _errors(pairs: Any, embedding: FloatArray) -> tuple[Any, float]:
    """Return the products of pairs less those of their embeddings, and half of the sum of their squares."""
    first, second = pairs.tocoo().coords
    products = np.empty(len(first))
    for block in row_blocks(len(first), embedding.shape[1]):
        products[block] = np.einsum("ij,ij->i", embedding[first[block]], embedding[second[block]])
    errors = sp.csr_array((pairs.data - products, pairs.indices, pairs.indptr), shape=pairs.shape)
    return errors, float(np.square(errors.data).sum() / 2)
