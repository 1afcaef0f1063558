"""Base of the label coders: fitting from statistics, encoding, decoding by rounding.

A linear coder depends on four statistics of the data: the number of rows, the mean of each label, the Gram
matrix of the centred labels ``Z'Z``, and what a regression on the features explains of it: ``Z'HZ`` for a linear one,
whose hat matrix is H. A method is the choice of directions it makes from these (`LabelCoder._directions`); the rest is
here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import Tags, TransformerTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.labelspace.statistics import (
    LabelStatistics,
    centred_product,
    check_pairs_of_labels,
    label_array,
    ordered_eigenvectors,
)
from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.gram import factorise
from mlreduce.linalg.least_squares import DEFAULT_RCOND
from mlreduce.linalg.utilities import above_half
from mlreduce.registry import has_shortcut
from mlreduce.validation import (
    FloatArray,
    as_dense,
    check_components,
    check_features,
    check_finite,
    check_fit_memory,
    check_known_labels,
    check_labels,
    check_memory,
    check_sample_weight,
    check_table,
    is_sparse,
    join_known,
    label_values,
    one_hot,
    remember_label_names,
    split_known,
)
from mlreduce.validation.estimator import Estimator

__all__ = ["LabelCoder", "LabelStatistics", "filled_in", "ordered_eigenvectors"]


def filled_in(features: Any, labels: Any, known: NDArray[np.bool_] | None) -> Any:
    """Fill in the labels that are not known by the features, as of `mlreduce.labelspace.completion.complete_labels`.

    ``features`` may be None. ``known`` is a mask of shape (n_samples, n_labels), or None where all labels are known,
    which are then returned as they are; labels are any number where not known.
    """
    if known is None:
        return labels
    from mlreduce.labelspace.completion import complete_labels  # ridge regression, which other labels need not load

    return complete_labels(features, labels, known)


def _is_transformer(coder: LabelCoder) -> bool:
    """Whether a coder is not fitted to features: then it would pass for one that transforms them."""
    if not getattr(coder, "_labels_alone", not coder.feature_aware):
        raise AttributeError(
            f"{type(coder).__name__} transforms labels where it was fitted to labels alone, fit(Y); after fit(X, Y) "
            "encode(Y) has the codes, and decode(codes) the labels"
        )
    return True


class LabelCoder(Estimator):
    """Base of the label coders.

    A code is ``t = V(y - mean)`` with the rows of V in ``components_``, most important first. Sizes are nested: the
    first m columns of a code are the code of size m, and `decode` takes codes of any size up to ``n_components_``.

    A method overrides `_directions`; one whose rows of V are not orthonormal overrides `_coordinates` too. One whose
    codes of the training rows are no linear map of the labels derives from `FactorCoder`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    rcond : float, default=1e-10
        Relative size below which a singular value of the features (with an intercept) counts as zero in the hat
        matrix. Only used by methods that use the features.

    Attributes
    ----------
    components_ : ndarray or csr_array of shape (n_components, n_labels)
        V; a CSR array where labels were sparse, each direction is one label, and its cells are more than 2**25.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the method's objective; 0 where it is nothing but rounding.
    mean_ : ndarray of shape (n_labels,)
        Means of the labels; those not known are filled in.
    n_components_, n_labels_ : int
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> from mlreduce.labelspace import LabelCoder
    >>> class LargestVariance(LabelCoder):
    ...     def _directions(self, statistics):
    ...         order = np.argsort(-statistics.gram.diagonal(), kind="stable")
    ...         return np.eye(len(order))[order], statistics.gram.diagonal()[order]
    >>> data = mlreduce.load_dataset("planted-300")
    >>> coder = LargestVariance(n_components=3).fit(None, data.Y)
    >>> coder.encode(data.Y).shape, coder.decode(coder.encode(data.Y)).shape
    ((300, 3), (300, 12))

    Codes of labels in scikit-learn's tools, of a coder that needs no features:

    >>> from sklearn.compose import TransformedTargetRegressor
    >>> from sklearn.linear_model import Ridge
    >>> model = TransformedTargetRegressor(Ridge(), transformer=mlreduce.PLST(n_components=4), check_inverse=False)
    >>> model.fit(data.X, data.Y).predict(data.X).shape
    (300, 12)
    """

    #: Whether codes are a linear map of the labels, so that predictions of labels have codes. Others keep the codes of
    #: the training rows, `training_codes`, for a predictor to be trained on.
    linear = True
    #: What a fit costs.
    complexity = Complexity("n q^2 + q^3", "n k + q^2")
    #: Whether `fit` needs the features at all.
    feature_aware = False
    #: Whether it uses them through kernel ridge regression, with the method's ``gamma`` and ``alpha``, instead of
    #: least squares: the directions then cannot come from a factorisation of the features that methods share.
    kernelised = False
    #: Whether single labels of an instance may be unknown: cells of NaN.
    takes_unknown_cells = True
    #: Whether codes may be shorter than the number of labels.
    reduces = True
    #: Whether decoded scores are far from frequencies, so that a classifier puts them on lines by held-out rows.
    calibrated = False
    #: Whether labels were a sparse matrix in `fit`, as decoded ones are then.
    _decodes_sparse = False
    #: Fitted arrays with an entry for each label, and on which axis.
    _by_label: ClassVar[Mapping[str, int]] = {"components_": 1, "mean_": 0}

    def __init__(self, n_components: int | str | None = None, rcond: float = DEFAULT_RCOND) -> None:
        self.n_components = n_components
        self.rcond = rcond

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the directions of the code.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
            Features. None is allowed where the method does not use them; so are the labels themselves, without ``y``.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None, default=None
            Labels in {0, 1} or {-1, 1}, NaN where not known. These are filled in first, by a ridge regression on the
            features that is repeated with what it filled in (``mlreduce.labelspace.completion.complete_labels``), or
            without features by the mean of the label. A label that is known nowhere has no part in the code, and is
            decoded as absent.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights >= 0 of the instances in means, covariances and regressions; an integer counts as so many equal
            rows. With weights all labels have to be known, and a ``solver`` is exact.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1, -1/1 or NaN, none is known, a weight is negative, a label is
            not known where there are weights, a parameter is out of range, or X is None for a method that uses the
            features.
        """
        if y is None:
            X, y = None, self._labels_in_place_of(X)
        check_fit_memory(self, X, y)
        if sample_weight is None:
            self._fit_checked(X, y)
            return self
        features, labels, known = self._checked(X, y)
        if known is not None:
            raise DataError("sample_weight needs labels that are all known; y holds NaN: leave such rows out")
        weights = check_sample_weight(sample_weight, labels.shape[0])
        assert weights is not None
        return self._fit_weighted(features, labels, weights)

    def _labels_in_place_of(self, X: Any) -> Any:
        """Return labels that were given alone."""
        missing = f"{type(self).__name__} requires y to be passed, but the target y is None"
        if self.feature_aware:
            raise DataError(f"{missing}: it is fitted to features and labels, fit(X, Y); PLST to labels alone, fit(Y)")
        try:
            check_known_labels(one_hot(X)[0], sparse=is_sparse(X))
        except DataError as error:
            raise DataError(f"{missing}. Labels alone may take the place of X, but: {error}") from error
        return X

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Fit, and return the codes of the training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
            Features, or the labels themselves, without ``y``.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None, default=None
            Labels.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Codes, most important column first.
        """
        return self._fit_codes(X, y) if y is not None else self._fit_codes(None, self._labels_in_place_of(X))

    @available_if(_is_transformer)  # type: ignore[untyped-decorator]
    def transform(self, Y: Any) -> FloatArray:
        """Return the codes of labels, as `encode`; of a coder that was fitted to labels alone.

        Parameters
        ----------
        Y : array-like or sparse matrix of shape (n_samples, n_labels)
            Labels in {0, 1} or {-1, 1}, all known.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Codes, most important column first.
        """
        return self.encode(Y)

    @available_if(_is_transformer)  # type: ignore[untyped-decorator]
    def inverse_transform(self, Z: Any) -> Any:
        """Return the labels of codes, as `decode`, in the values of `fit`; of a coder fitted to labels alone.

        Parameters
        ----------
        Z : array-like of shape (n_samples, size)
            Codes or predictions of codes, any size of 1..n_components.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_labels)
            In {0, 1} or {-1, 1}.
        """
        labels = self.decode(Z)
        if self._absent == 0:
            return labels
        signed = (2 * as_dense(labels) - 1).astype(np.int8)
        return sp.csr_array(signed) if is_sparse(labels) else signed

    def _fit_checked(self, X: Any, y: Any) -> Any:
        """Check and fit, and return the labels, those not known filled in."""
        features, labels, known = self._checked(X, y)
        if known is None:
            self._fit(features, labels)
            return labels
        completed = filled_in(features, labels, known)
        self._fit_completed(features, completed, np.asarray(known.any(axis=0)))
        return completed

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any, NDArray[np.bool_] | None]:
        """Check features and labels, and return them and which labels are known, None for all."""
        if X is None and self.feature_aware:
            raise DataError(f"{type(self).__name__} needs the features: X must not be None")
        features = None if X is None else check_features(self, X, reset=True)
        y, sparse = one_hot(y)[0], is_sparse(y)
        labels, known = check_known_labels(y, None if features is None else features.shape[0], sparse=sparse)
        remember_label_names(self, y)
        self._labels_alone, self._absent = X is None, int(label_values(y)[0])
        self._decodes_sparse = is_sparse(labels)
        return features, labels, known

    def _fit_completed(self, features: Any, labels: FloatArray, somewhere: NDArray[np.bool_]) -> Self:
        """Fit to labels that are filled in, and have zeros for those that are known nowhere."""
        some = np.flatnonzero(somewhere)
        self._fit(features, labels[:, some])
        if len(some) < labels.shape[1]:
            self._widen(some, labels.shape[1])
        return self

    def _widen(self, fitted: NDArray[np.intp], n_labels: int) -> None:
        """Have zeros for the labels that are known nowhere, from a fit to the others."""
        self.n_labels_ = n_labels
        for name, axis in self._by_label.items():
            values = np.moveaxis(getattr(self, name), axis, 0)
            widened = np.zeros((n_labels, *values.shape[1:]))
            widened[fitted] = values
            setattr(self, name, np.moveaxis(widened, 0, axis))

    def _fit(self, features: Any, labels: Any) -> Self:
        """Fit to checked features and labels, those not known filled in by numbers from 0 to 1.

        Overridden by methods that statistics are not enough for.
        """
        return self.fit_statistics(self._statistics(features, labels))

    def _fit_weighted(self, features: Any, labels: Any, weights: FloatArray) -> Self:
        """Fit to checked features and labels of instances that have weights."""
        used = features if self.feature_aware else None
        return self.fit_statistics(LabelStatistics.weighted(labels, weights, used, self.rcond))

    def _fit_codes(self, X: Any, y: Any) -> FloatArray:
        """Do as `fit`, and return the codes of the training rows."""
        if has_shortcut(self, "_fit_codes", "fit") and has_shortcut(self, "_codes_of", "encode", "training_codes"):
            return self._codes_of(self._fit_checked(X, y))
        return self.fit(X, y).codes_for_training(join_known(*check_known_labels(y, sparse=is_sparse(y))), X)

    def codes_for_training(self, labels: Any, features: Any = None) -> FloatArray:
        """Return what `training_codes` does, or `encode` where the class overrides that alone.

        Parameters
        ----------
        labels : ndarray or csr_array of shape (n_samples, n_labels)
            Those of `fit`, in {0, 1}; of an array NaN where not known.
        features : ndarray or csr_array of shape (n_samples, n_features), or None, default=None
            Those of `fit`, by which labels that are not known are filled in.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Codes of the training rows.
        """
        if has_shortcut(self, "training_codes", "encode"):
            return self.training_codes(labels, features)
        return self.encode(labels)

    @property
    def projects_predictions(self) -> bool:
        """Whether the codes of predicted labels are predictions of the codes, which the class may override."""
        return self.linear and has_shortcut(self, "linear", "encode", "project", "training_codes")

    @property
    def decodes_itself(self) -> bool:
        """Whether the class overrides how codes become labels."""
        return not has_shortcut(self, "reconstruct_sizes", "decode", "reconstruct", "round")

    @property
    def shares_statistics(self) -> bool:
        """Whether `fit_statistics` does what `fit` does, from statistics that methods share."""
        return self.linear and not self.kernelised

    def _statistics(self, features: Any, labels: Any) -> LabelStatistics:
        """Return the statistics; overridden by methods whose regression is not least squares."""
        statistics = LabelStatistics.from_labels(labels)
        if not self.feature_aware:
            return statistics
        check_pairs_of_labels(labels.shape[1])
        table = label_array(labels, type(self).__name__)
        return statistics.with_explained(factorise(features, self.rcond).explained_gram(table))

    def fit_statistics(self, statistics: LabelStatistics) -> Self:
        """Choose the directions from the statistics of a training set, shared between methods.

        Parameters
        ----------
        statistics : LabelStatistics
            Of the training set.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If ``n_components`` is out of range, or the method needs ``explained`` and it is None.
        """
        statistics = self._taken(statistics)
        self._begin(statistics.mean)
        return self._keep(*self._directions(statistics))

    def _taken(self, statistics: LabelStatistics) -> LabelStatistics:
        """Return the statistics that the directions are taken of; overridden by methods that can do without a mean."""
        return statistics

    def _begin(self, mean: FloatArray) -> None:
        self.n_labels_ = len(mean)
        self.n_components_ = check_components(self.n_components, self.n_labels_, "labels")
        self.mean_ = mean

    def _keep(self, components: Any, eigenvalues: FloatArray) -> Self:
        self.components_ = components[: self.n_components_]
        self.eigenvalues_ = eigenvalues[: self.n_components_]
        return self

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        """Return directions as rows, most important first, and their eigenvalues: at least ``n_components_``."""
        raise NotImplementedError  # abstract: a coder is this choice

    def encode(self, Y: Any) -> FloatArray:
        """Return the codes of labels, shape (n_samples, n_components).

        Parameters
        ----------
        Y : array-like or sparse matrix of shape (n_samples, n_labels)
            Labels in {0, 1} or {-1, 1}, all known.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Codes ``V(y - mean)``, most important column first.

        Raises
        ------
        DataError
            If a label is not 0/1 or -1/1, or there are not as many labels as in `fit`.
        """
        return self.project(check_labels(Y, sparse=is_sparse(Y)))

    def project(self, scores: Any) -> FloatArray:
        """Return the codes of real-valued labels, such as a regressor's predictions of {0, 1}.

        The code of a prediction of labels is the prediction of their code, for every regressor that is linear in its
        targets.

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
        return centred_product(scores, self.mean_, self.components_)

    def training_codes(self, labels: Any, features: Any = None) -> FloatArray:
        """Return the codes of the training rows, for a predictor to be trained on.

        Parameters
        ----------
        labels : ndarray or csr_array of shape (n_samples, n_labels)
            Those of `fit`, in {0, 1}; of an array NaN where not known.
        features : ndarray or csr_array of shape (n_samples, n_features), or None, default=None
            Those of `fit`, by which labels that are not known are filled in.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their codes.
        """
        labels, known = split_known(labels)
        return self._codes_of(filled_in(features, labels, known))

    def _codes_of(self, labels: Any) -> FloatArray:
        """Return the codes of the training rows from their labels, those not known filled in."""
        return self.project(labels)

    def reconstruct(self, codes: FloatArray) -> FloatArray:
        """Reconstruct centred labels ``z`` from codes of any size up to ``n_components_``.

        Parameters
        ----------
        codes : ndarray of shape (n_samples, size)
            Codes or predictions of codes.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Labels less their training means.
        """
        size = codes.shape[1]
        return next(self.reconstruct_sizes(codes, [size]))

    def reconstruct_sizes(self, codes: FloatArray, sizes: Sequence[int]) -> Iterator[FloatArray]:
        """Reconstruct from the first columns of a code, for several ascending sizes at the cost of the largest.

        Each array is updated in place to the next: use it before advancing the iterator.

        Parameters
        ----------
        codes : ndarray of shape (n_samples, n_columns)
            Codes or predictions of codes.
        sizes : sequence of int
            Ascending, each in 1..n_columns.

        Yields
        ------
        ndarray of shape (n_samples, n_labels)
            Labels less their training means, for each size.

        Raises
        ------
        DataError
            If a size is larger than the code is long.
        """
        self._check_sizes(codes, sizes)
        coordinates, basis = self._coordinates(codes)
        centred = np.zeros((len(codes), self.n_labels_))
        start = 0
        for size in sizes:
            centred += coordinates[:, start:size] @ basis[start:size]
            start = size
            yield centred

    def _coordinates(self, codes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return coordinates of codes and a basis; the first m of each reconstruct from the first m columns."""
        return codes, self.components_

    def decode(self, codes: Any) -> Any:
        """Decode labels in {0, 1} by rounding (round-based decoding).

        Parameters
        ----------
        codes : array-like of shape (n_samples, size)
            Codes or predictions of codes, any size of 1..n_components.

        Returns
        -------
        Y : ndarray or csr_array of shape (n_samples, n_labels), int8
            1 where the reconstructed label is above one half (`mlreduce.linalg.utilities.TIE`). A CSR array, made in
            blocks of rows, where `fit` saw a sparse matrix of labels.
        """
        codes = self._check_codes(codes)
        size = codes.shape[1]
        if not self._decodes_sparse:
            return self.round(self.reconstruct(codes), size)
        blocks = row_blocks(len(codes), self.n_labels_)
        decoded = [sp.csr_array(self.round(self.reconstruct(codes[rows]), size)) for rows in blocks]
        return sp.csr_array(sp.vstack(decoded, format="csr"))

    def round(self, centred: FloatArray, size: int) -> NDArray[np.int8]:
        """Round reconstructed labels to {0, 1}.

        Parameters
        ----------
        centred : ndarray of shape (n_samples, n_labels)
            Labels less their training means, as of `reconstruct`.
        size : int
            Length of the code that they are from.

        Returns
        -------
        ndarray of shape (n_samples, n_labels), int8
            Labels.
        """
        return above_half(self.scores(centred, size))

    def scores(self, centred: FloatArray, size: int) -> FloatArray:
        """Return reconstructed labels: the larger, the likelier.

        Parameters
        ----------
        centred : ndarray of shape (n_samples, n_labels)
            Labels less their training means, as of `reconstruct`.
        size : int
            Length of the code that they are from.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Scores, of which rounding predicts those above one half.
        """
        return centred + self.mean_

    def _check_labels(self, scores: Any) -> None:
        check_is_fitted(self, "components_")
        if scores.shape[1] != self.n_labels_:
            raise DataError(f"Y has {scores.shape[1]} labels; {type(self).__name__} was fitted on {self.n_labels_}")

    def _check_sizes(self, codes: FloatArray, sizes: Sequence[int]) -> None:
        what = f"a table of {len(codes)} rows and {self.n_labels_} labels"
        check_memory(2 * 8.0 * len(codes) * self.n_labels_, what, "take fewer rows at once")
        if max(sizes) > codes.shape[1]:
            raise DataError(
                f"a size of {max(sizes)} was requested, but the code is {codes.shape[1]} long (n_components)"
            )

    def _check_codes(self, codes: Any) -> FloatArray:
        check_is_fitted(self, "components_")
        check_table(codes, "codes")
        array = np.asarray(codes, dtype=np.float64)
        if array.ndim != 2 or not 1 <= array.shape[1] <= self.n_components_:
            raise DataError(
                f"codes must have the shape (n_samples, size) with a size of 1..{self.n_components_}; got {array.shape}"
            )
        check_finite(array, what="codes")
        return array
