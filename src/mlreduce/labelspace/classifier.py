"""A multi-label classifier from a label coder and a regressor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError
from mlreduce.labelspace.base import LabelCoder
from mlreduce.labelspace.cplst import CPLST
from mlreduce.linalg.distances import row_blocks
from mlreduce.predictors._base import DecidingClassifier
from mlreduce.predictors.decision import fit_left_out
from mlreduce.predictors.ridge import RidgeRegressor
from mlreduce.validation import FloatArray, as_dense, check_features

# Variance of scores, relative to their mean square, below which they are constant.
_FLAT = 1e-12


class Calibration(NamedTuple):
    """Lines by which decoded scores of each label are those that least squares regression on them gives.

    A line whose slope would be negative is flat: the score is then the frequency of the label.
    """

    #: Of shape (n_labels,).
    slope: FloatArray
    intercept: FloatArray

    @classmethod
    def from_blocks(cls, blocks: Iterable[tuple[FloatArray, FloatArray]]) -> Self:
        """Return the lines for labels, NaN where not known, and held-out scores, both in blocks of rows."""
        sums: Any = 0.0
        for labels, scores in blocks:
            known = ~np.isnan(labels)
            y, s = np.where(known, labels, 0.0), np.where(known, scores, 0.0)
            sums = sums + np.stack(
                [known.sum(axis=0), y.sum(axis=0), s.sum(axis=0), (s * y).sum(axis=0), (s * s).sum(axis=0)]
            )
        number = np.maximum(sums[0], 1)
        frequency, mean = sums[1] / number, sums[2] / number
        together, spread = sums[3] / number - frequency * mean, sums[4] / number - mean * mean
        varies = spread > _FLAT * (sums[4] / number)
        slope = np.where(varies, np.maximum(together, 0.0) / np.where(varies, spread, 1.0), 0.0)
        return cls(slope, frequency - slope * mean)

    def apply(self, scores: FloatArray) -> FloatArray:
        """Return the scores on the lines."""
        return scores * self.slope + self.intercept


class CodedClassifier(DecidingClassifier):
    """Multi-label classifier that learns codes of the labels instead of the labels.

    The coder is fitted on features and labels, then the regressor on features and codes. It works in `Pipeline` and
    `GridSearchCV`; the parts' parameters are ``coder__n_components``, ``regressor__...``.

    Parameters
    ----------
    coder : LabelCoder or None, default=None
        Any method of ``mlreduce.list_methods("labelspace")``; None is CPLST with all components.
    regressor : estimator or None, default=None
        Any multi-output regressor; None is `mlreduce.RidgeRegressor`, whose penalty is chosen by leave-one-out errors.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="one-threshold"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`.
        ``"half"`` rounds, as the paper does.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.

    Attributes
    ----------
    coder_, regressor_ : fitted clones
    calibration_ : Calibration or None
        Lines from decoded to returned scores, for coders that leave labels without a score (PBR, CS, MLC-BMaD) and
        decisions but ``"half"``: slope and intercept of a least squares regression of each label on its held-out
        scores. Of a label that its scores say nothing of the score is the frequency.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels,)
        The numbers of the labels; 0 and 1 where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Thresholds are chosen on codes that the regressor predicts of rows which it was not trained on, decoded by the coder
    of all rows: exactly, at less than one more fit of the regressor, for ridge and kernel ridge; from three folds for
    others, and for sparse matrices that are too large to be decomposed.

    References
    ----------
    Chen and Lin (2012), algorithm 1, which has minimum-norm least squares (`mlreduce.LinearRegressor`) and rounds.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.labelspace import CodedClassifier
    >>> data = mlreduce.load_dataset("digits")
    >>> model = CodedClassifier(mlreduce.CPLST(n_components=4)).fit(data.X[:1200], data.Y[:1200])
    >>> model.predict(data.X[1200:]).shape
    (597, 8)
    >>> bool(0.2 < model.thresholds_[0] < 0.5)  # above it a label is predicted
    True
    """

    takes_unknown_cells = True

    calibration_: Calibration | None

    def __init__(
        self,
        coder: LabelCoder | None = None,
        regressor: Any = None,
        decision: str = "one-threshold",
        measure: str = "micro-f1",
    ) -> None:
        self.coder = coder
        self.regressor = regressor
        self.decision = decision
        self.measure = measure

    def _fit(self, features: Any, labels: Any) -> None:
        codes = self._fit_coder(features, labels)
        self.regressor_.fit(features, codes)

    def _fit_left_out(self, features: Any, labels: FloatArray) -> FloatArray:
        codes = self._fit_coder(features, labels)
        left_out = fit_left_out(self.regressor_, features, codes)
        if self.coder_.calibrated:
            self.calibration_ = Calibration.from_blocks([(labels, self._decoded(left_out))])
        return self._decoded(left_out)

    def _fit_held_out_blocks(self, features: Any, labels: Any) -> Callable[[], Iterator[tuple[slice, FloatArray]]]:
        """Fit to sparse labels, and return what yields the scores of `_fit_left_out` in blocks of rows."""
        codes = self._fit_coder(features, labels)
        left_out = fit_left_out(self.regressor_, features, codes)
        blocks = list(row_blocks(*labels.shape))
        if self.coder_.calibrated:
            parts = ((labels[rows].toarray(), self._decoded(left_out[rows])) for rows in blocks)
            self.calibration_ = Calibration.from_blocks(parts)
        return lambda: ((rows, self._decoded(left_out[rows])) for rows in blocks)

    def _fit_coder(self, features: Any, labels: Any) -> FloatArray:
        """Fit the coder, and return the codes of the training rows."""
        if self.coder is not None and not isinstance(self.coder, LabelCoder):
            raise DataError(
                "coder must be a label coder of mlreduce.list_methods('labelspace'), as mlreduce.CPLST(), or None; "
                f"got {self.coder!r}"
            )
        regresses = hasattr(self.regressor, "get_params") and hasattr(self.regressor, "predict")
        if self.regressor is not None and (
            isinstance(self.regressor, type) or not regresses or is_classifier(self.regressor)
        ):
            raise DataError(
                "regressor must be a regressor, since codes are real numbers, as mlreduce.RidgeRegressor(), or None; "
                f"got {self.regressor!r}"
            )
        self.calibration_ = None
        self.coder_ = clone(self.coder) if self.coder is not None else CPLST()
        self.regressor_ = clone(self.regressor) if self.regressor is not None else RidgeRegressor()
        return self.coder_._fit_codes(features, labels)

    def _scores(self, X: Any) -> FloatArray:
        """Return the labels decoded from predicted codes, before rounding."""
        check_is_fitted(self, "regressor_")
        return self._decoded(np.asarray(self.regressor_.predict(check_features(self, X, reset=False))))

    def _predicted(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self, "regressor_")
        if not self.coder_.decodes_itself:
            return super()._predicted(X)
        codes = np.asarray(self.regressor_.predict(check_features(self, X, reset=False)))
        return as_dense(self.coder_.decode(codes.reshape(len(codes), -1)))

    def _decoded(self, codes: FloatArray) -> FloatArray:
        codes = self.coder_._check_codes(codes.reshape(len(codes), -1))
        scores = self.coder_.scores(self.coder_.reconstruct(codes), codes.shape[1])
        return scores if self.calibration_ is None else self.calibration_.apply(scores)
