"""Adapters of classes of other packages for the benchmark's protocol."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin, clone


class AtMost(TransformerMixin, BaseEstimator):
    """A transformer with a number of dimensions, or as many as the training rows allow.

    The benchmark measures at fixed numbers of dimensions; where data have fewer rows or features, a projection is
    measured with all that it has. Classes of other packages raise there. ``size``, >= 1, is the number of dimensions,
    and ``parameter`` that of the transformer which says how many it has. ``random_state`` is given to a transformer
    that has such a parameter, where it has none. ``transformer_`` is fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.decomposition import TruncatedSVD
    >>> from mlreduce_studies.outside import AtMost
    >>> AtMost(TruncatedSVD(), size=8).fit(np.eye(6, 4)).transform(np.eye(2, 4)).shape
    (2, 4)
    """

    def __init__(
        self, transformer: Any, size: int, parameter: str = "n_components", random_state: int | None = None
    ) -> None:
        self.transformer = transformer
        self.size = size
        self.parameter = parameter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the transformer to X of shape (n_samples, n_features) and, where there are any, labels."""
        self.transformer_ = clone(self.transformer)
        self.transformer_.set_params(**{self.parameter: min(self.size, *X.shape)})
        parameters = self.transformer_.get_params()
        if "random_state" in parameters and parameters["random_state"] is None:
            self.transformer_.set_params(random_state=self.random_state)
        self.transformer_.fit(X, y)
        return self

    def transform(self, X: Any) -> Any:
        """Return the image of X."""
        return self.transformer_.transform(X)
