"""Leading eigenvectors of the labels' scatter, exactly or from random products with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from mlreduce.complexity import Complexity
from mlreduce.labelspace.base import LabelCoder
from mlreduce.labelspace.statistics import LabelStatistics, without_rounding
from mlreduce.linalg.least_squares import DEFAULT_RCOND
from mlreduce.linalg.utilities import signed
from mlreduce.validation import FloatArray, check_option

_SOLVERS = ("exact", "randomized")

# Random directions in addition to the requested ones, and power iterations.
_OVERSAMPLING = 10
_ITERATIONS = 6


class LeadingCoder(LabelCoder):
    """Base of the coders whose directions are the leading eigenvectors of ``Z'PZ``, for what a regression explains.

    With more than 2000 labels, at most one direction in eight of them is computed by Lanczos iteration: P is applied to
    one direction after the other, and no matrix of all pairs of labels is formed.
    """

    #: Of the memory that of iteration; the decomposition takes eight times as much at most.
    complexity = Complexity("n q^2 + q^3", "n k + k q")

    def _explained(self, features: Any, labels: Any) -> Callable[[FloatArray], FloatArray]:
        """Return the product of P with targets of shape (n_samples, k)."""
        raise NotImplementedError  # abstract

    def _fit(self, features: Any, labels: Any) -> Self:
        statistics = self._taken(LabelStatistics.from_labels(labels))
        self._begin(statistics.mean)
        if statistics.finds_leading(self.n_components_):
            pairs = statistics.leading(self.n_components_, self._explained(features, labels))
            if pairs is not None:
                return self._keep(pairs[1], pairs[0])
        return super()._fit(features, labels)


class SketchedCoder(LeadingCoder):
    """Base of the coders whose directions are the leading eigenvectors of ``Z'PZ``, exactly or from a random sketch.

    The sketch starts from random directions of the labels, ten more than are requested, multiplies them six times by
    ``Z'PZ`` with an orthonormalisation after each, and solves the eigenproblem within their span. P is applied to these
    directions alone, and no matrix of all pairs of labels is formed.
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

    def _fit(self, features: Any, labels: Any) -> Self:
        check_option(self.solver, "solver", _SOLVERS)
        if self.shares_statistics:
            return super()._fit(features, labels)
        statistics = self._taken(LabelStatistics.from_labels(labels))
        self._begin(statistics.mean)
        width = min(self.n_labels_, self.n_components_ + _OVERSAMPLING)
        product = statistics.product(self._explained(features, labels))
        basis = check_random_state(self.random_state).standard_normal((self.n_labels_, width))
        for _ in range(_ITERATIONS):
            basis, _ = np.linalg.qr(product(basis))
        inner = basis.T @ product(basis)
        values, vectors = np.linalg.eigh((inner + inner.T) / 2)
        order = slice(None, -self.n_components_ - 1, -1)
        values = without_rounding(values[order], float(statistics.variances.sum()))
        return self._keep(signed((basis @ vectors[:, order]).T), values)
