"""Bases of the regressors and classifiers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin, clone
from sklearn.utils import ClassifierTags, Tags, _safe_indexing
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import row_blocks
from mlreduce.predictors.decision import Blocks, Decision, best_labels, check_decision, fold_blocks, fold_predictions
from mlreduce.registry import has_shortcut
from mlreduce.validation import (
    FloatArray,
    as_dense,
    check_count,
    check_features,
    check_fit_memory,
    check_known_labels,
    check_labels,
    check_memory,
    check_regression,
    check_sample_weight,
    is_sparse,
    join_known,
    label_values,
    one_hot,
    remember_label_names,
    rows_by_weight,
    split_known,
)
from mlreduce.validation.estimator import Estimator

# Public methods of the classifiers by scores, and what of these they are made of.
_VERBS = {"predict": "_predicted", "predict_proba": "_shares", "decision_function": "_margins"}


class Regressor(MultiOutputMixin, RegressorMixin, Estimator):
    """Base of the regressors: for one target or many, with dense or sparse features."""

    #: Whether what is fitted is linear in the features.
    linear = False
    #: What a fit costs, with predictions for as many instances.
    complexity: Complexity
    #: Whether training on several targets is that on each, to the last bit: not where one penalty serves all, nor where
    #: matrix products have as many columns as targets.
    independent_targets = False
    #: Whether single targets of an instance may be unknown: cells of NaN.
    takes_unknown_cells = False
    #: Whether a sparse matrix of targets stays one.
    takes_sparse_targets = False
    #: An attribute that `fit` sets.
    _fitted = "coef_"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to features and targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances; a sparse matrix stays sparse.
        y : array-like or sparse matrix of shape (n_samples,) or (n_samples, n_targets)
            Targets, in any unit; NaN where not known, for methods that take single unknown targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights >= 0 of the squared errors; an integer counts as so many equal rows. Methods that count rows
            take integers only.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, a number is beyond 1e70, a weight is negative, a target is not known where the
            method needs it, or a parameter is out of range.
        """
        check_fit_memory(self, X, y)
        features, targets = check_regression(self, X, y)
        weights = check_sample_weight(sample_weight, features.shape[0])
        if weights is None:
            self._fit(features, targets)
        else:
            self._fit_weighted(features, targets, weights)
        return self

    def _fit(self, features: Any, targets: Any) -> None:
        raise NotImplementedError  # abstract

    def _fit_weighted(self, features: Any, targets: Any, weights: FloatArray) -> None:
        """Fit to instances that have weights: here to so many equal rows."""
        rows = rows_by_weight(weights, *features.shape)
        self._fit(features[rows], targets[rows])

    def _fit_left_out(self, X: Any, y: Any) -> FloatArray | None:
        """Fit, and return for each row what a fit on the others predicts, with the parameters of this one.

        Of shape (n_samples, n_targets); None where that costs more than a fit.
        """
        self.fit(X, y)
        return None

    def predict(self, X: Any) -> FloatArray:
        """Return the predicted targets, of the shape that ``fit`` saw.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray of shape (n_samples, n_targets) or (n_samples,)
            In the targets' unit.
        """
        check_is_fitted(self, self._fitted)
        features = check_features(self, X, reset=False)
        n_targets = np.size(getattr(self, "intercept_", 0.0))
        check_memory(
            8.0 * features.shape[0] * n_targets,
            f"a table of {n_targets} targets for {features.shape[0]} rows",
            "predict fewer rows at once; of labels ThresholdClassifier.predict_top has the best of each row",
        )
        return self._predict(features)

    def _predict(self, features: Any) -> FloatArray:
        raise NotImplementedError  # abstract


