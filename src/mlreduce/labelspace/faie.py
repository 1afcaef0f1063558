"""Feature-aware implicit label space encoding."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.labelspace.factors import FactorCoder
from mlreduce.linalg.features import Features, WeightedFeatures
from mlreduce.linalg.utilities import quotient, signs
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_memory, check_range, is_sparse

# Ridge of the regression where none is given, relative to the mean diagonal of the scatter of the features.
_RIDGE = 1e-3

# Largest order of a matrix that is decomposed (a gigabyte).
_LARGEST = 12_000

# Eigenvalue, relative to an upper bound of all of them, below which there is no direction.
_ROUNDING = 1e-12


@register("faie")
class FaIE(FactorCoder):
    """Feature-aware implicit label space encoding (FaIE): codes that both recover the labels and can be predicted.

    The codes T of the training rows maximise ``tr(T'(ZZ' + predictability G)T)`` subject to ``T'T = I``, with the
    centred labels Z and the hat matrix ``G = X(X'X + ridge I)^-1 X'`` of a ridge regression on the centred features X.
    The decoder is ``D = T'Z``. Train a predictor of the codes on the features; there is no encoder of other labels.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    predictability : float or None, default=None
        Weight of predicting the codes against recovering the labels, >= 0, in the units of ``Z'Z``; None is the mean
        diagonal of ``Z'Z``. With 0 the codes are those of `PLST`, each of norm one.
    ridge : float or None, default=None
        Penalty of the regression, > 0, in squared units of the features; None is a thousandth of the mean diagonal of
        ``X'X`` over the features that vary.

    Attributes
    ----------
    codes_ : ndarray of shape (n_samples, n_components)
        T, of the training rows; orthonormal columns. A column is zero where neither labels nor features leave a
        direction.
    components_ : ndarray of shape (n_components, n_labels)
        D.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each column to the objective, descending.
    predictability_, ridge_ : float
        The values used.
    mean_ : ndarray of shape (n_labels,)
        Means of the labels; those not known are filled in.
    n_components_, n_labels_ : int
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    Notes
    -----
    The smaller of n and d + q may be 12 000 at most; no matrix of the order of the larger is formed. With a Cholesky
    factor ``X'X + ridge I = LL'`` the objective is ``FF'``, ``F = [Z, sqrt(predictability) X L^-T]``, and ``F'F`` of
    order d + q has its eigenvalues. Sparse features stay sparse.

    Cost: O(n d² + d³ + (d + q)³), or O(n² d + n³) where n is below d + q.

    References
    ----------
    Lin, Ding, Hu and Wang (2014), "Multi-label classification via feature-aware implicit label space encoding",
    equations (5) to (8).

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.labelspace import CodedClassifier
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.FaIE(n_components=3).fit(data.X, data.Y).codes_.shape
    (1797, 3)
    >>> CodedClassifier(mlreduce.FaIE(n_components=3)).fit(data.X[:1200], data.Y[:1200]).predict(data.X[1200:]).shape
    (597, 8)
    """

    complexity = Complexity("s m + m^3 + q^3", "m^2 + n k", most=12000)
    feature_aware = True

    def __init__(
        self,
        n_components: int | str | None = None,
        predictability: float | None = None,
        ridge: float | None = None,
    ) -> None:
        super().__init__(n_components)
        self.predictability = predictability
        self.ridge = ridge

    def _factorise(
        self, features: Any, labels: Any, weights: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        sparse = is_sparse(labels)  # centred by products
        if weights is None:
            X = Features(features, centred=True)
            Z = Features(labels, centred=True) if sparse else Features(labels - self.mean_, centred=False)
        else:
            X, sparse = WeightedFeatures(features, weights), True
            Z = WeightedFeatures(labels, weights)
        self.predictability_, self.ridge_ = self._weights(X, Z)
        rows, columns = X.shape[0], X.shape[1] + Z.shape[1]
        if min(rows, columns) > _LARGEST:
            raise DataError(
                f"FaIE decomposes a matrix of order {min(rows, columns)}, the smaller of n_samples and n_features + "
                f"n_labels, and takes up to {_LARGEST}: select or project the features first"
            )
        order = f"{type(self).__name__} with a matrix of order {min(rows, columns)}"
        check_memory(5 * 8.0 * min(rows, columns) ** 2, order, "select or project the features first")
        solve = _by_rows if rows < columns else _by_columns
        codes, values = solve(X, Z, self.predictability_, self.ridge_, self.n_components_)
        decoder = Z.transposed_dot(codes).T if sparse else codes.T @ Z.X
        turns = signs(decoder)
        codes *= turns if weights is None else turns / np.sqrt(weights)[:, np.newaxis]
        return codes, decoder * turns[:, np.newaxis], values

    def _weights(self, X: Features, Z: Features) -> tuple[float, float]:
        given = self.predictability
        alpha = _spread(Z) / Z.shape[1] if given is None else check_range(given, "predictability", 0)
        if self.ridge is not None:
            return alpha, check_range(self.ridge, "ridge", 0, open_ends=True)
        return alpha, _RIDGE * float(X.squared_norms.sum()) / max(X.n_used, 1) or 1.0  # features that do not vary


def _spread(Z: Features) -> float:
    """Return ``tr Z'Z``."""
    return float(Z.squared_norms.sum() if is_sparse(Z.X) else np.square(Z.X).sum())


def _by_columns(X: Features, Z: Features, alpha: float, ridge: float, size: int) -> tuple[FloatArray, FloatArray]:
    """Return the leading eigenvectors of ``FF'`` and their eigenvalues from ``F'F``."""
    n_labels, root = Z.shape[1], np.sqrt(alpha)
    scatter = X.scatter.copy()
    scatter.flat[:: len(scatter) + 1] += ridge
    factor = scipy.linalg.cholesky(scatter, lower=True, overwrite_a=True, check_finite=False)
    inverse, _ = scipy.linalg.lapack.dtrtri(factor, lower=1)
    gram = np.empty((n_labels + len(factor),) * 2)
    gram[:n_labels, :n_labels] = Z.scatter
    gram[n_labels:, :n_labels] = root * (inverse @ X.transposed_dot(Z.X))
    gram[:n_labels, n_labels:] = gram[n_labels:, :n_labels].T
    gram[n_labels:, n_labels:] = -alpha * ridge * (inverse @ inverse.T)  # L^-1 X'X L^-T = I - ridge L^-1 L^-T
    gram[n_labels:, n_labels:].flat[:: len(factor) + 1] += alpha
    values, vectors = _leading(gram, size, alpha + _spread(Z))
    codes = Z.dot(vectors[:n_labels]) + X.dot(root * (inverse.T @ vectors[n_labels:]))
    return codes * quotient(1.0, np.sqrt(values)), values


def _by_rows(X: Features, Z: Features, alpha: float, ridge: float, size: int) -> tuple[FloatArray, FloatArray]:
    """Return the leading eigenvectors of ``ZZ' + alpha G`` and their eigenvalues, for few rows."""
    gram = X.gram.copy()
    gram.flat[:: len(gram) + 1] += ridge
    # G = I - ridge (XX' + ridge I)^-1
    hat = -alpha * ridge * scipy.linalg.inv(gram, overwrite_a=True, check_finite=False)
    hat.flat[:: len(hat) + 1] += alpha
    values, vectors = _leading(hat + Z.gram, size, alpha + _spread(Z))
    return vectors * (values > 0), values


def _leading(matrix: FloatArray, size: int, bound: float) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues, descending, with their eigenvectors as columns; zeros where there are fewer.

    Eigenvalues that are nothing but rounding, by an upper bound of all, are zero.
    """
    order, wanted = len(matrix), min(size, len(matrix))
    symmetric = (matrix + matrix.T) / 2
    largest, vectors = scipy.linalg.eigh(symmetric, subset_by_index=[order - wanted, order - 1], check_finite=False)
    values = np.zeros(size)
    values[:wanted] = np.where(largest > _ROUNDING * bound, largest, 0.0)[::-1]
    columns = np.zeros((order, size))
    columns[:, :wanted] = vectors[:, ::-1]
    return values, columns
