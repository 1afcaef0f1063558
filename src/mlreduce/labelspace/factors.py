"""Base of the coders whose codes of the training rows are no linear map of the labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError
from mlreduce.labelspace.base import LabelCoder
from mlreduce.labelspace.statistics import centred_product, means
from mlreduce.validation import FloatArray


class FactorCoder(LabelCoder):
    """Base of the coders that factorise the labels of the training rows, ``Z ~ TD``, with codes T and a decoder D.

    The codes belong to the training rows and stay in ``codes_``; `CodedClassifier` and studies train a predictor on
    them. `encode` finds the codes of other labels whose reconstruction is nearest. Sizes are nested as of `LabelCoder`.

    A method overrides `_factorise`; one that decodes in another way than by ``TD`` overrides `project` and
    `reconstruct_sizes` too.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.

    Attributes
    ----------
    codes_ : ndarray of shape (n_samples, n_components)
        T, of the training rows; zeros of rows without weight.
    components_ : ndarray of shape (n_components, n_labels)
        D, the decoder.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each column of the code to the method's objective.
    mean_ : ndarray of shape (n_labels,)
        Means of the labels; those not known are filled in.
    n_components_, n_labels_ : int
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> from mlreduce.labelspace.factors import FactorCoder
    >>> class SingularVectors(FactorCoder):
    ...     def _factorise(self, features, labels):
    ...         left, values, right = np.linalg.svd(labels - self.mean_, full_matrices=False)
    ...         return left, values[:, np.newaxis] * right, values**2
    >>> data = mlreduce.load_dataset("planted-300")
    >>> SingularVectors(n_components=3).fit(None, data.Y).codes_.shape
    (300, 3)
    """

    linear = False

    def __init__(self, n_components: int | str | None = None) -> None:
        super().__init__(n_components)

    def _fit(self, features: Any, labels: Any) -> Self:
        self._begin(means(labels))
        self.codes_, components, eigenvalues = self._factorise(features, labels)
        self.codes_ = self.codes_[:, : self.n_components_]
        return self._keep(components, eigenvalues)

    def _fit_weighted(self, features: Any, labels: Any, weights: FloatArray) -> Self:
        self._begin(np.asarray(weights @ labels) / weights.sum())
        rows = np.flatnonzero(weights)
        features = None if features is None else features[rows]
        codes, components, eigenvalues = self._factorise(features, labels[rows], weights[rows])
        self.codes_ = np.zeros((len(weights), self.n_components_))
        self.codes_[rows] = codes[:, : self.n_components_]
        return self._keep(components, eigenvalues)

    def _factorise(
        self, features: Any, labels: Any, weights: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return codes, decoder and eigenvalues of at least ``n_components_`` columns, most important first.

        Weights of the rows, all positive, are passed where `fit` has some: a method that takes none cannot have them.
        """
        raise NotImplementedError  # abstract: a coder is this choice

    def training_codes(self, labels: Any, features: Any = None) -> FloatArray:
        """Return the codes of the training rows, ``codes_``, for a predictor to be trained on.

        Parameters
        ----------
        labels : ndarray or csr_array of shape (n_samples, n_labels)
            Those of `fit`, in {0, 1}; of an array NaN where not known.
        features : ndarray or csr_array of shape (n_samples, n_features), or None, default=None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their codes.

        Raises
        ------
        DataError
            If these are not as many rows as in `fit`.
        """
        check_is_fitted(self, "components_")
        if labels.shape[0] != len(self.codes_):
            raise DataError(
                f"{type(self).__name__} has codes of the {len(self.codes_)} rows that it was fitted on; "
                f"got {labels.shape[0]}"
            )
        return self.codes_

    def _codes_of(self, labels: Any) -> FloatArray:
        return self.codes_

    def project(self, scores: Any) -> FloatArray:
        """Return the codes whose reconstruction is nearest to real-valued labels, by least squares.

        They are not those of the training rows, which depend on more than their labels.

        Parameters
        ----------
        scores : ndarray or csr_array of shape (n_samples, n_labels)
            Numbers of any size.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their codes.

        Raises
        ------
        DataError
            If there are not as many labels as in `fit`.
        """
        self._check_labels(scores)
        return centred_product(scores, self.mean_, np.linalg.pinv(self.components_).T)
