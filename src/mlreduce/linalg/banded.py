"""Traces of ``(S + p I)^-1`` for many penalties p, without eigenvectors of S.

Householder reflections turn S into a block tridiagonal matrix, by products of matrices and at a fraction of the cost of
its eigenvectors; of that, block elimination solves with each penalty.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg

from mlreduce.linalg.distances import row_blocks
from mlreduce.validation import FloatArray

# Order of the blocks; rows that are updated at once, a multiple of it; penalties that are solved with at once.
_ORDER, _ROWS, _TOGETHER = 64, 256, 8


class BlockTridiagonal(NamedTuple):
    """A block tridiagonal matrix ``Q'SQ`` with orthogonal Q, and ``Q'C``."""

    #: Of shape (order, order). Blocks of the diagonal.
    diagonal: list[FloatArray]
    #: The blocks below them.
    below: list[FloatArray]
    #: Of shape (order, n_columns). Rows of ``Q'C``.
    right: list[FloatArray]

    @classmethod
    def reduce(cls, matrix: FloatArray, right: FloatArray) -> Self:
        """Reduce a symmetric matrix S of shape (n, n), which is overwritten, and C of shape (n, n_columns)."""
        n_rows, right = len(matrix), right.copy()
        diagonal, below = [], []
        for start in range(0, n_rows, _ORDER):
            stop = min(start + _ORDER, n_rows)
            diagonal.append(matrix[start:stop, start:stop].copy())
            if n_rows - stop <= _ORDER:
                if stop < n_rows:
                    below.append(matrix[stop:, start:stop].copy())
                continue
            packed, factor, _ = scipy.linalg.lapack.dgeqrt(_ORDER, matrix[stop:, start:stop])
            below.append(np.triu(packed[:_ORDER]))
            vectors = np.ascontiguousarray(np.tril(packed, -1))
            np.fill_diagonal(vectors, 1.0)  # Q = I - V T V'
            _reflect(matrix, stop, vectors, factor)
            right[stop:] -= vectors @ (factor.T @ (vectors.T @ right[stop:]))
        ends = np.arange(_ORDER, n_rows, _ORDER)
        return cls(diagonal, below, np.split(right, ends))

    def largest_eigenvalue(self) -> float:
        """Return the largest eigenvalue of S."""
        if not any(block.any() for block in self.diagonal):
            return 0.0
        full: Any = sp.block_diag(self.diagonal, format="lil")
        for place, block in enumerate(self.below):
            first, second = place * _ORDER, (place + 1) * _ORDER
            full[second : second + len(block), first : first + block.shape[1]] = block
            full[first : first + block.shape[1], second : second + len(block)] = block.T
        start = np.random.default_rng(0).standard_normal(full.shape[0])
        return float(scipy.sparse.linalg.eigsh(full.tocsr(), 1, which="LA", v0=start, return_eigenvectors=False)[0])

    def traces(self, penalties: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the traces of M, ``C'MC`` and ``C'M^2C`` with ``M = (S + p I)^-1`` for each penalty p > 0."""
        parts = [self._traces(penalties[some]) for some in row_blocks(len(penalties), 1, 8 * _TOGETHER)]
        inverse, once, twice = (np.concatenate(part) for part in zip(*parts, strict=True))
        return inverse, once, twice

    def _traces(self, penalties: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        shift = penalties[:, np.newaxis, np.newaxis]
        factors: list[
            tuple[Any, Any, Any]
        ] = []  # of L = the Cholesky factor: its inverse, L^-1 times the block, L^-1 C
        once = np.zeros(len(penalties))
        for place, block in enumerate(self.diagonal):
            order = len(block)
            diagonal, right = block + shift * np.eye(order), self.right[place] + np.zeros_like(shift)
            if place:
                _, passed, solved = factors[-1]
                diagonal -= passed.transpose(0, 2, 1) @ passed
                right -= passed.transpose(0, 2, 1) @ solved
            below = self.below[place].T if place < len(self.below) else np.zeros((order, 0))
            known = [np.broadcast_to(table, (len(penalties), *table.shape)) for table in (np.eye(order), below)]
            # Triangular systems are solved, not multiplied by the inverse: the matrix may be singular but for p.
            both = np.linalg.solve(np.linalg.cholesky(diagonal), np.concatenate([*known, right], axis=2))
            ends = [order, order + below.shape[1]]
            inverse, passed, solved = np.split(both, ends, axis=2)
            factors.append((inverse, passed, solved))
            once += np.square(factors[-1][2]).sum(axis=(1, 2))
        trace, twice, after, middle = np.zeros(len(penalties)), np.zeros(len(penalties)), None, None
        for inverse, passed, solved in reversed(factors):
            if after is None:
                middle = np.broadcast_to(np.eye(inverse.shape[1]), inverse.shape)
            else:
                solved = solved - passed @ after
                middle = np.eye(inverse.shape[1]) + passed @ middle @ passed.transpose(0, 2, 1)
            after = inverse.transpose(0, 2, 1) @ solved
            middle = inverse.transpose(0, 2, 1) @ middle @ inverse
            trace += np.trace(middle, axis1=1, axis2=2)
            twice += np.square(after).sum(axis=(1, 2))
        return trace, once, twice


def _reflect(matrix: FloatArray, start: int, vectors: FloatArray, factor: FloatArray) -> None:
    """Replace the part S of a symmetric matrix from a row and column on by ``Q'SQ`` with ``Q = I - V T V'``, in place.

    Of S the blocks of rows on and below the diagonal are used and written.
    """
    n_rows = len(matrix)
    blocks = [(max(first, start), min(first + _ROWS, n_rows)) for first in range(start - start % _ROWS, n_rows, _ROWS)]
    product = np.zeros(vectors.shape)  # S V
    for first, last in blocks:
        rows = slice(first - start, last - start)
        product[rows] += matrix[first:last, start:last] @ vectors[: last - start]
        product[: first - start] += matrix[first:last, start:first].T @ vectors[rows]
    weighted = product @ factor
    half = weighted - vectors @ (factor.T @ (vectors.T @ weighted)) / 2
    left, right = np.hstack([vectors, half]), np.hstack([half, vectors])
    for first, last in blocks:
        matrix[first:last, start:last] -= left[first - start : last - start] @ right[: last - start].T
