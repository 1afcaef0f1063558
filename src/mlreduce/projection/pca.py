"""Principal component analysis and latent semantic indexing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError
from mlreduce.projection.base import PRODUCTS
from mlreduce.projection.covariance import CovarianceProjection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import FloatArray, check_features, is_sparse


@register("pca")
class PCA(CovarianceProjection):
    """Principal component analysis (PCA): the directions of largest variance.

    ``max tr(P'Xc'XcP)`` subject to ``P'P = I``. Labels are ignored. ``eigenvalues_`` are n_samples - 1 times the
    variances.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
        A float is the share of the variance.

    Attributes
    ----------
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of each direction in the variance of the features; `Projection.objective_ratio_`.
    explained_variance_ : ndarray of shape (n_components,)
        Variance of the features along each direction, in squared units of the features.
    noise_variance_ : float
        Mean variance along the directions left out, of probabilistic PCA; 0 if none is.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Hotelling (1933), "Analysis of a complex of statistical variables into principal components"; Xu et al. (2016),
    equations (10) and (11).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.PCA(n_components=5).fit_transform(data.X).shape
    (1797, 5)
    >>> mlreduce.PCA(n_components=0.95).fit(data.X).n_components_
    29
    """

    complexity = PRODUCTS
    supervised = False

    def _objective(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)

    @property
    def explained_variance_ratio_(self) -> FloatArray:
        """Share of each direction in the variance of the features."""
        return self.objective_ratio_

    @property
    def explained_variance_(self) -> FloatArray:
        """Variance of the features along each direction."""
        check_is_fitted(self, "components_")
        return self.eigenvalues_ / (self._n_rows - 1)

    @property
    def noise_variance_(self) -> float:
        """Mean variance along the directions left out, of which there are as many as the features or rows allow."""
        variances, shares = self.explained_variance_, self.explained_variance_ratio_
        left_out = min(self.n_features_in_, int(self._n_rows)) - self.n_components_
        rest = float(variances[0] / shares[0] * (1.0 - shares.sum())) if left_out > 0 else 0.0
        return max(rest, 0.0) / max(left_out, 1)

    def score_samples(self, X: Any) -> FloatArray:
        """Return the log-likelihood of each instance under probabilistic PCA.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray of shape (n_samples,)
            Natural logarithms of the density.

        Raises
        ------
        DataError
            If features do not vary along the directions left out: the density is not finite.

        References
        ----------
        Tipping and Bishop (1999), "Mixtures of probabilistic principal component analyzers".
        """
        check_is_fitted(self, "components_")
        features = check_features(self, X, reset=False)
        variances, noise = self.explained_variance_, self.noise_variance_
        missing = self.n_features_in_ - self.n_components_
        # Eigenvalues up to so much are zero to the solver too; the rest of a sum has rounding errors.
        length = max(int(self._n_rows), self.n_features_in_, 1000)
        if missing and not noise > length * np.finfo(float).eps * variances[0]:
            raise DataError(
                f"{type(self).__name__} has no likelihood: the features do not vary along the {missing} directions "
                "left out; use a smaller n_components"
            )
        along = np.square(self.transform(features))
        distances = along @ (1.0 / variances)
        if missing:
            if is_sparse(features):
                squares = np.asarray(features.multiply(features).sum(axis=1)).reshape(-1)
                squares = squares - 2.0 * (features @ self.mean_) + self.mean_ @ self.mean_
            else:
                squares = np.square(features - self.mean_).sum(axis=1)
            distances = distances + (squares - along.sum(axis=1)) / noise
        volume = np.log(variances).sum() + (missing * np.log(noise) if missing else 0.0)
        return -0.5 * (distances + volume + self.n_features_in_ * np.log(2.0 * np.pi))

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of the instances under probabilistic PCA, by which searches choose sizes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        y : None
            Ignored.

        Returns
        -------
        float
            In nats per instance.

        Raises
        ------
        DataError
            As `score_samples`.
        """
        return float(self.score_samples(X).mean())


@register("lsi")
class LSI(CovarianceProjection):
    """Latent semantic indexing (LSI): principal directions of features that are not centred.

    ``max tr(P'X'XP)`` subject to ``P'P = I``, the right singular vectors of X. Labels are ignored.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Deerwester et al. (1990), "Indexing by latent semantic analysis".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.LSI(n_components=5).fit(data.X)
    >>> method.transform(data.X).shape, float(method.mean_.sum())  # features are not centred
    ((300, 5), 0.0)
    """

    complexity = PRODUCTS
    supervised = False
    centred = False

    def _objective(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)
