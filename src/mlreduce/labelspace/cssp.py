"""Column subset selection: some of the labels are the code."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mlreduce.complexity import Complexity
from mlreduce.labelspace.base import LabelCoder, LabelStatistics, ordered_eigenvectors
from mlreduce.labelspace.statistics import unit_rows
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_option

_SELECTIONS = ("greedy", "random")

# What the labels chosen before leave of a label's scatter, below which it is a linear combination of them.
_DEPENDENT = 1e-10

# Norms of columns that differ by less, relatively, are equal: with all labels all are, and rounding would choose.
_EQUAL = 1e-9


@register("cssp")
class CSSP(LabelCoder):
    """Column subset selection (CSSP): the code is some of the labels, the others are decoded from them.

    Labels are chosen by the leading M right singular vectors ``V_M`` of the centred labels Z, M the length of the code,
    and decoded by least squares, ``Z ~ C C^+ Z`` for the chosen columns C. The features are not used.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Number of labels that are chosen, M: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None
        for all.
    selection : {"random", "greedy"}, default="random"
        ``"random"``: label j is selected with the probability ``||V_M(j,:)||^2 / M``, its leverage, until M different
        ones are there. ``"greedy"``: the first M pivots of a QR decomposition with column pivoting of ``V_M'``, of
        equal ones the first, which is not random.
    random_state : int, RandomState or None, default=None
        Seed of the random selection.

    Attributes
    ----------
    chosen_ : ndarray of shape (n_components,)
        Numbers of the chosen labels, in the order of the code.
    leverage_ : ndarray of shape (n_labels,)
        ``||V_M(j,:)||^2 / M``; they sum to one.
    eigenvalues_ : ndarray of shape (n_components,)
        Part of the scatter of all labels that each chosen label explains beyond those before it.
    basis_ : ndarray of shape (n_components, n_labels)
        Centred labels in terms of the orthonormalised columns of C.
    triangle_ : ndarray of shape (n_components, n_components)
        Lower triangular: C in terms of the same, ``C = Q triangle_'``.
    components_ : ndarray or csr_array of shape (n_components, n_labels)
        V; a CSR array where labels were sparse, each direction is one label, and its cells are more than 2**25.
    mean_ : ndarray of shape (n_labels,)
        Means of the labels; those not known are filled in.
    n_components_, n_labels_ : int
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    Notes
    -----
    The choice depends on M: unlike those of other coders the first m columns of a long code are not the code of length
    m, though they can be decoded. With all labels each has the same leverage, and the order is arbitrary: studies have
    to name ``n_components``.

    A chosen label that is a linear combination of those before it adds nothing to decoding.

    References
    ----------
    Bi and Kwok (2013), "Efficient multi-label classification with many labels", algorithm 1. Greedy: Golub (1965),
    "Numerical methods for solving linear least squares problems", on the same singular vectors.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> coder = mlreduce.CSSP(n_components=3, selection="greedy").fit(None, data.Y)
    >>> coder.chosen_.shape, coder.encode(data.Y).shape
    ((3,), (1797, 3))
    """

    complexity = Complexity("n q^2 + q^3", "n k + k q")
    _by_label: ClassVar = {**LabelCoder._by_label, "basis_": 1, "leverage_": 0}

    def __init__(
        self,
        n_components: int | str | None = None,
        selection: str = "random",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_components)
        self.selection = selection
        self.random_state = random_state

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        check_option(self.selection, "selection", _SELECTIONS)
        leading = statistics.leading(self.n_components_)
        _, vectors = leading or ordered_eigenvectors(statistics.gram, statistics.gram)
        self.chosen_ = self._chosen(vectors[: self.n_components_])
        self.basis_, self.triangle_ = _orthonormalised(statistics.rows(self.chosen_), self.chosen_)
        return unit_rows(self.chosen_, statistics.labels, self.n_labels_), np.square(self.basis_).sum(axis=1)

    def _widen(self, fitted: NDArray[np.intp], n_labels: int) -> None:
        super()._widen(fitted, n_labels)
        self.chosen_ = fitted[self.chosen_]

    def _chosen(self, leading: FloatArray) -> NDArray[np.intp]:
        size, n_labels = leading.shape
        self.leverage_ = np.square(leading).sum(axis=0) / size
        self.leverage_ /= self.leverage_.sum()
        if self.selection == "greedy":
            return _pivots(leading)
        random = check_random_state(self.random_state)
        return np.asarray(random.choice(n_labels, size, replace=False, p=self.leverage_), dtype=np.intp)

    def _coordinates(self, codes: FloatArray) -> tuple[FloatArray, FloatArray]:
        size = codes.shape[1]
        triangle = self.triangle_[:size, :size]
        return scipy.linalg.solve_triangular(triangle, codes.T, lower=True).T, self.basis_[:size]


def _pivots(vectors: FloatArray) -> NDArray[np.intp]:
    """Return the pivots of a QR decomposition with column pivoting, as many as rows; of equal columns the first."""
    rest, chosen = vectors.copy(), np.empty(len(vectors), dtype=np.intp)
    for i in range(len(chosen)):
        norms = np.linalg.norm(rest, axis=0)
        chosen[i] = np.argmax(norms >= (1.0 - _EQUAL) * norms.max())
        direction = rest[:, chosen[i]] / norms[chosen[i]]
        rest -= np.outer(direction, direction @ rest)
    return chosen


def _orthonormalised(rows: FloatArray, chosen: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """Return ``Q'Z`` and the lower triangle T with ``C = QT'``, Q orthonormal, from ``C'Z``: a Cholesky factorisation.

    Where a chosen label depends on those before it, its row of ``Q'Z`` is zero.
    """
    basis, triangle = np.zeros(rows.shape), np.eye(len(chosen))
    for i, label in enumerate(chosen):
        rest = rows[i] - basis[:i, label] @ basis[:i]
        triangle[i, :i] = basis[:i, label]
        if rest[label] > _DEPENDENT * rows[i, label]:
            triangle[i, i] = np.sqrt(rest[label])
            basis[i] = rest / triangle[i, i]
    return basis, triangle
