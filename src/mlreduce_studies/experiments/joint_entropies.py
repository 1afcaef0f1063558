"""PMU and approximate QPFS from joint entropies that are computed one at a time, to compare their times.

The library counts the bins of all pairs at once, in products of matrices, where the cost of PMU is no longer the number
of its informations. The program that the laboratory of PMU's authors publishes calls one function for each entropy, and
computes H(f, s) of a candidate and a selected feature again for each label; it does so for features that are selected
already, too. `PMUByEntropies` calls as often as that program, `ApproximateQPFSByEntropies` once for each entropy that
the approximation needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.preprocessing.discretisation import Bins
from mlreduce.selection.label_pairs import PMU
from mlreduce.selection.qpfs import ApproximateQPFS
from mlreduce.selection.quadratic import minimise, nearest_positive
from mlreduce.validation import FloatArray


class JointEntropies:
    """Entropies of features and labels, in nats, each counted anew in a pass over the rows."""

    def __init__(self, bins: Bins, labels: Any) -> None:
        self.features = list(np.ascontiguousarray(bins.T, dtype=np.int64))
        self.labels = list(np.ascontiguousarray(np.asarray(labels).T, dtype=np.int64))
        #: How many were computed.
        self.number = 0
        self._base = max(int(bins.max()) + 1, 2)
        self.of_features = np.array([self.compute(f) for f in self.features])
        self.of_labels = np.array([self.compute(label) for label in self.labels])
        self.of_both = np.array([[self.compute(f, label) for label in self.labels] for f in self.features])
        #: Of each feature and label.
        self.shared: FloatArray = self.of_features[:, np.newaxis] + self.of_labels - self.of_both

    def compute(self, *columns: NDArray[np.int64]) -> float:
        """Return the joint entropy of some columns."""
        self.number += 1
        codes = columns[0]
        for column in columns[1:]:
            codes = codes * self._base + column
        counts = np.bincount(codes)
        shares = counts[counts > 0] / len(codes)
        return float(-(shares * np.log(shares)).sum())


class PMUByEntropies(PMU):
    """PMU, with the joint entropies of its laboratory's program, as often as that computes them.

    Their number is ``n_entropies_``. Parameters and other attributes are those of `PMU`; ``k`` is cut to the number of
    features.
    """

    takes_unknown_cells = False
    takes_sparse_labels = False

    def __init__(self, k: int = 50, discretise: str | None = "equal-width", n_bins: int = 3) -> None:
        super().__init__(k, discretise, n_bins)

    def _size(self, n_features: int) -> int:
        return min(int(self.k), n_features)  # type: ignore[arg-type]

    def _information(self, bins: Bins, labels: Any) -> JointEntropies:
        self._selected: list[int] = []
        return JointEntropies(bins, labels)

    def _order(self, information: Any, number: int) -> tuple[NDArray[np.intp], FloatArray]:
        ordered = super()._order(information, number)
        self.n_entropies_ = information.number
        return ordered

    def _begin(self, information: Any) -> FloatArray:
        gains: FloatArray = information.shared.sum(axis=1)
        compute = information.compute
        for i, first in enumerate(information.labels):
            for j in range(i + 1, len(information.labels)):
                second, of_pair = information.labels[j], compute(first, information.labels[j])
                both = [compute(feature, first, second) for feature in information.features]
                ends = information.of_features + information.of_labels[i] + information.of_labels[j]
                gains -= ends - information.of_both[:, i] - information.of_both[:, j] - of_pair + both
        return gains

    def _add(self, information: Any, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        remaining = set(rest.tolist())
        for other in range(len(state)):
            if other not in self._selected:  # the program keeps what it computed for the pair in the other order
                redundancy = self._redundancy(information, other, feature)
                state[other] -= redundancy if other in remaining else 0.0
        self._selected.append(feature)

    @staticmethod
    def _redundancy(information: JointEntropies, f: int, s: int) -> float:
        """Return the interaction information of two features with each label, summed, as the program computes it."""
        features, total = information.features, 0.0
        for number, label in enumerate(information.labels):
            both = information.compute(features[f], features[s])  # again for each label
            of_all = information.compute(features[f], features[s], label)
            ends = information.of_features[f] + information.of_features[s] + information.of_labels[number]
            pairs = information.of_both[f, number] + information.of_both[s, number] + both
            total += ends - pairs + of_all
        return float(total)


class ApproximateQPFSByEntropies(ApproximateQPFS):
    """Approximate QPFS with joint entropies that are computed one at a time, ``n_entropies_`` of them.

    Parameters and other attributes are those of `ApproximateQPFS`.
    """

    takes_unknown_cells = False
    takes_sparse_labels = False

    def __init__(
        self,
        k: Any = 0.5,
        sampling: float = 0.2,
        discretise: str | None = "equal-width",
        n_bins: int = 3,
        random_state: Any = None,
    ) -> None:
        super().__init__(k, sampling, discretise, n_bins, random_state)

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        self._check()
        entropies = JointEntropies(self._bins(X, labels), labels)
        self.relevance_ = entropies.shared.sum(axis=1)
        self._sample(len(entropies.features))
        dependency = self._filled(self._rows(entropies), entropies.of_features)
        self.dependency_, self.n_negative_eigenvalues_ = nearest_positive(dependency)
        self.weights_, self.kkt_residual_ = minimise(self.dependency_, self.relevance_)
        self.n_entropies_ = entropies.number
        return self.weights_.copy()

    def _rows(self, entropies: JointEntropies) -> FloatArray:
        """Return the mutual information of the sampled features with all, a pair of sampled ones counted once."""
        rows = np.empty((len(self.sampled_), len(entropies.features)))
        for place, sampled in enumerate(self.sampled_):
            for other, column in enumerate(entropies.features):
                if other == sampled:
                    rows[place, other] = entropies.of_features[other]
                elif other in self.sampled_[:place]:
                    rows[place, other] = rows[np.searchsorted(self.sampled_, other), sampled]
                else:
                    joint = entropies.compute(entropies.features[sampled], column)
                    rows[place, other] = entropies.of_features[sampled] + entropies.of_features[other] - joint
        return rows
