"""What measures are computed from: the true labels and predictions of one method on one test part."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError, check_known_name
from mlreduce.metrics.counts import Counts, Ranks, Runs, best_labels, check_pair
from mlreduce.validation import FloatArray, as_dense, is_sparse

#: How measures of scores count labels that tie: by the rule that is usual for each, or by the mean over all orders.
TIES = ("standard", "expected")

#: How many first labels of an instance are measured at most.
TOP = 5


@dataclass(frozen=True)
class Outcome:
    """What one method predicted on one test part, at one size.

    Codes are None for methods that do not code labels, scores for predictors that only predict which labels are
    present. Errors of codes need the former, ranking measures the latter.

    Attributes
    ----------
    labels, predicted : ndarray or csr_array of shape (n_samples, n_labels), in {0, 1}
    centred : ndarray of shape (n_samples, n_labels) or None
        True labels less the training mean, Z.
    decoded_codes : ndarray of shape (n_samples, n_labels) or None
        The decoded codes of the true labels: ``ZV'V`` for orthonormal directions.
    codes, predicted_codes : ndarray of shape (n_samples, size) or None
        ``ZV'`` and the regressor's prediction of it.
    scores : ndarray or csr_array of shape (n_samples, n_labels), or None
        The larger, the likelier the label; a CSR array stores the best of each instance only.
    propensities : ndarray of shape (n_labels,) or None
        Of the labels of the training instances: `mlreduce.metrics.propensities`.
    known : ndarray of shape (n_samples, n_labels), bool, or None
        Which labels are known; None if all are. Where not, labels and predictions are 0 and scores are -inf. Each
        instance and each label has a known cell: `over_known` leaves out others.
    ties : {"standard", "expected"}
        How measures of scores count labels that tie: by the rule that is usual for each measure, or by the mean over
        all orders of the labels that tie. See `mlreduce.metrics.evaluate`.

    Raises
    ------
    ConfigurationError
        If there is no such rule for ties.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.metrics import Outcome, find_measure
    >>> outcome = Outcome(labels=np.array([[1, 0], [1, 1]]), predicted=np.array([[1, 0], [0, 1]]))
    >>> float(find_measure("hamming-loss")(outcome))  # one of four cells is wrong
    0.25
    """

    labels: Any
    predicted: Any
    centred: FloatArray | None = None
    decoded_codes: FloatArray | None = None
    codes: FloatArray | None = None
    predicted_codes: FloatArray | None = None
    scores: Any = None
    known: NDArray[np.bool_] | None = None
    propensities: FloatArray | None = None
    ties: str = "standard"

    def __post_init__(self) -> None:
        """Refuse an unknown rule for ties."""
        check_ties(self.ties)

    @classmethod
    def over_known(
        cls,
        labels: Any,
        predicted: Any,
        scores: Any = None,
        propensities: FloatArray | None = None,
        ties: str = "standard",
    ) -> Self:
        """Return the outcome over the known labels; what is predicted in other cells does not matter.

        Parameters
        ----------
        labels : ndarray of shape (n_samples, n_labels)
            In {0, 1}, NaN where not known.
        predicted, scores, propensities, ties
            As of the attributes.

        Returns
        -------
        Outcome

        Raises
        ------
        DataError
            If no label is known.
        """
        if labels.dtype.kind != "f" or not np.isnan(labels).any():
            present = labels.astype(np.int8, copy=False)
            return cls(present, predicted, scores=scores, propensities=propensities, ties=ties)
        if is_sparse(predicted) or is_sparse(scores):
            predicted, scores = as_dense(predicted).astype(np.int8), _with_all(scores)
        known = ~np.isnan(labels)
        part = np.ix_(known.any(axis=1), known.any(axis=0))
        known = known[part]
        if not known.size:
            raise DataError("no label of the instances to predict is known (all are NaN): there is nothing to measure")
        return cls(
            np.where(known, labels[part], 0).astype(np.int8),
            np.where(known, predicted[part], 0).astype(predicted.dtype),
            scores=None if scores is None else np.where(known, scores[part], -np.inf),
            known=known,
            propensities=None if propensities is None else propensities[part[1][0]],
            ties=ties,
        )

    def n_known(self, axis: int | None = None) -> Any:
        """Return the number of known labels.

        Parameters
        ----------
        axis : {0, 1} or None, default=None
            0 for that of each label, 1 for that of each instance, None for that of all.

        Returns
        -------
        int or ndarray of int
            One number where all labels are known.
        """
        if self.known is None:
            return math.prod(self.labels.shape) if axis is None else self.labels.shape[axis]
        return np.count_nonzero(self.known, axis=axis)

    @property
    def has_scores(self) -> bool:
        """Whether ranking measures can be computed."""
        return self.scores is not None

    @property
    def has_propensities(self) -> bool:
        """Whether propensity-scored measures can be computed."""
        return self.has_scores and self.propensities is not None

    @property
    def has_codes(self) -> bool:
        """Whether errors of codes can be computed."""
        return self.codes is not None

    @cached_property
    def instance_counts(self) -> Counts:
        """Counts per instance, computed once for all measures."""
        return Counts.count_instances(self.labels, self.predicted)

    @cached_property
    def label_counts(self) -> Counts:
        """Counts per label, computed once for all measures."""
        return Counts.count_labels(self.labels, self.predicted)

    @cached_property
    def stored_labels(self) -> sp.csr_array:
        """The labels as a sparse matrix of ones, computed once for all measures."""
        stored = sp.csr_array(self.labels)
        stored.sort_indices()
        return stored

    @cached_property
    def best(self) -> NDArray[np.int64]:
        """The five first labels of each instance by `best_labels`, computed once for all measures."""
        check_pair(self.labels, self.scores)
        return best_labels(self.scores, TOP)

    def true_at(self, best: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of some labels of each instance are true.

        Parameters
        ----------
        best : ndarray of shape (n_samples, k), int
            Places of labels; -1 for none.

        Returns
        -------
        ndarray of shape (n_samples, k), bool
            False for -1.
        """
        stored, n_labels = self.stored_labels, self.labels.shape[1]
        starts = np.arange(len(best), dtype=np.int64) * n_labels
        cells = np.repeat(starts, np.diff(stored.indptr)) + stored.indices
        wanted = starts[:, np.newaxis] + best
        places = np.minimum(np.searchsorted(cells, wanted), max(len(cells) - 1, 0))
        return (best >= 0) & (cells[places] == wanted) if len(cells) else np.zeros(best.shape, dtype=bool)

    @property
    def averages_ties(self) -> bool:
        """Whether measures of scores are means over the orders of labels that tie."""
        return self.ties == "expected"

    @cached_property
    def runs(self) -> Runs:
        """Runs of the labels of each instance that tie, computed once for all measures."""
        return Runs.compute(self.labels, self.scores, self.known, TOP)

    @cached_property
    def gain_runs(self) -> Runs:
        """The same, each true label counted by its inverse propensity."""
        gains = sp.csr_array(self.stored_labels * (1 / np.asarray(self.propensities)))  # COO of SciPy 1.15
        return Runs.compute(gains, self.scores, self.known, TOP)

    @cached_property
    def ranks(self) -> Ranks:
        """Ranks of the labels of each instance, computed once for all measures."""
        return Ranks.compute(self.labels, self.scores)


def _with_all(scores: Any) -> Any:
    """Return scores of all labels, minus infinity where a sparse matrix stores none."""
    if not is_sparse(scores):
        return scores
    stored = scores.tocoo()
    every = np.full(scores.shape, -np.inf)
    every[stored.row, stored.col] = stored.data
    return every


def check_ties(ties: str) -> None:
    """Raise ConfigurationError, with the nearest known one, if a rule for ties is none of `TIES`."""
    check_known_name("rule for ties", ties, TIES)
