"""The choice of a scaling of the features by the training rows of a split."""

from __future__ import annotations

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.view import imputed
from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import above_half
from mlreduce.metrics.measures import find_measure
from mlreduce.metrics.outcome import Outcome
from mlreduce.predictors import RidgeRegressor
from mlreduce.predictors.decision import fit_left_out
from mlreduce.preprocessing.scaling import scale_parts

#: Scalings among which one is chosen: see `mlreduce.preprocessing.scaling.scale_parts`.
CANDIDATES = ("none", "standard", "rows")
# Differences of the measure that rounding may cause: the first of the candidates is taken.
_EQUAL = 1e-9


def choose_scaling(data: MultiLabelData, split: Split) -> str:
    """Return the scaling with which ridge regression ranks the labels of left-out training rows best.

    Each training row whose labels are known is left out in turn, exactly. The penalty is chosen in the same way, for
    each scaling; label average precision, with ties in expectation, is the measure. The test rows are not used.
    """
    known = split.train if split.labelled is None else split.labelled
    features, labels = imputed(data, split.train).X[known], data.Y[known]
    targets = labels.astype(float)
    best, most = CANDIDATES[0], -1.0
    for scaling in CANDIDATES:
        try:
            scores = fit_left_out(RidgeRegressor(), scale_parts(features, features[:1], scaling).train, targets)
        except DataError:  # no feature varies
            continue
        outcome = Outcome.over_known(labels, above_half(scores), scores, None, "expected")
        value = find_measure("average-precision")(outcome)
        if value > most + _EQUAL:
            best, most = scaling, value
    return best
