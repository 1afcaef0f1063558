"""What methods see of a split: scaled features, relations, known labels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.feature_space import FeatureSpaceStrategy, embed, fit_method, make_reduction
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.strategy import Measured
from mlreduce.evaluation.view import View
from mlreduce.exceptions import ConfigurationError
from mlreduce.spectral.graphs.proximity import Proximity

PLAIN = {"scaling": "none", "relation": None}


@pytest.fixture
def data(rng):
    X = rng.standard_normal((40, 6))
    Y = (X[:, :3] + 0.3 * rng.standard_normal((40, 3)) > 0).astype(np.int8)
    names = [f"x{i}" for i in range(6)], [f"y{i}" for i in range(3)]
    return MultiLabelData(X=X, Y=Y, feature_names=names[0], label_names=names[1], name="small")


SPLIT = Split(np.arange(25), np.arange(25, 40), labelled=np.arange(0, 25, 2))


def test_relations_are_to_the_training_rows(data):
    view = View(data, SPLIT, {"scaling": "none", "relation": "euclidean"})
    np.testing.assert_allclose(view.train, cdist(data.X[:25], data.X[:25]), atol=1e-7)
    np.testing.assert_allclose(view.test, cdist(data.X[25:], data.X[:25]), atol=1e-7)


def test_scaling_comes_before_relations(data):
    view = View(data, SPLIT, {"scaling": "standard", "relation": "euclidean"})
    scaled = (data.X - data.X[:25].mean(axis=0)) / data.X[:25].std(axis=0)
    np.testing.assert_allclose(view.test, cdist(scaled[25:], scaled[:25]), atol=1e-7)


def test_relations_leave_alone_who_is_near_whom(data):
    related, plain = (View(data, SPLIT, PLAIN | {"relation": relation}) for relation in ("cosine", None))
    weights = Proximity(n_neighbors=4)
    np.testing.assert_array_equal(weights.matrix(related.training).toarray(), weights.matrix(plain.training).toarray())
    part = weights.matrix(related.training.labelled_part).toarray()
    np.testing.assert_array_equal(part, weights.matrix(plain.training.labelled_part).toarray())


def test_supervised_methods_see_the_rows_with_labels_and_others_all(data):
    view = View(data, SPLIT, PLAIN)
    method = make_reduction("mddmp", {})
    arrays = fit_method(method, view)
    alone = make_reduction("mddmp", {}).fit(data.X[SPLIT.labelled], data.Y[SPLIT.labelled])
    np.testing.assert_allclose(arrays["components_"], alone.components_)
    everyone = fit_method(make_reduction("pca", {}), view)
    np.testing.assert_allclose(everyone["components_"], make_reduction("pca", {}).fit(data.X[:25]).components_)
    semi = fit_method(make_reduction("ssmope", {}), view)
    Y = data.Y.astype(float)[:25]
    Y[1::2] = np.nan
    np.testing.assert_allclose(semi["components_"], make_reduction("ssmope", {}).fit(data.X[:25], Y).components_)


def test_the_predictor_learns_from_rows_with_labels_only(data):
    view = View(data, SPLIT, PLAIN)
    method = make_reduction("pca", {})
    train, test = embed(make_reduction("pca", {}), fit_method(method, view), view)
    assert train.shape == (13, 6)
    assert test.shape == (15, 6)
    hidden = data.Y.copy()
    hidden[1:25:2] = 1 - hidden[1:25:2]  # what nobody may look at
    other = MultiLabelData(data.X, hidden, data.feature_names, data.label_names, "small")
    for name in ("pca", "mddmp", "ssmope", "ml-lgc"):
        scores = []
        for known in (data, other):
            strategy, measured = FeatureSpaceStrategy(known), Measured(["macro-f1"], [50], dimensions=[2])
            fitted = dict(strategy.fit({0: SPLIT}, {name: {}}))
            scores.append(strategy.score({0: SPLIT}, fitted, {name: {}}, ("flda", {}), measured))
        assert scores[0]["value"].tolist() == scores[1]["value"].tolist()


def test_propagated_labels_of_the_test_rows_do_not_depend_on_their_labels(data):
    view = View(data, SPLIT, PLAIN)
    method = make_reduction("ml-lgc", {})
    train, test = embed(method, fit_method(method, view), view)
    assert train.shape == (13, 3)
    assert test.shape == (15, 3)
    Y = np.full((40, 3), np.nan)
    Y[SPLIT.labelled] = data.Y[SPLIT.labelled]
    whole = make_reduction("ml-lgc", {}).fit(data.X, Y).embedding_
    np.testing.assert_allclose(test, whole[25:])
    np.testing.assert_allclose(train, whole[:25:2])


def test_a_size_of_its_own_stands_beside_the_percentages(data):
    methods = {"pca": {}, "cca": {}}
    strategy, measured = FeatureSpaceStrategy(data), Measured(["macro-f1"], [50], dimensions=[5])
    fitted = dict(strategy.fit({0: SPLIT}, methods))
    scores = strategy.score({0: SPLIT}, fitted, methods, ("flda", {}), measured)
    own = scores[scores["size_percent"] == 0].set_index("method")["size"]
    assert own.to_dict() == {"pca": 5, "cca": 3}


def test_sparse_features_stay_sparse(data):
    X = sp.csr_array(np.abs(data.X).round())
    counts = MultiLabelData(X, data.Y, data.feature_names, data.label_names, "small")
    view = View(counts, SPLIT, {"scaling": "tf-idf", "relation": None})
    assert sp.issparse(view.train)
    assert sp.issparse(view.all_rows.X)
    assert isinstance(View(counts, SPLIT, {"scaling": "tf-idf", "relation": "cosine"}).train, np.ndarray)


def test_what_neither_projects_nor_propagates_is_refused():
    with pytest.raises(ConfigurationError, match="'gmba' is no projection"):
        make_reduction("gmba", {})
