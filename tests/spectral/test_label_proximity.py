from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from label_proximities_by_the_book import SCHEME_1, average_over_classes, index_of_bits, index_of_points

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.combination import COMBINATIONS, check_combination, combined
from mlreduce.spectral.graphs.label_proximity import LabelProximity
from mlreduce.spectral.graphs.proximity import Proximity

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
EVERY = [
    *((1, index) for index in SCHEME_1),
    *((2, index) for index in ("minkowski", "tanimoto", "cosine", "gaussian", "constant")),
    *((3, index) for index in (*SCHEME_1, "minkowski", "tanimoto", "cosine", "gaussian")),
    *((3, index) for index in ("cooccurrence", "identity", "features", "feature-bits")),
]
every = pytest.mark.parametrize(("scheme", "index"), EVERY)


@pytest.fixture
def labels(rng):
    """Some instances have no label, and one label no instance."""
    Y = (rng.random((23, 6)) < 0.3).astype(float)
    Y[np.arange(23), np.arange(23) % 5] = 1
    Y[[4, 9]] = 0
    Y[:, 5] = 0
    Y[11] = Y[12]
    return Y


def training_set(Y, X=None):
    X = np.arange(Y.shape[0] * 2.0).reshape(-1, 2) if X is None else X
    return TrainingSet(X, Y)


def proximity(Y, *args, X=None, **parameters):
    return LabelProximity(*args, **parameters).matrix(training_set(Y, X))


@both
@pytest.mark.parametrize("index", SCHEME_1)
def test_indices_of_label_sets(index, kind, labels):
    tau = {"tau": 1.7} if index == "hamming-exponential" else {}
    expected = index_of_bits(labels, index, **tau)
    np.testing.assert_allclose(proximity(kind(labels), 1, index, **tau), expected, atol=1e-14)
    classes = index_of_bits(labels.T, index, **tau)  # of the columns, averaged
    averaged = average_over_classes(labels, classes)
    np.testing.assert_allclose(proximity(kind(labels), 3, index, **tau), averaged, atol=1e-14)


def points_of(Y, k=None):
    """Phi = P'y with P from the singular vectors of the centred labels."""
    _, values, rows = np.linalg.svd(Y - Y.mean(axis=0))
    rank = np.count_nonzero(values > 1e-9 * values[0])
    return Y @ rows[: min(k or rank, rank)].T


@both
@pytest.mark.parametrize("k", [None, 2])
@pytest.mark.parametrize(
    ("index", "parameters"),
    [("minkowski", {"p": 2.0, "tau": 0.7}), ("minkowski", {"p": 1.5, "tau": 2.0}), ("tanimoto", {}), ("cosine", {})],
)
def test_indices_of_points(index, parameters, k, kind, labels):
    expected = index_of_points(points_of(labels, k), index, **parameters)
    found = proximity(kind(labels), 2, index, n_label_components=k, **parameters)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    assert (expected > 1e-3).mean() > 0.2
    turned = points_of(labels[:, :5].T, k)
    averaged = average_over_classes(labels[:, :5], index_of_points(turned, index, **parameters))
    found = proximity(kind(labels), 3, index, n_label_components=k, **parameters)
    np.testing.assert_allclose(found, averaged, atol=1e-10)


def test_points_outside_the_space_are_zero():
    """The first component is the difference of two labels; instances of the third are zero but for rounding."""
    Y = np.repeat(np.eye(3), [10, 10, 4], axis=0)
    for index in ("cosine", "tanimoto"):
        G = proximity(Y, 2, index, n_label_components=1)
        assert not G[20:].any()
        np.testing.assert_allclose(G[:20, :20], np.kron(np.eye(2), np.ones((10, 10))), atol=1e-12)


def test_space_by_other_methods(labels, monkeypatch):
    lsi = mlreduce.make("lsi", n_components=3).fit(labels)
    expected = index_of_points(labels @ lsi.components_.T, "cosine")
    found = proximity(labels, 2, "cosine", space="lsi", n_label_components=3)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    monkeypatch.setattr(registry, "_at_run_time", {})

    @mlreduce.register("circle", kind="embedding")
    class Circle:
        supervised = False

        def fit(self, Y):
            angles = 2 * np.pi * np.arange(len(Y)) / len(Y)
            self.embedding_ = np.c_[np.cos(angles), np.sin(angles)]

    found = proximity(labels, 2, "minkowski", space="circle", tau=1.0)
    np.testing.assert_allclose(found[0, 1], np.exp(-(2 - 2 * np.cos(2 * np.pi / 23))))


