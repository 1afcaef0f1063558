"""What claims of mope-mesd-2012 call proved, or false by algebra, computed on small data."""

from __future__ import annotations

from itertools import cycle

import definitions
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from definitions._classes import PAIRWISE
from definitions._embeddings import embeds
from definitions._partly import labelled_part
from definitions._projections import centred, centring, laplacian, solves
from label_proximities_by_the_book import average_over_classes, index_of_bits, index_of_points
from projection_problems import same_directions

import mlreduce
from mlreduce.exceptions import ProjectionWarning
from mlreduce.linalg.features import Features
from mlreduce.preprocessing.relation import RelationFeatures
from mlreduce.projection.base import NoDirectionError
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.combination import combined
from mlreduce.spectral.graphs.label_proximity import LabelProximity
from mlreduce.spectral.graphs.proximity import Proximity

CLASS_METHODS = ["fda", "lfda", "mfa", "mmc", "dla", "dne", "olpp-r", "sonpp", "donpp", "onpp-r"]

#: Of section 2, as the library names them: without labels, of classes, of several labels, semi-supervised.
SECTION_2 = ["pca", "lsi", "usc", "le", "symmetric-spectral", "mds", "isomap", "lle", "lpp", "olpp", "npp", "onpp"]
SECTION_2 += CLASS_METHODS
SECTION_2 += ["cca", "rcca", "pls", "opls", "mddmp", "mddm-kernel", "sfehs", "hsl1", "hsl2", "hsl3", "slvm", "morp"]
SECTION_2 += ["self", "ssfda", "ssmmc", "ssmfa", "ssdne", "sslfda", "ssdonpp"]


@pytest.fixture
def problem():
    return definitions.problem("labels", 20, 5, 4)


@pytest.fixture
def W(rng):
    matrix = rng.random((20, 20))
    return matrix + matrix.T


def test_distances_and_products(W, rng, problem):
    Z, n = rng.standard_normal((20, 3)), range(20)
    distances = sum(W[i, j] * ((Z[i] - Z[j]) ** 2).sum() for i in n for j in n) / 2
    assert np.isclose(np.trace(Z.T @ laplacian(W) @ Z), distances)
    norms = sum(W[i].sum() * Z[i] @ Z[i] for i in n)
    assert np.isclose(norms - sum(W[i, j] * Z[i] @ Z[j] for i in n for j in n), distances)
    X, _ = problem
    cost = mlreduce.OLPP(proximity=PAIRWISE).objective(TrainingSet(X)).matrix(Features(X, centred=False))
    weights = Proximity(**PAIRWISE).matrix(TrainingSet(X))
    pairs = [(X[i] - X[j], weights[i, j]) for i in n for j in n]
    np.testing.assert_allclose(-cost, sum(w * np.outer(x, x) for x, w in pairs) / 2, atol=1e-9)


def test_minimal_distances_are_maximal_products(W):
    D = np.diag(W.sum(axis=1))
    costs, nearest = scipy.linalg.eigh(laplacian(W), D)
    products, largest = scipy.linalg.eigh(W, D)
    np.testing.assert_allclose(costs[:3], 1 - products[::-1][:3], atol=1e-12)
    for Z in (nearest[:, :3], largest[:, :-4:-1], nearest[:, [4, 9, 11]]):
        assert np.isclose(np.trace(Z.T @ laplacian(W) @ Z), 3 - np.trace(Z.T @ W @ Z))
    assert np.isclose(np.trace(nearest[:, :3].T @ W @ nearest[:, :3]), products[:-4:-1].sum())


def test_lsi_is_no_laplacian(W, problem):
    X, _ = problem
    np.testing.assert_allclose(laplacian(np.ones((20, 20)) / 20), centring(20), atol=1e-12)
    solves(X, mlreduce.PCA().fit(X), X.T @ centring(20) @ X, mean=X.mean(axis=0))
    same_directions(mlreduce.LSI().fit(centred(X)), mlreduce.PCA().fit(X))
    same = np.tile(X[0], (20, 1))
    np.testing.assert_allclose(same.T @ laplacian(W) @ same, 0, atol=1e-9)
    np.testing.assert_allclose(same.T @ same, 20 * np.outer(X[0], X[0]))
    np.testing.assert_allclose(np.abs(mlreduce.LSI().fit(same).components_), [np.abs(X[0]) / np.linalg.norm(X[0])])
    with pytest.raises(NoDirectionError):
        mlreduce.PCA().fit(same)


