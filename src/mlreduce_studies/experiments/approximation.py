"""Approximation of a dependency matrix from some of its rows, and the theorem of the QPFS paper about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.linalg
from numpy.typing import NDArray

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.scores import percent_size
from mlreduce.evaluation.seeds import derive_seed
from mlreduce.evaluation.view import imputed
from mlreduce.preprocessing.discretisation import discretise
from mlreduce.selection.information import mutual_information
from mlreduce.selection.qpfs import approximate_dependency, approximation_error
from mlreduce.validation import FloatArray, check_finite

#: Columns of the errors: the number of sampled features, and the squared Frobenius norm of the error.
APPROXIMATION_COLUMNS = ("dataset", "method", "size_percent", "size", "draw", "value")

#: Columns of `dependency_row`.
DEPENDENCY_COLUMNS = (
    *("dataset", "discretise", "n_bins", "features", "smallest_eigenvalue", "largest_eigenvalue"),
    *("negative_eigenvalues", "mean_entropy", "mean_dependency"),
)

#: Columns of the counts of `theorem_cells`.
THEOREM_COLUMNS = (
    *("dataset", "nystrom", "condition", "cells"),
    *("holds", "better_where_it_holds", "better_elsewhere"),
)


def dependency(data: MultiLabelData, bins: str | None, n_bins: int) -> FloatArray:
    """Return the mutual information of all features of a data set, from all its rows.

    Raises DataError if a feature is missing or infinite.
    """
    data = imputed(data)
    check_finite(data.X, data.feature_names, data.name)
    return mutual_information(discretise(data.X, data.Y.astype(np.float64), bins, n_bins))


def dependency_row(name: str, bins: str, n_bins: int, matrix: FloatArray) -> pd.DataFrame:
    """Describe the dependencies of a data set's features: whether they are those of a Gram matrix, and how large.

    Nystrom's method takes the matrix, from `dependency`, for positive semidefinite, which mutual information need not
    be. The row has `DEPENDENCY_COLUMNS`: the eigenvalues; how many are negative beyond rounding; the mean of the
    diagonal (entropies) and of all other entries, in nats.
    """
    values = scipy.linalg.eigvalsh(matrix)
    rounding = len(matrix) * np.finfo(float).eps * float(np.linalg.norm(matrix))
    others = (matrix.sum() - np.trace(matrix)) / max(len(matrix) * (len(matrix) - 1), 1)
    described = (values[0], values[-1], int((values < -rounding).sum()), np.diag(matrix).mean(), others)
    return pd.DataFrame([(name, bins, n_bins, len(matrix), *described)], columns=list(DEPENDENCY_COLUMNS))


def approximation_errors(
    data: MultiLabelData, matrix: FloatArray, methods: Mapping[str, str], percents: Sequence[int], draws: int, seed: int
) -> pd.DataFrame:
    """Approximate a matrix, from `dependency`, from random samples of its rows, several times.

    ``methods`` are labels of approximations, see `mlreduce.selection.qpfs.approximate_dependency`. All have the same
    samples. Percentages of the features are in 1..100; a larger sample of a draw holds the smaller ones. The seed is
    that of the study. Returns `APPROXIMATION_COLUMNS`.
    """
    rows: list[tuple[Any, ...]] = []
    for draw in range(draws):
        order = np.random.default_rng(derive_seed(seed, data.name, "sampled", draw)).permutation(len(matrix))
        for percent in percents:
            size = percent_size(percent, len(matrix))
            sampled = np.sort(order[:size])
            for label, filled in _filled(matrix, sampled, methods):
                rows.append((data.name, label, percent, size, draw, approximation_error(matrix, filled)))
    return pd.DataFrame(rows, columns=list(APPROXIMATION_COLUMNS))


def _filled(
    matrix: FloatArray, sampled: NDArray[np.int64], methods: Mapping[str, str]
) -> Iterator[tuple[str, FloatArray]]:
    """Yield each approximation; of Nystrom's and its half one is made of the other."""
    whole = approximate_dependency(matrix[sampled], sampled, "nystrom") if "nystrom" in methods.values() else None
    for label, method in methods.items():
        if whole is None or method == "average":
            yield label, approximate_dependency(matrix[sampled], sampled, method)
        elif method == "nystrom":
            yield label, whole
        else:
            others = np.delete(np.arange(len(matrix)), sampled)
            half = whole.copy()
            half[np.ix_(others, others)] /= 2
            yield label, half


def theorem_cells(name: str, matrix: FloatArray) -> pd.DataFrame:
    """Count where the condition of the paper's theorem holds, and where the average is the better approximation.

    A cell is a sampled feature and a pair of two others. The theorem says that the average of the pair's dependencies
    on the sampled feature is at least as good as Nystrom's method where ``8 I_ij >= 3 (I_1i + I_1j)``. It takes ``I_1i
    I_1j / 2 H_1`` for Nystrom's method (proposition 3), which is half of it (proposition 2, without the 2). For the
    whole the same steps lead to ``2 I_ij >= I_1i + I_1j``. Both are counted.

    The matrix is from `dependency`; constant features are left out. Returns `THEOREM_COLUMNS`, a row a form of
    Nystrom's method: the number of cells, in how many the condition holds, and in how many of these, and of the others,
    the average is as good or better.
    """
    varying = np.diag(matrix) > 0
    known = matrix[np.ix_(varying, varying)]
    entropies = np.diag(known)
    size, slack = len(known), 1e-12 * entropies.max(initial=0.0)
    forms = {"half": (2.0, "8 I >= 3 (I1i + I1j)", 3.0 / 8.0), "whole": (1.0, "2 I >= I1i + I1j", 1.0 / 2.0)}
    counts = {form: np.zeros(4, dtype=np.int64) for form in forms}
    first, second = np.triu_indices(size, 1)
    for sampled in range(size):
        pairs = (first != sampled) & (second != sampled)
        one, other = known[sampled, first[pairs]], known[sampled, second[pairs]]
        truth = known[first[pairs], second[pairs]]
        of_average = np.abs(truth - (one + other) / 2)
        for form, (divisor, _, share) in forms.items():
            better = of_average <= np.abs(truth - one * other / (divisor * entropies[sampled])) + slack
            holds = truth >= share * (one + other)
            counts[form] += [len(truth), holds.sum(), (better & holds).sum(), (better & ~holds).sum()]
    rows = [(name, form, forms[form][1], *(int(number) for number in counts[form])) for form in forms]
    return pd.DataFrame(rows, columns=list(THEOREM_COLUMNS))