class LabelClassifier(ClassifierMixin, Estimator):
    """Base of the classifiers: for one label or many, with dense or sparse features.

    With a matrix of labels probabilities and decisions have the shape (n_samples, n_labels). ``classes_`` is then what
    scikit-learn's scorers, ``cross_val_predict`` and checks expect: with probabilities, 0 and 1 for every label, as
    ``ClassifierChain`` has but in an array; with decisions, the numbers of the labels, as ``OneVsRestClassifier`` has.
    With a vector of two classes probabilities have a column for each, and decisions the shape (n_samples,). Predictions
    are arrays of integers in the values of the labels in ``fit``, 0 and 1 (of Booleans too) or -1 and 1; CSR arrays
    where these were sparse. ``predict_labels`` returns the names of a DataFrame.
    """

    #: Whether what is fitted is linear in the features.
    linear = False
    #: What a fit costs, with predictions for as many instances.
    complexity: Complexity
    #: Whether single labels of an instance may be unknown: cells of NaN.
    takes_unknown_cells = False
    #: Whether it ignores the features: a tag for checks of its accuracy.
    _poor_score = False
    #: Whether many and rare labels are made sparse.
    takes_sparse_labels = False
    #: Whether `_fit` takes weights of the instances, of any size, as its last argument.
    _weighs = False
    #: Whether it scores labels: ``predict_scores`` gives a number per label, larger is
    #: likelier, and ``predict_nested`` yields such numbers.
    ranks = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=True, multi_label=True, poor_score=self._poor_score)
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to features and labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
            Labels in {0, 1} or {-1, 1}; NaN where not known, for methods that take single unknown labels. A vector of
            other integers, or of strings, holds classes: each is a label, and the one with the highest score is
            predicted.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights >= 0 of the instances; an integer counts as so many equal rows. Most methods, and all decisions but
            ``"half"``, count rows and take integers only.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1 or -1/1, a weight is negative, a parameter is out of range,
            or there are too few rows.
        """
        check_fit_memory(self, X, y)
        features, labels = self._checked(X, y)
        weights = check_sample_weight(sample_weight, features.shape[0])
        if weights is None:
            self._decide(features, labels)
        elif self._weighs and getattr(self, "decision", "half") == "half":
            self._decide_weighted(features, labels, weights)
        else:
            rows = rows_by_weight(weights, *features.shape)
            self._decide(features[rows], labels[rows])
        return self

    def _decide(self, features: Any, labels: Any) -> None:
        """Fit to checked features and labels, and choose what is predicted from scores."""
        self._fit(features, labels)

    def _decide_weighted(self, features: Any, labels: Any, weights: FloatArray) -> None:
        fit: Any = self._fit
        fit(features, labels, weights)

    def _fit(self, features: Any, labels: Any) -> None:
        raise NotImplementedError  # abstract

    def predict(self, X: Any) -> Any:
        """Return the predicted labels, of the shape and in the values that ``fit`` saw.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_labels), or ndarray of shape (n_samples,)
            In {0, 1} or {-1, 1}. A CSR array where ``fit`` saw sparse labels; a vector where labels were
            a vector.
        """
        if not getattr(self, "_sparse_labels", False):
            if getattr(self, "_one_dimension", False) and self._n_labels > 1:
                return self.classes_[np.argmax(self._class_scores(X), axis=1)]
            labels = self._in_values(self._predicted(X))
            return labels[:, 0] if self._one_dimension else labels
        return sp.csr_array(sp.vstack([sp.csr_array(self._in_values(self._predicted(x))) for x in self._blocks(X)]))

    def predict_labels(self, X: Any, *, as_frame: bool = False) -> Any:
        """Return the names of the predicted labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        as_frame : bool, default=False
            Return a DataFrame.

        Returns
        -------
        list of list of str, or DataFrame of shape (n_samples, n_labels)
            For each instance the names of its labels, in the order of the labels: those of the columns of ``y``, or
            "0", "1" and so on where they had none. As a DataFrame, what `predict` returns with these names as columns
            and, where ``X`` is a DataFrame, with its index.
        """
        check_is_fitted(self, "classes_")
        names = getattr(self, "label_names_", [str(label) for label in range(self._n_labels)])
        if not as_frame:
            present, labels = self._values[1], np.array(names, dtype=object)
            rows = (row for x in self._blocks(X) for row in self._in_values(self._predicted(x)) == present)
            return [labels[row].tolist() for row in rows]
        import pandas as pd  # slow to import, and loaded only for a DataFrame

        index, predicted = getattr(X, "index", None), self.predict(X)
        if is_sparse(predicted):
            sparse: Any = pd.DataFrame.sparse
            return sparse.from_spmatrix(predicted, columns=names, index=index)
        return pd.DataFrame(predicted.reshape(len(predicted), -1), columns=names, index=index)

    def _blocks(self, X: Any, width: int | None = None) -> Iterator[Any]:
        """Yield features in blocks of rows for which so many numbers each, by default scores, stay few."""
        check_is_fitted(self, "classes_")
        n_rows = check_features(self, X, reset=False).shape[0]
        X, blocks = X.tocsr() if is_sparse(X) else X, row_blocks(n_rows, width or self._n_labels)
        for rows in blocks:
            yield X if len(blocks) == 1 else _safe_indexing(X, rows)  # which takes 0.2 ms

    def _predicted(self, X: Any) -> NDArray[Any]:
        """Return whether each label is predicted, shape (n_samples, n_labels)."""
        raise NotImplementedError  # abstract

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return checked features, and labels, CSR where ``y`` is sparse and all are known; remember their names."""
        features = check_features(self, X, reset=True)
        sparse = is_sparse(y) or self.takes_sparse_labels
        labels, classes = one_hot(y)
        if self.takes_unknown_cells:
            labels = join_known(*check_known_labels(labels, features.shape[0], sparse=sparse))
        else:
            labels = check_labels(labels, features.shape[0], sparse=sparse)
        self._remember(y, labels.shape[1], classes)
        return features, labels

    def _remember(self, y: Any, n_labels: int, classes: NDArray[Any] | None) -> None:
        """Remember the shape, the values and the names of the labels."""
        remember_label_names(self, y)
        self._n_labels, self._sparse_labels = n_labels, is_sparse(y)
        self._one_dimension = classes is not None or (not self._sparse_labels and np.asarray(y).ndim == 1)
        self._values = label_values(y) if classes is None else classes
        if self._one_dimension:
            self.classes_ = self._values
        elif hasattr(self, "decision_function"):
            self.classes_ = np.arange(n_labels)
        else:
            self.classes_ = np.tile(self._values, (n_labels, 1))

    def _class_scores(self, X: Any) -> FloatArray:
        """Return a number for each class, of which the largest is predicted."""
        return np.asarray(as_dense(self._predicted(X)))

    def _in_values(self, present: Any) -> NDArray[Any]:
        """Return labels that are present or not in the values of those in ``fit``."""
        absent, there = self._values
        return np.where((present.toarray() if is_sparse(present) else present) > 0, there, absent)


