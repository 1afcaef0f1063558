"""Ridge regression with one kernel and many penalties, at the cost of one reduction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg.lapack as lapack

from mlreduce.validation import FloatArray


class PathStep(NamedTuple):
    """Solution for one penalty."""

    #: Of shape (n_held_out, n_targets). Predicted targets of the held-out rows.
    predictions: FloatArray
    #: Of shape (n_targets, n_targets). ``E'E`` for the residual ``E = T - K (K + alpha I)^-1 T`` on the training rows.
    residual_gram: FloatArray


class KernelRidgePath:
    """Kernel ridge regression for many penalties, from one tridiagonal reduction.

    With an orthogonal Q for which ``K = QSQ'`` and S is tridiagonal, ``(K + alpha I)^-1`` is ``Q (S + alpha I)^-1 Q'``:
    once Q' has been applied to the targets and to the kernels of the held-out rows, a penalty costs the solution of a
    tridiagonal system. An eigendecomposition would do the same, and takes more than twice as long. The kernel of the
    training rows is overwritten; ``crossed``, of shape (n_samples, n_held_out), has kernels between training rows and
    held-out rows.
    """

    def __init__(self, kernel: FloatArray, targets: FloatArray, crossed: FloatArray) -> None:
        n_samples = len(kernel)
        lwork, _ = lapack.dsytrd_lwork(n_samples, lower=1)
        # A symmetric C array equals its transpose, which LAPACK overwrites in place.
        storage = np.ascontiguousarray(kernel)
        reduced, self._diagonal, self._off_diagonal, scales, _ = lapack.dsytrd(
            storage.T, lower=1, lwork=int(lwork), overwrite_a=1
        )
        if n_samples == 1:
            self._off_diagonal = np.zeros(1)  # SciPy's wrapper rejects empty arrays
        self._targets = _transform(reduced, scales, targets)
        self._crossed = _transform(reduced, scales, crossed)

    def solve(self, alpha: float) -> PathStep | None:
        """Solve for a penalty > 0; return None where rounding errors exceed the penalty.

        The kernel is then not positive definite even with the penalty.
        """
        diagonal, off_diagonal, info = lapack.dpttrf(self._diagonal + alpha, self._off_diagonal)
        if info != 0:
            return None
        solution, _ = lapack.dpttrs(diagonal, off_diagonal, self._targets)
        residual = alpha * solution  # up to Q, which changes no inner product
        return PathStep(self._crossed.T @ solution, residual.T @ residual)


def _transform(reduced: FloatArray, scales: FloatArray, table: FloatArray) -> FloatArray:
    """Return ``Q'A`` for the reflectors that a reduction to tridiagonal form left below the subdiagonal.

    SciPy wraps no routine for these, but one for the reflectors of a QR factorisation. Q is such a product of
    reflectors that leaves the first row alone, stored one place lower: the memory that starts one number later, with
    one column less, is the array of reflectors that this routine expects.
    """
    n_samples = len(reduced)
    result = np.asfortranarray(table)
    if n_samples < 2 or not result.shape[1]:
        return result
    memory = reduced.T.reshape(-1)
    reflectors = memory[1 : 1 + n_samples * (n_samples - 1)].reshape(n_samples - 1, n_samples).T
    lower = np.asfortranarray(result[1:])
    _, work, _ = lapack.dormqr("L", "T", reflectors, scales, lower, -1)  # workspace query
    lower, _, _ = lapack.dormqr("L", "T", reflectors, scales, lower, int(work[0]), overwrite_c=1)
    return np.asfortranarray(np.vstack([result[:1], lower]))