@both
def test_weights_of_proximity_as_indices(kind, labels):
    def weights(Y):
        points = points_of(Y)
        W = Proximity("gaussian", n_neighbors=None).matrix(TrainingSet(points))
        np.fill_diagonal(W, 1)
        return W

    np.testing.assert_allclose(proximity(kind(labels), 2, "gaussian"), weights(labels), atol=1e-7)
    averaged = average_over_classes(labels[:, :5], weights(labels[:, :5].T))
    np.testing.assert_allclose(proximity(kind(labels), 3, "gaussian"), averaged, atol=1e-7)


def test_weights_are_scaled(labels, monkeypatch):
    raw = np.linspace(-2, 4, 23 * 23).reshape(23, 23)
    monkeypatch.setattr(Proximity, "matrix", lambda self, data: raw + raw.T)
    found, expected = proximity(labels, 2, "anything"), (raw + raw.T).clip(0) / 8
    off = ~np.eye(23, dtype=bool)
    np.testing.assert_allclose(found[off], expected[off])


@both
@pytest.mark.parametrize("sparse_features", [False, True])
def test_classes_by_features(kind, sparse_features, labels, rng):
    X = rng.integers(0, 3, (23, 8)) * (rng.random((23, 8)) < 0.4).astype(float)
    features = sp.csr_array(X) if sparse_features else X
    for index in ("features", "feature-bits"):
        classes = np.zeros((6, 8))
        for k in range(6):
            for i in np.flatnonzero(labels[:, k]):
                classes[k] = classes[k] + X[i] if index == "features" else np.maximum(classes[k], X[i] != 0)
        expected = average_over_classes(labels, index_of_points(classes, "cosine"))
        np.testing.assert_allclose(proximity(kind(labels), 3, index, X=features), expected, atol=1e-12)


@both
def test_cooccurrence(kind, labels):
    together = labels.T @ labels
    expected = average_over_classes(labels, together / together.max())
    np.testing.assert_allclose(proximity(kind(labels), 3, "cooccurrence"), expected, atol=1e-14)
    np.testing.assert_array_equal(proximity(kind(labels), 3, "and"), proximity(kind(labels), 3, "cooccurrence"))


@both
def test_identity_of_classes(kind, labels):
    m = labels.sum(axis=1)
    shares = np.divide(labels, m[:, None], out=np.zeros_like(labels), where=m[:, None] > 0)
    np.testing.assert_allclose(proximity(kind(labels), 3, "identity"), shares @ shares.T, atol=1e-14)
    y = labels[:, :1]  # with one label at most for each instance, the cosine
    single = np.c_[y, 1 - y]
    np.testing.assert_array_equal(proximity(single, 3, "identity"), single @ single.T)


@given(seed=st.integers(0, 10_000))
def test_full_rank_points_agree_with_label_sets(seed):
    rng = np.random.default_rng(seed)
    Y = np.vstack([(rng.random((12, 4)) < 0.5).astype(float), np.eye(4), np.zeros((1, 4))])  # of full rank
    jaccard = index_of_bits(Y, "jaccard")
    np.testing.assert_allclose(proximity(Y, 2, "tanimoto"), jaccard, atol=1e-12)
    for tau in (0.5, None):
        hamming = proximity(Y, 1, "hamming-exponential", tau=tau)
        np.testing.assert_allclose(proximity(Y, 2, "minkowski", tau=tau), hamming, atol=1e-12)
    dice = proximity(Y, 1, "dice")
    np.testing.assert_allclose(dice, 2 * jaccard / (1 + jaccard), atol=1e-14)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_default_width_is_the_mean_distance(p, labels):
    points = points_of(labels)
    pairs = [(i, j) for i in range(23) for j in range(i)]
    mean = np.mean([(np.abs(points[i] - points[j]) ** p).sum() for i, j in pairs])
    expected = index_of_points(points, "minkowski", p=p, tau=mean)
    np.testing.assert_allclose(proximity(labels, 2, "minkowski", p=p), expected, atol=1e-10)
    mean = np.mean([np.abs(labels[i] - labels[j]).sum() for i, j in pairs])
    expected = index_of_bits(labels, "hamming-exponential", tau=mean)
    np.testing.assert_allclose(proximity(labels, 1, "hamming-exponential"), expected, atol=1e-14)
    same = np.ones((3, 2))
    np.testing.assert_array_equal(proximity(same, 1, "hamming-exponential"), np.ones((3, 3)))


@every
@both
def test_range_symmetry_and_blocks(scheme, index, kind, labels, rng):
    data = TrainingSet(rng.random((23, 5)), kind(labels))
    method = LabelProximity(scheme, index)
    G, rows_of = method.matrix(data), method.of(data)
    np.testing.assert_allclose(G, G.T, atol=1e-12)
    assert G.min() >= 0
    assert G.max() <= 1
    pieces = np.vstack([rows_of(slice(0, 5)), rows_of(slice(5, 6)), rows_of(slice(6, 23))])
    np.testing.assert_allclose(pieces, G, atol=1e-14)
    rows_of(slice(0, 5))[:] = 7  # results are not shared
    if index not in ("gaussian", "constant"):
        np.testing.assert_allclose(rows_of(slice(0, 5)), G[:5], atol=1e-14)