def test_methods_are_cases_of_one_template(W, rng):
    for name in SECTION_2:
        definitions.check(name, "tall")
    between, within = W @ W.T, np.diag(rng.random(20) + 1)
    values, P = scipy.linalg.eigh(between, within)
    repeated, leading = P[:, [-1, -1, -1]], P[:, -3:]
    quotients = [np.trace(Q.T @ between @ Q) / np.trace(Q.T @ within @ Q) for Q in (repeated, leading)]
    np.testing.assert_allclose(quotients, [values[-1], values[-3:].mean()])
    assert quotients[0] > quotients[1]


def test_mesd_is_any_method_on_copies(rng, problem):
    _, Y = problem
    rows = np.nonzero(Y)[0]
    A = rng.standard_normal((len(rows), len(rows)))
    Z = rng.standard_normal((20, 3))
    for weights in (np.ones(20), 1 / np.maximum(Y.sum(axis=1), 1)):
        C = np.diag(weights)[rows]
        summed = np.zeros((20, 20))
        for s, i in enumerate(rows):
            for t, j in enumerate(rows):
                summed[i, j] += weights[i] * weights[j] * A[s, t]
        np.testing.assert_allclose(C.T @ A @ C, summed, atol=1e-12)
        assert np.isclose(np.trace((C @ Z).T @ A @ (C @ Z)), np.trace(Z.T @ summed @ Z))
    for name in CLASS_METHODS:
        definitions.check(f"mesd-{name}", "tall")


def test_orthonormal_copies_count_labels(rng, problem):
    _, Y = problem
    copies = np.eye(20)[np.nonzero(Y)[0]]
    np.testing.assert_array_equal(copies.T @ copies, np.diag(Y.sum(axis=1)))
    Z = rng.standard_normal((20, 3))
    np.testing.assert_allclose((copies @ Z).T @ (copies @ Z), Z.T @ np.diag(Y.sum(axis=1)) @ Z)


def test_mope_generalises(problem):
    X, Y = problem
    common = LabelProximity(1, "and").matrix(TrainingSet(X, Y)) * Y.sum(axis=1).max()
    A = combined(None, common, "labels")
    np.testing.assert_allclose(combined(X @ X.T, common, "priority", beta=0.0), A)
    Xc, mean = centred(X), X.mean(axis=0)
    for name, factor in (("pls", 1), ("mddmp", 4)):  # mddmp has labels of -1 and 1
        solves(X, mlreduce.make(name).fit(X, Y), factor * Xc.T @ A @ Xc, mean=mean)
    slvm = mlreduce.make("slvm", n_components=3, beta=0.9).fit(X, Y)
    embeds(slvm, combined(X @ X.T, common, "weighted-sum", beta=0.9), positive=True)
    by_features = {"combine": "features", "laplacian": True, "n_neighbors": None, "proximity": PAIRWISE}
    same_directions(mlreduce.MOPE(**by_features).fit(X, Y), mlreduce.OLPP(proximity=PAIRWISE).fit(X))


def test_label_projection_by_singular_vectors(rng, problem):
    _, Y = problem
    singular, right = scipy.linalg.svd(centred(Y))[1:]
    P = mlreduce.PCA(n_components=2).fit(Y).components_
    np.testing.assert_allclose(np.abs(P @ right[:2].T), np.eye(2), atol=1e-9)
    others = [scipy.linalg.orth(rng.standard_normal((4, 2))).T for _ in range(50)]
    variances = [((centred(Y) @ Q.T) ** 2).sum() for Q in (P, *others)]
    assert np.isclose(variances[0], (singular[:2] ** 2).sum())
    assert max(variances[1:]) < variances[0]


def test_tanimoto_becomes_jaccard(problem):
    X, Y = problem
    jaccard = index_of_bits(Y, "jaccard")
    np.testing.assert_allclose(index_of_points(Y, "tanimoto"), jaccard, atol=1e-12)
    data = TrainingSet(X, Y)  # all four components of the labels: products are those of the labels
    np.testing.assert_allclose(LabelProximity(2, "tanimoto").matrix(data), jaccard, atol=1e-9)
    np.testing.assert_allclose(LabelProximity(1, "jaccard").matrix(data), jaccard, atol=1e-12)


def test_third_scheme_as_matrices(rng, problem):
    X, Y = problem
    X, Y = X[Y.any(axis=1)], Y[Y.any(axis=1)]
    by_count = np.diag(1 / Y.sum(axis=1))
    for similarity in (rng.random((4, 4)), Y.T @ Y, index_of_bits(Y.T, "dice")):
        product = by_count @ Y @ similarity @ Y.T @ by_count
        np.testing.assert_allclose(product, average_over_classes(Y, similarity), atol=1e-12)
    np.testing.assert_allclose(LabelProximity(3, "dice").matrix(TrainingSet(X, Y)), product, atol=1e-9)


