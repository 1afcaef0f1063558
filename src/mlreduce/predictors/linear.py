"""Linear regression with many targets."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DegenerateWarning, warn
from mlreduce.linalg.gram import factorise
from mlreduce.linalg.least_squares import DEFAULT_RCOND, Design, HeldOutLeastSquares
from mlreduce.linalg.utilities import joined, known_together, map_columns, rows_of
from mlreduce.predictors._base import Regressor
from mlreduce.registry import register
from mlreduce.validation import FloatArray, as_dense, known_targets

# Entries of a sparse matrix up to which predictions are made from a dense copy (1 GB).
_COPIED = 2**27

# Rows from which an exact fit gets a warning.
_MANY_ROWS = 100


@register("linear")
class LinearRegressor(Regressor):
    """Linear regression by least squares with an intercept, of minimum norm.

    The design is ``[1 X]``, so that the intercept counts in the norm; where the design has full column rank this is
    ordinary least squares. A target that is NaN somewhere is that of a fit to the other rows. With as many features as
    rows the targets are fitted exactly, which a warning says from 100 rows on.

    Parameters
    ----------
    rcond : float, default=1e-10
        Relative size below which a singular value of the design counts as zero; in [0, 1).

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features) or (n_features,)
    intercept_ : ndarray of shape (n_targets,) or float
    rank_ : int or None
        Numerical rank of the design; None where it was not decomposed, or targets are known in different rows.

    Notes
    -----
    A sparse matrix of more than 6000 rows and features is solved by LSQR iteration: singular values are not cut off.

    References
    ----------
    Chen and Lin (2012), section 3: ``W' = X^+ ZV'``.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.LinearRegressor().fit(data.X, data.Y)
    >>> model.coef_.shape, model.intercept_.shape, model.rank_
    ((12, 30), (12,), 31)
    """

    linear = True
    takes_unknown_cells = True
    takes_sparse_targets = True
    complexity = Complexity(
        "n d m + m^3 + n d q", "n d + 4 m^2 + d q", iterated="1000 s q", iterates_on="sparse", least_bytes=2
    )

    def __init__(self, rcond: float = DEFAULT_RCOND) -> None:
        self.rcond = rcond

    def _fit_weighted(self, features: Any, targets: Any, weights: FloatArray) -> None:
        table = known_targets(targets)
        roots = np.sqrt(weights)[:, np.newaxis]
        design = roots * np.column_stack([np.ones(len(roots)), as_dense(features)])
        coefficients, _, self.rank_, _ = scipy.linalg.lstsq(design, roots * table.reshape(len(roots), -1), self.rcond)
        self._keep(coefficients, targets.ndim)

    def _fit(self, features: Any, targets: Any) -> None:
        table = targets.reshape(targets.shape[0], -1)
        parts = []
        for rows, columns in known_together(table):
            design = factorise(rows_of(features, rows), self.rcond)
            parts.append((columns, map_columns(design.coefficients, table[rows][:, columns])))
        self.rank_ = design.rank if len(parts) == 1 else None
        if self.rank_ is not None and self.rank_ == targets.shape[0] >= _MANY_ROWS:
            warn(
                f"LinearRegressor: {features.shape[1]} features fit the targets of all {targets.shape[0]} rows "
                "exactly; RidgeRegressor chooses a penalty, and fewer features help, too",
                DegenerateWarning,
            )
        self._keep(joined(parts, table.shape[1]), targets.ndim)

    def _keep(self, coefficients: FloatArray, ndim: int) -> None:
        self.coef_, self.intercept_ = coefficients[1:].T, coefficients[0]
        if ndim == 1:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])

    def held_out(self, design: Design, targets: FloatArray) -> HeldOutLeastSquares:
        """Return this regression for many splits of the rows behind a design; see `HeldOutLeastSquares.solve`.

        Only for predictors that are linear in their targets: training on ``T A`` gives the predictions of training
        on ``T``, times ``A``, so that one solution per split serves the codes of every method.

        Parameters
        ----------
        design : Design
            The factorised design of all rows.
        targets : ndarray of shape (n_samples, n_targets)
            Of all rows.

        Returns
        -------
        HeldOutLeastSquares
            Predictions for any rows by a regression on the others.
        """
        return HeldOutLeastSquares(design, targets, self.rcond)

    def _predict(self, features: Any) -> FloatArray:
        if features.shape[0] * features.shape[1] <= _COPIED:  # the same digits whatever the storage
            features = as_dense(features)
        return features @ self.coef_.T + self.intercept_
