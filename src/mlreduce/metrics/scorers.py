"""Measures of arrays, and scikit-learn scorers of them."""

from __future__ import annotations

from functools import partial, update_wrapper
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlreduce.exceptions import DataError
from mlreduce.metrics.measures import find_measure
from mlreduce.metrics.outcome import Outcome, check_ties
from mlreduce.validation import as_dense, check_known_labels, check_labels, check_table, is_sparse


def evaluate(name: str, y_true: Any, y_pred: Any, *, propensity: Any = None, ties: str = "standard") -> float:
    """Return a multi-label measure of predicted labels, or of scores of the labels.

    Parameters
    ----------
    name : str
        Of `mlreduce.metrics.MEASURES`, such as "hamming-loss", "micro-f1", "instance-f1", "ranking-loss" or "coverage".
    y_true : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
        Labels in {0, 1} or {-1, 1}, NaN where not known: a measure is that of the known labels. Instances and labels
        of which nothing is known are left out. What is sparse, here and in ``y_pred``, stays so.
    y_pred : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
        Labels; for measures that order labels (ranking loss, coverage, one error, average precision, areas under the
        ROC curve) numbers, the larger, the likelier the label: probabilities or decisions. Measures of the first labels
        (precision-at-5, ...) take a sparse matrix that stores the best ones of each instance.
    propensity : array-like of shape (n_labels,) or None, default=None
        For propensity-scored measures (psp-at-5, ...): `mlreduce.metrics.propensities` of the training labels.
    ties : {"standard", "expected"}, default="standard"
        How measures of scores count labels that tie. "standard" is the rule that is usual for each: a tie is an error,
        as in scikit-learn; half an error for areas under the ROC curve; one threshold for micro-auprc; and measures of
        the first labels take the first of equal labels. Only equal scores tie. "expected" is the mean over all orders
        of labels that tie, in closed form. Scores tie with it that are next to each other in descending order and
        differ by at most 1e-9 of the range of the scores of the instance (of the label for macro-auc, of all scores for
        micro-auc and micro-auprc), or 1e-12 of the range of all scores. So scores that differ by rounding errors alone
        have the same measures, whatever the rounding. Chains of ties are one tie.

    Returns
    -------
    float
        Losses are positive: see `mlreduce.metrics.higher_is_better` for the direction.

    Raises
    ------
    ConfigurationError
        If there is no such measure or rule for ties, or the measure is one of codes, which arrays of labels do not
        have.
    DataError
        If the shapes differ, a label is not 0/1 or -1/1, none is known, or a score is not finite; the sentence names
        ``y_true`` or ``y_pred``.

    Warns
    -----
    UserWarning
        If a label is known of no instance.
    UndefinedMetricWarning
        If an area under the ROC curve is undefined, which is NaN then, or is that of some labels alone.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.metrics import evaluate
    >>> evaluate("hamming-loss", [[1, 0, 0], [0, 1, 1]], [[1, 0, 1], [0, 1, 1]])
    0.16666666666666666
    >>> evaluate("ranking-loss", [[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.4], [0.5, 0.6, 0.4]])
    0.25
    >>> evaluate("average-precision", [[0, 1]], [[0.5, 0.5]]), evaluate(
    ...     "average-precision", [[0, 1]], [[0.5, 0.5]], ties="expected"
    ... )
    (0.5, 0.75)
    >>> evaluate("hamming-loss", [[1, 0, np.nan], [0, 1, 1]], [[1, 0, 1], [0, 0, 1]])  # one of five is wrong
    0.2
    """
    chosen = find_measure(name)
    check_ties(ties)
    labels, known = check_known_labels(y_true, sparse=is_sparse(y_true), what="y_true")
    labels = labels.astype(np.int8) if known is None else np.where(known, labels, np.nan)
    check_table(y_pred, "y_pred")
    given: Any
    if chosen.orders:
        try:
            given = sp.csr_array(y_pred, dtype=np.float64) if is_sparse(y_pred) else as_dense(y_pred)
        except (TypeError, ValueError):
            raise DataError(f"{name} orders labels by scores, and y_pred holds no table of numbers") from None
    else:
        given = check_labels(y_pred, sparse=is_sparse(y_pred), what="y_pred").astype(np.int8)
    if given.shape != labels.shape:
        raise DataError(f"y_true and y_pred must have the same shape; got {labels.shape} and {given.shape}")
    if not chosen.orders:
        return chosen(Outcome.over_known(labels, given))
    if not np.isfinite(given.data if is_sparse(given) else given).all():
        raise DataError(f"{name} orders labels by scores, and a score in y_pred is NaN or infinite")
    if propensity is not None:
        propensity = np.asarray(propensity, dtype=np.float64)
        if propensity.shape != labels.shape[1:] or not ((propensity > 0) & (propensity <= 1)).all():
            raise DataError(
                f"propensity must hold a number in (0, 1] for each of the {labels.shape[1]} labels, as "
                "mlreduce.metrics.propensities does"
            )
    nothing = sp.csr_array(labels.shape, dtype=np.int8)  # what is predicted does not matter
    return chosen(Outcome.over_known(labels, nothing, given, propensity, ties))


def get_scorer(name: str, *, propensity: Any = None, ties: str = "standard") -> Any:
    """Return a measure as a scorer for scikit-learn's ``scoring=``; losses are negated, so that larger is better.

    Parameters
    ----------
    name : str
        As of `evaluate`. Measures that order labels use ``decision_function``, or else ``predict_proba``.
    propensity : array-like of shape (n_labels,) or None, default=None
        As of `evaluate`.
    ties : {"standard", "expected"}, default="standard"
        As of `evaluate`.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, a float.

    Raises
    ------
    ConfigurationError
        If there is no such measure or rule for ties, or the measure is one of codes.

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
    check_ties(ties)
    if chosen.needs == "codes" or (chosen.needs == "propensities" and propensity is None):
        raise chosen.lacking()
    response = ("decision_function", "predict_proba") if chosen.orders else "predict"
    # With a name, which scikit-learn 1.6 shows of a scorer.
    function = update_wrapper(partial(evaluate, name, propensity=propensity, ties=ties), evaluate)
    return make_scorer(function, response_method=response, greater_is_better=chosen.higher_is_better)
