"""The scaling that the training rows of a split choose."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.feature_space import FeatureSpaceStrategy
from mlreduce.evaluation.label_space import LabelSpaceStrategy
from mlreduce.evaluation.scaling_choice import CANDIDATES, choose_scaling
from mlreduce.evaluation.selection import SelectionStrategy
from mlreduce.evaluation.splitting import Split
from mlreduce.predictors import RidgeRegressor
from mlreduce.preprocessing import scale_parts

SPLIT = Split(np.arange(60), np.arange(60, 80))


def made(kind, rng):
    """Labels by directions of the rows, or by features of which one is noise on a large scale."""
    X = rng.normal(size=(80, 4))
    Y = (X[:, :3] @ rng.normal(size=(3, 5)) > 0).astype(np.int8)
    if kind == "rows":
        X = X[:, :3] * np.exp(2 * rng.normal(size=(80, 1)))
    elif kind == "standard":
        X[:, 3] *= 1e4
        X[:, :3] *= [1, 1e-3, 1e-2]
    return MultiLabelData(X, Y, [str(i) for i in range(X.shape[1])], list("abcde"), kind)


def expected(data):
    """Average precision of each scaling, by fits without each of the rows."""
    values = []
    for scaling in CANDIDATES:
        X = scale_parts(data.X[SPLIT.train], data.X[SPLIT.test], scaling).train
        # The penalty is that of all rows, as where all are left out in one step.
        model = RidgeRegressor(alpha=RidgeRegressor().fit(X, data.Y[SPLIT.train].astype(float)).penalty_)
        scores = cross_val_predict(model, X, data.Y[SPLIT.train].astype(float), cv=LeaveOneOut())
        values.append(label_ranking_average_precision_score(data.Y[SPLIT.train], scores))
    return values


@pytest.mark.parametrize("kind", ["rows", "standard", "none"])
def test_the_best_scaling_by_leaving_out_training_rows_is_chosen(kind, rng):
    data = made(kind, rng)
    chosen, values = choose_scaling(data, SPLIT), expected(data)
    assert chosen == CANDIDATES[int(np.argmax(values))]
    if kind != "none":
        assert chosen == kind


def test_test_rows_and_units_do_not_matter(rng):
    data = made("rows", rng)
    others = data.X.copy()
    others[SPLIT.test] = rng.normal(size=(20, 3)) * 1e6
    changed = MultiLabelData(others * 1024, data.Y, data.feature_names, data.label_names, "changed")
    assert choose_scaling(changed, SPLIT) == choose_scaling(data, SPLIT) == "rows"


def test_sparse_rows_of_length_one_stay_sparse_and_choose_the_same(rng):
    data = made("rows", rng)
    sparse = MultiLabelData(sp.csr_array(data.X), data.Y, data.feature_names, data.label_names, "sparse")
    assert choose_scaling(sparse, SPLIT) == "rows"
    parts = scale_parts(sparse.X[SPLIT.train], sparse.X[SPLIT.test], "rows")
    assert sp.issparse(parts.train)
    np.testing.assert_allclose(np.sqrt(parts.test.multiply(parts.test).sum(axis=1)), 1)


def test_features_that_do_not_vary_are_taken_as_they_are():
    data = MultiLabelData(np.ones((80, 2)), np.tile([0, 1], (80, 1)), list("ab"), list("cd"), "constant")
    assert choose_scaling(data, SPLIT) == "none"


@pytest.mark.parametrize("strategy", [FeatureSpaceStrategy, LabelSpaceStrategy, SelectionStrategy])
def test_all_families_have_the_scaling_that_is_chosen(strategy, rng):
    data = made("standard", rng)
    space = {"scaling": "chosen", "relation": None}
    assert strategy(data, space).space_of(SPLIT) == {"scaling": "standard", "relation": None}
    methods = {
        FeatureSpaceStrategy: {"pca": {}},
        LabelSpaceStrategy: {"plst": {}},
        SelectionStrategy: {"anova": {}},
    }[strategy]
    fits = [
        dict(strategy(data, {**space, "scaling": scaling}).fit({0: SPLIT}, methods))
        for scaling in ("chosen", "standard")
    ]
    for name, array in next(iter(fits[0].values())).items():
        np.testing.assert_array_equal(array, next(iter(fits[1].values()))[name])


def test_coders_of_few_rows_are_fitted_to_these_alone(rng):
    """The rows of a split are less than half: the scores are those of a data set that has no others."""
    data = made("standard", rng)
    many = MultiLabelData(
        np.vstack([data.X, rng.normal(size=(200, 4))]), np.vstack([data.Y, np.ones((200, 5), np.int8)]),
        data.feature_names, data.label_names, data.name,
    )  # fmt: skip
    from mlreduce.evaluation.strategy import Measured

    tables = []
    for given in (data, many):
        strategy = LabelSpaceStrategy(given, {"scaling": "standard", "relation": None})
        fitted = dict(strategy.fit({0: SPLIT}, {"plst": {}, "cplst": {}}))
        measured = Measured(["micro-f1", "average-precision"], [40, 100])
        tables.append(strategy.score({0: SPLIT}, fitted, {"plst": {}, "cplst": {}}, ("ridge", {}), measured))
    assert len(tables[0]) == 8
    np.testing.assert_allclose(tables[0]["value"], tables[1]["value"], atol=1e-12)
