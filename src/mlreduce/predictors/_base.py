"""Bases of the regressors and classifiers."""

from __future__ import annotations

from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils import ClassifierTags, Tags

__all__ = ["LabelClassifier", "Regressor"]


class Regressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Base of the regressors: for one target or many, with dense or sparse features."""

    #: Whether training on several targets equals training on each.
    independent_targets = True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LabelClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: for one label or many, with dense or sparse features."""

    #: Whether it scores labels: ``predict_scores`` gives a number per label, larger is
    #: likelier, above one half for predicted labels, and ``predict_nested`` yields such numbers.
    ranks = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        tags.input_tags.sparse = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        return tags
