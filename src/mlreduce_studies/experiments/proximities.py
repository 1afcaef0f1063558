"""The proximity matrices of methods as images, with instances ordered by the similarity of their labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.entries import Methods
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.feature_space import make_reduction
from mlreduce.evaluation.scores import as_table
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.view import View
from mlreduce.linalg.features import Coordinates
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.combination import CombinedProximity
from mlreduce.validation import FloatArray

# Pixels along a side, at most.
_SIDE = 250

#: Columns of a table of images.
IMAGE_COLUMNS = ("dataset", "method", "row", "column", "value")


def label_order(labels: FloatArray) -> NDArray[np.intp]:
    """Return an order of instances in which neighbours have similar labels.

    Different sets of labels are clustered by average linkage of their Jaccard distance, the leaves ordered so that the
    sum of the distances of neighbours is smallest (Bar-Joseph, Gifford and Jaakkola 2001, "Fast optimal leaf ordering
    for hierarchical clustering"); instances of one set stay in their order. Labels are in {0, 1}.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import pdist

    sets, inverse = np.unique(labels, axis=0, return_inverse=True)
    if len(sets) < 3:
        return np.argsort(inverse, kind="stable")
    distances = np.nan_to_num(pdist(sets.astype(bool), "jaccard"))
    leaves = leaves_list(optimal_leaf_ordering(linkage(distances, "average"), distances))
    place = np.empty(len(sets), dtype=np.intp)
    place[leaves] = np.arange(len(sets))
    return np.argsort(place[inverse], kind="stable")


class ImageSettings(TypedDict):
    """What a job draws."""

    #: Label to entry of a study file. Projections.
    methods: Methods
    #: See `mlreduce.evaluation.view.View`.
    space: Mapping[str, Any]
    #: Pixels along a side, at most.
    side: NotRequired[int]


def proximity_images(
    data: MultiLabelData, split: Split, settings: ImageSettings, failures: Failures = RAISE
) -> pd.DataFrame:
    """Return the proximity of pairs of training instances to each method, as an image.

    It is the objective's value for the pair; for `MOPE` Psi of all pairs, before neighbours are chosen: G itself with
    ``combine="labels"``, as in Figures 2 and 3 of Mu et al. (2012). A pixel is the mean over a block of pairs, the
    diagonal left out. ``failures`` takes what a method raises, on split 0; one that failed before there is passed over.
    Returns `IMAGE_COLUMNS`, sorted; nothing of those that failed.
    """
    view = View(data, split, settings["space"])
    order = label_order(view.labels)
    parts = []
    for label, entry in settings["methods"].items():
        if (0, label) in failures:
            continue
        matrix = failures.attempt(0, label, _proximities, make_reduction(label, entry), view.training.labelled_part)
        if matrix is None:
            continue
        np.fill_diagonal(matrix, 0.0)
        image = _blocks(matrix[np.ix_(order, order)], settings.get("side", _SIDE))
        rows, columns = np.indices(image.shape).reshape(2, -1)
        parts.append(
            pd.DataFrame(dict(zip(IMAGE_COLUMNS, (data.name, label, rows, columns, image.ravel()), strict=True)))
        )
    images = pd.concat(parts) if parts else as_table([], IMAGE_COLUMNS)
    return images.sort_values(list(IMAGE_COLUMNS[:4]), ignore_index=True)


def _proximities(method: Any, training: TrainingSet) -> FloatArray:
    """Return the objective's values for all pairs of instances, of MOPE's with neither neighbours nor row sums."""
    if isinstance(method, CombinedProximity):
        method = clone(method).set_params(n_neighbors=None, edges="psi", laplacian=False)
    form, size = method.objective(training), training.X.shape[0]
    if method.centred:
        form = form.recentred(size)
    return form.matrix(Coordinates(size))


def _blocks(matrix: FloatArray, side: int) -> FloatArray:
    """Return the means of blocks of a matrix whose diagonal is no pair."""
    size = len(matrix)
    starts = np.unique(np.linspace(0, size, min(side, size), endpoint=False).astype(int))
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    lengths = np.diff(np.r_[starts, size])
    pairs = np.outer(lengths, lengths) - np.diag(lengths)
    return np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0)
