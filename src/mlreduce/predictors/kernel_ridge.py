"""Kernel ridge regression with many targets."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.linalg.contents import order_by_content
from mlreduce.linalg.kernels import (
    RidgeSolution,
    check_gamma,
    check_kernel_size,
    choose_alpha,
    gaussian_kernel,
    kernel_ridge,
    squared_distances,
)
from mlreduce.linalg.utilities import known_together, scaled
from mlreduce.predictors._base import Regressor
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_regression, known_targets


@register("kernel-ridge")
class KernelRidgeRegressor(Regressor):
    """Kernel ridge regression with the Gaussian kernel ``exp(-gamma ||x - x'||^2)``.

    Targets are centred: the larger the penalty, and the farther a row from those of training, the nearer its
    predictions are to the targets' means.

    Parameters
    ----------
    gamma : float or None, default=None
        Width of the kernel, > 0: the larger, the narrower. None means 1 over the mean squared distance of two training
        rows.
    alpha : float or "loo", default="loo"
        Strength of the penalty on the squared norm of the regression function, > 0. "loo" compares 1e-5 to 1000, two
        per decade, by the exact error of leaving out each row, of 1500 rows where there are more.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples, n_targets) or (n_samples,)
        ``(K + alpha I)^-1 T`` for the kernel matrix K of the training rows and the targets T less their means; of a
        target that is NaN somewhere those of the other rows, and 0.
    intercept_ : ndarray of shape (n_targets,), or float
        The targets' means where they are known, which are added to what the kernel predicts.
    X_fit_ : ndarray or csr_array of shape (n_samples, n_features)
        The training rows.
    gamma_ : float
        The width itself, whatever ``gamma`` is.
    alpha_ : float, or ndarray of shape (n_targets,) where some are NaN
        The penalty itself, whatever ``alpha`` is.
    edge_ : {"lowest", "highest"} or None
        Which end of the penalties compared was chosen, if any.

    References
    ----------
    Saunders, Gammerman and Vovk (1998), "Ridge regression learning algorithm in dual variables"; Chen and Lin (2012),
    equation (7).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> X, X_test, Y = data.X[:1200], data.X[1200:], data.Y[:1200]
    >>> model = mlreduce.make("kernel-ridge", alpha=0.1).fit(X, Y)
    >>> float(((model.predict(X_test) > 0.5) == data.Y[1200:]).mean().round(1))
    1.0
    """

    complexity = Complexity("n s + n^3 + n^2 q", "n^2 + n q")
    takes_unknown_cells = True
    alpha_: Any
    _fitted = "dual_coef_"

    def __init__(self, gamma: float | None = None, alpha: float | str = "loo") -> None:
        self.gamma = gamma
        self.alpha = alpha

    def _fit_weighted(self, features: Any, targets: Any, weights: FloatArray) -> None:
        table, roots = known_targets(targets), np.sqrt(weights)
        kernel = self._kernel(features, table, weights)
        self.X_fit_, self.intercept_ = features, weights @ table / weights.sum()
        centred = scaled((table - self.intercept_).reshape(len(roots), -1), roots)
        solution = kernel_ridge(scaled(kernel, roots, roots), self.alpha_, centred)
        self.dual_coef_ = scaled(solution.coefficients, roots).reshape(table.shape)

    def _fit(self, features: Any, targets: Any) -> None:
        self._solve(features, targets)

    def _fit_left_out(self, X: Any, y: Any) -> FloatArray | None:
        features, targets = check_regression(self, X, y)
        solution = self._solve(features, targets, leaving_out=True)
        left = None if solution is None else solution.left
        if solution is None or left is None or left.min() <= 0 or len(left) == 1:
            return None
        # The mean of the others differs from that of all, which shifts their targets by the same number.
        table, rest = targets.reshape(len(left), -1), solution.residual
        shifts = (table - self.intercept_) / (len(left) - 1)
        return table - (rest[:, :-1] + shifts * rest[:, -1:]) / left[:, np.newaxis]

    def _solve(self, features: Any, targets: FloatArray, leaving_out: bool = False) -> RidgeSolution | None:
        """Fit, and return the solution; None where targets are not all known."""
        kernel = self._kernel(features, targets)
        self.X_fit_, table = features, targets.reshape(len(targets), -1)
        if np.isnan(table).any():
            coefficients, means = np.zeros(table.shape), np.zeros(table.shape[1])
            alphas = np.zeros(table.shape[1])
            for rows, columns in known_together(table):
                known = table[rows][:, columns]
                means[columns] = known.mean(axis=0)
                inner = kernel[np.ix_(rows, rows)]
                alphas[columns], self.edge_ = self._choose(features[rows], inner, known)
                part = kernel_ridge(inner, alphas[columns][0], known - means[columns])
                coefficients[np.ix_(rows, columns)] = part.coefficients
            self.intercept_, self.alpha_ = (means, alphas) if targets.ndim == 2 else (float(means[0]), float(alphas[0]))
            self.dual_coef_ = coefficients.reshape(targets.shape)
            return None
        self.intercept_ = targets.mean(axis=0)
        centred = (targets - self.intercept_).reshape(len(targets), -1)
        columns = np.column_stack([centred, np.ones(len(centred))]) if leaving_out else centred
        solution = kernel_ridge(kernel, self.alpha_, columns, leaving_out=leaving_out)
        self.dual_coef_ = solution.coefficients[:, : centred.shape[1]].reshape(targets.shape)
        return solution

    def _kernel(self, features: Any, targets: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """Return the kernel of the training rows, and choose width and penalty."""
        self.gamma_ = check_gamma(self.gamma, features, weights)
        check_kernel_size(features.shape[0])
        kernel = gaussian_kernel(squared_distances(features), self.gamma_, overwrite=True)
        table = targets.reshape(len(targets), -1)
        if not np.isnan(table).any():
            self.alpha_, self.edge_ = self._choose(features, kernel, table, weights)
        return kernel

    def _choose(self, features: Any, kernel: FloatArray, table: FloatArray, weights: Any = None) -> Any:
        """Return the penalty, and which end of those compared it is, if any."""
        return choose_alpha(self.alpha, kernel, table, partial(order_by_content, features, table), weights)

    def on_split(self, X_train: Any, labels: FloatArray, X_test: Any) -> HeldOutKernelRidge:
        """Return this regression for one split and many parameters.

        Only for predictors that are linear in their targets: training on ``T A`` gives the predictions of training
        on ``T``, times ``A``, so that one solution serves the codes of every method that has the same parameters.

        Parameters
        ----------
        X_train : ndarray or csr_array of shape (n_train, n_features)
            Training rows.
        labels : ndarray of shape (n_train, n_labels)
            Targets of the training rows, of which those of every method are combinations.
        X_test : ndarray or csr_array of shape (n_test, n_features)
            Rows to predict.

        Returns
        -------
        HeldOutKernelRidge
            The decomposed kernel of the training rows, and that of the test rows with them.
        """
        return HeldOutKernelRidge(X_train, labels, X_test)

    def _predict(self, features: Any) -> FloatArray:
        kernel = gaussian_kernel(squared_distances(features, self.X_fit_), self.gamma_, overwrite=True)
        return kernel @ self.dual_coef_ + self.intercept_


class HeldOutKernelRidge:
    """Kernel ridge regression of one split for many widths and penalties.

    Distances are computed once, and solutions are cached per pair of parameters. Targets are the labels less their
    mean.
    """

    def __init__(self, X_train: Any, labels: FloatArray, X_test: Any) -> None:
        self._mean, self._rows = labels.mean(axis=0), X_train
        self._centred = labels - self._mean
        self._training, self._crossed = squared_distances(X_train), squared_distances(X_test, X_train)
        self._solved: dict[tuple[float, float | str], FloatArray] = {}

    def predictions(self, gamma: float | None, alpha: float | str) -> FloatArray:
        """Return the predictions of training on centred labels plus the mean, shape (n_test, n_labels).

        Raises DataError if ``gamma`` is not a number > 0, or ``alpha`` neither that nor "loo".
        """
        width = check_gamma(gamma, self._rows)
        if (width, alpha) not in self._solved:
            kernel = gaussian_kernel(self._training, width)
            order = partial(order_by_content, self._rows, self._centred)
            penalty, _ = choose_alpha(alpha, kernel, self._centred, order)
            coefficients = kernel_ridge(kernel, penalty, self._centred).coefficients
            self._solved[width, alpha] = gaussian_kernel(self._crossed, width) @ coefficients + self._mean
        return self._solved[width, alpha]