class ScoringClassifier(LabelClassifier):
    """Base of the classifiers that score labels, and predict those above a threshold.

    ``decision`` is how labels are predicted from scores, and ``measure`` what it maximises, as of
    `mlreduce.ThresholdClassifier`, where SCut is "per-label" and RCut "top-k": Yang (2001), "A study of thresholding
    strategies for text categorization", SIGIR, 137-145.

    The scores of the training rows are those of leaving out each row where these cost at most one fit, otherwise of
    three folds, shuffled with a fixed seed, which cost two fits more.
    """

    ranks = True
    decision: str
    measure: str

    def _decide(self, features: Any, labels: Any) -> None:
        """Fit to checked features and labels, and choose the decision on held-out scores of the known labels."""
        check_decision(self.decision, self.measure)
        if self.decision == "half":
            self._fit(features, labels)
            self._set(Decision.half(labels.shape[1]))
        else:
            self._set(self._chosen(features, labels))

    def _decide_weighted(self, features: Any, labels: Any, weights: FloatArray) -> None:
        check_decision(self.decision, self.measure)
        super()._decide_weighted(features, labels, weights)
        self._set(Decision.half(labels.shape[1]))

    def _chosen(self, features: Any, labels: Any) -> Decision:
        """Fit, and choose the decision; of sparse labels held-out scores are made in blocks of rows."""
        if is_sparse(labels):
            blocks = self._fit_held_out_blocks(features, labels)
            return Decision.from_blocks(self.decision, self.measure, blocks, labels)
        scores = self._held_out(features, labels)
        return Decision.from_scores(self.decision, self.measure, scores, *split_known(labels))

    def _held_out(self, features: Any, labels: FloatArray) -> FloatArray:
        """Fit, and return scores of each row by a fit on others: all others where that is cheap, else inner folds."""
        if is_sparse(labels):
            check_memory(8.0 * math.prod(labels.shape), "a table of held-out scores", "fit with the decision itself")
            table = np.empty(labels.shape)
            for rows, part in self._fit_held_out_blocks(features, labels)():
                table[rows] = part
            return table
        scores = self._fit_left_out(features, labels)
        if scores is None:
            given = labels[:, 0] if self._one_dimension and self._n_labels == 1 else labels
            scores = fold_predictions(self._undecided(), features, given, type(self).predict_scores)
        return scores

    def _fit_held_out_blocks(self, features: Any, labels: Any) -> Blocks:
        """Fit to sparse labels, and return what yields the scores of `_held_out` in blocks of rows."""
        self._fit(features, labels)
        model = self._undecided()
        return lambda: fold_blocks(model, features, labels, type(self).predict_scores)

    def _undecided(self) -> Self:
        """Return a copy whose fit takes no held-out scores."""
        return clone(self).set_params(decision="half")

    @property
    def decides_itself(self) -> bool:
        """Whether the class overrides how labels, or the scores that go with them, are predicted."""
        return not all(has_shortcut(self, inner, verb) for verb, inner in _VERBS.items() if hasattr(self, verb))

    @property
    def _levels(self) -> FloatArray:
        return np.where(np.isfinite(self.thresholds_), self.thresholds_, 0.5)

    def _set(self, decision: Decision) -> None:
        self._decision, self.thresholds_, self.k_ = decision, decision.thresholds, decision.k

    def _fit_half(self, X: Any, y: Any) -> FloatArray:
        """Do as `fit` with the decision "half", and return held-out scores of the rows."""
        features, labels = self._checked(X, y)
        scores = self._held_out(features, labels)
        self._set(Decision.half(labels.shape[1]))
        return scores

    def _fit_left_out(self, features: Any, labels: FloatArray) -> FloatArray | None:
        """Fit, and return the scores of each row by a fit on the others; None where they cost more than a fit."""
        self._fit(features, labels)
        return None

    def predict_scores(self, X: Any) -> FloatArray:
        """Return a score per label, higher for likelier labels; `decision` chooses which are predicted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Probabilities, or decisions plus one half.
        """
        self._check_size(X)
        return self._scores(X)

    def predict_top(self, X: Any, k: int = 5) -> sp.csr_array:
        """Return the scores of the k best labels of each row: what there is memory for, however many labels there are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        k : int, default=5
            At least 1; all labels where there are fewer.

        Returns
        -------
        csr_array of shape (n_samples, n_labels)
            Stores the k largest of `predict_scores` in each row, zeros too, in the order of the labels. Of scores that
            are equal to nine decimals the first label's is taken.

        Raises
        ------
        DataError
            If k is no integer of at least 1.
        """
        check_count(k, "k")
        best = [self._top(rows, int(k)) for rows in self._blocks(X, self._top_width)]
        return best[0] if len(best) == 1 else sp.csr_array(sp.vstack(best))

    @property
    def _top_width(self) -> int:
        """Numbers that `_top` holds for each row."""
        return self._n_labels

    def _top(self, X: Any, k: int) -> sp.csr_array:
        """Return the best labels of a block of rows."""
        return best_labels(self._scores(X), k)

    def _check_size(self, X: Any) -> None:
        """Refuse a dense table of scores that there is no memory for."""
        n_rows, n_labels = X.shape[0] if hasattr(X, "shape") else len(X), getattr(self, "_n_labels", 0)
        check_memory(
            8.0 * n_rows * n_labels,
            f"a table of the scores of {n_labels} labels for {n_rows} rows",
            "predict_top has the best labels of each row; or take fewer rows at once",
        )

    def _scores(self, X: Any) -> FloatArray:
        raise NotImplementedError  # abstract

    def _predicted(self, X: Any) -> NDArray[Any]:
        scores = self._scores(X)
        return self._decision.apply(scores)


