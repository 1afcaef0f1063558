"""Base class of the embeddings."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, ProjectionWarning, warn
from mlreduce.linalg.features import Coordinates
from mlreduce.linalg.utilities import signed
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.solver import solve
from mlreduce.validation import (
    FloatArray,
    as_precise,
    check_components,
    check_features,
    check_fit_memory,
    check_labels,
    one_hot,
    remember_label_names,
)
from mlreduce.validation.estimator import Estimator


class Embedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Base of the embeddings of the training instances.

    Embeddings Z maximise ``tr(Z'AZ)`` subject to ``Z'BZ = I`` with B diagonal (Mu et al. 2012, equation (30)). A method
    defines A (`_objective`) and, unless it is the identity, B (`_scale`). Other instances cannot be embedded; a
    projection can transform them (`OLPP` for spectral clustering, `ONPP` for `LLE`).

    Parameters
    ----------
    n_components : int, str or None, default=2
        Number of columns, 1..n_samples, less one where the constant vector is a trivial solution; a percentage of that
        such as ``"50%"``, rounded down to at least 1; None for all.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Most important column first; of each, the entry of largest magnitude is positive, of equal ones the first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each column to the objective, descending.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.embedding import Embedding
    >>> from mlreduce.spectral import Form
    >>> class InnerProducts(Embedding):
    ...     def _objective(self, data):
    ...         return Form(graph=data.X @ data.X.T)
    >>> data = mlreduce.load_dataset("planted-300")
    >>> InnerProducts().fit_transform(data.X).shape
    (300, 2)
    """

    #: Whether what is fitted is linear in the features.
    linear = False
    #: What a fit costs.
    complexity = Complexity("n s + k n^2", "n")
    #: Whether `fit` needs labels.
    supervised = False
    #: Whether eigenvalues may be zero or negative: the objective is a cost with changed sign.
    signed_values = True
    #: Upper bound of the eigenvalues, or None; speeds up the search for a few of many.
    upper: float | None = None

    def __init__(self, n_components: int | str | None = 2) -> None:
        self.n_components = n_components

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.supervised
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the instances.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None
            Labels in {0, 1} or {-1, 1}. Unsupervised methods ignore it.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1 or -1/1, a parameter is out of range, or there are fewer
            instances than the embedding needs.

        Warns
        -----
        ProjectionWarning
            If fewer eigenvalues are positive than ``n_components``, for methods that use only these.
        """
        check_fit_memory(self, X, y)
        features = check_features(self, X, reset=True)
        labels = None
        if self.supervised:
            labels = check_labels(one_hot(y)[0], features.shape[0], sparse=True)
            remember_label_names(self, y)
        return self.fit_training_set(TrainingSet(features, labels))

    def fit_training_set(self, data: TrainingSet) -> Self:
        """Embed the instances of a training set that several methods share.

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
        if n_samples < 2:
            raise DataError(f"{type(self).__name__} needs two instances at least; got n_samples={n_samples}")
        objective, scale = self._objective(data), self._scale(data)
        trivial = self._trivial(data)
        wanted = check_components(
            self.n_components, n_samples - (trivial is not None), "instances" + " less one" * (trivial is not None)
        )
        if scale is not None:
            objective = objective.scaled(1.0 / scale)
        solution = solve(
            Coordinates(n_samples),
            objective,
            limit=wanted,
            signed_values=self.signed_values,
            upper=self.upper,
            trivial=trivial if trivial is None or scale is None else scale * trivial,
            variation=lambda block: data.centred.transposed_dot(block if scale is None else (block.T / scale).T),
        )
        values, rows = solution.eigenvalues, solution.components
        self._check_number(len(values), wanted, data)
        self.eigenvalues_ = values
        self.embedding_ = self._rescaled(signed(rows if scale is None else rows / scale).T, values)
        self.n_components_ = len(values)
        self.n_features_in_ = data.X.shape[1]
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Embed the instances and return their embedding.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None
            Labels in {0, 1} or {-1, 1}. Unsupervised methods ignore it.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            ``embedding_``; float32 where the features are and no number is beyond its range.
        """
        return as_precise(self.fit(X, y).embedding_, X)

    @property
    def _n_features_out(self) -> int:
        """Number of columns, for scikit-learn's ``get_feature_names_out``."""
        return self.n_components_

    def _objective(self, data: TrainingSet) -> Form:
        """Return A."""
        raise NotImplementedError  # abstract

    def _scale(self, data: TrainingSet) -> FloatArray | None:
        """Return the root of B's diagonal, positive; None where B is the identity."""
        return None

    def _trivial(self, data: TrainingSet) -> FloatArray | None:
        """Return the trivial solution of the problem with B, to be left out; None if there is none."""
        return None

    def _check_parameters(self) -> None:
        """Raise DataError if a parameter of the method is out of range."""

    def _check_number(self, n_columns: int, wanted: int, data: TrainingSet) -> None:
        name = type(self).__name__
        if not n_columns:
            reason = "the features do not vary" if data.centred.constant.all() else "the labels do not vary"
            raise DataError(f"{name} finds no column with a positive eigenvalue: {reason}")
        if n_columns < wanted:
            numbers = f"{n_columns} positive eigenvalues: n_components_ is {n_columns}, not {wanted}"
            warn(f"{name} has {numbers}", ProjectionWarning)

    def _rescaled(self, embedding: FloatArray, values: FloatArray) -> FloatArray:
        """Return the embedding in the scale of the method."""
        return embedding
