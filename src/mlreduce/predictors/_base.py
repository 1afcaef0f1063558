"""What the regressors share."""

from __future__ import annotations

from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags

__all__ = ["Regressor"]


class Regressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Base of the regressors: for one target or many, with dense or sparse features."""

    #: Whether training on several targets at once is training on each.
    independent_targets = True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