@every
def test_labels_without_instances_have_no_effect(scheme, index, labels, rng):
    if index == "hamming-linear" and scheme == 1:
        pytest.skip("its unit is one of all labels")
    X = rng.random((23, 5))
    with_, without = (proximity(Y, scheme, index, X=X) for Y in (labels, labels[:, :5]))
    np.testing.assert_allclose(with_, without, atol=1e-7)


@every
def test_instances_without_labels(scheme, index, labels, rng):
    G = proximity(labels, scheme, index, X=rng.random((23, 5)))
    if index.startswith("hamming") and scheme == 1:
        assert G[4, 9] == G[4, 4] == 1
        assert (np.diff(G[4][labels.sum(axis=1).argsort()]) <= 0).all()
    elif scheme == 2 and index in ("minkowski", "gaussian", "constant"):
        assert G[4, 9] == pytest.approx(1)
    else:
        assert (G[[4, 9]] == 0).all()
        assert (G[:, [4, 9]] == 0).all()
        assert (np.diag(G)[[0, 1, 2]] > 0).all()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"scheme": 4}, "scheme must be 1, 2 or 3; got 4"),
        ({"scheme": True}, "scheme must be"),
        ({"scheme": "1"}, "scheme must be"),
        ({"index": None}, "index must be a name"),
        ({"scheme": 1, "index": "dise"}, "unknown index of scheme 1 'dise'; did you mean 'dice'"),
        ({"scheme": 1, "index": "cosine"}, "unknown index of scheme 1"),
        ({"scheme": 2, "index": "dice"}, "index must be of scheme 2"),
        ({"scheme": 2, "index": "identity"}, "index must be of scheme 2"),
        ({"scheme": 2, "index": "gausian"}, "unknown weight 'gausian'; did you mean 'gaussian'"),
        ({"scheme": 3, "index": "nothing"}, "unknown weight"),
        ({"tau": 0}, "tau must be a number > 0"),
        ({"p": 0.5}, "p must be a number >= 1"),
        ({"scheme": 2, "index": "cosine", "space": "pka"}, "unknown unsupervised method for space 'pka'"),
        ({"scheme": 2, "index": "cosine", "space": "pls"}, "unknown unsupervised method for space 'pls'"),
        ({"scheme": 2, "index": "cosine", "n_label_components": 7}, "cannot be projected by pca: n_components must be"),
    ],
)
def test_impossible_parameters_are_refused(parameters, sentence, labels):
    with pytest.raises(DataError, match=sentence):
        proximity(labels, **parameters)


@pytest.mark.parametrize("index", ["dice", "cosine", "gaussian", "features"])
@both
def test_no_labels_at_all(index, kind):
    assert not proximity(kind(np.zeros((4, 3))), 3, index).any()


def test_constant_labels_cannot_be_projected():
    with pytest.raises(DataError, match="the labels cannot be projected by pca: .* do not vary"):
        proximity(np.ones((5, 3)), 2, "cosine")


unit = st.floats(0, 1)


@given(w=unit, g=unit, beta=unit, gamma=unit)
def test_combinations_agree_at_their_limits(w, g, beta, gamma):
    W, G = np.array([w]), np.array([g])
    weighted = combined(W, G, "weighted-sum", beta=gamma)
    np.testing.assert_allclose(combined(W, G, "priority", beta=0, priority_share=gamma), weighted, atol=1e-15)
    np.testing.assert_allclose(combined(W, G, "priority", beta=beta, priority_share=0), w, atol=1e-15)
    np.testing.assert_allclose(combined(W, G, "priority", b=0, beta=beta), g, atol=1e-15)
    np.testing.assert_allclose(combined(W, G, "hadamard"), w * g)
    assert combined(W, None, "features") == w
    assert combined(None, G, "labels") == g
    assert combined(W, None, "features") is not W


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"combine": "sum"}, "combine must be 'priority', 'hadamard'"),
        ({"a": -1}, "a must be a number >= 0"),
        ({"b": "1"}, "b must be a number >= 0"),
        ({"beta": -0.1}, "beta must be a number >= 0"),
        ({"combine": "weighted-sum", "beta": 1.1}, r"beta must be a number in \[0, 1\]"),
        ({"priority_share": 1.1}, r"priority_share must be a number in \[0, 1\]"),
    ],
)
def test_impossible_combinations_are_refused(parameters, sentence):
    with pytest.raises(DataError, match=sentence):
        check_combination(**{"combine": "priority", "a": 1, "b": 1, "beta": 1, "priority_share": 1} | parameters)
    for combine in COMBINATIONS:
        check_combination(combine, 0, 0, 1, 0)
