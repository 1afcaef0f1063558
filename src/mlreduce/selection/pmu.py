"""PMU: greedy selection by pairwise multi-label utility."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.greedy import GreedySelector, Information
from mlreduce.validation import FloatArray, Size, check_option

__all__ = ["PMU"]

#: Pairs of labels in the third term.
PAIRS = ("distinct", "ordered")


@register("pmu")
class PMU(GreedySelector):
    """Pairwise multi-label utility (PMU): relevance minus redundancy minus label interactions.

    Features are selected one by one, each time the one with the largest

        J(f) = sum_l I(f;l) - sum_{s selected} sum_l I(f;s;l) - sum_{pairs of labels i, j} I(f;i;j)

    ``I(.;.;.)`` is the interaction information, see `mlreduce.selection.information.interaction_information`. Only the
    middle term changes, by what the last feature selected adds to it.

    Parameters
    ----------
    k, discretise, n_bins
        As of `GreedySelector`.
    pairs : {"distinct", "ordered"}, default="distinct"
        Pairs of labels with i < j, or all of i and j, each pair twice and a label with itself: as a public
        implementation has it. ``I(f;l;l) = I(f;l)``, so that the relevance then cancels.

    References
    ----------
    Lee and Kim, "Feature selection for multi-label classification using multivariate mutual information", Pattern
    Recognition Letters 34(3), 2013; as compared with by Lim, Lee and Kim (2016).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.PMU(k=5).fit(data.X, data.Y[:, :8])
    >>> method.get_feature_names_out(data.feature_names)
    array(['x2', 'x10', 'x16', 'x21', 'x23'], dtype=object)
    """

    complexity = Complexity("n d q^2", "n d")

    def __init__(
        self,
        k: Size = 0.5,
        discretise: str | None = "equal-width",
        n_bins: int = 3,
        pairs: Literal["distinct", "ordered"] = "distinct",
    ) -> None:
        super().__init__(k, discretise, n_bins)
        self.pairs = pairs

    def _check_parameters(self) -> None:
        check_option(self.pairs, "pairs", PAIRS)

    def _begin(self, information: Information) -> FloatArray:
        relevance: FloatArray = information.triples.shared.sum(axis=1)
        gains, ordered = relevance.copy(), self.pairs == "ordered"
        for interactions in information.label_pairs():
            alike = interactions.sum(axis=1)
            gains -= 2.0 * alike if ordered else alike
        if ordered:
            gains -= relevance
        gains /= information.n_samples
        return gains

    def _add(self, information: Information, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        state[rest] -= information.interaction(feature, rest)
