"""Base class of the label propagations."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph
from sklearn.utils import Tags

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, check_known_name
from mlreduce.linalg.kernels import check_positive
from mlreduce.linalg.utilities import above_half, best_of_each, quotient
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.proximity import ProximityLike, check_proximity
from mlreduce.validation import (
    FloatArray,
    as_dense,
    check_features,
    check_fit_memory,
    check_known_labels,
    check_memory,
    check_option,
    check_range,
    is_sparse,
    one_hot,
    remember_label_names,
)
from mlreduce.validation.estimator import Estimator


class LabelPropagation(Estimator):
    """Base of the label propagations: scores of all labels for all instances, from the labels of some instances.

    Neighbouring instances and similar labels get similar scores. A method defines the equation that the scores solve
    (`_solve`). Other instances cannot be predicted: pass them as unlabelled ones.

    Where single labels of an instance are unknown, labelled instances differ between labels: error terms are sums over
    the known labels, constraints hold for these, and the similarity of two labels is that on the instances of which
    both are known.

    Parameters
    ----------
    smoothness : float, default=1.0
        Weight of the instances' proximity, > 0.
    label_smoothness : float or None, default=None
        Weight of the labels' similarity, >= 0; the default depends on the method.
    label_similarity : {"cosine", "rbf"}, default="cosine"
        Sigma: cosines of the columns of the labelled instances' labels, or ``exp(-gamma ||y_s - y_t||^2)`` of them.
    gamma : float or None, default=None
        Of ``"rbf"``, > 0; None is the reciprocal of the mean squared distance of different columns.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    decision : {"prior", "half"}, default="prior"
        Labels of an unlabelled instance: ``"prior"`` gives each label to the instances of largest positive score, in
        the label's share of the labelled instances, both those of the label; ``"half"`` to those with a score above
        one half.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_labels)
        Score of each label: near 1 where it is likely, near 0 where not. Zeros for instances that no path of the graph
        connects to a labelled one. Where single labels are unknown, a score that nothing determines is zero too: of a
        label that is known of no instance connected by a path.
    transduction_ : ndarray of shape (n_samples, n_labels) or (n_samples,), int
        Labels in {0, 1}: those given, and where not known those of ``decision``.
    labelled_ : ndarray of shape (n_samples,), bool
        Mask of the labelled instances: those of which at least one label is known.
    known_ : ndarray of shape (n_samples, n_labels), bool
        Mask of the labels that are known.
    label_smoothness_ : float
        The weight of the labels' similarity.
    label_similarity_ : ndarray of shape (n_labels, n_labels)
        Sigma.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> from mlreduce.propagation import LabelPropagation
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Y = data.Y.astype(float)
    >>> Y[200:] = np.nan  # not labelled
    >>> class Means(LabelPropagation):
    ...     def _solve(self, laplacian, labels, labelled):
    ...         self.label_smoothness_ = 0.0
    ...         return np.where(labelled[:, np.newaxis], labels, labels[labelled].mean(axis=0))
    >>> Means().fit_transform(data.X, Y).shape
    (300, 12)
    """

    #: Whether what is fitted is linear in the features.
    linear = False
    #: Whether single labels of an instance may be unknown: cells of NaN.
    takes_unknown_cells = True
    #: What a fit costs.
    complexity = Complexity("n s + q n^2 + n q^2", "q n + q^2")
    #: Whether Laplacians are the normalised symmetric ones.
    normalised = False

    transduction_: NDArray[np.int64]

    def __init__(
        self,
        smoothness: float = 1.0,
        label_smoothness: float | None = None,
        label_similarity: str = "cosine",
        gamma: float | None = None,
        proximity: ProximityLike = None,
        decision: str = "prior",
    ) -> None:
        self.smoothness = smoothness
        self.label_smoothness = label_smoothness
        self.label_similarity = label_similarity
        self.gamma = gamma
        self.proximity = proximity
        self.decision = decision

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Propagate the labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Of all instances, labelled or not.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
            Labels in {0, 1} or {-1, 1}, NaN where not known: rows of unlabelled instances, or single cells.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1, -1/1 or NaN, no label is known, a parameter is out of range,
            or the objective is not convex.
        """
        check_fit_memory(self, X, y)
        features = check_features(self, X, reset=True)
        y, _ = one_hot(y)
        labels, known = check_known_labels(y, features.shape[0], sparse=True)
        remember_label_names(self, y)
        self.fit_training_set(TrainingSet(features, labels, known=known))
        if not is_sparse(y) and np.asarray(y).ndim == 1:
            self.transduction_ = self.transduction_[:, 0]
        return self

    def fit_training_set(self, data: TrainingSet) -> Self:
        """Propagate the labels of a training set that several methods share.

        Parameters
        ----------
        data : TrainingSet
            Checked features and labels.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            As `fit`.
        """
        self._check_parameters()
        n_samples = data.X.shape[0]
        if n_samples == 1:
            raise DataError(f"{type(self).__name__} needs two instances at least; got n_samples=1")
        n_labels = data.labels.shape[1]
        check_memory(
            8.0 * (4 * n_samples + 3 * n_labels) * n_labels,
            f"{type(self).__name__} with scores of {n_labels} labels for {n_samples} rows and a matrix of their pairs",
            "propagate fewer labels at once, or take fewer rows",
        )
        labels = as_dense(data.labels)
        labelled = np.ones(n_samples, dtype=bool) if data.labelled is None else data.labelled
        known = labelled if data.known is None else data.known
        self.label_similarity_ = self._similarity(labels[labelled], None if data.known is None else known[labelled])
        weights = check_proximity(self.proximity).matrix(data)
        laplacian: Any = csgraph.laplacian(weights, normed=self.normalised)
        if is_sparse(laplacian):
            laplacian = sp.csr_array(laplacian)
        reached = reached_from(weights, labelled)
        self.embedding_ = np.zeros_like(labels)
        self.embedding_[reached] = self._solve(laplacian[reached][:, reached], labels[reached], known[reached])
        self.labelled_ = labelled
        self.known_ = np.broadcast_to(known.reshape(n_samples, -1), labels.shape)
        self.transduction_ = np.where(self.known_, labels, self._decide(labels, known)).astype(np.int64)
        self.n_features_in_ = data.X.shape[1]
        return self

    def fit_transform(self, X: Any, y: Any) -> FloatArray:
        """Propagate the labels and return the scores of all instances.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Of all instances, labelled or not.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
            Labels in {0, 1} or {-1, 1}, NaN where not known: rows of unlabelled instances, or single cells.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_labels)
            ``embedding_``.
        """
        return self.fit(X, y).embedding_

    def _solve(self, laplacian: Any, labels: FloatArray, known: NDArray[np.bool_]) -> FloatArray:
        """Return the scores of instances that are all connected to labelled ones; also set ``label_smoothness_``.

        Labels are zero where not known; ``known`` is a mask of the labelled instances, shape (n,), or of the known
        labels, shape (n, n_labels).
        """
        raise NotImplementedError  # abstract

    def _check_parameters(self) -> None:
        check_range(self.smoothness, "smoothness", 0, open_ends=True)
        if self.label_smoothness is not None:
            check_range(self.label_smoothness, "label_smoothness", 0)
        check_known_name("label_similarity", self.label_similarity, ["cosine", "rbf"], error=DataError)
        if self.gamma is not None:
            check_positive(self.gamma, "gamma")
        check_proximity(self.proximity)
        check_option(self.decision, "decision", ("prior", "half"))

    def _similarity(self, labels: FloatArray, known: NDArray[np.bool_] | None) -> FloatArray:
        """Return Sigma, shape (n_labels, n_labels): of two labels on the instances of which both are known."""
        products = labels.T @ labels
        if known is None:
            both = np.full(products.shape, float(len(labels)))
            sizes = np.broadcast_to(np.diag(products)[:, np.newaxis], products.shape)
        else:
            both = known.T.astype(np.float64) @ known
            sizes = labels.T @ known  # instances with a label of which another is known
        if self.label_similarity == "cosine":
            reciprocal = quotient(1.0, np.sqrt(sizes))
            return products * reciprocal.T * reciprocal
        # Distances are those of as many instances, however many are known.
        squares = (sizes.T + sizes - 2.0 * products) * quotient(float(len(labels)), both)
        different = ~np.eye(len(products), dtype=bool) & (both > 0)
        gamma = self.gamma
        if gamma is None:
            mean = squares.sum() / max(np.count_nonzero(different), 1)
            gamma = 1.0 / mean if mean > 0 else 1.0
        return np.where(both > 0, np.exp(-gamma * squares), 0.0)

    def _label_laplacian(self) -> FloatArray:
        """Return the Laplacian of Sigma, with Sigma's diagonal in both terms; zero for labels without instances."""
        similarity = self.label_similarity_
        sums = similarity.sum(axis=1)
        if not self.normalised:
            return np.asarray(np.diag(sums) - similarity)
        # SciPy's normalised Laplacian leaves the diagonal out, of the sums too.
        roots = quotient(1.0, np.sqrt(sums))
        return np.asarray(np.diag(sums > 0) - roots[:, np.newaxis] * similarity * roots)

    def _decide(self, labels: FloatArray, known: NDArray[np.bool_]) -> NDArray[Any]:
        """Return the predicted labels where they are not known."""
        if self.decision == "half":
            return above_half(self.embedding_)
        chosen = np.zeros(labels.shape, dtype=np.int8)
        if known.ndim == 1:
            chosen[~known] = best_of_each(self.embedding_[~known], labels[known].mean(axis=0))
            return chosen
        shares = quotient(labels.sum(axis=0), known.sum(axis=0))
        for label, unknown in enumerate(~known.T):
            column = slice(label, label + 1)
            chosen[unknown, column] = best_of_each(self.embedding_[unknown, column], shares[column])
        return chosen


def add_diagonal(matrix: Any, diagonal: FloatArray) -> Any:
    """Add a diagonal matrix to a sparse matrix or array."""
    return sp.csr_array(matrix + sp.diags_array(diagonal)) if is_sparse(matrix) else matrix + np.diag(diagonal)


def reached_from(weights: Any, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask of the instances that a path of the graph connects to a labelled one; of each label, for one per label."""
    number, parts = csgraph.connected_components(weights, directed=False)
    holds = np.zeros((number, *known.shape[1:]), dtype=bool)
    np.logical_or.at(holds, parts, known)
    return holds[parts]
