"""Leading eigenvectors of the labels' scatter from random products with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from mlreduce.labelspace.base import LabelCoder, without_rounding
from mlreduce.linalg.least_squares import DEFAULT_RCOND
from mlreduce.linalg.utilities import signed
from mlreduce.validation import FloatArray, check_components, check_option

__all__ = ["SketchedCoder"]

_SOLVERS = ("exact", "randomized")

# Random directions beyond those asked for, and power iterations.
_OVERSAMPLING = 10
_ITERATIONS = 6

# Labels are multiplied as a sparse matrix below this density.
_RARE = 0.1


class SketchedCoder(LabelCoder):
    """Base of the coders whose directions are the leading eigenvectors of ``Z'PZ``, exactly or from a random sketch.

    The sketch starts from random directions of the labels, ten more than are asked for, multiplies them six times by
    ``Z'PZ`` with an orthonormalisation after each, and solves the eigenproblem within their span. P is applied to these
    directions alone, and no matrix of all pairs of labels is formed.

    Parameters
    ----------
    n_components, rcond
        As of `LabelCoder`.
    solver : {"exact", "randomized"}, default="exact"
        ``"randomized"`` is the sketch, faster with many labels and few components. The directions are those of
        ``"exact"`` as far as eigenvalues decay, and exact where fewer than ten are left out.
    random_state : int, RandomState or None, default=None
        Seed of the sketch.
    """

    def __init__(
        self,
        n_components: int | str | None = None,
        rcond: float = DEFAULT_RCOND,
        solver: str = "exact",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_components, rcond)
        self.solver = solver
        self.random_state = random_state

    @property
    def shares_statistics(self) -> bool:
        """Whether `fit_statistics` does what `fit` does, from statistics that methods share."""
        return self.solver == "exact"

    def _explained(self, features: Any) -> Callable[[FloatArray], FloatArray]:
        """Return the product of P with targets of shape (n_samples, k)."""
        raise NotImplementedError  # abstract

    def _fit(self, features: Any, labels: FloatArray) -> Any:
        check_option(self.solver, "solver", _SOLVERS)
        if self.shares_statistics:
            return super()._fit(features, labels)
        self.n_labels_ = labels.shape[1]
        self.n_components_ = check_components(self.n_components, self.n_labels_, "labels")
        self.mean_ = labels.mean(axis=0)
        width = min(self.n_labels_, self.n_components_ + _OVERSAMPLING)
        explained, stored = self._explained(features), _by_density(labels)

        def product(directions: FloatArray) -> FloatArray:
            fitted = explained(stored @ directions - self.mean_ @ directions)
            multiplied: FloatArray = stored.T @ fitted - np.outer(self.mean_, fitted.sum(axis=0))
            return multiplied

        basis = check_random_state(self.random_state).standard_normal((self.n_labels_, width))
        for _ in range(_ITERATIONS):
            basis, _ = np.linalg.qr(product(basis))
        inner = basis.T @ product(basis)
        values, vectors = np.linalg.eigh((inner + inner.T) / 2)
        order = slice(None, -self.n_components_ - 1, -1)
        self.eigenvalues_ = without_rounding(values[order], float(len(labels) * self.mean_ @ (1 - self.mean_)))
        self.components_ = signed((basis @ vectors[:, order]).T)
        return self


def _by_density(labels: FloatArray) -> Any:
    return sp.csr_array(labels) if np.count_nonzero(labels) < _RARE * labels.size else labels