#: Values of g in rows, of w in columns; exponents and beta, among them those of Figure 1.
g, w = np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 1, 21), indexing="ij")
PARAMETERS = [(0.3, 1.3, 1.0), (1.0, 1.0, 0.5), (4.0, 0.2, 30.0), (0.1, 7.0, 0.01)]


def test_priority_is_monotone():
    for a, b, beta in [*PARAMETERS, (0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0)]:
        psi = combined(w, g, "priority", a, b, beta)
        for steps in (np.diff(psi, axis=0), np.diff(psi, axis=1)):
            assert (steps >= 0).all()
        assert (np.diff(psi, axis=0) > 0).all() == (a > 0)
        assert (np.diff(psi[1:], axis=1) > 0).all() == (b > 0 and beta > 0)
        inside, step = (slice(1, -1), slice(1, -1)), 1e-6
        u, v = w[inside], g[inside]
        q = 1 + beta * (1 - u**b)
        in_g = combined(u, v + step, "priority", a, b, beta) - combined(u, v - step, "priority", a, b, beta)
        in_w = combined(u + step, v, "priority", a, b, beta) - combined(u - step, v, "priority", a, b, beta)
        np.testing.assert_allclose(in_g / (2 * step), a * v ** (a - 1) / q, rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(in_w / (2 * step), beta * b * u ** (b - 1) * v**a / q**2, rtol=1e-5, atol=1e-8)


def test_limits_of_priority():
    for a, b, beta in PARAMETERS:
        psi = combined(w, g, "priority", a, b, beta)
        near = combined(np.clip(w, 1e-90, 1 - 1e-15), np.clip(g, 1e-90, 1 - 1e-15), "priority", a, b, beta)
        np.testing.assert_allclose(near, psi, atol=1e-8)  # it is continuous
        np.testing.assert_array_equal(psi[0], 0)
        np.testing.assert_allclose(psi[-1], 1 / (1 + beta * (1 - w[-1] ** b)))
        np.testing.assert_allclose(psi[-1, [0, -1]], [1 / (1 + beta), 1])
        np.testing.assert_allclose(psi[:, 0], g[:, 0] ** a / (1 + beta))
        np.testing.assert_allclose(psi[:, -1], g[:, 0] ** a)
    constant_in_g, constant_in_w = combined(w, g, "priority", 0.0), combined(w, g, "priority", 1.0, 0.0)
    assert (constant_in_g == constant_in_g[0]).all()  # not 0 where g is
    np.testing.assert_array_equal(constant_in_w, g)  # not g / (1 + beta) where w is 0


def test_features_are_restricted_by_labels():
    for a, b, beta in PARAMETERS:
        psi = combined(w, g, "priority", a, b, beta)
        assert (psi <= g**a + 1e-12).all()
        assert (psi >= g**a / (1 + beta) - 1e-12).all()
        effect = np.ptp(psi, axis=1)
        np.testing.assert_allclose(effect, g[:, 0] ** a * beta / (1 + beta))
        assert effect[0] == 0
        assert (np.diff(effect) > 0).all()
    np.testing.assert_allclose(np.ptp(combined(w, g, "weighted-sum", beta=0.5), axis=1), 0.5)  # whatever g is


def test_labels_alone_at_beta_zero(problem):
    for a, b, _ in PARAMETERS:
        np.testing.assert_array_equal(combined(w, g, "priority", a, b, 0.0), g**a)
    X, Y = problem
    same_directions(
        *(
            mlreduce.MOPE(n_components=3, n_neighbors=None, beta=0.0, **own).fit(X, Y)
            for own in (
                {"proximity": PAIRWISE},
                {"combine": "labels"},
            )
        )
    )


def test_generalised_priority():
    for a, _, beta in PARAMETERS:
        np.testing.assert_array_equal(combined(w, g, "priority", a, 1.0, beta, priority_share=0.0), w)
    for gamma in (0.0, 0.3, 1.0):
        weighted = combined(w, g, "weighted-sum", beta=gamma)
        np.testing.assert_allclose(combined(w, g, "priority", 1.0, 1.0, 0.0, gamma), weighted, atol=1e-15)


def test_any_two_models_combine():
    X, Y = definitions.problem("partly", 20, 5, 4)
    labelled, labels = labelled_part(X, Y)

    def objective(part, X, Y=None):
        return part.objective(TrainingSet(X, Y)).matrix(Features(X, centred=part.centred))

    several = [
        "cca",
        "pls",
        "mddmp",
        "hsl1",
        "hsl2",
        "hsl3",
        "morp",
        "mlsi",
        "mope",
        *(f"mesd-{n}" for n in CLASS_METHODS),
    ]
    for supervised, unsupervised in zip(several, cycle(["pca", "lsi", "lpp", "olpp", "npp", "onpp"]), strict=False):
        parts = definitions.make(supervised), definitions.make(unsupervised)
        both = mlreduce.SemiSupervised(
            unsupervised_weight=0.3, supervised_part=parts[0], unsupervised_part=parts[1]
        ).fit(X, Y)
        A = 0.7 * objective(parts[0], labelled, labels) + 0.3 * objective(parts[1], X)
        solves(X, both, A, mean=both.mean_)
        assert len(both.components_) == 5


def test_earlier_framework_is_a_case():
    X, Y = definitions.problem("partly", 20, 5, 4)
    for name, supervised in {"sslfda": "mesd-lfda", "ssmfa": "mesd-mfa", "ssdne": "mesd-dne"}.items():
        definition = definitions.load(name)
        framework = mlreduce.SemiSupervised(
            constraint="supervised", supervised_part=supervised, unsupervised_part="olpp", **definition.PARAMETERS
        )
        definition.definition(X, Y, framework.fit(X, Y))


def test_kernels_are_relation_features(problem):
    X, Y = problem
    A = centring(20) @ Y @ Y.T @ centring(20)
    relations = RelationFeatures("rbf", gamma=0.1).fit(X)
    K = relations.transform(X)
    np.testing.assert_allclose(K, K.T, atol=1e-12)
    fitted = mlreduce.PLS(n_components=3).fit(K, Y)
    solves(K, fitted, K.T @ A @ K, mean=K.mean(axis=0))
    linear = X @ X.T
    np.testing.assert_allclose(RelationFeatures("linear").fit_transform(X), linear)
    coefficients = mlreduce.PLS(n_components=3).fit(linear, Y).components_.T
    Z = X @ (X.T @ coefficients)  # by directions that combine the instances
    np.testing.assert_allclose(linear @ coefficients, Z)
    traces = [np.trace(Z.T @ A @ Z), np.trace(coefficients.T @ linear.T @ A @ linear @ coefficients)]
    assert np.isclose(*traces)


def test_eigenproblem_of_relation_features(problem):
    X, Y = problem
    wide = np.hstack([X] * 200)
    for n_prototypes, order in ((None, 20), (7, 7)):
        K = RelationFeatures("euclidean", n_prototypes=n_prototypes, random_state=0).fit_transform(wide)
        for method in (mlreduce.PCA(), mlreduce.RCCA(), mlreduce.OLPP(), mlreduce.MOPE()):
            assert method.fit(K, Y).components_.shape[1] == order
            assert method.objective(TrainingSet(K, Y)).matrix(Features(K, centred=False)).shape == (order, order)


def test_original_features_need_no_matrix_of_their_order(rng, problem):
    _, Y = problem
    X = rng.standard_normal((20, 60))
    values, V = np.linalg.svd(X, full_matrices=False)[1:]
    A = laplacian(Proximity(**PAIRWISE).matrix(TrainingSet(X)))
    S = (X @ V.T) @ np.diag(1 / values)
    small = np.linalg.eigh(np.diag(values) @ S.T @ A @ S @ np.diag(values))
    dense = np.linalg.eigh(X.T @ A @ X)
    np.testing.assert_allclose(small[0], dense[0][-20:], atol=1e-9)
    np.testing.assert_allclose(np.abs(small[1][:, -3:].T @ V @ dense[1][:, -3:]), np.eye(3), atol=1e-8)
    many = sp.random_array((20, 1_721_881), density=1e-5, format="csr", rng=rng)
    for name in ("lsi", "pls"):
        P = mlreduce.make(name, n_components=1).fit(many, Y).components_
        assert P.shape == (1, 1_721_881)


def test_some_methods_have_as_many_directions_as_labels():
    X, Y = definitions.problem("labels", 40, 12, 4)
    for name in ("cca", "mddmp", "hsl1", "hsl2", "hsl3"):
        with pytest.warns(ProjectionWarning, match="4 positive eigenvalues"):
            method = mlreduce.make(name, n_components=10).fit(X, Y)
        assert len(method.components_) == 4
        A = method.objective(TrainingSet(X, Y)).matrix(Features(X, centred=method.centred))
        values, vectors = np.linalg.eigh(A)
        assert (np.abs(values[:-4]) < 1e-9 * values[-1]).all()
        assert values[-4] > 1e-9 * values[-1]
        np.testing.assert_allclose(np.trace(vectors[:, :-4].T @ A @ vectors[:, :-4]), 0, atol=1e-9 * values[-1])
    for name in ("pca", "mope"):
        assert len(mlreduce.make(name, n_components=10).fit(X, Y).components_) == 10