class ProbableClassifier(ScoringClassifier):
    """Base of the classifiers by scores that are probabilities, or have their order."""

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each label, shape (n_samples, n_labels); of 0 and 1 where labels were a vector.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray of shape (n_samples, n_labels), or of shape (n_samples, 2)
            In [0, 1]; of votes, their shares.
        """
        self._check_size(X)
        shares = self._shares(X)
        if not self._one_dimension:
            return shares
        return np.column_stack([1 - shares[:, 0], shares[:, 0]]) if self._n_labels == 1 else self._of_classes(shares)

    def _class_scores(self, X: Any) -> FloatArray:
        return self._of_classes(self._shares(X))

    def _of_classes(self, shares: FloatArray) -> FloatArray:
        """Return the probabilities of classes that exclude each other."""
        sums = shares.sum(axis=1, keepdims=True)
        return np.divide(shares, sums, out=np.full(shares.shape, 1 / self._n_labels), where=sums > 0)

    def _shares(self, X: Any) -> FloatArray:
        raise NotImplementedError  # abstract

    def _scores(self, X: Any) -> FloatArray:
        return self._shares(X)


class DecidingClassifier(ScoringClassifier):
    """Base of the classifiers by scores that are no probabilities; ``classes_`` has the numbers of the labels."""

    def decision_function(self, X: Any) -> Any:
        """Return the scores less ``thresholds_``, of the shape of ``predict``; above zero means present.

        With the decision "top-k", which has no thresholds, they are the scores less one half.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray of shape (n_samples, n_labels), or of shape (n_samples,)
            A vector where labels were a vector.
        """
        self._check_size(X)
        margins = self._margins(X)
        return margins[:, 0] if self._one_dimension and self._n_labels == 1 else margins

    def _class_scores(self, X: Any) -> FloatArray:
        return self._margins(X)

    def _margins(self, X: Any) -> FloatArray:
        scores = self._scores(X)
        return scores - self._levels


class NestedClassifier(LabelClassifier):
    """Base of the classifiers that predict from the first k features for many k at the cost of few."""

    def predict_nested(self, train: Any, labels: FloatArray, test: Any, sizes: Sequence[int]) -> Iterator[NDArray[Any]]:
        """Predict from the first k features for several ascending k, updating sums; `fit` is not needed.

        Parameters
        ----------
        train : ndarray of shape (n_train, n_features)
            Training features, most important column first.
        labels : ndarray of shape (n_train, n_labels)
            In {0, 1}, NaN where not known.
        test : ndarray of shape (n_test, n_features)
            Features to predict from.
        sizes : sequence of int
            Numbers of columns, ascending.

        Yields
        ------
        ndarray of shape (n_test, n_labels)
            For each size scores as of ``predict_scores``, or labels of classifiers without scores.

        Raises
        ------
        DataError
            If a parameter is out of range, there are too few rows, or a label is not known and the method needs all.
        """
        self._check_known(labels)
        yield from self._nested(train, labels, test, sizes)

    def _check_known(self, labels: FloatArray) -> None:
        """Refuse unknown labels where the method needs all; the error names the first."""
        if not self.takes_unknown_cells and np.isnan(labels).any():
            check_labels(labels)

    def _nested(self, train: Any, labels: FloatArray, test: Any, sizes: Sequence[int]) -> Iterator[NDArray[Any]]:
        raise NotImplementedError  # abstract


def fit_half(model: Any, X: Any, y: Any) -> FloatArray:
    """Fit a `ScoringClassifier` with the decision "half", and return held-out scores of the rows.

    Those of three folds where its class overrides ``fit`` or ``predict_scores``.
    """
    if has_shortcut(model, "_fit_half", "fit", "predict_scores"):
        return model._fit_half(X, y)
    model.set_params(decision="half").fit(X, y)
    return fold_predictions(model, X, y, lambda fitted, rows: fitted.predict_scores(rows))


def seeded(estimator: Any, random: np.random.RandomState) -> Any:
    """Return a copy of a classifier, with a seed where it takes one and has none."""
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")) or isinstance(estimator, type):
        raise DataError(f"estimator must be a classifier, such as LogisticRegression(); got {estimator!r}")
    made = clone(estimator)
    unset = [name for name, value in made.get_params().items() if name.endswith("random_state") and value is None]
    return made.set_params(**{name: random.randint(2**31 - 1) for name in sorted(unset)})


def narrow(features: Any) -> Any:
    """Return sparse features with indices of 32 bits, which is all that scikit-learn's k-means takes."""
    if not is_sparse(features):
        return features
    places = (part.astype(np.int32, copy=False) for part in (features.indices, features.indptr))
    return sp.csr_array((features.data, *places), shape=features.shape)
