"""MCLS: manifold-based constraint Laplacian score."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from mlreduce.complexity import Complexity
from mlreduce.linalg.contents import order_by_content
from mlreduce.linalg.distances import squared_norms
from mlreduce.linalg.features import column_scatter, shifted
from mlreduce.linalg.utilities import quotient, scaled
from mlreduce.registry import register
from mlreduce.selection.base import Selector, check_variant, varying_labels
from mlreduce.selection.quadratic import minimise
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.neighbours import directed_graph, neighbours_of, pair_distances, reconstruction_weights
from mlreduce.spectral.graphs.proximity import Proximity, degrees
from mlreduce.validation import FloatArray, Size, check_count, check_range, is_sparse

# The largest Laplacian score: that of a feature that is constant on the graph.
_WORST = 2.0

# What is left of a difference by rounding, relative to its terms.
_NONE = 1e-12


@register("mcls")
class MCLS(Selector):
    """Manifold-based constraint Laplacian score (MCLS): features smooth on the neighbours by features and labels.

    Labels become numbers first, that vary as little among neighbours as their signs allow. With the weights A that
    reconstruct each instance from its nearest neighbours (LLE), and labels y in {-1, 1}, the numerical labels minimise

        mu'M mu + ridge mean(M_ii) ||mu||^2    subject to    y_i mu_i >= 1,    M = (I - A)'(I - A)

    The graph S is the product, edge by edge, of two graphs of nearest neighbours: by the features, and by the rows of
    the numerical labels, of unit norm. In either an instance with squared distances e to its neighbours gives the h-th
    nearest the weight ``(e_(k+1) - e_h) / sum_(i <= k) (e_(k+1) - e_i)``, and a pair the mean of both directions.

    A feature's score is minus the product of its Laplacian score on S, with the features in rows of unit norm, and its
    constraint score ``x'L x / x'L'x``; L and L' are the Laplacians of the graph of the nearest neighbours by the
    features, with weights 1, and of its complement. Labels that all or no instances have are left out.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    n_neighbors : int, default=5
        Number of nearest neighbours in each graph, >= 1; two less than instances at most.
    ridge : float, default=1e-3
        Weight of the squares of the numerical labels, relative to the mean of M's diagonal, > 0.
    variant : {"equations", "published-code"}, default="equations"
        The authors' program has one minus the Laplacian score in its place, so that a smooth feature is good by one
        factor and bad by the other, and the larger product first.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Of "equations" <= 0: 0 is as smooth as can be.
    numerical_labels_ : ndarray of shape (n_samples, n_varying_labels)
        mu, a column for each label that varies.
    kkt_residual_ : float
        By how much the conditions of their minima are violated at most, relative to the largest slope at -1 and 1.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    A smaller ridge leaves the numerical labels freer: without one they have no unique values where M is singular, and
    the authors' program returns those where its solver stops. A ridge of 1e-3 of the trace regularises the weights A,
    too, which the program does only where neighbours are more than features.

    Cost: O(n^2 d) for the neighbours, and for each label a quadratic program of n variables, of which M has about k^2
    entries a row.

    References
    ----------
    Huang, Jiang and Sun, "Manifold-based constraint Laplacian score for multi-label feature selection", Pattern
    Recognition Letters 112, 2018. Numerical labels: Hou, Geng and Zhang, "Multi-label manifold learning", AAAI 2016.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MCLS(k=5).fit(data.X, data.Y)
    >>> bool((abs(method.numerical_labels_) >= 1).all())
    True
    """

    complexity = Complexity("n s + n^2 q + 100000 n q", "t + n q")

    def __init__(
        self,
        k: Size = 0.5,
        n_neighbors: int = 5,
        ridge: float = 1e-3,
        variant: Literal["equations", "published-code"] = "equations",
    ) -> None:
        self.k = k
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.variant = variant

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        as_published = check_variant(self.variant)
        number = check_count(self.n_neighbors, "n_neighbors")
        ridge = check_range(self.ridge, "ridge", 0, open_ends=True)
        rows = order_by_content(X, labels)  # of equally near neighbours the first count
        X, labels = X[rows], labels[rows]
        data, unit_rows = TrainingSet(X), _unit_rows(X)
        numerical, self.kkt_residual_ = _numerical_labels(data, varying_labels(labels), number, ridge)
        self.numerical_labels_ = numerical[np.argsort(rows)]
        by_labels = _closeness(TrainingSet(_unit_rows(numerical)), number)
        graph = sp.csr_array(_closeness(data, number).multiply(by_labels))
        constraint = _constraint_scores(X, Proximity("constant", n_neighbors=number).matrix(data))
        if as_published:
            return (1.0 - _laplacian_scores(unit_rows, graph, 1.0)) * constraint
        return 0.0 - _laplacian_scores(unit_rows, graph, _WORST) * constraint


def _unit_rows(X: Any) -> Any:
    return scaled(X, quotient(1.0, np.sqrt(squared_norms(X))))


def _numerical_labels(data: TrainingSet, labels: FloatArray, number: int, ridge: float) -> tuple[FloatArray, float]:
    """Return mu, and the largest violation: with ``mu = y o (1 + x)`` it is a program in x >= 0 for each label."""
    rest = sp.eye_array(len(labels), format="csr") - reconstruction_weights(data, number)
    errors = sp.csr_array(rest.T @ rest)
    errors = sp.csr_array(errors + ridge * errors.diagonal().mean() * sp.eye_array(len(labels)))
    numerical, residual = 2.0 * labels - 1.0, 0.0
    for label in numerical.T:
        signed = scaled(errors, label, label)
        minimum = minimise(signed, -degrees(signed))
        label *= 1.0 + minimum.x
        residual = max(residual, minimum.residual)
    return numerical, residual


def _closeness(data: TrainingSet, number: int) -> Any:
    """Return the graph of nearest neighbours with weights that fall to 0 at the first that is none, a csr_array."""
    nearest = neighbours_of(data, number + 1)
    n_samples, n_nearest = nearest.shape
    squares = pair_distances(data.points, np.repeat(np.arange(n_samples), n_nearest), nearest.reshape(-1))
    squares = np.sort(squares.reshape(nearest.shape), axis=1)  # those of equal rows are 0; others may be rounded apart
    closer = squares[:, -1:] - squares[:, :-1]
    totals = closer.sum(axis=1, keepdims=True)
    differ = totals > _NONE * squares[:, -1:]
    directed = directed_graph(nearest[:, :-1], np.where(differ, quotient(closer, totals), 1.0 / max(1, n_nearest - 1)))
    return sp.csr_array((directed + directed.T) / 2)


def _along(X: Any, matrix: Any) -> FloatArray:
    """Return ``x'Mx`` of each feature: added up row by row, so that it is equal for equal features."""
    product = matrix @ X
    products = X.multiply(product).sum(axis=0) if is_sparse(X) else np.einsum("ij,ij->j", X, product)
    return np.asarray(products).reshape(-1)


def _laplacian_scores(X: Any, graph: Any, of_constant: float) -> FloatArray:
    """Return ``x'Lx / x'Dx`` of each feature less its mean by the degrees D."""
    X, weights = shifted(X), degrees(graph)
    squares = _along(X, sp.diags_array(weights))
    scatter = squares - quotient(1.0, weights.sum(keepdims=True)) * np.square(weights @ X)
    scores = quotient(_along(X, csgraph.laplacian(graph)), scatter)
    return np.where(scatter > _NONE * squares, np.clip(scores, 0.0, _WORST), of_constant)


def _constraint_scores(X: Any, joined: Any) -> FloatArray:
    """Return ``x'Lx / x'L'x`` of each feature, with the Laplacian L' of the pairs that are not joined."""
    X = shifted(X)
    within = _along(X, csgraph.laplacian(joined))
    total = X.shape[0] * column_scatter(X)
    return quotient(within, np.maximum(total - within, _NONE * total))
