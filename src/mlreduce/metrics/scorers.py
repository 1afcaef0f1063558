"""Measures of arrays, and scikit-learn scorers of them."""

from __future__ import annotations

from functools import partial, update_wrapper
from typing import Any

import numpy as np

from mlreduce.exceptions import DataError
from mlreduce.metrics.measures import find_measure
from mlreduce.metrics.outcome import Outcome
from mlreduce.validation import as_dense, check_known_labels, check_labels

__all__ = ["evaluate", "get_scorer"]


def evaluate(name: str, y_true: Any, y_pred: Any) -> float:
    """Return a multi-label measure of predicted labels, or of scores of the labels.

    Parameters
    ----------
    name : str
        Of `mlreduce.metrics.MEASURES`, such as "hamming-loss", "micro-f1", "instance-f1", "ranking-loss" or "coverage".
    y_true : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
        Labels in {0, 1} or {-1, 1}, NaN where not known: a measure is that of the known labels. Instances and labels
        of which nothing is known are left out.
    y_pred : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
        Labels; for measures that order labels (ranking loss, coverage, one error, average precision, areas under the
        ROC curve) numbers, the larger, the likelier the label: probabilities or decisions.

    Returns
    -------
    float
        Losses are positive: whether larger is better, `mlreduce.metrics.higher_is_better` says.

    Raises
    ------
    ConfigurationError
        If there is no such measure, or it is one of codes, which arrays of labels do not have.
    DataError
        If the shapes differ, a label is not 0/1 or -1/1, none is known, or a score is not finite.

    Warns
    -----
    UserWarning
        If a label is known of no instance.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.metrics import evaluate
    >>> evaluate("hamming-loss", [[1, 0, 0], [0, 1, 1]], [[1, 0, 1], [0, 1, 1]])
    0.16666666666666666
    >>> evaluate("ranking-loss", [[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.4], [0.5, 0.6, 0.4]])
    0.25
    >>> evaluate("hamming-loss", [[1, 0, np.nan], [0, 1, 1]], [[1, 0, 1], [0, 0, 1]])  # one of five is wrong
    0.2
    """
    chosen = find_measure(name)
    labels, known = check_known_labels(y_true)
    labels = labels.astype(np.int8) if known is None else np.where(known, labels, np.nan)
    given: Any = as_dense(y_pred) if chosen.needs == "scores" else check_labels(y_pred).astype(np.int8)
    if given.shape != labels.shape:
        raise DataError(f"y_true and y_pred must have the same shape; got {labels.shape} and {given.shape}")
    if chosen.needs != "scores":
        return chosen(Outcome.over_known(labels, given))
    if not np.isfinite(given).all():
        raise DataError(f"{name} orders labels by scores, and a score in y_pred is NaN or infinite")
    return chosen(Outcome.over_known(labels, np.zeros(labels.shape, dtype=np.int8), given))


def get_scorer(name: str) -> Any:
    """Return a measure as a scorer for scikit-learn's ``scoring=``; losses are negated, so that larger is better.

    Parameters
    ----------
    name : str
        As of `evaluate`. Measures that order labels use ``decision_function``, or else ``predict_proba``.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, a float.

    Raises
    ------
    ConfigurationError
        If there is no such measure, or it is one of codes.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.metrics import get_scorer
    >>> from sklearn.model_selection import cross_val_score
    >>> data = mlreduce.load_dataset("digits-300")
    >>> scores = cross_val_score(mlreduce.MLKNN(), data.X, data.Y, cv=3, scoring=get_scorer("ranking-loss"))
    >>> bool((scores < 0).all())
    True
    """
    from sklearn.metrics import make_scorer  # slow to import, and jobs of the workflow do not need it

    chosen = find_measure(name)
    if chosen.needs == "codes":
        raise chosen.lacking()
    response = ("decision_function", "predict_proba") if chosen.needs == "scores" else "predict"
    # With a name, which scikit-learn 1.6 shows of a scorer.
    function = update_wrapper(partial(evaluate, name), evaluate)
    return make_scorer(function, response_method=response, greater_is_better=chosen.higher_is_better)
